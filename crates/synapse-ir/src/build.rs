//! The graph under construction: values, nodes, weights and slots, with the shape rules applied
//! as nodes are added.

use std::collections::{BTreeSet, HashMap};

use synapse_archdef::TensorRef;
use synapse_diag::{Diagnostic, Diagnostics, catalog::bind as rule};
use synapse_format::{Gguf, TensorInfo};

use crate::graph::{
    Dim, ElementType, Node, Op, Shape, SlotId, StateSlot, Value, ValueId, Weight, WeightId,
};
use crate::shape::{Misfit, Operands, infer};

/// Findings that are shown; a wrong file repeats itself in every layer.
const SHOWN: usize = 24;

/// Names a step in messages: operation, line, and the layer if there is one.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub op: &'a str,
    pub line: u32,
    pub layer: Option<usize>,
}

pub(crate) struct Builder<'a> {
    file: &'a Gguf,
    arch: &'a str,
    definition_file: &'a str,
    pub values: Vec<Value>,
    pub nodes: Vec<Node>,
    pub weights: Vec<Weight>,
    pub slots: Vec<StateSlot>,
    by_name: HashMap<&'a str, WeightId>,
    findings: Diagnostics,
    hidden: usize,
    seen: BTreeSet<(&'static str, String)>,
}

impl<'a> Builder<'a> {
    pub fn new(file: &'a Gguf, arch: &'a str, definition_file: &'a str) -> Builder<'a> {
        let input = |label: &str| Value {
            element: ElementType::U32,
            shape: Shape { rows: Dim::Tokens, width: 1 },
            label: label.to_owned(),
        };
        Builder {
            file,
            arch,
            definition_file,
            values: vec![input("tokens"), input("positions")],
            nodes: Vec::new(),
            weights: Vec::new(),
            slots: Vec::new(),
            by_name: HashMap::new(),
            findings: Vec::new(),
            hidden: 0,
            seen: BTreeSet::new(),
        }
    }

    /// Records a finding once; the same words are not said twice.
    pub fn report(&mut self, finding: Diagnostic) {
        if !self.seen.insert((finding.code(), finding.to_string())) {
            return;
        }
        if self.findings.len() < SHOWN {
            self.findings.push(finding);
        } else {
            self.hidden += 1;
        }
    }

    /// Takes a result apart: a failure becomes a finding.
    pub fn take<T>(&mut self, result: Result<T, Diagnostic>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(finding) => {
                self.report(finding);
                None
            }
        }
    }

    /// All findings so far; `Err` where there is one.
    pub fn finish(&mut self) -> Result<(), Diagnostics> {
        if self.findings.is_empty() {
            return Ok(());
        }
        let mut all = std::mem::take(&mut self.findings);
        if self.hidden > 0 {
            all.push(Diagnostic::new(&rule::MORE).arg("count", self.hidden));
        }
        Err(all)
    }

    /// A finding at a step of the definition.
    pub fn at(&self, site: Site<'_>, finding: Diagnostic) -> Diagnostic {
        finding.at_file(self.definition_file).at_line(site.line)
    }

