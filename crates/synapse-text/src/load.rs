//! A tokenizer from a model file's arrays, each checked against the others.

use std::collections::BTreeSet;

use synapse_diag::{Diagnostic, catalog::text as rule};
use synapse_format::{Metadata, StringArray};

use crate::byte_alphabet::push_spelled;
use crate::byte_level::{ByteLevel, Merges};
use crate::merge::NONE;
use crate::pretokenize::{RULES, Rule};
use crate::sentencepiece::SentencePiece;
use crate::special::Specials;
use crate::tokenizer::{Algorithm, Tokenizer, decoded};
use crate::vocabulary::{Vocabulary, attribute};

/// Most tokens, and most merges, that are read: beyond every vocabulary.
const TABLE_CAP: usize = 1 << 24;

/// Texts that end a turn or a text. A vocabulary's token with such a text ends a generation, even
/// where the file marks it as ordinary text.
const END_TEXTS: &[&str] = &[
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eom_id|>",
    "<EOT>",
    "<|EOT|>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<end_of_utterance>",
    "<turn|>",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
];

/// Keys of ids that end a generation.
const END_KEYS: &[&str] =
    &["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];

/// What holds for a kind of tokenizer where the file is silent.
struct Defaults {
    model: &'static str,
    bos: Option<u32>,
    eos: Option<u32>,
    unknown: Option<u32>,
    add_bos: bool,
    space_prefix: bool,
}

const KINDS: &[Defaults] = &[
    Defaults {
        model: "gpt2",
        bos: None,
        eos: None,
        unknown: None,
        add_bos: false,
        space_prefix: false,
    },
    Defaults {
        model: "llama",
        bos: Some(1),
        eos: Some(2),
        unknown: Some(0),
        add_bos: true,
        space_prefix: true,
    },
];

impl Tokenizer {
    /// Reads the tokenizer of a model; the second part are notices.
    ///
    /// # Errors
    /// An unknown kind or pre-tokenizer; tables whose type or length is wrong; a malformed merge; a
    /// special id outside of the vocabulary.
    pub fn from_metadata(m: &Metadata) -> Result<(Tokenizer, Vec<Diagnostic>), Diagnostic> {
        let mut notices = Vec::new();
        let model = m.require_str("tokenizer.ggml.model")?;
        let kind = KINDS.iter().find(|k| k.model == model).ok_or_else(|| {
            let known: Vec<_> = KINDS.iter().map(|k| k.model).collect();
            Diagnostic::new(&rule::MODEL_UNKNOWN).arg("name", model).arg("known", known.join(", "))
        })?;
        let mut vocabulary = read_vocabulary(m, &mut notices)?;
        let special = |key: &str, default: Option<u32>| -> Result<Option<u32>, Diagnostic> {
            let id = m.get_u32(key)?.or(default.filter(|&id| vocabulary.is_token(id)));
            match id {
                Some(id) if !vocabulary.is_token(id) => Err(Diagnostic::new(&rule::SPECIAL_RANGE)
                    .arg("key", key)
                    .arg("id", id)
                    .arg("tokens", vocabulary.len())),
                id => Ok(id),
            }
        };
        let bos = special("tokenizer.ggml.bos_token_id", kind.bos)?;
        let eos = special("tokenizer.ggml.eos_token_id", kind.eos)?;
        let unknown = special("tokenizer.ggml.unknown_token_id", kind.unknown)?;
        for key in ["padding", "separator", "mask"] {
            special(&format!("tokenizer.ggml.{key}_token_id"), None)?;
        }
        let mut end_ids = BTreeSet::new();
        end_ids.extend(eos);
        for key in END_KEYS {
            end_ids.extend(special(key, None)?);
        }
        let named: Vec<u32> =
            END_TEXTS.iter().filter_map(|text| vocabulary.token(text.as_bytes())).collect();
        for id in named {
            end_ids.insert(id);
            if let Some(attributes) = vocabulary.attributes.get_mut(id as usize) {
                *attributes |= attribute::CONTROL;
            }
        }
        mark_stripping(m, &mut vocabulary)?;

        let scores = m.get_f32_array("tokenizer.ggml.scores")?;
        if let Some(scores) = scores {
            same_length("tokenizer.ggml.scores", scores.len(), vocabulary.len())?;
        }
        let mut add_bos = kind.add_bos;
        let algorithm = if model == "gpt2" {
            let pre = pre_tokenizer(m, &mut notices)?;
            add_bos = pre.adds_bos;
            let merges = read_merges(m, &mut vocabulary)?;
            let byte_pieces = (0..=255u8)
                .map(|byte| {
                    let mut spelled = Vec::new();
                    push_spelled(byte, &mut spelled);
                    vocabulary.piece(&spelled).unwrap_or(NONE)
                })
                .collect();
            Algorithm::ByteLevel(ByteLevel { rule: pre, merges, byte_pieces })
        } else {
            let scores = m.require_f32_array("tokenizer.ggml.scores")?;
            Algorithm::SentencePiece(SentencePiece {
                ranks: SentencePiece::ranks(scores),
                byte_ids: SentencePiece::byte_ids(&vocabulary),
                unknown,
            })
        };
        let specials = Specials::new(&vocabulary);
        let decoded =
            decoded(&vocabulary, model == "gpt2").ok_or_else(|| too_large(&vocabulary))?;
        let tokenizer = Tokenizer {
            model: model.to_owned(),
            algorithm,
            specials,
            decoded,
            bos,
            eos,
            add_bos: m.get_bool("tokenizer.ggml.add_bos_token")?.unwrap_or(add_bos),
            add_eos: m.get_bool("tokenizer.ggml.add_eos_token")?.unwrap_or(false),
            space_prefix: m
                .get_bool("tokenizer.ggml.add_space_prefix")?
                .unwrap_or(kind.space_prefix)
                && model == "llama",
            end_ids,
            vocabulary,
        };
        Ok((tokenizer, notices))
    }
}

fn too_large(v: &Vocabulary) -> Diagnostic {
    Diagnostic::new(&rule::TABLE_SIZE).arg("key", "tokenizer.ggml.tokens").arg("found", v.len())
}

fn same_length(key: &str, found: usize, tokens: usize) -> Result<(), Diagnostic> {
    match found == tokens {
        true => Ok(()),
        false => Err(Diagnostic::new(&rule::TABLE_LENGTH)
            .arg("key", key)
            .arg("found", found)
            .arg("tokens", tokens)),
    }
}

fn capped(key: &str, table: &StringArray) -> Result<(), Diagnostic> {
    match table.len() <= TABLE_CAP {
        true => Ok(()),
        false => Err(Diagnostic::new(&rule::TABLE_SIZE).arg("key", key).arg("found", table.len())),
    }
}

fn read_vocabulary(m: &Metadata, notices: &mut Vec<Diagnostic>) -> Result<Vocabulary, Diagnostic> {
    const TYPES: &str = "tokenizer.ggml.token_type";
    let tokens = m.require_string_array("tokenizer.ggml.tokens")?;
    capped("tokenizer.ggml.tokens", tokens)?;
    let types = m.get_i32_array(TYPES)?;
    if let Some(types) = types {
        same_length(TYPES, types.len(), tokens.len())?;
    }
    let mut v = Vocabulary::with_capacity(tokens.len(), 0);
    let (mut twice, mut first_twice) = (0u64, None);
    let (mut odd, mut first_odd) = (0u64, None);
    for (id, text) in tokens.iter().enumerate() {
        let kind = types.map_or(Some(&1), |t| t.get(id)).copied().unwrap_or(1);
        // The numbers of the format's token types.
        let attributes = match kind {
            0 => 0,
            1 => attribute::NORMAL,
            2 => attribute::UNKNOWN,
            3 => attribute::CONTROL,
            4 => attribute::USER_DEFINED,
            5 => attribute::UNUSED,
            6 => attribute::BYTE,
            other => {
                return Err(Diagnostic::new(&rule::TOKEN_TYPE).arg("id", id).arg("value", other));
            }
        };
        if let Some(earlier) = v.push(text, attributes).map_err(|()| too_large(&v))? {
            twice += 1;
            first_twice.get_or_insert((earlier, id, text));
        }
        if std::str::from_utf8(text).is_err() {
            odd += 1;
            first_odd.get_or_insert(id);
        }
    }
    if let Some((first, second, text)) = first_twice {
        notices.push(
            Diagnostic::new(&rule::TOKEN_DUPLICATE)
                .arg("text", String::from_utf8_lossy(text))
                .arg("first", first)
                .arg("second", second)
                .arg("count", twice),
        );
    }
    if let Some(id) = first_odd {
        notices.push(Diagnostic::new(&rule::TOKEN_NOT_UTF8).arg("id", id).arg("count", odd));
    }
    Ok(v)
}

fn pre_tokenizer(m: &Metadata, notices: &mut Vec<Diagnostic>) -> Result<&'static Rule, Diagnostic> {
    let name = m.get_str("tokenizer.ggml.pre")?;
    if name.is_none() {
        notices.push(Diagnostic::new(&rule::PRE_MISSING));
    }
    let name = name.unwrap_or("default");
    RULES.iter().find(|r| r.name == name).ok_or_else(|| {
        let known: Vec<_> = RULES.iter().map(|r| r.name).collect();
        Diagnostic::new(&rule::PRE_UNKNOWN).arg("name", name).arg("known", known.join(", "))
    })
}

