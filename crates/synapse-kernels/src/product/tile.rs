//! Weights of sixteen rows, unpacked for the kernels: lanes are rows.
//!
//! One [`Tile`] holds a run of 32 weights of each of 16 rows. A row of tiles that lies in the cache
//! serves every column of a product; nothing is kept after it.

use super::lanes::{Lanes, Task};
use bytemuck::cast_mut;

const _: () = assert!(cfg!(target_endian = "little"), "the codes are read in file order");

/// Runs of 32 weights that are unpacked at a time: one block of 256.
pub(super) const RUNS: usize = 8;

/// 32 weights of 16 rows.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Tile {
    /// Lane r of `codes[j]`: the unsigned codes of weights 4j … 4j+3 of row r, one a byte.
    pub codes: [[u32; 16]; 8],
    /// dw of section 5.3.
    pub d: [f32; 16],
    /// mw, where the format has one.
    pub m: [f32; 16],
    /// The integer scales of weights 0 … 15 and 16 … 31, where the format has them.
    pub sc: [[i32; 16]; 2],
}

impl Tile {
    pub const EMPTY: Tile =
        Tile { codes: [[0; 16]; 8], d: [0.0; 16], m: [0.0; 16], sc: [[0; 16]; 2] };
}

/// What the kernels must know of a format.
pub(super) trait Form {
    /// Subtracted from each code.
    const OFFSET: i32 = 0;
    /// Whether [`Tile::m`] counts.
    const MINIMUM: bool = false;
    /// Whether [`Tile::sc`] counts.
    const PAIR: bool = false;
    /// Whether codes may exceed 127.
    const WIDE: bool = false;
}

/// Codes with an offset of 8.
pub(super) struct Offset8;
/// Codes with an offset of 16.
pub(super) struct Offset16;
/// Codes with an offset of 128.
pub(super) struct Offset128;
/// Codes with a minimum.
pub(super) struct Minimum;
/// Codes with an offset of 32 and an integer scale for each 16.
pub(super) struct Pair;

impl Form for Offset8 {
    const OFFSET: i32 = 8;
}
impl Form for Offset16 {
    const OFFSET: i32 = 16;
}
impl Form for Offset128 {
    const OFFSET: i32 = 128;
    const WIDE: bool = true;
}
impl Form for Minimum {
    const MINIMUM: bool = true;
}
impl Form for Pair {
    const OFFSET: i32 = 32;
    const PAIR: bool = true;
}

/// A format's block in the file. The scales of sixteen rows meet in [`Scales`] and become floats
/// side by side.
pub(super) trait Packed {
    type Form: Form;
    /// Bytes of a block.
    const BYTES: usize;
    /// Runs of 32 in a block: 1 or 8.
    const RUNS: usize;
    /// Reads one row's block: the codes of run i into `codes[i]`, and lane `row` of the scales.
    fn read<L: Lanes>(
        lanes: L,
        block: &[u8],
        row: usize,
        codes: &mut [[[u32; 8]; 16]; RUNS],
        scales: &mut Scales,
    );
}

/// The scales of a block of sixteen rows, as stored.
pub(super) struct Scales {
    /// f16 bits of the scale and of the minimum (or of its scale).
    d: [u16; 16],
    m: [u16; 16],
    /// For blocks of 256, `[run or pair][lane]`: integer scales (two a run in Q6_K) and minima.
    sc: [[i32; 16]; 16],
    mn: [[i32; 16]; 8],
}

fn word(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([block[at], block[at + 1]])
}

