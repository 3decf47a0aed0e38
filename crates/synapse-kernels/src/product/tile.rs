//! Weights of sixteen rows, unpacked for the kernels: lanes are rows.
//!
//! One [`Tile`] holds a run of 32 weights of each of 16 rows. A row of tiles that lies in the cache
//! serves every column of a product; nothing is kept after it.

use super::lanes::{Lanes, Task};

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

/// A format's block in the file. What sixteen rows' blocks hold meets in [`Staged`], from where it
/// goes to the lanes.
pub(super) trait Packed {
    type Form: Form;
    /// Bytes of a block.
    const BYTES: usize;
    /// Runs of 32 in a block: 1 or 8.
    const RUNS: usize;
    /// Reads row `row`'s block, whose first run is run `run` of the chunk.
    fn read<L: Lanes>(lanes: L, block: &[u8], row: usize, run: usize, staged: &mut Staged);
}

/// A chunk of sixteen rows, each row's numbers together.
pub(super) struct Staged {
    /// `[run][row]`: 32 codes.
    codes: [[[u32; 8]; 16]; RUNS],
    /// `[first run of the block][row]`: f16 bits of the scale and of the minimum (or its scale).
    d: [[u16; 16]; RUNS],
    m: [[u16; 16]; RUNS],
    /// `[row]`: integer scales of a block of 256, a byte each: eight scales and eight minima, or 16
    /// scales with their sign bit turned over.
    sc: [[u32; 8]; 16],
}

/// Eight bytes that are treated alike.
const LOW_NIBBLES: u64 = 0x0F0F_0F0F_0F0F_0F0F;

fn word(block: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([block[at], block[at + 1]])
}

fn dword(block: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]])
}

#[inline(always)]
fn bytes_32(block: &[u8], at: usize) -> [u64; 4] {
    let bytes: &[u8; 32] = block[at..].first_chunk().expect("32 bytes of a block");
    bytemuck::cast(*bytes)
}

/// The six-bit scales and minima of twelve bytes at 4: the first four of each lie in the low bits
/// of bytes 0 … 3 and 4 … 7, the others in the nibbles of bytes 8 … 11 and the high bits of those.
#[inline(always)]
fn six_bits(block: &[u8]) -> [u32; 4] {
    let (a, b, c) = (dword(block, 4), dword(block, 8), dword(block, 12));
    let (six, low, high) = (0x3F3F_3F3F, 0x0F0F_0F0F, 0x3030_3030);
    [a & six, (c & low) | (a >> 2 & high), b & six, (c >> 4 & low) | (b >> 2 & high)]
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
            fn read<L: Lanes>(lanes: L, block: &[u8], row: usize, run: usize, staged: &mut Staged) {
                staged.d[run][row] = word(block, 0);
                if $minimum {
                    staged.m[run][row] = word(block, 2);
                }
                $codes(lanes, block, &mut staged.codes[run][row]);
            }
        }
    };
}

#[inline(always)]
fn four<L: Lanes, const AT: usize>(lanes: L, block: &[u8], codes: &mut [u32; 8]) {
    lanes.nibbles(block[AT..].first_chunk().expect("16 bytes of a block"), 0, codes);
}

#[inline(always)]
fn five<L: Lanes, const AT: usize>(lanes: L, block: &[u8], codes: &mut [u32; 8]) {
    let nibbles = block[AT + 4..].first_chunk().expect("16 bytes of a block");
    lanes.nibbles(nibbles, dword(block, AT), codes);
}

#[inline(always)]
fn eight<L: Lanes>(_: L, block: &[u8], codes: &mut [u32; 8]) {
    let mut bytes = bytes_32(block, 2);
    for bytes in &mut bytes {
        *bytes ^= 0x8080_8080_8080_8080;
    }
    *codes = bytemuck::cast(bytes);
}

// format, form, bytes of a block, whether its second f16 is a minimum, codes
packed_32!(Q4_0, Offset8, 18, false, four::<L, 2>);
packed_32!(Q4_1, Minimum, 20, true, four::<L, 4>);
packed_32!(Q5_0, Offset16, 22, false, five::<L, 2>);
packed_32!(Q5_1, Minimum, 24, true, five::<L, 4>);
packed_32!(Q8_0, Offset128, 34, false, eight);

macro_rules! packed_256 {
    ($name:ident, $form:ident, $bytes:literal, $read:expr) => {
        /// See the format's name in `docs/numerics.md` section 4.
        #[allow(non_camel_case_types, reason = "the format's own name")]
        pub(super) struct $name;
        impl Packed for $name {
            type Form = $form;
            const BYTES: usize = $bytes;
            const RUNS: usize = 8;
            #[inline(always)]
            fn read<L: Lanes>(_: L, block: &[u8], row: usize, _: usize, staged: &mut Staged) {
                $read(block, row, staged);
            }
        }
    };
}

packed_256!(Q4_K, Minimum, 144, k_four);
packed_256!(Q5_K, Minimum, 176, k_five);
packed_256!(Q6_K, Pair, 210, k_six);

