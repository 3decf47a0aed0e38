//! The definition language: parse, check, explain; the table of operations.
//!
//! A definition says in plain text how a model of one architecture computes: three lists of
//! steps over registers, no control flow, nothing that reaches outside. This crate reads it and
//! checks all that can be checked without a model file; binding it to one is another crate's.
//!
//! Invariants: no bytes make it panic, and none cost more than [`limits`] allow; a definition
//! that [`parse`] gives has its three sections in order, only operations of [`ops::OPS`] in
//! their right form, and no register that is read before it is assigned.
//!
//! # Grammar
//!
#![doc = include_str!("../GRAMMAR.md")]
//!
//! # Example
//!
//! ```
//! let text = include_bytes!("../../../archdefs/qwen3.archdef");
//! let definition = synapse_archdef::parse("qwen3.archdef", text, Some("qwen3")).unwrap();
//! assert_eq!(definition.steps_per_block(), 18);
//!
//! let wrong = std::str::from_utf8(text).unwrap().replace("silu(", "siluu(");
//! let findings = synapse_archdef::parse("qwen3.archdef", wrong.as_bytes(), None).unwrap_err();
//! assert_eq!(
//!     findings[0].to_string(),
//!     "qwen3.archdef: line 22: no such operation `siluu` — did you mean `silu`?"
//! );
//! ```
#![forbid(unsafe_code)]

mod ast;
mod cursor;
mod expr;
mod flow;
mod header;
pub mod library;
pub mod limits;
mod nearest;
pub mod ops;
pub mod params;
mod parse;
mod reference;
mod section;
mod source;
mod step;

pub use ast::{Definition, Expr, Ignore, Kind, Operand, OptionValue, Param, Step, TensorRef};
pub use flow::RESIDUAL;
pub use library::{Library, Lookup};
pub use nearest::nearest;
pub use ops::{OpKind, OptionKind};
pub use parse::{NEVER_OPERATIONS, parse};
pub use reference::reference_page;
