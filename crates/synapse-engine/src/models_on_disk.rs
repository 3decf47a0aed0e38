//! Model files at hand: `*.gguf` of a few folders, for status and for messages.

use std::path::{Path, PathBuf};

/// Folder of models that is looked at in the current folder.
pub const FOLDER: &str = "models";

/// Entries of a folder that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// A model file that was found. Nothing of it has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFile {
    /// Name of the file without its ending.
    pub name: String,
    /// Its path.
    pub path: PathBuf,
    /// Its size in bytes; of a split model, that of the first part.
    pub bytes: u64,
}

/// Every model file of the folders, each folder once, sorted by path. A folder that cannot be
/// read holds none; of a split model only the first part is named.
pub fn find(folders: &[&Path]) -> Vec<ModelFile> {
    let mut found: Vec<ModelFile> = Vec::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.take(MOST_ENTRIES).flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|e| e != "gguf") {
                continue;
            }
            let Ok(about) = std::fs::metadata(&path) else { continue };
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if about.is_file() && !is_later_part(&name) {
                found.push(ModelFile { name, path, bytes: about.len() });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

/// Whether a name ends in `-NNNNN-of-NNNNN` with a first number above 1.
fn is_later_part(name: &str) -> bool {
    let Some((head, _count)) = name.rsplit_once("-of-") else { return false };
    let Some((_, number)) = head.rsplit_once('-') else { return false };
    number.len() == 5 && number.parse::<u32>().is_ok_and(|n| n > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_parts_of_a_split_model_are_known_by_their_names() {
        assert!(is_later_part("big-00002-of-00003"));
        assert!(!is_later_part("big-00001-of-00003"));
        assert!(!is_later_part("out-of-range"));
        assert!(!is_later_part("model"));
    }

    #[test]
    fn only_model_files_are_found_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.gguf", "a.gguf", "a-00002-of-00002.gguf", "notes.txt"] {
            std::fs::write(folder.path().join(name), "x").unwrap();
        }
        std::fs::create_dir(folder.path().join("folder.gguf")).unwrap();
        let found = find(&[folder.path(), folder.path(), Path::new("not there")]);
        assert_eq!(found.iter().map(|m| m.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }
}
