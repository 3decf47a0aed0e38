//! Products in float order (`docs/numerics.md` section 5.1).

use super::share::Place;
use super::lanes::{Lanes, MAX_COLUMNS, MAX_GROUPS, Shape, Task};
use super::tile::{Form, Tile};
use std::marker::PhantomData;
use synapse_format::TensorType;

/// Weights of a row that are expanded at a time; [`super::PANEL_GROUPS`] groups of them, 16 KB,
/// stay in the first cache.
pub(super) const STEP: usize = 64;

/// Expanded weights of sixteen rows, `[k][row]`.
pub(super) type Expanded = [[f32; 16]; STEP];

/// Expands runs of quantized weights (section 4). `tiles` are at most `STEP / 32`.
pub(super) struct ExpandTiles<'a, F> {
    pub tiles: &'a [Tile],
    pub to: &'a mut Expanded,
    pub form: PhantomData<F>,
}

impl<F: Form> Task for ExpandTiles<'_, F> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        for (tile, to) in self.tiles.iter().zip(self.to.as_chunks_mut::<32>().0) {
            let d = lanes.load(&tile.d);
            let offset = lanes.splat_int(-F::OFFSET);
            for j in 0..8 {
                let codes = lanes.load_codes(&tile.codes[j]);
                for i in 0..4 {
                    let q = lanes.float(lanes.add_int(lanes.byte(codes, i as u32), offset));
                    let value = if F::MINIMUM {
                        // The product is exact, so one rounding is what section 4 says.
                        lanes.fma(q, d, lanes.load(&tile.m))
                    } else if F::PAIR {
                        let sc = lanes.float(lanes.load_int(&tile.sc[j / 4]));
                        lanes.mul(lanes.mul(d, sc), q)
                    } else {
                        lanes.mul(q, d)
                    };
                    lanes.store(value, &mut to[4 * j + i]);
                }
            }
        }
    }
}

/// Expands `count` (at most [`STEP`]) weights of a float type, from weight `first` on.
pub(super) struct ExpandFloats<'a> {
    pub ty: TensorType,
    /// The rows' bytes.
    pub rows: &'a [&'a [u8]; 16],
    pub first: usize,
    pub count: usize,
    pub to: &'a mut Expanded,
}

impl Task for ExpandFloats<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let size = self.ty.block_bytes() as usize;
        let mut stage = [[[0u32; 8]; 16]; STEP / 8];
        for row in 0..16 {
            let bytes = &self.rows[row][self.first * size..][..self.count * size];
            match self.ty {
                TensorType::F32 => {
                    let words: &[[u8; 4]] = bytes.as_chunks().0;
                    for (i, word) in words.iter().enumerate() {
                        stage[i / 8][row][i % 8] = u32::from_le_bytes(*word);
                    }
                }
                TensorType::BF16 => {
                    let halves: &[[u8; 2]] = bytes.as_chunks().0;
                    for (i, half) in halves.iter().enumerate() {
                        stage[i / 8][row][i % 8] = u32::from(u16::from_le_bytes(*half)) << 16;
                    }
                }
                _ => {
                    let halves: &[[u8; 2]] = bytes.as_chunks().0;
                    for (i, halves) in halves.chunks(16).enumerate() {
                        let mut bits = [0u16; 16];
                        for (bits, half) in bits.iter_mut().zip(halves) {
                            *bits = u16::from_le_bytes(*half);
                        }
                        let mut floats = [0.0f32; 16];
                        lanes.store(lanes.halves(&bits), &mut floats);
                        for (l, float) in floats.iter().enumerate() {
                            stage[2 * i + l / 8][row][l % 8] = float.to_bits();
                        }
                    }
                }
            }
        }
        for (stage, to) in stage.iter().zip(self.to.as_chunks_mut::<8>().0) {
            lanes.transpose(stage, bytemuck::cast_mut(to));
        }
    }
}

/// Adds `count` weights to the sums of `S::GROUPS` row groups and `S::COLUMNS` columns.
pub(super) struct FloatTile<'a, S> {
    /// `[group]`.
    pub panel: &'a [Expanded],
    /// Weights that count, and which weight of the row the first is.
    pub count: usize,
    pub first: usize,
    /// `[n][k]`.
    pub x: &'a [f32],
    pub k: usize,
    pub column: usize,
    pub place: Place<'a>,
    pub shape: PhantomData<S>,
}

impl<S: Shape> Task for FloatTile<'_, S> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        assert!(self.panel.len() >= S::GROUPS && self.count <= STEP);
        let mut x: [&[f32]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
        for c in 0..S::COLUMNS {
            x[c] = &self.x[(self.column + c) * self.k + self.first..][..self.count];
        }
        let mut acc = [[lanes.splat(0.0); MAX_COLUMNS]; MAX_GROUPS];
        if self.first > 0 {
            for g in 0..S::GROUPS {
                for c in 0..S::COLUMNS {
                    acc[g][c] = lanes.load(self.place.lanes(g, self.column + c));
                }
            }
        }
        for k in 0..self.count {
            let mut w = [lanes.splat(0.0); MAX_GROUPS];
            for g in 0..S::GROUPS {
                w[g] = lanes.load(&self.panel[g][k]);
            }
            for c in 0..S::COLUMNS {
                let x = lanes.splat(x[c][k]);
                for g in 0..S::GROUPS {
                    acc[g][c] = lanes.fma(w[g], x, acc[g][c]);
                }
            }
        }
        for g in 0..S::GROUPS {
            for c in 0..S::COLUMNS {
                lanes.store(acc[g][c], self.place.lanes(g, self.column + c));
            }
        }
    }
}
