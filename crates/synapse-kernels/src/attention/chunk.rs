//! One page for the queries of a tile, and the folding of its results.
//!
//! A *result* of a query is `[maximum, sum, values…]`. A sum of −infinity, which no sum of
//! exponentials can be, says that no key has been seen.

use std::array::from_ref;
use std::ops::Range;

use half::f16;
use half::slice::HalfFloatSliceExt;

use crate::Kernels;
use crate::isa::compiled_for_each_isa;
use crate::kv::PAGE;
use crate::reference::functions::lane_sum;
use crate::rows::exp;

/// Numbers of a result before its values: the maximum and the sum.
pub(super) const HEADER: usize = 2;

/// The sum of a result that has seen no key.
const NONE: f32 = f32::NEG_INFINITY;

/// Queries that go through the page together: each number of the page is loaded once for all.
const BLOCK: usize = 4;

/// One page of one key/value head, and the queries of a tile.
pub(super) struct Chunk<'a> {
    /// `[key_dim][64]`.
    pub keys: &'a [f32],
    /// `[64][value_dim]`.
    pub values: &'a [f32],
    /// As [`pack_queries`] writes them.
    pub packed: &'a [f32],
    pub key_dim: usize,
    pub value_dim: usize,
    pub scale: f32,
}

/// Writes `queries` queries in blocks of four (the last may be smaller), each `[key_dim][block]`.
pub(super) fn pack_queries<'q>(
    queries: usize,
    key_dim: usize,
    packed: &mut [f32],
    query: impl Fn(usize) -> &'q [f32],
) {
    for start in (0..queries).step_by(BLOCK) {
        let block = BLOCK.min(queries - start);
        let packed = &mut packed[start * key_dim..][..block * key_dim];
        for i in 0..block {
            for (to, &number) in packed[i..].iter_mut().step_by(block).zip(query(start + i)) {
                *to = number;
            }
        }
    }
}

compiled_for_each_isa! {
    /// Writes the result of each query in the chunk. `visible` gives the keys of the page that a
    /// query sees, possibly none.
    fn chunk_results(
        chunk: &Chunk<'_>,
        visible: &dyn Fn(usize) -> Range<usize>,
        results: &mut [f32],
    ) = chunk_results_body::<16>, avx512 = chunk_results_body::<64>
}

/// `WIDE` is how many neighbouring scores or values of each query of a block are kept in registers.
#[inline(always)]
fn chunk_results_body<const WIDE: usize>(
    chunk: &Chunk<'_>,
    visible: &dyn Fn(usize) -> Range<usize>,
    results: &mut [f32],
) {
    let stride = HEADER + chunk.value_dim;
    let mut first = 0;
    for results in results.chunks_mut(BLOCK * stride) {
        match results.len() / stride {
            4 => block::<4, WIDE>(chunk, first, visible, results),
            3 => block::<3, WIDE>(chunk, first, visible, results),
            2 => block::<2, WIDE>(chunk, first, visible, results),
            _ => block::<1, WIDE>(chunk, first, visible, results),
        }
        first += BLOCK;
    }
}

#[inline(always)]
fn block<const N: usize, const WIDE: usize>(
    chunk: &Chunk<'_>,
    first: usize,
    visible: &dyn Fn(usize) -> Range<usize>,
    results: &mut [f32],
) {
    let stride = HEADER + chunk.value_dim;
    let mut seen: [Range<usize>; N] = [const { 0..0 }; N];
    for (i, seen) in seen.iter_mut().enumerate() {
        *seen = visible(first + i);
    }
    let packed = &chunk.packed[first * chunk.key_dim..][..N * chunk.key_dim];
    let mut weights = [[0.0f32; PAGE]; N];
    scores::<N, WIDE>(packed, chunk.keys, chunk.scale, &mut weights);
    for i in 0..N {
        let header = &mut results[i * stride..][..HEADER];
        (header[0], header[1]) = softmax(&mut weights[i], &seen[i]);
    }

    // Keys that all queries of the block see go through together; the others, where the block meets
    // the edge of what is visible, query by query. Each query meets its keys in ascending order.
    let start = seen.iter().map(|seen| seen.start).max().unwrap_or(0);
    let end = seen.iter().map(|seen| seen.end).min().unwrap_or(0);
    let shared = if start < end { start..end } else { 0..0 };
    for i in 0..N {
        let values = &mut results[i * stride + HEADER..][..chunk.value_dim];
        values.fill(0.0);
        let before = if shared.is_empty() { seen[i].clone() } else { seen[i].start..start };
        weigh::<1, WIDE>(
            from_ref(&weights[i]),
            chunk,
            before,
            &mut results[i * stride..][..stride],
        );
    }
    if !shared.is_empty() {
        weigh::<N, WIDE>(&weights, chunk, shared, results);
        for i in 0..N {
            let results = &mut results[i * stride..][..stride];
            weigh::<1, WIDE>(from_ref(&weights[i]), chunk, end..seen[i].end, results);
        }
    }
}

