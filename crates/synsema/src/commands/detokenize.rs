//! `detokenize`: token ids to text.

use serde_json::json;
use synapse_diag::{Diagnostic, catalog::command as rows};
use synapse_engine::load_tokenizer;

use crate::app::App;
use crate::args::DetokenizeArgs;
use crate::failure::Failure;
use crate::{input, stdout};

/// Runs the command.
pub fn run(app: &App, args: &DetokenizeArgs) -> Result<(), Failure> {
    let tokens = match args.ids.as_ref().or(args.tokens.as_ref()) {
        Some(ids) => input::tokens_of(ids)?,
        None => {
            let piped = input::piped_text()?.ok_or_else(|| Diagnostic::new(&rows::NO_TOKENS))?;
            input::tokens_in(piped.as_bytes()).map_err(|d| d.at_file(input::STDIN))?
        }
    };
    let header = app.open_header(&args.model)?;
    let (tokenizer, notices) = load_tokenizer(&header)?;
    app.warn(&notices);
    let bytes = tokenizer.decode(&tokens.tokens, !args.hide_special)?;
    if app.json {
        let text = String::from_utf8_lossy(&bytes);
        return stdout::json(&json!({ "tokens": tokens.tokens, "text": text }));
    }
    stdout::write(&bytes)?;
    if std::io::IsTerminal::is_terminal(&std::io::stdout()) && !bytes.ends_with(b"\n") {
        stdout::write(b"\n")?;
    }
    Ok(())
}
