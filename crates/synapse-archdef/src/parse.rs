//! From the bytes of a file to a checked definition, with every mistake on the way.

use crate::ast::{Definition, Step};
use crate::cursor::{Cursor, is_blank, is_word};
use crate::flow::{self, Lines};
use crate::header::{HEADERS, Header};
use crate::limits;
use crate::nearest::nearest;
use crate::ops;
use crate::section::Section;
use crate::source;
use crate::step::{no_such_operation, step_line};
use sha2::{Digest, Sha256};
use synapse_diag::{Diagnostic, Diagnostics, catalog::archdef as row};

/// Words of control flow and of reaching outside that other languages have. There is no such
/// operation and never will be; the list only lets a line that starts with one say so, instead
/// of asking for brackets.
pub const NEVER_OPERATIONS: &[&str] = &[
    "if",
    "unless",
    "while",
    "loop",
    "for",
    "match",
    "goto",
    "call",
    "exec",
    "eval",
    "shell",
    "run",
    "import",
    "include",
    "require",
    "open",
    "read_file",
    "write",
    "http",
    "fetch",
    "env",
];

/// Reads and checks a definition.
///
/// `file_label` is how messages name the file. `expected_name` is the name that the file's name
/// promises (`qwen3` for `qwen3.archdef`); none skips that check.
///
/// # Errors
/// Every mistake that needs no model file to be seen, in the order of the lines, at most
/// [`limits::FINDINGS`] of them. Never empty.
pub fn parse(
    file_label: &str,
    bytes: &[u8],
    expected_name: Option<&str>,
) -> Result<Definition, Diagnostics> {
    let mut reader = Reader::default();
    let text = match source::text(bytes) {
        Ok(text) => text,
        Err(d) => return Err(vec![d.at_file(file_label)]),
    };
    for at in source::lines(text, &mut reader.findings) {
        reader.line(at, expected_name);
    }
    reader.finish(file_label, text)
}

/// What has been read so far.
#[derive(Default)]
struct Reader {
    header: Header,
    /// The sections in the order of the file; those that are misplaced or doubled too.
    sections: Vec<(Section, Lines)>,
    /// Sections that were meant, by a misspelt line.
    misspelt: Vec<Section>,
    step_outside: bool,
    disordered: bool,
    findings: Vec<Diagnostic>,
}

impl Reader {
    fn line(&mut self, at: Cursor<'_>, file_stem: Option<&str>) {
        let mut after = at.clone();
        let word = after.take_while(is_word);
        if HEADERS.contains(&word) {
            let finding = if self.sections.is_empty() {
                self.header.read(word, after, file_stem)
            } else {
                self.header.note(word, at.line());
                Some(at.finding(&row::HEADER_AFTER_SECTION).arg("name", word))
            };
            self.findings.extend(finding);
        } else if let Some(section) = Section::named(word) {
            self.begin(section, &at);
            self.findings.extend(after.expect_end().err());
        } else if after.clone().eat('=') || after.clone().eat('(') || word.is_empty() {
            self.step(at);
        } else {
            self.unknown(at, word);
        }
    }

    /// A section begins.
    fn begin(&mut self, section: Section, at: &Cursor<'_>) {
        let first = self.sections.iter().find(|(s, _)| *s == section).map(|(_, l)| l.line);
        let last = self.sections.iter().map(|(s, _)| *s).max();
        let finding = match (first, last) {
            (Some(first), _) => Some(at.finding(&row::DUPLICATE_SECTION).arg("first", first)),
            (None, Some(after)) if after > section => {
                Some(at.finding(&row::SECTION_ORDER).arg("after", after.name()))
            }
            _ => None,
        };
        self.disordered |= finding.is_some();
        self.findings.extend(finding.map(|d| d.arg("name", section.name())));
        self.sections.push((section, Lines { line: at.line(), steps: Vec::new() }));
    }

    fn step(&mut self, at: Cursor<'_>) {
        let Some((section, lines)) = self.sections.last_mut() else {
            // One finding says it for all steps before the first section.
            if !self.step_outside {
                self.findings.push(at.finding(&row::STEP_OUTSIDE_SECTION));
                self.step_outside = true;
            }
            // Such a step may be wrong in itself too: a word that is no operation is worth saying.
            let (_, finding) = step_line(at, Section::Prologue);
            let other = finding.filter(|d| d.code() != row::WRONG_SECTION.code);
            self.findings.extend(other);
            return;
        };
        let (line, finding) = step_line(at, *section);
        lines.steps.push(line);
        self.findings.extend(finding);
    }

