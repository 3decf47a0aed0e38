//! The same input gives the same bits: chunks, threads, kernels.

use std::fs;
use std::path::Path;

use crate::gauntlet::logits;
use crate::program::{machine, synsema};
use crate::{cases, compare};

/// Flags that may change the speed of a run and nothing else.
const WAYS: [&[&str]; 7] = [
    &["--prefill-chunk", "1"],
    &["--prefill-chunk", "7"],
    &["--prefill-chunk", "64"],
    &["--threads", "1"],
    &["--threads", "2", "--prefill-chunk", "33"],
    &["--threads", "3"],
    &["--kernels", "scalar"],
];

/// Both profiles, each with the key/value type that it usually goes with.
const PROFILES: [&[&str]; 2] =
    [&["--precision", "f32", "--kv", "f32"], &["--precision", "q8", "--kv", "f16"]];

/// The output with `flags`, which succeeds.
fn output(model: &Path, tokens: &Path, flags: &[&str]) -> Vec<u8> {
    let (outcome, file) = logits(model, tokens, flags);
    outcome.done();
    let bytes = fs::read(&file).expect("the output was written");
    let _ = fs::remove_file(file);
    bytes
}

/// Each way of running gives the bits of the plain run; the differing ones are named.
fn differing(model: &Path, tokens: &Path, ways: &[&[&str]]) -> Vec<String> {
    let mut differing = Vec::new();
    for profile in PROFILES {
        let plain = output(model, tokens, profile);
        assert!(!plain.is_empty(), "{}: an empty output", model.display());
        for way in ways {
            if output(model, tokens, &[profile, way].concat()) != plain {
                differing.push(format!("{} {}", profile.join(" "), way.join(" ")));
            }
        }
    }
    differing
}

#[test]
fn tiny_models_give_the_same_bits_in_every_way() {
    let mut failed = Vec::new();
    for case in cases::folders(&cases::vendored("gauntlet")) {
        let model = cases::unpacked(&case, "model.gguf");
        let found = differing(&model, &case.join("tokens.json"), &WAYS);
        failed.extend(found.into_iter().map(|way| format!("{}: {way}", cases::name(&case))));
    }
    assert!(failed.is_empty(), "other bits than the plain run:\n{}", failed.join("\n"));
}

/// Quantized weights of a real model; the prompt is longer than one chunk of keys.
#[test]
fn a_real_model_gives_the_same_bits_in_every_way() {
    let model = cases::smollm2();
    let recorded = cases::json_lines(
        &cases::vendored("continuations").join("SmolLM2-135M-Instruct.Q4_1.jsonl"),
    );
    let long = recorded.iter().map(|line| cases::ids(&line["prompt_ids"]));
    let mut ids = long.max_by_key(Vec::len).expect("a recorded prompt");
    ids.truncate(90);
    let tokens = cases::file_with(".json", serde_json::to_vec(&ids).expect("a list of ids"));
    let _machine = machine();
    let failed = differing(&model, &tokens, &WAYS);
    assert!(failed.is_empty(), "other bits than the plain run:\n{}", failed.join("\n"));
}

/// `--last` gives the last row of the whole output.
#[test]
fn the_last_row_alone_has_the_same_bits() {
    let case = cases::vendored("gauntlet").join("gemma3-linear");
    let model = cases::unpacked(&case, "model.gguf");
    let tokens = case.join("tokens.json");
    let all = output(&model, &tokens, PROFILES[0]);
    let last = output(&model, &tokens, &[PROFILES[0], &["--last"]].concat());
    assert!(last.len() < all.len() && all.ends_with(&last));
}

/// Ids on the command line, in a plain list and in an object are the same input.
#[test]
fn every_form_of_ids_is_the_same_input() {
    let case = cases::vendored("gauntlet").join("qwen2");
    let model = cases::unpacked(&case, "model.gguf");
    let forms = [
        cases::file_with(".json", "[5, 6, 7, 8]"),
        cases::file_with(".json", r#"{"tokens": [5, 6, 7, 8]}"#),
        cases::file_with(".json", r#"{"input_ids": [5, 6, 7, 8]}"#),
    ];
    let plain = output(&model, Path::new("5,6,7,8"), PROFILES[0]);
    for form in forms {
        assert_eq!(output(&model, &form, PROFILES[0]), plain);
    }
    let other = output(&model, Path::new("5,6,7,9"), PROFILES[0]);
    assert_ne!(other, plain);
}

/// A token chosen while generating has the bits of the same token read in a prompt.
#[test]
fn generated_ids_are_the_best_of_a_scoring_run() {
    let model = cases::smollm2();
    let _machine = machine();
    for profile in PROFILES {
        let generated = synsema(["generate", "--raw", "--json", "--max-tokens", "12"])
            .args(["--temperature", "0", "--prompt", "The capital of France is", "--model"])
            .arg(&model)
            .args(profile)
            .run()
            .done()
            .json();
        let prompt = cases::ids(&generated["prompt_tokens"]);
        let tokens = cases::ids(&generated["tokens"]);
        let all = serde_json::to_vec(&[prompt.clone(), tokens.clone()].concat());
        let file = cases::file_with(".json", all.expect("a list of ids"));
        let bytes = output(&model, &file, profile);
        let width = bytes.len() / 4 / (prompt.len() + tokens.len());
        let path = cases::file_with(".f32", bytes);
        let values = compare::read_f32(&path);
        for (step, id) in tokens.iter().enumerate() {
            let row = &values[(prompt.len() - 1 + step) * width..][..width];
            assert_eq!(compare::best(row), *id, "step {step} of {}", profile.join(" "));
        }
    }
}
