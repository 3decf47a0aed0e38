//! The table of operations: every name that a step can start with, and what belongs to it.
//!
//! One row an operation. The parser reads forms, operands and options from here; the reference
//! page is generated from it. An operation that needs more than its row (and a reference
//! function, a lowering and a test) is designed wrongly.

use std::fmt;

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// `x = embed(T)`
    Embed,
    /// `h = rms_norm(x, T)`
    RmsNorm,
    /// `q = matmul(h, T)`
    Matmul,
    /// `add_bias(q, T)`
    AddBias,
    /// `norm_heads(q, T, heads)`
    NormHeads,
    /// `rope(q, heads)`
    Rope,
    /// `a = attention(q, k, v)`
    Attention,
    /// `silu(g)`
    Silu,
    /// `gelu(g)`: the erf form.
    Gelu,
    /// `gelu_tanh(g)`: the tanh approximation.
    GeluTanh,
    /// `relu(g)`
    Relu,
    /// `mul(g, u)`
    Mul,
    /// `add(x, o)`
    Add,
    /// `scale(x, c)`
    Scale,
    /// `y = copy(x)`
    Copy,
    /// `x = last(x)`
    Last,
}

/// An option of some operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OptionKind {
    /// Flag of `rope`: rotate pairs (2j, 2j+1), not halves.
    Pairs,
    /// `rope`: tensor of divisors of the frequencies.
    Factors,
    /// `rope`: base of the frequencies.
    Base,
    /// `rope`: how many leading dimensions of a head are rotated.
    Dims,
    /// `attention`: how many keys a position sees, its own included.
    Window,
    /// `attention`: whether a position sees only itself and earlier ones.
    Causal,
    /// `attention`: factor of the scores.
    Scale,
}

/// Which of the two forms of a step an operation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `target = op(…)`
    Assign,
    /// `op(target, …)`
    InPlace,
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// A register that is read.
    Register,
    /// A tensor of the model file.
    Tensor,
    /// A constant expression.
    Expr,
}

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionSlot {
    /// A bare word without value.
    Flag,
    /// A constant number.
    Number,
    /// `true`, `false`, or a key that holds one.
    Bool,
    /// A tensor of the model file.
    Tensor,
}

/// An operand of a row.
#[derive(Debug, PartialEq, Eq)]
pub struct Slot {
    /// What stands there in the row's form, such as `x` or `heads`.
    pub name: &'static str,
    /// What it is.
    pub kind: SlotKind,
}

/// An option of a row.
#[derive(Debug, PartialEq, Eq)]
pub struct OptionRow {
    /// Which.
    pub kind: OptionKind,
    /// What its value is.
    pub slot: OptionSlot,
    /// What it does, and what holds without it.
    pub sentence: &'static str,
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct OpRow {
    /// Which operation.
    pub kind: OpKind,
    /// As it is written.
    pub name: &'static str,
    /// Its form.
    pub form: Form,
    /// Its operands in order; the first of an in-place operation is the target.
    pub slots: &'static [Slot],
    /// Its options.
    pub options: &'static [OptionRow],
    /// Sections where it may stand, as they are spelled; empty: in all of them.
    pub sections: &'static [&'static str],
    /// What it does.
    pub sentence: &'static str,
    /// What it computes, row by row.
    pub formula: &'static str,
    /// What must fit what.
    pub shapes: &'static str,
    /// Where the formula is from.
    pub source: &'static str,
}

