//! Element and block types of tensors, and the bounded reader and writer of GGUF files.
//!
//! Invariants: every file is hostile until it is read. A count or a length is compared with the
//! bytes that really follow before anything is allocated; arithmetic on foreign numbers is
//! checked; a [`Gguf`] that exists has unique names and tensor ranges that lie inside the file,
//! aligned, without overlap. Nothing here knows an architecture.
//!
//! ```
//! use synapse_format::{Gguf, GgufWriter, TensorType};
//! let bytes = GgufWriter::new()
//!     .pair("general.architecture", "llama")
//!     .tensor("output_norm.weight", TensorType::F32, &[2], vec![0; 8])
//!     .to_bytes()?;
//! let gguf = Gguf::from_bytes("tiny.gguf", bytes)?;
//! assert_eq!(gguf.metadata.require_str("general.architecture")?, "llama");
//! let info = gguf.tensor("output_norm.weight").expect("written above");
//! assert_eq!(gguf.tensor_bytes(info), Some(&[0; 8][..]));
//! # Ok::<(), synapse_diag::Diagnostic>(())
//! ```
#![deny(unsafe_code)]

mod gguf;
pub mod limits;
mod map;
mod metadata;
mod name_index;
mod tensor_type;
mod value;
mod write;

pub use gguf::{Gguf, Load, Part, TensorInfo};
pub use metadata::Metadata;
pub use tensor_type::TensorType;
pub use value::{Array, GgufString, StringArray, Value, ValueType};
pub use write::GgufWriter;
