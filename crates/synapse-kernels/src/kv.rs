//! Pages of keys and values: 64 absolute positions each, allocated on demand, returned at once.
//!
//! A page holds the keys of all heads, then the values of all heads. Keys are `[kv_head][d][64]`:
//! the same dimension of 64 keys side by side, so that one query meets 64 keys in vector lanes.
//! Values are `[kv_head][64][d]`.

use std::ops::Range;

use half::f16;
use half::slice::HalfFloatSliceExt;

use crate::Kernels;
use crate::pool::{DisjointMut, split};
use crate::rows::GRAIN;

/// Positions in a page; also the chunk of the attention's order of summation.
pub const PAGE: usize = 64;

/// How keys and values are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KvType {
    /// binary16, rounded to nearest even when stored; what is too large becomes infinity.
    F16,
    /// binary32.
    F32,
}

/// Every type with its name.
const TYPES: [(KvType, &str); 2] = [(KvType::F16, "f16"), (KvType::F32, "f32")];

impl KvType {
    /// Bytes of one number.
    pub fn bytes(self) -> usize {
        match self {
            KvType::F16 => 2,
            KvType::F32 => 4,
        }
    }

    /// The name in settings and results: `f16` or `f32`.
    pub fn name(self) -> &'static str {
        match self {
            KvType::F16 => "f16",
            KvType::F32 => "f32",
        }
    }

    /// The type of a name that [`KvType::name`] gives.
    pub fn from_name(name: &str) -> Option<KvType> {
        TYPES.iter().find(|&&(_, known)| known == name).map(|&(ty, _)| ty)
    }
}

/// Sizes of the keys and values of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KvShape {
    /// Key/value heads.
    pub kv_heads: usize,
    /// Numbers in one key of one head.
    pub key_dim: usize,
    /// Numbers in one value of one head.
    pub value_dim: usize,
    /// How they are kept.
    pub ty: KvType,
}

impl KvShape {
    /// Bytes of one page. Saturates, so that a plan made of foreign sizes is refused as too large
    /// and never wraps.
    pub fn page_bytes(&self) -> usize {
        self.key_dim
            .saturating_add(self.value_dim)
            .saturating_mul(self.kv_heads)
            .saturating_mul(PAGE * self.ty.bytes())
    }

    /// Numbers of all keys of a page; the values begin there.
    fn keys(&self) -> usize {
        self.kv_heads * self.key_dim * PAGE
    }
}

/// One cache line: pages begin at a multiple of 64 bytes, as wide vector loads like it.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

// SAFETY: plain bytes; all zero is a value, and there is no padding.
unsafe impl bytemuck::Zeroable for Line {}
// SAFETY: plain bytes without padding, of which every pattern is a value.
unsafe impl bytemuck::Pod for Line {}

/// The keys and values of 64 positions.
#[derive(Clone)]
pub(crate) struct Page {
    lines: Vec<Line>,
}

impl Page {
    fn zeroed(shape: &KvShape) -> Page {
        let zero = bytemuck::Zeroable::zeroed();
        Page { lines: vec![zero; shape.page_bytes().div_ceil(size_of::<Line>())] }
    }

    fn numbers<T: bytemuck::Pod>(&self) -> &[T] {
        bytemuck::cast_slice(&self.lines)
    }

    fn numbers_mut<T: bytemuck::Pod>(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }
}

/// The keys and values of one layer of one session.
#[derive(Clone)]
pub struct LayerKv {
    shape: KvShape,
    pages: Vec<Option<Page>>,
}

impl LayerKv {
    /// A layer without pages.
    pub fn new(shape: KvShape) -> LayerKv {
        LayerKv { shape, pages: Vec::new() }
    }

    /// The layer's sizes.
    pub fn shape(&self) -> &KvShape {
        &self.shape
    }

    /// Makes sure that there is a page for each of `positions`. New pages are zeroed.
    pub fn reserve(&mut self, positions: Range<usize>) {
        if positions.is_empty() {
            return;
        }
        let pages = positions.start / PAGE..positions.end.div_ceil(PAGE);
        if self.pages.len() < pages.end {
            self.pages.resize_with(pages.end, || None);
        }
        for page in &mut self.pages[pages] {
            page.get_or_insert_with(|| Page::zeroed(&self.shape));
        }
    }

    /// Gives back the pages whose positions all lie before `position`: a sliding window has left
    /// them behind.
    pub fn release_before(&mut self, position: usize) {
        let pages = (position / PAGE).min(self.pages.len());
        self.pages[..pages].fill_with(|| None);
    }

    /// Forgets the positions from `len` on and gives back the pages that hold no other.
    pub fn truncate(&mut self, len: usize) {
        self.pages.truncate(len.div_ceil(PAGE));
    }

    /// Gives back all pages.
    pub fn clear(&mut self) {
        self.pages = Vec::new();
    }

    /// Pages that are allocated.
    pub fn pages_held(&self) -> usize {
        self.pages.iter().flatten().count()
    }

