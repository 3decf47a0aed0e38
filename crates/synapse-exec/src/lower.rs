//! Lowering: nodes become steps. What is fused here changes no bit:
//!
//! * products that read the same value run as one step (q/k/v; gate and up), with one rounding of
//!   that value to int8;
//! * an activation whose only reader is a product of elements runs with it;
//! * whatever can work in place does.

use std::collections::HashMap;
use std::sync::Arc;

use synapse_ir::{ModelGraph, Node, Op, Shape, ValueId, WeightId};
use synapse_kernels::attention::AttentionSpec;
use synapse_kernels::kv::KvType;
use synapse_kernels::rope::RopeTable;

use crate::buffers::Planner;
use crate::interpreter::{activation_of, pairs_of};
use crate::precision::Precision;
use crate::program::{Buffer, Program, Step, Table, Vector};
use crate::weights::Weights;

/// What becomes one step (beside copies and roundings).
enum Item<'g> {
    One(&'g Node),
    /// Products with the same input, in the same order of rounding.
    Products(Vec<&'g Node>),
    /// An activation and the product of elements that reads it.
    ActivateMul(&'g Node, &'g Node),
}

impl<'g> Item<'g> {
    fn nodes(&self) -> Vec<&'g Node> {
        match self {
            Item::One(node) => vec![node],
            Item::Products(nodes) => nodes.clone(),
            Item::ActivateMul(a, m) => vec![a, m],
        }
    }
}

pub(crate) fn lower(
    graph: Arc<ModelGraph>,
    weights: Weights,
    precision: Precision,
    kv: KvType,
) -> Program {
    let readers = readers(&graph);
    let schedule: Vec<Vec<Item<'_>>> = graph
        .regions
        .iter()
        .map(|region| schedule(&graph, region.node_indices(), precision, &readers))
        .collect();

    let mut last_use = vec![0; graph.values.len()];
    for (now, item) in schedule.iter().flatten().enumerate() {
        for node in item.nodes() {
            for value in node.inputs.iter().chain([&node.output]) {
                last_use[value.index()] = now;
            }
        }
    }
    last_use[graph.output.index()] = usize::MAX;

    let mut lowering = Lowering {
        graph: &graph,
        weights: &weights,
        precision,
        plan: Planner::new(last_use),
        vectors: Vec::new(),
        vector_of: HashMap::new(),
        tables: Vec::new(),
        table_keys: Vec::new(),
        rounded: None,
        steps: Vec::new(),
    };
    let mut now = 0;
    let mut steps = Vec::with_capacity(schedule.len());
    for items in &schedule {
        lowering.rounded = None;
        for item in items {
            lowering.item(item, now);
            let nodes = item.nodes();
            let touched = nodes.iter().flat_map(|n| n.inputs.iter().chain([&n.output])).copied();
            lowering.plan.release(touched, now);
            now += 1;
        }
        steps.push(std::mem::take(&mut lowering.steps));
    }
    let output = lowering.plan.of(graph.output);
    let Lowering { plan, vectors, tables, .. } = lowering;
    let widths = plan.into_widths();
    drop(schedule);
    Program { graph, weights, precision, kv, steps, widths, vectors, tables, output }
}

/// How many nodes read each value.
fn readers(graph: &ModelGraph) -> Vec<usize> {
    let mut readers = vec![0; graph.values.len()];
    for node in &graph.nodes {
        for input in &node.inputs {
            readers[input.index()] += 1;
        }
    }
    readers[graph.output.index()] += 1;
    readers
}

fn rounds(graph: &ModelGraph, node: &Node, precision: Precision) -> Option<bool> {
    match node.op {
        Op::Matmul { weight } => Some(precision.rounds(graph.weight(weight).encoding)),
        _ => None,
    }
}

