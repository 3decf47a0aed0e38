//! Token texts, what each token is, and the index from text to id.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Many byte strings in one buffer.
#[derive(Default)]
pub struct ByteStrings {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl ByteStrings {
    /// Room for `count` strings of `bytes` bytes in all.
    pub fn with_capacity(count: usize, bytes: usize) -> ByteStrings {
        ByteStrings { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(count) }
    }

    /// String `index`; empty past the end.
    pub fn get(&self, index: u32) -> &[u8] {
        self.find(index).unwrap_or_default()
    }

    /// String `index`; `None` past the end.
    pub fn find(&self, index: u32) -> Option<&[u8]> {
        let index = index as usize;
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.bytes.get(start..end)
    }

    /// Count of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Appends a string and returns its number; `None` where the buffer would pass 4 GiB.
    pub fn push(&mut self, string: &[u8]) -> Option<u32> {
        self.push_with(|bytes| bytes.extend_from_slice(string))
    }

    /// Appends what `write` appends to the buffer.
    pub fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Option<u32> {
        let start = self.bytes.len();
        write(&mut self.bytes);
        match (u32::try_from(self.bytes.len()), u32::try_from(self.ends.len())) {
            (Ok(end), Ok(number)) => {
                self.ends.push(end);
                Some(number)
            }
            _ => {
                self.bytes.truncate(start);
                None
            }
        }
    }
}

/// What a token is, as bits: a token can be several things at once (a user-defined token that
/// also ends a turn). The numbers have no meaning outside of this crate.
pub mod attribute {
    /// Stands for what the vocabulary cannot spell.
    pub const UNKNOWN: u16 = 1;
    /// Padding; decodes to nothing.
    pub const UNUSED: u16 = 1 << 1;
    /// Ordinary text.
    pub const NORMAL: u16 = 1 << 2;
    /// Structure: parsed only on request, hidden unless asked for.
    pub const CONTROL: u16 = 1 << 3;
    /// Always one token, wherever its text stands.
    pub const USER_DEFINED: u16 = 1 << 4;
    /// One byte, `<0xXX>`.
    pub const BYTE: u16 = 1 << 5;
    /// White space before it belongs to it.
    pub const STRIP_LEFT: u16 = 1 << 6;
    /// White space after it belongs to it.
    pub const STRIP_RIGHT: u16 = 1 << 7;
}

/// The tokens of a model.
pub struct Vocabulary {
    /// Text of each token as the file spells it; after the tokens come merge pieces that are no
    /// tokens (see [`Vocabulary::intern`]).
    texts: ByteStrings,
    /// Bits of [`attribute`], one entry a token.
    pub attributes: Vec<u16>,
    index: HashTable<u32>,
    hasher: RandomState,
    longest: usize,
}

impl Vocabulary {
    /// An empty vocabulary with room for `count` tokens.
    pub fn with_capacity(count: usize, bytes: usize) -> Vocabulary {
        Vocabulary {
            texts: ByteStrings::with_capacity(count, bytes),
            attributes: Vec::with_capacity(count),
            index: HashTable::with_capacity(count),
            hasher: RandomState::default(),
            longest: 0,
        }
    }

    /// Appends a token. Where the text is there already, the new token takes it over and the id
    /// that had it is returned. An empty text is never found. `Err` past 4 GiB.
    pub fn push(&mut self, text: &[u8], attributes: u16) -> Result<Option<u32>, ()> {
        let id = self.texts.push(text).ok_or(())?;
        self.attributes.push(attributes);
        self.longest = self.longest.max(text.len());
        if text.is_empty() {
            return Ok(None);
        }
        let Vocabulary { texts, index, hasher, .. } = self;
        let hash = hasher.hash_one(text);
        if let Some(found) = index.find_mut(hash, |&i| texts.get(i) == text) {
            return Ok(Some(std::mem::replace(found, id)));
        }
        index.insert_unique(hash, id, |&i| hasher.hash_one(texts.get(i)));
        Ok(None)
    }

    /// The number of a merge piece: the token with this text, or a number past the tokens for a
    /// piece that is no token. No token may be pushed afterwards. `None` past 4 GiB.
    pub fn intern(&mut self, text: &[u8]) -> Option<u32> {
        let Vocabulary { texts, index, hasher, .. } = self;
        let hash = hasher.hash_one(text);
        if let Some(&found) = index.find(hash, |&i| texts.get(i) == text) {
            return Some(found);
        }
        let number = texts.push(text)?;
        index.insert_unique(hash, number, |&i| hasher.hash_one(texts.get(i)));
        Some(number)
    }

    /// The token or merge piece with this text.
    pub fn piece(&self, text: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.index.find(hash, |&i| self.texts.get(i) == text).copied()
    }

    /// The token with this text.
    pub fn token(&self, text: &[u8]) -> Option<u32> {
        self.piece(text).filter(|&i| self.is_token(i))
    }

    /// Whether a piece number is a token id.
    pub fn is_token(&self, piece: u32) -> bool {
        (piece as usize) < self.attributes.len()
    }

    /// Text of a token or merge piece.
    pub fn text(&self, piece: u32) -> &[u8] {
        self.texts.get(piece)
    }

    /// Count of tokens.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Count of tokens and of merge pieces that are none.
    pub fn pieces(&self) -> usize {
        self.texts.len()
    }

    /// Length in bytes of the longest token text.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Bits of [`attribute`]; 0 past the end.
    pub fn attributes(&self, id: u32) -> u16 {
        self.attributes.get(id as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_of_two_equal_texts_is_found() {
        let mut v = Vocabulary::with_capacity(3, 0);
        assert_eq!(v.push(b"a", attribute::NORMAL), Ok(None));
        assert_eq!(v.push(b"", attribute::NORMAL), Ok(None));
        assert_eq!(v.push(b"a", attribute::NORMAL), Ok(Some(0)));
        assert_eq!(v.token(b"a"), Some(2));
        assert_eq!(v.token(b""), None);
        assert_eq!(v.text(0), b"a");
    }

    #[test]
    fn a_merge_piece_that_is_no_token_has_a_number_but_no_id() {
        let mut v = Vocabulary::with_capacity(1, 0);
        v.push(b"a", attribute::NORMAL).unwrap();
        let piece = v.intern(b"ab").unwrap();
        assert_eq!(piece, 1);
        assert_eq!(v.intern(b"ab"), Some(1));
        assert_eq!(v.token(b"ab"), None);
        assert!(!v.is_token(piece));
    }
}
