//! Definitions: the seed, the operator's folder, and what a definition can never do.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::tiny;
use crate::cases;
use crate::program::synsema;
use crate::tokens::hex;

/// Words that would be control flow or access to the outside.
const REFUSED_WORDS: [&str; 22] = [
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
    "system",
];

fn seed() -> PathBuf {
    cases::vendored("definitions").join("qwen3.archdef")
}

/// A folder with this text as the definition of qwen3.
fn folder_with(name: &str, text: &str) -> PathBuf {
    let folder = cases::scratch("definitions").join(name);
    fs::create_dir_all(&folder).expect("the build folder can be written");
    fs::write(folder.join("qwen3.archdef"), text).expect("a definition");
    folder
}

fn status(folder: &Path) -> Value {
    let call = synsema(["llm", "status", "--json"]).env("SYNSEMA_INFER_ARCHDEF", folder);
    call.run().done().json()["inference"].take()
}

/// The row of an architecture in a status.
fn row<'a>(status: &'a Value, name: &str) -> Option<&'a Value> {
    let rows = status["architectures"].as_array().expect("architectures");
    rows.iter().find(|row| row["name"] == name)
}

#[test]
fn the_seed_definition_loads_byte_for_byte() {
    let text = fs::read_to_string(seed()).expect("the seed definition");
    let folder = folder_with("seed", &text);
    let status = status(&folder);
    let row = row(&status, "qwen3").expect("qwen3 is available");
    assert_eq!(row["kind"], "decoder");
    assert_eq!(row["steps_per_block"], 18);
    assert_eq!(row["sha256"], hex(&Sha256::digest(text.as_bytes())));
    assert_ne!(row["origin"], "built-in", "the operator's file wins");
    assert_eq!(status["problems"].as_array().map(Vec::len), Some(0), "{}", status["problems"]);
    synsema(["check"]).arg(folder.join("qwen3.archdef")).run().done();
    synsema(["check"]).arg(seed()).arg("--model").arg(tiny("qwen3")).run().done();
}

#[test]
fn the_built_in_definitions_are_listed() {
    let inference = synsema(["llm", "status", "--json"]).run().done().json()["inference"].take();
    for name in ["llama", "qwen2", "qwen3", "gemma3"] {
        let row = row(&inference, name).unwrap_or_else(|| panic!("{name}: {inference}"));
        let text = fs::read(cases::root().join("archdefs").join(format!("{name}.archdef")));
        let digest = hex(&Sha256::digest(text.expect("a built-in definition")));
        assert_eq!(row["sha256"], digest, "{name}");
        let shown = synsema(["arch", "show", name]).run().done();
        assert!(shown.text().contains(&format!("arch {name}")), "{}", shown.text());
        assert!(synsema(["arch", "list"]).run().done().text().contains(name));
    }
}

#[test]
fn a_broken_definition_never_falls_back_to_the_built_in_one() {
    let text = fs::read_to_string(seed()).expect("the seed definition");
    let folder = folder_with("broken", &text.replace("  silu(g)", "  siluu(g)"));
    let inference = status(&folder);
    assert!(row(&inference, "qwen3").is_none(), "qwen3 is still there: {inference}");
    let problems = inference["problems"].to_string();
    assert!(problems.contains("qwen3.archdef") && problems.contains("siluu"), "{problems}");
    let problem = &inference["problems"][0];
    assert!(problem["line"].is_u64() && problem["file"].is_string(), "{problem}");

    let output = cases::fresh_file(".f32");
    let call = synsema(["logits", "--tokens", "1,2", "--output"]).arg(&output);
    let call = call.env("SYNSEMA_INFER_ARCHDEF", &folder).arg("--model").arg(tiny("qwen3"));
    call.run().refused().says(&["qwen3", "siluu"]);
    assert!(!output.exists());
    // Another architecture is not touched by it.
    let call = synsema(["logits", "--tokens", "1,2", "--output"]).arg(&output);
    call.env("SYNSEMA_INFER_ARCHDEF", &folder).arg("--model").arg(tiny("qwen2")).run().done();
}

#[test]
fn a_folder_of_definitions_that_is_missing_is_an_error() {
    let folder = cases::scratch("definitions").join("never-made");
    let output = cases::fresh_file(".f32");
    let call = synsema(["logits", "--tokens", "1", "--output"]).arg(&output);
    let call = call.env("SYNSEMA_INFER_ARCHDEF", &folder).arg("--model").arg(tiny("qwen3"));
    call.run().refused().says(&["never-made"]);
}

#[test]
fn words_of_control_flow_are_operations_that_do_not_exist() {
    let text = fs::read_to_string(seed()).expect("the seed definition");
    for word in REFUSED_WORDS {
        for step in [format!("  {word}(g)"), format!("  g = {word}(g)")] {
            let folder = folder_with("words", &text.replace("  silu(g)", &step));
            let outcome = synsema(["check"]).arg(&folder).run().refused();
            outcome.says(&[&format!("no such operation `{word}`")]);
        }
    }
}

#[test]
fn several_mistakes_are_reported_together() {
    let text = fs::read_to_string(seed()).expect("the seed definition");
    let text = text.replace("  silu(g)", "  siluu(g)").replace("add(x, d)", "add(x, dd)");
    let outcome = synsema(["check"]).arg(folder_with("several", &text)).run().refused();
    outcome.says(&["siluu", "`dd`"]);
}

#[test]
fn check_binds_a_definition_to_a_model() {
    let text = fs::read_to_string(seed()).expect("the seed definition");
    let text = text.replace("  norm_heads(q, blk.{i}.attn_q_norm.weight, head_count)\n", "");
    let folder = folder_with("unread", &text);
    synsema(["check"]).arg(&folder).run().done();
    let outcome = synsema(["check"]).arg(&folder).arg("--model").arg(tiny("qwen3")).run().refused();
    // The tensor that nobody reads, and the mend.
    outcome.says(&["attn_q_norm.weight", "ignore"]);
}

#[test]
fn a_window_that_the_definition_does_not_use_is_refused() {
    let text = fs::read_to_string(cases::root().join("archdefs/gemma3.archdef"));
    let text = text.expect("a built-in definition").replace("param sliding_window_type 6\n", "");
    let folder = cases::scratch("definitions").join("window");
    fs::create_dir_all(&folder).expect("the build folder can be written");
    fs::write(folder.join("gemma3.archdef"), text).expect("a definition");
    let outcome =
        synsema(["check"]).arg(&folder).arg("--model").arg(tiny("gemma3")).run().refused();
    outcome.says(&["sliding_window"]);
}
