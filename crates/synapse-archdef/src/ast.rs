//! A definition as a tree: what the parser yields and the binder reads.

use crate::ops::{OpKind, OptionKind};

/// A parsed and checked definition file.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The architecture's name, as `general.architecture` of a model file spells it.
    pub name: String,
    /// What the model yields.
    pub kind: Kind,
    /// `param` header lines, in the order of the file.
    pub params: Vec<Param>,
    /// `ignore` header lines, in the order of the file.
    pub ignores: Vec<Ignore>,
    /// `refuse` header lines, in the order of the file.
    pub refusals: Vec<Refusal>,
    /// Steps that run once, before the layers.
    pub prologue: Vec<Step>,
    /// Steps that run once per layer, `{i}` being the layer's index.
    pub block: Vec<Step>,
    /// Steps that run once, after the layers.
    pub epilogue: Vec<Step>,
    /// SHA-256 of the file's raw bytes: the definition's identity.
    pub sha256: [u8; 32],
    /// The file's text, as read.
    pub text: String,
    /// The file as messages name it.
    pub file: String,
}

/// What a model of the architecture yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Logits over a vocabulary, in the register `logits`.
    Decoder,
    /// One output row per token, in the register `rows`; there are no logits.
    Embedding,
}

/// A header line `param NAME NUMBER`: something that the model file does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// A name of [`crate::params::PARAMS`].
    pub name: String,
    /// The value, within the bounds of its row there.
    pub value: f64,
    /// Line, counted from 1.
    pub line: u32,
}

/// A header line `ignore NAME "reason"`: a tensor or key that no step uses, waived in the open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// A tensor's name (`{i}` stands for every layer), or a metadata key without the
    /// architecture's prefix.
    pub what: String,
    /// Why it does not matter.
    pub reason: String,
    /// Line, counted from 1.
    pub line: u32,
}

/// A header line `refuse KEY NUMBER "reason"`: a file that the definition does not describe
/// although every tensor of it would fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// A metadata key without the architecture's prefix.
    pub key: String,
    /// The value at which a file is refused. A file without the key is not.
    pub value: f64,
    /// What sets such a file apart, and what to do.
    pub reason: String,
    /// Line, counted from 1.
    pub line: u32,
}

/// One step: an operation applied to registers.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The operation.
    pub op: OpKind,
    /// The register that is assigned (`target = op(…)`) or changed in place (`op(target, …)`).
    pub target: String,
    /// Whether the step changes `target` in place. An in-place step reads `target` too.
    pub in_place: bool,
    /// The operands in the order of the operation's row, **without** the target of an in-place
    /// step: `mul(g, u)` has the target `g` and the one operand `u`.
    pub operands: Vec<Operand>,
    /// Flags and options, in the order of the file, each kind at most once.
    pub options: Vec<(OptionKind, OptionValue)>,
    /// Line, counted from 1.
    pub line: u32,
    /// Column of the step's first character, counted in characters from 1.
    pub column: u32,
}

/// An operand; which variant stands where is fixed by the operation's row.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register that the step reads.
    Register(String),
    /// A tensor of the model file.
    Tensor(TensorRef),
    /// A constant, settled when the model is loaded.
    Expr(Expr),
}

/// The value of an option; which variant stands where is fixed by the option's row.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// A bare word such as `pairs`: it is there.
    Flag,
    /// A number, or (for options of the kind bool) a truth value.
    Expr(Expr),
    /// A tensor. An optional tensor that is absent drops the option.
    Tensor(TensorRef),
}

/// A tensor of the model file: `a`, `a | b`, `a?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorRef {
    /// Alternatives in order: the first that is present is meant. Never empty; `{i}` is kept as
    /// text, see [`TensorRef::names_in_layer`].
    pub names: Vec<String>,
    /// Written with a trailing `?`: an in-place step whose tensor is absent vanishes, an option
    /// is dropped.
    pub optional: bool,
    /// Line, counted from 1.
    pub line: u32,
    /// Column of the first name, counted in characters from 1.
    pub column: u32,
}

