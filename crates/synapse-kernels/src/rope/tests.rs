//! Tables against f64, bits against the reference.

use super::*;
use crate::Isa;

#[test]
fn tables_agree_with_plain_f64_trigonometry() {
    for (dims, base, scale) in [(64, 10_000.0, 1.0), (128, 1e6, 4.0), (80, 500_000.0, 1.0)] {
        let table = RopeTable::new(dims, base, scale, None);
        let (mut cos, mut sin) = (vec![0.0; dims / 2], vec![0.0; dims / 2]);
        for position in [0, 1, 2, 63, 4096, 131_071] {
            table.cos_sin_into(position, &mut cos, &mut sin);
            for i in 0..dims / 2 {
                let inv = base.powf(-2.0 * i as f64 / dims as f64) / scale;
                let angle = f64::from(position) * inv;
                // The inverse frequency is rounded to f32: its error grows with the position.
                let tolerance = 1e-7 + angle * 1e-7;
                assert!((f64::from(cos[i]) - angle.cos()).abs() < tolerance);
                assert!((f64::from(sin[i]) - angle.sin()).abs() < tolerance);
            }
        }
    }
}

#[test]
fn factors_divide_the_frequency_of_their_pair_only() {
    let plain = RopeTable::new(8, 10_000.0, 1.0, None);
    let divided = RopeTable::new(8, 10_000.0, 1.0, Some(&[1.0, 1.0, 8.0, 1.0]));
    for i in 0..4 {
        let factor = if i == 2 { 8.0 } else { 1.0 };
        assert_eq!(divided.inverse_frequencies()[i], plain.inverse_frequencies()[i] / factor);
    }
    assert_eq!(RopeTable::new(8, 10_000.0, 2.0, None).inverse_frequencies()[0], 0.5);
}

#[test]
fn a_rotation_keeps_lengths_and_depends_on_the_distance_only() {
    // The product of a query and a key depends on the difference of their positions.
    let table = RopeTable::new(16, 10_000.0, 1.0, None);
    for pairs in [RopePairs::Halves, RopePairs::Interleaved] {
        let product = |p: u32, j: u32| -> f32 {
            let mut x: Vec<f32> = (0..32).map(|i| (i as f32 * 0.7).sin()).collect();
            let inv = table.inverse_frequencies();
            reference::rope(&mut x, 1, 16, inv, pairs, &[p, j]);
            (0..16).map(|d| x[d] * x[16 + d]).sum()
        };
        assert!((product(3, 10) - product(103, 110)).abs() < 1e-4);
        assert!((product(3, 10) - product(3, 11)).abs() > 1e-3);
    }
}

#[test]
fn rotations_have_the_bits_of_the_reference_in_every_form() {
    let shapes = [(1, 1, 8, 8), (3, 2, 16, 8), (70, 9, 64, 64), (40, 14, 80, 32), (2, 1, 256, 256)];
    for isa in Isa::available() {
        for threads in 1..=3 {
            let kernels = Kernels::new(threads, isa);
            let mut angles = RopeAngles::default();
            for (n, heads, head_dim, dims) in shapes {
                let factors: Vec<f32> = (0..dims / 2).map(|i| 1.0 + i as f32).collect();
                for table in [
                    RopeTable::new(dims, 10_000.0, 1.0, None),
                    RopeTable::new(dims, 1e6, 8.0, Some(&factors)),
                ] {
                    for pairs in [RopePairs::Halves, RopePairs::Interleaved] {
                        let positions: Vec<u32> = (0..n as u32).map(|i| 61 + i * 3).collect();
                        let x: Vec<f32> =
                            (0..n * heads * head_dim).map(|i| (i as f32).sin() * 3.0).collect();
                        let (mut fast, mut slow) = (x.clone(), x);
                        kernels.rope(
                            &mut fast,
                            heads,
                            head_dim,
                            &table,
                            pairs,
                            &positions,
                            &mut angles,
                        );
                        let inv = table.inverse_frequencies();
                        reference::rope(&mut slow, heads, head_dim, inv, pairs, &positions);
                        assert!(fast.iter().zip(&slow).all(|(a, b)| a.to_bits() == b.to_bits()));
                    }
                }
            }
        }
    }
}

#[test]
fn kept_angles_follow_the_positions_and_the_table() {
    let kernels = Kernels::new(1, Isa::detect());
    let tables = [10_000.0, 1e6].map(|base| RopeTable::new(8, base, 1.0, None));
    let mut angles = RopeAngles::default();
    for (table, positions) in [(0, [5, 6]), (0, [5, 6]), (0, [6, 7]), (1, [6, 7]), (0, [6, 7])] {
        let (table, mut kept) = (&tables[table], vec![0.5; 16]);
        let mut fresh = kept.clone();
        let halves = RopePairs::Halves;
        kernels.rope(&mut kept, 1, 8, table, halves, &positions, &mut angles);
        kernels.rope(&mut fresh, 1, 8, table, halves, &positions, &mut RopeAngles::default());
        assert_eq!(kept, fresh);
    }
}

#[test]
fn the_two_ways_of_pairing_differ() {
    let inv = RopeTable::new(8, 10_000.0, 1.0, None);
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let (mut halves, mut interleaved) = (x.clone(), x);
    let inv = inv.inverse_frequencies();
    reference::rope(&mut halves, 1, 8, inv, RopePairs::Halves, &[1]);
    reference::rope(&mut interleaved, 1, 8, inv, RopePairs::Interleaved, &[1]);
    assert_ne!(halves, interleaved);
}
