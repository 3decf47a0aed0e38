//! What one sequence keeps from call to call: its length, keys and values, and working buffers.

use synapse_kernels::kv::{KvShape, LayerKv};
use synapse_kernels::quantize::QuantizedRows;
use synapse_kernels::rope::RopeAngles;

use crate::program::Program;

/// The state of one sequence. Made by [`Program::new_state`], used with that program only.
pub struct State {
    pub(crate) len: usize,
    /// By state slot.
    pub(crate) layers: Vec<LayerKv>,
    /// Positions before this one are gone from some layer.
    pub(crate) kept_from: usize,
    pub(crate) work: Work,
}

/// Working memory; it holds nothing between two calls.
#[derive(Default)]
pub(crate) struct Work {
    /// By buffer.
    pub buffers: Vec<Vec<f32>>,
    /// By buffer: how many rows it holds now.
    pub rows: Vec<usize>,
    pub quantized: QuantizedRows,
    /// By rotary table.
    pub angles: Vec<RopeAngles>,
    pub positions: Vec<u32>,
}

impl Program {
    /// The state of an empty sequence.
    pub fn new_state(&self) -> State {
        let layers = self.graph.slots.iter().map(|slot| {
            LayerKv::new(KvShape {
                kv_heads: slot.kv_heads,
                key_dim: slot.key_dim,
                value_dim: slot.value_dim,
                ty: self.kv,
            })
        });
        State {
            len: 0,
            layers: layers.collect(),
            kept_from: 0,
            work: Work {
                buffers: vec![Vec::new(); self.widths.len()],
                rows: vec![0; self.widths.len()],
                angles: vec![RopeAngles::default(); self.tables.len()],
                ..Work::default()
            },
        }
    }
}

impl State {
    /// Positions that have been run.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing has been run.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of keys and values that are held now.
    pub fn bytes_held(&self) -> usize {
        self.layers.iter().map(LayerKv::bytes_held).sum()
    }

    /// Forgets the positions from `len` on. `false`, and nothing is changed, where a sliding window
    /// has already given back what the remaining positions would need.
    #[must_use]
    pub fn truncate(&mut self, len: usize) -> bool {
        if len >= self.len {
            return true;
        }
        if len > 0 && self.kept_from > 0 {
            return false;
        }
        self.len = len;
        self.kept_from = 0;
        self.layers.iter_mut().for_each(|layer| layer.truncate(len));
        true
    }
}
