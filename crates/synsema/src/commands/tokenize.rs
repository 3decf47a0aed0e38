//! `tokenize`: text to token ids.

use serde_json::json;
use synapse_diag::{Diagnostic, catalog::command as rows};
use synapse_engine::load_tokenizer;
use synapse_text::EncodeOptions;

use crate::app::App;
use crate::args::TokenizeArgs;
use crate::failure::Failure;
use crate::{input, stdout};

/// Runs the command.
pub fn run(app: &App, args: &TokenizeArgs) -> Result<(), Failure> {
    let texts = texts(args)?;
    let header = app.open_header(&args.model)?;
    let (tokenizer, notices) = load_tokenizer(&header)?;
    app.warn(&notices);
    let options =
        EncodeOptions { parse_special: args.parse_special, add_special: args.add_special };
    let mut out = String::new();
    for (file, text) in texts {
        let tokens = tokenizer.encode(&text, options);
        if app.json {
            out.push_str(&json!({ "file": file, "tokens": tokens }).to_string());
        } else {
            let ids: Vec<String> = tokens.iter().map(u32::to_string).collect();
            out.push_str(&ids.join(","));
        }
        out.push('\n');
    }
    stdout::write(out.as_bytes())
}

/// Each text with the file that it is from.
fn texts(args: &TokenizeArgs) -> Result<Vec<(Option<String>, String)>, Diagnostic> {
    if let Some(text) = &args.text {
        return Ok(vec![(None, text.clone())]);
    }
    if args.file.is_empty() {
        let text = input::piped_text()?.ok_or_else(|| Diagnostic::new(&rows::NO_TEXT))?;
        return Ok(vec![(None, text)]);
    }
    let read =
        |path: &std::path::PathBuf| Ok((Some(path.display().to_string()), input::text_of(path)?));
    args.file.iter().map(read).collect()
}
