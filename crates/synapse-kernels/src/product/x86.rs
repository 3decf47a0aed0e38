//! [`Lanes`] on x86-64: two AVX2 registers, or one of AVX-512.

use super::lanes::{Grid, Lanes, Task};
use std::arch::x86_64::*;

/// Evaluates calls of intrinsics in a method of a [`Lanes`] type of this module.
macro_rules! intrinsics {
    ($value:expr) => {{
        // SAFETY: the method has `self`, whose constructor demands the instructions; the pointers
        // come from references to arrays of the size that is read or written, and the instructions
        // used need no alignment.
        unsafe { $value }
    }};
}

/// Proof that the machine has AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    /// # Safety
    /// The machine has AVX2, FMA and F16C.
    pub(super) unsafe fn new() -> Self {
        Avx2(())
    }
}

/// Proof that the machine has what [`Avx2`] says and AVX-512 F, BW, VL, DQ and VNNI.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    /// # Safety
    /// The machine has AVX2, FMA, F16C and AVX-512 F, BW, VL, DQ and VNNI.
    pub(super) unsafe fn new() -> Self {
        Avx512(())
    }
}

impl Lanes for Avx512 {
    type F = __m512;
    type I = __m512i;
    type IntegerShape = Grid<2, 6>;
    type FloatShape = Grid<4, 6>;

    fn call<T: Task>(self, task: T) {
        #[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
        fn compiled<T: Task>(lanes: Avx512, task: T) {
            task.run(lanes);
        }
        intrinsics!(compiled(self, task))
    }

    #[inline(always)]
    fn splat(self, v: f32) -> __m512 {
        intrinsics!(_mm512_set1_ps(v))
    }

    #[inline(always)]
    fn load(self, v: &[f32; 16]) -> __m512 {
        intrinsics!(_mm512_loadu_ps(v.as_ptr()))
    }

    #[inline(always)]
    fn store(self, v: __m512, to: &mut [f32; 16]) {
        intrinsics!(_mm512_storeu_ps(to.as_mut_ptr(), v))
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        intrinsics!(_mm512_mul_ps(a, b))
    }

    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        intrinsics!(_mm512_fmadd_ps(a, b, c))
    }

    #[inline(always)]
    fn halves(self, v: &[u16; 16]) -> __m512 {
        intrinsics!(_mm512_cvtph_ps(_mm256_loadu_si256(v.as_ptr().cast())))
    }

    #[inline(always)]
    fn float(self, v: __m512i) -> __m512 {
        intrinsics!(_mm512_cvtepi32_ps(v))
    }

    #[inline(always)]
    fn splat_int(self, v: i32) -> __m512i {
        intrinsics!(_mm512_set1_epi32(v))
    }

    #[inline(always)]
    fn load_int(self, v: &[i32; 16]) -> __m512i {
        intrinsics!(_mm512_loadu_si512(v.as_ptr().cast()))
    }

    #[inline(always)]
    fn load_codes(self, v: &[u32; 16]) -> __m512i {
        intrinsics!(_mm512_loadu_si512(v.as_ptr().cast()))
    }

    #[inline(always)]
    fn store_int(self, v: __m512i, to: &mut [i32; 16]) {
        intrinsics!(_mm512_storeu_si512(to.as_mut_ptr().cast(), v))
    }

    #[inline(always)]
    fn add_int(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn mul_int(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_mullo_epi32(a, b))
    }

    #[inline(always)]
    fn byte(self, v: __m512i, index: u32) -> __m512i {
        intrinsics!(_mm512_and_si512(
            _mm512_srlv_epi32(v, _mm512_set1_epi32(8 * index as i32)),
            _mm512_set1_epi32(255)
        ))
    }

    #[inline(always)]
    fn dot(self, acc: __m512i, codes: __m512i, x: __m512i) -> __m512i {
        intrinsics!(_mm512_dpbusd_epi32(acc, codes, x))
    }

    #[inline(always)]
    fn dot_wide(self, acc: __m512i, codes: __m512i, x: __m512i) -> __m512i {
        self.dot(acc, codes, x)
    }

    #[inline(always)]
    fn transpose(self, rows: &[[u32; 8]; 16], to: &mut [[u32; 16]; 8]) {
        intrinsics!(transpose(rows, to))
    }

    #[inline(always)]
    fn nibbles(self, packed: &[u8; 16], fifth: u32, to: &mut [u32; 8]) {
        intrinsics!({
            let sixteens = _mm256_maskz_set1_epi8(fifth, 16);
            let codes = _mm256_or_si256(nibbles(packed), sixteens);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), codes);
        })
    }
}

impl Lanes for Avx2 {
    type F = [__m256; 2];
    type I = [__m256i; 2];
    type IntegerShape = Grid<1, 2>;
    type FloatShape = Grid<1, 6>;

