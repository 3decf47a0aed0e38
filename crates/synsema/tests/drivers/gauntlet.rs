//! Tiny models of each architecture against the outputs of the reference engine.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::compare::{nmse, read_f32, worst_row};
use crate::program::{Outcome, report, synsema};
use crate::{cases, compare};

/// Largest normalised error of a case that must pass, over all positions and in the worst row.
/// Correct f32 mathematics gives 1e-13 to 1e-10; the erf form of GELU for its tanh form gives 4e-8.
pub const BAR: f64 = 1e-9;
/// The same for cases that nobody promised: refused or right.
const LOOSE_BAR: f64 = 1e-6;

/// How far a case is from its reference.
pub struct Distance {
    pub all: f64,
    pub worst_row: f64,
}

impl Distance {
    pub fn passes(&self, bar: f64) -> bool {
        self.all <= bar && self.worst_row <= bar
    }
}

/// The `logits` call for a case, with further flags, and the file that it writes.
pub fn logits(model: &Path, tokens: &Path, flags: &[&str]) -> (Outcome, PathBuf) {
    let output = cases::fresh_file(".f32");
    let outcome = synsema(["logits", "--model"])
        .arg(model)
        .arg("--tokens")
        .arg(tokens)
        .arg("--output")
        .arg(&output)
        .args(flags)
        .within(Duration::from_secs(120))
        .run();
    (outcome, output)
}

/// Compares an output with the reference of `case`; the file is removed.
pub fn distance(case: &Path, output: &Path) -> Distance {
    let shape = &cases::json(&case.join("meta.json"))["shape"];
    let width = usize::try_from(shape[1].as_u64().expect("a shape")).expect("a width");
    let reference = read_f32(&case.join("logits.f32"));
    let values = read_f32(output);
    let _ = fs::remove_file(output);
    assert_eq!(values.len(), reference.len(), "{}: size of the output", case.display());
    Distance { all: nmse(&values, &reference), worst_row: worst_row(&values, &reference, width) }
}

/// The flags of the reference profile.
pub const REFERENCE: [&str; 4] = ["--precision", "f32", "--kv", "f32"];

#[test]
fn outputs_agree_with_the_reference_engine() {
    let folder = cases::vendored("gauntlet");
    let full = cases::full_set("SYNSEMA_TEST_GAUNTLET");
    let listed: Vec<String> =
        cases::table(&folder.join("full.txt")).into_iter().map(|row| row[0].clone()).collect();
    // A listed case that the full set lacks is an error as well.
    let required = full.iter().flat_map(|full| listed.iter().map(|name| full.join(name)));
    let mut table = format!("{:<24} {:>10} {:>10}\n", "gauntlet", "nmse", "worst row");
    let mut failed = Vec::new();
    for case in cases::folders(&folder).into_iter().chain(required) {
        let name = cases::name(&case);
        let model = cases::unpacked(&case, "model.gguf");
        let (outcome, output) = logits(&model, &case.join("tokens.json"), &REFERENCE);
        if let Some(fault) = outcome.fault(&[0]) {
            failed.push(format!("{name}: {fault}"));
            continue;
        }
        let distance = distance(&case, &output);
        let _ = writeln!(table, "{name:<24} {:>10.1e} {:>10.1e}", distance.all, distance.worst_row);
        if !distance.passes(BAR) {
            failed.push(format!("{name}: {:e}, worst row {:e}", distance.all, distance.worst_row));
        }
    }
    report(&table);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Nothing runs that is not understood: every case outside the list is refused, or it is right.
#[test]
fn other_architectures_are_refused_or_right() {
    let Some(full) = cases::full_set("SYNSEMA_TEST_GAUNTLET") else { return };
    let (mut refused, mut right) = (0, Vec::new());
    let mut failed = Vec::new();
    for case in cases::folders(&full) {
        let (outcome, output) =
            logits(&case.join("model.gguf"), &case.join("tokens.json"), &REFERENCE);
        match outcome.fault(&[0, 3]) {
            Some(fault) => failed.push(fault),
            None if outcome.code == Some(3) => refused += 1,
            None => {
                let distance = distance(&case, &output);
                right.push(cases::name(&case));
                if !distance.passes(LOOSE_BAR) {
                    failed.push(format!(
                        "{}: runs, but is wrong: {:e}",
                        right[right.len() - 1],
                        distance.all
                    ));
                }
            }
        }
    }
    report(&format!("full gauntlet: {refused} refused, run: {}", right.join(" ")));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The comparison itself notices a single wrong row.
#[test]
fn a_shifted_row_fails_the_comparison() {
    let case = cases::vendored("gauntlet").join("qwen3");
    let mut values = read_f32(&case.join("logits.f32"));
    let same = cases::file_with(".f32", fs::read(case.join("logits.f32")).expect("a reference"));
    assert!(distance(&case, &same).passes(BAR));
    let last = values.len() - 1;
    values[last] += 0.05;
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert!(!distance(&case, &cases::file_with(".f32", bytes)).passes(BAR));
    assert_eq!(compare::best(&[0.0, 2.0, 2.0, 1.0]), 1);
}
