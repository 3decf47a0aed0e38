//! The reference page of operations, generated from the tables.

use crate::limits::LIMITS;
use crate::ops::{OPS, OpRow, OptionSlot};
use crate::params::PARAMS;
use std::fmt::Write;

/// The reference page in Markdown: each operation with its form, options, formula and source,
/// the parameters, and the limits.
pub fn reference_page() -> String {
    let mut page = String::from(
        "# Operations of the definition language\n\n\
         Generated from the table of operations; do not edit by hand.\n\n\
         | operation | form | what it does |\n|---|---|---|\n",
    );
    // Writing to a string cannot fail.
    for op in OPS {
        let _ = writeln!(
            page,
            "| [`{0}`](#{0}) | `{1}` | {2} |",
            op.name,
            op.signature(),
            cell(op.sentence)
        );
    }
    for op in OPS {
        operation(&mut page, op);
    }
    page.push_str("\n## Parameters\n\n| `param` | value | what it says |\n|---|---|---|\n");
    for p in PARAMS {
        let (least, greatest) = p.whole;
        let _ = writeln!(page, "| `{}` | {least} to {greatest} | {} |", p.name, cell(p.sentence));
    }
    page.push_str("\n## Limits\n\n| at most | of | refused with |\n|---|---|---|\n");
    for l in LIMITS {
        let _ = writeln!(page, "| {} | {} | `{}` |", l.most, l.sentence, l.code);
    }
    page
}

fn operation(page: &mut String, op: &OpRow) {
    let sections =
        if op.sections.is_empty() { "every section".to_owned() } else { op.sections.join(", ") };
    let _ = write!(
        page,
        "\n## {}\n\n`{}`\n\n{}\n\n- computes: {}\n- shapes: {}\n- stands in: {sections}\n\
         - source: {}\n",
        op.name,
        op.signature(),
        op.sentence,
        op.formula,
        op.shapes,
        op.source
    );
    if op.options.is_empty() {
        return;
    }
    page.push_str("\n| option | what it does |\n|---|---|\n");
    for o in op.options {
        let value = match o.slot {
            OptionSlot::Flag => "",
            OptionSlot::Number => "=number",
            OptionSlot::Bool => "=true or false",
            OptionSlot::Tensor => "=TENSOR",
        };
        let _ = writeln!(page, "| `{}{value}` | {} |", o.kind.name(), cell(o.sentence));
    }
}

/// Text as a cell of a table, where `|` would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