/// `scores[i][j] = (Σ_d q[i][d] keys[d][j]) * scale`, for all 64 keys: those that a query does not
/// see are masked afterwards.
#[inline(always)]
fn scores<const N: usize, const WIDE: usize>(
    packed: &[f32],
    keys: &[f32],
    scale: f32,
    scores: &mut [[f32; PAGE]; N],
) {
    let (queries, _) = packed.as_chunks::<N>();
    let (keys, _) = keys.as_chunks::<PAGE>();
    for start in (0..PAGE).step_by(WIDE) {
        let mut acc = [[0.0f32; WIDE]; N];
        for (query, keys) in queries.iter().zip(keys) {
            let keys = &keys[start..start + WIDE];
            for i in 0..N {
                for l in 0..WIDE {
                    acc[i][l] = query[i].mul_add(keys[l], acc[i][l]);
                }
            }
        }
        for i in 0..N {
            for l in 0..WIDE {
                scores[i][start + l] = acc[i][l] * scale;
            }
        }
    }
}

/// Turns the scores of a query into weights (zero where it sees no key) and returns their maximum
/// and sum.
#[inline(always)]
fn softmax(scores: &mut [f32; PAGE], seen: &Range<usize>) -> (f32, f32) {
    if seen.is_empty() {
        return (f32::NEG_INFINITY, NONE);
    }
    let (start, end) = (seen.start as u32, seen.end as u32);
    let is_seen = |j: usize| (j as u32 >= start) & ((j as u32) < end);
    // A maximum does not depend on the order (its zero may have either sign, which is lost in the
    // subtraction), so it is taken in lanes.
    let mut highest = [f32::NEG_INFINITY; 16];
    for step in 0..PAGE / 16 {
        for l in 0..16 {
            let score = scores[step * 16 + l];
            highest[l] =
                if is_seen(step * 16 + l) & (score > highest[l]) { score } else { highest[l] };
        }
    }
    let mut maximum = f32::NEG_INFINITY;
    for highest in highest {
        maximum = if highest > maximum { highest } else { maximum };
    }
    for (j, score) in scores.iter_mut().enumerate() {
        let weight = exp(*score - maximum);
        *score = if is_seen(j) { weight } else { 0.0 };
    }
    // Adding +0 for an unseen key changes no bit: a lane is +0, positive or NaN.
    let mut lanes = [0.0f32; 16];
    for step in 0..PAGE / 16 {
        for l in 0..16 {
            lanes[l] += scores[step * 16 + l];
        }
    }
    (maximum, lane_sum(lanes))
}

/// Adds the values of the keys `seen`, weighted, to the values of `N` results.
#[inline(always)]
fn weigh<const N: usize, const WIDE: usize>(
    weights: &[[f32; PAGE]; N],
    chunk: &Chunk<'_>,
    seen: Range<usize>,
    results: &mut [f32],
) {
    if seen.is_empty() {
        return;
    }
    let dim = chunk.value_dim;
    let values = &chunk.values[seen.start * dim..seen.end * dim];
    let mut d = 0;
    while d + WIDE <= dim {
        weigh_dims::<N, WIDE>(weights, values, dim, seen.start, d, results);
        d += WIDE;
    }
    while d + 16 <= dim {
        weigh_dims::<N, 16>(weights, values, dim, seen.start, d, results);
        d += 16;
    }
    while d + 8 <= dim {
        weigh_dims::<N, 8>(weights, values, dim, seen.start, d, results);
        d += 8;
    }
    while d < dim {
        weigh_dims::<N, 1>(weights, values, dim, seen.start, d, results);
        d += 1;
    }
}

