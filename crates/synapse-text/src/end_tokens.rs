//! Which ids end a generation, and tokens that a vocabulary marks otherwise than they are used.
//!
//! Files rarely say which tokens end a turn, so they are known by their texts, as llama.cpp knows
//! them: a table, because nothing in the text itself tells.

use std::collections::BTreeSet;

use crate::vocabulary::{Vocabulary, attribute};

/// Texts that end a turn or a text.
const ENDS: &[&str] = &[
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
    "[e~[",
];

/// A special id that a key may name, and the texts that it goes by where the key is absent. Only
/// one of them is taken.
struct Named {
    keys: &'static [&'static str],
    texts: &'static [&'static str],
    /// Whether it ends a generation: padding and file separators of code models do.
    ends: bool,
}

/// The ids of fill-in-the-middle prompts. Those that do not end a generation are here because
/// they are control tokens whatever the file says.
const FILL_IN_THE_MIDDLE: &[Named] = &[
    Named {
        keys: &["tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id"],
        texts: &[
            "<|fim_prefix|>",
            "<fim-prefix>",
            "<fim_prefix>",
            "<\u{ff5c}fim\u{2581}begin\u{ff5c}>",
            "<PRE>",
            "\u{2581}<PRE>",
            "<|code_prefix|>",
            "<|prefix|>",
        ],
        ends: false,
    },
    Named {
        keys: &["tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id"],
        texts: &[
            "<|fim_suffix|>",
            "<fim-suffix>",
            "<fim_suffix>",
            "<\u{ff5c}fim\u{2581}hole\u{ff5c}>",
            "<SUF>",
            "\u{2581}<SUF>",
            "<|code_suffix|>",
            "<|suffix|>",
        ],
        ends: false,
    },
    Named {
        keys: &["tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id"],
        texts: &[
            "<|fim_middle|>",
            "<fim-middle>",
            "<fim_middle>",
            "<\u{ff5c}fim\u{2581}end\u{ff5c}>",
            "<MID>",
            "\u{2581}<MID>",
            "<|code_middle|>",
            "<|middle|>",
        ],
        ends: false,
    },
    Named {
        keys: &["tokenizer.ggml.fim_pad_token_id"],
        texts: &["<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"],
        ends: true,
    },
    Named {
        keys: &["tokenizer.ggml.fim_rep_token_id"],
        texts: &["<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"],
        ends: true,
    },
    Named { keys: &["tokenizer.ggml.fim_sep_token_id"], texts: &["<|file_sep|>"], ends: true },
];

/// Keys of ids that end a generation, whatever they spell.
const END_KEYS: [&str; 3] =
    ["tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"];

/// Tokens of the harmony format that belong to the text, though files mark them as control.
const SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// A token that ends no generation where the vocabulary has all of some others.
struct Unless {
    text: &'static str,
    beside: &'static [&'static str],
    becomes: u16,
}

const EXCEPTIONS: &[Unless] = &[
    Unless {
        text: "<|end|>",
        beside: &["<|return|>", "<|call|>"],
        becomes: attribute::USER_DEFINED,
    },
    Unless {
        text: "<|end|>",
        beside: &["<|calls|>", "<|flush|>"],
        becomes: attribute::USER_DEFINED,
    },
    Unless { text: "</s>", beside: &["<|tool_response>"], becomes: attribute::NORMAL },
];

/// The ids that end a generation. `key` reads a special id that the file declares. Marks the
/// tokens of the tables above as what they are.
pub fn end_ids<E>(
    v: &mut Vocabulary,
    key: impl Fn(&Vocabulary, &str) -> Result<Option<u32>, E>,
) -> Result<BTreeSet<u32>, E> {
    let mut ends = BTreeSet::new();
    for named in FILL_IN_THE_MIDDLE {
        let mut declared = None;
        for name in named.keys {
            declared = key(v, name)?.or(declared);
        }
        let id = declared.or_else(|| {
            let id = named.texts.iter().find_map(|text| v.token(text.as_bytes()))?;
            mark(v, id, |old| old | attribute::CONTROL);
            Some(id)
        });
        if named.ends {
            ends.extend(id);
        }
    }
    for text in ENDS {
        if let Some(id) = v.token(text.as_bytes()) {
            mark(v, id, |old| old | attribute::CONTROL);
            ends.insert(id);
        }
    }
    for text in SHOWN {
        if let Some(id) = v.token(text.as_bytes()) {
            mark(v, id, |_| attribute::USER_DEFINED);
        }
    }
    for name in END_KEYS {
        ends.extend(key(v, name)?);
    }
    for exception in EXCEPTIONS {
        let has = |text: &&str| v.token(text.as_bytes()).is_some_and(|id| ends.contains(&id));
        if let Some(id) = v.token(exception.text.as_bytes())
            && exception.beside.iter().all(has)
            && ends.remove(&id)
        {
            mark(v, id, |_| exception.becomes);
        }
    }
    Ok(ends)
}

fn mark(v: &mut Vocabulary, id: u32, change: impl Fn(u16) -> u16) {
    if let Some(attributes) = v.attributes.get_mut(id as usize) {
        *attributes = change(*attributes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(texts: &[&str], declared: Option<(&str, u32)>) -> (Vec<u32>, Vocabulary) {
        let mut v = Vocabulary::with_capacity(8, 0);
        for text in texts {
            v.push(text.as_bytes(), attribute::NORMAL).unwrap();
        }
        let key = |_: &Vocabulary, name: &str| -> Result<Option<u32>, ()> {
            Ok(declared.filter(|(key, _)| *key == name).map(|(_, id)| id))
        };
        let ids = end_ids(&mut v, key).unwrap();
        (ids.into_iter().collect(), v)
    }

    #[test]
    fn ends_are_known_by_text_and_by_key() {
        let key = Some(("tokenizer.ggml.eot_token_id", 0));
        let (ids, v) = ends(&["a", "<|im_end|>", "b", "<|file_sep|>"], key);
        assert_eq!(ids, [0, 1, 3]);
        assert_eq!(v.attributes(1), attribute::NORMAL | attribute::CONTROL);
        assert_eq!(v.attributes(2), attribute::NORMAL);
    }

    #[test]
    fn the_end_of_a_harmony_message_ends_no_generation() {
        let (ids, v) = ends(&["<|end|>", "<|return|>", "<|call|>", "<|channel|>"], None);
        assert_eq!(ids, [1, 2]);
        assert_eq!(v.attributes(0), attribute::USER_DEFINED);
        assert_eq!(v.attributes(3), attribute::USER_DEFINED);
        assert_eq!(ends(&["<|end|>", "<|return|>"], None).0, [0, 1]);
    }

    #[test]
    fn only_the_first_name_of_a_fill_in_the_middle_token_counts() {
        let (ids, v) = ends(&["<PAD>", "<|fim_pad|>"], None);
        assert_eq!(ids, [1]);
        assert_eq!(v.attributes(0), attribute::NORMAL);
    }
}
