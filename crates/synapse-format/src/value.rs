//! Metadata values: thirteen value types, with arrays as flat buffers.

use std::fmt;

macro_rules! value_types {
    ($($(#[$doc:meta])* $name:ident $id:literal $text:literal $array:literal;)*) => {
        /// The type of a metadata value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        pub enum ValueType {
            $($(#[$doc])* $name = $id,)*
        }

        impl ValueType {
            /// Every value type, in the order of the numbers.
            pub const ALL: &'static [ValueType] = &[$(ValueType::$name),*];

            /// The type with the number that files hold.
            pub fn from_id(id: u32) -> Option<ValueType> {
                match id {
                    $($id => Some(ValueType::$name),)*
                    _ => None,
                }
            }

            /// The name in messages, such as `u32` or `string`.
            pub fn name(self) -> &'static str {
                match self {
                    $(ValueType::$name => $text,)*
                }
            }

            /// The name of an array of this type in messages, such as `[u32]`.
            pub fn array_name(self) -> &'static str {
                match self {
                    $(ValueType::$name => $array,)*
                }
            }
        }
    };
}

value_types! {
    /// Unsigned, 8 bits.
    U8 0 "u8" "[u8]";
    /// Signed, 8 bits.
    I8 1 "i8" "[i8]";
    /// Unsigned, 16 bits.
    U16 2 "u16" "[u16]";
    /// Signed, 16 bits.
    I16 3 "i16" "[i16]";
    /// Unsigned, 32 bits.
    U32 4 "u32" "[u32]";
    /// Signed, 32 bits.
    I32 5 "i32" "[i32]";
    /// IEEE 754, 32 bits.
    F32 6 "f32" "[f32]";
    /// One byte, 0 or 1.
    Bool 7 "bool" "[bool]";
    /// Length and bytes.
    String 8 "string" "[string]";
    /// Element type, count, elements.
    Array 9 "array" "[array]";
    /// Unsigned, 64 bits.
    U64 10 "u64" "[u64]";
    /// Signed, 64 bits.
    I64 11 "i64" "[i64]";
    /// IEEE 754, 64 bits.
    F64 12 "f64" "[f64]";
}

impl ValueType {
    /// The number that files hold.
    pub fn id(self) -> u32 {
        self as u32
    }

    /// The fewest bytes that one value takes in a file: the size of a number, the length field
    /// of a string, the two head fields of an array.
    pub fn least_bytes(self) -> u64 {
        match self {
            ValueType::U8 | ValueType::I8 | ValueType::Bool => 1,
            ValueType::U16 | ValueType::I16 => 2,
            ValueType::U32 | ValueType::I32 | ValueType::F32 => 4,
            ValueType::U64 | ValueType::I64 | ValueType::F64 | ValueType::String => 8,
            ValueType::Array => 12,
        }
    }
}

/// A string as the file holds it: bytes that should be UTF-8, kept as they are where they are
/// not.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct GgufString(Vec<u8>);

impl GgufString {
    /// The text, `None` where the bytes are not UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text for a person, with U+FFFD where bytes are not UTF-8.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl fmt::Debug for GgufString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.lossy())
    }
}

impl From<Vec<u8>> for GgufString {
    fn from(bytes: Vec<u8>) -> GgufString {
        GgufString(bytes)
    }
}

impl From<&str> for GgufString {
    fn from(text: &str) -> GgufString {
        GgufString(text.as_bytes().to_vec())
    }
}

