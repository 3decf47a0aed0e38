//! The header lines: `arch`, `kind`, `param`, `ignore`, `refuse`.

use crate::ast::{Ignore, Kind, Param, Refusal};
use crate::cursor::{Cursor, is_blank, is_word};
use crate::expr;
use crate::limits;
use crate::nearest::nearest;
use crate::params::PARAMS;
use crate::step::check_tensor_name;
use synapse_diag::{Diagnostic, catalog::archdef as row};

/// The words that begin a header line.
pub const HEADERS: &[&str] = &["arch", "kind", "param", "ignore", "refuse"];

/// What the header lines say so far.
#[derive(Default)]
pub struct Header {
    /// The name that `arch` declares.
    pub name: Option<String>,
    /// What `kind` declares.
    pub kind: Option<Kind>,
    /// `param` lines.
    pub params: Vec<Param>,
    /// `ignore` lines.
    pub ignores: Vec<Ignore>,
    /// `refuse` lines.
    pub refusals: Vec<Refusal>,
    /// Each header that stands in the file, right or wrong, with its line: `arch`, `kind`,
    /// `param NAME`, `ignore NAME`,
    /// `refuse KEY NUMBER`.
    seen: Vec<(String, u32)>,
}

impl Header {
    /// Reads the header line `word …`; `at` stands behind the word.
    pub fn read(
        &mut self,
        word: &str,
        at: Cursor<'_>,
        file_stem: Option<&str>,
    ) -> Option<Diagnostic> {
        let read = match word {
            "arch" => self.arch(at, file_stem),
            "kind" => self.kind(at),
            "param" => self.param(at),
            "ignore" => self.ignore(at),
            _ => self.refuse(at),
        };
        read.err()
    }

    /// Notes that a header line was meant, so that it is not reported as missing too.
    pub fn note(&mut self, what: &str, line: u32) {
        self.seen.push((what.to_owned(), line));
    }

    /// The findings that a necessary header line is missing.
    pub fn missing(&self) -> Vec<Diagnostic> {
        let needed = [("arch", "arch NAME"), ("kind", "kind decoder")];
        needed
            .into_iter()
            .filter(|(word, _)| !self.seen.iter().any(|(s, _)| s == word))
            .map(|(_, form)| Diagnostic::new(&row::MISSING_HEADER).arg("form", form).at_line(1))
            .collect()
    }

    /// Refuses the second line that says the same.
    fn once(&mut self, what: &str, at: &Cursor<'_>) -> Result<(), Diagnostic> {
        if let Some((_, first)) = self.seen.iter().find(|(s, _)| s == what) {
            return Err(at.finding(&row::DUPLICATE_HEADER).arg("name", what).arg("first", first));
        }
        self.note(what, at.line());
        Ok(())
    }

    fn arch(&mut self, mut at: Cursor<'_>, file_stem: Option<&str>) -> Result<(), Diagnostic> {
        self.once("arch", &at)?;
        let (place, name) = word(&mut at, "NAME")?;
        at.expect_end()?;
        if !is_arch_name(name) {
            return Err(place
                .finding(&row::BAD_NAME)
                .arg("name", name)
                .arg("limit", limits::ARCH_NAME.most));
        }
        self.name = Some(name.to_owned());
        match file_stem {
            Some(stem) if stem != name => {
                Err(place.finding(&row::NAME_MISMATCH).arg("expected", stem).arg("name", name))
            }
            _ => Ok(()),
        }
    }

    fn kind(&mut self, mut at: Cursor<'_>) -> Result<(), Diagnostic> {
        self.once("kind", &at)?;
        let (place, name) = word(&mut at, "KIND")?;
        at.expect_end()?;
        let kinds = [Kind::Decoder, Kind::Embedding];
        self.kind = kinds.into_iter().find(|k| k.name() == name);
        if self.kind.is_none() {
            let near = nearest(name, kinds.map(Kind::name));
            return Err(place.finding(&row::UNKNOWN_KIND).arg("name", name).suggest(near));
        }
        Ok(())
    }

