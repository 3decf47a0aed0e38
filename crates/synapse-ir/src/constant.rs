//! Constant expressions of a definition, settled against one file.

use synapse_archdef::Expr;
use synapse_diag::Diagnostic;

use crate::keys::{Constant, Keys};

/// What evaluating an expression came to.
pub(crate) enum Settled {
    Value(Constant),
    /// A key without default is absent.
    Absent(String),
    /// The kinds of its parts do not fit, such as `true + 1`.
    Mixed,
}

/// Evaluates in f64. Division by zero and the like yield a value that is not finite; the step
/// that uses it refuses that.
pub(crate) fn evaluate(expr: &Expr, keys: &Keys<'_>) -> Result<Settled, Diagnostic> {
    let number = |n: f64| Ok(Settled::Value(Constant::Number(n)));
    match expr {
        Expr::Number(n) => number(*n),
        Expr::Bool(b) => Ok(Settled::Value(Constant::Bool(*b))),
        Expr::Key(key) => Ok(match keys.constant(key)? {
            Some(value) => Settled::Value(value),
            None => Settled::Absent(keys.full(key)),
        }),
        Expr::Neg(a) => unary(a, keys, |a| -a),
        Expr::Sqrt(a) => unary(a, keys, f64::sqrt),
        Expr::Add(a, b) => binary(a, b, keys, |a, b| a + b),
        Expr::Sub(a, b) => binary(a, b, keys, |a, b| a - b),
        Expr::Mul(a, b) => binary(a, b, keys, |a, b| a * b),
        Expr::Div(a, b) => binary(a, b, keys, |a, b| a / b),
        Expr::Fallback(list) => {
            let mut absent = None;
            for alternative in list {
                match evaluate(alternative, keys)? {
                    Settled::Absent(key) => absent = Some(key),
                    settled => return Ok(settled),
                }
            }
            Ok(absent.map_or(Settled::Mixed, Settled::Absent))
        }
    }
}

fn unary(a: &Expr, keys: &Keys<'_>, f: fn(f64) -> f64) -> Result<Settled, Diagnostic> {
    Ok(match evaluate(a, keys)? {
        Settled::Value(Constant::Number(a)) => Settled::Value(Constant::Number(f(a))),
        Settled::Value(Constant::Bool(_)) => Settled::Mixed,
        other => other,
    })
}

fn binary(
    a: &Expr,
    b: &Expr,
    keys: &Keys<'_>,
    f: fn(f64, f64) -> f64,
) -> Result<Settled, Diagnostic> {
    Ok(match (evaluate(a, keys)?, evaluate(b, keys)?) {
        (Settled::Value(Constant::Number(a)), Settled::Value(Constant::Number(b))) => {
            Settled::Value(Constant::Number(f(a, b)))
        }
        (Settled::Absent(key), _) | (_, Settled::Absent(key)) => Settled::Absent(key),
        _ => Settled::Mixed,
    })
}