    /// The first of the reference's tensors that the file holds.
    pub fn find(&self, tensor: &TensorRef, layer: Option<usize>) -> Option<&'a TensorInfo> {
        tensor.names_in_layer(layer.unwrap_or(0)).find_map(|name| self.file.tensor(&name))
    }

    /// As [`Builder::find`], recording the absence.
    pub fn require(&mut self, tensor: &TensorRef, site: Site<'_>) -> Option<WeightId> {
        if let Some(info) = self.find(tensor, site.layer) {
            return Some(self.weight(info));
        }
        let names: Vec<String> = tensor
            .names_in_layer(site.layer.unwrap_or(0))
            .map(|name| format!("`{name}`"))
            .collect();
        let finding = Diagnostic::new(&rule::TENSOR_MISSING)
            .arg("name", names.join(" | "))
            .arg("arch", self.arch);
        let finding = self.at(site, finding);
        self.report(finding);
        None
    }

    /// The weight of a tensor, made on first use.
    pub fn weight(&mut self, info: &'a TensorInfo) -> WeightId {
        if let Some(&id) = self.by_name.get(info.name.as_str()) {
            return id;
        }
        let id = WeightId(self.weights.len() as u32);
        self.weights.push(Weight {
            name: info.name.clone(),
            encoding: info.ty,
            cols: usize::try_from(info.row_elements()).unwrap_or(usize::MAX),
            rows: usize::try_from(info.rows()).unwrap_or(usize::MAX),
            source: (info.part, info.offset, info.size),
            hash: None,
        });
        self.by_name.insert(&info.name, id);
        id
    }

    pub fn slot(&mut self, slot: StateSlot) -> SlotId {
        self.slots.push(slot);
        SlotId(self.slots.len() as u32 - 1)
    }

    /// Whether something reads the tensor.
    pub fn reads(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Adds a node; `None` and a finding where the operation does not fit its operands.
    pub fn node(
        &mut self,
        op: Op,
        inputs: Vec<ValueId>,
        label: &str,
        site: Site<'_>,
    ) -> Option<ValueId> {
        let shapes: Vec<Shape> = inputs.iter().map(|v| self.values[v.index()].shape).collect();
        let weight = op.weights().next();
        let operands = Operands {
            inputs: &shapes,
            weight: weight.map(|w| &self.weights[w.index()]),
            slot: op.slot().map(|s| &self.slots[s.index()]),
        };
        match infer(&op, &operands) {
            Ok(shape) => {
                let output = ValueId(self.values.len() as u32);
                self.values.push(Value {
                    element: ElementType::F32,
                    shape,
                    label: label.to_owned(),
                });
                self.nodes.push(Node { op, inputs, output, line: site.line });
                Some(output)
            }
            Err(misfit) => {
                let finding = self.misfit(misfit, &inputs, weight, site);
                self.report(finding);
                None
            }
        }
    }

    fn misfit(
        &self,
        misfit: Misfit,
        inputs: &[ValueId],
        weight: Option<WeightId>,
        site: Site<'_>,
    ) -> Diagnostic {
        let label = |i: usize| inputs.get(i).map_or("?", |v| &self.values[v.index()].label);
        let finding = match misfit {
            Misfit::Weight { wanted } => {
                let weight = weight.map(|w| &self.weights[w.index()]);
                Diagnostic::new(&rule::TENSOR_SHAPE)
                    .arg("name", weight.map_or("?", |w| &w.name))
                    .arg("found", weight.map_or_else(String::new, dims))
                    .arg("wanted", wanted)
                    .arg("arch", self.arch)
            }
            Misfit::Width { index, wanted } => {
                let width = inputs.get(index).map_or(0, |v| self.values[v.index()].shape.width);
                Diagnostic::new(&rule::REGISTER_SHAPE)
                    .arg("name", label(index))
                    .arg("found", width)
                    .arg("wanted", wanted)
            }
            Misfit::Rows { a, b } => {
                let full = |i: usize| {
                    inputs.get(i).is_some_and(|v| self.values[v.index()].shape.rows == Dim::Tokens)
                };
                let (all, some) = if full(a) { (a, b) } else { (b, a) };
                Diagnostic::new(&rule::ROWS_DISAGREE).arg("a", label(all)).arg("b", label(some))
            }
            Misfit::Constant { value, wanted } => {
                Diagnostic::new(&rule::CONSTANT).arg("value", value).arg("wanted", wanted)
            }
        };
        self.at(site, finding.arg("op", site.op))
    }
}

/// Dimensions in the order of the file, innermost first.
fn dims(weight: &Weight) -> String {
    if weight.rows == 1 {
        format!("[{}]", weight.cols)
    } else {
        format!("[{}, {}]", weight.cols, weight.rows)
    }
}