    fn call<T: Task>(self, task: T) {
        #[target_feature(enable = "avx2,fma,f16c")]
        fn compiled<T: Task>(lanes: Avx2, task: T) {
            task.run(lanes);
        }
        intrinsics!(compiled(self, task))
    }

    #[inline(always)]
    fn splat(self, v: f32) -> [__m256; 2] {
        intrinsics!([_mm256_set1_ps(v); 2])
    }

    #[inline(always)]
    fn load(self, v: &[f32; 16]) -> [__m256; 2] {
        intrinsics!([_mm256_loadu_ps(v.as_ptr()), _mm256_loadu_ps(v.as_ptr().add(8))])
    }

    #[inline(always)]
    fn store(self, v: [__m256; 2], to: &mut [f32; 16]) {
        intrinsics!({
            _mm256_storeu_ps(to.as_mut_ptr(), v[0]);
            _mm256_storeu_ps(to.as_mut_ptr().add(8), v[1]);
        })
    }

    #[inline(always)]
    fn mul(self, a: [__m256; 2], b: [__m256; 2]) -> [__m256; 2] {
        intrinsics!([_mm256_mul_ps(a[0], b[0]), _mm256_mul_ps(a[1], b[1])])
    }

    #[inline(always)]
    fn fma(self, a: [__m256; 2], b: [__m256; 2], c: [__m256; 2]) -> [__m256; 2] {
        intrinsics!([_mm256_fmadd_ps(a[0], b[0], c[0]), _mm256_fmadd_ps(a[1], b[1], c[1])])
    }

    #[inline(always)]
    fn halves(self, v: &[u16; 16]) -> [__m256; 2] {
        intrinsics!([
            _mm256_cvtph_ps(_mm_loadu_si128(v.as_ptr().cast())),
            _mm256_cvtph_ps(_mm_loadu_si128(v.as_ptr().add(8).cast())),
        ])
    }

    #[inline(always)]
    fn float(self, v: [__m256i; 2]) -> [__m256; 2] {
        intrinsics!([_mm256_cvtepi32_ps(v[0]), _mm256_cvtepi32_ps(v[1])])
    }

    #[inline(always)]
    fn splat_int(self, v: i32) -> [__m256i; 2] {
        intrinsics!([_mm256_set1_epi32(v); 2])
    }

    #[inline(always)]
    fn load_int(self, v: &[i32; 16]) -> [__m256i; 2] {
        intrinsics!([
            _mm256_loadu_si256(v.as_ptr().cast()),
            _mm256_loadu_si256(v.as_ptr().add(8).cast()),
        ])
    }

    #[inline(always)]
    fn load_codes(self, v: &[u32; 16]) -> [__m256i; 2] {
        intrinsics!([
            _mm256_loadu_si256(v.as_ptr().cast()),
            _mm256_loadu_si256(v.as_ptr().add(8).cast()),
        ])
    }

    #[inline(always)]
    fn store_int(self, v: [__m256i; 2], to: &mut [i32; 16]) {
        intrinsics!({
            _mm256_storeu_si256(to.as_mut_ptr().cast(), v[0]);
            _mm256_storeu_si256(to.as_mut_ptr().add(8).cast(), v[1]);
        })
    }

