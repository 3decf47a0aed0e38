//! The closed table of keys that inform and change nothing, or change nothing at one value.

use synapse_format::Value;

use crate::keys::Keys;

/// When an unread key is harmless.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Neutral {
    /// At any value: it informs.
    Always,
    /// At this number only.
    Number(f64),
    /// At this truth value only.
    Bool(bool),
    /// At zero, or at a window that no position of the model's context can feel.
    NoWindow,
}

/// A row of the table.
#[derive(Debug)]
pub struct Information {
    /// Key without the architecture's prefix.
    pub key: &'static str,
    /// Type in the file.
    pub kind: &'static str,
    /// What it says.
    pub what: &'static str,
    /// When it changes nothing.
    pub neutral: Neutral,
}

const fn row(
    key: &'static str,
    kind: &'static str,
    neutral: Neutral,
    what: &'static str,
) -> Information {
    Information { key, kind, what, neutral }
}

/// Every key that no step needs to read. A key that is not here and is not read is refused.
pub static INFORMATION: &[Information] = &[
    row("vocab_size", "u32", Neutral::Always, "rows of the embedding table; compared with it"),
    row(
        "feed_forward_length",
        "u32",
        Neutral::Always,
        "width of the feed-forward part; the tensors' shapes say it",
    ),
    row(
        "attention.key_length",
        "u32",
        Neutral::Always,
        "width of a key head; compared with the tensors where heads are named",
    ),
    row(
        "attention.value_length",
        "u32",
        Neutral::Always,
        "width of a value head; compared with the tensors where heads are named",
    ),
    row(
        "pooling_type",
        "u32",
        Neutral::Always,
        "how an application pools output rows; rows are given unpooled",
    ),
    row(
        "tensor_data_layout",
        "string",
        Neutral::Always,
        "how a converter ordered q and k rows; the definition's rope says it",
    ),
    row(
        "rope.scaling.original_context_length",
        "u32",
        Neutral::Always,
        "context before scaling; linear scaling does not use it",
    ),
    row(
        "rope.scaling.finetuned",
        "bool",
        Neutral::Always,
        "whether the model was trained further after scaling",
    ),
    row(
        "rope.scaling.attn_factor",
        "f32",
        Neutral::Number(1.0),
        "factor of the scores under some scalings",
    ),
    row(
        "attention.causal",
        "bool",
        Neutral::Bool(true),
        "whether later positions are hidden; steps hide them unless they say otherwise",
    ),
    row("attention.sliding_window", "u32", Neutral::NoWindow, "keys that a position sees"),
    row("attention.clamp_kqv", "f32", Neutral::Number(0.0), "bound of q, k, v"),
    row(
        "attention.max_alibi_bias",
        "f32",
        Neutral::Number(0.0),
        "greatest slope of distance biases",
    ),
    row("attn_logit_softcapping", "f32", Neutral::Number(0.0), "soft cap of attention scores"),
    row("final_logit_softcapping", "f32", Neutral::Number(0.0), "soft cap of logits"),
    row("logit_scale", "f32", Neutral::Number(1.0), "factor of the logits"),
    row("residual_scale", "f32", Neutral::Number(1.0), "factor of what a layer adds"),
    row("embedding_scale", "f32", Neutral::Number(1.0), "factor of the embeddings"),
    row("expert_count", "u32", Neutral::Number(0.0), "experts of a layer"),
    row("expert_used_count", "u32", Neutral::Number(0.0), "experts that a token is sent to"),
];

/// Whether an unread key changes nothing.
pub(crate) fn is_harmless(keys: &Keys<'_>, key: &str, value: &Value, context: usize) -> bool {
    let Some(row) = INFORMATION.iter().find(|r| r.key == key) else { return false };
    let number = || value.as_f64().or_else(|| value.as_i64().map(|n| n as f64));
    match row.neutral {
        Neutral::Always => true,
        Neutral::Number(n) => number() == Some(n),
        Neutral::Bool(b) => value.as_bool() == Some(b),
        Neutral::NoWindow => {
            keys.mark(key);
            value.as_u64().is_some_and(|w| w == 0 || w >= context as u64)
        }
    }
}
