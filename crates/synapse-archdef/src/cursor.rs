//! A place in the text of a line.

use synapse_diag::{Diagnostic, Entry, catalog::archdef as row};

/// A piece of a line with the place it comes from, read from left to right.
#[derive(Clone)]
pub struct Cursor<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `text`, which begins in this line and column (both from 1).
    pub fn new(text: &'a str, line: u32, column: u32) -> Cursor<'a> {
        Cursor { rest: text, line, column }
    }

    /// What is left.
    pub fn rest(&self) -> &'a str {
        self.rest
    }

    /// Line, counted from 1.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Column of the next character, counted in characters from 1.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Passes over the characters that `keep` holds for, and gives them.
    pub fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !keep(c)).unwrap_or(self.rest.len());
        let taken = self.rest.get(..end).unwrap_or(self.rest);
        self.advance(end);
        taken
    }

    /// Passes over so many bytes; over all that is left if a character would be cut.
    pub fn advance(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.column = self.column.saturating_add(count(passed));
    }

    /// Passes over blanks.
    pub fn skip_blanks(&mut self) {
        self.take_while(is_blank);
    }

    /// Passes over blanks and then `c`, if it is next.
    pub fn eat(&mut self, c: char) -> bool {
        self.skip_blanks();
        let Some(rest) = self.rest.strip_prefix(c) else { return false };
        self.rest = rest;
        self.column = self.column.saturating_add(1);
        true
    }

    /// Passes over blanks and then `c`, which must be next; `expected` is how messages name it.
    pub fn expect(&mut self, c: char, expected: &str) -> Result<(), Diagnostic> {
        if self.eat(c) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Passes over blanks; nothing else may be left.
    pub fn expect_end(&mut self) -> Result<(), Diagnostic> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return Ok(());
        }
        Err(self.finding(&row::TRAILING).arg("found", self.found()))
    }

    /// A finding at this place.
    pub fn finding(&self, entry: &'static Entry) -> Diagnostic {
        Diagnostic::new(entry).at_line(self.line).at_column(self.column)
    }

    /// The finding that something other than `expected` is next.
    pub fn unexpected(&self, expected: &str) -> Diagnostic {
        let mut here = self.clone();
        here.skip_blanks();
        match here.rest.is_empty() {
            true => here.finding(&row::LINE_ENDS).arg("expected", expected),
            false => {
                here.finding(&row::UNEXPECTED).arg("expected", expected).arg("found", here.found())
            }
        }
    }

    /// The word or the character that is next, for messages.
    fn found(&self) -> &'a str {
        let word = self.clone().take_while(is_word);
        match self.rest.chars().next() {
            Some(c) if word.is_empty() => self.rest.get(..c.len_utf8()).unwrap_or(self.rest),
            _ => word,
        }
    }
}

/// The length of a text in characters; lines are capped, so it fits.
pub fn count(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}

/// Whether a character separates words.
pub fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

/// Whether a character belongs to a register, a key or a number.
pub fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}
