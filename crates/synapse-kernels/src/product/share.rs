//! One worker's share of a product: panels of row groups, chunks of k, columns.

use super::float::{ExpandFloats, ExpandTiles, Expanded, FloatTile, STEP};
use super::integer::IntegerTile;
use super::lanes::{Grid, Lanes, Shape, Task};
use super::tile::{self, Form, Packed, RUNS, Tile, Unpack};
use crate::blocks::WeightView;
use crate::pool::DisjointMut;
use crate::quantize::QuantizedRows;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;
use synapse_format::TensorType;

/// Row groups that are unpacked together. Their tiles (about 20 KB) stay in the first cache.
pub(super) const PANEL_GROUPS: usize = 4;

/// A weight with its output.
pub(super) struct Part<'a> {
    pub w: WeightView<'a>,
    /// `[n][rows]`.
    pub y: DisjointMut<'a, f32>,
    /// Number of its first row group among those of all parts.
    pub first: usize,
}

/// Where sums wait and end: the output, or scratch for a group that reaches past the last row.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    y: &'a DisjointMut<'a, f32>,
    /// From column to column, and the place of the first group.
    stride: usize,
    at: usize,
}

impl Place<'_> {
    /// The sums of 16 rows of a column.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub fn lanes(&self, group: usize, column: usize) -> &mut [f32; 16] {
        let at = self.at + column * self.stride + 16 * group;
        // SAFETY: a group belongs to one share and each share runs on one thread, which uses one
        // part at a time (a kernel loads or stores it and lets go).
        let sums = unsafe { self.y.slice(at..at + 16) };
        sums.first_chunk_mut().expect("sixteen sums")
    }
}

/// Memory of a thread, kept from product to product.
struct Scratch {
    /// `[group][RUNS]`.
    tiles: Vec<Tile>,
    /// `[group]`.
    expanded: Vec<Expanded>,
    /// `[n][16]`.
    tail: Vec<f32>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> =
        const { RefCell::new(Scratch { tiles: vec![], expanded: vec![], tail: vec![] }) };
}

fn with_scratch(columns: usize, f: impl FnOnce(&mut Scratch)) {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.tiles.resize(PANEL_GROUPS * RUNS, Tile::EMPTY);
        scratch.expanded.resize(PANEL_GROUPS, [[0.0; 16]; STEP]);
        if scratch.tail.len() < 16 * columns {
            scratch.tail.resize(16 * columns, 0.0);
        }
        f(scratch);
    });
}

/// The row groups `groups` of a product in quantized order.
pub(super) struct IntegerShare<'a> {
    pub parts: &'a [Part<'a>],
    pub groups: Range<usize>,
    pub x: &'a QuantizedRows,
}

/// The row groups `groups` of a product in float order.
pub(super) struct FloatShare<'a> {
    pub parts: &'a [Part<'a>],
    pub groups: Range<usize>,
    /// `[n][k]`.
    pub x: &'a [f32],
    pub n: usize,
}

/// Calls `$call` with the [`Packed`] format of a quantized type.
macro_rules! with_format {
    ($ty:expr, |$format:ident| $call:expr, else $other:expr) => {
        with_format!($ty, $format, $call, $other, Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q4_K Q5_K Q6_K)
    };
    ($ty:expr, $format:ident, $call:expr, $other:expr, $($name:ident)*) => {
        match $ty {
            $(TensorType::$name => {
                type $format = tile::$name;
                $call
            })*
            _ => $other,
        }
    };
}

impl Task for IntegerShare<'_> {
    fn run<L: Lanes>(self, lanes: L) {
        with_scratch(self.x.n, |scratch| {
            for (part, groups) in of_parts(self.parts, &self.groups) {
                with_format!(
                    part.w.ty,
                    |P| integer_rows::<L, P>(lanes, part, groups, self.x, scratch),
                    else unreachable!("checked before the fork")
                );
            }
        });
    }
}

impl Task for FloatShare<'_> {
    fn run<L: Lanes>(self, lanes: L) {
        with_scratch(self.n, |scratch| {
            for (part, groups) in of_parts(self.parts, &self.groups) {
                with_format!(
                    part.w.ty,
                    |P| expanded_rows::<L, P>(lanes, part, groups, self.x, self.n, scratch),
                    else float_rows(lanes, part, groups, self.x, self.n, scratch)
                );
            }
        });
    }
}

/// The parts that have some of the numbered groups, with those groups counted from their own first.
fn of_parts<'a>(
    parts: &'a [Part<'a>],
    groups: &Range<usize>,
) -> impl Iterator<Item = (&'a Part<'a>, Range<usize>)> {
    let groups = groups.clone();
    parts.iter().filter_map(move |part| {
        let own = part.w.rows.div_ceil(16);
        let start = groups.start.max(part.first);
        let end = groups.end.min(part.first + own);
        (start < end).then(|| (part, start - part.first..end - part.first))
    })
}

