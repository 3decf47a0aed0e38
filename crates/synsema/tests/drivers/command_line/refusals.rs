//! Each failure is its own error, with the mend, the exit code, and nothing on stdout.

use std::fs;

use super::{control, tiny};
use crate::cases;
use crate::program::synsema;

/// The control model with another architecture's name of the same length.
fn foreign_architecture() -> std::path::PathBuf {
    let bytes = fs::read(control()).expect("a model");
    let name = b"llama";
    let at = bytes.windows(5).position(|window| window == name).expect("the architecture's name");
    let mut changed = bytes;
    changed[at..at + 5].copy_from_slice(b"llamo");
    cases::file_with(".gguf", changed)
}

#[test]
fn wrong_usage_exits_with_2() {
    let model = control();
    let model = model.to_str().expect("a path");
    let wrong: [&[&str]; 12] = [
        &["--no-such-flag"],
        &["no-such-command"],
        &["generate", "--model", model, "--prompt", "a", "--max-tokens", "many"],
        &["generate", "--model", model, "--prompt", "a", "--precision", "f64"],
        &["generate", "--model", model, "--prompt", "a", "--kv", "f8"],
        &["generate", "--model", model, "--prompt", "a", "--threads", "0"],
        &["generate", "--model", model, "--prompt", "a", "--temperature", "warm"],
        &["generate", "--model", model, "--prompt", "a", "--kernels", "mmx"],
        &["generate", "--model", model, "--prompt", "a", "--prompt-file", model],
        &["logits", "--model", model, "--output", "out.f32"],
        &["logits", "--model", model, "--tokens", "1,2"],
        &["model", "inspect"],
    ];
    for args in wrong {
        synsema(args).run().stopped(2);
    }
}

#[test]
fn a_missing_model_is_refused_by_name() {
    let missing = cases::fresh_file(".gguf");
    let path = missing.to_str().expect("a path");
    synsema(["generate", "--prompt", "a", "--model", path]).run().refused().says(&[path]);
    synsema(["model", "verify", path]).run().refused().says(&[path]);
    synsema(["model", "inspect", path]).run().refused().says(&[path]);
    synsema(["logits", "--tokens", "1", "--output", "x", "--model", path]).run().refused();
}

#[test]
fn no_model_at_all_says_where_to_name_one() {
    let outcome = synsema(["generate", "--prompt", "a"]).run().refused();
    outcome.says(&["--model", "SYNSEMA_LLM_MODEL"]);
}

#[test]
fn an_unknown_architecture_lists_the_known_ones() {
    let model = foreign_architecture();
    let call = || synsema(["generate", "--raw", "--prompt", "a", "--model"]).arg(&model);
    call().run().refused().says(&["llamo", "llama", "qwen2", "qwen3", "gemma3"]);
    let folder = cases::scratch("one-broken");
    fs::write(folder.join("qwen3.archdef"), "arch qwen3\nkind decoder\nprologue\n  x = embd(t)\n")
        .expect("a definition");
    // The definitions that did not load are listed as well: the wanted one may be among them.
    let outcome = call().env("SYNSEMA_INFER_ARCHDEF", &folder).run().refused();
    outcome.says(&["llamo", "gemma3", "qwen3"]);
}

#[test]
fn a_prompt_longer_than_the_context_names_both_sizes() {
    let model = control();
    let call = ["generate", "--raw", "--prompt", "a long prompt of many words", "--model"];
    let outcome = synsema(call).arg(&model).args(["--ctx", "8"]).run().refused();
    outcome.says(&["8", "context"]);
    let text = "word ".repeat(200);
    let prompt = cases::file_with(".txt", &text);
    let call = synsema(["generate", "--raw", "--prompt-file"]).arg(&prompt);
    call.arg("--model").arg(&model).run().refused().says(&["64"]);
}

#[test]
fn ids_outside_the_vocabulary_are_refused_with_their_place() {
    let output = cases::fresh_file(".f32");
    let call = synsema(["logits", "--tokens", "1,2,9999", "--output"]).arg(&output);
    let outcome = call.arg("--model").arg(tiny("qwen2")).run().refused();
    outcome.says(&["9999"]);
    assert!(!output.exists(), "a partial file was left");
}

#[test]
fn tokens_that_are_no_ids_are_refused() {
    for text in ["{", "{\"ids\": [1]}", "[1, -2]", "[1, 2.5]", "[\"a\"]", "[4294967296]", "[]"] {
        let tokens = cases::file_with(".json", text);
        let output = cases::fresh_file(".f32");
        let call = synsema(["logits", "--output"]).arg(&output).arg("--tokens").arg(tokens);
        let outcome = call.arg("--model").arg(tiny("qwen2")).run();
        assert!(
            matches!(outcome.code, Some(2 | 3)),
            "{text}: {:?}\n{}",
            outcome.code,
            outcome.text()
        );
        assert!(outcome.fault(&[2, 3]).is_none() && outcome.stdout.is_empty());
        assert!(!output.exists(), "{text}: a file was written");
    }
}

#[test]
fn a_context_without_memory_for_it_is_refused() {
    let call = ["generate", "--raw", "--prompt", "a", "--ctx", "4000000000", "--model"];
    synsema(call).arg(control()).run().refused().says(&["context"]);
}

#[test]
fn an_output_that_cannot_be_written_leaves_nothing() {
    let output = cases::scratch("files").join("no-such-folder/out.f32");
    let call = synsema(["logits", "--tokens", "1,2", "--output"]).arg(&output);
    let outcome = call.arg("--model").arg(tiny("qwen2")).run();
    assert!(outcome.fault(&[1, 3]).is_none(), "{:?} {}", outcome.code, outcome.text());
    assert!(outcome.stdout.is_empty() && !output.exists());
}

/// A run that fails late leaves no file at the place of its output, nor beside it.
#[test]
fn a_failed_run_leaves_no_partial_file() {
    let case = cases::vendored("broken").join("gguf_bad_weights_not_finite_a");
    let folder = cases::scratch("partial");
    let output = folder.join("out.f32");
    let call = synsema(["logits", "--tokens", "1,2,3", "--output"]).arg(&output);
    let outcome = call.arg("--model").arg(cases::unpacked(&case, "model.gguf")).run();
    assert!(outcome.fault(&[1, 3]).is_none(), "{:?} {}", outcome.code, outcome.text());
    let left = cases::files(&folder, "");
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn an_encoder_generates_no_text() {
    let call = ["generate", "--raw", "--prompt", "a", "--max-tokens", "1", "--model"];
    synsema(call).arg(tiny("llama-embed")).run().refused().says(&["logits"]);
}
