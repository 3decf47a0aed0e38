//! What the commands print: JSON shapes, streams, texts.

use serde_json::Value;

use super::{control, tiny};
use crate::cases;
use crate::program::{machine, synsema};

/// Each of `names` is a member of the object.
#[track_caller]
fn has(object: &Value, names: &[&str]) {
    for name in names {
        assert!(object.get(name).is_some_and(|value| !value.is_null()), "no `{name}` in {object}");
    }
}

#[test]
fn generate_prints_one_object() {
    let call = ["generate", "--raw", "--json", "--prompt", "abc", "--max-tokens", "4"];
    let call = synsema(call).args(["--temperature", "0", "--model"]).arg(control());
    let result = call.run().done().json();
    has(&result, &["prompt_tokens", "tokens", "text", "stop", "precision", "timings"]);
    let stop = result["stop"].as_str().expect("a reason");
    assert!(["eos", "length", "stop"].contains(&stop), "{stop}");
    let tokens = cases::ids(&result["tokens"]);
    assert!(tokens.len() == 4 || stop == "eos", "{result}");
}

#[test]
fn generate_reads_argument_file_and_stdin_alike() {
    let call =
        || synsema(["generate", "--raw", "--json", "--max-tokens", "4", "--model"]).arg(control());
    let text = "ab c\n";
    let argument = call().arg("--prompt").arg(text).run().done().json();
    let file = cases::file_with(".txt", text);
    let from_file = call().arg("--prompt-file").arg(&file).run().done().json();
    let from_stdin = call().input(text).run().done().json();
    assert_eq!(from_file["prompt_tokens"], argument["prompt_tokens"]);
    assert_eq!(from_file["tokens"], argument["tokens"]);
    assert_eq!(from_stdin["tokens"], argument["tokens"]);
}

#[test]
fn generated_text_goes_to_stdout_and_notices_to_stderr() {
    let model = cases::smollm2();
    let _machine = machine();
    let call = ["generate", "--raw", "--prompt", "The capital of France is", "--max-tokens", "2"];
    let outcome = synsema(call).arg("--model").arg(&model).run().done();
    assert!(String::from_utf8_lossy(&outcome.stdout).contains("Paris"), "{}", outcome.text());
}

/// The id that ends a generation is the last of `tokens` and not in `text`.
#[test]
fn the_id_that_ends_a_generation_is_listed_and_not_printed() {
    let model = cases::smollm2();
    let _machine = machine();
    let call = ["generate", "--raw", "--json", "--prompt", "The capital of France is"];
    let call = synsema(call).args(["--max-tokens", "60", "--precision", "f32", "--kv", "f32"]);
    let result = call.arg("--model").arg(&model).run().done().json();
    assert_eq!(result["stop"], "eos", "{result}");
    assert_eq!(cases::ids(&result["tokens"]).last(), Some(&2));
    assert!(!result["text"].as_str().expect("a text").contains("<|im_end|>"), "{result}");
}

/// A model with a chat template uses it unless `--raw` is given.
#[test]
fn the_chat_template_applies_unless_raw() {
    let model = cases::smollm2();
    let _machine = machine();
    let call = ["generate", "--json", "--prompt", "Hello", "--max-tokens", "1", "--model"];
    let chat = cases::ids(&synsema(call).arg(&model).run().done().json()["prompt_tokens"]);
    let raw = synsema(call).arg(&model).arg("--raw").run().done().json();
    let raw = cases::ids(&raw["prompt_tokens"]);
    // <|im_start|> opens each turn of this template; it is one id, not text.
    assert!(chat.len() > raw.len() && chat.contains(&1) && !raw.contains(&1), "{chat:?} {raw:?}");
}

#[test]
fn a_model_without_a_template_says_so() {
    let call = ["generate", "--prompt", "abc", "--max-tokens", "1", "--model"];
    let outcome = synsema(call).arg(control()).run().done();
    outcome.says(&["template"]);
}

