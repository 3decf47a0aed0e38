//! The tokenizer of a model: text to ids and back.

use std::collections::BTreeSet;

use synapse_diag::{Diagnostic, catalog::text as rule};

use crate::StreamDecoder;
use crate::byte_alphabet;
use crate::byte_level::{ByteLevel, Scratch};
use crate::sentencepiece::{self, SPACE, SentencePiece};
use crate::special::{Part, Specials};
use crate::vocabulary::{ByteStrings, Vocabulary, attribute};

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

/// The algorithm of a vocabulary.
pub(crate) enum Algorithm {
    ByteLevel(ByteLevel),
    SentencePiece(SentencePiece),
}

/// A vocabulary and the algorithm that goes with it. Made by [`Tokenizer::from_metadata`].
pub struct Tokenizer {
    pub(crate) model: String,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) algorithm: Algorithm,
    pub(crate) specials: Specials,
    /// By id: the bytes that it decodes to.
    pub(crate) decoded: ByteStrings,
    pub(crate) bos: Option<u32>,
    pub(crate) eos: Option<u32>,
    pub(crate) add_bos: bool,
    pub(crate) add_eos: bool,
    /// A space is put before a text that begins, or that follows a special token.
    pub(crate) space_prefix: bool,
    pub(crate) end_ids: BTreeSet<u32>,
}

impl Tokenizer {
    /// Text (less than 4 GiB) to ids. The one place where BOS and EOS are added.
    pub fn encode(&self, text: &str, options: EncodeOptions) -> Vec<u32> {
        let mut out = Vec::with_capacity(text.len() / 4 + 2);
        if options.add_special && self.add_bos {
            out.extend(self.bos);
        }
        let mut scratch = Scratch::default();
        let mut begins = true;
        let v = &self.vocabulary;
        self.specials.cut(
            v,
            text,
            options.parse_special,
            &mut |part| match (part, &self.algorithm) {
                (Part::Token(id), _) => {
                    out.push(id);
                    begins = true;
                }
                (Part::Text(text), Algorithm::ByteLevel(bpe)) => {
                    bpe.encode(v, text, &mut scratch, &mut out);
                }
                (Part::Text(text), Algorithm::SentencePiece(sp)) => {
                    let prefix = if self.space_prefix && begins { SPACE } else { "" };
                    let spaced = format!("{prefix}{}", text.replace(' ', SPACE));
                    sp.encode(v, &spaced, &mut out);
                    begins = false;
                }
            },
        );
        if options.add_special && self.add_eos {
            out.extend(self.eos);
        }
        out
    }

    /// Ids to bytes. A control token's text is shown or skipped; the space that
    /// [`Tokenizer::encode`] puts before a text is taken off again.
    ///
    /// # Errors
    /// An id outside of the vocabulary.
    pub fn decode(&self, ids: &[u32], show_special: bool) -> Result<Vec<u8>, Diagnostic> {
        let mut out = Vec::new();
        let begins = match ids.first() {
            Some(&first) if self.add_bos && Some(first) == self.bos => 1,
            _ => 0,
        };
        for (n, &id) in ids.iter().enumerate() {
            let bytes = self.token_bytes(id).ok_or_else(|| {
                Diagnostic::new(&rule::ID_RANGE).arg("id", id).arg("tokens", self.vocab_len())
            })?;
            let hidden = self.is_special(id) && !show_special;
            match bytes.strip_prefix(b" ") {
                _ if hidden => {}
                Some(rest) if n == begins && self.space_prefix => out.extend_from_slice(rest),
                _ => out.extend_from_slice(bytes),
            }
        }
        Ok(out)
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
        self.vocabulary.len()
    }

    /// The token that begins a text.
    pub fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// The token that ends a text.
    pub fn eos(&self) -> Option<u32> {
        self.eos
    }

    /// The bytes that an id decodes to (special tokens shown).
    pub fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        self.decoded.find(id)
    }

    /// The text of a token as the model file spells it.
    pub fn token_text(&self, id: u32) -> Option<String> {
        self.vocabulary
            .is_token(id)
            .then(|| String::from_utf8_lossy(self.vocabulary.text(id)).into_owned())
    }

    /// What a token is.
    pub fn kind(&self, id: u32) -> Option<TokenKind> {
        const ORDER: [(u16, TokenKind); 6] = [
            (attribute::CONTROL, TokenKind::Control),
            (attribute::USER_DEFINED, TokenKind::UserDefined),
            (attribute::UNKNOWN, TokenKind::Unknown),
            (attribute::BYTE, TokenKind::Byte),
            (attribute::UNUSED, TokenKind::Unused),
            (attribute::NORMAL, TokenKind::Normal),
        ];
        if !self.vocabulary.is_token(id) {
            return None;
        }
        let attributes = self.vocabulary.attributes(id);
        let kind = ORDER.iter().find(|(bit, _)| attributes & bit != 0).map(|(_, kind)| *kind);
        Some(kind.unwrap_or(TokenKind::Normal))
    }

    /// Whether an id is structure: hidden in text unless asked for.
    pub(crate) fn is_special(&self, id: u32) -> bool {
        self.vocabulary.attributes(id) & (attribute::CONTROL | attribute::UNKNOWN) != 0
    }

    /// `tokenizer.ggml.model`.
    pub fn model_name(&self) -> &str {
        &self.model
    }

    /// The pre-tokenizer's name, where the model has one.
    pub fn pre_name(&self) -> Option<&str> {
        match &self.algorithm {
            Algorithm::ByteLevel(bpe) => Some(bpe.rule.name),
            Algorithm::SentencePiece(_) => None,
        }
    }
}

/// The bytes that each token decodes to.
pub(crate) fn decoded(v: &Vocabulary, byte_level: bool) -> Option<ByteStrings> {
    const SHOWN_AS_SPELLED: u16 = attribute::CONTROL | attribute::UNKNOWN | attribute::USER_DEFINED;
    let mut all = ByteStrings::with_capacity(v.len(), v.len() * 8);
    for id in 0..v.len() as u32 {
        let (text, attributes) = (v.text(id), v.attributes(id));
        all.push_with(|out| {
            if attributes & attribute::UNUSED != 0 {
            } else if byte_level && attributes & SHOWN_AS_SPELLED != 0 {
                out.extend_from_slice(text);
            } else if byte_level {
                byte_alphabet::push_bytes_of(text, out);
            } else if attributes & (attribute::CONTROL | attribute::UNKNOWN) != 0 {
                out.extend_from_slice(text);
            } else {
                sentencepiece::push_bytes_of(text, attributes, out);
            }
        })?;
    }
    Some(all)
}
