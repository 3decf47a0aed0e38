//! Recorded continuations of real models.

use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{machine, report, synsema};
use crate::{cases, compare};

/// A step whose recorded margin is smaller may flip under any change of rounding.
const FIRM_MARGIN: f64 = 0.02;
/// Largest difference of a recorded logit.
const LOGIT_TOLERANCE: f64 = 0.002;
/// In the q8 profile every step with this margin must agree …
const SURE_MARGIN: f64 = 1.0;
/// … and this share of those with that one.
const LIKELY_MARGIN: f64 = 0.3;
const LIKELY_SHARE: f64 = 0.97;

/// The recorded files: those vendored, and with the full set the other models' as well.
fn recordings() -> Vec<PathBuf> {
    let vendored = cases::files(&cases::vendored("continuations"), ".jsonl");
    let Some(golden) = cases::full_set("SYNSEMA_TEST_GOLDEN") else { return vendored };
    let known: Vec<String> = vendored.iter().map(|path| cases::name(path)).collect();
    let further = cases::files(&golden.join("continuations"), ".jsonl");
    let further = further.into_iter().filter(|path| !known.contains(&cases::name(path)));
    vendored.into_iter().chain(further).collect()
}

fn model_of(recording: &Path) -> PathBuf {
    cases::real_model(&cases::name(recording).replace(".jsonl", ".gguf"))
}

/// How many ids must be equal: up to the first step whose margin is not firm, at least one.
fn firm_steps(margins: &[f64]) -> usize {
    margins.iter().position(|margin| *margin < FIRM_MARGIN).unwrap_or(margins.len())
}

/// What one prompt gave in the reference profile.
struct Continued {
    steps: usize,
    largest_difference: f64,
    faults: Vec<String>,
}

fn continue_prompt(model: &Path, line: &Value) -> Continued {
    let reference = ["--precision", "f32", "--kv", "f32"];
    let steps = firm_steps(&cases::numbers(&line["margin"]));
    let prompt = cases::file_with(".txt", line["prompt"].as_str().expect("a prompt"));
    let generated = synsema(["generate", "--raw", "--json", "--temperature", "0", "--max-tokens"])
        .arg(steps.max(1).to_string())
        .arg("--prompt-file")
        .arg(&prompt)
        .arg("--model")
        .arg(model)
        .args(reference)
        .run()
        .done()
        .json();
    let mut faults = Vec::new();
    let prompt_ids = cases::ids(&line["prompt_ids"]);
    if cases::ids(&generated["prompt_tokens"]) != prompt_ids {
        faults
            .push(format!("prompt ids {} differ from {prompt_ids:?}", generated["prompt_tokens"]));
    }
    let (ids, recorded) = (cases::ids(&generated["tokens"]), cases::ids(&line["ids"]));
    if ids.is_empty() || ids[..steps.min(ids.len())] != recorded[..steps] {
        faults.push(format!("the first {steps} ids differ:\n  {ids:?}\n  {recorded:?}"));
    }

    let tokens = cases::file_with(".json", serde_json::to_vec(&prompt_ids).expect("ids"));
    let (outcome, output) =
        crate::gauntlet::logits(model, &tokens, &[&reference[..], &["--last"]].concat());
    outcome.done();
    let row = compare::read_f32(&output);
    let _ = fs::remove_file(output);
    let mut largest_difference: f64 = 0.0;
    for pair in line["first_top16"].as_array().expect("recorded logits") {
        let id = usize::try_from(pair[0].as_u64().expect("an id")).expect("an id");
        let difference = (f64::from(row[id]) - pair[1].as_f64().expect("a logit")).abs();
        largest_difference = largest_difference.max(difference);
        if difference.is_nan() || difference > LOGIT_TOLERANCE {
            faults.push(format!("the logit of {id} is {} and not {}", row[id], pair[1]));
        }
    }
    Continued { steps, largest_difference, faults }
}