/// Panels of groups: for each, its first group, its full groups, and whether a last group reaches
/// past the end of the rows.
struct Panel<'a> {
    first: usize,
    full: usize,
    tail: bool,
    /// The rows' bytes, of all groups; past the end the last row stands again.
    rows: [[&'a [u8]; 16]; PANEL_GROUPS],
}

fn panels<'a>(w: WeightView<'a>, groups: Range<usize>) -> impl Iterator<Item = Panel<'a>> {
    let end = groups.end;
    groups.step_by(PANEL_GROUPS).map(move |first| {
        let count = PANEL_GROUPS.min(end - first);
        let full = count.min(w.rows / 16 - first);
        let mut rows: [[&[u8]; 16]; PANEL_GROUPS] = [[&[]; 16]; PANEL_GROUPS];
        for (g, rows) in rows.iter_mut().enumerate().take(count) {
            for (r, row) in rows.iter_mut().enumerate() {
                *row = w.row((16 * (first + g) + r).min(w.rows - 1));
            }
        }
        Panel { first, full, tail: full < count, rows }
    })
}

impl Panel<'_> {
    fn count(&self) -> usize {
        self.full + usize::from(self.tail)
    }

    /// Runs a chunk over all groups and columns: full groups into the output, the last into `tail`.
    fn sweep<L: Lanes, C: Chunk>(
        &self,
        lanes: L,
        chunk: &C,
        part: &Part,
        tail: &DisjointMut<f32>,
        n: usize,
    ) {
        let rows = part.w.rows;
        let place = Place { y: &part.y, stride: rows, at: 16 * self.first };
        chunk.sweep(lanes, 0..self.full, n, place);
        if self.tail {
            // Groups are counted from the panel's start; the scratch holds only the last one.
            let place = Place { y: tail, stride: 16, at: 0 };
            chunk.sweep(lanes, self.full..self.full + 1, n, place);
        }
    }

    /// Copies the last group's real rows to the output.
    fn finish(&self, part: &Part, tail: &DisjointMut<f32>, n: usize) {
        if !self.tail {
            return;
        }
        let rows = part.w.rows;
        let start = 16 * (self.first + self.full);
        for c in 0..n {
            // SAFETY: these rows belong to this share, and no kernel runs now.
            let (to, from) = unsafe {
                let from = tail.slice(16 * c..16 * c + rows - start);
                (part.y.slice(c * rows + start..(c + 1) * rows), from)
            };
            to.copy_from_slice(from);
        }
    }
}

/// A chunk of k of a panel, ready for the columns.
trait Chunk {
    /// Runs the groups `groups` over the columns 0 … n − 1; `place` holds the first of them first.
    fn sweep<L: Lanes>(&self, lanes: L, groups: Range<usize>, n: usize, place: Place);

    /// One pass of shape `S` at a group and a column.
    fn pass<L: Lanes, S: Shape>(&self, lanes: L, group: usize, column: usize, place: Place);

    /// Columns in passes of `Many`, the rest one by one in passes of `Single`.
    fn grid<L: Lanes, Many: Shape, Single: Shape>(
        &self,
        lanes: L,
        groups: Range<usize>,
        n: usize,
        place: Place,
    ) {
        let mut column = 0;
        while n - column >= Many::COLUMNS {
            self.column::<L, Many>(lanes, groups.clone(), column, place);
            column += Many::COLUMNS;
        }
        while column < n {
            self.column::<L, Single>(lanes, groups.clone(), column, place);
            column += 1;
        }
    }

    /// All groups at the columns from `column` on.
    fn column<L: Lanes, S: Shape>(
        &self,
        lanes: L,
        groups: Range<usize>,
        column: usize,
        place: Place,
    ) {
        let mut group = groups.start;
        let at = |group: usize| Place { at: place.at + 16 * (group - groups.start), ..place };
        while groups.end - group >= S::GROUPS {
            self.pass::<L, S>(lanes, group, column, at(group));
            group += S::GROUPS;
        }
        while group < groups.end {
            self.pass::<L, OneGroup<S>>(lanes, group, column, at(group));
            group += 1;
        }
    }
}

/// One row group of a shape.
struct OneGroup<S>(PhantomData<S>);

impl<S: Shape> Shape for OneGroup<S> {
    const GROUPS: usize = 1;
    const COLUMNS: usize = S::COLUMNS;
}

struct IntegerChunk<'a, F> {
    tiles: &'a [Tile],
    runs: usize,
    first: usize,
    x: &'a QuantizedRows,
    form: PhantomData<F>,
}

