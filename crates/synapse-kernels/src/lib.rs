//! Reference operations, SIMD-friendly kernels, dispatch and the worker pool.
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
