//! The flow of registers through the three sections, and what each section must leave behind.

use crate::ast::Kind;
use crate::limits;
use crate::nearest::nearest;
use crate::ops::OpKind;
use crate::step::StepLine;
use std::collections::{BTreeMap, BTreeSet};
use synapse_diag::{Diagnostic, catalog::archdef as row};

/// The residual: the one register that links the layers.
pub const RESIDUAL: &str = "x";

/// The lines of a section, and the line of its name.
pub struct Lines {
    /// Line of the section's name, counted from 1.
    pub line: u32,
    /// Its steps.
    pub steps: Vec<StepLine>,
}

impl Lines {
    /// Whether each line is understood. What a section lacks can only be told if so.
    fn whole(&self) -> bool {
        self.steps.iter().all(|s| s.step.is_some())
    }

    /// Each register that the section assigns, with the first line that does.
    fn assigned(&self) -> BTreeMap<&str, u32> {
        let mut first = BTreeMap::new();
        for s in &self.steps {
            if let Some(name) = &s.assigns {
                first.entry(name.as_str()).or_insert(s.line);
            }
        }
        first
    }

    fn finding(&self, entry: &'static synapse_diag::Entry) -> Diagnostic {
        Diagnostic::new(entry).at_line(self.line)
    }
}

/// Checks the registers of the three sections, in their order.
pub fn check(sections: [&Lines; 3], kind: Option<Kind>, findings: &mut Vec<Diagnostic>) {
    let [prologue, block, epilogue] = sections;
    let of_layer = block.assigned();

    let mut known = BTreeSet::new();
    section_reads(prologue, &mut known, &BTreeMap::new(), findings);
    if !known.contains(RESIDUAL) {
        if prologue.whole() {
            findings.push(prologue.finding(&row::NO_RESIDUAL));
        }
        known.insert(RESIDUAL);
    }
    section_reads(block, &mut known.clone(), &of_layer, findings);
    residual_and_attention(block, findings);
    section_reads(epilogue, &mut known, &of_layer, findings);
    if let Some(kind) = kind {
        output(epilogue, kind, findings);
    }
    sizes(sections, findings);
}

/// Checks that each register is assigned before it is read; `known` grows by what the section
/// assigns. `of_layer` is what the block assigns: named where it is missing.
fn section_reads<'a>(
    section: &'a Lines,
    known: &mut BTreeSet<&'a str>,
    of_layer: &BTreeMap<&'a str, u32>,
    findings: &mut Vec<Diagnostic>,
) {
    let mut lost = false;
    for s in &section.steps {
        lost |= s.loses;
        for name in s.step.iter().flat_map(|s| s.reads()) {
            // A line that forgot its `name =` is reported; what it would have assigned is not.
            if lost || known.contains(name) {
                continue;
            }
            let finding = match of_layer.get(name) {
                Some(first) => Diagnostic::new(&row::REGISTER_OF_A_LAYER).arg("first", first),
                None => Diagnostic::new(&row::REGISTER_UNASSIGNED)
                    .suggest(nearest(name, known.iter().copied())),
            };
            findings.push(finding.arg("name", name).at_line(s.line));
            // One finding a register: the lines after would only repeat it.
            known.insert(name);
        }
        known.extend(s.assigns.as_deref());
    }
}

fn residual_and_attention(block: &Lines, findings: &mut Vec<Diagnostic>) {
    if !block.whole() {
        return;
    }
    let steps = || block.steps.iter().filter_map(|s| s.step.as_ref());
    if !steps().any(|s| s.op == OpKind::Attention) {
        findings.push(block.finding(&row::NO_ATTENTION));
    }
    // The first step on x decides: reading after x is assigned anew uses no residual.
    let first = steps().find(|s| s.target == RESIDUAL || s.reads().any(|r| r == RESIDUAL));
    if !first.is_some_and(|s| s.reads().any(|r| r == RESIDUAL)) {
        findings.push(block.finding(&row::BLOCK_IGNORES_RESIDUAL));
    }
    if !steps().any(|s| s.target == RESIDUAL) {
        findings.push(block.finding(&row::BLOCK_LEAVES_NOTHING));
    }
}

fn output(epilogue: &Lines, kind: Kind, findings: &mut Vec<Diagnostic>) {
    let logits = Kind::Decoder.output();
    if kind == Kind::Embedding
        && let Some(line) = epilogue.assigned().get(logits)
    {
        findings.push(Diagnostic::new(&row::LOGITS_IN_EMBEDDING).at_line(*line));
        return;
    }
    let last = epilogue.steps.last().and_then(|s| s.step.as_ref());
    let ends = last.is_some_and(|s| s.target == kind.output());
    if epilogue.whole() && !ends {
        let line = epilogue.steps.last().map_or(epilogue.line, |s| s.line);
        findings.push(
            Diagnostic::new(&row::NO_OUTPUT)
                .arg("kind", kind.name())
                .arg("register", kind.output())
                .at_line(line),
        );
    }
}

/// The caps on steps and registers.
fn sizes(sections: [&Lines; 3], findings: &mut Vec<Diagnostic>) {
    let all = || sections.into_iter().flat_map(|s| &s.steps);
    if let Some(over) = all().nth(limits::STEPS.most) {
        findings.push(
            Diagnostic::new(&row::TOO_MANY_STEPS)
                .arg("limit", limits::STEPS.most)
                .at_line(over.line),
        );
    }
    let mut names = BTreeSet::new();
    let over = all().find(|s| {
        names.extend(s.assigns.as_deref());
        names.len() > limits::REGISTERS.most
    });
    if let Some(over) = over {
        findings.push(
            Diagnostic::new(&row::TOO_MANY_REGISTERS)
                .arg("limit", limits::REGISTERS.most)
                .at_line(over.line),
        );
    }
}
