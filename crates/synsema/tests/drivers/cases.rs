//! Where cases, models and scratch files lie.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace exists")
}

/// A folder of vendored cases.
pub fn vendored(kind: &str) -> PathBuf {
    root().join("tests/cases").join(kind)
}

/// A full set outside the repository, where the variable names its folder.
pub fn full_set(variable: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(variable)?);
    assert!(folder.is_dir(), "{variable} is {}, which is not a folder", folder.display());
    Some(folder)
}

/// The folder of real models.
pub fn models() -> PathBuf {
    std::env::var_os("SYNSEMA_TEST_MODELS").map_or_else(|| root().join("models"), PathBuf::from)
}

/// A real model. A test that needs one and cannot get it fails and says how to fetch it.
pub fn real_model(file: &str) -> PathBuf {
    let path = models().join(file);
    assert!(
        path.is_file(),
        "the model {} is missing: run `scripts/fetch-models.sh`, or set SYNSEMA_TEST_MODELS to \
         the folder that holds {file}",
        path.display()
    );
    path
}

/// SmolLM2, the model that every clone tests with.
pub fn smollm2() -> PathBuf {
    real_model("SmolLM2-135M-Instruct.Q4_1.gguf")
}

/// A folder for scratch files, under the build folder.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("the build folder can be written");
    folder
}

/// A path that nothing exists at yet.
pub fn fresh_file(ending: &str) -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = scratch("files").join(format!("{}-{number}{ending}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

/// A file with these bytes.
pub fn file_with(ending: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = fresh_file(ending);
    fs::write(&path, bytes).expect("the build folder can be written");
    path
}

/// The subfolders of a folder, by name.
pub fn folders(of: &Path) -> Vec<PathBuf> {
    entries(of).into_iter().filter(|path| path.is_dir()).collect()
}

/// The files of a folder with this ending, by name.
pub fn files(of: &Path, ending: &str) -> Vec<PathBuf> {
    let fits = |path: &PathBuf| path.is_file() && name(path).ends_with(ending);
    entries(of).into_iter().filter(fits).collect()
}

fn entries(of: &Path) -> Vec<PathBuf> {
    let listing = fs::read_dir(of).unwrap_or_else(|e| panic!("{}: {e}", of.display()));
    let mut paths: Vec<PathBuf> =
        listing.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.sort();
    paths
}

/// The last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `file` of a case, unpacked into a scratch folder of the case's own where it is stored as
/// `file.gz`.
pub fn unpacked(case: &Path, file: &str) -> PathBuf {
    let plain = case.join(file);
    if plain.is_file() {
        return plain;
    }
    let packed = case.join(format!("{file}.gz"));
    let result = Command::new("gzip")
        .arg("-dc")
        .arg(&packed)
        .output()
        .unwrap_or_else(|e| panic!("gzip is needed to unpack cases: {e}"));
    assert!(result.status.success(), "{} cannot be unpacked", packed.display());
    let target = scratch("unpacked").join(name(case));
    fs::create_dir_all(&target).expect("the build folder can be written");
    let target = target.join(file);
    if fs::read(&target).is_ok_and(|bytes| bytes == result.stdout) {
        return target;
    }
    // Another test may be reading the old one: a rename replaces it whole.
    let temporary = file_with(".part", &result.stdout);
    fs::rename(temporary, &target).expect("the build folder can be written");
    target
}

/// A JSON file.
pub fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A file of JSON values, one a line.
pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let parse =
        |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().filter(|line| !line.is_empty()).map(parse).collect()
}

/// The lines of a table of tab-separated columns; `#` begins a comment line.
pub fn table(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

/// A list of token ids in a JSON value.
pub fn ids(value: &Value) -> Vec<u32> {
    let list = value.as_array().unwrap_or_else(|| panic!("not a list of ids: {value}"));
    list.iter()
        .map(|id| id.as_u64().and_then(|id| u32::try_from(id).ok()).expect("an id"))
        .collect()
}

/// A list of numbers in a JSON value.
pub fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("not a list of numbers: {value}"));
    list.iter().map(|number| number.as_f64().expect("a number")).collect()
}
