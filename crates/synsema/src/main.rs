//! The `synsema` command: flags, output, exit codes. What it shows comes from the crates below.
//!
//! Results go to stdout, everything else to stderr. A command that fails writes nothing to
//! stdout (but for text that was streamed before) and leaves no partial file. Exit codes: 0 done,
//! 1 failed, 2 wrong usage, 3 refused.
#![forbid(unsafe_code)]

mod app;
mod args;
mod atomic_file;
mod build_info;
mod commands;
mod failure;
mod input;
mod progress;
mod stdout;
mod table;

use std::process::ExitCode;

use clap::Parser;
use synapse_engine::settings::language_of_environment;

use crate::app::App;
use crate::args::Cli;
use crate::failure::{Failure, report};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return ExitCode::from(failure::report_usage(&e)),
    };
    let app = match App::start(cli.json) {
        Ok(app) => app,
        Err(d) => return ExitCode::from(report(&[d], language_of_environment(), cli.json)),
    };
    match commands::run(&app, cli.command) {
        Ok(()) | Err(Failure::BrokenPipe) => ExitCode::SUCCESS,
        Err(Failure::Found(findings)) => ExitCode::from(report(&findings, app.lang, app.json)),
    }
}