/// Groups a region's nodes. A product may move forward to the first one that reads its input: the
/// input is defined there, and nothing else is moved.
fn schedule<'g>(
    graph: &'g ModelGraph,
    nodes: std::ops::Range<usize>,
    precision: Precision,
    readers: &[usize],
) -> Vec<Item<'g>> {
    let nodes = &graph.nodes[nodes];
    let mut taken = vec![false; nodes.len()];
    let mut items = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        if taken[i] {
            continue;
        }
        if let Some(class) = rounds(graph, node, precision) {
            let mut group = vec![node];
            for (j, later) in nodes.iter().enumerate().skip(i + 1) {
                if !taken[j]
                    && later.inputs == node.inputs
                    && rounds(graph, later, precision) == Some(class)
                {
                    taken[j] = true;
                    group.push(later);
                }
            }
            items.push(Item::Products(group));
            continue;
        }
        // An activation waits for the product that reads it, where that is its only reader and it
        // is the only reader of its own input.
        let waits = |a: &Node| {
            matches!(a.op, Op::Activate(_))
                && readers[a.output.index()] == 1
                && readers[a.inputs[0].index()] == 1
        };
        let product_of = |a: &Node| {
            nodes.iter().position(|m| {
                matches!(m.op, Op::Mul) && m.inputs[0] == a.output && m.inputs[1] != a.output
            })
        };
        if waits(node) && product_of(node).is_some() {
            continue;
        }
        if matches!(node.op, Op::Mul) {
            let activation = nodes[..i].iter().find(|a| a.output == node.inputs[0] && waits(a));
            if let Some(activation) = activation.filter(|a| product_of(a) == Some(i)) {
                items.push(Item::ActivateMul(activation, node));
                continue;
            }
        }
        items.push(Item::One(node));
    }
    items
}

struct Lowering<'g> {
    graph: &'g ModelGraph,
    weights: &'g Weights,
    precision: Precision,
    plan: Planner,
    vectors: Vec<Vec<f32>>,
    vector_of: HashMap<WeightId, Vector>,
    tables: Vec<RopeTable>,
    table_keys: Vec<(usize, u64, u64, Option<WeightId>)>,
    /// The value whose int8 blocks are at hand.
    rounded: Option<ValueId>,
    steps: Vec<Step>,
}