/// Many strings in one buffer: a vocabulary of 262144 tokens is two allocations.
///
/// The buffer holds at most 4 GiB; `ends[i]` is where string `i` ends, and it begins where the
/// one before it ends.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StringArray {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl StringArray {
    /// Room for `count` strings.
    pub(crate) fn try_with_capacity(
        count: usize,
    ) -> Result<StringArray, std::collections::TryReserveError> {
        let mut ends = Vec::new();
        ends.try_reserve_exact(count)?;
        Ok(StringArray { bytes: Vec::new(), ends })
    }

    /// Appends a string of `len` bytes which `fill` writes. `None`, without calling `fill`, where
    /// the buffer would pass 4 GiB or memory is refused.
    pub(crate) fn push_with<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let start = self.bytes.len();
        let end = start.checked_add(len)?;
        let mark = u32::try_from(end).ok()?;
        self.bytes.try_reserve(len).ok()?;
        self.bytes.resize(end, 0);
        let done = fill(self.bytes.get_mut(start..end)?);
        self.ends.push(mark);
        Some(done)
    }

    /// Count of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no string.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The bytes of string `index`; `None` past the end.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)? as usize;
        let start = match index.checked_sub(1) {
            Some(before) => *self.ends.get(before)? as usize,
            None => 0,
        };
        self.bytes.get(start..end)
    }

    /// The text of string `index`; `None` past the end or where the bytes are not UTF-8.
    pub fn get_str(&self, index: usize) -> Option<&str> {
        std::str::from_utf8(self.get(index)?).ok()
    }

    /// The strings' bytes in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
        (0..self.len()).map(|i| self.get(i).unwrap_or_default())
    }
}

impl fmt::Debug for StringArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(String::from_utf8_lossy)).finish()
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for StringArray {
    /// Collects strings; those that would pass 4 GiB in all are left out.
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> StringArray {
        let mut all = StringArray::default();
        for s in strings {
            let s = s.as_ref();
            let _ = all.push_with(s.len(), |room| {
                room.copy_from_slice(s);
                Ok::<(), ()>(())
            });
        }
        all
    }
}

/// An array value. Arrays of arrays do not exist here: the reader refuses them.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the element type of its name")]
pub enum Array {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    String(StringArray),
}

/// Runs `$body` with `$items` bound to the vector or string array of whichever variant.
macro_rules! each_array {
    ($array:expr, $items:ident => $body:expr) => {
        match $array {
            Array::U8($items) => $body,
            Array::I8($items) => $body,
            Array::U16($items) => $body,
            Array::I16($items) => $body,
            Array::U32($items) => $body,
            Array::I32($items) => $body,
            Array::U64($items) => $body,
            Array::I64($items) => $body,
            Array::F32($items) => $body,
            Array::F64($items) => $body,
            Array::Bool($items) => $body,
            Array::String($items) => $body,
        }
    };
}

impl Array {
    /// Count of elements.
    pub fn len(&self) -> usize {
        each_array!(self, items => items.len())
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The type of the elements.
    pub fn element_type(&self) -> ValueType {
        match self {
            Array::U8(_) => ValueType::U8,
            Array::I8(_) => ValueType::I8,
            Array::U16(_) => ValueType::U16,
            Array::I16(_) => ValueType::I16,
            Array::U32(_) => ValueType::U32,
            Array::I32(_) => ValueType::I32,
            Array::U64(_) => ValueType::U64,
            Array::I64(_) => ValueType::I64,
            Array::F32(_) => ValueType::F32,
            Array::F64(_) => ValueType::F64,
            Array::Bool(_) => ValueType::Bool,
            Array::String(_) => ValueType::String,
        }
    }

    /// Element `index` as a value of its own; `None` past the end.
    pub fn get(&self, index: usize) -> Option<Value> {
        Some(match self {
            Array::U8(v) => Value::U8(*v.get(index)?),
            Array::I8(v) => Value::I8(*v.get(index)?),
            Array::U16(v) => Value::U16(*v.get(index)?),
            Array::I16(v) => Value::I16(*v.get(index)?),
            Array::U32(v) => Value::U32(*v.get(index)?),
            Array::I32(v) => Value::I32(*v.get(index)?),
            Array::U64(v) => Value::U64(*v.get(index)?),
            Array::I64(v) => Value::I64(*v.get(index)?),
            Array::F32(v) => Value::F32(*v.get(index)?),
            Array::F64(v) => Value::F64(*v.get(index)?),
            Array::Bool(v) => Value::Bool(*v.get(index)?),
            Array::String(v) => Value::String(v.get(index)?.to_vec().into()),
        })
    }
}

/// A metadata value.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "each variant is the value type of its name")]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    U64(u64),
    I64(i64),
    F32(f32),
    F64(f64),
    Bool(bool),
    String(GgufString),
    Array(Array),
}

