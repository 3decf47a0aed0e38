//! The reference interpreter: one function per operation, scalar, readable. It is the oracle for
//! the executor and takes the whole input at once.

use std::sync::Arc;

use synapse_diag::Diagnostic;
use synapse_format::Gguf;
use synapse_ir::{ModelGraph, Node, Op, RopePairs, ValueId};
use synapse_kernels::attention::AttentionSpec;
use synapse_kernels::kv::KvType;
use synapse_kernels::reference::{attention, expand, product, rope, rows};

use crate::precision::Precision;
use crate::weights::Weights;

/// Interprets a graph, node by node.
pub struct Interpreter {
    graph: Arc<ModelGraph>,
    weights: Weights,
    precision: Precision,
    kv: KvType,
}

impl Interpreter {
    /// # Errors
    /// A weight whose type is not known or whose bytes are not there.
    pub fn new(
        graph: Arc<ModelGraph>,
        file: Arc<Gguf>,
        precision: Precision,
        kv: KvType,
    ) -> Result<Interpreter, Diagnostic> {
        let weights = Weights::new(&graph, file)?;
        Ok(Interpreter { graph, weights, precision, kv })
    }

    /// The output rows of all positions, `[tokens][output width]`.
    ///
    /// # Errors
    /// A token that is not in the vocabulary; an output that is not finite.
    pub fn run(&self, tokens: &[u32]) -> Result<Vec<f32>, Diagnostic> {
        crate::executor::check_tokens(&self.graph, tokens, 0)?;
        let mut values: Vec<Vec<f32>> = vec![Vec::new(); self.graph.values.len()];
        for node in &self.graph.nodes {
            let out = self.node(node, tokens, &values);
            values[node.output.index()] = out;
        }
        let out = std::mem::take(&mut values[self.graph.output.index()]);
        crate::executor::check_finite(&out, self.graph.output_width, 0)?;
        Ok(out)
    }

    fn node(&self, node: &Node, tokens: &[u32], values: &[Vec<f32>]) -> Vec<f32> {
        let n = tokens.len();
        let input = |i: usize| -> &Vec<f32> { &values[node.inputs[i].index()] };
        let width = |id: ValueId| self.graph.value(id).shape.width;
        let out_width = width(node.output);
        match &node.op {
            Op::Embed { table } => {
                let table = self.weights.view(*table);
                let mut out = vec![0.0; n * table.cols];
                for (row, &token) in out.chunks_exact_mut(table.cols).zip(tokens) {
                    expand::expand_row(table, token as usize, row);
                }
                out
            }
            Op::RmsNorm { weight, epsilon } => {
                let mut out = vec![0.0; input(0).len()];
                rows::rms_norm(input(0), &self.weights.vector(*weight), *epsilon, &mut out);
                out
            }
            Op::Matmul { weight } => {
                let w = self.weights.view(*weight);
                let mut out = vec![0.0; n * out_width];
                match self.precision.rounds(w.ty) {
                    true => product::product_q8(w, input(0), n, &mut out),
                    false => product::product_f32(w, input(0), n, &mut out),
                }
                out
            }
            Op::AddBias { bias } => {
                let mut out = input(0).clone();
                rows::add_bias(&mut out, &self.weights.vector(*bias));
                out
            }
            Op::NormHeads { weight, epsilon, .. } => {
                let mut out = input(0).clone();
                rows::rms_norm_heads(&mut out, &self.weights.vector(*weight), *epsilon);
                out
            }
            Op::Rope { heads, dims, pairs, base, scale, factors } => {
                let factors = factors.map(|f| self.weights.vector(f));
                let inv: Vec<f32> = (0..dims / 2)
                    .map(|i| {
                        let factor = factors.as_ref().map_or(1.0, |f| f[i]);
                        rope::inverse_frequency(i, *dims, *base, *scale, factor)
                    })
                    .collect();
                let mut out = input(0).clone();
                let positions: Vec<u32> = (0..n as u32).collect();
                rope::rope(&mut out, *heads, out_width / heads, &inv, pairs_of(*pairs), &positions);
                out
            }
            Op::Attention { heads, scale, window, causal, slot } => {
                let slot = self.graph.slot(*slot);
                let keep = |x: &[f32]| -> Vec<f32> {
                    x.iter().map(|&x| attention::stored(x, self.kv)).collect()
                };
                let spec = AttentionSpec { scale: *scale, window: *window, causal: *causal };
                let mut out = vec![0.0; n * out_width];
                let (keys, values) = (keep(input(1)), keep(input(2)));
                if n > 0 {
                    attention::attention(
                        input(0),
                        *heads,
                        &keys,
                        &values,
                        slot.kv_heads,
                        0,
                        n,
                        spec,
                        &mut out,
                    );
                }
                out
            }
            Op::Activate(activation) => {
                let mut out = input(0).clone();
                rows::activate(activation_of(*activation), &mut out);
                out
            }
            Op::Mul => {
                let mut out = input(0).clone();
                rows::mul(&mut out, input(1));
                out
            }
            Op::Add => {
                let mut out = input(0).clone();
                rows::add(&mut out, input(1));
                out
            }
            Op::Scale { factor } => {
                let mut out = input(0).clone();
                rows::scale(&mut out, *factor);
                out
            }
            Op::Copy | Op::Last => input(0).clone(),
        }
    }
}

/// The kernels' name of a pairing.
pub(crate) fn pairs_of(pairs: RopePairs) -> synapse_kernels::rope::RopePairs {
    match pairs {
        RopePairs::Halves => synapse_kernels::rope::RopePairs::Halves,
        RopePairs::Interleaved => synapse_kernels::rope::RopePairs::Interleaved,
    }
}

/// The kernels' name of an activation.
pub(crate) fn activation_of(
    activation: synapse_ir::Activation,
) -> synapse_kernels::rows::Activation {
    use synapse_kernels::rows::Activation as Kernel;
    match activation {
        synapse_ir::Activation::Silu => Kernel::Silu,
        synapse_ir::Activation::Gelu => Kernel::Gelu,
        synapse_ir::Activation::GeluTanh => Kernel::GeluTanh,
        synapse_ir::Activation::Relu => Kernel::Relu,
    }
}
