//! Precision profiles: what a matrix product does with its activations.

use synapse_format::TensorType;
use synapse_ir::{ModelGraph, Op};
use synapse_kernels::blocks::quantized;

/// A profile of `docs/numerics.md` section 2. What a name means never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Weights expanded, activations f32.
    F32,
    /// Quantized weights meet int8 activations.
    Q8,
}

impl Precision {
    /// Whether a product with such a weight rounds its activations to int8.
    pub fn rounds(self, weight: TensorType) -> bool {
        self == Precision::Q8 && quantized(weight)
    }

    /// As flags and results spell it.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Q8 => "q8",
        }
    }

    /// The profile of a name.
    pub fn from_name(name: &str) -> Option<Precision> {
        [Precision::F32, Precision::Q8].into_iter().find(|p| p.name() == name)
    }
}

/// `q8` where a matrix of the model is quantized, else `f32`.
pub fn default_precision(graph: &ModelGraph) -> Precision {
    let any = graph.nodes.iter().any(|node| match node.op {
        Op::Matmul { weight } => Precision::Q8.rounds(graph.weight(weight).encoding),
        _ => false,
    });
    if any { Precision::Q8 } else { Precision::F32 }
}
