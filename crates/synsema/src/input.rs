//! What commands read: texts and token ids, each from an argument, a file or a pipe.

use std::io::{IsTerminal, Read};
use std::path::Path;

use serde_json::Value;
use synapse_diag::{Diagnostic, catalog::command as rows};

/// Most bytes of a text or list that is read.
const MOST_BYTES: u64 = 256 << 20;

/// Name of stdin in messages and as an argument.
pub const STDIN: &str = "-";

/// Refuses a path that is no file to read, before anything else looks at it.
pub fn check_file(path: &Path) -> Result<(), Diagnostic> {
    let refuse = |row| Err(Diagnostic::new(row).at_file(path.display()));
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => refuse(&rows::FILE_IS_FOLDER),
        Ok(_) => Ok(()),
        Err(e) => match e.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                refuse(&rows::FILE_MISSING)
            }
            _ => Err(Diagnostic::new(&rows::FILE_UNREADABLE)
                .arg("reason", e)
                .at_file(path.display())),
        },
    }
}

/// The text of a file, or of stdin for `-`.
pub fn text_of(path: &Path) -> Result<String, Diagnostic> {
    let bytes = bytes_of(path)?;
    String::from_utf8(bytes).map_err(|e| {
        let offset = e.utf8_error().valid_up_to();
        Diagnostic::new(&rows::FILE_NOT_UTF8).arg("offset", offset).at_file(path.display())
    })
}

/// The text of a pipe into this command; `None` where stdin is a terminal or empty.
pub fn piped_text() -> Result<Option<String>, Diagnostic> {
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    Ok(Some(text_of(Path::new(STDIN))?).filter(|t| !t.is_empty()))
}

/// Token ids from `1,2,3`, `[1, 2, 3]`, or a file that holds either or an object.
pub fn tokens_of(argument: &str) -> Result<TokenFile, Diagnostic> {
    let argument = argument.trim();
    if argument.is_empty() {
        return Err(Diagnostic::new(&rows::NO_TOKENS));
    }
    let path = Path::new(argument);
    if argument == STDIN || path.exists() {
        return tokens_in(&bytes_of(path)?).map_err(|d| d.at_file(path.display()));
    }
    let is_list = argument.starts_with('[') || argument.chars().all(in_list);
    if !is_list {
        return Err(Diagnostic::new(&rows::TOKENS_NOT_NUMBERS).arg("found", argument));
    }
    tokens_in(argument.as_bytes())
}

/// Token ids in a text: numbers with commas or blanks between them, or JSON.
pub fn tokens_in(bytes: &[u8]) -> Result<TokenFile, Diagnostic> {
    let list = std::str::from_utf8(bytes).ok().filter(|t| t.chars().all(in_list));
    let Some(list) = list else { return parse_tokens(bytes) };
    let ids = list.split(|c: char| !c.is_ascii_digit()).filter(|p| !p.is_empty());
    let id = |(i, p): (usize, &str)| p.parse().map_err(|_| not_an_id(i, p));
    let tokens: Vec<u32> = ids.enumerate().map(id).collect::<Result<_, _>>()?;
    if tokens.is_empty() {
        return Err(Diagnostic::new(&rows::NO_TOKENS));
    }
    Ok(TokenFile { tokens, encoder: false })
}

fn in_list(c: char) -> bool {
    c.is_ascii_digit() || c == ',' || c.is_ascii_whitespace()
}

/// What a list of token ids holds.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenFile {
    /// The ids.
    pub tokens: Vec<u32>,
    /// Whether there are ids for an encoder too.
    pub encoder: bool,
}

/// A JSON list, or an object with `tokens` or `input_ids`.
fn parse_tokens(bytes: &[u8]) -> Result<TokenFile, Diagnostic> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|e| Diagnostic::new(&rows::TOKENS_JSON).arg("reason", e))?;
    let (list, encoder) = match &value {
        Value::Array(list) => (Some(list), false),
        Value::Object(map) => {
            let list = ["tokens", "input_ids"].iter().find_map(|k| map.get(*k)?.as_array());
            (list, map.get("encoder_tokens").is_some_and(|v| !v.is_null()))
        }
        _ => (None, false),
    };
    let list = list.ok_or_else(|| Diagnostic::new(&rows::TOKENS_SHAPE))?;
    let id = |(i, v): (usize, &Value)| {
        v.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(|| not_an_id(i, v))
    };
    let tokens = list.iter().enumerate().map(id).collect::<Result<_, _>>()?;
    Ok(TokenFile { tokens, encoder })
}

fn not_an_id(index: usize, found: impl std::fmt::Display) -> Diagnostic {
    let found: String = found.to_string().chars().take(60).collect();
    Diagnostic::new(&rows::TOKENS_NOT_AN_ID).arg("index", index).arg("found", found)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    let fail = |e: std::io::Error| {
        Diagnostic::new(&rows::FILE_UNREADABLE).arg("reason", e).at_file(path.display())
    };
    let source: Box<dyn Read> = if path.as_os_str() == STDIN {
        Box::new(std::io::stdin().lock())
    } else {
        check_file(path)?;
        Box::new(std::fs::File::open(path).map_err(fail)?)
    };
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > MOST_BYTES {
        let d = Diagnostic::new(&rows::FILE_TOO_LARGE).arg("most", MOST_BYTES);
        return Err(d.at_file(path.display()));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(argument: &str) -> Vec<u32> {
        tokens_of(argument).unwrap().tokens
    }

    fn code(argument: &str) -> &'static str {
        tokens_of(argument).unwrap_err().code()
    }

    #[test]
    fn ids_are_read_from_lists_and_json() {
        assert_eq!(ids("1,2,3"), [1, 2, 3]);
        assert_eq!(ids("1, 2 3,"), [1, 2, 3]);
        assert_eq!(ids("[4, 5]"), [4, 5]);
        assert_eq!(parse_tokens(b"{\"tokens\": [6]}").unwrap().tokens, [6]);
        assert_eq!(parse_tokens(b"{\"input_ids\": [7]}").unwrap().tokens, [7]);
        assert!(parse_tokens(b"{\"tokens\": [], \"encoder_tokens\": [1]}").unwrap().encoder);
    }

    #[test]
    fn what_is_no_id_is_refused_with_its_place() {
        assert_eq!(code(""), "no-tokens");
        assert_eq!(code("1,2,4294967296"), "tokens-not-an-id");
        assert_eq!(code("[1, -2]"), "tokens-not-an-id");
        assert_eq!(code("[1, 2.5]"), "tokens-not-an-id");
        assert_eq!(code("[[1]]"), "tokens-not-an-id");
        assert_eq!(code("[1"), "tokens-json");
        assert_eq!(code("1,x"), "tokens-not-numbers");
        assert_eq!(parse_tokens(b"{\"ids\": [1]}").unwrap_err().code(), "tokens-shape");
        assert_eq!(parse_tokens(b"\"7\"").unwrap_err().code(), "tokens-shape");
        assert_eq!(tokens_in(b" \n").unwrap_err().code(), "no-tokens");
    }

    #[test]
    fn a_file_that_is_missing_and_a_folder_are_told_apart() {
        assert_eq!(check_file(Path::new("no/such")).unwrap_err().code(), "file-missing");
        assert_eq!(check_file(Path::new(".")).unwrap_err().code(), "file-is-folder");
    }
}
