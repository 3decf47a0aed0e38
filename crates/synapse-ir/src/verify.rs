//! The verifier: a graph must not contradict itself, whoever built it.

use synapse_diag::{Diagnostic, catalog::bind as rule};

use crate::graph::{ModelGraph, OutputKind, ValueId};
use crate::region::{RegionKind, WhenSkipped, derive};
use crate::shape::{Operands, infer};

/// Checks single assignment, order, ids, shapes, regions and their boundaries.
///
/// # Errors
/// The first contradiction: later checks index by what earlier ones have established.
pub fn verify(graph: &ModelGraph) -> Result<(), Diagnostic> {
    [ids, assignment, shapes, partition, boundaries, slots]
        .into_iter()
        .try_for_each(|check| check(graph))
        .map_err(|what| Diagnostic::new(&rule::GRAPH).arg("what", what))
}

fn ids(graph: &ModelGraph) -> Result<(), String> {
    let known = |v: ValueId| v.index() < graph.values.len();
    for (n, node) in graph.nodes.iter().enumerate() {
        if !node.inputs.iter().copied().chain([node.output]).all(known) {
            return Err(format!("node {n} names a value that does not exist"));
        }
        if node.op.weights().any(|w| w.index() >= graph.weights.len()) {
            return Err(format!("node {n} names a weight that does not exist"));
        }
        if node.op.slot().is_some_and(|s| s.index() >= graph.slots.len()) {
            return Err(format!("node {n} names a state slot that does not exist"));
        }
    }
    if known(graph.output) { Ok(()) } else { Err("the output does not exist".into()) }
}

fn assignment(graph: &ModelGraph) -> Result<(), String> {
    let mut defined = vec![false; graph.values.len()];
    for input in [ModelGraph::TOKENS, ModelGraph::POSITIONS] {
        match defined.get_mut(input.index()) {
            Some(slot) => *slot = true,
            None => return Err("an input of the graph does not exist".into()),
        }
    }
    for (n, node) in graph.nodes.iter().enumerate() {
        if let Some(early) = node.inputs.iter().find(|v| !defined[v.index()]) {
            return Err(format!("node {n} reads value {} before it is defined", early.0));
        }
        if std::mem::replace(&mut defined[node.output.index()], true) {
            return Err(format!("node {n} defines value {} a second time", node.output.0));
        }
    }
    match defined.iter().position(|d| !d) {
        None => Ok(()),
        Some(v) => Err(format!("value {v} is never defined")),
    }
}

fn shapes(graph: &ModelGraph) -> Result<(), String> {
    for (n, node) in graph.nodes.iter().enumerate() {
        let inputs: Vec<_> = node.inputs.iter().map(|&v| graph.value(v).shape).collect();
        let operands = Operands {
            inputs: &inputs,
            weight: node.op.weights().next().map(|w| graph.weight(w)),
            slot: node.op.slot().map(|s| graph.slot(s)),
        };
        let declared = graph.value(node.output).shape;
        match infer(&node.op, &operands) {
            Ok(shape) if shape == declared => {}
            Ok(shape) => return Err(format!("node {n} yields {shape}, declared is {declared}")),
            Err(misfit) => return Err(format!("node {n} does not fit its operands: {misfit:?}")),
        }
    }
    let output = graph.value(graph.output).shape;
    if output.width != graph.output_width {
        return Err("the output's width is not the declared one".into());
    }
    if graph.output_kind == OutputKind::Logits && output.width != graph.vocab_size {
        return Err("logits are not as wide as the vocabulary".into());
    }
    Ok(())
}

/// Regions follow one another without gap: prologue, every layer, epilogue.
fn partition(graph: &ModelGraph) -> Result<(), String> {
    let mut next = 0;
    for (r, region) in graph.regions.iter().enumerate() {
        if region.nodes.start != next || region.nodes.end < next {
            return Err(format!("region {r} does not begin where the one before it ends"));
        }
        next = region.nodes.end;
        let wanted = match r {
            0 => RegionKind::Prologue,
            r if r <= graph.layers => RegionKind::Layer(r - 1),
            _ => RegionKind::Epilogue,
        };
        if region.kind != wanted {
            return Err(format!("region {r} is {:?}, expected is {wanted:?}", region.kind));
        }
    }
    if next as usize != graph.nodes.len() || graph.regions.len() != graph.layers + 2 {
        return Err("the regions do not cover the graph".into());
    }
    Ok(())
}

fn boundaries(graph: &ModelGraph) -> Result<(), String> {
    for (r, (region, derived)) in graph.regions.iter().zip(derive(graph)).enumerate() {
        for (what, same) in [
            ("inputs", region.inputs == derived.inputs),
            ("outputs", region.outputs == derived.outputs),
            ("state", region.state == derived.state),
            ("weights", region.weights == derived.weights),
        ] {
            if !same {
                return Err(format!("region {r} declares other {what} than its nodes have"));
            }
        }
        if region.when_skipped == WhenSkipped::Bypass {
            let pass = match (region.inputs.first(), region.outputs.first()) {
                (Some(&i), Some(&o)) => graph.value(i).shape == graph.value(o).shape,
                _ => false,
            };
            if !pass || region.outputs.len() != 1 {
                return Err(format!("region {r} cannot be bypassed: input and output differ"));
            }
        }
    }
    Ok(())
}

/// Each slot has exactly one node that writes it.
fn slots(graph: &ModelGraph) -> Result<(), String> {
    let mut writers = vec![0usize; graph.slots.len()];
    for node in &graph.nodes {
        if let Some(slot) = node.op.slot() {
            writers[slot.index()] += 1;
        }
    }
    match writers.iter().position(|&n| n != 1) {
        None => Ok(()),
        Some(s) => Err(format!("state slot {s} has {} writers", writers[s])),
    }
}
