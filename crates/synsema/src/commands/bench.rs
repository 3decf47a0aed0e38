//! `bench`: speed and memory of a model on this machine.

use serde_json::{Value, json};
use synapse_engine::Model;
use synapse_engine::bench::{Bench, BenchOptions, bench, median};
use synapse_engine::memory::{ProcessMemory, describe};
use synapse_kernels::NUMERICS_VERSION;

use crate::app::App;
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::stdout;
use crate::table::table;

/// Runs the command.
pub fn run(app: &App, args: &BenchArgs) -> Result<(), Failure> {
    let model = app.load(&args.model, &args.run)?;
    let options = BenchOptions {
        prefill: args.prefill as usize,
        decode: args.decode as usize,
        depth: args.depth as usize,
        repeat: args.repeat as usize,
        chunk: args.run.prefill_chunk as usize,
    };
    let mut progress = Progress::new("measuring");
    let found = bench(&model, &options, &mut |done, of| progress.set(done, of))?;
    if app.json {
        return stdout::json(&result(&model, &options, &found));
    }
    stdout::lines(&shown(&model, &options, &found))
}

fn result(model: &Model, options: &BenchOptions, found: &Bench) -> Value {
    let memory = found.memory;
    json!({
        "prefill_tokens_per_second": median(&found.prefill_tokens_per_second),
        "decode_tokens_per_second": median(&found.decode_tokens_per_second),
        "load_seconds": model.load_seconds,
        "first_token_seconds": median(&found.first_token_seconds),
        "peak_private_bytes": memory.map(|m| m.private),
        "peak_mapped_bytes": memory.map(|m| m.mapped),
        "model": model.file.path.display().to_string(),
        "precision": model.precision.name(),
        "kv": model.kv.name(),
        "kernels": model.kernels.isa().name(),
        "threads": model.threads,
        "numerics": NUMERICS_VERSION,
        "prefill": options.prefill,
        "decode": options.decode,
        "depth": options.depth,
        "repeat": options.repeat,
        "prefill_chunk": options.chunk,
        "each": {
            "prefill_tokens_per_second": found.prefill_tokens_per_second,
            "decode_tokens_per_second": found.decode_tokens_per_second,
            "first_token_seconds": found.first_token_seconds,
        },
    })
}

fn shown(model: &Model, options: &BenchOptions, found: &Bench) -> String {
    let mut rows = vec![
        vec!["model".to_owned(), model.file.path.display().to_string()],
        vec![
            "running".to_owned(),
            format!(
                "{}, KV {}, {} kernels, {} threads",
                model.precision.name(),
                model.kv.name(),
                model.kernels.isa().name(),
                model.threads
            ),
        ],
        vec!["load".to_owned(), format!("{:.3} s", model.load_seconds)],
    ];
    let mut speed = |name: &str, what: String, values: &[f64]| {
        let (Some(middle), Some(least), Some(most)) = (
            median(values),
            values.iter().copied().reduce(f64::min),
            values.iter().copied().reduce(f64::max),
        ) else {
            return;
        };
        let range = format!("({least:.1} to {most:.1}, {what})");
        rows.push(vec![name.to_owned(), format!("{middle:.1} tokens/s {range}")]);
    };
    let depth = options.depth;
    let prefill = format!("{} tokens after {depth}", options.prefill);
    speed("prefill", prefill, &found.prefill_tokens_per_second);
    let decode = format!("{} tokens after {depth}", options.decode);
    speed("decode", decode, &found.decode_tokens_per_second);
    if let Some(seconds) = median(&found.first_token_seconds) {
        rows.push(vec!["first token".to_owned(), format!("{seconds:.3} s")]);
    }
    if let Some(ProcessMemory { private, mapped }) = found.memory {
        let text = format!("{} own, {} mapped from files", describe(private), describe(mapped));
        rows.push(vec!["memory".to_owned(), text]);
    }
    table(&rows)
}
