//! Results on stdout. A reader that went away ends the command quietly.

use std::io::{ErrorKind, Write};

use serde_json::Value;
use synapse_diag::{Diagnostic, catalog::command as rows};

use crate::failure::Failure;

/// Writes bytes and flushes them.
pub fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|e| match e.kind() {
        ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Diagnostic::new(&rows::OUTPUT_FAILED).arg("reason", e).at_file("stdout").into(),
    })
}

/// Writes a text, with a line break at its end.
pub fn lines(text: &str) -> Result<(), Failure> {
    let text = text.trim_end_matches('\n');
    write(format!("{text}\n").as_bytes())
}

/// Writes one JSON value on one line.
pub fn json(value: &Value) -> Result<(), Failure> {
    write(format!("{value}\n").as_bytes())
}
