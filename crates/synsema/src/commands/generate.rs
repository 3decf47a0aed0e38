//! `generate`: text from a prompt, shown as it comes.

use std::io::IsTerminal;

use serde_json::{Value, json};
use synapse_diag::{Diagnostic, catalog::command as rows};
use synapse_engine::{GenerateOptions, Generation, Model, Select, Session};
use synapse_kernels::NUMERICS_VERSION;
use synapse_text::Message;

use crate::app::App;
use crate::args::GenerateArgs;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{input, stdout};

/// Runs the command.
pub fn run(app: &App, args: &GenerateArgs) -> Result<(), Failure> {
    app.settings.check_fixed(args.temperature.as_deref())?;
    let max_tokens = app.max_tokens(args.max_tokens.as_deref())?.value;
    let context = app.context(&args.run)?;
    let prompt = prompt_text(args)?;
    let model = app.load(&args.model, &args.run)?;
    let tokens = encode(app, args, &model, prompt)?;
    let context = context.unwrap_or_else(|| model.default_context());
    let chunk = args.run.prefill_chunk as usize;
    let mut session = Session::new(&model, context, chunk, Select::Last)?;

    let options = GenerateOptions { max_tokens, stop: args.stop.clone() };
    let mut stream = Ok(());
    let mut show = |piece: &str| {
        if !app.json && stream.is_ok() {
            stream = stdout::write(piece.as_bytes());
        }
        stream.is_ok()
    };
    let mut progress = Progress::new("reading the prompt");
    let answer = session.generate(&tokens, &options, &mut show, &mut |done, of| {
        progress.set(done, of);
    });
    let answer = answer?;
    stream?;
    if app.json {
        return stdout::json(&result(&model, &tokens, &answer));
    }
    if std::io::stdout().is_terminal() && !answer.text.ends_with('\n') {
        stdout::write(b"\n")?;
    }
    if std::io::stderr().is_terminal() {
        eprintln!("{}", summary(&model, &tokens, &answer));
    }
    Ok(())
}

fn prompt_text(args: &GenerateArgs) -> Result<String, Diagnostic> {
    if let Some(text) = args.text.as_ref().or(args.prompt.as_ref()) {
        return Ok(text.clone());
    }
    if let Some(file) = &args.prompt_file {
        return input::text_of(file);
    }
    input::piped_text()?.ok_or_else(|| Diagnostic::new(&rows::NO_PROMPT))
}

fn encode(
    app: &App,
    args: &GenerateArgs,
    model: &Model,
    prompt: String,
) -> Result<Vec<u32>, Diagnostic> {
    if args.raw {
        return model.encode_raw(&prompt);
    }
    let Some(template) = model.template()? else {
        if args.system.is_some() {
            return Err(Diagnostic::new(&rows::SYSTEM_NEEDS_TEMPLATE));
        }
        let notice = Diagnostic::new(&rows::NO_TEMPLATE_RAW);
        app.warn(&[notice.at_file(model.file.path.display())]);
        return model.encode_raw(&prompt);
    };
    let message = |role: &str, content: String| Message { role: role.to_owned(), content };
    let system = args.system.clone().map(|s| message("system", s));
    let messages: Vec<Message> = system.into_iter().chain([message("user", prompt)]).collect();
    model.encode_chat(template, &messages)
}

/// How fast tokens came after the first one; `None` where there was only one.
fn decode_speed(answer: &Generation) -> Option<f64> {
    let steps = answer.tokens.len().checked_sub(1).filter(|n| *n > 0)?;
    Some(steps as f64 / answer.timings.decode_seconds)
}

fn summary(model: &Model, prompt: &[u32], answer: &Generation) -> String {
    let speed = decode_speed(answer).map_or(String::new(), |s| format!(", {s:.1} tokens/s"));
    format!(
        "[{} prompt tokens in {:.2} s; {} tokens{speed}; ended by {}; {} {} {}]",
        prompt.len(),
        answer.timings.prefill_seconds,
        answer.tokens.len(),
        answer.stop.name(),
        model.precision.name(),
        model.kv.name(),
        model.kernels.isa().name(),
    )
}

fn result(model: &Model, prompt: &[u32], answer: &Generation) -> Value {
    let t = &answer.timings;
    json!({
        "prompt_tokens": prompt,
        "tokens": answer.tokens,
        "text": answer.text,
        "stop": answer.stop.name(),
        "model": model.file.path.display().to_string(),
        "architecture": model.definition.name,
        "definition": {
            "name": model.definition.name,
            "origin": model.definition.origin,
            "sha256": model.definition.sha256,
        },
        "fingerprint": model.graph.fingerprint_hex(),
        "precision": model.precision.name(),
        "kv": model.kv.name(),
        "kernels": model.kernels.isa().name(),
        "threads": model.threads,
        "numerics": NUMERICS_VERSION,
        "timings": {
            "load_seconds": model.load_seconds,
            "prefill_seconds": t.prefill_seconds,
            "first_token_seconds": t.first_token_seconds,
            "decode_seconds": t.decode_seconds,
            "prefill_tokens_per_second": prompt.len() as f64 / t.prefill_seconds,
            "decode_tokens_per_second": decode_speed(answer),
        },
    })
}
