//! Malformed and valid GGUF files through `model verify`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::cases;
use crate::program::{Outcome, Synsema, report, synsema};

/// Memory that a call may have beyond the size of the file.
const MEMORY: u64 = 64 << 20;

const TIME: Duration = Duration::from_secs(10);

/// The exit codes that a verdict allows.
fn allowed(verdict: &str) -> &'static [i32] {
    match verdict {
        "REJECT" => &[3],
        "ACCEPT" => &[0],
        "REPORT" | "REJECT-OR-READ" => &[0, 3],
        _ => panic!("unknown verdict `{verdict}`"),
    }
}

fn all_cases() -> Vec<std::path::PathBuf> {
    let full = cases::full_set("SYNSEMA_TEST_ORACLES");
    let full = full.iter().flat_map(|full| cases::folders(full));
    let full = full.filter(|case| cases::name(case).starts_with("gguf_"));
    cases::folders(&cases::vendored("broken")).into_iter().chain(full).collect()
}

/// A bounded call on a case's file.
fn bounded(call: Synsema, model: &Path) -> Outcome {
    let size = fs::metadata(model).expect("the case has a model").len();
    call.arg(model).within(TIME).with_memory(MEMORY + size).run()
}

/// What `messages.tsv` asks of a message and what it lacks.
fn missing_words(case: &str, outcome: &Outcome, rows: &[Vec<String>]) -> Vec<String> {
    let stem = case.trim_start_matches("gguf_").rsplit_once('_').map_or(case, |(stem, _)| stem);
    let state = if outcome.code == Some(0) { "accepted" } else { "refused" };
    let text = outcome.text().to_lowercase();
    // A path holds the case's name, which would make any word of it pass.
    let text: String = text.lines().map(without_path).collect::<Vec<_>>().join("\n");
    let counts = |row: &&Vec<String>| row[0] == stem && (row[1] == "always" || row[1] == state);
    let wanted = rows.iter().filter(counts).flat_map(|row| row[2..].iter());
    let lacks = |words: &&String| !words.split('|').any(|word| text.contains(&word.to_lowercase()));
    wanted.filter(lacks).cloned().collect()
}

/// A message without the path that it begins with.
fn without_path(line: &str) -> &str {
    line.find("model.gguf").map_or(line, |at| &line[at + "model.gguf".len()..])
}

#[test]
fn verify_ends_as_each_case_says() {
    let rows = cases::table(&cases::vendored("broken").join("messages.tsv"));
    let mut failed = Vec::new();
    let mut count = 0;
    for case in all_cases() {
        let name = cases::name(&case);
        let expected = fs::read_to_string(case.join("expected.txt")).expect("an expected verdict");
        let verdict = expected.split('|').next().unwrap_or_default().trim();
        let model = cases::unpacked(&case, "model.gguf");
        let outcome = bounded(synsema(["model", "verify"]), &model);
        count += 1;
        if let Some(fault) = outcome.fault(allowed(verdict)) {
            failed.push(format!("{name} [{}]: {fault}", expected.trim()));
            continue;
        }
        let missing = missing_words(&name, &outcome, &rows);
        if !missing.is_empty() {
            failed.push(format!(
                "{name} [{}]: exit {:?}, the message lacks {missing:?}:\n{}",
                expected.trim(),
                outcome.code,
                outcome.text().trim()
            ));
        }
    }
    report(&format!("model verify: {} of {count} cases as expected", count - failed.len()));
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// `inspect` and `generate` are as safe on hostile bytes as `verify`.
#[test]
fn no_command_faults_on_a_broken_file() {
    let mut failed = Vec::new();
    for case in cases::folders(&cases::vendored("broken")) {
        let model = cases::unpacked(&case, "model.gguf");
        let calls = [
            synsema(["model", "inspect", "--json"]),
            synsema([
                "generate",
                "--prompt",
                "a",
                "--max-tokens",
                "2",
                "--threads",
                "1",
                "--model",
            ]),
            synsema(["tokenize", "--json", "--file"]).arg(&model).arg("--model"),
        ];
        // A refused file may be refused in the class "failed" when it shrinks while it is read; no
        // case does, so only 0 and 3 remain.
        failed.extend(calls.into_iter().filter_map(|call| bounded(call, &model).fault(&[0, 3])));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}

/// What only a run can find: weights that are not finite give an error, not text.
#[test]
fn weights_that_are_not_finite_give_no_text() {
    let case = cases::vendored("broken").join("gguf_bad_weights_not_finite_a");
    let model = cases::unpacked(&case, "model.gguf");
    let call = synsema(["generate", "--raw", "--prompt", "a", "--max-tokens", "3", "--model"]);
    let outcome = bounded(call, &model);
    if let Some(fault) = outcome.fault(&[1, 3]) {
        panic!("{fault}");
    }
    assert!(outcome.stdout.is_empty(), "{}", outcome.text());
    outcome.says(&["finite"]);
}

/// A template without end stops at a limit; the model is usable without it.
#[test]
fn an_endless_template_stops_at_a_limit() {
    let case = cases::vendored("broken").join("gguf_bad_chat_template_endless_a");
    let model = cases::unpacked(&case, "model.gguf");
    let call = ["generate", "--prompt", "a", "--max-tokens", "2", "--model"];
    bounded(synsema(call), &model).refused().says(&["template"]);
    synsema(call).arg(&model).arg("--raw").within(TIME).run().done();
}

/// A template that does not parse is an error with its line; no other one takes its place.
#[test]
fn a_broken_template_is_named_with_its_line() {
    let case = cases::vendored("broken").join("gguf_bad_chat_template_broken_a");
    let model = cases::unpacked(&case, "model.gguf");
    let call = ["generate", "--prompt", "a", "--max-tokens", "2", "--model"];
    bounded(synsema(call), &model).refused().says(&["template", "line"]);
}

/// The valid control files run.
#[test]
fn valid_control_files_generate() {
    for case in cases::folders(&cases::vendored("broken")) {
        if cases::name(&case).starts_with("gguf_ok_") {
            let model = cases::unpacked(&case, "model.gguf");
            let call = ["generate", "--raw", "--json", "--prompt", "a", "--max-tokens", "3"];
            let result = bounded(synsema(call).arg("--model"), &model).done().json();
            assert!(!cases::ids(&result["tokens"]).is_empty(), "{result}");
        }
    }
}
