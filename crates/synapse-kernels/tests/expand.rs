//! Expanded weights against the gguf Python package: `expand/expand.bin`, made by `expand/make.py`.

#![allow(clippy::needless_range_loop, reason = "rows and columns by number")]

use synapse_format::TensorType;
use synapse_kernels::blocks::{WeightView, supported};
use synapse_kernels::reference::expand::expand_row;
use synapse_kernels::{Isa, Kernels};

fn canonical(v: f32) -> u32 {
    if v.is_nan() { 0x7FC0_0000 } else { v.to_bits() }
}

struct Case<'a> {
    ty: TensorType,
    raw: &'a [u8],
    bits: Vec<u32>,
}

fn cases() -> Vec<Case<'static>> {
    let mut rest: &[u8] = include_bytes!("expand/expand.bin");
    let mut cases = vec![];
    while !rest.is_empty() {
        let mut words = [0; 3];
        for word in &mut words {
            let (head, tail) = rest.split_first_chunk().unwrap();
            (*word, rest) = (u32::from_le_bytes(*head), tail);
        }
        let [id, elements, bytes] = words;
        let (raw, tail) = rest.split_at(bytes as usize);
        let (values, tail) = tail.split_at(4 * elements as usize);
        rest = tail;
        let bits = values.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
        cases.push(Case { ty: TensorType::from_id(id).unwrap(), raw, bits });
    }
    cases
}

#[test]
fn every_type_expands_to_the_bits_of_the_gguf_package() {
    let cases = cases();
    let types: Vec<_> = cases.iter().map(|case| case.ty).collect();
    let ours: Vec<_> = TensorType::ALL.iter().copied().filter(|ty| supported(*ty)).collect();
    assert_eq!(types.len(), 11);
    assert!(ours.iter().all(|ty| types.contains(ty)), "{ours:?}");
    for case in &cases {
        let w = WeightView::new(case.ty, 1, case.bits.len(), case.raw).unwrap();
        let mut out = vec![0.0; case.bits.len()];
        expand_row(w, 0, &mut out);
        for (k, (got, expected)) in out.iter().zip(&case.bits).enumerate() {
            assert_eq!(canonical(*got), *expected, "{} element {k}: {got}", case.ty.name());
        }
    }
}

/// One block a row, and an activation that picks one element: the kernels unpack on their own.
#[test]
fn a_float_product_with_unit_vectors_gives_the_same_bits() {
    for case in cases() {
        let k = case.ty.block_elements().max(4) as usize;
        let rows = case.bits.len() / k;
        let w = WeightView::new(case.ty, rows, k, case.raw).unwrap();
        for isa in Isa::available() {
            let kernels = Kernels::new(2, isa);
            let mut x = vec![0.0; k * k];
            (0..k).for_each(|i| x[i * k + i] = 1.0);
            let mut y = vec![0.0; k * rows];
            kernels.product_f32(w, &x, k, &mut y);
            for r in 0..rows {
                let row = &case.bits[r * k..][..k];
                if row.iter().any(|bits| !f32::from_bits(*bits).is_finite()) {
                    continue; // 0 * infinity is NaN in every sum of the row
                }
                for c in 0..k {
                    // Adding zeros turns −0 into +0 and changes nothing else.
                    let expected = f32::from_bits(row[c]) + 0.0;
                    let got = y[c * rows + r];
                    let name = case.ty.name();
                    assert_eq!(got.to_bits(), expected.to_bits(), "{name} {isa:?} row {r} k {c}");
                }
            }
        }
    }
}

#[test]
fn embedding_takes_the_asked_rows_in_order() {
    let kernels = Kernels::new(3, Isa::detect());
    for case in cases() {
        let k = case.ty.block_elements().max(4) as usize;
        let rows = case.bits.len() / k;
        let w = WeightView::new(case.ty, rows, k, case.raw).unwrap();
        let ids: Vec<u32> = (0..300).map(|i| (i * 7 + 3) % rows as u32).collect();
        let mut out = vec![0.0; ids.len() * k];
        kernels.expand_rows(w, &ids, &mut out);
        for (id, row) in ids.iter().zip(out.chunks_exact(k)) {
            let expected = &case.bits[*id as usize * k..][..k];
            assert!(row.iter().zip(expected).all(|(got, bits)| canonical(*got) == *bits));
        }
    }
}

#[test]
fn a_view_of_a_wrong_length_or_type_is_refused() {
    let bytes = [0; 36];
    assert!(WeightView::new(TensorType::Q4_0, 2, 32, &bytes).is_some());
    assert!(WeightView::new(TensorType::Q4_0, 3, 32, &bytes).is_none(), "too short");
    assert!(WeightView::new(TensorType::Q4_0, 1, 32, &bytes).is_none(), "too long");
    assert!(WeightView::new(TensorType::Q4_0, 2, 31, &bytes).is_none(), "half a block");
    assert!(WeightView::new(TensorType::I8, 1, 36, &bytes).is_none(), "no kernel");
    assert!(WeightView::new(TensorType::F32, usize::MAX, 4, &bytes).is_none(), "overflow");
    assert!(WeightView::new(TensorType::F32, 1, usize::MAX, &bytes).is_none(), "overflow");
}