impl OpKind {
    /// The operation's row.
    pub fn row(self) -> &'static OpRow {
        // The order of the table is the order of the enum; a test holds that.
        &OPS[self as usize]
    }

    /// As it is written in a definition.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for OpKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl OptionKind {
    /// As it is written in a definition.
    pub fn name(self) -> &'static str {
        match self {
            OptionKind::Pairs => "pairs",
            OptionKind::Factors => "factors",
            OptionKind::Base => "base",
            OptionKind::Dims => "dims",
            OptionKind::Window => "window",
            OptionKind::Causal => "causal",
            OptionKind::Scale => "scale",
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl OpRow {
    /// The form that a step of this operation has, such as `q = matmul(h, TENSOR)`.
    pub fn signature(&self) -> String {
        let list: Vec<&str> = self.slots.iter().map(|s| s.name).collect();
        let call = format!("{}({})", self.name, list.join(", "));
        match self.form {
            Form::Assign => format!("y = {call}"),
            Form::InPlace => call,
        }
    }

    /// The option that is written `name`.
    pub fn option(&self, name: &str) -> Option<&'static OptionRow> {
        self.options.iter().find(|o| o.kind.name() == name)
    }
}

/// The operation that is written `name`.
pub fn find(name: &str) -> Option<&'static OpRow> {
    OPS.iter().find(|o| o.name == name)
}

const fn reg(name: &'static str) -> Slot {
    Slot { name, kind: SlotKind::Register }
}

const fn tensor(name: &'static str) -> Slot {
    Slot { name, kind: SlotKind::Tensor }
}

const fn number(name: &'static str) -> Slot {
    Slot { name, kind: SlotKind::Expr }
}

const fn option(kind: OptionKind, slot: OptionSlot, sentence: &'static str) -> OptionRow {
    OptionRow { kind, slot, sentence }
}