#[inline(always)]
fn k_scales(block: &[u8], row: usize, staged: &mut Staged) {
    staged.d[0][row] = word(block, 0);
    staged.m[0][row] = word(block, 2);
    staged.sc[row][..4].copy_from_slice(&six_bits(block));
}

/// Two runs share 32 bytes, the even one the low nibbles.
#[inline(always)]
fn k_four(block: &[u8], row: usize, staged: &mut Staged) {
    k_scales(block, row, staged);
    for pair in 0..4 {
        let mut low = bytes_32(block, 16 + 32 * pair);
        let mut high = low;
        for i in 0..4 {
            high[i] = high[i] >> 4 & LOW_NIBBLES;
            low[i] &= LOW_NIBBLES;
        }
        staged.codes[2 * pair][row] = bytemuck::cast(low);
        staged.codes[2 * pair + 1][row] = bytemuck::cast(high);
    }
}

/// The same, and bit r of 32 more bytes is the fifth of run r.
#[inline(always)]
fn k_five(block: &[u8], row: usize, staged: &mut Staged) {
    k_scales(block, row, staged);
    let fifth = bytes_32(block, 16);
    for pair in 0..4 {
        let mut low = bytes_32(block, 48 + 32 * pair);
        let mut high = low;
        for i in 0..4 {
            let bits = fifth[i] >> (2 * pair);
            low[i] = (low[i] & LOW_NIBBLES) | (bits & 0x0101_0101_0101_0101) << 4;
            high[i] = (high[i] >> 4 & LOW_NIBBLES) | (bits & 0x0202_0202_0202_0202) << 3;
        }
        staged.codes[2 * pair][row] = bytemuck::cast(low);
        staged.codes[2 * pair + 1][row] = bytemuck::cast(high);
    }
}

/// Each half of the block: runs 0 and 1 are the low nibbles of 64 bytes, runs 2 and 3 the high
/// ones; the upper two bits of all four lie in one of 32 bytes.
#[inline(always)]
fn k_six(block: &[u8], row: usize, staged: &mut Staged) {
    staged.d[0][row] = word(block, 208);
    for i in 0..4 {
        staged.sc[row][i] = dword(block, 192 + 4 * i) ^ 0x8080_8080;
    }
    for half in 0..2 {
        let upper = bytes_32(block, 128 + 32 * half);
        for run in 0..4 {
            let mut codes = bytes_32(block, 64 * half + 32 * (run % 2));
            for i in 0..4 {
                let bits = upper[i] >> (2 * run) & 0x0303_0303_0303_0303;
                codes[i] = (codes[i] >> (4 * (run / 2)) & LOW_NIBBLES) | bits << 4;
            }
            staged.codes[4 * half + run][row] = bytemuck::cast(codes);
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
        let mut staged = Staged {
            codes: [[[0; 8]; 16]; RUNS],
            d: [[0; 16]; RUNS],
            m: [[0; 16]; RUNS],
            sc: [[0; 8]; 16],
        };
        let blocks = self.tiles.len() / P::RUNS;
        assert!(blocks * P::RUNS <= RUNS);
        // All rows are read before the lanes are loaded: what was stored in small pieces has then
        // left the store buffer.
        for row in 0..16 {
            let bytes = &self.rows[row][self.first / P::RUNS * P::BYTES..][..blocks * P::BYTES];
            for b in 0..blocks {
                let block = &bytes[b * P::BYTES..][..P::BYTES];
                P::read(lanes, block, row, b * P::RUNS, &mut staged);
            }
        }
        let mut sc = [[0; 16]; 8];
        if P::RUNS > 1 {
            lanes.transpose(&staged.sc, &mut sc);
        }
        for (run, tile) in self.tiles.iter_mut().enumerate() {
            lanes.transpose(&staged.codes[run], &mut tile.codes);
            let block = run / P::RUNS * P::RUNS;
            let d = lanes.halves(&staged.d[block]);
            let m = lanes.halves(&staged.m[block]);
            if P::Form::PAIR {
                lanes.store(d, &mut tile.d);
                for half in 0..2 {
                    let i = 2 * run + half;
                    let byte = lanes.byte(lanes.load_codes(&sc[i / 4]), i as u32 % 4);
                    let signed = lanes.add_int(byte, lanes.splat_int(-128));
                    lanes.store_int(signed, &mut tile.sc[half]);
                }
            } else if P::RUNS > 1 {
                // d*sc and −(dmin*mn) are exact, and so is the change of sign.
                let scale = lanes.byte(lanes.load_codes(&sc[run / 4]), run as u32 % 4);
                let minimum = lanes.byte(lanes.load_codes(&sc[2 + run / 4]), run as u32 % 4);
                lanes.store(lanes.mul(d, lanes.float(scale)), &mut tile.d);
                let minimum = lanes.mul(lanes.splat(-1.0), lanes.mul(m, lanes.float(minimum)));
                lanes.store(minimum, &mut tile.m);
            } else {
                lanes.store(d, &mut tile.d);
                if P::Form::MINIMUM {
                    lanes.store(m, &mut tile.m);
                }
            }
        }
    }
}
