//! Binds a definition to a model file and yields the Model IR: what may run.
//!
//! * [`bind`] resolves every key, tensor, constant and shape of a definition against one file.
//! * [`ModelGraph`] is a typed graph in single-assignment form, cut into coarse [`Region`]s.
//! * [`verify`] recomputes shapes and region boundaries and compares them with what is declared.
//! * [`ModelGraph::fingerprint`] names the function that the graph computes.
//!
//! Invariants: a graph that left `bind` has passed `verify`; every attribute an operation needs
//! stands in its node; no name of an architecture is known here; no weight is read.
//!
//! ```
//! use synapse_format::Gguf;
//! # fn load(file: &Gguf, text: &[u8]) -> Result<(), synapse_diag::Diagnostics> {
//! let definition = synapse_archdef::parse("tiny.archdef", text, None)?;
//! let bound = synapse_ir::bind(&definition, file)?;
//! println!("{} layers, {} regions", bound.graph.layers, bound.graph.regions.len());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod bind;
mod build;
mod constant;
mod fingerprint;
mod graph;
mod information;
mod keys;
mod region;
mod rotation;
mod shape;
mod verify;

pub use bind::{Bound, bind};
pub use graph::{
    Activation, Dim, ElementType, ModelGraph, Node, NodeId, Op, OutputKind, RopePairs, Shape,
    SlotId, StateSlot, Value, ValueId, Weight, WeightId,
};
pub use information::{INFORMATION, Information};
pub use region::{Decision, Provenance, Region, RegionKind, WhenSkipped};
pub use verify::verify;
