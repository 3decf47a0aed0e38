//! The fingerprint: SHA-256 over every semantic field of a graph in a fixed byte encoding.
//!
//! Left out are annotations (labels, lines), where bytes lie, and the context length. Each field is
//! written with a tag or a length before it, so two different graphs never write the same bytes.

use sha2::{Digest, Sha256};

use crate::graph::{Dim, ElementType, ModelGraph, Node, Op, StateSlot, Weight};
use crate::region::{Provenance, Region, RegionKind};

/// Changes with every change of the encoding.
const VERSION: &[u8] = b"synapse model graph 1";

impl ModelGraph {
    /// Names the function that the graph computes, its weights by name, encoding and shape.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut w = Writer(Sha256::new());
        w.bytes(VERSION);
        w.bytes(self.architecture.as_bytes());
        w.number(self.layers);
        w.number(self.vocab_size);
        w.byte(self.output_kind as u8);
        w.byte(self.causal.into());
        w.list(&self.values, |w, v| {
            w.byte(match v.element {
                ElementType::F32 => 0,
                ElementType::U32 => 1,
            });
            w.byte(match v.shape.rows {
                Dim::Tokens => 0,
                Dim::Selected => 1,
            });
            w.number(v.shape.width);
        });
        w.list(&self.weights, Writer::weight);
        w.list(&self.slots, Writer::slot);
        w.list(&self.nodes, Writer::node);
        w.list(&self.regions, Writer::region);
        w.number(self.output.index());
        w.0.finalize().into()
    }

    /// [`ModelGraph::fingerprint`] in lower-case hexadecimal.
    pub fn fingerprint_hex(&self) -> String {
        self.fingerprint().iter().map(|b| format!("{b:02x}")).collect()
    }
}

struct Writer(Sha256);

impl Writer {
    fn byte(&mut self, b: u8) {
        self.0.update([b]);
    }

    fn number(&mut self, n: usize) {
        self.0.update((n as u64).to_le_bytes());
    }

    fn bytes(&mut self, b: &[u8]) {
        self.number(b.len());
        self.0.update(b);
    }

    fn list<T>(&mut self, items: &[T], write: fn(&mut Writer, &T)) {
        self.number(items.len());
        for item in items {
            write(self, item);
        }
    }

    fn option(&mut self, n: Option<usize>) {
        match n {
            None => self.byte(0),
            Some(n) => {
                self.byte(1);
                self.number(n);
            }
        }
    }

    fn float(&mut self, x: f64) {
        self.0.update(x.to_bits().to_le_bytes());
    }

    fn weight(&mut self, weight: &Weight) {
        self.bytes(weight.name.as_bytes());
        self.bytes(weight.encoding.name().as_bytes());
        self.number(weight.cols);
        self.number(weight.rows);
    }

    fn slot(&mut self, slot: &StateSlot) {
        self.number(slot.kv_heads);
        self.number(slot.key_dim);
        self.number(slot.value_dim);
        self.option(slot.window);
    }

    fn node(&mut self, node: &Node) {
        match &node.op {
            Op::Embed { table } => {
                self.byte(0);
                self.number(table.index());
            }
            Op::RmsNorm { weight, epsilon } => {
                self.byte(1);
                self.number(weight.index());
                self.float(f64::from(*epsilon));
            }
            Op::Matmul { weight } => {
                self.byte(2);
                self.number(weight.index());
            }
            Op::AddBias { bias } => {
                self.byte(3);
                self.number(bias.index());
            }
            Op::NormHeads { weight, heads, epsilon } => {
                self.byte(4);
                self.number(weight.index());
                self.number(*heads);
                self.float(f64::from(*epsilon));
            }
            Op::Rope { heads, dims, pairs, base, scale, factors } => {
                self.byte(5);
                self.number(*heads);
                self.number(*dims);
                self.byte(*pairs as u8);
                self.float(*base);
                self.float(*scale);
                self.option(factors.map(|f| f.index()));
            }
            Op::Attention { heads, scale, window, causal, slot } => {
                self.byte(6);
                self.number(*heads);
                self.float(f64::from(*scale));
                self.option(*window);
                self.byte(u8::from(*causal));
                self.number(slot.index());
            }
            Op::Activate(activation) => {
                self.byte(7);
                self.byte(*activation as u8);
            }
            Op::Mul => self.byte(8),
            Op::Add => self.byte(9),
            Op::Scale { factor } => {
                self.byte(10);
                self.float(f64::from(*factor));
            }
            Op::Copy => self.byte(11),
            Op::Last => self.byte(12),
        }
        self.list(&node.inputs, |w, v| w.number(v.index()));
        self.number(node.output.index());
    }

    fn region(&mut self, region: &Region) {
        match region.kind {
            RegionKind::Prologue => self.byte(0),
            RegionKind::Layer(i) => {
                self.byte(1);
                self.number(i);
            }
            RegionKind::Epilogue => self.byte(2),
        }
        self.number(region.node_indices().len());
        self.byte(region.decision as u8);
        match region.provenance {
            Provenance::Structural => self.byte(0),
            Provenance::Programmed => self.byte(1),
            Provenance::Trained(hash) => {
                self.byte(2);
                self.bytes(&hash);
            }
            Provenance::Approximate(hash) => {
                self.byte(3);
                self.bytes(&hash);
            }
        }
        self.byte(region.when_skipped as u8);
    }
}
