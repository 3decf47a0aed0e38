//! Pages come and go as asked, and hold what was stored.

use super::*;
use crate::Isa;

fn shape(ty: KvType) -> KvShape {
    KvShape { kv_heads: 2, key_dim: 3, value_dim: 5, ty }
}

/// Rows of numbers that say where they belong.
fn rows(n: usize, width: usize, sign: f32) -> Vec<f32> {
    (0..n * width).map(|i| sign * (i as f32 + 0.5)).collect()
}

#[test]
fn names_lead_back_to_their_types() {
    for (ty, name) in TYPES {
        assert_eq!(KvType::from_name(name), Some(ty));
        assert_eq!(ty.name(), name);
    }
    assert_eq!(KvType::from_name("q8"), None);
}

#[test]
fn a_page_has_64_positions_of_all_heads() {
    assert_eq!(shape(KvType::F16).page_bytes(), 64 * 2 * (3 + 5) * 2);
    assert_eq!(shape(KvType::F32).page_bytes(), 64 * 2 * (3 + 5) * 4);
    let absurd = KvShape { kv_heads: usize::MAX, key_dim: 9, value_dim: 9, ty: KvType::F32 };
    assert_eq!(absurd.page_bytes(), usize::MAX);
}

#[test]
fn pages_are_held_from_need_to_release() {
    let mut kv = LayerKv::new(shape(KvType::F16));
    assert_eq!(kv.pages_held(), 0);
    kv.reserve(10..10);
    assert_eq!(kv.pages_held(), 0);
    kv.reserve(0..65);
    assert_eq!((kv.pages_held(), kv.bytes_held()), (2, 2 * kv.shape().page_bytes()));
    kv.reserve(300..301);
    assert_eq!(kv.pages_held(), 3);
    assert!(kv.holds(319) && !kv.holds(320) && !kv.holds(255));
    kv.release_before(63);
    assert!(kv.holds(0), "position 63 is still needed");
    kv.release_before(64);
    assert!(!kv.holds(0) && kv.holds(64));
    kv.release_before(100_000);
    assert_eq!(kv.pages_held(), 0);
    kv.reserve(0..129);
    kv.truncate(129);
    assert_eq!(kv.pages_held(), 3);
    kv.truncate(128);
    assert_eq!(kv.pages_held(), 2);
    kv.clear();
    assert_eq!((kv.pages_held(), kv.bytes_held()), (0, 0));
}

#[test]
fn stored_rows_are_found_at_their_position_head_and_dimension() {
    for threads in 1..=3 {
        let kernels = Kernels::new(threads, Isa::detect());
        // 3000 rows are enough work to be shared.
        for (first, n) in [(0, 1), (60, 10), (63, 1), (64, 3000)] {
            let (k, v) = (rows(n, 6, 1.0), rows(n, 10, -1.0));
            let mut kv = LayerKv::new(shape(KvType::F32));
            kernels.kv_append(&mut kv, first, &k, &v);
            for row in 0..n {
                let position = first + row;
                for head in 0..2 {
                    let (keys, values) = kv.head::<f32>(position / PAGE, head);
                    for d in 0..3 {
                        let key = keys[d * PAGE + position % PAGE];
                        assert_eq!(key, k[row * 6 + head * 3 + d]);
                    }
                    for d in 0..5 {
                        let value = values[position % PAGE * 5 + d];
                        assert_eq!(value, v[row * 10 + head * 5 + d]);
                    }
                }
            }
        }
    }
}

#[test]
fn f16_is_rounded_to_nearest_even_with_overflow_to_infinity_and_one_nan() {
    let cases = [
        (1.0, 0x3C00),
        (1.0 + 1.0 / 2048.0, 0x3C00), // a tie, down to even
        (1.0 + 3.0 / 2048.0, 0x3C02), // a tie, up to even
        (65_519.0, 0x7BFF),
        (65_520.0, 0x7C00), // the tie above the largest number
        (-1e30, 0xFC00),
        (5.960_464_5e-8, 0x0001), // the smallest subnormal
        (2.980_232_2e-8, 0x0000), // half of it, down to even
        (-0.0, 0x8000),
        (f32::from_bits(0xFFFF_FFFF), 0x7E00),
        (f32::from_bits(0x7F80_0001), 0x7E00),
    ];
    // Twice in a row, so that the vector form and the rest of a slice both see each case.
    for width in [1, cases.len(), 40] {
        let numbers: Vec<f32> = cases.iter().cycle().map(|case| case.0).take(width * 11).collect();
        let shape = KvShape { kv_heads: 1, key_dim: width, value_dim: width, ty: KvType::F16 };
        let mut kv = LayerKv::new(shape);
        Kernels::new(1, Isa::detect()).kv_append(&mut kv, 7, &numbers, &numbers);
        let (keys, values) = kv.head::<f16>(0, 0);
        for (i, (number, bits)) in cases.iter().cycle().take(width * 11).enumerate() {
            let (position, d) = (7 + i / width, i % width);
            assert_eq!(keys[d * PAGE + position].to_bits(), *bits, "key {number:e}");
            assert_eq!(values[position * width + d].to_bits(), *bits, "value {number:e}");
            let stored = crate::reference::attention::stored(*number, KvType::F16);
            assert_eq!(f16::from_bits(*bits).to_f32().is_nan(), stored.is_nan());
            assert!(stored.is_nan() || stored == f16::from_bits(*bits).to_f32());
        }
    }
}

#[test]
fn appending_in_pieces_holds_the_same_bytes_as_at_once() {
    let kernels = Kernels::new(2, Isa::detect());
    let (k, v) = (rows(200, 6, 0.37), rows(200, 10, -0.11));
    let mut whole = LayerKv::new(shape(KvType::F16));
    kernels.kv_append(&mut whole, 30, &k, &v);
    for piece in [1, 7, 64] {
        let mut kv = LayerKv::new(shape(KvType::F16));
        for row in (0..200usize).step_by(piece) {
            let end = 200.min(row + piece);
            kernels.kv_append(&mut kv, 30 + row, &k[row * 6..end * 6], &v[row * 10..end * 10]);
        }
        for (a, b) in whole.pages.iter().zip(&kv.pages) {
            assert_eq!(a.as_ref().unwrap().numbers::<u8>(), b.as_ref().unwrap().numbers::<u8>());
        }
        assert_eq!(whole.pages.len(), kv.pages.len());
    }
}

#[test]
#[should_panic(expected = "values are not 2 rows of 10")]
fn keys_and_values_of_different_rows_are_refused() {
    let mut kv = LayerKv::new(shape(KvType::F32));
    Kernels::new(1, Isa::Scalar).kv_append(&mut kv, 0, &[0.0; 12], &[0.0; 10]);
}
