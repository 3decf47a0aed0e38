//! Decoding token by token into whole characters.

use crate::Tokenizer;

/// Turns ids into text piece by piece; a piece holds only whole characters.
pub struct StreamDecoder<'a> {
    tokenizer: &'a Tokenizer,
    show_special: bool,
    pending: Vec<u8>,
}

impl<'a> StreamDecoder<'a> {
    pub(crate) fn new(tokenizer: &'a Tokenizer, show_special: bool) -> StreamDecoder<'a> {
        StreamDecoder { tokenizer, show_special, pending: Vec::new() }
    }

    /// Takes the next id and returns the characters that it completes. Bytes that can no longer
    /// become a character come as U+FFFD; an id outside of the vocabulary yields nothing.
    pub fn push(&mut self, id: u32) -> String {
        if self.show_special || !self.tokenizer.is_special(id) {
            self.pending.extend_from_slice(self.tokenizer.token_bytes(id).unwrap_or_default());
        }
        // What is incomplete, not wrong, may wait: at most three bytes.
        let whole = match self.pending.utf8_chunks().last() {
            Some(last) if is_incomplete(last.invalid()) => {
                self.pending.len() - last.invalid().len()
            }
            _ => self.pending.len(),
        };
        let rest = self.pending.split_off(whole);
        let done = std::mem::replace(&mut self.pending, rest);
        String::from_utf8_lossy(&done).into_owned()
    }

    /// The end of the text: bytes that make no whole character come as U+FFFD.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}

/// Whether bytes that are not UTF-8 are the beginning of a character.
fn is_incomplete(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|e| e.error_len().is_none())
}
