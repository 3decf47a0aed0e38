//! A tokenizer from a model file's arrays, each checked against the others.

use synapse_diag::{Diagnostic, catalog::text as rule};
use synapse_format::{Metadata, StringArray};

use crate::byte_alphabet::push_spelled;
use crate::byte_level::{ByteLevel, Merges};
use crate::end_tokens::end_ids;
use crate::merge::NONE;
use crate::pretokenize::{RULES, Rule, names};
use crate::sentencepiece::{self, Order, SentencePiece};
use crate::special::{LONGEST, SPECIAL, Specials};
use crate::tokenizer::{Algorithm, Tokenizer, decoded};
use crate::vocabulary::{Vocabulary, attribute};

const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const SCORES: &str = "tokenizer.ggml.scores";
const MERGES: &str = "tokenizer.ggml.merges";
const BOS: &str = "tokenizer.ggml.bos_token_id";
const EOS: &str = "tokenizer.ggml.eos_token_id";
const UNKNOWN: &str = "tokenizer.ggml.unknown_token_id";
const ADD_BOS: &str = "tokenizer.ggml.add_bos_token";
const ADD_EOS: &str = "tokenizer.ggml.add_eos_token";
const ADD_SPACE: &str = "tokenizer.ggml.add_space_prefix";

/// Further keys of special ids: nothing here uses them, but a wrong one is told.
const OTHER_IDS: [&str; 5] = [
    "tokenizer.ggml.padding_token_id",
    "tokenizer.ggml.separator_token_id",
    "tokenizer.ggml.seperator_token_id",
    "tokenizer.ggml.mask_token_id",
    "tokenizer.ggml.cls_token_id",
];

/// Most tokens, and most merges, that are read: beyond every vocabulary.
const TABLE_CAP: usize = 1 << 24;

/// How alike a known name must be to be offered for an unknown one (Jaro-Winkler; 1 is equal).
const NEAR: f64 = 0.8;

/// The algorithms, by what the file has to have for them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    /// Merges over bytes, in words.
    ByteLevel,
    /// Scores over characters.
    Scores,
    /// Merges over characters.
    Merges,
}

/// What holds for a kind of tokenizer where the file is silent.
struct Kind {
    /// `tokenizer.ggml.model`.
    model: &'static str,
    method: Method,
    bos: Option<u32>,
    eos: Option<u32>,
    unknown: Option<u32>,
    add_bos: bool,
    /// BOS is added whatever the file says: files of this kind that deny it are wrong.
    always_bos: bool,
    space_prefix: bool,
}

const SILENT: Kind = Kind {
    model: "",
    method: Method::ByteLevel,
    bos: None,
    eos: None,
    unknown: None,
    add_bos: false,
    always_bos: false,
    space_prefix: false,
};

const KINDS: &[Kind] = &[
    Kind { model: "gpt2", ..SILENT },
    Kind {
        model: "llama",
        method: Method::Scores,
        bos: Some(1),
        eos: Some(2),
        unknown: Some(0),
        add_bos: true,
        space_prefix: true,
        ..SILENT
    },
    Kind { model: "gemma4", method: Method::Merges, add_bos: true, always_bos: true, ..SILENT },
];

impl Tokenizer {
    /// Reads the tokenizer of a model; the second part are notices.
    ///
    /// # Errors
    /// An unknown kind or pre-tokenizer; tables whose type or length is wrong; a malformed merge; a
    /// special id outside of the vocabulary; BOS or EOS wanted but not declared.
    pub fn from_metadata(m: &Metadata) -> Result<(Tokenizer, Vec<Diagnostic>), Diagnostic> {
        let mut notices = Vec::new();
        let model = m.require_str("tokenizer.ggml.model")?;
        let kind = KINDS.iter().find(|k| k.model == model).ok_or_else(|| {
            let known: Vec<_> = KINDS.iter().map(|k| k.model).collect();
            Diagnostic::new(&rule::MODEL_UNKNOWN).arg("name", model).arg("known", known.join(", "))
        })?;
        let mut vocabulary = read_vocabulary(m, &mut notices)?;
        let declared = |v: &Vocabulary, key: &str| special_id(m, v, key);
        let or_default = |key: &str, default: Option<u32>| -> Result<Option<u32>, Diagnostic> {
            let default = default.filter(|&id| vocabulary.is_token(id));
            Ok(declared(&vocabulary, key)?.or(default))
        };
        let bos = or_default(BOS, kind.bos)?;
        let eos = or_default(EOS, kind.eos)?;
        let unknown = or_default(UNKNOWN, kind.unknown)?;
        for key in OTHER_IDS {
            declared(&vocabulary, key)?;
        }
        let mut end_ids = end_ids(&mut vocabulary, declared)?;
        end_ids.extend(eos);
        mark_stripping(m, &mut vocabulary);

        let scores = m.get_f32_array(SCORES)?;
        if let Some(scores) = scores {
            same_length(SCORES, scores.len(), vocabulary.len())?;
        }
        let mut add_bos = kind.add_bos;
        let algorithm = match kind.method {
            Method::ByteLevel => {
                let pre = pre_tokenizer(m, &mut notices)?;
                add_bos = pre.adds_bos;
                Algorithm::ByteLevel(byte_level(m, &mut vocabulary, pre, &mut notices)?)
            }
            Method::Scores => {
                let scores = m.require_f32_array(SCORES)?;
                if let Some(id) = scores.iter().position(|s| s.is_nan()) {
                    return Err(Diagnostic::new(&rule::SCORE).arg("id", id));
                }
                let order = Order::Scores(sentencepiece::ranks(scores));
                Algorithm::SentencePiece(SentencePiece::new(&vocabulary, order, unknown))
            }
            Method::Merges => {
                let order = Order::Merges(read_merges(m, &mut vocabulary)?);
                Algorithm::SentencePiece(SentencePiece::new(&vocabulary, order, unknown))
            }
        };
        add_bos = m.get_bool(ADD_BOS)?.unwrap_or(add_bos) || kind.always_bos;
        let add_eos = m.get_bool(ADD_EOS)?.unwrap_or(false);
        for (wanted, id, flag, key) in [(add_bos, bos, ADD_BOS, BOS), (add_eos, eos, ADD_EOS, EOS)]
        {
            if wanted && id.is_none() {
                return Err(Diagnostic::new(&rule::SPECIAL_MISSING)
                    .arg("flag", flag)
                    .arg("key", key));
            }
        }
        let specials = Specials::new(&vocabulary).map_err(|id| {
            Diagnostic::new(&rule::SPECIAL_LONG)
                .arg("id", id)
                .arg("found", vocabulary.text(id).len())
                .arg("most", LONGEST)
        })?;
        let decoded = decoded(&vocabulary, kind.method == Method::ByteLevel)
            .ok_or_else(|| too_large(&vocabulary))?;
        let space_prefix = m.get_bool(ADD_SPACE)?.unwrap_or(kind.space_prefix);
        let tokenizer = Tokenizer {
            model: model.to_owned(),
            algorithm,
            specials,
            decoded,
            bos,
            eos,
            add_bos,
            add_eos,
            space_prefix: space_prefix && kind.method == Method::Scores,
            end_ids,
            vocabulary,
        };
        Ok((tokenizer, notices))
    }
}