    /// A line that is neither header nor section and has no shape of a step.
    fn unknown(&mut self, at: Cursor<'_>, word: &str) {
        // An operation without brackets: the step's own reader says what is missing.
        if ops::find(word).is_some() {
            return self.step(at);
        }
        let section_names = Section::ALL.map(Section::name);
        // A section's name stands alone in its line; a colon behind it is an old habit.
        let alone = at.rest().trim_start_matches(is_word).trim_matches([' ', '\t', ':']).is_empty();
        let near_section = nearest(word, section_names).filter(|_| alone);
        let near_header = nearest(word, HEADERS.iter().copied())
            .filter(|_| self.sections.is_empty() && at.rest().contains(is_blank));
        let unknown = || at.finding(&row::UNKNOWN_LINE).arg("word", word);
        let finding = if NEVER_OPERATIONS.contains(&word) {
            no_such_operation(&at, word)
        } else if let Some(name) = near_section {
            let finding = unknown().suggest(Some(name));
            if let Some(section) = Section::named(name) {
                self.misspelt.push(section);
                self.sections.push((section, Lines { line: at.line(), steps: Vec::new() }));
                self.disordered = true;
            }
            self.findings.push(finding);
            return;
        } else if let Some(name) = near_header {
            self.header.note(name, at.line());
            unknown().suggest(Some(name))
        } else if nearest(word, ops::OPS.iter().map(|o| o.name)).is_some() {
            no_such_operation(&at, word)
        } else {
            unknown()
        };
        self.findings.push(finding);
        if let Some((section, lines)) = self.sections.last_mut() {
            // Kept as a line that is not understood, so that nothing is said to be missing
            // which it may have held.
            lines.steps.push(step_line(at, *section).0);
        }
    }

    fn finish(mut self, file_label: &str, text: &str) -> Result<Definition, Diagnostics> {
        self.findings.extend(self.header.missing());
        let mut found = Section::ALL.map(|s| (s, None));
        for (section, lines) in self.sections {
            if let Some((_, place)) = found.iter_mut().find(|(s, _)| *s == section) {
                place.get_or_insert(lines);
            }
        }
        let last_line = u32::try_from(text.lines().count()).unwrap_or(u32::MAX).max(1);
        for (section, lines) in &found {
            if lines.is_none() && !self.misspelt.contains(section) {
                let missing = Diagnostic::new(&row::MISSING_SECTION).arg("name", section.name());
                self.findings.push(missing.at_line(last_line));
            }
        }
        let [(_, prologue), (_, block), (_, epilogue)] = found;
        let (Some(prologue), Some(block), Some(epilogue)) = (prologue, block, epilogue) else {
            return Err(in_order(self.findings, file_label));
        };
        // Where the sections are not in order, what flows between them cannot be told.
        if !self.disordered {
            let sections = [&prologue, &block, &epilogue];
            flow::check(sections, self.header.kind, &mut self.findings);
        }
        match (self.header.name, self.header.kind) {
            (Some(name), Some(kind)) if self.findings.is_empty() => Ok(Definition {
                name,
                kind,
                params: self.header.params,
                ignores: self.header.ignores,
                refusals: self.header.refusals,
                prologue: steps(prologue),
                block: steps(block),
                epilogue: steps(epilogue),
                sha256: Sha256::digest(text.as_bytes()).into(),
                text: text.to_owned(),
                file: file_label.to_owned(),
            }),
            _ => Err(in_order(self.findings, file_label)),
        }
    }
}

fn steps(lines: Lines) -> Vec<Step> {
    lines.steps.into_iter().filter_map(|s| s.step).collect()
}

/// Findings in the order of their lines, with the file's name, capped.
fn in_order(mut findings: Vec<Diagnostic>, file_label: &str) -> Diagnostics {
    findings.sort_by_key(|d| d.line().unwrap_or(0));
    let most = limits::FINDINGS.most;
    if findings.len() > most {
        let count = findings.len() - most;
        findings.truncate(most);
        findings.push(Diagnostic::new(&row::MORE_FINDINGS).arg("count", count));
    }
    findings.into_iter().map(|d| d.at_file(file_label)).collect()
}