    /// Bytes of the pages that are allocated.
    pub fn bytes_held(&self) -> usize {
        self.pages_held() * self.shape.page_bytes()
    }

    /// Whether `position` lies in an allocated page.
    pub fn holds(&self, position: usize) -> bool {
        matches!(self.pages.get(position / PAGE), Some(Some(_)))
    }

    /// Keys (`[key_dim][64]`) and values (`[64][value_dim]`) of one head in one page, as they are
    /// stored.
    ///
    /// # Panics
    ///
    /// When the page is not there.
    pub(crate) fn head<T: bytemuck::Pod>(&self, page: usize, kv_head: usize) -> (&[T], &[T]) {
        let held = self.pages.get(page).and_then(Option::as_ref);
        let Some(held) = held else {
            panic!("page {page} of keys and values is needed but not held");
        };
        let (keys, values) = held.numbers::<T>().split_at(self.shape.keys());
        let (key_size, value_size) = (self.shape.key_dim * PAGE, self.shape.value_dim * PAGE);
        (&keys[kv_head * key_size..][..key_size], &values[kv_head * value_size..][..value_size])
    }
}

impl Kernels {
    /// Stores keys and values at the absolute positions from `first` on, allocating pages where
    /// there are none. `k` is `[n][kv_heads * key_dim]` and `v` `[n][kv_heads * value_dim]`.
    ///
    /// # Panics
    ///
    /// When the lengths are not whole rows, or differ in rows.
    pub fn kv_append(&self, kv: &mut LayerKv, first: usize, k: &[f32], v: &[f32]) {
        let shape = kv.shape;
        let (key_row, value_row) =
            (shape.kv_heads * shape.key_dim, shape.kv_heads * shape.value_dim);
        let n = k.len().checked_div(key_row).unwrap_or(0);
        assert_eq!(k.len(), n * key_row, "keys are not whole rows of {key_row}");
        assert_eq!(v.len(), n * value_row, "values are not {n} rows of {value_row}");
        if n == 0 {
            return;
        }
        let end = first + n;
        kv.reserve(first..end);
        let pages = first / PAGE..end.div_ceil(PAGE);
        let count = pages.len();
        let parts = DisjointMut::new(&mut kv.pages[pages.clone()]);
        let store = |worker: usize, workers: usize| {
            let mine = split(count, worker, workers, 1);
            // SAFETY: `split` gives each worker its own pages.
            let part = unsafe { parts.slice(mine.clone()) };
            for (page, index) in part.iter_mut().flatten().zip(pages.start + mine.start..) {
                let positions = first.max(index * PAGE)..end.min((index + 1) * PAGE);
                let rows = positions.start - first..positions.end - first;
                let k = &k[rows.start * key_row..rows.end * key_row];
                let v = &v[rows.start * value_row..rows.end * value_row];
                let offset = positions.start % PAGE;
                match shape.ty {
                    KvType::F16 => store_rows::<f16>(page, &shape, offset, k, v),
                    KvType::F32 => store_rows::<f32>(page, &shape, offset, k, v),
                }
            }
        };
        match count > 1 && k.len() + v.len() > GRAIN {
            true => self.pool.run(&store),
            false => store(0, 1),
        }
    }
}

/// A number as it is kept, made from an f32.
trait Stored: bytemuck::Pod {
    fn store(row: &[f32], to: &mut [Self]);
}

impl Stored for f32 {
    fn store(row: &[f32], to: &mut [f32]) {
        to.copy_from_slice(row);
    }
}

impl Stored for f16 {
    fn store(row: &[f32], to: &mut [f16]) {
        to.convert_from_f32_slice(row);
        for to in to {
            // Whatever its payload, a NaN is kept as the one NaN.
            *to = if to.is_nan() { f16::NAN } else { *to };
        }
    }
}

/// Stores rows of keys and values in one page, the first at `offset`.
fn store_rows<T: Stored>(page: &mut Page, shape: &KvShape, offset: usize, k: &[f32], v: &[f32]) {
    let (keys, values) = page.numbers_mut::<T>().split_at_mut(shape.keys());
    let (key_row, value_row) = (shape.kv_heads * shape.key_dim, shape.kv_heads * shape.value_dim);
    let mut row = vec![T::zeroed(); key_row];
    for (k, position) in k.chunks_exact(key_row).zip(offset..) {
        T::store(k, &mut row);
        // [kv_head][d] to [kv_head][d][64]: head and dimension are one index.
        for (&number, lane) in row.iter().zip(keys.chunks_exact_mut(PAGE)) {
            lane[position] = number;
        }
    }
    if value_row == 0 {
        return;
    }
    for (v, position) in v.chunks_exact(value_row).zip(offset..) {
        for (v, head) in
            v.chunks_exact(shape.value_dim).zip(values.chunks_exact_mut(shape.value_dim * PAGE))
        {
            T::store(v, &mut head[position * shape.value_dim..][..shape.value_dim]);
        }
    }
}

#[cfg(test)]
mod tests;