#[test]
fn tokenize_prints_an_object_a_file() {
    let texts = [cases::file_with(".txt", "abc"), cases::file_with(".txt", "a b")];
    let call = synsema(["tokenize", "--json", "--model"]).arg(control());
    let call = texts.iter().fold(call, |call, text| call.arg("--file").arg(text));
    let lines = call.run().done().json_lines();
    assert_eq!(lines.len(), 2);
    for line in lines {
        has(&line, &["file", "tokens"]);
    }
}

#[test]
fn inspect_tells_what_would_run() {
    let call = synsema(["model", "inspect", "--json"]).arg(tiny("gemma3"));
    let result = call.run().done().json();
    has(&result, &["metadata", "tensors", "architecture", "definition"]);
    assert!(result["architecture"].to_string().contains("gemma3"));
    assert_eq!(result["metadata"]["gemma3.block_count"], 7, "{}", result["metadata"]);
    let tensors = result["tensors"].as_array().expect("tensors");
    assert!(tensors.iter().any(|tensor| tensor["name"] == "blk.6.ffn_up.weight"));
}

#[test]
fn verify_accepts_what_runs() {
    synsema(["model", "verify"]).arg(tiny("gemma3-linear")).run().done();
}

#[test]
fn status_names_the_identities() {
    let status = synsema(["llm", "status", "--json"]).run().done().json();
    let inference = &status["inference"];
    has(inference, &["backend", "precision", "architectures", "problems", "models_on_disk"]);
    assert!(inference.get("archdef_dir").is_some() && inference.get("model").is_some());
    assert_eq!(inference["backend"], "rust");
    for row in inference["architectures"].as_array().expect("architectures") {
        has(row, &["name", "kind", "steps_per_block", "origin", "sha256"]);
    }
    // Numerics version, binary version, commit and sha256 are somewhere in it.
    let text = status.to_string();
    for word in ["numerics", "version", "commit", "sha256"] {
        assert!(text.contains(word), "no {word} in {text}");
    }
    let text = synsema(["llm", "status"]).run().done().text();
    for word in ["numerics", "llama", "qwen2", "qwen3", "gemma3", "rust"] {
        assert!(text.to_lowercase().contains(word), "no {word} in {text}");
    }
}

#[test]
fn bench_measures_and_reports() {
    let _machine = machine();
    let call = ["bench", "--prefill", "16", "--decode", "4", "--depth", "0", "--threads", "2"];
    let call = synsema(call).args(["--repeat", "1", "--json", "--model"]).arg(tiny("qwen2"));
    let result = call.run().done().json();
    for name in [
        "prefill_tokens_per_second",
        "decode_tokens_per_second",
        "load_seconds",
        "first_token_seconds",
        "peak_private_bytes",
        "peak_mapped_bytes",
    ] {
        let value = result[name].as_f64().unwrap_or_else(|| panic!("no number {name}: {result}"));
        assert!(value.is_finite() && value >= 0.0, "{name}: {value}");
    }
    assert!(result["decode_tokens_per_second"].as_f64() > Some(0.0));
}

#[test]
fn an_encoder_gives_its_rows() {
    let case = cases::vendored("gauntlet").join("llama-embed");
    let output = cases::fresh_file(".f32");
    let call = synsema(["logits", "--tokens"]).arg(case.join("tokens.json"));
    call.arg("--output").arg(&output).arg("--model").arg(tiny("llama-embed")).run().done();
    let size = std::fs::metadata(&output).expect("the output").len();
    let expected = std::fs::metadata(case.join("logits.f32")).expect("the reference").len();
    assert_eq!(size, expected);
}

#[test]
fn help_shows_an_example_for_each_command() {
    for command in
        ["check", "generate", "tokenize", "detokenize", "logits", "bench", "init", "model", "arch"]
    {
        let help = synsema([command, "--help"]).run().done().text();
        assert!(help.contains(&format!("synsema {command}")), "{command}: {help}");
    }
}
