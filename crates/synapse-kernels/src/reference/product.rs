//! Reference: matrix products (`docs/numerics.md` sections 5.1 and 5.3).

#![allow(clippy::needless_range_loop, reason = "the formulas' own indices")]

use super::{
    expand::{Run, expand_row},
    quantize::quantize_row,
};
use crate::blocks::WeightView;

/// `y[c][r] = Σ_k W[r, k] x[c][k]` in float order, for `n` columns; x is `[n][k]`, y `[n][rows]`.
///
/// # Panics
/// If a length is wrong.
pub fn product_f32(w: WeightView, x: &[f32], n: usize, y: &mut [f32]) {
    assert_eq!((x.len(), y.len()), (n * w.cols, n * w.rows));
    let mut weights = vec![0.0; w.cols];
    for r in 0..w.rows {
        expand_row(w, r, &mut weights);
        for c in 0..n {
            let mut acc = 0.0f32;
            for k in 0..w.cols {
                acc = weights[k].mul_add(x[c * w.cols + k], acc);
            }
            y[c * w.rows + r] = acc;
        }
    }
}

/// The same in quantized order: x is rounded to int8 blocks first.
///
/// # Panics
/// If a length is wrong or the type holds no integers.
pub fn product_q8(w: WeightView, x: &[f32], n: usize, y: &mut [f32]) {
    assert_eq!((x.len(), y.len()), (n * w.cols, n * w.rows));
    for c in 0..n {
        let blocks = quantize_row(&x[c * w.cols..][..w.cols]);
        for r in 0..w.rows {
            let mut acc = 0.0f32;
            for (b, x) in blocks.iter().enumerate() {
                let w = Run::read(w.ty, w.row(r), b);
                let mut dots = [0i32; 2];
                for i in 0..32 {
                    dots[i / 16] += w.q[i] * i32::from(x.q[i]);
                }
                let [sc0, sc1] = w.sc.unwrap_or([1, 1]);
                let dot = sc0 * dots[0] + sc1 * dots[1];
                acc = (w.d * x.scale).mul_add(dot as f32, acc);
                if let Some(m) = w.m {
                    acc = m.mul_add(x.sum, acc);
                }
            }
            y[c * w.rows + r] = acc;
        }
    }
}
