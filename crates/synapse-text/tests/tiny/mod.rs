//! Small hand-made vocabularies.

use synapse_diag::Diagnostic;
use synapse_format::{Metadata, Value};
use synapse_text::Tokenizer;

/// Metadata that a test may change before it is read.
pub struct Tiny(Vec<(String, Value)>);

/// Token types of the format.
pub const NORMAL: i32 = 1;
pub const UNKNOWN: i32 = 2;
pub const CONTROL: i32 = 3;
pub const USER_DEFINED: i32 = 4;
pub const BYTE: i32 = 6;

impl Tiny {
    /// A byte-level vocabulary: the 256 bytes in their alphabet (ids 0 to 255), then `more`.
    pub fn byte_level(merges: &[&str], more: &[(&str, i32)]) -> Tiny {
        let printable = |b: &u8| matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
        let mut others = (0x100..).filter_map(char::from_u32);
        let bytes = (0..=255u8).map(|b| match printable(&b) {
            true => char::from(b),
            false => others.next().expect("a character"),
        });
        let mut tokens: Vec<String> = bytes.map(String::from).collect();
        let mut types = vec![NORMAL; 256];
        for (text, kind) in more {
            tokens.push((*text).to_owned());
            types.push(*kind);
        }
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        Tiny(Vec::new())
            .set("model", "gpt2")
            .set("pre", "gpt-2")
            .set("tokens", tokens)
            .set("token_type", types)
            .set("merges", merges.to_vec())
    }

    /// A SentencePiece vocabulary: unknown, BOS, EOS, the 256 bytes (from id 3), then `more` with
    /// their scores (from id 259).
    pub fn sentencepiece(more: &[(&str, f32, i32)]) -> Tiny {
        let mut tokens: Vec<String> = ["<unk>", "<s>", "</s>"].map(str::to_owned).to_vec();
        let mut types = vec![UNKNOWN, CONTROL, CONTROL];
        let mut scores = vec![0.0f32; 3];
        for byte in 0..256 {
            tokens.push(format!("<0x{byte:02X}>"));
            types.push(BYTE);
            scores.push(0.0);
        }
        for (text, score, kind) in more {
            tokens.push((*text).to_owned());
            types.push(*kind);
            scores.push(*score);
        }
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        Tiny(Vec::new())
            .set("model", "llama")
            .set("tokens", tokens)
            .set("token_type", types)
            .set("scores", scores)
    }

    /// Sets `tokenizer.ggml.NAME`.
    pub fn set(self, name: &str, value: impl Into<Value>) -> Tiny {
        let mut tiny = self.without(name);
        tiny.0.push((format!("tokenizer.ggml.{name}"), value.into()));
        tiny
    }

    /// Removes `tokenizer.ggml.NAME`.
    pub fn without(mut self, name: &str) -> Tiny {
        let key = format!("tokenizer.ggml.{name}");
        self.0.retain(|(k, _)| *k != key);
        self
    }

    /// Reads it.
    pub fn read(self) -> Result<(Tokenizer, Vec<Diagnostic>), Diagnostic> {
        Tokenizer::from_metadata(&Metadata::from_pairs(self.0))
    }

    /// Reads what must be readable.
    pub fn tokenizer(self) -> Tokenizer {
        self.read().expect("a tokenizer").0
    }
}