/// [`weigh`] for the dimensions `d..d + WIDE`.
#[inline(always)]
fn weigh_dims<const N: usize, const WIDE: usize>(
    weights: &[[f32; PAGE]; N],
    values: &[f32],
    dim: usize,
    first: usize,
    d: usize,
    results: &mut [f32],
) {
    let stride = HEADER + dim;
    let mut acc = [[0.0f32; WIDE]; N];
    for i in 0..N {
        acc[i].copy_from_slice(&results[i * stride + HEADER + d..][..WIDE]);
    }
    for (values, j) in values.chunks_exact(dim).zip(first..PAGE) {
        let values = &values[d..d + WIDE];
        for i in 0..N {
            let weight = weights[i][j];
            for l in 0..WIDE {
                acc[i][l] = weight.mul_add(values[l], acc[i][l]);
            }
        }
    }
    for i in 0..N {
        results[i * stride + HEADER + d..][..WIDE].copy_from_slice(&acc[i]);
    }
}

compiled_for_each_isa! {
    /// Folds the results of the next chunk into those of the chunks before it.
    fn fold(so_far: &mut [f32], chunk: &[f32], stride: usize) = fold_body
}

#[inline(always)]
fn fold_body(so_far: &mut [f32], chunk: &[f32], stride: usize) {
    for (so_far, chunk) in so_far.chunks_exact_mut(stride).zip(chunk.chunks_exact(stride)) {
        let (maximum, sum) = (so_far[0], so_far[1]);
        let (chunk_maximum, chunk_sum) = (chunk[0], chunk[1]);
        if chunk_sum == NONE {
            continue;
        }
        if sum == NONE {
            so_far.copy_from_slice(chunk);
            continue;
        }
        let highest = if chunk_maximum > maximum { chunk_maximum } else { maximum };
        let a = exp(maximum - highest);
        let b = exp(chunk_maximum - highest);
        so_far[0] = highest;
        // The sum, then the values: the same step for all.
        for (so_far, &chunk) in so_far[1..].iter_mut().zip(&chunk[1..]) {
            *so_far = b.mul_add(chunk, a * *so_far);
        }
    }
}

compiled_for_each_isa! {
    /// Writes the values of each result, divided by its sum.
    fn finish(results: &[f32], out: &mut [f32], value_dim: usize) = finish_body
}

#[inline(always)]
fn finish_body(results: &[f32], out: &mut [f32], value_dim: usize) {
    if value_dim == 0 {
        return;
    }
    let results = results.chunks_exact(HEADER + value_dim);
    for (result, out) in results.zip(out.chunks_exact_mut(value_dim)) {
        let r = 1.0 / result[1];
        for (out, &value) in out.iter_mut().zip(&result[HEADER..]) {
            *out = value * r;
        }
    }
}

/// f16 to f32, exact.
pub(super) fn widen(kernels: &Kernels, from: &[f16], to: &mut [f32]) {
    let to = &mut to[..from.len()];
    match kernels.isa {
        #[cfg(target_arch = "x86_64")]
        crate::Isa::Avx2 | crate::Isa::Avx512 => {
            let (from, from_rest) = from.as_chunks::<8>();
            let (to, to_rest) = to.as_chunks_mut::<8>();
            // SAFETY: a `Kernels` with one of these instruction sets is only made where F16C is
            // available.
            unsafe { widen_f16c(from, to) };
            to_rest.iter_mut().zip(from_rest).for_each(|(to, from)| *to = from.to_f32());
        }
        _ => from.convert_to_f32_slice(to),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx,f16c")]
fn widen_f16c(from: &[[f16; 8]], to: &mut [[f32; 8]]) {
    use std::arch::x86_64::{_mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps};
    for (from, to) in from.iter().zip(to) {
        // SAFETY: 16 bytes are read from the eight f16 and 32 written to the eight f32.
        unsafe {
            let eight = _mm_loadu_si128(from.as_ptr().cast());
            _mm256_storeu_ps(to.as_mut_ptr(), _mm256_cvtph_ps(eight));
        }
    }
}
