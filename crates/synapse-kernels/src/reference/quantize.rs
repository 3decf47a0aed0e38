//! Reference: activations as int8 (`docs/numerics.md` section 5.2).

/// 32 activations as integers with one scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The integers, −127 … 127.
    pub q: [i8; 32],
    /// What one unit is worth.
    pub scale: f32,
    /// `sx`: the scale times the sum of the integers.
    pub sum: f32,
}

/// Blocks of one row of activations.
///
/// # Panics
/// If the length is not a multiple of 32.
pub fn quantize_row(x: &[f32]) -> Vec<Block> {
    let (blocks, rest) = x.as_chunks::<32>();
    assert!(rest.is_empty(), "a row of {} activations is not whole blocks", x.len());
    blocks.iter().map(quantize_block).collect()
}

fn quantize_block(x: &[f32; 32]) -> Block {
    let a = f32::from_bits(x.iter().map(|v| v.to_bits() & 0x7FFF_FFFF).max().unwrap_or(0));
    if !a.is_finite() {
        return Block { q: [0; 32], scale: f32::NAN, sum: f32::NAN };
    }
    if a < f32::powi(2.0, -120) {
        return Block { q: [0; 32], scale: 0.0, sum: 0.0 };
    }
    let scale = a / 127.0;
    let inv = 127.0 / a;
    let q = x.map(|v| (v * inv).round_ties_even() as i8);
    let total: i32 = q.iter().map(|q| i32::from(*q)).sum();
    Block { q, scale, sum: scale * total as f32 }
}
