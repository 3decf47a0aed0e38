//! The contract of the command line: exit codes, streams, messages, JSON shapes, settings.

mod definitions;
mod languages;
mod output;
mod refusals;
mod settings;

use std::path::PathBuf;

use crate::cases;

/// A tiny model that runs in milliseconds.
fn tiny(case: &str) -> PathBuf {
    cases::unpacked(&cases::vendored("gauntlet").join(case), "model.gguf")
}

/// A tiny model with a tokenizer for any text.
fn control() -> PathBuf {
    cases::unpacked(&cases::vendored("broken").join("gguf_ok_valid_v3_a"), "model.gguf")
}
