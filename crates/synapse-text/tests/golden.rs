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

/// The folder `name` of the full recordings, or the vendored one.
fn recorded(name: &str) -> PathBuf {
    match env::var_os("SYNSEMA_TEST_GOLDEN") {
        Some(golden) => PathBuf::from(golden).join(name),
        None => workspace().join("tests/cases").join(name),
    }
}

/// The recordings in a folder: their file and the vocabulary's name.
fn recordings(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found: Vec<(PathBuf, String)> = fs::read_dir(folder)
        .expect("the folder of recordings")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .filter_map(|path| Some((path.clone(), path.file_stem()?.to_str()?.to_owned())))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no recordings in {}", folder.display());
    found
}

fn lines(recording: &Path) -> Vec<Value> {
    let text = fs::read_to_string(recording).expect("a recording");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What a model said, token by token, is the text that was recorded; and so is the whole.
#[test]
fn recorded_ids_decode_to_the_recorded_text() {
    for (recording, name) in recordings(&recorded("continuations")) {
        let tokenizer = load(&name).expect("a tokenizer");
        for line in lines(&recording) {
            let ids = ids(&line["ids"]);
            let text = line["text"].as_str().expect("a text");
            let mut stream = tokenizer.stream(true);
            let mut told: String = ids.iter().map(|&id| stream.push(id)).collect();
            told.push_str(&stream.finish());
            assert_eq!(told, text, "{name}");
            let whole = tokenizer.decode(&ids, true).expect("ids of the vocabulary");
            assert_eq!(String::from_utf8_lossy(&whole), text, "{name}");
        }
    }
}

/// Prompts with special tokens and the model's own BOS rule.
#[test]
fn recorded_prompts_have_the_recorded_ids() {
    for (recording, name) in recordings(&recorded("continuations")) {
        let tokenizer = load(&name).expect("a tokenizer");
        let options = EncodeOptions { parse_special: true, add_special: true };
        for line in lines(&recording) {
            let prompt = line["prompt"].as_str().expect("a prompt");
            assert_eq!(tokenizer.encode(prompt, options), ids(&line["prompt_ids"]), "{name}");
        }
    }
}

#[test]
fn ids_equal_the_recorded_ones_in_every_mode() {
    let folder = recorded("tokens");
    let mut failed = Vec::new();
    for (recording, name) in recordings(&folder) {
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
        for line in lines(&recording) {
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
