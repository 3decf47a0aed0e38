//! The metadata of a model file: keys and typed values in file order.

use synapse_diag::{Diagnostic, catalog::gguf as rule};

use crate::name_index::NameIndex;
use crate::value::{Array, StringArray, Value};

/// Keys and values, in the order of the file, found by key.
///
/// The typed getters return `Ok(None)` where the key is absent and a diagnostic that names the
/// key and both types where the value has another type; nothing is converted in silence. Integer
/// getters take an integer of any width whose value fits. The `require_*` forms refuse an absent
/// key by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    source: Option<String>,
    pairs: Vec<(String, Value)>,
    index: NameIndex,
}

impl Metadata {
    /// Metadata from pairs. Where a key comes twice, the first one is found.
    pub fn from_pairs(pairs: Vec<(String, Value)>) -> Metadata {
        let index = NameIndex::new(&pairs, |p| &p.0);
        Metadata { source: None, pairs, index }
    }

    /// Sets the file name that the getters' diagnostics carry.
    pub fn with_source(mut self, source: impl Into<String>) -> Metadata {
        self.source = Some(source.into());
        self
    }

    /// The first key that comes a second time.
    pub(crate) fn duplicate(&self) -> Option<&str> {
        let second = self.index.duplicate(&self.pairs, |p| &p.0)?;
        self.pairs.get(second).map(|p| p.0.as_str())
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.index.find(&self.pairs, |p| &p.0, key).map(|p| &p.1)
    }

