//! `logits`: the model's output rows for given tokens, as a file of numbers.

use std::time::Instant;

use serde_json::json;
use synapse_diag::{Diagnostic, catalog::command as rows};
use synapse_engine::{Model, Select, Session};
use synapse_kernels::NUMERICS_VERSION;

use crate::app::App;
use crate::args::LogitsArgs;
use crate::atomic_file::AtomicFile;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, stdout};

/// Runs the command.
pub fn run(app: &App, args: &LogitsArgs) -> Result<(), Failure> {
    let context = app.context(&args.run)?;
    let given = input::tokens_of(&args.tokens)?;
    let model = app.load(&args.model, &args.run)?;
    if given.encoder {
        let d = Diagnostic::new(&rows::TOKENS_ENCODER).arg("name", &model.definition.name);
        return Err(d.into());
    }
    let tokens = given.tokens;
    let context = context.unwrap_or_else(|| context_for(&model, tokens.len()));
    let select = if args.last { Select::Last } else { Select::All };
    let mut session = Session::new(&model, context, args.run.prefill_chunk as usize, select)?;

    // Begun before the work: a folder that cannot be written should not cost a run.
    let mut file = AtomicFile::create(&args.output)?;
    let mut progress = Progress::new("running");
    let mut bytes = Vec::new();
    let start = Instant::now();
    let mut write = |rows: &[f32]| {
        bytes.clear();
        bytes.extend(rows.iter().flat_map(|x| x.to_le_bytes()));
        file.write(&bytes)
    };
    session.feed(&tokens, select, &mut write, &mut |done, of| progress.set(done, of))?;
    let seconds = start.elapsed().as_secs_f64();
    file.finish()?;

    let positions = if args.last { 1 } else { tokens.len() };
    let width = model.graph.output_width;
    let kind = if model.has_logits() { "logits" } else { "rows" };
    if !app.json {
        let output = args.output.display();
        return stdout::lines(&format!("{output}: {kind} [{positions}, {width}], f32"));
    }
    stdout::json(&json!({
        "output": args.output.display().to_string(),
        "kind": kind,
        "positions": positions,
        "width": width,
        "definition": { "name": model.definition.name, "sha256": model.definition.sha256 },
        "fingerprint": model.graph.fingerprint_hex(),
        "precision": model.precision.name(),
        "kv": model.kv.name(),
        "kernels": model.kernels.isa().name(),
        "threads": model.threads,
        "numerics": NUMERICS_VERSION,
        "seconds": seconds,
    }))
}

/// Room for all tokens, as far as the model allows.
fn context_for(model: &Model, tokens: usize) -> usize {
    tokens.max(1).min(model.graph.context_length)
}
