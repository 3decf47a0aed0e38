//! Regions: the coarse parts of a graph, each with boundaries and an activation.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::graph::{ModelGraph, SlotId, ValueId, WeightId};

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// What runs before the layers.
    Prologue,
    /// One layer.
    Layer(usize),
    /// What runs after the layers.
    Epilogue,
}

/// What decides whether a region runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Decision {
    /// It always runs.
    Always = 0,
    /// A boolean value.
    Predicate = 1,
    /// A slot of a top-k choice.
    RouteSlot = 2,
    /// A profile that the session chose.
    Profile = 3,
}

/// Where the decision comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// It is the model's own function.
    Structural,
    /// A program's rule that keeps the function.
    Programmed,
    /// A trained policy, by hash.
    Trained([u8; 32]),
    /// An approximation, by the hash of its evaluation.
    Approximate([u8; 32]),
}

/// What holds when a region does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WhenSkipped {
    /// It cannot be skipped.
    NotSkippable = 0,
    /// Its outputs are absent; consumers tolerate that.
    Absent = 1,
    /// Its input passes through to its output.
    Bypass = 2,
}

/// A part of the graph. Boundaries are declared here and derived again by the verifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// What it is.
    pub kind: RegionKind,
    /// Its nodes, as a range of the graph's list.
    pub nodes: Range<u32>,
    /// Values from outside that its nodes read.
    pub inputs: BTreeSet<ValueId>,
    /// Values of its nodes that are read outside, or that are the graph's output.
    pub outputs: BTreeSet<ValueId>,
    /// State that its nodes read and write.
    pub state: BTreeSet<SlotId>,
    /// Weights that its nodes read.
    pub weights: BTreeSet<WeightId>,
    /// What decides whether it runs.
    pub decision: Decision,
    /// Where that decision comes from.
    pub provenance: Provenance,
    /// What holds when it does not run.
    pub when_skipped: WhenSkipped,
}

/// What a region's nodes touch.
#[derive(Debug, PartialEq)]
pub(crate) struct Boundary {
    pub inputs: BTreeSet<ValueId>,
    pub outputs: BTreeSet<ValueId>,
    pub state: BTreeSet<SlotId>,
    pub weights: BTreeSet<WeightId>,
}

impl Region {
    /// A region of the model's own function that always runs, with boundaries still empty.
    pub(crate) fn always(kind: RegionKind, nodes: Range<u32>) -> Region {
        Region {
            kind,
            nodes,
            inputs: BTreeSet::new(),
            outputs: BTreeSet::new(),
            state: BTreeSet::new(),
            weights: BTreeSet::new(),
            decision: Decision::Always,
            provenance: Provenance::Structural,
            when_skipped: WhenSkipped::NotSkippable,
        }
    }

    /// The indices of its nodes.
    pub fn node_indices(&self) -> Range<usize> {
        self.nodes.start as usize..self.nodes.end as usize
    }
}

/// Derives the boundary of every region from the nodes, in one pass over the graph.
pub(crate) fn derive(graph: &ModelGraph) -> Vec<Boundary> {
    let mut home = vec![usize::MAX; graph.values.len()];
    for (r, region) in graph.regions.iter().enumerate() {
        for node in &graph.nodes[region.node_indices()] {
            home[node.output.index()] = r;
        }
    }
    let mut bounds: Vec<Boundary> = graph
        .regions
        .iter()
        .map(|_| Boundary {
            inputs: BTreeSet::new(),
            outputs: BTreeSet::new(),
            state: BTreeSet::new(),
            weights: BTreeSet::new(),
        })
        .collect();
    for (r, region) in graph.regions.iter().enumerate() {
        for node in &graph.nodes[region.node_indices()] {
            for &input in &node.inputs {
                let from = home[input.index()];
                if from != r {
                    bounds[r].inputs.insert(input);
                    if let Some(source) = bounds.get_mut(from) {
                        source.outputs.insert(input);
                    }
                }
            }
            bounds[r].state.extend(node.op.slot());
            bounds[r].weights.extend(node.op.weights());
        }
    }
    if let Some(last) = bounds.get_mut(home[graph.output.index()]) {
        last.outputs.insert(graph.output);
    }
    bounds
}
