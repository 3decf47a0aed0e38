//! Byte-level byte-pair encoding: words of a pre-tokenizer, merged by rank.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::byte_alphabet::push_spelled;
use crate::merge::{Chain, Join, NONE};
use crate::pretokenize::Rule;
use crate::vocabulary::Vocabulary;

/// Words that one call remembers, and the longest one worth it.
const CACHED_WORDS: usize = 1 << 16;
const CACHED_LENGTH: usize = 48;

/// A merge of two pieces.
#[derive(Clone, Copy)]
struct Merge {
    left: u32,
    right: u32,
    rank: u32,
    piece: u32,
}

/// Merges by their pair.
pub struct Merges {
    table: HashTable<Merge>,
    hasher: RandomState,
}

impl Merges {
    pub fn with_capacity(count: usize) -> Merges {
        Merges { table: HashTable::with_capacity(count), hasher: RandomState::default() }
    }

    /// Adds a merge; of two equal ones the first keeps its rank.
    pub fn push(&mut self, left: u32, right: u32, rank: u32, piece: u32) {
        let Merges { table, hasher } = self;
        let hash = hasher.hash_one((left, right));
        if table.find(hash, |m| (m.left, m.right) == (left, right)).is_none() {
            let entry = Merge { left, right, rank, piece };
            table.insert_unique(hash, entry, |m| hasher.hash_one((m.left, m.right)));
        }
    }

    /// The join of two pieces, where the list has it.
    pub fn find(&self, left: u32, right: u32) -> Option<Join> {
        let hash = self.hasher.hash_one((left, right));
        let merge = self.table.find(hash, |m| (m.left, m.right) == (left, right))?;
        Some(Join { priority: merge.rank, piece: merge.piece })
    }
}

/// The algorithm with its tables.
pub struct ByteLevel {
    pub rule: &'static Rule,
    pub merges: Merges,
    /// The piece that spells each byte.
    pub byte_pieces: Vec<u32>,
}

/// Working memory of one call.
#[derive(Default)]
pub struct Scratch {
    chain: Chain,
    spelled: Vec<u8>,
    cache: HashMap<Box<str>, (u32, u32), RandomState>,
    cached_ids: Vec<u32>,
}

impl ByteLevel {
    /// Appends the ids of a text without special tokens.
    pub fn encode(&self, v: &Vocabulary, text: &str, scratch: &mut Scratch, out: &mut Vec<u32>) {
        self.rule.words(text, &mut |word| {
            if let Some(&(from, to)) = scratch.cache.get(word) {
                let ids = scratch.cached_ids.get(from as usize..to as usize);
                out.extend_from_slice(ids.unwrap_or_default());
                return;
            }
            let start = out.len();
            self.word(v, word, scratch, out);
            if word.len() <= CACHED_LENGTH && scratch.cache.len() < CACHED_WORDS {
                let from = scratch.cached_ids.len() as u32;
                scratch.cached_ids.extend_from_slice(out.get(start..).unwrap_or_default());
                let to = scratch.cached_ids.len() as u32;
                scratch.cache.insert(word.into(), (from, to));
            }
        });
    }

    fn word(&self, v: &Vocabulary, word: &str, scratch: &mut Scratch, out: &mut Vec<u32>) {
        let Scratch { chain, spelled, .. } = scratch;
        spelled.clear();
        word.bytes().for_each(|byte| push_spelled(byte, spelled));
        if self.rule.whole_words_first
            && let Some(id) = v.token(spelled)
        {
            out.push(id);
            return;
        }
        chain.clear();
        for byte in word.bytes() {
            // Every spelled byte takes two bytes or one; only the order matters to the chain.
            let piece = self.byte_pieces.get(usize::from(byte)).copied().unwrap_or(NONE);
            chain.push(piece, 1);
        }
        chain.join(|l, r| match l.piece == NONE || r.piece == NONE {
            true => None,
            false => self.merges.find(l.piece, r.piece),
        });
        for symbol in chain.symbols() {
            if symbol.piece != NONE && v.is_token(symbol.piece) {
                out.push(symbol.piece);
                continue;
            }
            // A piece that is no token falls apart into its bytes; a byte that the vocabulary
            // cannot spell is left out.
            let (from, len) = (symbol.start as usize, symbol.len as usize);
            let bytes = word.as_bytes().get(from..from + len).unwrap_or_default();
            for &byte in bytes {
                let piece = self.byte_pieces.get(usize::from(byte)).copied().unwrap_or(NONE);
                if v.is_token(piece) {
                    out.push(piece);
                }
            }
        }
    }
}