fn dword(block: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

/// Low nibbles are weights 0 … 15, high ones 16 … 31.
#[inline(always)]
fn nibbles(packed: &[u8], run: &mut [u32; 8]) {
    let packed: &[u8; 16] = packed.first_chunk().expect("sixteen bytes of a block");
    let codes: &mut [u8; 32] = cast_mut(run);
    for i in 0..16 {
        codes[i] = packed[i] & 15;
        codes[16 + i] = packed[i] >> 4;
    }
}

#[inline(always)]
fn add_fifth_bits<L: Lanes>(lanes: L, bits: u32, run: &mut [u32; 8]) {
    let sixteens = lanes.sixteens(bits);
    let codes: &mut [u8; 32] = cast_mut(run);
    for i in 0..32 {
        codes[i] |= sixteens[i];
    }
}

/// Eight six-bit scales and eight six-bit minima in twelve bytes.
#[inline(always)]
fn six_bits(block: &[u8], row: usize, scales: &mut Scales) {
    let (a, b, c) = (dword(block, 4), dword(block, 8), dword(block, 12));
    let high = 0x3030_3030;
    let sc = [a & 0x3F3F_3F3F, (c & 0x0F0F_0F0F) | (a >> 2 & high)];
    let mn = [b & 0x3F3F_3F3F, (c >> 4 & 0x0F0F_0F0F) | (b >> 2 & high)];
    for i in 0..8 {
        scales.sc[i][row] = (sc[i / 4] >> (8 * (i % 4)) & 255) as i32;
        scales.mn[i][row] = (mn[i / 4] >> (8 * (i % 4)) & 255) as i32;
    }
}

macro_rules! packed_32 {
    ($name:ident, $form:ident, $bytes:literal, $minimum:literal, $codes:expr) => {
        /// See the format's name in `docs/numerics.md` section 4.
        #[allow(non_camel_case_types, reason = "the format's own name")]
        pub(super) struct $name;
        impl Packed for $name {
            type Form = $form;
            const BYTES: usize = $bytes;
            const RUNS: usize = 1;
            #[inline(always)]
            fn read<L: Lanes>(
                lanes: L,
                block: &[u8],
                row: usize,
                codes: &mut [[[u32; 8]; 16]; RUNS],
                scales: &mut Scales,
            ) {
                scales.d[row] = word(block, 0);
                if $minimum {
                    scales.m[row] = word(block, 2);
                }
                $codes(lanes, block, &mut codes[0][row]);
            }
        }
    };
}

#[inline(always)]
fn four<L: Lanes, const AT: usize>(_: L, block: &[u8], run: &mut [u32; 8]) {
    nibbles(&block[AT..], run);
}

#[inline(always)]
fn five<L: Lanes, const AT: usize>(lanes: L, block: &[u8], run: &mut [u32; 8]) {
    nibbles(&block[AT + 4..], run);
    add_fifth_bits(lanes, dword(block, AT), run);
}

#[inline(always)]
fn eight<L: Lanes>(_: L, block: &[u8], run: &mut [u32; 8]) {
    let packed: &[u8; 32] = block[2..].first_chunk().expect("32 bytes of a block");
    let codes: &mut [u8; 32] = cast_mut(run);
    for i in 0..32 {
        codes[i] = packed[i] ^ 128;
    }
}

// format, form, bytes of a block, whether f16 number 2 is a minimum, codes
packed_32!(Q4_0, Offset8, 18, false, four::<L, 2>);
packed_32!(Q4_1, Minimum, 20, true, four::<L, 4>);
packed_32!(Q5_0, Offset16, 22, false, five::<L, 2>);
packed_32!(Q5_1, Minimum, 24, true, five::<L, 4>);
packed_32!(Q8_0, Offset128, 34, false, eight);

/// Two runs share 32 bytes, the even one the low nibbles.
#[inline(always)]
fn k_nibbles(packed: &[u8], row: usize, codes: &mut [[[u32; 8]; 16]; RUNS]) {
    for pair in 0..4 {
        let bytes: &[u8; 32] = packed[32 * pair..].first_chunk().expect("32 bytes of a block");
        let low: &mut [u8; 32] = cast_mut(&mut codes[2 * pair][row]);
        for i in 0..32 {
            low[i] = bytes[i] & 15;
        }
        let high: &mut [u8; 32] = cast_mut(&mut codes[2 * pair + 1][row]);
        for i in 0..32 {
            high[i] = bytes[i] >> 4;
        }
    }
}

/// See the format's name in `docs/numerics.md` section 4.
#[allow(non_camel_case_types, reason = "the format's own name")]
pub(super) struct Q4_K;
impl Packed for Q4_K {
    type Form = Minimum;
    const BYTES: usize = 144;
    const RUNS: usize = 8;
    #[inline(always)]
    fn read<L: Lanes>(
        _: L,
        block: &[u8],
        row: usize,
        codes: &mut [[[u32; 8]; 16]; RUNS],
        scales: &mut Scales,
    ) {
        scales.d[row] = word(block, 0);
        scales.m[row] = word(block, 2);
        six_bits(block, row, scales);
        k_nibbles(&block[16..], row, codes);
    }
}

/// See the format's name in `docs/numerics.md` section 4.
#[allow(non_camel_case_types, reason = "the format's own name")]
pub(super) struct Q5_K;
impl Packed for Q5_K {
    type Form = Minimum;
    const BYTES: usize = 176;
    const RUNS: usize = 8;
    #[inline(always)]
    fn read<L: Lanes>(
        _: L,
        block: &[u8],
        row: usize,
        codes: &mut [[[u32; 8]; 16]; RUNS],
        scales: &mut Scales,
    ) {
        scales.d[row] = word(block, 0);
        scales.m[row] = word(block, 2);
        six_bits(block, row, scales);
        k_nibbles(&block[48..], row, codes);
        let bits: &[u8; 32] = block[16..].first_chunk().expect("32 bytes of a block");
        for run in 0..8 {
            let codes: &mut [u8; 32] = cast_mut(&mut codes[run][row]);
            for i in 0..32 {
                codes[i] |= (bits[i] >> run & 1) << 4;
            }
        }
    }
}

/// See the format's name in `docs/numerics.md` section 4.
#[allow(non_camel_case_types, reason = "the format's own name")]
pub(super) struct Q6_K;
impl Packed for Q6_K {
    type Form = Pair;
    const BYTES: usize = 210;
    const RUNS: usize = 8;
    #[inline(always)]
    fn read<L: Lanes>(
        _: L,
        block: &[u8],
        row: usize,
        codes: &mut [[[u32; 8]; 16]; RUNS],
        scales: &mut Scales,
    ) {
        scales.d[row] = word(block, 208);
        for i in 0..16 {
            scales.sc[i][row] = i32::from(block[192 + i] as i8);
        }
        // Each half of the block: runs 0 and 1 are the low nibbles of 64 bytes, runs 2 and 3 the
        // high ones; the upper two bits of all four lie in one of 32 bytes.
        for half in 0..2 {
            let high: &[u8; 32] = block[128 + 32 * half..].first_chunk().expect("32 bytes");
            for quarter in 0..4 {
                let at = 64 * half + 32 * (quarter % 2);
                let low: &[u8; 32] = block[at..].first_chunk().expect("32 bytes");
                let codes: &mut [u8; 32] = cast_mut(&mut codes[4 * half + quarter][row]);
                for i in 0..32 {
                    let nibble = low[i] >> (4 * (quarter / 2)) & 15;
                    codes[i] = nibble | (high[i] >> (2 * quarter) & 3) << 4;
                }
            }
        }
    }
}

/// Unpacks `tiles.len()` (at most [`RUNS`]) runs of sixteen rows, from run `first` on, which begins
/// a block.
pub(super) struct Unpack<'a, P> {
    /// The rows' bytes.
    pub rows: &'a [&'a [u8]; 16],
    pub first: usize,
    pub tiles: &'a mut [Tile],
    pub format: std::marker::PhantomData<P>,
}

