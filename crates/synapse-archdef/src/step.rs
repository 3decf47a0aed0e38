//! One step: from the text of a line to its operation, operands and options.

use crate::ast::{Operand, OptionValue, Step, TensorRef};
use crate::cursor::{Cursor, is_blank, is_word};
use crate::expr;
use crate::limits;
use crate::nearest::nearest;
use crate::ops::{self, Form, OPS, OpRow, OptionRow, OptionSlot, Slot, SlotKind};
use crate::section::Section;
use synapse_diag::{Diagnostic, catalog::archdef as row};

/// Words that no register can be named: those that mean something else in some place.
pub const RESERVED: &[&str] = &[
    "arch", "kind", "param", "ignore", "refuse", "prologue", "block", "epilogue", "sqrt", "true",
    "false",
];

/// A line of a section: what is known of it even where it is wrong, so that one mistake is not
/// reported again at each line that depends on it.
pub struct StepLine {
    /// Line, counted from 1.
    pub line: u32,
    /// The register that the line assigns, or seems to.
    pub assigns: Option<String>,
    /// Whether the line should have assigned a register and does not say which.
    pub loses: bool,
    /// The step; none where the line is wrong and a finding says so.
    pub step: Option<Step>,
}

/// Reads the step of a line.
pub fn step_line(at: Cursor<'_>, section: Section) -> (StepLine, Option<Diagnostic>) {
    let line = at.line();
    let mut head = at.clone();
    let first = head.take_while(is_word);
    let assigned = head.eat('=');
    // A line that makes no sense may have been meant to assign its first word.
    let meant = assigned || head.peek() != Some('(');
    let assigns = (meant && is_register(first)).then(|| first.to_owned());
    match step(at, first, assigned.then_some(head), section) {
        Ok(step) => (StepLine { line, assigns, loses: false, step: Some(step) }, None),
        Err(d) => {
            let loses = d.code() == row::FORM_ASSIGN.code;
            (StepLine { line, assigns, loses, step: None }, Some(d))
        }
    }
}

/// The finding that no operation has this name. Words that never will be one get no suggestion.
pub fn no_such_operation(at: &Cursor<'_>, name: &str) -> Diagnostic {
    let near = nearest(name, OPS.iter().map(|o| o.name));
    at.finding(&row::NO_SUCH_OPERATION).arg("name", name).suggest(near)
}

/// `first` is the line's first word; `after` stands behind its `=`, where it has one.
fn step(
    start: Cursor<'_>,
    first: &str,
    after: Option<Cursor<'_>>,
    section: Section,
) -> Result<Step, Diagnostic> {
    let assigned = after.is_some();
    let mut at = after.unwrap_or_else(|| start.clone());
    at.skip_blanks();
    let op_at = at.clone();
    let name = at.take_while(is_word);
    if name.is_empty() {
        return Err(at.unexpected("OPERATION"));
    }
    let op = ops::find(name).ok_or_else(|| no_such_operation(&op_at, name))?;
    at.expect('(', "(")?;
    let arguments = arguments(&mut at)?;
    at.expect_end()?;

    let wrong_form = match (op.form, assigned) {
        (Form::Assign, false) => Some(&row::FORM_ASSIGN),
        (Form::InPlace, true) => Some(&row::FORM_IN_PLACE),
        _ => None,
    };
    if let Some(entry) = wrong_form {
        return Err(op_at.finding(entry).arg("op", name).arg("form", op.signature()));
    }
    if !op.sections.is_empty() && !op.sections.contains(&section.name()) {
        return Err(op_at
            .finding(&row::WRONG_SECTION)
            .arg("op", name)
            .arg("section", section.name())
            .arg("allowed", op.sections.join(", ")));
    }

    let (operand_texts, option_texts) = operands_and_options(op, &op_at, arguments)?;
    let mut operands = Vec::with_capacity(operand_texts.len());
    for (slot, text) in op.slots.iter().zip(operand_texts) {
        operands.push(operand(op, slot, text, section)?);
    }
    let mut options = Vec::with_capacity(option_texts.len());
    for (option, text) in option_texts {
        options.push((option.kind, option_value(option, text, section)?));
    }
    let target = if assigned {
        register(&start, first)?
    } else {
        match (!operands.is_empty()).then(|| operands.remove(0)) {
            Some(Operand::Register(name)) => name,
            // Every in-place row starts with a register; a test holds that.
            _ => return Err(op_at.unexpected("REGISTER")),
        }
    };
    let (line, column) = (start.line(), start.column());
    Ok(Step { op: op.kind, target, in_place: !assigned, operands, options, line, column })
}