    #[inline(always)]
    fn add_int(self, a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        intrinsics!([_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])])
    }

    #[inline(always)]
    fn mul_int(self, a: [__m256i; 2], b: [__m256i; 2]) -> [__m256i; 2] {
        intrinsics!([_mm256_mullo_epi32(a[0], b[0]), _mm256_mullo_epi32(a[1], b[1])])
    }

    #[inline(always)]
    fn byte(self, v: [__m256i; 2], index: u32) -> [__m256i; 2] {
        intrinsics!({
            let shift = _mm256_set1_epi32(8 * index as i32);
            let mask = _mm256_set1_epi32(255);
            [
                _mm256_and_si256(_mm256_srlv_epi32(v[0], shift), mask),
                _mm256_and_si256(_mm256_srlv_epi32(v[1], shift), mask),
            ]
        })
    }

    // Pairs of products of codes below 128 with x fit 16 bits: 2 * 127 * 127 = 32258.
    #[inline(always)]
    fn dot(self, acc: [__m256i; 2], codes: [__m256i; 2], x: [__m256i; 2]) -> [__m256i; 2] {
        intrinsics!({
            let ones = _mm256_set1_epi16(1);
            let low = _mm256_madd_epi16(_mm256_maddubs_epi16(codes[0], x[0]), ones);
            let high = _mm256_madd_epi16(_mm256_maddubs_epi16(codes[1], x[1]), ones);
            [_mm256_add_epi32(acc[0], low), _mm256_add_epi32(acc[1], high)]
        })
    }

    // Codes up to 255 would overflow those pairs, so bytes 0, 2 and 1, 3 are widened first.
    #[inline(always)]
    fn dot_wide(self, mut acc: [__m256i; 2], codes: [__m256i; 2], x: [__m256i; 2]) -> [__m256i; 2] {
        intrinsics!({
            let even = _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(x[0]));
            let odd = _mm256_srai_epi16::<8>(x[0]);
            for i in 0..2 {
                let w_even = _mm256_and_si256(codes[i], _mm256_set1_epi16(255));
                let w_odd = _mm256_srli_epi16::<8>(codes[i]);
                acc[i] = _mm256_add_epi32(acc[i], _mm256_madd_epi16(w_even, even));
                acc[i] = _mm256_add_epi32(acc[i], _mm256_madd_epi16(w_odd, odd));
            }
            acc
        })
    }

    #[inline(always)]
    fn transpose(self, rows: &[[u32; 8]; 16], to: &mut [[u32; 16]; 8]) {
        intrinsics!(transpose(rows, to))
    }

    #[inline(always)]
    fn nibbles(self, packed: &[u8; 16], fifth: u32, to: &mut [u32; 8]) {
        intrinsics!({
            // Byte i of the spread vector is byte i/8 of the bits; one bit of it is kept.
            let spread = _mm256_setr_epi64x(
                0,
                0x0101_0101_0101_0101,
                0x0202_0202_0202_0202,
                0x0303_0303_0303_0303,
            );
            let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(fifth as i32), spread);
            let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit);
            let sixteens = _mm256_and_si256(set, _mm256_set1_epi8(16));
            let codes = _mm256_or_si256(nibbles(packed), sixteens);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), codes);
        })
    }
}

/// The low nibbles of 16 bytes, then the high ones.
#[inline]
#[target_feature(enable = "avx2")]
fn nibbles(packed: &[u8; 16]) -> __m256i {
    // SAFETY: the address is that of 16 bytes.
    let packed = unsafe { _mm_loadu_si128(packed.as_ptr().cast()) };
    let both = _mm256_set_m128i(_mm_srli_epi16::<4>(packed), packed);
    _mm256_and_si256(both, _mm256_set1_epi8(15))
}

/// Two transpositions of 8 × 8, side by side in the output.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(rows: &[[u32; 8]; 16], to: &mut [[u32; 16]; 8]) {
    for part in 0..2 {
        let mut r = [_mm256_setzero_ps(); 8];
        for i in 0..8 {
            // SAFETY: the address is that of an array of eight u32.
            r[i] = unsafe { _mm256_loadu_ps(rows[8 * part + i].as_ptr().cast()) };
        }
        let [r0, r1, r2, r3, r4, r5, r6, r7] = r;
        let (a0, a1) = (_mm256_unpacklo_ps(r0, r1), _mm256_unpackhi_ps(r0, r1));
        let (a2, a3) = (_mm256_unpacklo_ps(r2, r3), _mm256_unpackhi_ps(r2, r3));
        let (a4, a5) = (_mm256_unpacklo_ps(r4, r5), _mm256_unpackhi_ps(r4, r5));
        let (a6, a7) = (_mm256_unpacklo_ps(r6, r7), _mm256_unpackhi_ps(r6, r7));
        let b0 = _mm256_shuffle_ps::<0x44>(a0, a2);
        let b1 = _mm256_shuffle_ps::<0xEE>(a0, a2);
        let b2 = _mm256_shuffle_ps::<0x44>(a1, a3);
        let b3 = _mm256_shuffle_ps::<0xEE>(a1, a3);
        let b4 = _mm256_shuffle_ps::<0x44>(a4, a6);
        let b5 = _mm256_shuffle_ps::<0xEE>(a4, a6);
        let b6 = _mm256_shuffle_ps::<0x44>(a5, a7);
        let b7 = _mm256_shuffle_ps::<0xEE>(a5, a7);
        let columns = [
            _mm256_permute2f128_ps::<0x20>(b0, b4),
            _mm256_permute2f128_ps::<0x20>(b1, b5),
            _mm256_permute2f128_ps::<0x20>(b2, b6),
            _mm256_permute2f128_ps::<0x20>(b3, b7),
            _mm256_permute2f128_ps::<0x31>(b0, b4),
            _mm256_permute2f128_ps::<0x31>(b1, b5),
            _mm256_permute2f128_ps::<0x31>(b2, b6),
            _mm256_permute2f128_ps::<0x31>(b3, b7),
        ];
        for j in 0..8 {
            let half = &mut to[j][8 * part..8 * part + 8];
            // SAFETY: `half` is eight u32 long.
            unsafe {
                _mm256_storeu_si256(half.as_mut_ptr().cast(), _mm256_castps_si256(columns[j]));
            }
        }
    }
}