#[test]
fn greedy_ids_in_f32_equal_the_recorded_ones() {
    let mut failed = Vec::new();
    let mut table = String::new();
    for recording in recordings() {
        let model = model_of(&recording);
        let (mut steps, mut largest) = (0, 0.0_f64);
        for (number, line) in cases::json_lines(&recording).iter().enumerate() {
            let _machine = machine();
            let continued = continue_prompt(&model, line);
            steps += continued.steps;
            largest = largest.max(continued.largest_difference);
            let place = format!("{} prompt {}", cases::name(&recording), number + 1);
            failed.extend(continued.faults.iter().map(|fault| format!("{place}: {fault}")));
        }
        let name = cases::name(&recording);
        let _ = writeln!(table, "f32 {name}: {steps} ids equal, logits within {largest:.5}");
    }
    report(&table);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Steps with a margin, and how many of them agree.
#[derive(Default)]
struct Agreement {
    agreeing: usize,
    steps: usize,
}

impl Agreement {
    fn count(&mut self, agrees: bool) {
        self.steps += 1;
        self.agreeing += usize::from(agrees);
    }
}

#[test]
fn teacher_forced_ids_in_q8_equal_the_recorded_ones() {
    let mut failed = Vec::new();
    let mut table = String::new();
    for recording in recordings() {
        let model = model_of(&recording);
        let name = cases::name(&recording);
        let (mut sure, mut likely) = (Agreement::default(), Agreement::default());
        for (number, line) in cases::json_lines(&recording).iter().enumerate() {
            let (prompt, ids) = (cases::ids(&line["prompt_ids"]), cases::ids(&line["ids"]));
            let best = forced(&model, &prompt, &ids);
            let margins = cases::numbers(&line["margin"]);
            for (step, margin) in margins.iter().enumerate() {
                let agrees = best[step] == ids[step];
                if *margin >= SURE_MARGIN {
                    sure.count(agrees);
                    if !agrees {
                        let place = format!("{name} prompt {} step {step}", number + 1);
                        failed.push(format!(
                            "{place}: {} and not {}, margin {margin}",
                            best[step], ids[step]
                        ));
                    }
                }
                if *margin >= LIKELY_MARGIN {
                    likely.count(agrees);
                }
            }
        }
        let share = likely.agreeing as f64 / likely.steps as f64;
        let _ = writeln!(
            table,
            "q8 {name}: margin 1.0: {} of {}; margin 0.3: {} of {} ({:.2}%)",
            sure.agreeing,
            sure.steps,
            likely.agreeing,
            likely.steps,
            100.0 * share
        );
        if share < LIKELY_SHARE {
            failed.push(format!("{name}: only {:.2}% at margin {LIKELY_MARGIN}", 100.0 * share));
        }
    }
    report(&table);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The best id at each generated position, given the prompt and all recorded ids before it.
fn forced(model: &Path, prompt: &[u32], ids: &[u32]) -> Vec<u32> {
    let all = [prompt, ids].concat();
    let tokens = cases::file_with(".json", serde_json::to_vec(&all).expect("ids"));
    let _machine = machine();
    let (outcome, output) = crate::gauntlet::logits(model, &tokens, &["--precision", "q8"]);
    outcome.done();
    let mut file = File::open(&output).expect("the output was written");
    let size = usize::try_from(file.metadata().expect("its size").len()).expect("a size");
    let width = size / 4 / all.len();
    let steps = 0..ids.len();
    let best = steps
        .map(|step| compare::best(&compare::read_row(&mut file, prompt.len() - 1 + step, width)))
        .collect();
    let _ = fs::remove_file(output);
    best
}

#[test]
fn a_small_margin_ends_the_steps_that_count() {
    assert_eq!(firm_steps(&[0.5, 0.02, 0.019, 3.0]), 2);
    assert_eq!(firm_steps(&[0.5, 1.0]), 2);
    assert_eq!(firm_steps(&[0.01]), 0);
}
