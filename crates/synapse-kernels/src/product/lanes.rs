//! Sixteen lanes, one output row each: what the products need of an instruction set.
//!
//! A value of a type that implements [`Lanes`] is the proof that the machine has the instructions.
//! Kernels are [`Task`]s: plain loops over these operations, compiled once for each instruction set
//! by [`Lanes::call`]. Every operation gives the same bits everywhere: integers are exact, and one
//! float operation is one correctly rounded IEEE 754 operation.

/// Work that is compiled for each instruction set. `run` must be `#[inline(always)]`, or it is
/// compiled without the instructions.
pub(super) trait Task {
    fn run<L: Lanes>(self, lanes: L);
}

/// Row groups and columns that one pass of a kernel keeps in registers.
pub(super) trait Shape {
    const GROUPS: usize;
    const COLUMNS: usize;
}

/// A [`Shape`] of so many row groups and columns.
pub(super) struct Grid<const GROUPS: usize, const COLUMNS: usize>;

impl<const G: usize, const C: usize> Shape for Grid<G, C> {
    const GROUPS: usize = G;
    const COLUMNS: usize = C;
}

/// Bounds of every [`Shape`], for the arrays of registers.
pub(super) const MAX_GROUPS: usize = 4;
pub(super) const MAX_COLUMNS: usize = 6;

/// Sixteen f32 or i32 lanes on one instruction set.
pub(super) trait Lanes: Copy {
    type F: Copy;
    type I: Copy;
    /// The integer kernel with many columns: as many sums as the registers hold.
    type IntegerShape: Shape;
    /// The float kernel with many columns.
    type FloatShape: Shape;

    /// Runs a task compiled with this instruction set.
    fn call<T: Task>(self, task: T);

    fn splat(self, v: f32) -> Self::F;
    fn load(self, v: &[f32; 16]) -> Self::F;
    fn store(self, v: Self::F, to: &mut [f32; 16]);
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// `a * b + c`, rounded once.
    fn fma(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// Sixteen f16 as f32; exact.
    fn halves(self, v: &[u16; 16]) -> Self::F;
    /// Integers of at most 24 bits as f32; exact.
    fn float(self, v: Self::I) -> Self::F;

    fn splat_int(self, v: i32) -> Self::I;
    fn load_int(self, v: &[i32; 16]) -> Self::I;
    fn load_codes(self, v: &[u32; 16]) -> Self::I;
    fn store_int(self, v: Self::I, to: &mut [i32; 16]);
    fn add_int(self, a: Self::I, b: Self::I) -> Self::I;
    fn mul_int(self, a: Self::I, b: Self::I) -> Self::I;
    /// Byte `index` of each lane, unsigned.
    fn byte(self, v: Self::I, index: u32) -> Self::I;
    /// `acc + Σ_j codes.byte(j) * x.byte(j)`: codes unsigned and below 128, x signed and not −128,
    /// the same four in all lanes.
    fn dot(self, acc: Self::I, codes: Self::I, x: Self::I) -> Self::I;
    /// The same for codes up to 255.
    fn dot_wide(self, acc: Self::I, codes: Self::I, x: Self::I) -> Self::I;

    /// `to[j][row] = rows[row][j]`.
    fn transpose(self, rows: &[[u32; 8]; 16], to: &mut [[u32; 16]; 8]);
    /// 32 codes: the low nibbles of 16 bytes, then the high ones; 16 is added where a bit of `fifth`
    /// is set, bit 0 first.
    fn nibbles(self, packed: &[u8; 16], fifth: u32, to: &mut [u32; 8]);
}

/// Plain Rust: x86-64 without AVX2, and NEON by the compiler's own vectorising.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Lanes for Portable {
    type F = [f32; 16];
    type I = [i32; 16];
    type IntegerShape = Grid<1, 1>;
    type FloatShape = Grid<1, 4>;

    fn call<T: Task>(self, task: T) {
        task.run(self);
    }

    #[inline(always)]
    fn splat(self, v: f32) -> [f32; 16] {
        [v; 16]
    }

    #[inline(always)]
    fn load(self, v: &[f32; 16]) -> [f32; 16] {
        *v
    }

