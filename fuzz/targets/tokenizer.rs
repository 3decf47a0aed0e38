//! Any tables as a vocabulary, any text through it: refusals or ids of the vocabulary, no panic.
//!
//! An input is four parts with a zero byte between: options, tokens, merges, text. Tokens and
//! merges stand one a line. The options are bytes: kind, pre-tokenizer, flags, BOS, EOS, and then
//! the types of the tokens, which also give their scores; `0` to `9` count as 0 to 9.
#![no_main]

use std::alloc::System;
use std::sync::LazyLock;

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use synapse_diag::{Diagnostic, Lang};
use synapse_format::{Array, Metadata, StringArray, Value};
use synapse_text::{EncodeOptions, Tokenizer, pre_tokenizers};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 64 << 20);

/// Kinds that are read, and one that is not.
const KINDS: [&str; 4] = ["gpt2", "llama", "gemma4", "odd"];

/// A byte-level vocabulary with every byte, for each pre-tokenizer: nothing of a text is lost.
static WHOLE: LazyLock<Vec<Tokenizer>> = LazyLock::new(|| {
    let printable = |b: &u8| matches!(b, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let mut others = (0x100..).filter_map(char::from_u32);
    let mut tokens: Vec<String> = (0..=255u8)
        .map(|b| if printable(&b) { char::from(b) } else { others.next().expect("a character") })
        .map(String::from)
        .collect();
    tokens.extend(["ab", "Ġa", "ĠĠ", "<s>", "<s>>"].map(str::to_owned));
    let mut types = vec![1i32; tokens.len()];
    types[259] = 3;
    types[260] = 4;
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    pre_tokenizers()
        .map(|pre| {
            let pairs: Vec<(&str, Value)> = vec![
                ("model", "gpt2".into()),
                ("pre", pre.into()),
                ("tokens", tokens.clone().into()),
                ("token_type", types.clone().into()),
                ("merges", vec!["a b", "Ġ a", "Ġ Ġ"].into()),
                ("bos_token_id", 0u32.into()),
            ];
            Tokenizer::from_metadata(&metadata(pairs)).expect("a vocabulary").0
        })
        .collect()
});

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(4, |&b| b == 0);
    let mut part = || parts.next().unwrap_or_default();
    let (options, tokens, merges, text) = (part(), part(), part(), part());
    let text = String::from_utf8_lossy(text);
    let option = |n: usize| options.get(n).map_or(0, |b| b.wrapping_sub(b'0'));

    let whole = &WHOLE[usize::from(option(1)) % WHOLE.len()];
    let ids = look_at(whole, &text);
    assert_eq!(whole.decode(&ids, true).expect("ids"), text.as_bytes(), "{:?}", whole.pre_name());

    match Tokenizer::from_metadata(&foreign(option, tokens, merges)) {
        Ok((tokenizer, notices)) => {
            notices.iter().for_each(say);
            look_at(&tokenizer, &text);
        }
        Err(refusal) => say(&refusal),
    }
});

/// The tables that the input describes.
fn foreign(option: impl Fn(usize) -> u8, tokens: &[u8], merges: &[u8]) -> Metadata {
    let lines = |part: &[u8]| -> StringArray {
        part.split(|&b| b == b'\n').filter(|line| !line.is_empty()).collect()
    };
    let (tokens, merges) = (lines(tokens), lines(merges));
    let types: Vec<i32> = (0..tokens.len()).map(|n| i32::from(option(5 + n))).collect();
    let scores: Vec<f32> = types.iter().map(|t| (t / 16 - 8) as f32).collect();
    let flags = option(2);
    let mut pairs: Vec<(&str, Value)> = vec![
        ("model", KINDS[usize::from(option(0)) % KINDS.len()].into()),
        ("tokens", Value::Array(Array::String(tokens))),
        // The lower bits are the type; sometimes one that the format has not.
        ("token_type", types.iter().map(|t| t % 8).collect::<Vec<i32>>().into()),
        ("scores", scores.into()),
        ("merges", Value::Array(Array::String(merges))),
        ("bos_token_id", u32::from(option(3)).into()),
        ("eos_token_id", u32::from(option(4)).into()),
        ("add_bos_token", (flags & 1 != 0).into()),
        ("add_eos_token", (flags & 2 != 0).into()),
        ("add_space_prefix", (flags & 4 != 0).into()),
    ];
    if let Some(pre) = pre_tokenizers().nth(option(1).into()) {
        pairs.push(("pre", pre.into()));
    }
    metadata(pairs)
}

fn metadata(pairs: Vec<(&str, Value)>) -> Metadata {
    let key = |(name, value)| (format!("tokenizer.ggml.{name}"), value);
    Metadata::from_pairs(pairs.into_iter().map(key).collect())
}

/// Whatever was accepted must be usable. Returns the ids of the text with nothing added.
fn look_at(t: &Tokenizer, text: &str) -> Vec<u32> {
    let mut plain = Vec::new();
    for (parse_special, add_special) in [(true, true), (true, false), (false, false)] {
        plain = t.encode(text, EncodeOptions { parse_special, add_special });
        let bytes = t.decode(&plain, true).expect("its own ids");
        let mut stream = t.stream(true);
        let mut told: String = plain.iter().map(|&id| stream.push(id)).collect();
        told.push_str(&stream.finish());
        let whole = String::from_utf8_lossy(&bytes);
        // Decoding a whole text takes a leading space off; a stream continues a text.
        assert!(told.len() - whole.len() <= 1, "{told:?} {whole:?}");
    }
    for id in 0..t.vocab_len() as u32 {
        assert!(t.kind(id).is_some() && t.token_text(id).is_some() && t.token_bytes(id).is_some());
    }
    assert!(t.end_ids().iter().all(|&id| (id as usize) < t.vocab_len()));
    assert!(t.decode(&[t.vocab_len() as u32], true).is_err());
    plain
}

/// Messages hold foreign text: making them must not panic either.
fn say(d: &Diagnostic) {
    for lang in [Lang::En, Lang::Es] {
        let _ = d.render(lang);
        let _ = d.to_json(lang);
    }
}
