//! Reference operations, SIMD-friendly kernels, dispatch and the worker pool.
//!
//! Two forms of each operation live here: in [`mod@reference`] a scalar function that reads like the
//! page `docs/numerics.md`, and as a method of [`Kernels`] the one that runs.
//!
//! Invariants:
//!
//! * A kernel gives the bits of its reference, on every [`Isa`], with any number of threads, and
//!   however a sequence is cut into calls.
//! * Lengths that do not fit each other are a mistake of the calling code and panic; numbers never
//!   do: NaN and infinity travel.
//! * A [`Kernels`] exists only for an instruction set that the machine has.
//!
//! ```
//! use synapse_kernels::attention::AttentionSpec;
//! use synapse_kernels::kv::{KvShape, KvType, LayerKv};
//! use synapse_kernels::{Isa, Kernels};
//!
//! let kernels = Kernels::new(2, Isa::detect());
//! let mut kv = LayerKv::new(KvShape { kv_heads: 1, key_dim: 4, value_dim: 4, ty: KvType::F16 });
//! kernels.kv_append(&mut kv, 0, &[0.5; 8], &[1.0; 8]); // two positions
//! let spec = AttentionSpec { scale: 0.5, window: None, causal: true };
//! let mut out = [0.0; 8]; // one row, two heads
//! kernels.attention(&[0.25; 8], 2, &kv, 1, 2, spec, &mut out);
//! assert_eq!(out, [1.0; 8]);
//! ```
#![warn(missing_docs)]

pub mod attention;
pub mod blocks;
pub mod isa;
pub mod kv;
pub mod pool;
pub mod product;
pub mod quantize;
pub mod reference;
pub mod rope;
pub mod rows;

pub use isa::Isa;
pub use pool::Pool;
pub use rows::Activation;

/// Version of `docs/numerics.md` that these kernels implement.
pub const NUMERICS_VERSION: u32 = 1;

/// The kernels of one instruction set on one worker pool, chosen once at start.
pub struct Kernels {
    /// Workers that share the rows of an operation.
    pub(crate) pool: Pool,
    /// Instruction set whose compiled forms are called. Invariant: this machine has it.
    pub(crate) isa: Isa,
}

impl Kernels {
    /// Kernels for `threads` (at least 1) threads and an instruction set that this machine has.
    ///
    /// # Panics
    ///
    /// When the machine does not have it: ask [`Isa::is_available`] before.
    pub fn new(threads: usize, isa: Isa) -> Kernels {
        assert!(isa.is_available(), "this machine does not have {}", isa.name());
        Kernels { pool: Pool::new(threads), isa }
    }

    /// The worker pool.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }
}

/// The bits of a number, with the one canonical NaN for every NaN: what is compared, hashed and
/// written (section 1 of `docs/numerics.md`).
pub fn canonical_bits(number: f32) -> u32 {
    if number.is_nan() { 0x7FC0_0000 } else { number.to_bits() }
}

/// Whether no number is NaN or infinite.
pub fn all_finite(numbers: &[f32]) -> bool {
    // Without an early end the loop becomes vector code, and nearly always all are finite.
    numbers.iter().fold(true, |finite, number| finite & number.is_finite())
}

/// The index of the highest number, the lowest index among equal ones (+0 and −0 are equal): the
/// greedy choice of a token. `None` when there is no number, or one is NaN or infinite.
pub fn argmax(numbers: &[f32]) -> Option<usize> {
    if !all_finite(numbers) {
        return None;
    }
    let highest = numbers.iter().copied().reduce(|a, b| if b > a { b } else { a })?;
    numbers.iter().position(|&number| number == highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nan_has_the_same_bits_and_zeros_keep_their_sign() {
        assert_eq!(canonical_bits(f32::from_bits(0xFFC0_1234)), 0x7FC0_0000);
        assert_eq!(canonical_bits(f32::from_bits(0x7F80_0001)), 0x7FC0_0000);
        assert_eq!(canonical_bits(-0.0), 0x8000_0000);
        assert_eq!(canonical_bits(f32::INFINITY), 0x7F80_0000);
    }

    #[test]
    fn the_highest_logit_wins_and_the_lowest_index_among_equal_ones() {
        assert_eq!(argmax(&[1.0, 3.0, 3.0, 2.0]), Some(1));
        assert_eq!(argmax(&[-0.0, 0.0, -1.0]), Some(0));
        assert_eq!(argmax(&[-5.0]), Some(0));
        assert_eq!(argmax(&[]), None);
    }

    #[test]
    fn no_token_is_chosen_from_logits_that_are_not_finite() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!all_finite(&[0.0, bad]));
            assert_eq!(argmax(&[0.0, bad]), None);
        }
        assert!(all_finite(&[f32::MAX, f32::MIN_POSITIVE, -0.0]));
    }

    #[test]
    #[should_panic(expected = "this machine does not have")]
    fn kernels_of_another_machine_are_refused() {
        Kernels::new(1, if cfg!(target_arch = "aarch64") { Isa::Avx2 } else { Isa::Neon });
    }
}
