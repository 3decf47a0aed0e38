//! How a command ends when it does not end well, and how that is told.

use std::io::Write;

use serde_json::json;
use synapse_diag::{Diagnostic, Diagnostics, Lang, catalog::command as rows};
use synapse_engine::settings::language_of_environment;

/// Why a command stopped.
#[derive(Debug)]
pub enum Failure {
    /// These were found; never empty.
    Found(Diagnostics),
    /// Nobody reads the output any more: not an error.
    BrokenPipe,
}

impl From<Diagnostic> for Failure {
    fn from(d: Diagnostic) -> Failure {
        Failure::Found(vec![d])
    }
}

impl From<Diagnostics> for Failure {
    fn from(findings: Diagnostics) -> Failure {
        Failure::Found(findings)
    }
}

/// Writes the findings to stderr, as lines and with `json` also as one object `{"errors": […]}`
/// on the last line, and returns the exit code.
pub fn report(findings: &[Diagnostic], lang: Lang, json: bool) -> u8 {
    let mut stderr = std::io::stderr().lock();
    // When stderr is gone there is nobody left to tell.
    for d in findings {
        let _ = writeln!(stderr, "error: {} [{}]", d.render(lang), d.code());
    }
    if json {
        let errors: Vec<_> = findings.iter().map(|d| d.to_json(lang)).collect();
        let _ = writeln!(stderr, "{}", json!({ "errors": errors }));
    }
    findings.iter().map(Diagnostic::exit_code).max().unwrap_or(0).max(1)
}

/// Writes what is worth saying and stops nothing.
pub fn warn(notices: &[Diagnostic], lang: Lang) {
    let word = if lang == Lang::Es { "aviso" } else { "warning" };
    let mut stderr = std::io::stderr().lock();
    for d in notices {
        let _ = writeln!(stderr, "{word}: {} [{}]", d.render(lang), d.code());
    }
}

/// Tells of wrong flags, or shows the help that was asked for, and returns the exit code.
pub fn report_usage(e: &clap::Error) -> u8 {
    // A failure to print leaves the exit code.
    let _ = e.print();
    if e.use_stderr() && std::env::args_os().any(|a| a == "--json") {
        let reason = e.render().to_string();
        let d = Diagnostic::new(&rows::ARGUMENTS).arg("reason", reason.trim());
        let errors = [d.to_json(language_of_environment())];
        let _ = writeln!(std::io::stderr(), "{}", json!({ "errors": errors }));
    }
    if e.use_stderr() { 2 } else { 0 }
}
