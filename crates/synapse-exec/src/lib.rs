//! Runs a Model IR: the reference interpreter, the lowering to the Execution IR, and the one
//! executor.
//!
//! * [`Interpreter`]: scalar, one function per operation, the whole input at once. The oracle.
//! * [`Program`]: the graph lowered for one precision, one fused list of [`program::Step`]s per
//!   region, buffers planned once, weights read where the file lies.
//! * [`State`]: what one sequence keeps from call to call.
//!
//! Invariants: both give the same bits (`docs/numerics.md`); no bit depends on how the input was
//! cut into calls and pieces, nor on threads; no weight is ever expanded whole.
//!
//! ```no_run
//! # fn show(graph: synapse_ir::ModelGraph, file: synapse_format::Gguf)
//! # -> Result<(), synapse_diag::Diagnostic> {
//! use synapse_exec::{Precision, Program, Select};
//! use synapse_kernels::{Isa, Kernels, kv::KvType};
//! let program = Program::new(graph.into(), file.into(), Precision::Q8, KvType::F16)?;
//! let kernels = Kernels::new(2, Isa::detect());
//! let mut state = program.new_state();
//! let mut logits = Vec::new();
//! program.run(&kernels, &mut state, &[1, 2, 3], Select::Last, 512, &mut logits)?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod buffers;
mod executor;
mod interpreter;
mod lower;
mod memory;
mod precision;
pub mod program;
mod state;
mod weights;

pub use buffers::Widths;
pub use executor::{Select, Watch};
pub use interpreter::Interpreter;
pub use memory::MemoryPlan;
pub use precision::{Precision, default_precision};
pub use program::Program;
pub use state::State;
