//! Reference: expanding a weight (`docs/numerics.md` section 4).

#![allow(clippy::needless_range_loop, reason = "the formulas' own indices")]

use crate::blocks::WeightView;
use half::{bf16, f16};
use synapse_format::TensorType;

/// Row `row` of `w` as f32: `out[k] = W[row, k]`.
///
/// # Panics
/// If the matrix has no such row or `out` is not `w.cols` long.
pub fn expand_row(w: WeightView, row: usize, out: &mut [f32]) {
    assert_eq!(out.len(), w.cols);
    let bytes = w.row(row);
    match w.ty {
        TensorType::F32 => {
            for (y, b) in out.iter_mut().zip(bytes.as_chunks().0) {
                *y = f32::from_le_bytes(*b);
            }
        }
        TensorType::F16 => {
            for (y, b) in out.iter_mut().zip(bytes.as_chunks().0) {
                *y = f16::from_le_bytes(*b).to_f32();
            }
        }
        TensorType::BF16 => {
            for (y, b) in out.iter_mut().zip(bytes.as_chunks().0) {
                *y = bf16::from_le_bytes(*b).to_f32();
            }
        }
        _ => {
            for (b, y) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                let run = Run::read(w.ty, bytes, b);
                for i in 0..32 {
                    y[i] = run.value(i);
                }
            }
        }
    }
}

/// 32 consecutive weights of a quantized row, as stored.
pub struct Run {
    /// The integers, offset subtracted.
    pub q: [i32; 32],
    /// The scale that section 5.3 calls dw.
    pub d: f32,
    /// The minimum that section 5.3 calls mw, where the type has one.
    pub m: Option<f32>,
    /// Integer scales of the two runs of 16, where the type has them.
    pub sc: Option<[i32; 2]>,
}

impl Run {
    /// The weight as f32.
    pub fn value(&self, i: usize) -> f32 {
        let q = self.q[i] as f32;
        match (self.sc, self.m) {
            (Some(sc), _) => (self.d * sc[i / 16] as f32) * q,
            (None, Some(m)) => q * self.d + m,
            (None, None) => q * self.d,
        }
    }

    /// The run `index` (weights `32*index …`) of a row's bytes.
    ///
    /// # Panics
    /// If the type is not a quantized one of this crate or the row is shorter.
    pub fn read(ty: TensorType, row: &[u8], index: usize) -> Run {
        let runs = ty.block_elements() as usize / 32;
        let size = ty.block_bytes() as usize;
        let block = &row[index / runs * size..][..size];
        let sub = index % runs;
        match ty {
            TensorType::Q4_0 => Run::simple(half(block, 0), None, |i| nibble(&block[2..], i) - 8),
            TensorType::Q4_1 => {
                Run::simple(half(block, 0), Some(half(block, 2)), |i| nibble(&block[4..], i))
            }
            TensorType::Q5_0 => Run::simple(half(block, 0), None, |i| {
                nibble(&block[6..], i) + 16 * bit(&block[2..], i) - 16
            }),
            TensorType::Q5_1 => Run::simple(half(block, 0), Some(half(block, 2)), |i| {
                nibble(&block[8..], i) + 16 * bit(&block[4..], i)
            }),
            TensorType::Q8_0 => {
                Run::simple(half(block, 0), None, |i| i32::from(block[2 + i] as i8))
            }
            TensorType::Q4_K => {
                let (d, m) = six_bit_scales(block, sub);
                Run::simple(d, Some(m), |i| k_nibble(&block[16..], sub, i))
            }
            TensorType::Q5_K => {
                let (d, m) = six_bit_scales(block, sub);
                Run::simple(d, Some(m), |i| {
                    let high = i32::from(block[16 + i] >> sub & 1);
                    k_nibble(&block[48..], sub, i) + 16 * high
                })
            }
            TensorType::Q6_K => {
                // Half of the block (128 weights) at a time: two runs share 32 bytes' low nibbles,
                // the other two the high ones; the upper two bits of all four lie in one byte.
                let (half_of, quarter) = (sub / 4, sub % 4);
                let low = &block[64 * half_of + 32 * (quarter % 2)..];
                let high = &block[128 + 32 * half_of..];
                let mut run = Run::simple(half(block, 208), None, |i| {
                    let l = i32::from(low[i] >> (4 * (quarter / 2)) & 15);
                    let h = i32::from(high[i] >> (2 * quarter) & 3);
                    l + 16 * h - 32
                });
                run.sc = Some([0, 1].map(|s| i32::from(block[192 + 2 * sub + s] as i8)));
                run
            }
            _ => panic!("{} has no integers", ty.name()),
        }
    }

    fn simple(d: f32, m: Option<f32>, q: impl Fn(usize) -> i32) -> Run {
        Run { q: std::array::from_fn(q), d, m, sc: None }
    }
}

fn half(bytes: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([bytes[at], bytes[at + 1]]).to_f32()
}

/// Weights 0 to 15 are the low nibbles of 16 bytes, 16 to 31 the high ones.
fn nibble(bytes: &[u8], i: usize) -> i32 {
    i32::from(bytes[i % 16] >> (4 * (i / 16)) & 15)
}

/// Bit `i` of 32, little-endian.
fn bit(bytes: &[u8], i: usize) -> i32 {
    i32::from(bytes[i / 8] >> (i % 8) & 1)
}

/// Two runs share 32 bytes: the even one the low nibbles, the odd one the high ones.
fn k_nibble(bytes: &[u8], sub: usize, i: usize) -> i32 {
    i32::from(bytes[32 * (sub / 2) + i] >> (4 * (sub % 2)) & 15)
}

/// (d*sc, −(dmin*mn)) of run `sub`: twelve bytes hold eight six-bit scales and minima, the first
/// four whole, the upper two bits of the others above those.
fn six_bit_scales(block: &[u8], sub: usize) -> (f32, f32) {
    let s = &block[4..16];
    let (sc, mn) = if sub < 4 {
        (s[sub] & 63, s[sub + 4] & 63)
    } else {
        let low = s[sub + 4];
        (low & 15 | s[sub - 4] >> 6 << 4, low >> 4 | s[sub] >> 6 << 4)
    };
    (half(block, 0) * f32::from(sc), -(half(block, 2) * f32::from(mn)))
}