/// The texts between the brackets, split at the commas that stand in no inner bracket; leaves
/// the cursor behind the closing one.
fn arguments<'a>(at: &mut Cursor<'a>) -> Result<Vec<Cursor<'a>>, Diagnostic> {
    let mut list = Vec::new();
    loop {
        at.skip_blanks();
        let start = at.clone();
        let mut open = 0usize;
        let mut length = 0usize;
        for c in at.rest().chars() {
            match c {
                '(' => open += 1,
                ')' | ',' if open == 0 => break,
                ')' => open -= 1,
                _ => {}
            }
            length += c.len_utf8();
        }
        let text = start.rest().get(..length).unwrap_or_default().trim_end_matches(is_blank);
        at.advance(length);
        if text.is_empty() {
            if list.is_empty() && at.eat(')') {
                return Ok(list);
            }
            return Err(at.unexpected("OPERAND"));
        }
        list.push(Cursor::new(text, start.line(), start.column()));
        if !at.eat(',') {
            at.expect(')', ")")?;
            return Ok(list);
        }
    }
}

type Options<'a> = Vec<(&'static OptionRow, Option<Cursor<'a>>)>;

/// Sorts arguments into the operands of the row's slots and the options with their values.
fn operands_and_options<'a>(
    op: &'static OpRow,
    op_at: &Cursor<'a>,
    arguments: Vec<Cursor<'a>>,
) -> Result<(Vec<Cursor<'a>>, Options<'a>), Diagnostic> {
    let mut operands = Vec::new();
    let mut options: Options<'a> = Vec::new();
    for argument in arguments {
        let mut value = argument.clone();
        let word = value.take_while(is_word);
        let has_value = value.eat('=');
        let is_option = has_value || (value.rest().is_empty() && is_flag(op, word, operands.len()));
        if !is_option {
            if !options.is_empty() {
                return Err(argument
                    .finding(&row::OPERAND_AFTER_OPTION)
                    .arg("found", argument.rest())
                    .arg("form", op.signature()));
            }
            operands.push(argument);
            continue;
        }
        let option = op.option(word).ok_or_else(|| no_such_option(op, &argument, word))?;
        let is_flag = option.slot == OptionSlot::Flag;
        if is_flag == has_value {
            let entry = if is_flag { &row::FLAG_WITH_VALUE } else { &row::OPTION_WITHOUT_VALUE };
            return Err(argument.finding(entry).arg("name", word));
        }
        if options.iter().any(|(o, _)| o.kind == option.kind) {
            return Err(argument.finding(&row::DUPLICATE_OPTION).arg("name", word));
        }
        options.push((option, has_value.then_some(value)));
    }
    if operands.len() != op.slots.len() {
        return Err(op_at
            .finding(&row::OPERAND_COUNT)
            .arg("op", op.name)
            .arg("expected", op.slots.len())
            .arg("found", operands.len())
            .arg("form", op.signature()));
    }
    Ok((operands, options))
}

/// Whether a word alone is an option of the operation, not an operand: it is the name of a flag
/// (which the first operand never is), or all operands are there already.
fn is_flag(op: &OpRow, word: &str, operands: usize) -> bool {
    let flag = op.option(word).is_some_and(|o| o.slot == OptionSlot::Flag);
    let more = operands >= op.slots.len() && !op.options.is_empty();
    (flag && operands > 0) || more
}

