//! Binding: each step of a definition becomes nodes, each name a tensor, each constant a number.

use std::collections::BTreeMap;

use synapse_archdef::{Definition, Expr, Kind, OpKind, Operand, OptionKind, OptionValue, Step};
use synapse_diag::{Diagnostic, Diagnostics, catalog::bind as rule};
use synapse_format::Gguf;

use crate::build::{Builder, Site};
use crate::constant::{Settled, evaluate};
use crate::graph::{Activation, Dim, ModelGraph, Op, OutputKind, RopePairs, StateSlot, ValueId};
use crate::information::is_harmless;
use crate::keys::{Constant, Keys, show};
use crate::region::{Region, RegionKind, derive};
use crate::rotation::Positions;

/// A definition that fits a file.
#[derive(Debug)]
pub struct Bound {
    /// What may run.
    pub graph: ModelGraph,
    /// Worth saying; stops nothing.
    pub notices: Vec<Diagnostic>,
}

/// Register → value; `None` marks a register whose step has already been refused.
type Registers<'a> = BTreeMap<&'a str, Option<ValueId>>;

/// Binds a definition to a file's header. No weight is read.
///
/// # Errors
/// Every disagreement that was found: absent or wrong keys, absent, misshapen or unread tensors,
/// unread keys, constants out of range.
pub fn bind(definition: &Definition, file: &Gguf) -> Result<Bound, Diagnostics> {
    let model = file.path.display().to_string();
    bind_in(definition, file)
        .map_err(|findings| findings.into_iter().map(|finding| finding.at_file(&model)).collect())
}

fn bind_in(definition: &Definition, file: &Gguf) -> Result<Bound, Diagnostics> {
    let keys = Keys::new(&file.metadata, &definition.name);
    let mut build = Builder::new(file, &definition.name, &definition.file);

    for refusal in &definition.refusals {
        if let Some(Some(Constant::Number(value))) = build.take(keys.constant(&refusal.key))
            && value == refusal.value
        {
            let finding = Diagnostic::new(&rule::REFUSED_BY_DEFINITION)
                .arg("arch", &definition.name)
                .arg("key", keys.full(&refusal.key))
                .arg("value", value)
                .arg("reason", &refusal.reason)
                .at_file(&definition.file)
                .at_line(refusal.line);
            build.report(finding);
        }
    }
    // What the definition does not describe would only repeat itself in every layer.
    build.finish()?;

    // Without these nothing can be bound; report all of them at once.
    let layers = build.take(keys.layers());
    let width = build.take(keys.embedding_length());
    let context_length = build.take(keys.context_length());
    let positions = build.take(Positions::read(definition, &keys));
    let (Some(layers), Some(width), Some(context_length), Some(positions)) =
        (layers, width, context_length, positions)
    else {
        return Err(build.finish().err().unwrap_or_default());
    };

    let mut binder =
        Binder { keys: &keys, positions: &positions, build, causal: true, vocabulary: None };
    let mut regions = Vec::with_capacity(layers + 2);
    let mut prologue = Registers::new();
    binder.section(&definition.prologue, RegionKind::Prologue, &mut prologue, &mut regions);
    binder.check_residual(&prologue, width, definition.prologue.last());

    let mut x = prologue.get("x").copied().flatten();
    for layer in 0..layers {
        // A layer starts from the prologue's registers and the residual; its own end with it.
        let mut registers = prologue.clone();
        registers.insert("x", x);
        binder.section(&definition.block, RegionKind::Layer(layer), &mut registers, &mut regions);
        binder.check_residual(&registers, width, definition.block.last());
        x = registers.get("x").copied().flatten();
    }

    let mut registers = prologue;
    registers.insert("x", x);
    binder.section(&definition.epilogue, RegionKind::Epilogue, &mut registers, &mut regions);
    let output = registers.get(definition.kind.output()).copied().flatten();
    binder.check_vocabulary(definition, output, file);
    let mut notices = Vec::new();
    binder.check_unread(definition, file, context_length, layers, &mut notices);
    binder.build.finish()?;

    let Binder { build, causal, vocabulary, .. } = binder;
    let Some(output) = output else {
        return Err(Diagnostic::new(&rule::GRAPH).arg("what", "it has no output").into());
    };
    let mut graph = ModelGraph {
        architecture: definition.name.clone(),
        layers,
        context_length,
        vocab_size: vocabulary.map_or(0, |(rows, _)| rows),
        output_kind: match definition.kind {
            Kind::Decoder => OutputKind::Logits,
            Kind::Embedding => OutputKind::Rows,
        },
        output_width: build.values[output.index()].shape.width,
        causal,
        values: build.values,
        nodes: build.nodes,
        weights: build.weights,
        slots: build.slots,
        regions,
        output,
    };
    for (region, boundary) in derive(&graph).into_iter().enumerate() {
        let region = &mut graph.regions[region];
        region.inputs = boundary.inputs;
        region.outputs = boundary.outputs;
        region.state = boundary.state;
        region.weights = boundary.weights;
    }
    crate::verify::verify(&graph)?;
    Ok(Bound { graph, notices })
}