impl<F: Form> Chunk for IntegerChunk<'_, F> {
    fn sweep<L: Lanes>(&self, lanes: L, groups: Range<usize>, n: usize, place: Place) {
        self.grid::<L, L::IntegerShape, Grid<2, 1>>(lanes, groups, n, place);
    }

    fn pass<L: Lanes, S: Shape>(&self, lanes: L, group: usize, column: usize, place: Place) {
        lanes.call(IntegerTile {
            panel: &self.tiles[group * RUNS..],
            runs: self.runs,
            first: self.first,
            x: self.x,
            column,
            place,
            kind: PhantomData::<(F, S)>,
        });
    }
}

struct FloatChunk<'a> {
    panel: &'a [Expanded],
    count: usize,
    first: usize,
    x: &'a [f32],
    k: usize,
}

impl Chunk for FloatChunk<'_> {
    fn sweep<L: Lanes>(&self, lanes: L, groups: Range<usize>, n: usize, place: Place) {
        // One column needs several groups, or it waits for each sum.
        self.grid::<L, L::FloatShape, Grid<4, 1>>(lanes, groups, n, place);
    }

    fn pass<L: Lanes, S: Shape>(&self, lanes: L, group: usize, column: usize, place: Place) {
        lanes.call(FloatTile {
            panel: &self.panel[group..],
            count: self.count,
            first: self.first,
            x: self.x,
            k: self.k,
            column,
            place,
            shape: PhantomData::<S>,
        });
    }
}

/// Unpacks the runs `first …` of a panel's groups.
fn unpack<L: Lanes, P: Packed>(
    lanes: L,
    panel: &Panel,
    first: usize,
    runs: usize,
    tiles: &mut [Tile],
) {
    for g in 0..panel.count() {
        let tiles = &mut tiles[g * RUNS..][..runs];
        lanes.call(Unpack { rows: &panel.rows[g], first, tiles, format: PhantomData::<P> });
    }
}

fn integer_rows<L: Lanes, P: Packed>(
    lanes: L,
    part: &Part,
    groups: Range<usize>,
    x: &QuantizedRows,
    scratch: &mut Scratch,
) {
    let Scratch { tiles, tail, .. } = scratch;
    let tail = DisjointMut::new(tail);
    let all = part.w.cols / 32;
    for panel in panels(part.w, groups) {
        for first in (0..all).step_by(RUNS) {
            let runs = RUNS.min(all - first);
            unpack::<L, P>(lanes, &panel, first, runs, tiles);
            let chunk = IntegerChunk { tiles, runs, first, x, form: PhantomData::<P::Form> };
            panel.sweep(lanes, &chunk, part, &tail, x.n);
        }
        panel.finish(part, &tail, x.n);
    }
}

/// Float order, weights quantized.
fn expanded_rows<L: Lanes, P: Packed>(
    lanes: L,
    part: &Part,
    groups: Range<usize>,
    x: &[f32],
    n: usize,
    scratch: &mut Scratch,
) {
    let Scratch { tiles, expanded, tail } = scratch;
    let tail = DisjointMut::new(tail);
    let k = part.w.cols;
    for panel in panels(part.w, groups) {
        for chunk in (0..k / 32).step_by(RUNS) {
            let runs = RUNS.min(k / 32 - chunk);
            unpack::<L, P>(lanes, &panel, chunk, runs, tiles);
            for run in (0..runs).step_by(STEP / 32) {
                let step = (STEP / 32).min(runs - run);
                for (g, to) in expanded.iter_mut().enumerate().take(panel.count()) {
                    let tiles = &tiles[g * RUNS + run..][..step];
                    lanes.call(ExpandTiles { tiles, to, form: PhantomData::<P::Form> });
                }
                let (first, count) = (32 * (chunk + run), 32 * step);
                let chunk = FloatChunk { panel: expanded, count, first, x, k };
                panel.sweep(lanes, &chunk, part, &tail, n);
            }
        }
        panel.finish(part, &tail, n);
    }
}

/// Float order, float weights.
fn float_rows<L: Lanes>(
    lanes: L,
    part: &Part,
    groups: Range<usize>,
    x: &[f32],
    n: usize,
    scratch: &mut Scratch,
) {
    let Scratch { expanded, tail, .. } = scratch;
    let tail = DisjointMut::new(tail);
    let (ty, k) = (part.w.ty, part.w.cols);
    for panel in panels(part.w, groups) {
        for first in (0..k).step_by(STEP) {
            let count = STEP.min(k - first);
            for (g, to) in expanded.iter_mut().enumerate().take(panel.count()) {
                lanes.call(ExpandFloats { ty, rows: &panel.rows[g], first, count, to });
            }
            let chunk = FloatChunk { panel: expanded, count, first, x, k };
            panel.sweep(lanes, &chunk, part, &tail, n);
        }
        panel.finish(part, &tail, n);
    }
}
