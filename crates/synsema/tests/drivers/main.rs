//! Drivers of the data-driven cases. Each runs the built `synsema` and compares what it prints.
//!
//! The cases live in `tests/cases` at the root of the workspace; `docs/testing.md` describes their
//! layout and what each driver compares. Adding a case needs no code. Full sets outside the
//! repository are used as well where these variables name their folders:
//! `SYNSEMA_TEST_GAUNTLET`, `SYNSEMA_TEST_ORACLES`, `SYNSEMA_TEST_GOLDEN`; real models are looked
//! for in `SYNSEMA_TEST_MODELS`, `models` at the root by default.
#![forbid(unsafe_code)]

mod cases;
mod compare;
mod program;

mod bits;
mod broken_files;
mod command_line;
mod gauntlet;
mod golden;
mod mutations;
mod tokens;
