//! Tokenizers and chat templates, read from a model file's metadata.
#![forbid(unsafe_code)]

mod chat;
mod stream;
mod tokenizer;

pub use chat::{ChatTemplate, Message, TemplateContext};
pub use stream::StreamDecoder;
pub use tokenizer::{EncodeOptions, TokenKind, Tokenizer};
