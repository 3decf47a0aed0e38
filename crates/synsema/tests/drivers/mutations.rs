//! Each reference is itself tested: a small fault must make its comparison fail.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cases;
use crate::gauntlet::{BAR, REFERENCE, distance};
use crate::program::{report, synsema};

/// A folder of definitions that holds the changed one.
fn changed_definition(mutation: &Value, name: &str) -> PathBuf {
    let architecture = mutation["definition"].as_str().expect("a definition's name");
    let file = format!("{architecture}.archdef");
    let mut text = fs::read_to_string(cases::root().join("archdefs").join(&file))
        .unwrap_or_else(|e| panic!("{file}: {e}"));
    for change in mutation["replace"].as_array().expect("changes") {
        let (from, to) = (change[0].as_str().expect("a text"), change[1].as_str().expect("a text"));
        assert!(text.contains(from), "{name}: `{from}` is not in {file}");
        text = text.replace(from, to);
    }
    let folder = cases::scratch("mutations").join(name);
    fs::create_dir_all(&folder).expect("the build folder can be written");
    fs::write(folder.join(&file), text).expect("the build folder can be written");
    folder
}

/// The model with one number of its metadata changed in place: `times` a float, or `plus` a count.
fn changed_model(model: &Path, mutation: &Value) -> PathBuf {
    const UINT32: u32 = 4;
    const FLOAT32: u32 = 6;
    let mut bytes = fs::read(model).expect("the model can be read");
    let key = mutation["key"].as_str().expect("a key");
    let mut entry = u64::try_from(key.len()).expect("a length").to_le_bytes().to_vec();
    entry.extend(key.as_bytes());
    let start = bytes.windows(entry.len()).position(|window| window == entry);
    let at = start.unwrap_or_else(|| panic!("the model has no key {key}")) + entry.len();
    let field = |at: usize| -> [u8; 4] { bytes[at..at + 4].try_into().expect("four bytes") };
    let kind = u32::from_le_bytes(field(at));
    let changed = if let Some(factor) = mutation["times"].as_f64() {
        assert_eq!(kind, FLOAT32, "{key} is not a float");
        (f32::from_le_bytes(field(at + 4)) * factor as f32).to_le_bytes()
    } else {
        assert_eq!(kind, UINT32, "{key} is not a count");
        let plus =
            u32::try_from(mutation["plus"].as_u64().expect("`times` or `plus`")).expect("small");
        (u32::from_le_bytes(field(at + 4)) + plus).to_le_bytes()
    };
    bytes[at + 4..at + 8].copy_from_slice(&changed);
    cases::file_with(".gguf", bytes)
}

#[test]
fn each_mutation_fails_its_comparison() {
    let mut table = format!("{:<28} {:>10} {:>10}\n", "mutation", "nmse", "worst row");
    let mut failed = Vec::new();
    let folders = cases::folders(&cases::vendored("mutations"));
    assert!(!folders.is_empty());
    for folder in folders {
        let name = cases::name(&folder);
        let mutation = cases::json(&folder.join("mutation.json"));
        let case = cases::vendored("gauntlet").join(mutation["case"].as_str().expect("a case"));
        let model = cases::unpacked(&case, "model.gguf");
        let output = cases::fresh_file(".f32");
        let call = synsema(["logits", "--tokens"]).arg(case.join("tokens.json"));
        let call = call.arg("--output").arg(&output).args(REFERENCE).arg("--model");
        let call = if mutation["key"].is_string() {
            call.arg(changed_model(&model, &mutation))
        } else {
            call.arg(&model).env("SYNSEMA_INFER_ARCHDEF", changed_definition(&mutation, &name))
        };
        // The fault is one that loads and runs: only the comparison can find it.
        call.run().done();
        let distance = distance(&case, &output);
        table += &format!("{name:<28} {:>10.1e} {:>10.1e}\n", distance.all, distance.worst_row);
        if distance.passes(BAR) {
            failed.push(format!("{name} passes with {:e}, the bar is {BAR:e}", distance.all));
        }
    }
    report(&table);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
