//! The reader of `.env` files: `KEY=VALUE` lines into a list, nothing else happens.
//!
//! The file may belong to other programs as well, so foreign keys are read and left alone, and
//! everything that usual readers accept is accepted: `export `, comments, single quotes (as they
//! stand), double quotes (with `\n \r \t \\ \" \$`), values over several lines inside quotes. A
//! `$` stays a `$`: nothing is replaced, nothing is run. What cannot be read is an error with its
//! line, never skipped.

use synapse_diag::{Diagnostic, catalog::command as rows};

/// Most bytes of a file.
pub const MOST_BYTES: usize = 64 * 1024;
/// Most assignments of a file.
pub const MOST_ENTRIES: usize = 1000;
/// Most bytes of one value.
pub const MOST_VALUE_BYTES: usize = 8 * 1024;

/// One assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name left of `=`.
    pub key: String,
    /// The value, quotes and escapes resolved.
    pub value: String,
    /// Line of the name, counted from 1.
    pub line: u32,
}

/// Reads the bytes of a `.env` file; `label` names the file in errors.
///
/// # Errors
///
/// The first line that cannot be read, a name that is assigned twice, or a file past the caps.
pub fn parse(label: &str, bytes: &[u8]) -> Result<Vec<Assignment>, Diagnostic> {
    if bytes.len() > MOST_BYTES {
        return Err(Diagnostic::new(&rows::DOTENV_TOO_LARGE)
            .arg("most", MOST_BYTES)
            .arg("found", bytes.len())
            .at_file(label));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let before = bytes.get(..e.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        Diagnostic::new(&rows::DOTENV_NOT_UTF8).at_file(label).at_line(line_number(line))
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cursor = Cursor { rest: text, line: 1 };
    let mut found: Vec<Assignment> = Vec::new();
    while !cursor.rest.is_empty() {
        let line = cursor.line;
        let place = |d: Diagnostic| d.at_file(label).at_line(line_number(line));
        let Some(next) = cursor.assignment().map_err(place)? else { continue };
        if let Some(first) = found.iter().find(|a| a.key == next.key) {
            let d = Diagnostic::new(&rows::DOTENV_TWICE).arg("name", next.key);
            return Err(place(d.arg("first", first.line)));
        }
        if found.len() == MOST_ENTRIES {
            return Err(place(Diagnostic::new(&rows::DOTENV_TOO_MANY).arg("most", MOST_ENTRIES)));
        }
        found.push(next);
    }
    Ok(found)
}

fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

struct Cursor<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Cursor<'a> {
    /// Reads one line (or more, inside quotes); `None` for a blank one or a comment.
    fn assignment(&mut self) -> Result<Option<Assignment>, Diagnostic> {
        self.skip_blanks();
        if matches!(self.peek(), None | Some('\n' | '#')) {
            self.skip_line();
            return Ok(None);
        }
        let line = line_number(self.line);
        let head = self.rest.split(['=', '\n']).next().unwrap_or("");
        if self.rest.as_bytes().get(head.len()) != Some(&b'=') {
            let d = Diagnostic::new(&rows::DOTENV_NO_EQUALS);
            return Err(d.arg("found", shortened(head.trim_end())));
        }
        let name = head.trim_end_matches([' ', '\t']);
        let key = match name.strip_prefix("export") {
            Some(after) if after.starts_with([' ', '\t']) => after.trim_start_matches([' ', '\t']),
            _ => name,
        };
        if !is_name(key) {
            return Err(Diagnostic::new(&rows::DOTENV_NAME).arg("name", shortened(key)));
        }
        self.rest = self.rest.get(head.len() + 1..).unwrap_or("");
        self.skip_blanks();
        let value = match self.peek() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote)?,
            _ => self.bare(),
        };
        if value.len() > MOST_VALUE_BYTES {
            return Err(Diagnostic::new(&rows::DOTENV_VALUE_TOO_LONG)
                .arg("name", key)
                .arg("most", MOST_VALUE_BYTES));
        }
        if value.contains('\0') {
            return Err(Diagnostic::new(&rows::DOTENV_NUL).arg("name", key));
        }
        Ok(Some(Assignment { key: key.to_owned(), value, line }))
    }

    /// A value without quotes: to the end of the line, or to a `#` that follows a blank.
    fn bare(&mut self) -> String {
        let line = self.rest.split('\n').next().unwrap_or("");
        let comment = line
            .char_indices()
            .find(|(at, c)| *c == '#' && (*at == 0 || line[..*at].ends_with([' ', '\t'])));
        let value = comment.map_or(line, |(at, _)| &line[..at]);
        let value = value.trim_matches([' ', '\t', '\r']).to_owned();
        self.skip_line();
        value
    }

    /// A value in quotes, and what may follow it on its line.
    fn quoted(&mut self, quote: char) -> Result<String, Diagnostic> {
        let unclosed = || Diagnostic::new(&rows::DOTENV_QUOTE).arg("quote", quote);
        self.next();
        let mut value = String::new();
        loop {
            match self.next().ok_or_else(unclosed)? {
                c if c == quote => break,
                '\\' if quote == '"' => match self.next().ok_or_else(unclosed)? {
                    'n' => value.push('\n'),
                    'r' => value.push('\r'),
                    't' => value.push('\t'),
                    c @ ('\\' | '"' | '$' | '\'') => value.push(c),
                    c => {
                        return Err(Diagnostic::new(&rows::DOTENV_ESCAPE).arg("found", c));
                    }
                },
                c => value.push(c),
            }
        }
        self.skip_blanks();
        if !matches!(self.peek(), None | Some('\n' | '#')) {
            let tail = self.rest.split('\n').next().unwrap_or("");
            return Err(Diagnostic::new(&rows::DOTENV_AFTER_QUOTE).arg("found", shortened(tail)));
        }
        self.skip_line();
        Ok(value)
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        if c == '\n' {
            self.line += 1;
        }
        Some(c)
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
    }

    fn skip_line(&mut self) {
        let after = self.rest.split_once('\n').map_or("", |(_, after)| after);
        self.rest = after;
        self.line += 1;
    }
}