/// Every operation, in the order of [`OpKind`].
pub static OPS: &[OpRow] = &[
    OpRow {
        kind: OpKind::Embed,
        name: "embed",
        form: Form::Assign,
        slots: &[tensor("TENSOR")],
        options: &[],
        sections: &["prologue", "block"],
        sentence: "One row of the tensor for each token.",
        formula: "y[p] = T[token p]",
        shapes: "T: [vocabulary, n] gives y: [positions, n]",
        source: "Bengio et al. 2003, A Neural Probabilistic Language Model, section 2",
    },
    OpRow {
        kind: OpKind::RmsNorm,
        name: "rms_norm",
        form: Form::Assign,
        slots: &[reg("x"), tensor("TENSOR")],
        options: &[],
        sections: &[],
        sentence: "Divides a row by its root mean square, then multiplies it by a weight per \
                   dimension. The epsilon is the file's `attention.layer_norm_rms_epsilon`.",
        formula: "y[d] = x[d] / sqrt(mean(x²) + epsilon) · T[d]",
        shapes: "x: [positions, n], T: [n] gives y: [positions, n]",
        source: "Zhang and Sennrich 2019, Root Mean Square Layer Normalization, equation 4",
    },
    OpRow {
        kind: OpKind::Matmul,
        name: "matmul",
        form: Form::Assign,
        slots: &[reg("x"), tensor("TENSOR")],
        options: &[],
        sections: &[],
        sentence: "Multiplies each row by a weight matrix.",
        formula: "y[r] = Σ_c T[r, c] · x[c]",
        shapes: "x: [positions, n], T: [m rows of n] gives y: [positions, m]",
        source: "a linear map; the file keeps one row per output",
    },
    OpRow {
        kind: OpKind::AddBias,
        name: "add_bias",
        form: Form::InPlace,
        slots: &[reg("x"), tensor("TENSOR")],
        options: &[],
        sections: &[],
        sentence: "Adds the same vector to every row.",
        formula: "x[d] ← x[d] + T[d]",
        shapes: "x: [positions, n], T: [n]",
        source: "the constant term of an affine map",
    },
    OpRow {
        kind: OpKind::NormHeads,
        name: "norm_heads",
        form: Form::InPlace,
        slots: &[reg("x"), tensor("TENSOR"), number("heads")],
        options: &[],
        sections: &[],
        sentence: "`rms_norm` of each head by itself, with one weight vector for all heads.",
        formula: "x[h, d] ← x[h, d] / sqrt(mean(x[h]²) + epsilon) · T[d]",
        shapes: "x: [positions, heads · d], T: [d]",
        source: "Dehghani et al. 2023, Scaling Vision Transformers to 22 Billion Parameters, \
                 section 2 (norm of queries and keys); Zhang and Sennrich 2019 for the norm",
    },
    OpRow {
        kind: OpKind::Rope,
        name: "rope",
        form: Form::InPlace,
        slots: &[reg("x"), number("heads")],
        options: &[
            option(
                OptionKind::Pairs,
                OptionSlot::Flag,
                "Rotates dimensions 2j and 2j+1 together; without it, dimensions j and j + dims/2.",
            ),
            option(
                OptionKind::Factors,
                OptionSlot::Tensor,
                "Divides frequency j by T[j]; T has dims/2 values. Without it, by 1.",
            ),
            option(
                OptionKind::Base,
                OptionSlot::Number,
                "The base of the frequencies; without it, the file's `rope.freq_base`, and in the \
                 layers of a sliding window the file's base for those.",
            ),
            option(
                OptionKind::Dims,
                OptionSlot::Number,
                "Rotates only so many leading dimensions of a head; without it, the file's \
                 `rope.dimension_count`, or the whole head.",
            ),
        ],
        sections: &[],
        sentence: "Rotates each head by angles that grow with the position.",
        formula: "(a, b) ← (a cos θ − b sin θ, a sin θ + b cos θ), θ = position · base^(−2j/dims) \
                  / T[j]; a and b are dimensions j and j + dims/2, with `pairs` 2j and 2j+1",
        shapes: "x: [positions, heads · d], dims even and at most d, T: [dims/2]",
        source: "Su et al. 2021, RoFormer, section 3.2.2 (pairs)",
    },
    OpRow {
        kind: OpKind::Attention,
        name: "attention",
        form: Form::Assign,
        slots: &[reg("q"), reg("k"), reg("v")],
        options: &[
            option(
                OptionKind::Window,
                OptionSlot::Number,
                "A position sees so many keys, its own included; without it, all before it, and \
                 in the layers of a sliding window the file's `attention.sliding_window`.",
            ),
            option(
                OptionKind::Causal,
                OptionSlot::Bool,
                "Whether a position sees only itself and those before it; without it, true.",
            ),
            option(
                OptionKind::Scale,
                OptionSlot::Number,
                "The factor of the scores; without it, 1 / sqrt(d).",
            ),
        ],
        sections: &["block"],
        sentence: "Each query head takes the mean of the values, weighted by how well the keys \
                   fit it. Query heads share key and value heads in equal groups.",
        formula: "y[h] = Σ_t softmax_t(scale · q[h] · k[t, g]) · v[t, g], g = h / (heads / key heads) \
                  rounded down, t over the positions that are seen",
        shapes: "q: [positions, heads · d], k: [positions, key heads · d], v: [positions, key \
                 heads · e] gives y: [positions, heads · e]",
        source: "Vaswani et al. 2017, Attention Is All You Need, section 3.2; Ainslie et al. 2023, \
                 GQA, section 2.2 (groups)",
    },
    OpRow {
        kind: OpKind::Silu,
        name: "silu",
        form: Form::InPlace,
        slots: &[reg("x")],
        options: &[],
        sections: &[],
        sentence: "The sigmoid-weighted value.",
        formula: "x ← x / (1 + exp(−x))",
        shapes: "any",
        source: "Elfwing et al. 2017, Sigmoid-Weighted Linear Units, equation 5",
    },
    OpRow {
        kind: OpKind::Gelu,
        name: "gelu",
        form: Form::InPlace,
        slots: &[reg("x")],
        options: &[],
        sections: &[],
        sentence: "The Gaussian-weighted value, exactly (the erf form). Not `gelu_tanh`.",
        formula: "x ← x/2 · (1 + erf(x / √2))",
        shapes: "any",
        source: "Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2",
    },
    OpRow {
        kind: OpKind::GeluTanh,
        name: "gelu_tanh",
        form: Form::InPlace,
        slots: &[reg("x")],
        options: &[],
        sections: &[],
        sentence: "The tanh approximation of the Gaussian-weighted value. Not `gelu`.",
        formula: "x ← x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))",
        shapes: "any",
        source: "Hendrycks and Gimpel 2016, Gaussian Error Linear Units, section 2",
    },
    OpRow {
        kind: OpKind::Relu,
        name: "relu",
        form: Form::InPlace,
        slots: &[reg("x")],
        options: &[],
        sections: &[],
        sentence: "Negative values become 0.",
        formula: "x ← max(x, 0)",
        shapes: "any",
        source: "Nair and Hinton 2010, Rectified Linear Units, section 2",
    },
    OpRow {
        kind: OpKind::Mul,
        name: "mul",
        form: Form::InPlace,
        slots: &[reg("x"), reg("y")],
        options: &[],
        sections: &[],
        sentence: "Multiplies a register by another, value by value.",
        formula: "x[d] ← x[d] · y[d]",
        shapes: "x and y: [positions, n]",
        source: "Shazeer 2020, GLU Variants Improve Transformer, equation 5 (gates)",
    },
    OpRow {
        kind: OpKind::Add,
        name: "add",
        form: Form::InPlace,
        slots: &[reg("x"), reg("y")],
        options: &[],
        sections: &[],
        sentence: "Adds another register, value by value.",
        formula: "x[d] ← x[d] + y[d]",
        shapes: "x and y: [positions, n]",
        source: "He et al. 2015, Deep Residual Learning, section 3.2 (residuals)",
    },
    OpRow {
        kind: OpKind::Scale,
        name: "scale",
        form: Form::InPlace,
        slots: &[reg("x"), number("number")],
        options: &[],
        sections: &[],
        sentence: "Multiplies every value by a constant that is settled at load.",
        formula: "x ← number · x",
        shapes: "any",
        source: "Vaswani et al. 2017, Attention Is All You Need, section 3.4 (embeddings)",
    },
    OpRow {
        kind: OpKind::Copy,
        name: "copy",
        form: Form::Assign,
        slots: &[reg("x")],
        options: &[],
        sections: &[],
        sentence: "A second register with the same values, so that the first can change.",
        formula: "y = x",
        shapes: "any",
        source: "the identity",
    },
    OpRow {
        kind: OpKind::Last,
        name: "last",
        form: Form::Assign,
        slots: &[reg("x")],
        options: &[],
        sections: &["epilogue"],
        sentence: "The positions that were asked for: the last one while generating, all of them \
                   when scoring.",
        formula: "y[p] = x[asked p]",
        shapes: "x: [positions, n] gives y: [asked, n]",
        source: "a selection of rows",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_at_the_place_of_its_kind_and_names_are_unique() {
        for (place, row) in OPS.iter().enumerate() {
            assert_eq!(row.kind as usize, place, "{}", row.name);
            assert_eq!(find(row.name), Some(row));
        }
        let names = "embed rms_norm matmul add_bias norm_heads rope attention silu gelu gelu_tanh \
                     relu mul add scale copy last";
        let table: Vec<&str> = OPS.iter().map(|o| o.name).collect();
        assert_eq!(table, names.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn an_in_place_row_starts_with_the_register_that_it_changes() {
        for row in OPS.iter().filter(|o| o.form == Form::InPlace) {
            assert_eq!(row.slots.first().map(|s| s.kind), Some(SlotKind::Register), "{}", row.name);
        }
    }

    #[test]
    fn every_sentence_of_the_table_is_there() {
        for row in OPS {
            let texts = [row.sentence, row.formula, row.shapes, row.source];
            assert!(texts.iter().all(|t| !t.is_empty()), "{}", row.name);
        }
    }
}
