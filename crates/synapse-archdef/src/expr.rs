//! Constant expressions: text to tree.

use crate::ast::Expr;
use crate::cursor::{Cursor, is_word};
use crate::limits;
use synapse_diag::{Diagnostic, catalog::archdef as row};

/// A tree and how deep it is: trees are walked by recursion, so their depth is capped.
type Deep = (Expr, usize);

/// Reads an expression that must fill all of the cursor and be a number.
pub fn number(mut at: Cursor<'_>) -> Result<Expr, Diagnostic> {
    let (expr, _) = fallback(&mut at, 0)?;
    at.expect_end()?;
    Ok(expr)
}

/// Reads `true`, `false`, a key, or alternatives of them with `|`; they must fill the cursor.
pub fn truth(mut at: Cursor<'_>, option: &str) -> Result<Expr, Diagnostic> {
    let mut list = Vec::new();
    loop {
        at.skip_blanks();
        let place = at.clone();
        let word = at.take_while(is_word);
        list.push(match word {
            "true" => Expr::Bool(true),
            "false" => Expr::Bool(false),
            _ if is_key(word) => Expr::Key(word.to_owned()),
            "" => return Err(at.unexpected("true")),
            _ => {
                return Err(place
                    .finding(&row::OPTION_TRUTH)
                    .arg("name", option)
                    .arg("found", place.rest()));
            }
        });
        if !at.eat('|') {
            break;
        }
    }
    if !at.rest().is_empty() {
        return Err(at.finding(&row::OPTION_TRUTH).arg("name", option).arg("found", at.rest()));
    }
    Ok(one_or_fallback(list))
}

/// Whether a word is a metadata key: it starts with a letter, and no part of it is empty.
pub fn is_key(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.split('.').all(|p| !p.is_empty())
}

fn one_or_fallback(mut list: Vec<Expr>) -> Expr {
    match (list.len(), list.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            list.extend(last);
            Expr::Fallback(list)
        }
    }
}

fn bounded(at: &Cursor<'_>, expr: Expr, depth: usize) -> Result<Deep, Diagnostic> {
    if depth > limits::EXPRESSION_DEPTH.most {
        return Err(at.finding(&row::EXPRESSION_DEPTH).arg("limit", limits::EXPRESSION_DEPTH.most));
    }
    Ok((expr, depth))
}

/// `sum { "|" sum }`; `open` counts the brackets around it, before the tree's depth is known.
fn fallback(at: &mut Cursor<'_>, open: usize) -> Result<Deep, Diagnostic> {
    // Refuses before the recursion does harm: each bracket deepens the tree or the stack.
    bounded(at, Expr::Number(0.0), open)?;
    let (first, mut depth) = sum(at, open)?;
    let mut list = vec![first];
    while at.eat('|') {
        let (next, d) = sum(at, open)?;
        list.push(next);
        depth = depth.max(d);
    }
    let deeper = usize::from(list.len() > 1);
    bounded(at, one_or_fallback(list), depth + deeper)
}

/// `term { ("+" | "-") term }`, grouped from the left.
fn sum(at: &mut Cursor<'_>, open: usize) -> Result<Deep, Diagnostic> {
    let mut left = term(at, open)?;
    loop {
        let join = if at.eat('+') {
            Expr::Add
        } else if at.eat('-') {
            Expr::Sub
        } else {
            return Ok(left);
        };
        let right = term(at, open)?;
        left = joined(at, join, left, right)?;
    }
}

/// `factor { ("*" | "/") factor }`, grouped from the left.
fn term(at: &mut Cursor<'_>, open: usize) -> Result<Deep, Diagnostic> {
    let mut left = factor(at, open)?;
    loop {
        let join = if at.eat('*') {
            Expr::Mul
        } else if at.eat('/') {
            Expr::Div
        } else {
            return Ok(left);
        };
        let right = factor(at, open)?;
        left = joined(at, join, left, right)?;
    }
}

fn joined(
    at: &Cursor<'_>,
    join: fn(Box<Expr>, Box<Expr>) -> Expr,
    (a, da): Deep,
    (b, db): Deep,
) -> Result<Deep, Diagnostic> {
    bounded(at, join(Box::new(a), Box::new(b)), da.max(db) + 1)
}

/// `{ "-" } ( NUMBER | KEY | "sqrt" "(" expression ")" | "(" expression ")" )`
fn factor(at: &mut Cursor<'_>, open: usize) -> Result<Deep, Diagnostic> {
    let mut minus = 0usize;
    while at.eat('-') {
        minus += 1;
        bounded(at, Expr::Number(0.0), minus)?;
    }
    let mut out = atom(at, open)?;
    for _ in 0..minus {
        out = bounded(at, Expr::Neg(Box::new(out.0)), out.1 + 1)?;
    }
    Ok(out)
}

fn atom(at: &mut Cursor<'_>, open: usize) -> Result<Deep, Diagnostic> {
    if at.eat('(') {
        let inner = fallback(at, open + 1)?;
        at.expect(')', ")")?;
        return Ok(inner);
    }
    at.skip_blanks();
    if at.peek().is_some_and(|c| c.is_ascii_digit()) {
        return Ok((Expr::Number(literal(at)?), 1));
    }
    let place = at.clone();
    let word = at.take_while(is_word);
    match word {
        "sqrt" => {
            at.expect('(', "(")?;
            let (inner, depth) = fallback(at, open + 1)?;
            at.expect(')', ")")?;
            bounded(at, Expr::Sqrt(Box::new(inner)), depth + 1)
        }
        "true" | "false" => Err(place.finding(&row::EXPRESSION_TYPE).arg("found", word)),
        _ if is_key(word) => Ok((Expr::Key(word.to_owned()), 1)),
        _ => Err(place.unexpected("EXPRESSION")),
    }
}

/// `digits [ "." digits ] [ ("e" | "E") [ "+" | "-" ] digits ]`, finite.
pub fn literal(at: &mut Cursor<'_>) -> Result<f64, Diagnostic> {
    let place = at.clone();
    let mut text = at.take_while(is_word).to_owned();
    // The sign of an exponent is no word character: `1e-6` is one number, `1-6` is not.
    let exponent = text.ends_with(['e', 'E']);
    if exponent && let Some(sign @ ('+' | '-')) = at.peek() {
        at.eat(sign);
        text.push(sign);
        text.push_str(at.take_while(is_word));
    }
    // Rust's own reader also takes `.5`, `5.`, `inf` and `nan`, which the grammar does not have.
    let plain = text.starts_with(|c: char| c.is_ascii_digit())
        && !text.ends_with('.')
        && !text.contains(".e")
        && !text.contains(".E")
        && text.chars().all(|c| c.is_ascii_digit() || "+-.eE".contains(c));
    match text.parse::<f64>() {
        Ok(value) if plain && value.is_finite() => Ok(value),
        _ => Err(place.finding(&row::NUMBER).arg("text", text)),
    }
}
