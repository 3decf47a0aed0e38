//! Products in quantized order (`docs/numerics.md` section 5.3).

use super::lanes::{Lanes, MAX_COLUMNS, MAX_GROUPS, Shape, Task};
use super::share::Place;
use super::tile::{Form, RUNS, Tile};
use crate::quantize::QuantizedRows;
use std::marker::PhantomData;

/// Adds a chunk of runs to the sums of `S::GROUPS` row groups and `S::COLUMNS` columns.
pub(super) struct IntegerTile<'a, F, S> {
    /// `[group][RUNS]`.
    pub panel: &'a [Tile],
    /// Runs of the panel that count, and which run of the row the first is.
    pub runs: usize,
    pub first: usize,
    pub x: &'a QuantizedRows,
    pub column: usize,
    pub place: Place<'a>,
    pub kind: PhantomData<(F, S)>,
}

impl<F: Form, S: Shape> Task for IntegerTile<'_, F, S> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let blocks = self.x.k / 32;
        let panel: &[[Tile; RUNS]] = self.panel.as_chunks().0;
        assert!(panel.len() >= S::GROUPS && self.runs <= RUNS);

        // Per column: the integers, scales, sums and totals of this chunk.
        let mut q: [&[[i8; 32]]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
        let mut scale: [&[f32]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
        let mut sum: [&[f32]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
        let mut totals: [&[[i32; 2]]; MAX_COLUMNS] = [&[]; MAX_COLUMNS];
        for c in 0..S::COLUMNS {
            let at = (self.column + c) * blocks + self.first;
            q[c] = &self.x.q.as_chunks().0[at..][..self.runs];
            scale[c] = &self.x.scale[at..][..self.runs];
            sum[c] = &self.x.sum[at..][..self.runs];
            totals[c] = &self.x.totals.as_chunks().0[at..][..self.runs];
        }

        let mut acc = [[lanes.splat(0.0); MAX_COLUMNS]; MAX_GROUPS];
        if self.first > 0 {
            for g in 0..S::GROUPS {
                for c in 0..S::COLUMNS {
                    acc[g][c] = lanes.load(self.place.lanes(g, self.column + c));
                }
            }
        }
        for b in 0..self.runs {
            let mut dots = [[lanes.splat_int(0); MAX_COLUMNS]; MAX_GROUPS];
            for half in 0..2 {
                let mut part = dots;
                if F::PAIR || half == 0 {
                    for c in 0..S::COLUMNS {
                        let [low, high] = totals[c][b];
                        let total = match (F::PAIR, half) {
                            (false, _) => low + high,
                            (true, 0) => low,
                            (true, _) => high,
                        };
                        let start = lanes.splat_int(-F::OFFSET * total);
                        for g in 0..S::GROUPS {
                            part[g][c] = start;
                        }
                    }
                }
                for j in 4 * half..4 * half + 4 {
                    let mut codes = [lanes.splat_int(0); MAX_GROUPS];
                    for g in 0..S::GROUPS {
                        codes[g] = lanes.load_codes(&panel[g][b].codes[j]);
                    }
                    for c in 0..S::COLUMNS {
                        let four = &q[c][b].as_chunks::<4>().0[j];
                        let x = lanes.splat_int(i32::from_le_bytes(four.map(|q| q as u8)));
                        for g in 0..S::GROUPS {
                            part[g][c] = if F::WIDE {
                                lanes.dot_wide(part[g][c], codes[g], x)
                            } else {
                                lanes.dot(part[g][c], codes[g], x)
                            };
                        }
                    }
                }
                for g in 0..S::GROUPS {
                    for c in 0..S::COLUMNS {
                        if F::PAIR {
                            let sc = lanes.load_int(&panel[g][b].sc[half]);
                            let scaled = lanes.mul_int(sc, part[g][c]);
                            dots[g][c] = lanes.add_int(dots[g][c], scaled);
                        } else {
                            dots[g][c] = part[g][c];
                        }
                    }
                }
            }
            for g in 0..S::GROUPS {
                let d = lanes.load(&panel[g][b].d);
                for c in 0..S::COLUMNS {
                    let unit = lanes.mul(d, lanes.splat(scale[c][b]));
                    acc[g][c] = lanes.fma(unit, lanes.float(dots[g][c]), acc[g][c]);
                }
                if F::MINIMUM {
                    let m = lanes.load(&panel[g][b].m);
                    for c in 0..S::COLUMNS {
                        acc[g][c] = lanes.fma(m, lanes.splat(sum[c][b]), acc[g][c]);
                    }
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
