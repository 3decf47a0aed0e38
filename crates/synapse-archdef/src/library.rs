//! The library of definitions: the built-in ones and those in a folder of the operator's.
//!
//! A definition of the operator's wins over the built-in one of the same name. If it is broken,
//! that architecture is unavailable: running the built-in one instead would be another model
//! than the operator asked for, with nothing to tell.

use crate::ast::{Definition, Kind};
use crate::limits;
use crate::nearest::nearest;
use crate::parse::parse;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use synapse_diag::{Diagnostic, Diagnostics, Lang, catalog::archdef as row};

/// Name and text of each built-in definition.
pub static BUILTIN: &[(&str, &str)] = &[
    ("gemma3", include_str!("../../../archdefs/gemma3.archdef")),
    ("llama", include_str!("../../../archdefs/llama.archdef")),
    ("llama-embed", include_str!("../../../archdefs/llama-embed.archdef")),
    ("qwen2", include_str!("../../../archdefs/qwen2.archdef")),
    ("qwen3", include_str!("../../../archdefs/qwen3.archdef")),
];

/// The ending of a definition's file name, without the dot.
pub const EXTENSION: &str = "archdef";

/// Where a definition is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Part of the program.
    Builtin,
    /// A file of the operator's.
    File(PathBuf),
}

/// A definition that can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Where it is from.
    pub origin: Origin,
    /// The definition.
    pub definition: Definition,
}

impl Entry {
    /// The architecture's name.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// What a model of it yields.
    pub fn kind(&self) -> Kind {
        self.definition.kind
    }

    /// Steps that one layer runs.
    pub fn steps_per_block(&self) -> usize {
        self.definition.steps_per_block()
    }

    /// Its identity, in hexadecimal.
    pub fn sha256_hex(&self) -> String {
        self.definition.sha256_hex()
    }
}

/// A definition that did not load, or the folder that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The architecture that is unavailable for it; none: all of them, the folder being unread.
    pub name: Option<String>,
    /// The file, as messages name it.
    pub file: String,
    /// What is wrong; never empty.
    pub diagnostics: Diagnostics,
}

/// What the library says about a name.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup<'a> {
    /// It can be used.
    Found(&'a Entry),
    /// Its definition is broken.
    Broken(&'a Problem),
    /// There is none.
    Unknown {
        /// The names that can be used, sorted.
        known: Vec<&'a str>,
        /// The one that may have been meant.
        nearest: Option<&'a str>,
        /// The definitions that did not load.
        problems: &'a [Problem],
    },
}

/// The definitions of the program and of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Library {
    /// The built-in definitions, and over them those of `folder`: each regular file
    /// `NAME.archdef` in it, links followed, hidden files and subfolders left out.
    ///
    /// Nothing fails here: what did not load is in [`Library::problems`]. A folder that is given
    /// but cannot be read makes every architecture unavailable, since it may hold a replacement
    /// for any of them.
    pub fn load(folder: Option<&Path>) -> Library {
        let mut found: BTreeMap<String, Result<Entry, Problem>> = BTreeMap::new();
        for (name, text) in BUILTIN {
            let label = format!("built-in/{name}.{EXTENSION}");
            let read = parse(&label, text.as_bytes(), Some(name));
            found.insert((*name).to_owned(), entry_or_problem(name, label, Origin::Builtin, read));
        }
        let mut library = Library::default();
        match folder.map(|f| (f, definition_files(f))) {
            Some((folder, Err(d))) => library.problems.push(Problem {
                name: None,
                file: folder.display().to_string(),
                diagnostics: vec![d.at_file(folder.display())],
            }),
            Some((_, Ok(files))) => {
                for (name, path) in files {
                    let label = path.display().to_string();
                    let read = read_capped(&path, &label)
                        .and_then(|bytes| parse(&label, &bytes, Some(&name)));
                    let one = entry_or_problem(&name, label, Origin::File(path), read);
                    found.insert(name, one);
                }
            }
            None => {}
        }
        for one in found.into_values() {
            match one {
                Ok(entry) => library.entries.push(entry),
                Err(problem) => library.problems.push(problem),
            }
        }
        library
    }

    /// The definitions that can be used, sorted by name.
    pub fn entries(&self) -> &[Entry] {
        if self.folder_problem().is_some() { &[] } else { &self.entries }
    }

    /// What did not load: the folder, or definitions sorted by name.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Looks an architecture up.
    pub fn get(&self, name: &str) -> Lookup<'_> {
        let broken = self.problems.iter().find(|p| p.name.as_deref() == Some(name));
        if let Some(problem) = self.folder_problem().or(broken) {
            return Lookup::Broken(problem);
        }
        if let Some(entry) = self.entries.iter().find(|e| e.name() == name) {
            return Lookup::Found(entry);
        }
        let known: Vec<&str> = self.entries.iter().map(Entry::name).collect();
        let nearest = nearest(name, known.iter().copied());
        Lookup::Unknown { known, nearest, problems: &self.problems }
    }

    /// The definition of an architecture.
    ///
    /// # Errors
    /// `archdef-broken-architecture` with the first finding of a definition that did not load,
    /// or `archdef-unknown-architecture` with the known names and the files that did not load.
    /// `lang` is that of the finding inside the first.
    pub fn require(&self, name: &str, lang: Lang) -> Result<&Entry, Diagnostic> {
        match self.get(name) {
            Lookup::Found(entry) => Ok(entry),
            Lookup::Broken(problem) => {
                let first = problem.diagnostics.first();
                Err(Diagnostic::new(&row::BROKEN_ARCHITECTURE)
                    .arg("name", name)
                    .arg("count", problem.diagnostics.len())
                    .arg("finding", first.map_or(String::new(), |d| d.render(lang))))
            }
            Lookup::Unknown { known, nearest, problems } => {
                let broken: Vec<&str> = problems.iter().map(|p| p.file.as_str()).collect();
                Err(Diagnostic::new(&row::UNKNOWN_ARCHITECTURE)
                    .arg("name", name)
                    .arg("known", known.join(", "))
                    .arg("broken", if broken.is_empty() { "—".into() } else { broken.join(", ") })
                    .suggest(nearest))
            }
        }
    }

    fn folder_problem(&self) -> Option<&Problem> {
        self.problems.iter().find(|p| p.name.is_none())
    }
}

