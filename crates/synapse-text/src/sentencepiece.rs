//! Byte-pair encoding over characters, as SentencePiece vocabularies have it: pairs are joined by
//! the score of what they become, or by a list of merges.
//!
//! Spaces are written as U+2581. What the vocabulary cannot spell comes as bytes, `<0xXX>`.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::byte_level::Merges;
use crate::merge::{Chain, Join, NONE};
use crate::vocabulary::{Vocabulary, attribute};

/// U+2581, which such vocabularies write for a space.
pub const SPACE: &str = "\u{2581}";

/// Which pair joins next.
pub enum Order {
    /// The one whose joined text is the token with the best score. Rank of each token's score:
    /// equal scores share a rank, the highest has rank 0.
    Scores(Vec<u32>),
    /// The first of a list of merges. Runs of line ends are cut from what is between them, and a
    /// run that is a token is that token.
    Merges(Merges),
}

/// The algorithm with its tables.
pub struct SentencePiece {
    /// How pairs join.
    pub order: Order,
    /// The token of each byte, [`NONE`] where there is none.
    pub byte_ids: Vec<u32>,
    /// Stands for what cannot be spelled.
    pub unknown: Option<u32>,
    /// Characters that some token has before a U+2581, ascending. After any other character a
    /// U+2581 begins a word of its own: no token reaches over that place, so no join does.
    pub joined_to_space: Vec<char>,
}

/// Words that one call remembers, and the longest one worth it, in bytes.
const CACHED_WORDS: usize = 1 << 16;
const CACHED_LENGTH: usize = 48;

/// Working memory of one call.
#[derive(Default)]
struct Scratch<'t> {
    chain: Chain,
    /// Word to its place in `ids`.
    cache: HashMap<&'t str, (u32, u32), RandomState>,
    ids: Vec<u32>,
}

impl SentencePiece {
    /// The algorithm for a vocabulary.
    pub fn new(v: &Vocabulary, order: Order, unknown: Option<u32>) -> SentencePiece {
        let joined_to_space = joined_to_space(v);
        SentencePiece { order, byte_ids: byte_ids(v), unknown, joined_to_space }
    }

    /// Appends the ids of a text in which spaces are already written as U+2581.
    pub fn encode(&self, v: &Vocabulary, text: &str, out: &mut Vec<u32>) {
        let mut scratch = Scratch::default();
        match &self.order {
            Order::Scores(_) => self.words(v, text, &mut scratch, out),
            Order::Merges(_) => {
                for run in line_runs(text) {
                    match v.token(run.as_bytes()).filter(|_| run.starts_with('\n')) {
                        Some(id) => out.push(id),
                        None => self.words(v, run, &mut scratch, out),
                    }
                }
            }
        }
    }

    fn words<'t>(&self, v: &Vocabulary, text: &'t str, s: &mut Scratch<'t>, out: &mut Vec<u32>) {
        let mut rest = text;
        while !rest.is_empty() {
            let (word, after) = rest.split_at(self.word_end(rest));
            rest = after;
            if let Some(&(from, to)) = s.cache.get(word) {
                let ids = s.ids.get(from as usize..to as usize);
                out.extend_from_slice(ids.unwrap_or_default());
                continue;
            }
            let start = out.len();
            self.word(v, word, &mut s.chain, out);
            if word.len() <= CACHED_LENGTH && s.cache.len() < CACHED_WORDS {
                let from = s.ids.len() as u32;
                s.ids.extend_from_slice(out.get(start..).unwrap_or_default());
                s.cache.insert(word, (from, s.ids.len() as u32));
            }
        }
    }

    /// Where the first word of a text ends: before a U+2581 that nothing reaches over.
    fn word_end(&self, text: &str) -> usize {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|t| t.find(SPACE)) {
            let at = from + at;
            if let Some(before) = text.get(..at).and_then(|t| t.chars().next_back())
                && before != '\u{2581}'
                && self.joined_to_space.binary_search(&before).is_err()
            {
                return at;
            }
            from = at + SPACE.len();
        }
        text.len()
    }

    fn word(&self, v: &Vocabulary, word: &str, chain: &mut Chain, out: &mut Vec<u32>) {
        let bytes = word.as_bytes();
        chain.clear();
        for (at, c) in word.char_indices() {
            let slice = bytes.get(at..at + c.len_utf8()).unwrap_or_default();
            chain.push(v.piece(slice).unwrap_or(NONE), c.len_utf8() as u32);
        }
        match &self.order {
            Order::Scores(ranks) => chain.join(|l, r| {
                let (from, len) = (l.start as usize, (l.len + r.len) as usize);
                // A text longer than any token need not be looked up.
                let text = bytes.get(from..from + len).filter(|_| len <= v.longest())?;
                let piece = v.token(text)?;
                Some(Join { priority: ranks.get(piece as usize).copied()?, piece })
            }),
            Order::Merges(merges) => chain.join(|l, r| merges.find(l.piece, r.piece)),
        }
        for symbol in chain.symbols() {
            if v.is_token(symbol.piece) {
                out.push(symbol.piece);
                continue;
            }
            let from = symbol.start as usize;
            for &byte in bytes.get(from..from + symbol.len as usize).unwrap_or_default() {
                match self.byte_ids.get(usize::from(byte)) {
                    Some(&id) if id != NONE => out.push(id),
                    _ => out.extend(self.unknown),
                }
            }
        }
    }
}

