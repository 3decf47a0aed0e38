//! The weights of a graph in the file that holds them.

use std::sync::Arc;

use synapse_diag::{Diagnostic, catalog::run as rule};
use synapse_format::{Gguf, TensorInfo, TensorType};
use synapse_ir::{ModelGraph, WeightId};
use synapse_kernels::blocks::{WeightView, supported};
use synapse_kernels::reference::expand::expand_row;

/// Views into an open file, one for each weight of a graph. Checked once, when made.
pub(crate) struct Weights {
    file: Arc<Gguf>,
    /// By [`WeightId`].
    tensors: Vec<TensorInfo>,
}

impl Weights {
    /// # Errors
    /// A type that no kernel knows, or bytes that are not there.
    pub fn new(graph: &ModelGraph, file: Arc<Gguf>) -> Result<Weights, Diagnostic> {
        let mut tensors = Vec::with_capacity(graph.weights.len());
        for weight in &graph.weights {
            if !supported(weight.encoding) {
                let known: Vec<_> =
                    TensorType::ALL.iter().filter(|t| supported(**t)).map(|t| t.name()).collect();
                return Err(Diagnostic::new(&rule::TENSOR_TYPE)
                    .arg("name", &weight.name)
                    .arg("type", weight.encoding.name())
                    .arg("known", known.join(" ")));
            }
            match file.tensor(&weight.name) {
                Some(info) if view(&file, info).is_some() => tensors.push(info.clone()),
                _ => {
                    return Err(Diagnostic::new(&rule::TENSOR_BYTES)
                        .arg("name", &weight.name)
                        .arg("bytes", weight.source.2));
                }
            }
        }
        Ok(Weights { file, tensors })
    }

    /// The weight as a matrix.
    pub fn view(&self, id: WeightId) -> WeightView<'_> {
        view(&self.file, &self.tensors[id.index()]).expect("checked when made")
    }

    /// A vector weight, expanded: norms, biases, factors.
    pub fn vector(&self, id: WeightId) -> Vec<f32> {
        let view = self.view(id);
        let mut out = vec![0.0; view.cols];
        expand_row(view, 0, &mut out);
        out
    }
}

fn view<'f>(file: &'f Gguf, info: &TensorInfo) -> Option<WeightView<'f>> {
    let rows = usize::try_from(info.rows()).ok()?;
    let cols = usize::try_from(info.row_elements()).ok()?;
    WeightView::new(info.ty, rows, cols, file.tensor_bytes(info)?)
}
