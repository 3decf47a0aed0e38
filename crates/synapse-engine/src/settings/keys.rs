//! The table of settings: every name that a flag, the environment or `.env` can set.

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The model's file.
    Model,
    /// Tokens that a session can hold.
    Context,
    /// Tokens that a generation yields at most.
    MaxTokens,
    /// Randomness of the choice; 0 is greedy.
    Temperature,
    /// Worker threads.
    Threads,
    /// The engine.
    Backend,
    /// Folder of definitions.
    Definitions,
    /// Precision profile.
    Precision,
    /// Element type of keys and values.
    Kv,
    /// Instruction set of the kernels.
    Kernels,
    /// Language of messages.
    Lang,
}

/// A row of the table.
#[derive(Debug)]
pub struct KeyRow {
    /// Which setting.
    pub key: Key,
    /// The variable.
    pub variable: &'static str,
    /// The flag of the commands that use it, where there is one.
    pub flag: Option<&'static str>,
    /// What holds when nobody sets it, in words.
    pub default: &'static str,
    /// A value to show in a template.
    pub example: &'static str,
    /// What it sets.
    pub sentence: &'static str,
}

const fn row(
    key: Key,
    variable: &'static str,
    flag: Option<&'static str>,
    default: &'static str,
    example: &'static str,
    sentence: &'static str,
) -> KeyRow {
    KeyRow { key, variable, flag, default, example, sentence }
}

/// Every setting, in the order of [`Key`].
pub static KEYS: &[KeyRow] = &[
    row(
        Key::Model,
        "SYNSEMA_LLM_MODEL",
        Some("--model"),
        "none",
        "models/model.gguf",
        "Path of the model, a GGUF file.",
    ),
    row(
        Key::Context,
        "SYNSEMA_LLM_CTX",
        Some("--ctx"),
        "the model's own, 4096 at most",
        "4096",
        "Tokens that a conversation can hold, prompt and answer together.",
    ),
    row(
        Key::MaxTokens,
        "SYNSEMA_LLM_MAX_TOKENS",
        Some("--max-tokens"),
        "512",
        "512",
        "Tokens that one answer has at most.",
    ),
    row(
        Key::Temperature,
        "SYNSEMA_LLM_TEMPERATURE",
        Some("--temperature"),
        "0",
        "0",
        "Randomness: 0 is greedy and repeatable. Nothing else is built in yet.",
    ),
    row(
        Key::Threads,
        "SYNSEMA_LLM_THREADS",
        Some("--threads"),
        "one per processor",
        "2",
        "Worker threads. Results do not depend on it.",
    ),
    row(
        Key::Backend,
        "SYNSEMA_INFER_BACKEND",
        None,
        "rust",
        "rust",
        "The engine. `rust` is the only one built in.",
    ),
    row(
        Key::Definitions,
        "SYNSEMA_INFER_ARCHDEF",
        Some("--definitions"),
        "none: only the built-in definitions",
        "archdefs",
        "Folder of your own architecture definitions (`NAME.archdef`). One with the name of a \
         built-in definition takes its place.",
    ),
    row(
        Key::Precision,
        "SYNSEMA_INFER_PRECISION",
        Some("--precision"),
        "q8 where the weights are quantized, f32 otherwise",
        "q8",
        "Precision profile: `f32` (reference) or `q8` (int8 activations, fast).",
    ),
    row(
        Key::Kv,
        "SYNSEMA_INFER_KV",
        Some("--kv"),
        "f16",
        "f16",
        "Element type of stored keys and values: `f16` or `f32`.",
    ),
    row(
        Key::Kernels,
        "SYNSEMA_INFER_KERNELS",
        Some("--kernels"),
        "the fastest that the processor has",
        "scalar",
        "Instruction set. Results do not depend on it.",
    ),
    row(
        Key::Lang,
        "SYNSEMA_LANG",
        None,
        "from LC_ALL, LC_MESSAGES or LANG",
        "en",
        "Language of messages: `en` or `es`.",
    ),
];

impl Key {
    /// The setting's row.
    pub fn row(self) -> &'static KeyRow {
        // The order of the table is the order of the enum; a test holds that.
        &KEYS[self as usize]
    }

    /// The variable's name.
    pub fn variable(self) -> &'static str {
        self.row().variable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (i, row) in KEYS.iter().enumerate() {
            assert_eq!(row.key as usize, i, "{}", row.variable);
        }
    }

    #[test]
    fn the_page_about_the_command_line_lists_every_setting() {
        let page = include_str!("../../../../docs/cli.md");
        for row in KEYS {
            let flag = row.flag.map_or(String::new(), |f| format!("`{f}` "));
            let line = format!("| `{}` | {flag}| {} |", row.variable, row.default);
            assert!(page.contains(&line), "docs/cli.md lacks: {line}");
        }
    }

    #[test]
    fn variables_and_flags_are_unique() {
        for (i, row) in KEYS.iter().enumerate() {
            for other in &KEYS[..i] {
                assert_ne!(row.variable, other.variable);
                assert!(row.flag.is_none() || row.flag != other.flag);
            }
        }
    }
}