    #[inline(always)]
    fn store(self, v: [f32; 16], to: &mut [f32; 16]) {
        *to = v;
    }

    #[inline(always)]
    fn mul(self, mut a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        for i in 0..16 {
            a[i] *= b[i];
        }
        a
    }

    #[inline(always)]
    fn fma(self, a: [f32; 16], b: [f32; 16], mut c: [f32; 16]) -> [f32; 16] {
        for i in 0..16 {
            c[i] = a[i].mul_add(b[i], c[i]);
        }
        c
    }

    #[inline(always)]
    fn halves(self, v: &[u16; 16]) -> [f32; 16] {
        let mut out = [0.0; 16];
        for i in 0..16 {
            // The exponent moves from bias 15 to bias 127 by a multiplication, which also turns
            // subnormal halves into normal floats; infinity and NaN get the exponent of their own.
            let magnitude = u32::from(v[i] & 0x7FFF) << 13;
            let finite = (f32::from_bits(magnitude) * f32::from_bits(0x7780_0000)).to_bits();
            let special = magnitude | 0x7F80_0000;
            let bits = if v[i] & 0x7C00 == 0x7C00 { special } else { finite };
            out[i] = f32::from_bits(bits | u32::from(v[i] & 0x8000) << 16);
        }
        out
    }

    #[inline(always)]
    fn float(self, v: [i32; 16]) -> [f32; 16] {
        let mut out = [0.0; 16];
        for i in 0..16 {
            out[i] = v[i] as f32;
        }
        out
    }

    #[inline(always)]
    fn splat_int(self, v: i32) -> [i32; 16] {
        [v; 16]
    }

    #[inline(always)]
    fn load_int(self, v: &[i32; 16]) -> [i32; 16] {
        *v
    }

    #[inline(always)]
    fn load_codes(self, v: &[u32; 16]) -> [i32; 16] {
        let mut out = [0; 16];
        for i in 0..16 {
            out[i] = v[i] as i32;
        }
        out
    }

    #[inline(always)]
    fn store_int(self, v: [i32; 16], to: &mut [i32; 16]) {
        *to = v;
    }

    #[inline(always)]
    fn add_int(self, mut a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        for i in 0..16 {
            a[i] += b[i];
        }
        a
    }

    #[inline(always)]
    fn mul_int(self, mut a: [i32; 16], b: [i32; 16]) -> [i32; 16] {
        for i in 0..16 {
            a[i] *= b[i];
        }
        a
    }

    #[inline(always)]
    fn byte(self, mut v: [i32; 16], index: u32) -> [i32; 16] {
        for i in 0..16 {
            v[i] = v[i] >> (8 * index) & 255;
        }
        v
    }

    #[inline(always)]
    fn dot(self, acc: [i32; 16], codes: [i32; 16], x: [i32; 16]) -> [i32; 16] {
        self.dot_wide(acc, codes, x)
    }

    #[inline(always)]
    fn dot_wide(self, mut acc: [i32; 16], codes: [i32; 16], x: [i32; 16]) -> [i32; 16] {
        let x = x[0].to_le_bytes();
        for i in 0..16 {
            let w = codes[i];
            acc[i] += (w & 255) * i32::from(x[0] as i8)
                + (w >> 8 & 255) * i32::from(x[1] as i8)
                + (w >> 16 & 255) * i32::from(x[2] as i8)
                + (w >> 24 & 255) * i32::from(x[3] as i8);
        }
        acc
    }

    #[inline(always)]
    fn transpose(self, rows: &[[u32; 8]; 16], to: &mut [[u32; 16]; 8]) {
        for j in 0..8 {
            for row in 0..16 {
                to[j][row] = rows[row][j];
            }
        }
    }

    #[inline(always)]
    fn nibbles(self, packed: &[u8; 16], fifth: u32, to: &mut [u32; 8]) {
        let codes: &mut [u8; 32] = bytemuck::cast_mut(to);
        for i in 0..16 {
            codes[i] = packed[i] & 15 | (fifth >> i << 4 & 16) as u8;
            codes[16 + i] = packed[i] >> 4 | (fifth >> (16 + i) << 4 & 16) as u8;
        }
    }
}
