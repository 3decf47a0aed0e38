//! The tokenizer of a model.

use std::collections::BTreeSet;

use synapse_diag::Diagnostic;
use synapse_format::Metadata;

use crate::StreamDecoder;

/// How [`Tokenizer::encode`] treats special tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EncodeOptions {
    /// Text that spells a control token becomes that token.
    pub parse_special: bool,
    /// Adds what the model itself asks for: BOS before, EOS after.
    pub add_special: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Ordinary text.
    Normal,
    /// Structure that text cannot spell: BOS, end of turn.
    Control,
    /// Text that is always one token.
    UserDefined,
    /// One byte, `<0xXX>`.
    Byte,
    /// Stands for what the vocabulary cannot spell.
    Unknown,
    /// Padding of the vocabulary.
    Unused,
}

/// A vocabulary and the algorithm that goes with it.
pub struct Tokenizer {
    end_ids: BTreeSet<u32>,
}

impl Tokenizer {
    /// Reads the tokenizer of a model; the second part are notices.
    pub fn from_metadata(_m: &Metadata) -> Result<(Tokenizer, Vec<Diagnostic>), Diagnostic> {
        Ok((Tokenizer { end_ids: BTreeSet::new() }, Vec::new()))
    }
    /// Text to ids.
    pub fn encode(&self, _text: &str, _options: EncodeOptions) -> Vec<u32> {
        Vec::new()
    }
    /// Ids to bytes; an id outside of the vocabulary is an error.
    pub fn decode(&self, _ids: &[u32], _show_special: bool) -> Result<Vec<u8>, Diagnostic> {
        Ok(Vec::new())
    }
    /// A decoder that takes one id at a time and continues a text.
    pub fn stream(&self, show_special: bool) -> StreamDecoder<'_> {
        StreamDecoder::new(self, show_special)
    }
    /// The ids that end a generation.
    pub fn end_ids(&self) -> &BTreeSet<u32> {
        &self.end_ids
    }
    /// Number of tokens.
    pub fn vocab_len(&self) -> usize {
        0
    }
    /// The token that begins a text.
    pub fn bos(&self) -> Option<u32> {
        None
    }
    /// The token that ends a text.
    pub fn eos(&self) -> Option<u32> {
        None
    }
    /// The bytes that an id decodes to (special tokens shown).
    pub fn token_bytes(&self, _id: u32) -> Option<&[u8]> {
        None
    }
    /// The text of a token as the model file spells it.
    pub fn token_text(&self, _id: u32) -> Option<String> {
        None
    }
    /// What a token is.
    pub fn kind(&self, _id: u32) -> Option<TokenKind> {
        None
    }
    /// `tokenizer.ggml.model`.
    pub fn model_name(&self) -> &str {
        ""
    }
    /// The pre-tokenizer's name, where the model has one.
    pub fn pre_name(&self) -> Option<&str> {
        None
    }
}