struct Binder<'a, 'k> {
    keys: &'k Keys<'a>,
    positions: &'k Positions,
    build: Builder<'a>,
    causal: bool,
    /// Rows and name of the embedding table.
    vocabulary: Option<(usize, String)>,
}

impl<'a> Binder<'a, '_> {
    fn section(
        &mut self,
        steps: &'a [Step],
        kind: RegionKind,
        registers: &mut Registers<'a>,
        regions: &mut Vec<Region>,
    ) {
        let layer = match kind {
            RegionKind::Layer(i) => Some(i),
            _ => None,
        };
        let start = self.build.nodes.len() as u32;
        for step in steps {
            if self.vanishes(step, layer) {
                continue;
            }
            let value = self.step(step, layer, registers);
            registers.insert(&step.target, value);
        }
        regions.push(Region::always(kind, start..self.build.nodes.len() as u32));
    }

    /// An in-place step whose optional tensor is absent is not there.
    fn vanishes(&self, step: &Step, layer: Option<usize>) -> bool {
        step.in_place
            && step.operands.iter().any(|operand| match operand {
                Operand::Tensor(t) => t.optional && self.build.find(t, layer).is_none(),
                _ => false,
            })
    }

    fn step(
        &mut self,
        step: &'a Step,
        layer: Option<usize>,
        registers: &Registers<'a>,
    ) -> Option<ValueId> {
        let site = Site { op: step.op.name(), line: step.line, layer };
        // All of a step is looked up before it may be refused: what a refused step names is read.
        for key in implied_keys(step) {
            self.keys.mark(key);
        }
        let weight = step.operands.iter().find_map(|operand| match operand {
            Operand::Tensor(tensor) => Some(self.build.require(tensor, site)),
            _ => None,
        });
        let constant = step.operands.iter().find_map(|operand| match operand {
            Operand::Expr(expr) => Some(self.number(expr, site)),
            _ => None,
        });
        let settled = step.options.iter().fold(true, |settled, (_, value)| match value {
            OptionValue::Expr(expr) => self.settle(expr, site).is_some() && settled,
            _ => settled,
        });
        // A refused register has been reported where it was made.
        let read = step.reads().map(|register| registers.get(register).copied().flatten());
        let read: Option<Vec<ValueId>> = read.collect();
        let (Some(mut inputs), true) = (read, settled) else { return None };
        let weight = weight.map_or(Some(None), |found| found.map(Some))?;
        let constant = constant.map_or(Some(None), |found| found.map(Some))?;

        let op = match (step.op, weight) {
            (OpKind::Embed, Some(table)) => {
                inputs = vec![ModelGraph::TOKENS];
                let table_of = &self.build.weights[table.index()];
                self.vocabulary.get_or_insert_with(|| (table_of.rows, table_of.name.clone()));
                Op::Embed { table }
            }
            (OpKind::RmsNorm, Some(weight)) => {
                let epsilon = self.keys.epsilon();
                Op::RmsNorm { weight, epsilon: self.build.take(epsilon)? }
            }
            (OpKind::Matmul, Some(weight)) => Op::Matmul { weight },
            (OpKind::AddBias, Some(bias)) => Op::AddBias { bias },
            (OpKind::NormHeads, Some(weight)) => {
                let heads = self.count(constant?, "a count of heads", site)?;
                let epsilon = self.keys.epsilon();
                Op::NormHeads { weight, heads, epsilon: self.build.take(epsilon)? }
            }
            (OpKind::Rope, _) => {
                let heads = self.count(constant?, "a count of heads", site)?;
                let op = self.rope(step, heads, &inputs, site)?;
                inputs.push(ModelGraph::POSITIONS);
                op
            }
            (OpKind::Attention, _) => {
                let op = self.attention(step, site)?;
                inputs.push(ModelGraph::POSITIONS);
                op
            }
            (OpKind::Silu, _) => Op::Activate(Activation::Silu),
            (OpKind::Gelu, _) => Op::Activate(Activation::Gelu),
            (OpKind::GeluTanh, _) => Op::Activate(Activation::GeluTanh),
            (OpKind::Relu, _) => Op::Activate(Activation::Relu),
            (OpKind::Mul, _) => Op::Mul,
            (OpKind::Add, _) => Op::Add,
            (OpKind::Scale, _) => Op::Scale { factor: constant? as f32 },
            (OpKind::Copy, _) => Op::Copy,
            (OpKind::Last, _) => Op::Last,
            (_, None) => return None,
        };
        self.build.node(op, inputs, &step.target, site)
    }

    fn rope(
        &mut self,
        step: &'a Step,
        heads: usize,
        inputs: &[ValueId],
        site: Site<'_>,
    ) -> Option<Op> {
        let filed = self.positions.rotation(site.layer);
        let (base, scale) = match self.option_number(step, OptionKind::Base, site)? {
            Some(base) if base.is_finite() && base >= 1.0 => (base, 1.0),
            Some(base) => return self.refuse(site, base, "a finite base, 1 or more"),
            None => (filed.base, filed.scale),
        };
        let head = inputs.first().map_or(0, |v| self.build.values[v.index()].shape.width) / heads;
        let dims = match self.option_number(step, OptionKind::Dims, site)? {
            Some(dims) => self.count(dims, "a count of dimensions", site)?,
            None => {
                let declared = self.keys.integer("rope.dimension_count");
                match self.build.take(declared)? {
                    Some(n) if n == 0 || n > head as u64 || n % 2 != 0 => {
                        let why = format!("an even number in 2…{head} is needed");
                        let finding = self.keys.unacceptable("rope.dimension_count", n, why);
                        self.build.report(finding);
                        return None;
                    }
                    Some(n) => usize::try_from(n).unwrap_or(usize::MAX),
                    None => head,
                }
            }
        };
        let factors = match step.option(OptionKind::Factors) {
            Some(OptionValue::Tensor(t)) if t.optional => {
                self.build.find(t, site.layer).map(|info| self.build.weight(info))
            }
            Some(OptionValue::Tensor(t)) => Some(self.build.require(t, site)?),
            _ => None,
        };
        let pairs = match step.has(OptionKind::Pairs) {
            true => RopePairs::Interleaved,
            false => RopePairs::Halves,
        };
        Some(Op::Rope { heads, dims, pairs, base, scale, factors })
    }

    fn attention(&mut self, step: &'a Step, site: Site<'_>) -> Option<Op> {
        let (heads, kv_heads) = (self.keys.heads(), self.keys.kv_heads());
        let (key_dim, value_dim) = (self.keys.head_dim(), self.keys.value_dim());
        let heads = self.build.take(heads)?;
        let kv_heads = self.build.take(kv_heads)?;
        let key_dim = self.build.take(key_dim)?;
        let value_dim = self.build.take(value_dim)?;
        let scale = match self.option_number(step, OptionKind::Scale, site)? {
            Some(scale) if (scale as f32).is_finite() => scale as f32,
            Some(scale) => return self.refuse(site, scale, "a finite factor"),
            None => (1.0 / (key_dim as f64).sqrt()) as f32,
        };
        let window = match self.option_number(step, OptionKind::Window, site)? {
            Some(window) => Some(self.count(window, "a window of 1 or more", site)?),
            None => self.positions.window(site.layer),
        };
        let causal = match step.option(OptionKind::Causal) {
            Some(OptionValue::Expr(expr)) => match self.settle(expr, site)? {
                Constant::Bool(b) => b,
                Constant::Number(n) => return self.refuse(site, n, "`true` or `false`"),
            },
            _ => true,
        };
        self.causal &= causal;
        let slot = self.build.slot(StateSlot { kv_heads, key_dim, value_dim, window });
        Some(Op::Attention { heads, scale, window, causal, slot })
    }

    fn settle(&mut self, expr: &Expr, site: Site<'_>) -> Option<Constant> {
        let settled = evaluate(expr, self.keys);
        match self.build.take(settled)? {
            Settled::Value(constant) => Some(constant),
            Settled::Absent(key) => {
                let finding = Diagnostic::new(&synapse_diag::catalog::gguf::KEY_MISSING);
                self.build.report(finding.arg("key", key));
                None
            }
            Settled::Mixed => {
                self.refuse(site, "a mixture of numbers and truth values", "one kind")
            }
        }
    }

    fn number(&mut self, expr: &Expr, site: Site<'_>) -> Option<f64> {
        match self.settle(expr, site)? {
            Constant::Number(n) => Some(n),
            Constant::Bool(b) => self.refuse(site, b, "a number"),
        }
    }

    /// The outer `None` means that a finding was reported, the inner one that the option is not
    /// there.
    fn option_number(
        &mut self,
        step: &'a Step,
        kind: OptionKind,
        site: Site<'_>,
    ) -> Option<Option<f64>> {
        match step.option(kind) {
            Some(OptionValue::Expr(expr)) => self.number(expr, site).map(Some),
            _ => Some(None),
        }
    }

    fn count(&mut self, n: f64, wanted: &str, site: Site<'_>) -> Option<usize> {
        if n.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&n) {
            return Some(n as usize);
        }
        self.refuse(site, n, wanted)
    }

    fn refuse<T>(
        &mut self,
        site: Site<'_>,
        value: impl std::fmt::Display,
        wanted: &str,
    ) -> Option<T> {
        let finding = Diagnostic::new(&rule::CONSTANT)
            .arg("op", site.op)
            .arg("value", value)
            .arg("wanted", wanted);
        let finding = self.build.at(site, finding);
        self.build.report(finding);
        None
    }

    /// The residual links the layers: its width is the embedding length, its rows are all tokens.
    fn check_residual(&mut self, registers: &Registers<'_>, width: usize, last: Option<&Step>) {
        let Some(x) = registers.get("x").copied().flatten() else { return };
        let shape = self.build.values[x.index()].shape;
        if shape.width == width && shape.rows == Dim::Tokens {
            return;
        }
        let line = last.map_or(1, |s| s.line);
        let site = Site { op: "x", line, layer: None };
        let finding = Diagnostic::new(&rule::REGISTER_SHAPE)
            .arg("op", "x")
            .arg("name", "x")
            .arg("found", shape)
            .arg("wanted", format!("`{}` = {width}", self.keys.full("embedding_length")));
        let finding = self.build.at(site, finding);
        self.build.report(finding);
    }

    /// Table, tokenizer, `vocab_size` and logits must agree on the count of tokens.
    fn check_vocabulary(&mut self, definition: &Definition, output: Option<ValueId>, file: &Gguf) {
        let Some((rows, table)) = self.vocabulary.clone() else { return };
        let tokens = file.metadata.get_string_array("tokenizer.ggml.tokens");
        if let Some(Some(tokens)) = self.build.take(tokens)
            && tokens.len() != rows
        {
            let finding = Diagnostic::new(&rule::VOCABULARY)
                .arg("tokens", tokens.len())
                .arg("tensor", &table)
                .arg("rows", rows);
            self.build.report(finding);
        }
        let declared = self.keys.integer("vocab_size");
        if let Some(Some(declared)) = self.build.take(declared)
            && declared != rows as u64
        {
            let finding = self.keys.unacceptable(
                "vocab_size",
                declared,
                format!("`{table}` has {rows} rows"),
            );
            self.build.report(finding);
        }
        let Some(output) = output else { return };
        let width = self.build.values[output.index()].shape.width;
        if definition.kind == Kind::Decoder && width != rows {
            let line = definition.epilogue.last().map_or(1, |s| s.line);
            let finding =
                Diagnostic::new(&rule::LOGITS_WIDTH).arg("found", width).arg("vocabulary", rows);
            let finding = self.build.at(Site { op: "logits", line, layer: None }, finding);
            self.build.report(finding);
        }
    }

    /// Nothing of the file stays unread in silence.
    fn check_unread(
        &mut self,
        definition: &Definition,
        file: &Gguf,
        context: usize,
        layers: usize,
        notices: &mut Vec<Diagnostic>,
    ) {
        let mut waived: BTreeMap<String, bool> = BTreeMap::new();
        for ignore in &definition.ignores {
            if ignore.what.contains("{i}") {
                for layer in 0..layers {
                    waived.insert(ignore.what.replace("{i}", &layer.to_string()), true);
                }
            } else {
                waived.insert(ignore.what.clone(), false);
            }
        }
        for tensor in &file.tensors {
            if self.build.reads(&tensor.name) || waived.remove(&tensor.name).is_some() {
                continue;
            }
            let dims: Vec<String> = tensor.dims.iter().map(u64::to_string).collect();
            let finding = Diagnostic::new(&rule::TENSOR_UNUSED)
                .arg("arch", &definition.name)
                .arg("name", &tensor.name)
                .arg("shape", format!("[{}]", dims.join(", ")));
            self.build.report(finding);
        }
        for (key, value) in self.keys.unread() {
            if waived.remove(key).is_some() || is_harmless(self.keys, key, value, context) {
                continue;
            }
            let finding = Diagnostic::new(&rule::KEY_UNUSED)
                .arg("key", self.keys.full(key))
                .arg("short", key)
                .arg("value", show(value))
                .arg("arch", &definition.name);
            self.build.report(finding);
        }
        // A name with `{i}` may be absent in some layers; a plain one that nothing has is noted.
        for (name, _) in waived.into_iter().filter(|(_, per_layer)| !per_layer) {
            notices.push(Diagnostic::new(&rule::IGNORE_UNKNOWN).arg("name", name));
        }
    }
}

/// Keys that an operation reads although its step does not name them.
fn implied_keys(step: &Step) -> &'static [&'static str] {
    match step.op {
        OpKind::RmsNorm | OpKind::NormHeads => &["epsilon"],
        OpKind::Rope if !step.has(OptionKind::Dims) => &["rope.dimension_count"],
        OpKind::Attention => {
            &["head_count", "head_count_kv", "attention.key_length", "attention.value_length"]
        }
        _ => &[],
    }
}
