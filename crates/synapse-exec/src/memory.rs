//! What a sequence will need, before it starts.

use synapse_kernels::kv::{KvShape, PAGE};

use crate::executor::Select;
use crate::program::Program;

/// Bytes that one sequence takes at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Keys and values.
    pub kv_bytes: u64,
    /// Working buffers.
    pub buffer_bytes: u64,
}

impl MemoryPlan {
    /// Both together.
    pub fn total(&self) -> u64 {
        self.kv_bytes.saturating_add(self.buffer_bytes)
    }
}

impl Program {
    /// What a sequence of `context` positions takes when it is fed in pieces of `chunk` and yields
    /// the rows of `select`.
    pub fn memory(&self, context: usize, chunk: usize, select: Select) -> MemoryPlan {
        let chunk = chunk.clamp(1, context.max(1));
        let mut kv_bytes = 0u64;
        for slot in &self.graph.slots {
            // A window holds the keys it shows, the piece that is being added, and the rest of the
            // page at its left edge.
            let held = match slot.window {
                Some(window) => context.min(window.saturating_add(chunk).saturating_add(PAGE)),
                None => context,
            };
            let page = KvShape {
                kv_heads: slot.kv_heads,
                key_dim: slot.key_dim,
                value_dim: slot.value_dim,
                ty: self.kv,
            }
            .page_bytes();
            let bytes = (held.div_ceil(PAGE) as u64).saturating_mul(page as u64);
            kv_bytes = kv_bytes.saturating_add(bytes);
        }
        let tokens = self.piece(chunk, select);
        let selected = match select {
            Select::Last => 1,
            Select::All => tokens,
        };
        let floats = self.widths.iter().map(|w| w.floats(tokens, selected) as u64);
        let floats = floats.fold(0, u64::saturating_add);
        MemoryPlan { kv_bytes, buffer_bytes: floats.saturating_mul(4) }
    }
}
