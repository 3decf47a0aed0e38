//! Recorded ids of real vocabularies, in the library itself: every text, every mode.
//!
//! `tests/cases/tokens` holds those of SmolLM2. SYNSEMA_TEST_GOLDEN names a folder with
//! recordings of more vocabularies, SYNSEMA_TEST_MODELS the folder of models.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use synapse_format::{Gguf, Load};
use synapse_text::{EncodeOptions, Tokenizer};

/// Kinds of tokenizers that a later version reads; each must be refused by its name.
const NOT_READ: [&str; 2] = ["ggml-vocab-bert-bge", "ggml-vocab-nomic-bert-moe"];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn model(name: &str) -> PathBuf {
    let folder = env::var_os("SYNSEMA_TEST_MODELS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| workspace().join("models"));
    let sub = if name.starts_with("ggml-vocab-") { "vocabs" } else { "" };
    let path = folder.join(sub).join(format!("{name}.gguf"));
    assert!(
        path.exists(),
        "{} is missing: run scripts/fetch-models.sh, or name the folder of models in \
         SYNSEMA_TEST_MODELS",
        path.display()
    );
    path
}

fn load(name: &str) -> Result<Tokenizer, synapse_diag::Diagnostic> {
    let file = Gguf::open(&model(name), Load::Header).expect("a model file");
    Tokenizer::from_metadata(&file.metadata).map(|(tokenizer, _)| tokenizer)
}

fn ids(value: &Value) -> Vec<u32> {
    let list = value.as_array().expect("a list of ids");
    list.iter().map(|id| id.as_u64().expect("an id") as u32).collect()
}

#[test]
fn ids_equal_the_recorded_ones_in_every_mode() {
    let folder = match env::var_os("SYNSEMA_TEST_GOLDEN") {
        Some(golden) => PathBuf::from(golden).join("tokens"),
        None => workspace().join("tests/cases/tokens"),
    };
    let mut recordings: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder of recordings")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    recordings.sort();
    assert!(!recordings.is_empty(), "no recordings in {}", folder.display());
    let mut failed = Vec::new();
    for recording in recordings {
        let name = recording.file_stem().and_then(|n| n.to_str()).expect("a name").to_owned();
        let tokenizer = match load(&name) {
            Ok(tokenizer) => tokenizer,
            Err(refusal) if NOT_READ.contains(&name.as_str()) => {
                assert!(refusal.to_string().contains("tokenizer.ggml.model"), "{refusal}");
                continue;
            }
            Err(refusal) => {
                failed.push(format!("{name}: {refusal}"));
                continue;
            }
        };
        let (mut equal, mut all) = (0, 0);
        for line in fs::read_to_string(&recording).expect("a recording").lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let file = line["file"].as_str().expect("a file's name");
            let text = fs::read_to_string(folder.join("texts").join(file)).expect("a text");
            for (mode, parse_special, add_special) in
                [("plain", false, false), ("special", true, false), ("with_bos_eos", true, true)]
            {
                let got = tokenizer.encode(&text, EncodeOptions { parse_special, add_special });
                all += 1;
                if got == ids(&line[mode]) {
                    equal += 1;
                } else {
                    let recorded = ids(&line[mode]);
                    let at = got.iter().zip(&recorded).take_while(|(a, b)| a == b).count();
                    failed.push(format!(
                        "{name} {file} {mode}: at {at}: {:?} for {:?}",
                        got.get(at..(at + 4).min(got.len())),
                        recorded.get(at..(at + 4).min(recorded.len()))
                    ));
                }
            }
        }
        println!("{name}: {equal}/{all}");
    }
    assert!(failed.is_empty(), "{} differ\n{}", failed.len(), failed.join("\n"));
}
