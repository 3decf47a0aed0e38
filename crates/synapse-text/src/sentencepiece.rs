//! SentencePiece-style byte-pair encoding: characters merged by the score of what they become.

use crate::merge::{Chain, Join, NONE};
use crate::vocabulary::{Vocabulary, attribute};

/// U+2581, which such vocabularies write for a space.
pub const SPACE: &str = "\u{2581}";

/// The algorithm with its tables.
pub struct SentencePiece {
    /// Rank of each token's score: equal scores share a rank, the highest score has rank 0.
    pub ranks: Vec<u32>,
    /// The token of each byte, [`NONE`] where there is none.
    pub byte_ids: Vec<u32>,
    /// Stands for what cannot be spelled.
    pub unknown: Option<u32>,
}

impl SentencePiece {
    /// Ranks of scores: merging prefers the higher score, whatever the numbers are.
    pub fn ranks(scores: &[f32]) -> Vec<u32> {
        let mut order: Vec<u32> = (0..scores.len() as u32).collect();
        let score = |i: u32| scores.get(i as usize).copied().unwrap_or(f32::NEG_INFINITY);
        order.sort_unstable_by(|&a, &b| score(b).total_cmp(&score(a)));
        let mut ranks = vec![0; scores.len()];
        let mut rank = 0;
        for (n, &id) in order.iter().enumerate() {
            if n > 0 && order.get(n - 1).is_some_and(|&before| score(before) != score(id)) {
                rank = n as u32;
            }
            if let Some(place) = ranks.get_mut(id as usize) {
                *place = rank;
            }
        }
        ranks
    }

    /// The tokens `<0x00>` … `<0xFF>`; where one is missing, the token that is the byte itself.
    pub fn byte_ids(v: &Vocabulary) -> Vec<u32> {
        (0..=255u8)
            .map(|byte| {
                let spelled = format!("<0x{byte:02X}>");
                v.token(spelled.as_bytes()).or_else(|| v.token(&[byte])).unwrap_or(NONE)
            })
            .collect()
    }

    /// Appends the ids of a text in which spaces are already written as U+2581.
    pub fn encode(&self, v: &Vocabulary, text: &str, chain: &mut Chain, out: &mut Vec<u32>) {
        let bytes = text.as_bytes();
        chain.clear();
        for (at, c) in text.char_indices() {
            let slice = bytes.get(at..at + c.len_utf8()).unwrap_or_default();
            chain.push(v.token(slice).unwrap_or(NONE), c.len_utf8() as u32);
        }
        chain.join(|l, r| {
            let from = l.start as usize;
            let piece = v.token(bytes.get(from..from + (l.len + r.len) as usize)?)?;
            Some(Join { priority: self.ranks.get(piece as usize).copied()?, piece })
        });
        for symbol in chain.symbols() {
            if symbol.piece != NONE {
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
