//! Tokenizers and chat templates, read from a model file's metadata.
//!
//! A text goes through a pipeline, and each file is a part of it: `special` cuts out special
//! tokens, `pretokenize` cuts words, `byte_level` or `sentencepiece` spells them with pieces of the
//! `vocabulary` through the `merge` loop, `tokenizer` adds BOS and EOS.
//!
//! Invariants: the ids are those of the vocabulary's own implementation; an unknown rule is
//! refused, never guessed; time is n log n for any text; templates run with limits.
//!
//! ```no_run
//! use synapse_format::{Gguf, Load};
//! use synapse_text::{EncodeOptions, Tokenizer};
//! let file = Gguf::open("model.gguf".as_ref(), Load::Header)?;
//! let (tokenizer, notices) = Tokenizer::from_metadata(&file.metadata)?;
//! let options = EncodeOptions { parse_special: false, add_special: true };
//! println!("{:?} {notices:?}", tokenizer.encode("Hello", options));
//! # Ok::<(), synapse_diag::Diagnostic>(())
//! ```
#![forbid(unsafe_code)]

mod byte_alphabet;
mod byte_level;
mod chat;
mod classes;
mod end_tokens;
mod load;
mod merge;
mod pretokenize;
mod sentencepiece;
mod special;
mod stream;
mod template_date;
mod template_json;
mod tokenizer;
mod vocabulary;

pub use chat::{ChatTemplate, Message, TemplateContext};
pub use pretokenize::names as pre_tokenizers;
pub use stream::StreamDecoder;
pub use tokenizer::{EncodeOptions, TokenKind, Tokenizer};
