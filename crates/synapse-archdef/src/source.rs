//! From the bytes of a file to its lines: encoding, caps, comments.

use crate::cursor::{Cursor, count, is_blank};
use crate::limits;
use synapse_diag::{Diagnostic, catalog::archdef as row};

/// The text of a definition's bytes, or why it is none: too large, not UTF-8, a byte order mark.
pub fn text(bytes: &[u8]) -> Result<&str, Diagnostic> {
    if bytes.len() > limits::BYTES.most {
        return Err(Diagnostic::new(&row::TOO_MANY_BYTES)
            .arg("bytes", bytes.len())
            .arg("limit", limits::BYTES.most));
    }
    // Refused and not skipped: the file's hash names a definition, and the same text with a mark
    // would be another one.
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Diagnostic::new(&row::BYTE_ORDER_MARK).at_line(1));
    }
    std::str::from_utf8(bytes).map_err(|e| {
        let offset = e.valid_up_to();
        let lines = bytes.iter().take(offset).filter(|b| **b == b'\n').count();
        Diagnostic::new(&row::NOT_UTF8)
            .arg("offset", offset)
            .arg("byte", bytes.get(offset).map_or(String::new(), |b| format!("0x{b:02x}")))
            .at_line(u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1))
    })
}

/// The lines that say something, without comments and blanks around them; findings about the
/// others go to `findings`.
pub fn lines<'a>(text: &'a str, findings: &mut Vec<Diagnostic>) -> Vec<Cursor<'a>> {
    let mut out = Vec::new();
    for (number, whole) in (1u32..).zip(text.split('\n')) {
        let line = whole.strip_suffix('\r').unwrap_or(whole);
        let at = |entry| Diagnostic::new(entry).at_line(number);
        if number as usize > limits::LINES.most && !line.is_empty() {
            findings.push(at(&row::TOO_MANY_LINES).arg("limit", limits::LINES.most));
            break;
        }
        let said = without_comment(line);
        if line.len() > limits::LINE_BYTES.most {
            findings.push(
                at(&row::LINE_TOO_LONG)
                    .arg("bytes", line.len())
                    .arg("limit", limits::LINE_BYTES.most),
            );
        }
        if let Some(c) = line.chars().find(|c| hides_text(*c)) {
            let name = format!("U+{:04X}", u32::from(c));
            findings.push(at(&row::CONTROL_CHARACTER).arg("character", name));
        }
        // A fault in a comment leaves what the line says as it is; any other hides it.
        if said.len() > limits::LINE_BYTES.most || said.contains(hides_text) {
            continue;
        }
        let start = said.trim_start_matches(is_blank);
        if !start.is_empty() {
            let indent = count(&said[..said.len() - start.len()]);
            out.push(Cursor::new(start.trim_end_matches(is_blank), number, indent + 1));
        }
    }
    out
}

/// The part of a line before its comment. A `#` between quotes begins none.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => return &line[..at],
            _ => {}
        }
    }
    line
}

/// Control characters, and those that make a reader see another text than the parser: marks of
/// writing direction and of zero width.
fn hides_text(c: char) -> bool {
    let moves = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}');
    (c.is_control() && c != '\t') || moves
}