fn entry_or_problem(
    name: &str,
    file: String,
    origin: Origin,
    read: Result<Definition, Diagnostics>,
) -> Result<Entry, Problem> {
    match read {
        Ok(definition) => Ok(Entry { origin, definition }),
        Err(diagnostics) => Err(Problem { name: Some(name.to_owned()), file, diagnostics }),
    }
}

/// The definitions of a folder, with the names that their files promise, sorted.
///
/// # Errors
/// The folder cannot be read, or holds too many.
pub fn definition_files(folder: &Path) -> Result<Vec<(String, PathBuf)>, Diagnostic> {
    let unreadable =
        |e: std::io::Error| Diagnostic::new(&row::FOLDER_UNREADABLE).arg("reason", e.kind());
    let mut files = Vec::new();
    for one in fs::read_dir(folder).map_err(unreadable)? {
        let file_name = one.map_err(unreadable)?.file_name();
        let path = folder.join(&file_name);
        let hidden = file_name.to_string_lossy().starts_with('.');
        if hidden || path.extension().is_none_or(|e| e != EXTENSION) {
            continue;
        }
        if files.len() == limits::FILES.most {
            return Err(Diagnostic::new(&row::TOO_MANY_FILES).arg("limit", limits::FILES.most));
        }
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push((stem, path));
    }
    files.sort();
    Ok(files)
}

/// The bytes of a definition's file, never more than the limit allows.
///
/// # Errors
/// Not a regular file (a pipe or device would block), too large, or not readable.
pub fn read_capped(path: &Path, label: &str) -> Result<Vec<u8>, Diagnostics> {
    let most = limits::BYTES.most as u64;
    let refuse = |d: Diagnostic| vec![d.at_file(label)];
    let unreadable =
        |e: std::io::Error| refuse(Diagnostic::new(&row::UNREADABLE).arg("reason", e.kind()));
    let about = fs::metadata(path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(refuse(Diagnostic::new(&row::NOT_A_FILE)));
    }
    if about.len() > most {
        return Err(refuse(
            Diagnostic::new(&row::TOO_MANY_BYTES).arg("bytes", about.len()).arg("limit", most),
        ));
    }
    // One byte more than the limit, so that a file that grows meanwhile is still refused.
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

/// Reads and checks the definition in a file, with the name that its file promises.
///
/// # Errors
/// Those of [`read_capped`] and [`parse`].
pub fn load_file(path: &Path) -> Result<Definition, Diagnostics> {
    let label = path.display().to_string();
    let bytes = read_capped(path, &label)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&label, &bytes, Some(&stem))
}
