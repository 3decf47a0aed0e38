//! Activations as int8 blocks: the edge cases of `docs/numerics.md` section 5.2.

use synapse_kernels::quantize::QuantizedRows;
use synapse_kernels::reference::quantize::{Block, quantize_row};
use synapse_kernels::{Isa, Kernels};

/// Quantizes on every instruction set, compares each with the reference, returns the blocks.
fn blocks(x: &[f32], n: usize) -> Vec<Block> {
    let expected = quantize_row(x);
    for isa in Isa::available() {
        for threads in [1, 3] {
            let kernels = Kernels::new(threads, isa);
            let mut rows = QuantizedRows::new();
            // Memory of an earlier, longer input must not show.
            kernels.quantize(&vec![5.0; x.len() + 64], 1, x.len() + 64, &mut rows);
            kernels.quantize(x, n, x.len() / n, &mut rows);
            assert_eq!((rows.n, rows.k), (n, x.len() / n));
            assert_eq!(rows.q.len(), x.len());
            assert_eq!(rows.scale.len(), expected.len());
            assert_eq!(rows.sum.len(), expected.len());
            assert_eq!(rows.totals.len(), 2 * expected.len());
            for (b, block) in expected.iter().enumerate() {
                let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                assert_eq!(rows.q[32 * b..][..32], block.q, "{isa:?} block {b}");
                assert!(same(rows.scale[b], block.scale), "{isa:?} block {b}");
                assert!(same(rows.sum[b], block.sum), "{isa:?} block {b}");
                for half in 0..2 {
                    let total: i32 = block.q[16 * half..][..16].iter().map(|q| i32::from(*q)).sum();
                    assert_eq!(rows.totals[2 * b + half], total, "{isa:?} block {b}");
                }
            }
        }
    }
    expected
}

fn block(first: &[f32]) -> Block {
    let mut x = [0.0; 32];
    x[..first.len()].copy_from_slice(first);
    blocks(&x, 1)[0]
}

#[test]
fn a_block_with_nan_or_infinity_has_nan_scales_and_no_integers() {
    for bad in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7F80_0001)]
    {
        let got = block(&[1.0, bad, 3e38]);
        assert_eq!(got.q, [0; 32]);
        assert!(got.scale.is_nan() && got.sum.is_nan());
    }
}

#[test]
fn a_block_below_two_to_the_minus_120_is_plus_zero() {
    let bound = f32::powi(2.0, -120);
    for small in [0.0, -0.0, 1e-45, -1e-40, bound.next_down(), -bound.next_down()] {
        let got = block(&[small, small]);
        assert_eq!(got.q, [0; 32]);
        assert_eq!((got.scale.to_bits(), got.sum.to_bits()), (0, 0));
    }
    let got = block(&[bound, -bound]);
    assert_eq!(got.q[..3], [127, -127, 0]);
    assert_eq!(got.scale, bound / 127.0);
    assert_eq!(got.sum, 0.0);
}

#[test]
fn halves_round_to_even() {
    let got = block(&[127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, -126.5, 0.49999997]);
    assert_eq!(got.q[..10], [127, 0, 2, 2, 0, -2, -2, 126, -126, 0]);
    assert_eq!(got.scale, 1.0);
    assert_eq!(got.sum, 127.0);
}

#[test]
fn the_largest_floats_stay_within_127() {
    let got = block(&[f32::MAX, -f32::MAX, f32::MAX / 2.0]);
    assert_eq!(got.q[..3], [127, -127, 64]);
    let mut a = 1.0f32;
    for _ in 0..2000 {
        let got = block(&[a, -a]);
        assert_eq!(got.q[..2], [127, -127], "{a:e}");
        a = (a * 1.0437).next_up();
        if a > 1e30 {
            a = 1e-30;
        }
    }
}

#[test]
fn the_sum_is_the_scale_times_the_integers_sum() {
    let got = block(&[3.0, 1.0, -0.3]);
    assert_eq!(got.q[..3], [127, 42, -13]);
    assert_eq!(got.sum, (3.0 / 127.0) * 156.0);
    let all = block(&[-7.5; 32]);
    assert_eq!(all.sum, (7.5 / 127.0) * (-127.0 * 32.0));
}

#[test]
fn rows_are_cut_into_blocks_from_their_start() {
    let (n, k) = (40, 576);
    let x: Vec<f32> = (0..n * k).map(|i| ((i * i % 8191) as f32 - 4000.0) * 1e-3).collect();
    let all = blocks(&x, n);
    for r in 0..n {
        assert_eq!(all[r * k / 32..][..k / 32], quantize_row(&x[r * k..][..k]));
    }
}
