//! Attention over paged keys and values (section 7 of `docs/numerics.md`).
//!
//! The queries of one key/value head and a few rows form a *tile*: they meet a page together, so its
//! numbers are read and widened once for all of them. A page gives each query a *chunk result*
//! (maximum, sum, weighted values); chunk results are folded in ascending order of pages. With many
//! tiles the workers share tiles; with few (one token) they share (tile, page) items and the results
//! are folded afterwards. Neither changes any step of any query.

mod chunk;

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Kernels;
use crate::kv::{KvType, LayerKv, PAGE};
use crate::pool::{DisjointMut, split};
use crate::rows::GRAIN;
use chunk::{Chunk, HEADER, chunk_results, finish, fold, pack_queries, widen};

/// Queries that a tile aims at.
const TILE: usize = 32;

/// Numbers of chunk results kept at a time (4 MiB) while pages are shared; they grow with the context
/// otherwise. Small in tests, so that they see more than one batch.
const BATCH: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

/// Products in one plain element's worth of work, for comparison with [`GRAIN`].
const PRODUCTS: usize = 4;

/// What a query sees, and the factor of its scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttentionSpec {
    /// Factor of each score: `f32(1 / sqrt(f64(key_dim)))` unless the model says otherwise.
    pub scale: f32,
    /// Keys that a query sees at most, its own included: those with `j > position - window`.
    pub window: Option<usize>,
    /// Whether a query sees no key behind its own position.
    pub causal: bool,
}

impl AttentionSpec {
    /// The positions that the query at `position` sees of the keys `0..len`. Both ends grow with
    /// the position.
    pub fn visible(&self, position: usize, len: usize) -> Range<usize> {
        let end = if self.causal { len.min(position + 1) } else { len };
        let start = match self.window {
            Some(window) => (position + 1).saturating_sub(window),
            None => 0,
        };
        start.min(end)..end
    }
}

impl Kernels {
    /// Attention of rows at the absolute positions from `first` on over the keys at `0..len`.
    ///
    /// `q` is `[n][heads * key_dim]`, `out` `[n][heads * value_dim]`; head h uses the key/value head
    /// `h / (heads / kv_heads)`. Pages that no query sees are not read and may be absent.
    ///
    /// # Panics
    ///
    /// When the lengths do not fit each other, a query sees no key, or a page that is seen is absent.
    pub fn attention(
        &self,
        q: &[f32],
        heads: usize,
        kv: &LayerKv,
        first: usize,
        len: usize,
        spec: AttentionSpec,
        out: &mut [f32],
    ) {
        if q.is_empty() {
            return;
        }
        let call = Call::new(q, heads, kv, first, len, spec, out.len());
        let work = call.n * call.heads * (call.pages(0..call.n).len() * PAGE) * call.row_cost();
        let workers = if work / PRODUCTS <= GRAIN { 1 } else { self.pool.threads() };
        let out = DisjointMut::new(out);
        if workers > 1 && call.tiles() < 4 * workers && call.pages(0..call.n).len() > 1 {
            call.share_pages(self, &out);
        } else if workers > 1 && call.tiles() > 1 {
            let next = AtomicUsize::new(0);
            self.pool.run(&|_, _| {
                with_scratch(&PAGES, call.scratch_len(), |scratch| {
                    loop {
                        let taken = next.fetch_add(1, Ordering::Relaxed);
                        if taken >= call.tiles() {
                            break;
                        }
                        // The last rows see the most keys: long tiles first.
                        call.whole_tile(self, call.tiles() - 1 - taken, scratch, &out);
                    }
                });
            });
        } else {
            with_scratch(&PAGES, call.scratch_len(), |scratch| {
                (0..call.tiles()).for_each(|tile| call.whole_tile(self, tile, scratch, &out));
            });
        }
    }
}

thread_local! {
    /// Widened pages, packed queries and results of this thread, kept from call to call.
    static PAGES: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
    /// Chunk results of a call whose pages are shared, on the thread that called.
    static RESULTS: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Calls `f` with `len` numbers of working memory, of any content.
fn with_scratch<R>(
    kept: &'static std::thread::LocalKey<Cell<Vec<f32>>>,
    len: usize,
    f: impl FnOnce(&mut [f32]) -> R,
) -> R {
    let mut scratch = kept.take();
    if scratch.len() < len {
        scratch.resize(len, 0.0);
    }
    let result = f(&mut scratch[..len]);
    kept.set(scratch);
    result
}

/// The sizes of one call, checked.
struct Call<'a> {
    q: &'a [f32],
    kv: &'a LayerKv,
    spec: AttentionSpec,
    first: usize,
    len: usize,
    n: usize,
    heads: usize,
    kv_heads: usize,
    /// Query heads of one key/value head.
    group: usize,
    key_dim: usize,
    value_dim: usize,
    /// Rows of a tile.
    tile_rows: usize,
}

