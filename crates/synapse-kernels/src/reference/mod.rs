//! The reference: scalar, one function per operation, the executable form of `docs/numerics.md`.
//!
//! It is slow, permanent and free of cleverness: whoever wants to know what an operation computes
//! reads it here, and every kernel is tested against it bit for bit. Each function names the section
//! of the page that it follows.
pub mod attention;
pub mod expand;
pub mod functions;
pub mod product;
pub mod quantize;
pub mod rope;
pub mod rows;

pub use attention::attention;
pub use functions::{exp, gelu, gelu_tanh, lane_sum, relu, silu};
pub use rope::rope;
pub use rows::{rms_norm, rms_norm_heads};