    /// Keys and values in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.pairs.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// Count of keys.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn at_source(&self, d: Diagnostic) -> Diagnostic {
        match &self.source {
            Some(file) => d.at_file(file),
            None => d,
        }
    }

    fn mismatch(&self, key: &str, value: &Value, expected: &str) -> Diagnostic {
        let d = Diagnostic::new(&rule::KEY_TYPE)
            .arg("key", key)
            .arg("found", value.type_name())
            .arg("expected", expected);
        self.at_source(d)
    }

    /// The refusal of an absent key.
    pub fn missing(&self, key: &str) -> Diagnostic {
        self.at_source(Diagnostic::new(&rule::KEY_MISSING).arg("key", key))
    }

    /// `read` gives the wanted form of the value, or `None` where its type is another.
    fn typed<'m, T>(
        &'m self,
        key: &str,
        expected: &str,
        read: impl FnOnce(&'m Value) -> Option<T>,
    ) -> Result<Option<T>, Diagnostic> {
        let Some(value) = self.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.mismatch(key, value, expected))
    }

    fn integer<T: TryFrom<i128>>(
        &self,
        key: &str,
        expected: &str,
    ) -> Result<Option<T>, Diagnostic> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let wide = match value {
            Value::U64(n) => Some(i128::from(*n)),
            other => other.as_i64().map(i128::from),
        };
        let wide = wide.ok_or_else(|| self.mismatch(key, value, expected))?;
        T::try_from(wide).map(Some).map_err(|_| {
            let d = Diagnostic::new(&rule::KEY_RANGE)
                .arg("key", key)
                .arg("value", wide)
                .arg("expected", expected);
            self.at_source(d)
        })
    }

    /// An integer of any width whose value fits `u32`.
    pub fn get_u32(&self, key: &str) -> Result<Option<u32>, Diagnostic> {
        self.integer(key, "u32")
    }

    /// An integer of any width whose value fits `u64`.
    pub fn get_u64(&self, key: &str) -> Result<Option<u64>, Diagnostic> {
        self.integer(key, "u64")
    }

    /// An integer of any width whose value fits `i64`.
    pub fn get_i64(&self, key: &str) -> Result<Option<i64>, Diagnostic> {
        self.integer(key, "i64")
    }

    /// An `f32`; an `f64` is rounded to the nearest `f32`.
    pub fn get_f32(&self, key: &str) -> Result<Option<f32>, Diagnostic> {
        self.typed(key, "f32", |v| match *v {
            Value::F32(n) => Some(n),
            Value::F64(n) => Some(n as f32),
            _ => None,
        })
    }

    /// A truth value.
    pub fn get_bool(&self, key: &str) -> Result<Option<bool>, Diagnostic> {
        self.typed(key, "bool", Value::as_bool)
    }

    /// A string; one that is not UTF-8 is refused by key.
    pub fn get_str(&self, key: &str) -> Result<Option<&str>, Diagnostic> {
        match self.typed(key, "string", |v| match v {
            Value::String(s) => Some(s),
            _ => None,
        })? {
            None => Ok(None),
            Some(s) => s.as_str().map(Some).ok_or_else(|| {
                let d =
                    Diagnostic::new(&rule::STRING_NOT_UTF8).arg("key", key).arg("text", s.lossy());
                self.at_source(d)
            }),
        }
    }

    /// A notice for each string that is not UTF-8: it does no harm while nobody reads it, but a
    /// file that has one was written wrongly.
    pub(crate) fn strings_not_utf8(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.iter().filter_map(|(key, value)| match value {
            Value::String(s) if s.as_str().is_none() => {
                Some(Diagnostic::new(&rule::STRING_REPLACED).arg("key", key).arg("text", s.lossy()))
            }
            _ => None,
        })
    }

    /// An array of strings, as bytes: single strings may be something else than UTF-8.
    pub fn get_string_array(&self, key: &str) -> Result<Option<&StringArray>, Diagnostic> {
        self.typed(key, "[string]", |v| match v {
            Value::Array(Array::String(a)) => Some(a),
            _ => None,
        })
    }

    /// An array of `f32`, exactly that type.
    pub fn get_f32_array(&self, key: &str) -> Result<Option<&[f32]>, Diagnostic> {
        self.typed(key, "[f32]", |v| match v {
            Value::Array(Array::F32(a)) => Some(a.as_slice()),
            _ => None,
        })
    }

    /// An array of `i32`, exactly that type.
    pub fn get_i32_array(&self, key: &str) -> Result<Option<&[i32]>, Diagnostic> {
        self.typed(key, "[i32]", |v| match v {
            Value::Array(Array::I32(a)) => Some(a.as_slice()),
            _ => None,
        })
    }

    /// An array of truth values.
    pub fn get_bool_array(&self, key: &str) -> Result<Option<&[bool]>, Diagnostic> {
        self.typed(key, "[bool]", |v| match v {
            Value::Array(Array::Bool(a)) => Some(a.as_slice()),
            _ => None,
        })
    }

    /// An array of integers of any width, none of them negative: per-layer counts.
    pub fn get_u64_array(&self, key: &str) -> Result<Option<Vec<u64>>, Diagnostic> {
        self.typed(key, "[u64]", |v| {
            let Value::Array(a) = v else { return None };
            match a {
                Array::F32(_) | Array::F64(_) | Array::Bool(_) | Array::String(_) => None,
                _ => (0..a.len()).map(|i| a.get(i)?.as_u64()).collect(),
            }
        })
    }

    fn required<T>(&self, key: &str, got: Result<Option<T>, Diagnostic>) -> Result<T, Diagnostic> {
        got?.ok_or_else(|| self.missing(key))
    }

    /// [`Metadata::get_u32`] of a key that must be there.
    pub fn require_u32(&self, key: &str) -> Result<u32, Diagnostic> {
        self.required(key, self.get_u32(key))
    }

    /// [`Metadata::get_u64`] of a key that must be there.
    pub fn require_u64(&self, key: &str) -> Result<u64, Diagnostic> {
        self.required(key, self.get_u64(key))
    }

    /// [`Metadata::get_f32`] of a key that must be there.
    pub fn require_f32(&self, key: &str) -> Result<f32, Diagnostic> {
        self.required(key, self.get_f32(key))
    }

    /// [`Metadata::get_bool`] of a key that must be there.
    pub fn require_bool(&self, key: &str) -> Result<bool, Diagnostic> {
        self.required(key, self.get_bool(key))
    }

    /// [`Metadata::get_str`] of a key that must be there.
    pub fn require_str(&self, key: &str) -> Result<&str, Diagnostic> {
        self.required(key, self.get_str(key))
    }

    /// [`Metadata::get_string_array`] of a key that must be there.
    pub fn require_string_array(&self, key: &str) -> Result<&StringArray, Diagnostic> {
        self.required(key, self.get_string_array(key))
    }

    /// [`Metadata::get_f32_array`] of a key that must be there.
    pub fn require_f32_array(&self, key: &str) -> Result<&[f32], Diagnostic> {
        self.required(key, self.get_f32_array(key))
    }

    /// [`Metadata::get_i32_array`] of a key that must be there.
    pub fn require_i32_array(&self, key: &str) -> Result<&[i32], Diagnostic> {
        self.required(key, self.get_i32_array(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Metadata {
        Metadata::from_pairs(vec![
            ("b".into(), 7u64.into()),
            ("a".into(), "text".into()),
            ("n".into(), (-1i32).into()),
            ("big".into(), (1u64 << 40).into()),
            ("raw".into(), Value::String(vec![0xff].into())),
            ("heads".into(), vec![1u32, 2].into()),
        ])
        .with_source("m.gguf")
    }

    #[test]
    fn file_order_is_kept_and_keys_are_found() {
        let m = sample();
        assert_eq!(m.iter().next().map(|p| p.0), Some("b"));
        assert_eq!(m.get_u32("b").unwrap(), Some(7));
        assert_eq!(m.get_str("a").unwrap(), Some("text"));
        assert_eq!(m.get_str("none").unwrap(), None);
        assert_eq!(m.get_u64_array("heads").unwrap(), Some(vec![1, 2]));
    }

    #[test]
    fn a_value_of_another_type_is_refused_with_key_and_both_types() {
        let text = sample().get_u32("a").unwrap_err().to_string();
        assert!(text.starts_with("m.gguf: `a`"), "{text}");
        assert!(text.contains("string") && text.contains("u32"), "{text}");
        let text = sample().get_f32_array("heads").unwrap_err().to_string();
        assert!(text.contains("[u32]") && text.contains("[f32]"), "{text}");
    }

    #[test]
    fn a_number_that_does_not_fit_is_refused_with_its_value() {
        assert!(sample().get_u32("n").unwrap_err().to_string().contains("-1"));
        assert!(sample().get_u32("big").unwrap_err().to_string().contains("1099511627776"));
        assert_eq!(sample().get_u64("big").unwrap(), Some(1 << 40));
    }

    #[test]
    fn a_missing_key_is_refused_by_name() {
        let d = sample().require_u32("llama.block_count").unwrap_err();
        assert_eq!(d.code(), "gguf-key-missing");
        assert!(d.to_string().contains("`llama.block_count`"));
    }

    #[test]
    fn a_string_that_is_not_utf8_is_refused_by_key() {
        let d = sample().get_str("raw").unwrap_err();
        assert_eq!(d.code(), "gguf-string-not-utf8");
        assert!(d.to_string().contains("`raw`"));
    }
}
