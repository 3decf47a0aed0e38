//! The Execution IR: how a graph runs, at one precision. Steps name buffers, weights and tables by
//! index; they are made by `lower` and run by `executor`.

use std::sync::Arc;

use synapse_diag::Diagnostic;
use synapse_format::Gguf;
use synapse_ir::{ModelGraph, SlotId, WeightId};
use synapse_kernels::attention::AttentionSpec;
use synapse_kernels::kv::KvType;
use synapse_kernels::rope::{RopePairs, RopeTable};
use synapse_kernels::rows::Activation;

use crate::buffers::Widths;
use crate::precision::Precision;
use crate::weights::Weights;

/// Index of a working buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer(pub(crate) usize);

/// Index of an expanded vector weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vector(pub(crate) usize);

/// Index of a rotary table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table(pub(crate) usize);

/// One call of kernels. `rows` are all tokens of the pass before a [`Step::Select`], the selected
/// ones from it on.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "fields are named as in the operation's formula")]
pub enum Step {
    /// Rows of a table, by token.
    Embed { table: WeightId, out: Buffer },
    /// `out = rms_norm(x)`.
    Norm { x: Buffer, weight: Vector, epsilon: f32, out: Buffer },
    /// Rounds rows to int8 blocks, for the products that follow.
    Quantize { x: Buffer, width: usize },
    /// Products that share their input: the newest quantized rows, or x in float order.
    Products { x: Buffer, quantized: bool, parts: Vec<(WeightId, Buffer)> },
    /// `x += bias`.
    AddBias { x: Buffer, bias: Vector, width: usize },
    /// `rms_norm` of each head, in place.
    NormHeads { x: Buffer, weight: Vector, epsilon: f32, width: usize },
    /// Rotation in place.
    Rope { x: Buffer, heads: usize, head_dim: usize, table: Table, pairs: RopePairs },
    /// Appends k and v to the slot and attends.
    Attention {
        q: Buffer,
        k: Buffer,
        v: Buffer,
        out: Buffer,
        heads: usize,
        slot: SlotId,
        spec: AttentionSpec,
    },
    /// `x = activation(x)`.
    Activate { x: Buffer, activation: Activation, width: usize },
    /// `x = activation(x) * y`.
    ActivateMul { x: Buffer, activation: Activation, y: Buffer, width: usize },
    /// `x *= y`.
    Mul { x: Buffer, y: Buffer, width: usize },
    /// `x += y`.
    Add { x: Buffer, y: Buffer, width: usize },
    /// `x *= factor`.
    Scale { x: Buffer, factor: f32, width: usize },
    /// `out = x`.
    Copy { x: Buffer, out: Buffer, width: usize },
    /// `out =` the selected rows of x; from here on there are only those.
    Select { x: Buffer, out: Buffer, width: usize },
}

/// A graph lowered for one precision and one type of keys and values, with its weights.
pub struct Program {
    pub(crate) graph: Arc<ModelGraph>,
    pub(crate) weights: Weights,
    pub(crate) precision: Precision,
    pub(crate) kv: KvType,
    /// By region.
    pub(crate) steps: Vec<Vec<Step>>,
    /// By buffer.
    pub(crate) widths: Vec<Widths>,
    pub(crate) vectors: Vec<Vec<f32>>,
    pub(crate) tables: Vec<RopeTable>,
    pub(crate) output: Buffer,
}

impl Program {
    /// Lowers a graph. Reads the vector weights; matrices stay where they lie.
    ///
    /// # Errors
    /// A weight whose type is not known or whose bytes are not there.
    pub fn new(
        graph: Arc<ModelGraph>,
        file: Arc<Gguf>,
        precision: Precision,
        kv: KvType,
    ) -> Result<Program, Diagnostic> {
        let weights = Weights::new(&graph, file)?;
        Ok(crate::lower::lower(graph, weights, precision, kv))
    }

    /// The graph that was lowered.
    pub fn graph(&self) -> &ModelGraph {
        &self.graph
    }

    /// The profile that it was lowered for.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// How keys and values are kept.
    pub fn kv(&self) -> KvType {
        self.kv
    }

    /// The steps of a region, prologue first.
    pub fn region_steps(&self, region: usize) -> Option<&[Step]> {
        self.steps.get(region).map(Vec::as_slice)
    }

    /// Working buffers, by row width.
    pub fn buffer_widths(&self) -> &[Widths] {
        &self.widths
    }
}
