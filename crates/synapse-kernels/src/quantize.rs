//! Activations as int8 blocks of 32 with one scale (`docs/numerics.md` section 5.2).

#![allow(clippy::needless_range_loop, reason = "lanes are counted, not iterated")]

use crate::Kernels;
use crate::isa::compiled_for_each_isa;
use crate::pool::{DisjointMut, split};

/// Rows of activations as integers, for the products of the `q8` profile. Reused from one product
/// to the next, it keeps its memory.
#[derive(Debug, Default)]
pub struct QuantizedRows {
    /// Activations of a row; a multiple of 32.
    pub k: usize,
    /// Rows (columns of the product).
    pub n: usize,
    /// The integers, `[n][k]`.
    pub q: Vec<i8>,
    /// What one unit is worth, `[n][k/32]`.
    pub scale: Vec<f32>,
    /// `sx`, the scale times the sum of the block's integers, `[n][k/32]`.
    pub sum: Vec<f32>,
    /// Sums of the integers in runs of 16, `[n][k/16]`: what an offset of the weights' codes costs.
    pub totals: Vec<i32>,
}

impl QuantizedRows {
    /// No rows yet.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Blocks below which a fork and join costs more than it saves.
const SMALL: usize = 512;

impl Kernels {
    /// `n` rows of `k` activations, rounded to int8 blocks.
    ///
    /// # Panics
    /// If `x` is not `n * k` long or `k` is not a multiple of 32.
    pub fn quantize(&self, x: &[f32], n: usize, k: usize, out: &mut QuantizedRows) {
        assert!(x.len() == n * k && k.is_multiple_of(32), "{} is not {n} rows of {k}", x.len());
        let all = x.len() / 32;
        (out.k, out.n) = (k, n);
        out.q.resize(32 * all, 0);
        out.scale.resize(all, 0.0);
        out.sum.resize(all, 0.0);
        out.totals.resize(2 * all, 0);
        let q = DisjointMut::new(&mut out.q);
        let scale = DisjointMut::new(&mut out.scale);
        let sum = DisjointMut::new(&mut out.sum);
        let totals = DisjointMut::new(&mut out.totals);
        let share = |worker: usize, workers: usize| {
            let own = split(all, worker, workers, 16);
            let wide = |by: usize| own.start * by..own.end * by;
            // SAFETY: `split` gives each worker its own blocks, and each of the four slices is asked
            // for once.
            let (q, scale, sum, totals) = unsafe {
                (
                    q.slice(wide(32)),
                    scale.slice(own.clone()),
                    sum.slice(wide(1)),
                    totals.slice(wide(2)),
                )
            };
            quantize_blocks(self, &x[wide(32)], q, scale, sum, totals);
        };
        if all < SMALL { share(0, 1) } else { self.pool.run(&share) }
    }
}

compiled_for_each_isa! {
    fn quantize_blocks(
        x: &[f32], q: &mut [i8], scale: &mut [f32], sum: &mut [f32], totals: &mut [i32],
    ) = quantize_blocks_body
}

#[inline(always)]
fn quantize_blocks_body(
    x: &[f32],
    q: &mut [i8],
    scale: &mut [f32],
    sum: &mut [f32],
    totals: &mut [i32],
) {
    let x: &[[f32; 32]] = x.as_chunks().0;
    let q: &mut [[i8; 32]] = q.as_chunks_mut().0;
    let totals: &mut [[i32; 2]] = totals.as_chunks_mut().0;
    let all = x.len();
    assert!(q.len() == all && scale.len() == all && sum.len() == all && totals.len() == all);
    for b in 0..all {
        let mut a = 0;
        for i in 0..32 {
            a = a.max(x[b][i].to_bits() & 0x7FFF_FFFF);
        }
        // 2^−120 and infinity: outside of them all integers are zero.
        if !(0x0380_0000..0x7F80_0000).contains(&a) {
            q[b] = [0; 32];
            totals[b] = [0; 2];
            scale[b] = if a < 0x0380_0000 { 0.0 } else { f32::NAN };
            sum[b] = scale[b];
            continue;
        }
        let a = f32::from_bits(a);
        let inv = 127.0 / a;
        // Adding 1.5 * 2^23 rounds to an integer, ties to even, in the low bits of the mantissa.
        const ROUND: f32 = 12_582_912.0;
        let mut integers = [0i32; 32];
        for i in 0..32 {
            let rounded = x[b][i] * inv + ROUND;
            integers[i] = rounded.to_bits() as i32 - ROUND.to_bits() as i32;
        }
        let (mut low, mut high) = (0, 0);
        for i in 0..16 {
            low += integers[i];
            high += integers[16 + i];
        }
        for i in 0..32 {
            q[b][i] = integers[i] as i8;
        }
        totals[b] = [low, high];
        scale[b] = a / 127.0;
        sum[b] = scale[b] * (low + high) as f32;
    }
}