/// A constant expression, settled when the model is loaded.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A finite literal.
    Number(f64),
    /// `true` or `false`; only in options of the kind bool.
    Bool(bool),
    /// A metadata key without the architecture's prefix, or a base name such as `head_dim`.
    Key(String),
    /// `-a`
    Neg(Box<Expr>),
    /// `a + b`
    Add(Box<Expr>, Box<Expr>),
    /// `a - b`
    Sub(Box<Expr>, Box<Expr>),
    /// `a * b`
    Mul(Box<Expr>, Box<Expr>),
    /// `a / b`
    Div(Box<Expr>, Box<Expr>),
    /// `sqrt(a)`
    Sqrt(Box<Expr>),
    /// `a | b | …`, two or more: the first alternative whose keys are all present. A nested
    /// fallback counts as present when one of its alternatives is.
    Fallback(Vec<Expr>),
}

impl Definition {
    /// Steps that one layer runs, before any optional step vanishes.
    pub fn steps_per_block(&self) -> usize {
        self.block.len()
    }

    /// The value of a `param` line.
    pub fn param(&self, name: &str) -> Option<f64> {
        self.params.iter().find(|p| p.name == name).map(|p| p.value)
    }

    /// [`Definition::sha256`] in lower-case hexadecimal.
    pub fn sha256_hex(&self) -> String {
        self.sha256.iter().map(|b| format!("{b:02x}")).collect()
    }
}

impl Kind {
    /// As the `kind` line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Decoder => "decoder",
            Kind::Embedding => "embedding",
        }
    }

    /// The register that the epilogue must end with.
    pub fn output(self) -> &'static str {
        match self {
            Kind::Decoder => "logits",
            Kind::Embedding => "rows",
        }
    }
}

impl Step {
    /// The value of an option, where the step has it.
    pub fn option(&self, kind: OptionKind) -> Option<&OptionValue> {
        self.options.iter().find(|(k, _)| *k == kind).map(|(_, v)| v)
    }

    /// Whether a flag (or any option of this kind) is there.
    pub fn has(&self, kind: OptionKind) -> bool {
        self.option(kind).is_some()
    }

    /// Every tensor of the step: operands, then options.
    pub fn tensors(&self) -> impl Iterator<Item = &TensorRef> {
        let operands = self.operands.iter().filter_map(|o| match o {
            Operand::Tensor(t) => Some(t),
            _ => None,
        });
        let options = self.options.iter().filter_map(|(_, v)| match v {
            OptionValue::Tensor(t) => Some(t),
            _ => None,
        });
        operands.chain(options)
    }

    /// Every register that the step reads; the target too where it is changed in place.
    pub fn reads(&self) -> impl Iterator<Item = &str> {
        let target = self.in_place.then_some(self.target.as_str());
        target.into_iter().chain(self.operands.iter().filter_map(|o| match o {
            Operand::Register(r) => Some(r.as_str()),
            _ => None,
        }))
    }
}

impl TensorRef {
    /// The alternatives in order, with `{i}` replaced by a layer's index.
    pub fn names_in_layer(&self, layer: usize) -> impl Iterator<Item = String> {
        self.names.iter().map(move |n| n.replace("{i}", &layer.to_string()))
    }

    /// As the definition spells it.
    pub fn text(&self) -> String {
        let mark = if self.optional { "?" } else { "" };
        format!("{}{mark}", self.names.join(" | "))
    }
}

impl Expr {
    /// Calls `see` with every key of the expression, in the order of the text.
    pub fn each_key<'a>(&'a self, see: &mut impl FnMut(&'a str)) {
        match self {
            Expr::Number(_) | Expr::Bool(_) => {}
            Expr::Key(name) => see(name),
            Expr::Neg(a) | Expr::Sqrt(a) => a.each_key(see),
            Expr::Add(a, b) | Expr::Sub(a, b) | Expr::Mul(a, b) | Expr::Div(a, b) => {
                a.each_key(see);
                b.each_key(see);
            }
            Expr::Fallback(list) => list.iter().for_each(|a| a.each_key(see)),
        }
    }
}
