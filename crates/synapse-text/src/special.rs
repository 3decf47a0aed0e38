//! Special tokens in a text: finds them and cuts the text around them.

use crate::vocabulary::{Vocabulary, attribute};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// Ordinary text, never empty.
    Text(&'t str),
    /// A special token that the text spells.
    Token(u32),
}

/// Which tokens are special, found by their first byte and length.
pub struct Specials {
    /// By first byte: the lengths in bytes that special tokens with it have, longest first.
    lengths: Vec<Vec<usize>>,
}

const SPECIAL: u16 = attribute::CONTROL | attribute::USER_DEFINED | attribute::UNKNOWN;

impl Specials {
    pub fn new(vocabulary: &Vocabulary) -> Specials {
        let mut lengths = vec![Vec::new(); 256];
        for id in 0..vocabulary.len() as u32 {
            let text = vocabulary.text(id);
            if vocabulary.attributes(id) & SPECIAL == 0 {
                continue;
            }
            if let Some(of_byte) = text.first().and_then(|&b| lengths.get_mut(usize::from(b)))
                && !of_byte.contains(&text.len())
            {
                of_byte.push(text.len());
            }
        }
        lengths.iter_mut().for_each(|l| l.sort_unstable_by(|a, b| b.cmp(a)));
        Specials { lengths }
    }

    /// Cuts `text`. The longest special tokens are cut out first, wherever they stand, then the
    /// next shorter ones from what is left; equal ones from the left. User-defined tokens always
    /// count, control and unknown ones with `parse_special`.
    pub fn cut<'t>(
        &self,
        vocabulary: &Vocabulary,
        text: &'t str,
        parse_special: bool,
        emit: &mut dyn FnMut(Part<'t>),
    ) {
        let mut found = self.occurrences(vocabulary, text, parse_special);
        if found.is_empty() {
            if !text.is_empty() {
                emit(Part::Text(text));
            }
            return;
        }
        // Longest first; of one length by token, then from the left.
        found.sort_unstable_by_key(|&(at, len, id)| (std::cmp::Reverse(len), id, at));
        let mut taken = vec![false; text.len()];
        let mut cuts = Vec::new();
        for (at, len, id) in found {
            let Some(range) = taken.get_mut(at..at + len) else { continue };
            if range.contains(&true) {
                continue;
            }
            range.fill(true);
            let (from, to) = strip(text, &mut taken, at, len, vocabulary.attributes(id));
            cuts.push((from, to, id));
        }
        cuts.sort_unstable();
        let mut start = 0;
        for (from, to, id) in cuts {
            if let Some(between) = text.get(start..from).filter(|t| !t.is_empty()) {
                emit(Part::Text(between));
            }
            emit(Part::Token(id));
            start = to;
        }
        if let Some(rest) = text.get(start..).filter(|t| !t.is_empty()) {
            emit(Part::Text(rest));
        }
    }

    /// Every place where a special token's text stands: position, length, id.
    fn occurrences(
        &self,
        vocabulary: &Vocabulary,
        text: &str,
        parse_special: bool,
    ) -> Vec<(usize, usize, u32)> {
        let wanted = match parse_special {
            true => SPECIAL,
            false => attribute::USER_DEFINED,
        };
        let hidden = match parse_special {
            true => 0,
            false => attribute::CONTROL | attribute::UNKNOWN,
        };
        let bytes = text.as_bytes();
        let mut found = Vec::new();
        for (at, &byte) in bytes.iter().enumerate() {
            let Some(lengths) = self.lengths.get(usize::from(byte)) else { continue };
            for &len in lengths {
                let Some(slice) = bytes.get(at..at + len) else { continue };
                let Some(id) = vocabulary.token(slice) else { continue };
                let attributes = vocabulary.attributes(id);
                if attributes & wanted != 0 && attributes & hidden == 0 {
                    found.push((at, len, id));
                }
            }
        }
        found
    }
}

/// White space that belongs to a token at its sides is taken with it.
fn strip(text: &str, taken: &mut [bool], at: usize, len: usize, attributes: u16) -> (usize, usize) {
    let (mut from, mut to) = (at, at + len);
    if attributes & attribute::STRIP_LEFT != 0 {
        while let Some(c) = text.get(..from).and_then(|t| t.chars().next_back()) {
            let before = from - c.len_utf8();
            if !c.is_ascii_whitespace() || taken.get(before) != Some(&false) {
                break;
            }
            taken[before..from].fill(true);
            from = before;
        }
    }
    if attributes & attribute::STRIP_RIGHT != 0 {
        while let Some(c) = text.get(to..).and_then(|t| t.chars().next()) {
            let after = to + c.len_utf8();
            if !c.is_ascii_whitespace() || taken.get(to) != Some(&false) {
                break;
            }
            taken[to..after].fill(true);
            to = after;
        }
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, parse_special: bool) -> Vec<String> {
        let mut v = Vocabulary::with_capacity(8, 0);
        v.push(b"<s>", attribute::CONTROL).unwrap();
        v.push(b"<s>>", attribute::USER_DEFINED).unwrap();
        v.push(b"ab", attribute::USER_DEFINED).unwrap();
        v.push(b"bcd", attribute::USER_DEFINED | attribute::STRIP_RIGHT).unwrap();
        let specials = Specials::new(&v);
        let mut out = Vec::new();
        specials.cut(&v, text, parse_special, &mut |p| {
            out.push(match p {
                Part::Text(t) => t.to_owned(),
                Part::Token(id) => format!("#{id}"),
            })
        });
        out
    }

    #[test]
    fn control_tokens_are_parsed_on_request_only() {
        assert_eq!(parts("x<s>y", true), ["x", "#0", "y"]);
        assert_eq!(parts("x<s>y", false), ["x<s>y"]);
    }

    #[test]
    fn the_longest_token_wins_wherever_it_stands() {
        assert_eq!(parts("<s>>", true), ["#1"]);
        assert_eq!(parts("abcd", false), ["a", "#3"]);
        assert_eq!(parts("abab", false), ["#2", "#2"]);
    }

    #[test]
    fn white_space_that_belongs_to_a_token_goes_with_it() {
        assert_eq!(parts("bcd \n x", false), ["#3", "x"]);
    }

    #[test]
    fn a_million_special_tokens_are_no_trouble() {
        assert_eq!(parts(&"<s>".repeat(1 << 18), true).len(), 1 << 18);
    }
}