/// The working memory of one worker.
struct Scratch<'s> {
    keys: &'s mut [f32],
    values: &'s mut [f32],
    packed: &'s mut [f32],
    /// Results of one chunk.
    chunk: &'s mut [f32],
    /// The chunks so far.
    so_far: &'s mut [f32],
}

impl<'a> Call<'a> {
    fn new(
        q: &'a [f32],
        heads: usize,
        kv: &'a LayerKv,
        first: usize,
        len: usize,
        spec: AttentionSpec,
        out_len: usize,
    ) -> Self {
        let shape = *kv.shape();
        let (kv_heads, key_dim, value_dim) = (shape.kv_heads, shape.key_dim, shape.value_dim);
        assert!(kv_heads > 0 && key_dim > 0 && heads > 0, "attention without heads");
        assert!(heads.is_multiple_of(kv_heads), "{heads} heads do not share {kv_heads}");
        let n = q.len() / (heads * key_dim);
        assert_eq!(q.len(), n * heads * key_dim, "queries are not whole rows");
        assert_eq!(out_len, n * heads * value_dim, "one output for each query");
        // Both ends of what is visible grow with the position, but an empty range may stand
        // anywhere: check each row.
        for position in first..first + n {
            assert!(!spec.visible(position, len).is_empty(), "position {position} sees no key");
        }
        let group = heads / kv_heads;
        let tile_rows = (TILE / group).max(1);
        Call { q, kv, spec, first, len, n, heads, kv_heads, group, key_dim, value_dim, tile_rows }
    }

    /// Products of one query with one key and its value.
    fn row_cost(&self) -> usize {
        self.key_dim + self.value_dim
    }

    /// Tiles are numbered with the rows outside and the key/value heads inside.
    fn tiles(&self) -> usize {
        self.n.div_ceil(self.tile_rows) * self.kv_heads
    }

    /// Rows and key/value head of a tile.
    fn tile(&self, tile: usize) -> (Range<usize>, usize) {
        let start = tile / self.kv_heads * self.tile_rows;
        (start..self.n.min(start + self.tile_rows), tile % self.kv_heads)
    }

    /// Pages that the queries of `rows` see.
    fn pages(&self, rows: Range<usize>) -> Range<usize> {
        let start = self.spec.visible(self.first + rows.start, self.len).start;
        let end = self.spec.visible(self.first + rows.end - 1, self.len).end;
        start / PAGE..end.div_ceil(PAGE)
    }

    /// Numbers of the result of one query and chunk.
    fn stride(&self) -> usize {
        HEADER + self.value_dim
    }

    /// Queries of a full tile.
    fn tile_queries(&self) -> usize {
        self.tile_rows.min(self.n) * self.group
    }

    /// Numbers of the results of a full tile in one chunk.
    fn place(&self) -> usize {
        self.tile_queries() * self.stride()
    }

    fn scratch_len(&self) -> usize {
        PAGE * (self.key_dim + self.value_dim)
            + self.tile_queries() * (self.key_dim + 2 * self.stride())
    }

