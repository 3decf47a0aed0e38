//! The architecture's metadata keys, with a record of which ones something has read.

use std::cell::RefCell;
use std::collections::BTreeSet;

use synapse_diag::{Diagnostic, catalog::bind as rule};
use synapse_format::{Metadata, Value};

/// Names that definitions may use for keys with a longer path.
const SHORT_NAMES: &[(&str, &str)] = &[
    ("head_count", "attention.head_count"),
    ("head_count_kv", "attention.head_count_kv"),
    ("head_dim", "attention.key_length"),
    ("epsilon", "attention.layer_norm_rms_epsilon"),
];

/// Most layers, and most heads, that a file may declare.
const LAYER_CAP: u64 = 4096;
const HEAD_CAP: u64 = 1 << 20;
const WIDTH_CAP: u64 = 1 << 31;

/// A constant of a definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    Number(f64),
    Bool(bool),
}

/// Keys `ARCH.name` of one file.
pub(crate) struct Keys<'a> {
    metadata: &'a Metadata,
    arch: &'a str,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Keys<'a> {
    pub fn new(metadata: &'a Metadata, arch: &'a str) -> Keys<'a> {
        Keys { metadata, arch, used: RefCell::default() }
    }

    /// The name in the file of a key of the definition.
    pub fn full(&self, key: &str) -> String {
        let key = SHORT_NAMES.iter().find(|(short, _)| *short == key).map_or(key, |(_, long)| long);
        format!("{}.{key}", self.arch)
    }

    fn touch(&self, key: &str) -> String {
        let full = self.full(key);
        self.used.borrow_mut().insert(full.clone());
        full
    }

    /// Records that something has taken note of a key.
    pub fn mark(&self, key: &str) {
        self.touch(key);
    }

    /// A key as a constant; `None` where it is absent and has no default.
    pub fn constant(&self, key: &str) -> Result<Option<Constant>, Diagnostic> {
        match key {
            "head_dim" => return self.head_dim().map(|n| Some(Constant::Number(n as f64))),
            "head_count_kv" => return self.kv_heads().map(|n| Some(Constant::Number(n as f64))),
            _ => {}
        }
        let full = self.touch(key);
        Ok(match self.metadata.get(&full) {
            None => None,
            Some(Value::Bool(b)) => Some(Constant::Bool(*b)),
            Some(value) => {
                let number = value.as_f64().or_else(|| value.as_i64().map(|n| n as f64));
                match number {
                    Some(n) => Some(Constant::Number(n)),
                    // Not a scalar: the getter words the refusal.
                    None => self.metadata.get_f32(&full)?.map(|n| Constant::Number(n.into())),
                }
            }
        })
    }

    fn bounded(&self, key: &str, cap: u64) -> Result<Option<usize>, Diagnostic> {
        let full = self.touch(key);
        let Some(n) = self.metadata.get_u64(&full)? else { return Ok(None) };
        if n == 0 || n > cap {
            let why = if n == 0 { "it must be at least 1" } else { "it is beyond every model" };
            return Err(self.unacceptable(key, n, why));
        }
        Ok(usize::try_from(n).ok())
    }

    fn required(&self, key: &str, cap: u64) -> Result<usize, Diagnostic> {
        self.bounded(key, cap)?.ok_or_else(|| self.metadata.missing(&self.full(key)))
    }

    /// The refusal of a key's value.
    pub fn unacceptable(
        &self,
        key: &str,
        value: impl std::fmt::Display,
        why: impl std::fmt::Display,
    ) -> Diagnostic {
        Diagnostic::new(&rule::KEY_VALUE)
            .arg("key", self.full(key))
            .arg("value", value)
            .arg("why", why)
    }

    pub fn layers(&self) -> Result<usize, Diagnostic> {
        self.required("block_count", LAYER_CAP)
    }

    pub fn context_length(&self) -> Result<usize, Diagnostic> {
        self.required("context_length", u64::from(u32::MAX))
    }

    pub fn embedding_length(&self) -> Result<usize, Diagnostic> {
        self.required("embedding_length", WIDTH_CAP)
    }

    pub fn heads(&self) -> Result<usize, Diagnostic> {
        self.required("head_count", HEAD_CAP)
    }

    /// Heads of keys and values: as many as query heads where the file does not say.
    pub fn kv_heads(&self) -> Result<usize, Diagnostic> {
        let heads = self.heads()?;
        let kv = self.bounded("head_count_kv", HEAD_CAP)?.unwrap_or(heads);
        if heads % kv != 0 {
            return Err(self.unacceptable(
                "head_count_kv",
                kv,
                format!("the {heads} query heads are not a multiple of it"),
            ));
        }
        Ok(kv)
    }

    /// Elements of a query or key head: `attention.key_length`, else width / heads.
    pub fn head_dim(&self) -> Result<usize, Diagnostic> {
        if let Some(n) = self.bounded("attention.key_length", WIDTH_CAP)? {
            return Ok(n);
        }
        let (width, heads) = (self.embedding_length()?, self.heads()?);
        if width % heads != 0 {
            return Err(self.unacceptable(
                "head_count",
                heads,
                format!(
                    "the embedding length {width} is not a multiple of it, and there is no `{}`",
                    self.full("attention.key_length")
                ),
            ));
        }
        Ok(width / heads)
    }

    /// Elements of a value head: `attention.value_length`, else as a key.
    pub fn value_dim(&self) -> Result<usize, Diagnostic> {
        match self.bounded("attention.value_length", WIDTH_CAP)? {
            Some(n) => Ok(n),
            None => self.head_dim(),
        }
    }

    /// The norm's epsilon: finite and not negative.
    pub fn epsilon(&self) -> Result<f32, Diagnostic> {
        let epsilon = self.metadata.require_f32(&self.touch("epsilon"))?;
        if !epsilon.is_finite() || epsilon < 0.0 {
            return Err(self.unacceptable(
                "epsilon",
                epsilon,
                "it must be a finite number, not negative",
            ));
        }
        Ok(epsilon)
    }

    /// An integer that may be absent.
    pub fn integer(&self, key: &str) -> Result<Option<u64>, Diagnostic> {
        self.metadata.get_u64(&self.touch(key))
    }

    /// What a rotation counts with, base or divisor, that may be absent: finite and at least 1,
    /// so that no frequency is above one radian a position.
    pub fn at_least_one(&self, key: &str) -> Result<Option<f64>, Diagnostic> {
        let Some(n) = self.metadata.get_f32(&self.touch(key))? else { return Ok(None) };
        if !n.is_finite() || n < 1.0 {
            return Err(self.unacceptable(key, n, "it must be a finite number, 1 or more"));
        }
        Ok(Some(n.into()))
    }

    /// A text that may be absent.
    pub fn text(&self, key: &str) -> Result<Option<&'a str>, Diagnostic> {
        self.metadata.get_str(&self.touch(key))
    }

    /// A value as it is, without marking the key as read.
    pub fn peek(&self, key: &str) -> Option<&'a Value> {
        self.metadata.get(&self.full(key))
    }

    /// Keys of the architecture that nothing has read, without the prefix, in file order.
    pub fn unread(&self) -> Vec<(&'a str, &'a Value)> {
        let used = self.used.borrow();
        self.metadata
            .iter()
            .filter(|(key, _)| !used.contains(*key))
            .filter_map(|(key, value)| {
                let short = key.strip_prefix(self.arch)?.strip_prefix('.')?;
                Some((short, value))
            })
            .collect()
    }
}

/// A value for a message: arrays by type and length.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::String(s) => format!("\"{}\"", s.lossy()),
        Value::Array(a) => format!("{} of {}", value.type_name(), a.len()),
        Value::Bool(b) => b.to_string(),
        Value::F32(n) => n.to_string(),
        Value::F64(n) => n.to_string(),
        other => other.as_i64().map_or_else(
            || other.as_u64().map_or_else(String::new, |n| n.to_string()),
            |n| n.to_string(),
        ),
    }
}