    fn param(&mut self, mut at: Cursor<'_>) -> Result<(), Diagnostic> {
        let (place, name) = word(&mut at, "NAME")?;
        let Some(known) = PARAMS.iter().find(|p| p.name == name) else {
            let names: Vec<&str> = PARAMS.iter().map(|p| p.name).collect();
            return Err(place
                .finding(&row::UNKNOWN_PARAM)
                .arg("name", name)
                .arg("known", names.join(", "))
                .suggest(nearest(name, names)));
        };
        self.once(&format!("param {name}"), &place)?;
        at.skip_blanks();
        let value_at = at.clone();
        let value = number(&mut at)?;
        at.expect_end()?;
        let (least, greatest) = known.whole;
        if value.fract() != 0.0 || value < f64::from(least) || value > f64::from(greatest) {
            return Err(value_at
                .finding(&row::PARAM_VALUE)
                .arg("name", name)
                .arg("value", value_at.rest())
                .arg("least", least)
                .arg("greatest", greatest));
        }
        self.params.push(Param { name: name.to_owned(), value, line: place.line() });
        Ok(())
    }

    fn ignore(&mut self, mut at: Cursor<'_>) -> Result<(), Diagnostic> {
        let (place, what) = word(&mut at, "NAME")?;
        if what.contains('"') {
            return Err(place.unexpected("NAME"));
        }
        check_tensor_name(&place, what)?;
        let line = format!("ignore {what}");
        self.once(&line, &place)?;
        let reason = reason(&mut at, &place, &line)?;
        self.ignores.push(Ignore { what: what.to_owned(), reason, line: place.line() });
        Ok(())
    }

    fn refuse(&mut self, mut at: Cursor<'_>) -> Result<(), Diagnostic> {
        let (place, key) = word(&mut at, "KEY")?;
        if !key.chars().all(is_word) || !expr::is_key(key) {
            return Err(place.unexpected("KEY"));
        }
        at.skip_blanks();
        let value = number(&mut at)?;
        let line = format!("refuse {key} {value}");
        self.once(&line, &place)?;
        let reason = reason(&mut at, &place, &line)?;
        self.refusals.push(Refusal { key: key.to_owned(), value, reason, line: place.line() });
        Ok(())
    }
}

/// A literal with its sign.
fn number(at: &mut Cursor<'_>) -> Result<f64, Diagnostic> {
    let negative = at.eat('-');
    if !at.peek().is_some_and(|c| c.is_ascii_digit()) {
        return Err(at.unexpected("NUMBER"));
    }
    let size = expr::literal(at)?;
    Ok(if negative { -size } else { size })
}

/// The text between quotes that ends a line and says why it stands there.
fn reason(at: &mut Cursor<'_>, place: &Cursor<'_>, line: &str) -> Result<String, Diagnostic> {
    at.expect('"', "\"REASON\"")?;
    let reason = at.take_while(|c| c != '"').trim();
    at.expect('"', "\"")?;
    at.expect_end()?;
    if reason.is_empty() {
        return Err(place.finding(&row::EMPTY_REASON).arg("line", line));
    }
    Ok(reason.to_owned())
}

/// The next word up to a blank, and the place where it stands.
fn word<'a>(at: &mut Cursor<'a>, expected: &str) -> Result<(Cursor<'a>, &'a str), Diagnostic> {
    at.skip_blanks();
    let place = at.clone();
    let word = at.take_while(|c| !is_blank(c));
    if word.is_empty() { Err(at.unexpected(expected)) } else { Ok((place, word)) }
}

/// Whether a word can name an architecture. Lower case only: the name is a file's name too, and
/// some file systems do not tell case apart.
pub fn is_arch_name(name: &str) -> bool {
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    name.starts_with(small)
        && name.len() <= limits::ARCH_NAME.most
        && name.chars().all(|c| small(c) || "_-.".contains(c))
}
