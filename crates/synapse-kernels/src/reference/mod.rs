//! The reference: scalar, one function per operation, the executable form of `docs/numerics.md`.
pub mod attention;
pub mod expand;
pub mod functions;
pub mod product;
pub mod quantize;
pub mod rope;
pub mod rows;
