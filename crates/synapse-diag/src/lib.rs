//! Diagnostics of the whole product: stable codes, messages in English and Spanish, JSON form.
//!
//! Every refusal that a person can meet is a [`Diagnostic`]: a row of the [`catalog`], the place
//! where it happened, and the named arguments that fill the row's sentences. Libraries return
//! diagnostics; only the command line turns them into text.
//!
//! Invariants: a code is never reused or renamed; each row has both languages; a sentence names
//! only arguments that the row lists (checked by a test over the whole catalog).
//!
//! ```
//! use synapse_diag::{Diagnostic, Lang, catalog};
//! let d = Diagnostic::new(&catalog::gguf::MAGIC)
//!     .arg("found", "`ggml`")
//!     .at_file("model.gguf");
//! assert!(d.render(Lang::En).starts_with("model.gguf: "));
//! assert_eq!(d.code(), "gguf-magic");
//! ```
#![forbid(unsafe_code)]

pub mod catalog;
mod render;

use std::fmt;

pub use catalog::{Class, Entry};

/// Language of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Lang {
    /// English, the default.
    #[default]
    En,
    /// Spanish.
    Es,
}

impl Lang {
    /// The language that a locale name such as `es_ES.UTF-8` asks for.
    pub fn from_locale(name: &str) -> Lang {
        let head = name.split(['_', '.', '@', '-']).next().unwrap_or("");
        if head.eq_ignore_ascii_case("es") { Lang::Es } else { Lang::En }
    }
}

/// One finding: which rule, where, and the values that fill its sentences.
///
/// The fields live behind one pointer: a `Result` that carries a diagnostic stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Fields>);

#[derive(Clone, PartialEq, Eq)]
struct Fields {
    entry: &'static Entry,
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    args: Vec<(&'static str, String)>,
    suggestion: Option<String>,
}

/// Several findings, in the order of their places. Never empty where it stands for an error.
pub type Diagnostics = Vec<Diagnostic>;

impl Diagnostic {
    /// A finding of the rule `entry`, without place or arguments yet.
    pub fn new(entry: &'static Entry) -> Diagnostic {
        Diagnostic(Box::new(Fields {
            entry,
            file: None,
            line: None,
            column: None,
            args: Vec::new(),
            suggestion: None,
        }))
    }

    /// Fills `{name}` in the row's sentences.
    pub fn arg(mut self, name: &'static str, value: impl fmt::Display) -> Diagnostic {
        self.0.args.push((name, value.to_string()));
        self
    }

    /// Names the file; a place that is already set stays.
    pub fn at_file(mut self, file: impl fmt::Display) -> Diagnostic {
        self.0.file.get_or_insert_with(|| file.to_string());
        self
    }

    /// Sets the line, counted from 1.
    pub fn at_line(mut self, line: u32) -> Diagnostic {
        self.0.line = Some(line);
        self
    }

    /// Sets the column, counted in characters from 1.
    pub fn at_column(mut self, column: u32) -> Diagnostic {
        self.0.column = Some(column);
        self
    }

    /// Adds "did you mean …?".
    pub fn suggest(mut self, name: Option<impl fmt::Display>) -> Diagnostic {
        self.0.suggestion = name.map(|n| n.to_string());
        self
    }

    /// The stable code, such as `gguf-magic`.
    pub fn code(&self) -> &'static str {
        self.0.entry.code
    }

    /// The catalog row.
    pub fn entry(&self) -> &'static Entry {
        self.0.entry
    }

    /// The file that the finding is about.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The line, counted from 1.
    pub fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// The value of an argument.
    pub fn arg_value(&self, name: &str) -> Option<&str> {
        self.0.args.iter().find(|(n, _)| *n == name).map(|(_, v)| v.as_str())
    }

    /// The exit code that a command ends with when this finding stops it.
    pub fn exit_code(&self) -> u8 {
        match self.0.entry.class {
            Class::Refused => 3,
            Class::Usage => 2,
            Class::Failed => 1,
            Class::Notice => 0,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(Lang::En))
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.code(), self.render(Lang::En))
    }
}

impl std::error::Error for Diagnostic {}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Diagnostics {
        vec![d]
    }
}