impl Lowering<'_> {
    fn shape(&self, value: ValueId) -> Shape {
        self.graph.value(value).shape
    }

    fn width(&self, value: ValueId) -> usize {
        self.shape(value).width
    }

    fn vector(&mut self, weight: WeightId) -> Vector {
        *self.vector_of.entry(weight).or_insert_with(|| {
            self.vectors.push(self.weights.vector(weight));
            Vector(self.vectors.len() - 1)
        })
    }

    /// A buffer for the node's output that holds its first input's rows: that input's own buffer
    /// where nothing reads it later, else a copy.
    fn in_place(&mut self, node: &Node, now: usize) -> (Buffer, usize) {
        let (old, new) = (node.inputs[0], node.output);
        let width = self.width(new);
        if self.plan.dies(old, now) {
            return (self.plan.replace(old, new), width);
        }
        let x = self.plan.of(old);
        let out = self.plan.define(new, self.shape(new));
        self.steps.push(Step::Copy { x, out, width });
        (out, width)
    }

    fn define(&mut self, node: &Node) -> Buffer {
        self.plan.define(node.output, self.shape(node.output))
    }

    fn item(&mut self, item: &Item<'_>, now: usize) {
        match item {
            Item::One(node) => self.one(node, now),
            Item::Products(nodes) => {
                let input = nodes[0].inputs[0];
                let x = self.plan.of(input);
                let quantized = rounds(self.graph, nodes[0], self.precision).unwrap_or(false);
                if quantized && self.rounded != Some(input) {
                    self.steps.push(Step::Quantize { x, width: self.width(input) });
                    self.rounded = Some(input);
                }
                let mut parts = Vec::with_capacity(nodes.len());
                for node in nodes {
                    if let Op::Matmul { weight } = node.op {
                        parts.push((weight, self.define(node)));
                    }
                }
                self.steps.push(Step::Products { x, quantized, parts });
            }
            Item::ActivateMul(activate, mul) => {
                let Op::Activate(activation) = activate.op else { return };
                let width = self.width(mul.output);
                let y = self.plan.of(mul.inputs[1]);
                // The activation's input has no other reader: its buffer passes to the product.
                let x = self.plan.replace(activate.inputs[0], mul.output);
                let activation = activation_of(activation);
                self.steps.push(Step::ActivateMul { x, activation, y, width });
            }
        }
    }

    fn one(&mut self, node: &Node, now: usize) {
        let input = |i: usize| self.plan.of(node.inputs[i]);
        let step = match &node.op {
            Op::Embed { table } => Step::Embed { table: *table, out: self.define(node) },
            Op::RmsNorm { weight, epsilon } => {
                let x = input(0);
                let weight = self.vector(*weight);
                Step::Norm { x, weight, epsilon: *epsilon, out: self.define(node) }
            }
            // Products are grouped by the schedule.
            Op::Matmul { .. } => return,
            Op::AddBias { bias } => {
                let bias = self.vector(*bias);
                let (x, width) = self.in_place(node, now);
                Step::AddBias { x, bias, width }
            }
            Op::NormHeads { weight, epsilon, .. } => {
                let weight = self.vector(*weight);
                let (x, width) = self.in_place(node, now);
                Step::NormHeads { x, weight, epsilon: *epsilon, width }
            }
            Op::Rope { heads, pairs, .. } => {
                let table = self.table(&node.op);
                let (x, width) = self.in_place(node, now);
                let pairs = pairs_of(*pairs);
                Step::Rope { x, heads: *heads, head_dim: width / heads, table, pairs }
            }
            Op::Attention { heads, scale, window, causal, slot } => {
                let (q, k, v) = (input(0), input(1), input(2));
                let spec = AttentionSpec { scale: *scale, window: *window, causal: *causal };
                let out = self.define(node);
                Step::Attention { q, k, v, out, heads: *heads, slot: *slot, spec }
            }
            Op::Activate(activation) => {
                let (x, width) = self.in_place(node, now);
                Step::Activate { x, activation: activation_of(*activation), width }
            }
            Op::Mul => {
                let y = self.second(node);
                let (x, width) = self.in_place(node, now);
                Step::Mul { x, y, width }
            }
            Op::Add => {
                let y = self.second(node);
                let (x, width) = self.in_place(node, now);
                Step::Add { x, y, width }
            }
            Op::Scale { factor } => {
                let (x, width) = self.in_place(node, now);
                Step::Scale { x, factor: *factor, width }
            }
            Op::Copy => {
                let x = input(0);
                let out = self.define(node);
                Step::Copy { x, out, width: self.width(node.output) }
            }
            Op::Last => {
                let x = input(0);
                let out = self.define(node);
                Step::Select { x, out, width: self.width(node.output) }
            }
        };
        self.steps.push(step);
    }

    /// The second operand of a sum or product; a copy of it where both operands are one value.
    fn second(&mut self, node: &Node) -> Buffer {
        if node.inputs[0] != node.inputs[1] {
            return self.plan.of(node.inputs[1]);
        }
        let shape = self.shape(node.inputs[1]);
        let width = shape.width;
        let x = self.plan.of(node.inputs[1]);
        let out = self.plan.scratch(shape);
        self.steps.push(Step::Copy { x, out, width });
        out
    }

    fn table(&mut self, op: &Op) -> Table {
        let Op::Rope { dims, base, scale, factors, .. } = op else { return Table(0) };
        let key = (*dims, base.to_bits(), scale.to_bits(), *factors);
        if let Some(known) = self.table_keys.iter().position(|k| *k == key) {
            return Table(known);
        }
        let factors = factors.map(|f| self.weights.vector(f));
        self.tables.push(RopeTable::new(*dims, *base, *scale, factors.as_deref()));
        self.table_keys.push(key);
        Table(self.tables.len() - 1)
    }
}
