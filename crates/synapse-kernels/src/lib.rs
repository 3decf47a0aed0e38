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

/// Version of `docs/numerics.md` that these kernels implement.
pub const NUMERICS_VERSION: u32 = 1;

/// The kernels of one instruction set on one worker pool, chosen once at start.
pub struct Kernels {
    /// Workers that share the rows of an operation.
    pub pool: pool::Pool,
    /// Instruction set whose compiled forms are called.
    pub isa: isa::Isa,
}