/// Ranks of scores for [`Order::Scores`]. Only the order of scores counts.
pub fn ranks(scores: &[f32]) -> Vec<u32> {
    // Adding 0 makes the two zeros one.
    let mut order: Vec<(f32, u32)> =
        scores.iter().enumerate().map(|(id, &score)| (score + 0.0, id as u32)).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let mut ranks = vec![0; scores.len()];
    let (mut rank, mut last) = (0, None);
    for (n, &(score, id)) in order.iter().enumerate() {
        if last != Some(score) {
            (rank, last) = (n as u32, Some(score));
        }
        if let Some(place) = ranks.get_mut(id as usize) {
            *place = rank;
        }
    }
    ranks
}

/// The tokens `<0x00>` … `<0xFF>`; where one is missing, the token that is the byte itself.
fn byte_ids(v: &Vocabulary) -> Vec<u32> {
    (0..=255u8)
        .map(|byte| {
            let spelled = format!("<0x{byte:02X}>");
            v.token(spelled.as_bytes()).or_else(|| v.token(&[byte])).unwrap_or(NONE)
        })
        .collect()
}

/// The characters before a U+2581 in tokens and merge pieces, without U+2581 itself.
fn joined_to_space(v: &Vocabulary) -> Vec<char> {
    let mut found = Vec::new();
    for piece in 0..v.pieces() as u32 {
        let text = v.text(piece);
        // Most texts have no U+2581 but at their beginning, where nothing is before it.
        let Some(tail) = text.get(1..).filter(|t| t.contains(&SPACE.as_bytes()[0])) else {
            continue;
        };
        if !tail.windows(SPACE.len()).any(|w| w == SPACE.as_bytes()) {
            continue;
        }
        let mut before = None;
        for c in String::from_utf8_lossy(text).chars() {
            if c == '\u{2581}' && before.is_some_and(|b| b != c && !found.contains(&b)) {
                found.extend(before);
            }
            before = Some(c);
        }
    }
    found.sort_unstable();
    found
}

/// Runs of line ends and what is between them: `[^\n]+|\n+`.
fn line_runs(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let ends = rest.starts_with('\n');
        let len = rest.find(|c| (c == '\n') != ends).unwrap_or(rest.len());
        let (run, after) = rest.split_at(len);
        rest = after;
        (!run.is_empty()).then_some(run)
    })
}

/// A token's bytes: U+2581 becomes a space, `<0xXX>` its byte.
pub fn push_bytes_of(text: &[u8], attributes: u16, out: &mut Vec<u8>) {
    if attributes & attribute::BYTE != 0
        && let Some(byte) = byte_of(text)
    {
        out.push(byte);
        return;
    }
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        match rest.strip_prefix(SPACE.as_bytes()) {
            Some(after) => {
                out.push(b' ');
                rest = after;
            }
            None => {
                out.push(first);
                rest = tail;
            }
        }
    }
}

/// The byte that `<0xXX>` names.
fn byte_of(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"<0x")?.strip_suffix(b">")?;
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_share_a_rank() {
        assert_eq!(ranks(&[-1.0, 2.0, 0.0, -0.0, 2.0]), [4, 0, 2, 2, 0]);
    }

    #[test]
    fn words_are_cut_where_no_token_reaches_over() {
        let mut v = Vocabulary::with_capacity(4, 0);
        for text in ["a", "\u{2581}a", ">\u{2581}", "\u{2581}\u{2581}"] {
            v.push(text.as_bytes(), attribute::NORMAL).unwrap();
        }
        let sp = SentencePiece::new(&v, Order::Scores(vec![0; 4]), None);
        assert_eq!(sp.joined_to_space, ['>']);
        let text = "\u{2581}a\u{2581}\u{2581}b>\u{2581}c";
        assert_eq!(text.get(..sp.word_end(text)), Some("\u{2581}a"));
        let rest = text.strip_prefix("\u{2581}a").unwrap();
        assert_eq!(sp.word_end(rest), rest.len());
    }

    #[test]
    fn runs_of_line_ends_stand_alone() {
        assert_eq!(line_runs("\n\na\nb").collect::<Vec<_>>(), ["\n\n", "a", "\n", "b"]);
    }
}
