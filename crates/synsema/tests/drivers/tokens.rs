//! Recorded token ids of texts, in three modes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::program::{Outcome, report, synsema};
use crate::{cases, program};

/// The recorded lists of a text and the flags that give them.
const MODES: [(&str, &[&str]); 3] = [
    ("plain", &[]),
    ("special", &["--parse-special"]),
    ("with_bos_eos", &["--parse-special", "--add-special"]),
];

/// The file of the vocabulary `name`: a real model or a vocabulary-only file.
fn vocabulary(name: &str) -> PathBuf {
    let file = format!("{name}.gguf");
    if name.starts_with("ggml-vocab-") {
        cases::real_model(&format!("vocabs/{file}"))
    } else {
        cases::real_model(&file)
    }
}

/// Names that must be read; the others may be refused, but what is read must be right.
fn required() -> Vec<String> {
    let rows = cases::table(&cases::vendored("tokenizers.txt"));
    rows.into_iter().map(|row| row[0].clone()).collect()
}

/// Folders with `NAME.jsonl` files and `texts`.
fn recordings() -> Vec<PathBuf> {
    let golden = cases::full_set("SYNSEMA_TEST_GOLDEN").map(|golden| golden.join("tokens"));
    let folders = [golden.unwrap_or_else(|| cases::vendored("tokens"))];
    let found: Vec<_> = folders.iter().flat_map(|folder| cases::files(folder, ".jsonl")).collect();
    assert!(!found.is_empty(), "no recorded tokens in {folders:?}");
    found
}

/// One call for many files.
fn tokenize(model: &Path, texts: &[PathBuf], flags: &[&str]) -> Outcome {
    let files = texts.iter().flat_map(|text| ["--file".as_ref(), text.as_os_str()]);
    synsema(["tokenize", "--json", "--model"]).arg(model).args(files).args(flags).run()
}

/// The texts of a recording whose ids differ; an error when the call was refused.
fn differing(model: &Path, recording: &Path) -> Result<Vec<String>, Outcome> {
    let lines = cases::json_lines(recording);
    let folder = recording.with_file_name("texts");
    let file = |line: &Value| folder.join(line["file"].as_str().expect("a file's name"));
    let texts: Vec<PathBuf> = lines.iter().map(file).collect();
    let mut differing = Vec::new();
    for (mode, flags) in MODES {
        let outcome = tokenize(model, &texts, flags);
        if outcome.code == Some(3) && outcome.fault(&[3]).is_none() {
            return Err(outcome);
        }
        let rows = outcome.done().json_lines();
        assert_eq!(rows.len(), texts.len(), "{}: one line a file", recording.display());
        for ((row, text), line) in rows.iter().zip(&texts).zip(&lines) {
            let said = row["file"].as_str().map(Path::new).map(cases::name);
            assert_eq!(said.as_deref(), Some(cases::name(text).as_str()), "order of the lines");
            let (ids, recorded) = (cases::ids(&row["tokens"]), cases::ids(&line[mode]));
            if ids != recorded {
                let at = ids.iter().zip(&recorded).take_while(|(a, b)| a == b).count();
                differing.push(format!("{} {mode}, at id {at}", cases::name(text)));
            }
        }
    }
    Ok(differing)
}

#[test]
fn ids_equal_the_recorded_ones() {
    let required = required();
    let mut table = String::new();
    let mut failed = Vec::new();
    for recording in recordings() {
        let name = cases::name(&recording).replace(".jsonl", "");
        match differing(&vocabulary(&name), &recording) {
            Ok(differing) => {
                let _ = writeln!(table, "tokens {name}: {} differ", differing.len());
                failed.extend(differing.iter().map(|text| format!("{name}: {text}")));
            }
            Err(refused) => {
                let _ = writeln!(table, "tokens {name}: refused: {}", refused.stderr.trim());
                if required.contains(&name) {
                    failed.push(format!("{name} is refused: {}", refused.stderr.trim()));
                }
                if !refused.stderr.contains("tokenizer.ggml.") {
                    failed.push(format!("{name}: the refusal names no key: {}", refused.stderr));
                }
            }
        }
    }
    report(&table);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Whole books: count and sha256 of the ids as little-endian u32.
#[test]
fn ids_of_long_texts_have_the_recorded_digest() {
    let Some(golden) = cases::full_set("SYNSEMA_TEST_GOLDEN") else { return };
    let recorded: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_value(cases::json(&golden.join("tokens/long.json"))).expect("a table");
    let mut failed = Vec::new();
    for (name, texts) in recorded {
        for (file, expected) in texts {
            let text = cases::real_model(&format!("text/{file}"));
            let digest = hex(&Sha256::digest(fs::read(&text).expect("a text")));
            if digest != expected["text_sha256"].as_str().unwrap_or_default() {
                // Another release of the package: its ids were never recorded.
                report(&format!("tokens {name}: {file} is another edition, not compared"));
                continue;
            }
            let outcome = tokenize(&vocabulary(&name), &[text], &[]);
            if outcome.code == Some(3) && !required().contains(&name) {
                continue;
            }
            let ids = cases::ids(&outcome.done().json_lines()[0]["tokens"]);
            let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
            let digest = hex(&Sha256::digest(&bytes));
            if digest != expected["sha256_le_u32"].as_str().unwrap_or_default() {
                failed.push(format!(
                    "{name} {file}: {} ids, {} recorded",
                    ids.len(),
                    expected["count"]
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Text → ids → text, on texts that are UTF-8.
#[test]
fn detokenized_ids_give_the_text_back() {
    let model = cases::smollm2();
    let text = "Grüße, ¿qué tal? 日本の首都は\n\tfn main() {}  🙂 end";
    let file = cases::file_with(".txt", text);
    let ids = cases::ids(&tokenize(&model, &[file], &[]).done().json_lines()[0]["tokens"]);
    let list = ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let outcome = synsema(["detokenize", "--tokens", &list, "--model"]).arg(&model).run().done();
    let back = String::from_utf8_lossy(&outcome.stdout).into_owned();
    assert_eq!(back.strip_suffix('\n').unwrap_or(&back), text);
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// A file that is missing among several stops the call before anything is printed.
#[test]
fn a_missing_text_prints_nothing() {
    let there = cases::file_with(".txt", "text");
    let outcome = tokenize(&cases::smollm2(), &[there, cases::fresh_file(".txt")], &[]);
    let _: program::Outcome = outcome.refused();
}
