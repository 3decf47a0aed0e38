//! Matrix products `y[c][r] = Σ_k W[r, k] x[c][k]` (`docs/numerics.md` section 5).
//!
//! 1. The rows of all weights are cut into groups of 16, the groups into one contiguous share a
//!    worker.
//! 2. A share goes through its groups a panel at a time, and through the panel a chunk of k at a
//!    time: the chunk is unpacked from the file's bytes into the worker's scratch (`tile`), rows
//!    side by side in lanes (`lanes`), ...
//! 3. ... and run over all columns, as many at once as the registers hold (`integer`, `float`).
//!
//! Sums wait in the output between two chunks, as the f32 they are: that rounds nothing. An output's
//! additions happen in ascending k whatever the shapes, so no bit depends on them.

#![allow(clippy::needless_range_loop, reason = "lanes and tiles are counted, not iterated")]

mod float;
mod integer;
mod lanes;
mod share;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::blocks::{WeightView, quantized};
use crate::pool::{DisjointMut, split};
use crate::quantize::QuantizedRows;
use crate::{Isa, Kernels, reference};
use lanes::{Portable, Task};
use share::{FloatShare, IntegerShare, Part};

/// Multiply-adds below which a fork and join costs more than it saves.
const SMALL: usize = 1 << 15;

impl Kernels {
    /// Rows `ids` of a table as f32: `out[i] = W[ids[i]]`, `[ids][cols]`.
    ///
    /// # Panics
    /// If the table has no such row or `out` has another length.
    pub fn expand_rows(&self, w: WeightView, ids: &[u32], out: &mut [f32]) {
        assert_eq!(out.len(), ids.len() * w.cols);
        let work = out.len() * 16;
        let out = DisjointMut::new(out);
        self.fork(work, &|worker, workers| {
            for i in split(ids.len(), worker, workers, 1) {
                // SAFETY: each row is written once, by the worker whose range has it.
                let row = unsafe { out.slice(i * w.cols..(i + 1) * w.cols) };
                reference::expand::expand_row(w, ids[i] as usize, row);
            }
        });
    }

    /// The product in float order for weights of any supported type; x is `[n][k]`, y `[n][rows]`.
    ///
    /// # Panics
    /// If a length is wrong.
    pub fn product_f32(&self, w: WeightView, x: &[f32], n: usize, y: &mut [f32]) {
        self.products_f32(&mut [(w, y)], x, n);
    }

    /// The product in quantized order; x holds the `n` columns, y is `[n][rows]`.
    ///
    /// # Panics
    /// If a length is wrong or the type is not quantized.
    pub fn product_q8(&self, w: WeightView, x: &QuantizedRows, y: &mut [f32]) {
        self.products_q8(&mut [(w, y)], x);
    }

    /// [`Kernels::product_f32`] of several weights with the same input, in one fork and join.
    ///
    /// # Panics
    /// As `product_f32`.
    pub fn products_f32(&self, parts: &mut [(WeightView, &mut [f32])], x: &[f32], n: usize) {
        for (w, y) in parts.iter_mut() {
            assert_eq!((x.len(), y.len()), (n * w.cols, n * w.rows));
            if w.cols == 0 {
                y.fill(0.0);
            }
        }
        self.products(parts, n, |lanes, parts, groups| {
            with_lanes(lanes, FloatShare { parts, groups, x, n });
        });
    }

    /// [`Kernels::product_q8`] of several weights with the same input, in one fork and join.
    ///
    /// # Panics
    /// As `product_q8`.
    pub fn products_q8(&self, parts: &mut [(WeightView, &mut [f32])], x: &QuantizedRows) {
        for (w, y) in parts.iter_mut() {
            assert!(quantized(w.ty), "{} holds no integers", w.ty.name());
            assert_eq!((x.k, y.len()), (w.cols, x.n * w.rows));
            if w.cols == 0 {
                y.fill(0.0);
            }
        }
        self.products(parts, x.n, |lanes, parts, groups| {
            with_lanes(lanes, IntegerShare { parts, groups, x });
        });
    }

    /// Numbers the row groups of all parts and runs `share` on each worker's range of them.
    fn products(
        &self,
        parts: &mut [(WeightView, &mut [f32])],
        n: usize,
        share: impl Fn(&Kernels, &[Part], std::ops::Range<usize>) + Sync,
    ) {
        let (mut groups, mut work) = (0, 0);
        let mut numbered = Vec::with_capacity(parts.len());
        for (w, y) in parts {
            let first = groups;
            groups += w.rows.div_ceil(16);
            work += w.rows * w.cols * n;
            numbered.push(Part { w: *w, y: DisjointMut::new(y), first });
        }
        let grain = if groups >= 4 * share::PANEL_GROUPS * self.pool.threads() {
            share::PANEL_GROUPS
        } else {
            1
        };
        self.fork(work, &|worker, workers| {
            share(self, &numbered, split(groups, worker, workers, grain));
        });
    }

    /// Runs `f` on every worker, or all of it here where the work is small.
    fn fork(&self, work: usize, f: &(dyn Fn(usize, usize) + Sync)) {
        if work < SMALL { f(0, 1) } else { self.pool.run(f) }
    }
}

/// Runs a share with the operations of the kernels' instruction set.
fn with_lanes<T: Task>(kernels: &Kernels, share: T) {
    match kernels.isa {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Kernels` with this instruction set is only made where it is available.
        Isa::Avx2 => share.run(unsafe { x86::Avx2::new() }),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Isa::Avx512 => share.run(unsafe { x86::Avx512::new() }),
        _ => share.run(Portable),
    }
}
