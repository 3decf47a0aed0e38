//! Reference: rotary position embedding (sections 3 and 6).

use crate::rope::RopePairs;

/// The inverse frequency of pair `i` of a rotation of `dims` dimensions with base `base`, linear
/// scaling `scale` (1 when there is none) and factor `factor` (1 when there is none).
pub fn inverse_frequency(i: usize, dims: usize, base: f64, scale: f64, factor: f32) -> f32 {
    let power = libm::pow(base, -((2 * i) as f64) / dims as f64);
    (power / scale / f64::from(factor)) as f32
}

/// Cosine and sine of the angle of a pair with inverse frequency `inv` at `position`.
pub fn cos_sin(position: u32, inv: f32) -> (f32, f32) {
    let angle = f64::from(position) * f64::from(inv);
    (libm::cos(angle) as f32, libm::sin(angle) as f32)
}

/// Rotates every head of every row of `x` (`[positions.len()][heads][head_dim]`) by the angles of
/// its row's position. `inv` has one inverse frequency for each pair; dimensions from
/// `2 * inv.len()` on are unchanged.
pub fn rope(
    x: &mut [f32],
    heads: usize,
    head_dim: usize,
    inv: &[f32],
    pairs: RopePairs,
    positions: &[u32],
) {
    let half = inv.len();
    for (row, &position) in x.chunks_exact_mut(heads * head_dim).zip(positions) {
        for head in row.chunks_exact_mut(head_dim) {
            for (i, &inv) in inv.iter().enumerate() {
                let (c, s) = cos_sin(position, inv);
                let (first, second) = match pairs {
                    RopePairs::Halves => (i, i + half),
                    RopePairs::Interleaved => (2 * i, 2 * i + 1),
                };
                let (a, b) = (head[first], head[second]);
                head[first] = a.mul_add(c, -(b * s));
                head[second] = a.mul_add(s, b * c);
            }
        }
    }
}