fn is_name(key: &str) -> bool {
    !key.starts_with(|c: char| c.is_ascii_digit())
        && !key.is_empty()
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
}

/// The beginning of a foreign text, for a message.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    let mut out: String = text.chars().take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(text: &str) -> Vec<(String, String)> {
        let found = parse(".env", text.as_bytes()).unwrap();
        found.into_iter().map(|a| (a.key, a.value)).collect()
    }

    fn one(text: &str) -> String {
        let mut all = values(text);
        assert_eq!(all.len(), 1, "{text:?}");
        all.remove(0).1
    }

    fn refused(bytes: impl AsRef<[u8]>) -> (&'static str, Option<u32>) {
        let d = parse(".env", bytes.as_ref()).unwrap_err();
        assert_eq!(d.file(), Some(".env"));
        (d.code(), d.line())
    }

    #[test]
    fn values_are_read_as_usual_readers_do() {
        assert_eq!(one("A=b"), "b");
        assert_eq!(one("A = b \r\n"), "b");
        assert_eq!(one("export A=b"), "b");
        assert_eq!(one("export\tA=b"), "b");
        assert_eq!(one("A="), "");
        assert_eq!(one("A=#x"), "");
        assert_eq!(one("A=b#c"), "b#c");
        assert_eq!(one("A=b # c"), "b");
        assert_eq!(one("A=x=y"), "x=y");
        assert_eq!(one("A=${HOME}/x"), "${HOME}/x");
        assert_eq!(one("A='b # \\n'  # c"), "b # \\n");
        assert_eq!(one(r#"A="b\n\"c\" \$d""#), "b\n\"c\" $d");
        assert_eq!(one("A='first\nsecond'"), "first\nsecond");
        assert_eq!(one("\u{feff}A=b"), "b");
        assert_eq!(one("\n# c\n   \n  A=b"), "b");
    }

    #[test]
    fn a_name_that_begins_with_export_is_a_name() {
        for (text, name) in [("exporter=1", "exporter"), ("export=1", "export")] {
            assert_eq!(values(text), [(name.to_owned(), "1".to_owned())]);
        }
    }

    #[test]
    fn lines_are_counted_through_comments_and_quotes() {
        let found = parse(".env", b"# c\nA='x\ny'\n\nB=1\n").unwrap();
        assert_eq!(found.iter().map(|a| a.line).collect::<Vec<_>>(), [2, 5]);
    }

    #[test]
    fn a_line_without_equals_sign_is_refused() {
        assert_eq!(refused("A=1\nnonsense\n"), ("dotenv-no-equals", Some(2)));
    }

    #[test]
    fn a_name_with_other_characters_is_refused() {
        assert_eq!(refused("A-B=1"), ("dotenv-name", Some(1)));
        assert_eq!(refused("1A=1"), ("dotenv-name", Some(1)));
        assert_eq!(refused("=1"), ("dotenv-name", Some(1)));
    }

    #[test]
    fn a_quote_that_is_never_closed_is_refused_at_its_line() {
        assert_eq!(refused("A=1\nB=\"x\nC=2\n"), ("dotenv-quote", Some(2)));
        assert_eq!(refused("B='x"), ("dotenv-quote", Some(1)));
        assert_eq!(refused("B=\"x\\"), ("dotenv-quote", Some(1)));
    }

    #[test]
    fn text_after_a_closing_quote_is_refused() {
        assert_eq!(refused("A='x'y"), ("dotenv-after-quote", Some(1)));
    }

    #[test]
    fn an_unknown_escape_is_refused() {
        assert_eq!(refused(r#"A="\q""#), ("dotenv-escape", Some(1)));
    }

    #[test]
    fn a_name_assigned_twice_is_refused_with_both_lines() {
        let d = parse(".env", b"A=1\nB=2\nA=3\n").unwrap_err();
        assert_eq!((d.code(), d.line()), ("dotenv-twice", Some(3)));
        assert_eq!(d.arg_value("first"), Some("1"));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused_at_their_line() {
        assert_eq!(refused(b"A=1\nB=\xff\n"), ("dotenv-not-utf8", Some(2)));
    }

    #[test]
    fn a_nul_in_a_value_is_refused() {
        assert_eq!(refused("A=x\0y"), ("dotenv-nul", Some(1)));
    }

    #[test]
    fn sizes_are_capped() {
        assert_eq!(refused(vec![b'#'; MOST_BYTES + 1]), ("dotenv-too-large", None));
        let long = format!("A={}", "x".repeat(MOST_VALUE_BYTES + 1));
        assert_eq!(refused(long), ("dotenv-value-too-long", Some(1)));
        let many: String = (0..=MOST_ENTRIES).map(|i| format!("A{i}=1\n")).collect();
        assert_eq!(refused(many), ("dotenv-too-many", Some(1001)));
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_values_or_one_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(".env", &bytes);
        }

        #[test]
        fn any_line_of_its_own_alphabet_ends(text in "[A-C =\\\\'\"#\\n$exprot]{0,60}") {
            let _ = parse(".env", text.as_bytes());
        }

        #[test]
        fn a_quoted_value_comes_back(value in "[^'\0]{0,40}") {
            let text = format!("A='{value}'\nB=1");
            let found = parse(".env", text.as_bytes()).unwrap();
            prop_assert_eq!(&found[0].value, &value);
            prop_assert_eq!(&found[1].value, "1");
        }
    }
}