impl Value {
    /// The value's type.
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::U8(_) => ValueType::U8,
            Value::I8(_) => ValueType::I8,
            Value::U16(_) => ValueType::U16,
            Value::I16(_) => ValueType::I16,
            Value::U32(_) => ValueType::U32,
            Value::I32(_) => ValueType::I32,
            Value::U64(_) => ValueType::U64,
            Value::I64(_) => ValueType::I64,
            Value::F32(_) => ValueType::F32,
            Value::F64(_) => ValueType::F64,
            Value::Bool(_) => ValueType::Bool,
            Value::String(_) => ValueType::String,
            Value::Array(_) => ValueType::Array,
        }
    }

    /// The type's name in messages: `u32`, `string`, `[f32]`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Array(a) => a.element_type().array_name(),
            other => other.value_type().name(),
        }
    }

    /// The text of a string that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(s) => s.as_str(),
            _ => None,
        }
    }

    /// The bytes of a string.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::String(s) => Some(s.as_bytes()),
            _ => None,
        }
    }

    /// An integer of any type that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Value::U64(n) => Some(n),
            _ => self.as_i64().and_then(|n| u64::try_from(n).ok()),
        }
    }

    /// An integer of any type that fits a signed 64-bit number.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Value::U8(n) => Some(n.into()),
            Value::I8(n) => Some(n.into()),
            Value::U16(n) => Some(n.into()),
            Value::I16(n) => Some(n.into()),
            Value::U32(n) => Some(n.into()),
            Value::I32(n) => Some(n.into()),
            Value::U64(n) => i64::try_from(n).ok(),
            Value::I64(n) => Some(n),
            _ => None,
        }
    }

    /// A floating-point number of either width; integers are not taken.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Value::F32(n) => Some(n.into()),
            Value::F64(n) => Some(n),
            _ => None,
        }
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// An array.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(a) => Some(a),
            _ => None,
        }
    }
}

macro_rules! value_from {
    ($($type:ty => $variant:ident),*) => {
        $(
            impl From<$type> for Value {
                fn from(value: $type) -> Value {
                    Value::$variant(value)
                }
            }
            impl From<Vec<$type>> for Value {
                fn from(items: Vec<$type>) -> Value {
                    Value::Array(Array::$variant(items))
                }
            }
        )*
    };
}

value_from!(
    u8 => U8, i8 => I8, u16 => U16, i16 => I16, u32 => U32, i32 => I32, u64 => U64, i64 => I64,
    f32 => F32, f64 => F64, bool => Bool
);

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(text.into())
    }
}

impl From<Vec<&str>> for Value {
    fn from(texts: Vec<&str>) -> Value {
        Value::Array(Array::String(texts.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_of_any_width_read_as_u64_and_negative_ones_do_not() {
        assert_eq!(Value::I8(7).as_u64(), Some(7));
        assert_eq!(Value::U64(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(Value::I32(-1).as_u64(), None);
        assert_eq!(Value::I32(-1).as_i64(), Some(-1));
        assert_eq!(Value::U64(u64::MAX).as_i64(), None);
        assert_eq!(Value::F32(1.0).as_u64(), None);
        assert_eq!(Value::U32(1).as_f64(), None);
    }

    #[test]
    fn a_string_array_keeps_each_string_apart() {
        let a: StringArray = ["ab", "", "c"].into_iter().collect();
        assert_eq!(a.iter().collect::<Vec<_>>(), [&b"ab"[..], b"", b"c"]);
        assert_eq!(a.get(0), Some(&b"ab"[..]));
        assert_eq!(a.get(2), Some(&b"c"[..]));
        assert_eq!(a.get(3), None);
    }

    #[test]
    fn a_string_that_is_not_utf8_keeps_its_bytes() {
        let s = GgufString::from(vec![b'a', 0xff]);
        assert_eq!(s.as_str(), None);
        assert_eq!(s.as_bytes(), [b'a', 0xff]);
    }

    #[test]
    fn value_type_numbers_are_the_formats() {
        assert_eq!(
            ValueType::ALL.iter().map(|t| t.id()).collect::<Vec<_>>(),
            Vec::from_iter(0..13)
        );
        assert_eq!(ValueType::from_id(13), None);
    }
}