impl<P: Packed> Task for Unpack<'_, P> {
    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let mut codes = [[[0u32; 8]; 16]; RUNS];
        let mut scales =
            Scales { d: [0; 16], m: [0; 16], sc: [[0; 16]; 16], mn: [[0; 16]; 8] };
        let mut at = self.first / P::RUNS * P::BYTES;
        for tiles in self.tiles.chunks_exact_mut(P::RUNS) {
            for row in 0..16 {
                let block = &self.rows[row][at..][..P::BYTES];
                P::read(lanes, block, row, &mut codes, &mut scales);
            }
            at += P::BYTES;
            let d = lanes.halves(&scales.d);
            let m = lanes.halves(&scales.m);
            let minus = lanes.splat(-1.0);
            for run in 0..P::RUNS {
                let tile = &mut tiles[run];
                lanes.transpose(&codes[run], &mut tile.codes);
                if P::Form::PAIR {
                    lanes.store(d, &mut tile.d);
                    tile.sc = [scales.sc[2 * run], scales.sc[2 * run + 1]];
                } else if P::RUNS == 1 {
                    lanes.store(d, &mut tile.d);
                    if P::Form::MINIMUM {
                        lanes.store(m, &mut tile.m);
                    }
                } else {
                    // d*sc and −(dmin*mn) are exact, and so is the change of sign.
                    let sc = lanes.float(lanes.load_int(&scales.sc[run]));
                    lanes.store(lanes.mul(d, sc), &mut tile.d);
                    let mn = lanes.float(lanes.load_int(&scales.mn[run]));
                    lanes.store(lanes.mul(minus, lanes.mul(m, mn)), &mut tile.m);
                }
            }
        }
    }
}
