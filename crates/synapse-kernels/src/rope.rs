//! Rotary tables and rotation.

use crate::Kernels;
use crate::isa::compiled_for_each_isa;
use crate::pool::{DisjointMut, split};
use crate::reference::rope as reference;
use crate::rows::GRAIN;

/// Which two dimensions of a head turn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RopePairs {
    /// Dimension j with j + dims/2.
    Halves,
    /// Dimensions 2j and 2j + 1.
    Interleaved,
}

/// The inverse frequencies of a rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeTable {
    dims: usize,
    inv: Vec<f32>,
}

impl RopeTable {
    /// The table of a rotation of the first `dims` dimensions of a head: base `base`, linear scaling
    /// `scale` (positions count as `position / scale`; 1 when there is none), and a divisor for each
    /// of the `dims / 2` pairs, where the model has `factors`.
    ///
    /// # Panics
    ///
    /// When `dims` is odd or `factors` has another length than `dims / 2`.
    pub fn new(dims: usize, base: f64, scale: f64, factors: Option<&[f32]>) -> RopeTable {
        assert!(dims.is_multiple_of(2), "a rotation turns pairs, not {dims} dimensions");
        if let Some(factors) = factors {
            assert_eq!(factors.len(), dims / 2, "one factor for each pair");
        }
        let factor = |i: usize| factors.map_or(1.0, |factors| factors[i]);
        let inv = (0..dims / 2)
            .map(|i| reference::inverse_frequency(i, dims, base, scale, factor(i)))
            .collect();
        RopeTable { dims, inv }
    }

    /// Dimensions that turn; the others of a head stay as they are.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Inverse frequency of each pair, in radians a position.
    pub fn inverse_frequencies(&self) -> &[f32] {
        &self.inv
    }

    /// Writes the cosine and sine of each pair's angle at `position`; both slices have
    /// `dims / 2` elements.
    pub fn cos_sin_into(&self, position: u32, cos: &mut [f32], sin: &mut [f32]) {
        for ((&inv, cos), sin) in self.inv.iter().zip(cos).zip(sin) {
            (*cos, *sin) = reference::cos_sin(position, inv);
        }
    }
}

/// Cosines and sines of the rows of one pass, kept from one rotation to the next.
///
/// All layers turn by the same angles: with one of these for each table, the angles are computed
/// once a pass. It never goes stale: it remembers which table and positions it was made for.
#[derive(Clone, Debug, Default)]
pub struct RopeAngles {
    inv: Vec<f32>,
    positions: Vec<u32>,
    /// `[positions][pairs]`.
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl RopeAngles {
    fn prepare(&mut self, pool: &crate::Pool, table: &RopeTable, positions: &[u32]) {
        let same_table = self.inv.len() == table.inv.len()
            && self.inv.iter().zip(&table.inv).all(|(a, b)| a.to_bits() == b.to_bits());
        if same_table && self.positions == positions {
            return;
        }
        // Emptied first: a panic below must not leave angles that claim to be other ones.
        self.positions.clear();
        self.inv.clone_from(&table.inv);
        let pairs = table.inv.len();
        self.cos.clear();
        self.cos.resize(positions.len() * pairs, 0.0);
        self.sin.clear();
        self.sin.resize(positions.len() * pairs, 0.0);
        let (cos, sin) = (DisjointMut::new(&mut self.cos), DisjointMut::new(&mut self.sin));
        let fill = |worker: usize, workers: usize| {
            let rows = split(positions.len(), worker, workers, 1);
            let part = rows.start * pairs..rows.end * pairs;
            // SAFETY: `split` gives each worker its own rows.
            let (cos, sin) = unsafe { (cos.slice(part.clone()), sin.slice(part)) };
            for (i, &position) in positions[rows].iter().enumerate() {
                let row = i * pairs..(i + 1) * pairs;
                table.cos_sin_into(position, &mut cos[row.clone()], &mut sin[row]);
            }
        };
        // A pair costs about as much as a hundred elements of a plain operation.
        match positions.len() > 1 && positions.len() * pairs * 100 > GRAIN {
            true => pool.run(&fill),
            false => fill(0, 1),
        }
        self.positions.extend_from_slice(positions);
    }
}

impl Kernels {
    /// Turns every head of every row of `x` (`[positions.len()][heads * head_dim]`) by the angles of
    /// its row's absolute position. `angles` is working memory: keep one for each table.
    ///
    /// # Panics
    ///
    /// When the lengths do not fit each other.
    pub fn rope(
        &self,
        x: &mut [f32],
        heads: usize,
        head_dim: usize,
        table: &RopeTable,
        pairs: RopePairs,
        positions: &[u32],
        angles: &mut RopeAngles,
    ) {
        let width = heads * head_dim;
        assert_eq!(x.len(), positions.len() * width, "one position for each row");
        assert!(table.dims <= head_dim, "the table turns more dimensions than a head has");
        if table.dims == 0 || x.is_empty() {
            return;
        }
        angles.prepare(&self.pool, table, positions);
        let half = table.dims / 2;
        let (cos, sin) = (&angles.cos, &angles.sin);
        self.share_rows(x, width, 1, |first, rows| {
            for (i, row) in rows.chunks_exact_mut(width).enumerate() {
                let angles = (first + i) * half..(first + i + 1) * half;
                turn_row(self, row, head_dim, &cos[angles.clone()], &sin[angles], pairs);
            }
        });
    }
}

compiled_for_each_isa! {
    fn turn_row(
        row: &mut [f32],
        head_dim: usize,
        cos: &[f32],
        sin: &[f32],
        pairs: RopePairs,
    ) = turn_row_body
}

#[inline(always)]
fn turn_row_body(row: &mut [f32], head_dim: usize, cos: &[f32], sin: &[f32], pairs: RopePairs) {
    let half = cos.len();
    for head in row.chunks_exact_mut(head_dim) {
        match pairs {
            RopePairs::Halves => {
                let (first, rest) = head.split_at_mut(half);
                let pairs = first.iter_mut().zip(&mut rest[..half]);
                for ((a, b), (&c, &s)) in pairs.zip(cos.iter().zip(sin)) {
                    (*a, *b) = turn(*a, *b, c, s);
                }
            }
            RopePairs::Interleaved => {
                let pairs = head[..2 * half].chunks_exact_mut(2);
                for (pair, (&c, &s)) in pairs.zip(cos.iter().zip(sin)) {
                    (pair[0], pair[1]) = turn(pair[0], pair[1], c, s);
                }
            }
        }
    }
}

#[inline(always)]
fn turn(a: f32, b: f32, c: f32, s: f32) -> (f32, f32) {
    (a.mul_add(c, -(b * s)), a.mul_add(s, b * c))
}

#[cfg(test)]
mod tests;
