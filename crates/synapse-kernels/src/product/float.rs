//! Products in float order (`docs/numerics.md` section 5.1).

use super::lanes::{Lanes, MAX_COLUMNS, MAX_GROUPS, Shape, Task};
use super::share::Place;
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
        // `[eighth of the step][row]`
        let mut stage = [[[0u32; 8]; 16]; STEP / 8];
        for row in 0..16 {
            let bytes = &self.rows[row][self.first * size..][..self.count * size];
            match self.ty {
                TensorType::F32 => {
                    let (eights, rest) = bytes.as_chunks::<32>();
                    for (i, eight) in eights.iter().enumerate() {
                        stage[i][row] = bytemuck::cast(*eight);
                    }
                    if !rest.is_empty() {
                        stage[eights.len()][row] = bytemuck::cast(padded::<32>(rest));
                    }
                }
                TensorType::BF16 => {
                    let (eights, rest) = bytes.as_chunks::<16>();
                    for (i, eight) in eights.iter().enumerate() {
                        stage[i][row] = upper_halves(eight);
                    }
                    if !rest.is_empty() {
                        stage[eights.len()][row] = upper_halves(&padded(rest));
                    }
                }
                _ => {
                    let (sixteens, rest) = bytes.as_chunks::<32>();
                    for (i, sixteen) in sixteens.iter().enumerate() {
                        let floats = lanes.halves(&bytemuck::cast(*sixteen));
                        store_eights(lanes, floats, row, &mut stage[2 * i..]);
                    }
                    if !rest.is_empty() {
                        let floats = lanes.halves(&bytemuck::cast(padded::<32>(rest)));
                        store_eights(lanes, floats, row, &mut stage[2 * sixteens.len()..]);
                    }
                }
            }
        }
        for (stage, to) in stage.iter().zip(self.to.as_chunks_mut::<8>().0) {
            lanes.transpose(stage, bytemuck::cast_mut(to));
        }
    }
}

/// The end of a row; the zeros after it are never multiplied.
fn padded<const N: usize>(rest: &[u8]) -> [u8; N] {
    let mut whole = [0; N];
    whole[..rest.len()].copy_from_slice(rest);
    whole
}

/// Eight bf16 as the bits of f32.
#[inline(always)]
fn upper_halves(bytes: &[u8; 16]) -> [u32; 8] {
    let halves: [u16; 8] = bytemuck::cast(*bytes);
    let mut bits = [0; 8];
    for i in 0..8 {
        bits[i] = u32::from(halves[i]) << 16;
    }
    bits
}

#[inline(always)]
fn store_eights<L: Lanes>(lanes: L, floats: L::F, row: usize, stage: &mut [[[u32; 8]; 16]]) {
    let mut sixteen = [0.0f32; 16];
    lanes.store(floats, &mut sixteen);
    let eights: [[u32; 8]; 2] = bytemuck::cast(sixteen);
    stage[0][row] = eights[0];
    stage[1][row] = eights[1];
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