fn read_merges(m: &Metadata, v: &mut Vocabulary) -> Result<Merges, Diagnostic> {
    const KEY: &str = "tokenizer.ggml.merges";
    let list = m.require_string_array(KEY)?;
    capped(KEY, list)?;
    let mut merges = Merges::with_capacity(list.len());
    let mut joined = Vec::new();
    for (rank, text) in list.iter().enumerate() {
        let malformed = || {
            Diagnostic::new(&rule::MERGE)
                .arg("index", rank)
                .arg("text", String::from_utf8_lossy(text))
        };
        let mut pieces = text.split(|&b| b == b' ');
        let (Some(left), Some(right), None) = (pieces.next(), pieces.next(), pieces.next()) else {
            return Err(malformed());
        };
        if left.is_empty() || right.is_empty() {
            return Err(malformed());
        }
        joined.clear();
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
        let number = |v: &mut Vocabulary, text: &[u8]| v.intern(text).ok_or_else(|| too_large(v));
        let (left, right) = (number(v, left)?, number(v, right)?);
        let piece = number(v, &joined)?;
        merges.push(left, right, rank as u32, piece);
    }
    Ok(merges)
}

/// Phi-3's special tokens take the white space after them; only the model's name tells.
fn mark_stripping(m: &Metadata, v: &mut Vocabulary) -> Result<(), Diagnostic> {
    let name = m.get_str("general.name").ok().flatten().unwrap_or("").to_lowercase();
    if !name.contains("phi-3") && !name.contains("phi3") {
        return Ok(());
    }
    let special = attribute::CONTROL | attribute::USER_DEFINED | attribute::UNKNOWN;
    for id in 0..v.len() as u32 {
        let keeps = [&b"<unk>"[..], b"<s>", b"<|endoftext|>"].contains(&v.text(id));
        if let Some(attributes) = v.attributes.get_mut(id as usize)
            && *attributes & special != 0
            && !keeps
        {
            *attributes |= attribute::STRIP_RIGHT;
        }
    }
    Ok(())
}