fn too_large(v: &Vocabulary) -> Diagnostic {
    Diagnostic::new(&rule::TABLE_SIZE).arg("key", TOKENS).arg("found", v.len())
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

/// A special id that the file declares.
fn special_id(m: &Metadata, v: &Vocabulary, key: &str) -> Result<Option<u32>, Diagnostic> {
    match m.get_u32(key)? {
        Some(id) if !v.is_token(id) => Err(Diagnostic::new(&rule::SPECIAL_RANGE)
            .arg("key", key)
            .arg("id", id)
            .arg("tokens", v.len())),
        id => Ok(id),
    }
}

fn read_vocabulary(m: &Metadata, notices: &mut Vec<Diagnostic>) -> Result<Vocabulary, Diagnostic> {
    let tokens = m.require_string_array(TOKENS)?;
    capped(TOKENS, tokens)?;
    let types = m.get_i32_array(TYPES)?;
    if let Some(types) = types {
        same_length(TYPES, types.len(), tokens.len())?;
    }
    let bytes = tokens.iter().map(<[u8]>::len).sum();
    let mut v = Vocabulary::with_capacity(tokens.len(), bytes);
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
        let known: Vec<_> = names().collect();
        let near = known
            .iter()
            .map(|known| (strsim::jaro_winkler(known, name), *known))
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(likeness, _)| *likeness >= NEAR);
        Diagnostic::new(&rule::PRE_UNKNOWN)
            .arg("name", name)
            .arg("known", known.join(", "))
            .suggest(near.map(|(_, known)| known))
    })
}

fn byte_level(
    m: &Metadata,
    v: &mut Vocabulary,
    words: &'static Rule,
    notices: &mut Vec<Diagnostic>,
) -> Result<ByteLevel, Diagnostic> {
    let merges = read_merges(m, v)?;
    let mut spelled = Vec::new();
    let byte_pieces: Vec<u32> = (0..=255u8)
        .map(|byte| {
            spelled.clear();
            push_spelled(byte, &mut spelled);
            v.piece(&spelled).unwrap_or(NONE)
        })
        .collect();
    // Bytes of the characters that texts are made of. Real vocabularies lack some control
    // characters, and the first bytes of planes 4 to 16 of Unicode, where nothing is written.
    let in_text =
        |byte: usize| matches!(byte, 0x09 | 0x0a | 0x0d | 0x20..=0x7e | 0x80..=0xbf | 0xc2..=0xf0);
    let mut lost = byte_pieces
        .iter()
        .enumerate()
        .filter(|&(byte, &piece)| in_text(byte) && !v.is_token(piece))
        .map(|(byte, _)| byte);
    if let Some(first) = lost.next() {
        notices.push(
            Diagnostic::new(&rule::BYTES_MISSING)
                .arg("count", 1 + lost.count())
                .arg("first", format!("0x{first:02X}")),
        );
    }
    Ok(ByteLevel { rule: words, merges, byte_pieces })
}

fn read_merges(m: &Metadata, v: &mut Vocabulary) -> Result<Merges, Diagnostic> {
    let list = m.require_string_array(MERGES)?;
    capped(MERGES, list)?;
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
fn mark_stripping(m: &Metadata, v: &mut Vocabulary) {
    // A name that is no text is none of these names.
    let name = m.get_str("general.name").ok().flatten().unwrap_or("").to_lowercase();
    if !name.contains("phi-3") && !name.contains("phi3") {
        return;
    }
    for id in 0..v.len() as u32 {
        let keeps = [&b"<unk>"[..], b"<s>", b"<|endoftext|>"].contains(&v.text(id));
        if let Some(attributes) = v.attributes.get_mut(id as usize)
            && *attributes & SPECIAL != 0
            && !keeps
        {
            *attributes |= attribute::STRIP_RIGHT;
        }
    }
}