fn no_such_option(op: &OpRow, at: &Cursor<'_>, name: &str) -> Diagnostic {
    let known: Vec<&str> = op.options.iter().map(|o| o.kind.name()).collect();
    let list = if known.is_empty() { "—".to_owned() } else { known.join(", ") };
    at.finding(&row::NO_SUCH_OPTION)
        .arg("op", op.name)
        .arg("name", name)
        .arg("known", list)
        .suggest(nearest(name, known))
}

fn operand(
    op: &OpRow,
    slot: &Slot,
    mut at: Cursor<'_>,
    section: Section,
) -> Result<Operand, Diagnostic> {
    match slot.kind {
        SlotKind::Register => {
            let place = at.clone();
            let name = at.take_while(is_word);
            let name = if name.is_empty() { place.rest() } else { name };
            let register = register(&place, name)?;
            at.expect_end()?;
            Ok(Operand::Register(register))
        }
        SlotKind::Tensor => {
            let tensor = tensor(at.clone(), section)?;
            if tensor.optional && op.form == Form::Assign {
                return Err(at
                    .finding(&row::OPTIONAL_OPERAND)
                    .arg("name", tensor.text())
                    .arg("op", op.name));
            }
            Ok(Operand::Tensor(tensor))
        }
        SlotKind::Expr => Ok(Operand::Expr(expr::number(at)?)),
    }
}

fn option_value(
    option: &OptionRow,
    at: Option<Cursor<'_>>,
    section: Section,
) -> Result<OptionValue, Diagnostic> {
    let Some(at) = at else { return Ok(OptionValue::Flag) };
    Ok(match option.slot {
        OptionSlot::Flag => OptionValue::Flag,
        OptionSlot::Number => OptionValue::Expr(expr::number(at)?),
        OptionSlot::Bool => OptionValue::Expr(expr::truth(at, option.kind.name())?),
        OptionSlot::Tensor => OptionValue::Tensor(tensor(at, section)?),
    })
}

/// Whether a word can name a register.
pub fn is_register(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= limits::REGISTER_NAME.most
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}

fn register(at: &Cursor<'_>, name: &str) -> Result<String, Diagnostic> {
    if is_register(name) {
        return Ok(name.to_owned());
    }
    Err(at.finding(&row::REGISTER_NAME).arg("name", name).arg("limit", limits::REGISTER_NAME.most))
}

/// `NAME { "|" NAME } [ "?" ]`, filling the cursor.
fn tensor(mut at: Cursor<'_>, section: Section) -> Result<TensorRef, Diagnostic> {
    at.skip_blanks();
    let (line, column) = (at.line(), at.column());
    let mut names = Vec::new();
    loop {
        at.skip_blanks();
        let place = at.clone();
        let name = at.take_while(|c| is_word(c) || "{}-".contains(c));
        if name.is_empty() {
            return Err(at.unexpected("TENSOR"));
        }
        let of_layer = check_tensor_name(&place, name)?;
        if of_layer && section != Section::Block {
            return Err(place
                .finding(&row::INDEX_OUTSIDE_BLOCK)
                .arg("name", name)
                .arg("index", "{i}")
                .arg("section", section.name()));
        }
        if names.len() == limits::ALTERNATIVES.most {
            return Err(place
                .finding(&row::TOO_MANY_ALTERNATIVES)
                .arg("limit", limits::ALTERNATIVES.most));
        }
        names.push(name.to_owned());
        if !at.eat('|') {
            break;
        }
    }
    let optional = at.eat('?');
    at.expect_end()?;
    Ok(TensorRef { names, optional, line, column })
}

/// Refuses a name whose braces hold anything but `i`; says whether it has a layer's index.
pub fn check_tensor_name(at: &Cursor<'_>, name: &str) -> Result<bool, Diagnostic> {
    let plain = name.replace("{i}", "");
    if plain.is_empty() || plain.contains(['{', '}']) {
        return Err(at.finding(&row::TENSOR_NAME).arg("name", name).arg("index", "{i}"));
    }
    Ok(plain.len() != name.len())
}
