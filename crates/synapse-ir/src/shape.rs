//! Shape rules, one an operation: used while binding and again by the verifier.

use crate::graph::{Dim, Op, Shape, StateSlot, Weight};

/// Why an operation does not fit its operands.
#[derive(Debug, PartialEq)]
pub(crate) enum Misfit {
    /// The weight has another shape than `wanted`.
    Weight { wanted: String },
    /// Input `index` has another width than `wanted`.
    Width { index: usize, wanted: String },
    /// Inputs `a` and `b` have different rows.
    Rows { a: usize, b: usize },
    /// A constant of the operation is out of range.
    Constant { value: String, wanted: String },
}

/// What the rules of an operation look at beside the inputs' shapes.
pub(crate) struct Operands<'a> {
    pub inputs: &'a [Shape],
    pub weight: Option<&'a Weight>,
    pub slot: Option<&'a StateSlot>,
}

/// The shape of the operation's output.
pub(crate) fn infer(op: &Op, of: &Operands<'_>) -> Result<Shape, Misfit> {
    let input = of.inputs.first().copied().unwrap_or(Shape { rows: Dim::Tokens, width: 0 });
    match op {
        Op::Embed { .. } => {
            let cols = of.weight.map_or(0, |w| w.cols);
            Ok(Shape { rows: input.rows, width: cols })
        }
        Op::RmsNorm { .. } | Op::AddBias { .. } => {
            vector(of, input.width)?;
            Ok(input)
        }
        Op::Matmul { .. } => match of.weight {
            Some(w) if w.cols == input.width => Ok(Shape { rows: input.rows, width: w.rows }),
            _ => Err(Misfit::Weight { wanted: format!("[{}, n]", input.width) }),
        },
        Op::NormHeads { heads, .. } => {
            let head = per_head(0, input.width, *heads)?;
            vector(of, head)?;
            Ok(input)
        }
        Op::Rope { heads, dims, factors, .. } => {
            let head = per_head(0, input.width, *heads)?;
            if *dims == 0 || *dims > head || dims % 2 != 0 {
                return Err(Misfit::Constant {
                    value: dims.to_string(),
                    wanted: format!("an even number of dimensions in 2…{head}"),
                });
            }
            if factors.is_some() {
                vector(of, dims / 2)?;
            }
            Ok(input)
        }
        Op::Attention { heads, window, .. } => {
            let slot = of.slot.ok_or(Misfit::Rows { a: 0, b: 0 })?;
            if *heads == 0 || slot.kv_heads == 0 || heads % slot.kv_heads != 0 {
                return Err(Misfit::Constant {
                    value: heads.to_string(),
                    wanted: format!("a multiple of the {} key/value heads", slot.kv_heads),
                });
            }
            if *window == Some(0) {
                return Err(Misfit::Constant {
                    value: "0".into(),
                    wanted: "a window of 1 or more".into(),
                });
            }
            width(of, 0, *heads, slot.key_dim)?;
            width(of, 1, slot.kv_heads, slot.key_dim)?;
            width(of, 2, slot.kv_heads, slot.value_dim)?;
            same_rows(of, 0, 1)?;
            same_rows(of, 0, 2)?;
            let wide = heads.checked_mul(slot.value_dim);
            let width = wide.ok_or(Misfit::Width { index: 0, wanted: "less".into() })?;
            Ok(Shape { rows: input.rows, width })
        }
        Op::Mul | Op::Add => {
            same_rows(of, 0, 1)?;
            match of.inputs.get(1) {
                Some(other) if other.width == input.width => Ok(input),
                _ => Err(Misfit::Width { index: 1, wanted: input.width.to_string() }),
            }
        }
        Op::Scale { factor } if !factor.is_finite() => {
            Err(Misfit::Constant { value: factor.to_string(), wanted: "a finite number".into() })
        }
        Op::Scale { .. } | Op::Activate(_) | Op::Copy => Ok(input),
        Op::Last => Ok(Shape { rows: Dim::Selected, width: input.width }),
    }
}

fn vector(of: &Operands<'_>, len: usize) -> Result<(), Misfit> {
    match of.weight {
        Some(w) if w.rows == 1 && w.cols == len => Ok(()),
        _ => Err(Misfit::Weight { wanted: format!("[{len}]") }),
    }
}

fn per_head(index: usize, width: usize, heads: usize) -> Result<usize, Misfit> {
    match width.checked_rem(heads) {
        Some(0) if width > 0 => Ok(width / heads),
        _ => Err(Misfit::Width { index, wanted: format!("a multiple of {heads} heads") }),
    }
}

fn width(of: &Operands<'_>, index: usize, heads: usize, dim: usize) -> Result<(), Misfit> {
    let wanted = heads.checked_mul(dim);
    match of.inputs.get(index) {
        Some(shape) if Some(shape.width) == wanted => Ok(()),
        _ => Err(Misfit::Width {
            index,
            wanted: format!("{heads} heads of {dim} ({})", wanted.unwrap_or(usize::MAX)),
        }),
    }
}

fn same_rows(of: &Operands<'_>, a: usize, b: usize) -> Result<(), Misfit> {
    match (of.inputs.get(a), of.inputs.get(b)) {
        (Some(x), Some(y)) if x.rows == y.rows => Ok(()),
        _ => Err(Misfit::Rows { a, b }),
    }
}