    fn scratch<'s>(&self, numbers: &'s mut [f32]) -> Scratch<'s> {
        let queries = self.tile_queries();
        let (keys, rest) = numbers.split_at_mut(PAGE * self.key_dim);
        let (values, rest) = rest.split_at_mut(PAGE * self.value_dim);
        let (packed, rest) = rest.split_at_mut(queries * self.key_dim);
        let (chunk, so_far) = rest.split_at_mut(queries * self.stride());
        Scratch { keys, values, packed, chunk, so_far }
    }

    /// Writes the chunk results of a tile's queries in one page.
    fn chunk(
        &self,
        kernels: &Kernels,
        (rows, kv_head): (Range<usize>, usize),
        page: usize,
        packed: &[f32],
        widened: (&mut [f32], &mut [f32]),
        results: &mut [f32],
    ) {
        let (keys, values): (&[f32], &[f32]) = match self.kv.shape().ty {
            KvType::F32 => self.kv.head(page, kv_head),
            KvType::F16 => {
                let (keys, values) = self.kv.head(page, kv_head);
                widen(kernels, keys, widened.0);
                widen(kernels, values, widened.1);
                (widened.0, widened.1)
            }
        };
        let chunk = Chunk {
            keys,
            values,
            packed,
            key_dim: self.key_dim,
            value_dim: self.value_dim,
            scale: self.spec.scale,
        };
        let visible = |query: usize| self.in_page(rows.start + query / self.group, page);
        chunk_results(kernels, &chunk, &visible, results);
    }

    /// Positions within `page` that the query of `row` sees.
    fn in_page(&self, row: usize, page: usize) -> Range<usize> {
        let visible = self.spec.visible(self.first + row, self.len);
        let (start, end) = (page * PAGE, (page + 1) * PAGE);
        visible.start.clamp(start, end) - start..visible.end.clamp(start, end) - start
    }

    /// Copies the queries of a tile into the order that the chunk kernel reads.
    fn pack(&self, (rows, kv_head): (Range<usize>, usize), packed: &mut [f32]) {
        let (group, key_dim) = (self.group, self.key_dim);
        pack_queries(rows.len() * group, key_dim, packed, |query| {
            let (row, head) = (rows.start + query / group, kv_head * group + query % group);
            &self.q[(row * self.heads + head) * key_dim..][..key_dim]
        });
    }

    /// Divides the results of a tile's queries by their sums and writes them out.
    fn write(
        &self,
        kernels: &Kernels,
        (rows, kv_head): (Range<usize>, usize),
        results: &[f32],
        out: &DisjointMut<f32>,
    ) {
        for (row, results) in rows.zip(results.chunks_exact(self.group * self.stride())) {
            let start = (row * self.heads + kv_head * self.group) * self.value_dim;
            // SAFETY: each tile is written once, and the rows and heads of tiles do not overlap.
            let out = unsafe { out.slice(start..start + self.group * self.value_dim) };
            finish(kernels, results, out, self.value_dim);
        }
    }

    /// A tile from its first page to its last.
    fn whole_tile(
        &self,
        kernels: &Kernels,
        tile: usize,
        scratch: &mut [f32],
        out: &DisjointMut<f32>,
    ) {
        let (rows, kv_head) = self.tile(tile);
        let queries = rows.len() * self.group;
        let scratch = self.scratch(scratch);
        let chunk = &mut scratch.chunk[..queries * self.stride()];
        let so_far = &mut scratch.so_far[..queries * self.stride()];
        self.pack((rows.clone(), kv_head), scratch.packed);
        so_far.fill(f32::NEG_INFINITY);
        for page in self.pages(rows.clone()) {
            let widened = (&mut *scratch.keys, &mut *scratch.values);
            self.chunk(kernels, (rows.clone(), kv_head), page, scratch.packed, widened, chunk);
            fold(kernels, so_far, chunk, self.stride());
        }
        self.write(kernels, (rows, kv_head), so_far, out);
    }

    /// Few tiles: the workers share (tile, page) items, in batches whose results fit [`BATCH`], and
    /// fold each batch.
    fn share_pages(&self, kernels: &Kernels, out: &DisjointMut<f32>) {
        let tiles: Vec<_> = (0..self.tiles()).map(|tile| self.tile(tile)).collect();
        let items: Vec<(usize, usize)> = tiles
            .iter()
            .enumerate()
            .flat_map(|(tile, (rows, _))| self.pages(rows.clone()).map(move |page| (tile, page)))
            .collect();
        // Every item and every tile has the place of a full tile's results.
        let place = self.place();
        let results_of = |rows: &Range<usize>| rows.len() * self.group * self.stride();
        let batch = (BATCH / place).max(kernels.pool.threads()).min(items.len());
        with_scratch(&RESULTS, (tiles.len() + batch) * place, |numbers| {
            let (so_far, results) = numbers.split_at_mut(tiles.len() * place);
            so_far.fill(f32::NEG_INFINITY);
            for items in items.chunks(batch) {
                let results_parts = DisjointMut::new(results);
                kernels.pool.run(&|worker, workers| {
                    with_scratch(&PAGES, self.scratch_len(), |scratch| {
                        let scratch = self.scratch(scratch);
                        let mut packed_tile = usize::MAX;
                        for item in split(items.len(), worker, workers, 1) {
                            let (tile, page) = items[item];
                            let (rows, kv_head) = tiles[tile].clone();
                            if packed_tile != tile {
                                self.pack((rows.clone(), kv_head), scratch.packed);
                                packed_tile = tile;
                            }
                            let part = item * place..item * place + results_of(&rows);
                            // SAFETY: each item is one worker's, and has its own place.
                            let results = unsafe { results_parts.slice(part) };
                            let widened = (&mut *scratch.keys, &mut *scratch.values);
                            let tile = (rows, kv_head);
                            self.chunk(kernels, tile, page, scratch.packed, widened, results);
                        }
                    });
                });
                let so_far = DisjointMut::new(so_far);
                let fold_tiles = |worker: usize, workers: usize| {
                    let (from, to) = (items[0].0, items[items.len() - 1].0 + 1);
                    let mine = split(to - from, worker, workers, 1);
                    let mine = from + mine.start..from + mine.end;
                    for (item, (tile, _)) in items.iter().enumerate() {
                        if mine.contains(tile) {
                            let size = results_of(&tiles[*tile].0);
                            let part = tile * place..tile * place + size;
                            // SAFETY: each tile is one worker's, and has its own place.
                            let so_far = unsafe { so_far.slice(part) };
                            let chunk = &results[item * place..][..size];
                            fold(kernels, so_far, chunk, self.stride());
                        }
                    }
                };
                match items.len() * place > GRAIN {
                    true => kernels.pool.run(&fold_tiles),
                    false => fold_tiles(0, 1),
                }
            }
            for (tile, so_far) in tiles.into_iter().zip(so_far.chunks_exact(place)) {
                let size = results_of(&tile.0);
                self.write(kernels, tile, &so_far[..size], out);
            }
        });
    }
}

#[cfg(test)]
mod tests;
