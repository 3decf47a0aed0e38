//! Magic, version, counts and metadata.

use std::io::Read;

use synapse_diag::{Diagnostic, Entry, catalog::gguf as rule};

use super::cursor::{Cursor, Fault, reserve};
use crate::limits;
use crate::metadata::Metadata;
use crate::value::{Array, StringArray, Value, ValueType};

/// The fewest bytes of a key and its value: length, one byte, type, one byte.
const LEAST_PAIR: u64 = 8 + 1 + 4 + 1;
/// The fewest bytes of a tensor description: length, one byte, count, one dimension, type, offset.
const LEAST_TENSOR: u64 = 8 + 1 + 4 + 8 + 4 + 8;

/// What stands before the tensor table.
pub(super) struct Header {
    pub(super) version: u32,
    pub(super) metadata: Metadata,
    /// `general.alignment`, a power of two; 32 where the file does not say.
    pub(super) alignment: u64,
    pub(super) tensors: Count,
}

/// Reads everything before the tensor table.
pub(super) fn read<R: Read>(from: &mut Cursor<R>) -> Result<Header, Diagnostic> {
    magic(from)?;
    let version = version(from)?;
    let tensors = Count::read(from, "tensor_count", LEAST_TENSOR, limits::TENSORS)?;
    let keys = Count::read(from, "metadata_kv_count", LEAST_PAIR, limits::KEYS)?;
    let pairs = pairs(from, keys.count).map_err(|d| keys.blame(d))?;
    let metadata = Metadata::from_pairs(pairs);
    if let Some(key) = metadata.duplicate() {
        return Err(Diagnostic::new(&rule::KEY_DUPLICATE).arg("key", key));
    }
    let alignment = alignment(&metadata)?;
    Ok(Header { version, metadata, alignment, tensors })
}

fn pairs<R: Read>(from: &mut Cursor<R>, count: u64) -> Result<Vec<(String, Value)>, Diagnostic> {
    let mut pairs = Vec::new();
    for number in 0..count {
        if from.position() > limits::HEADER_BYTES {
            return Err(limit(from.position(), "metadata", from.position(), limits::HEADER_BYTES));
        }
        let key = key(from, number)?;
        let value = value(from, &key)?;
        pairs.push((key, value));
    }
    Ok(pairs)
}

/// The refusal of a size that passes one of [`limits`].
pub(super) fn limit(position: u64, what: &str, value: u64, limit: u64) -> Diagnostic {
    Diagnostic::new(&rule::LIMIT)
        .arg("position", position)
        .arg("what", what)
        .arg("value", value)
        .arg("limit", limit)
}

fn magic<R: Read>(from: &mut Cursor<R>) -> Result<(), Diagnostic> {
    if from.length() == 0 {
        return Err(Diagnostic::new(&rule::EMPTY));
    }
    let wanted = usize::try_from(from.left().min(4)).unwrap_or(4);
    let mut found = [0; 4];
    let found = found.get_mut(..wanted).unwrap_or_default();
    from.fill(found).map_err(|f| cut_header(f, "magic"))?;
    match &*found {
        b"GGUF" => Ok(()),
        // the first line of such a file is `version https://git-lfs.github.com/spec/v1`
        b"vers" => Err(Diagnostic::new(&rule::LFS_POINTER)),
        other => {
            let shown = format!("`{}`", other.escape_ascii());
            Err(Diagnostic::new(&rule::MAGIC).arg("found", shown))
        }
    }
}

fn version<R: Read>(from: &mut Cursor<R>) -> Result<u32, Diagnostic> {
    let found = from.u32().map_err(|f| cut_header(f, "version"))?;
    let swapped = found.swap_bytes();
    match found {
        2 | 3 => Ok(found),
        1 => Err(Diagnostic::new(&rule::VERSION_1)),
        // a version is a small number: one with only its upper half set was written big-endian
        _ if found & 0xffff == 0 && swapped != 0 => {
            Err(Diagnostic::new(&rule::VERSION_SWAPPED).arg("found", found).arg("swapped", swapped))
        }
        _ => Err(Diagnostic::new(&rule::VERSION_UNKNOWN).arg("found", found)),
    }
}

/// A count from the header, at most the limit for its kind. Nothing is allocated from it.
pub(super) struct Count {
    pub(super) count: u64,
    /// What is wrong with the count if the bytes that follow it cannot hold so many.
    doubt: Option<Diagnostic>,
}

impl Count {
    /// Reads the count of things that take at least `least` bytes each and are at most `most`.
    fn read<R: Read>(
        from: &mut Cursor<R>,
        field: &'static str,
        least: u64,
        most: u64,
    ) -> Result<Count, Diagnostic> {
        let position = from.position();
        let count = from.u64().map_err(|f| cut_header(f, field))?;
        if let signed @ ..0 = count.cast_signed() {
            return Err(Diagnostic::new(&rule::COUNT_NEGATIVE)
                .arg("position", position)
                .arg("field", field)
                .arg("count", signed));
        }
        let room = from.left() / least;
        let doubt = (count > room).then(|| {
            Diagnostic::new(&rule::COUNT_TOO_LARGE)
                .arg("position", position)
                .arg("field", field)
                .arg("count", count)
                .arg("left", from.left())
                .arg("most", room)
        });
        if count > most {
            return Err(doubt.unwrap_or_else(|| limit(position, field, count, most)));
        }
        Ok(Count { count, doubt })
    }

    /// What to say when reading so many things failed with `found`. A count that could not be
    /// true is the cause, except where the file just ends: then the place says more.
    pub(super) fn blame(&self, found: Diagnostic) -> Diagnostic {
        const ENDS: [&Entry; 6] = [
            &rule::METADATA_CUT,
            &rule::VALUE_CUT,
            &rule::ARRAY_TOO_LARGE,
            &rule::STRING_TOO_LARGE,
            &rule::TENSORS_CUT,
            &rule::TENSOR_CUT,
        ];
        match &self.doubt {
            Some(doubt) if !ENDS.contains(&found.entry()) => doubt.clone(),
            _ => found,
        }
    }
}

fn cut_header(fault: Fault, field: &'static str) -> Diagnostic {
    match fault {
        Fault::Told(d) => d,
        Fault::Short { position, need, left } => Diagnostic::new(&rule::HEADER_CUT)
            .arg("field", field)
            .arg("position", position)
            .arg("need", need)
            .arg("left", left),
    }
}

fn key<R: Read>(from: &mut Cursor<R>, number: u64) -> Result<String, Diagnostic> {
    let start = from.position();
    let cut = |fault| match fault {
        Fault::Told(d) => d,
        Fault::Short { position, need, left } => Diagnostic::new(&rule::METADATA_CUT)
            .arg("number", number)
            .arg("position", position)
            .arg("need", need)
            .arg("left", left),
    };
    let about = |entry| Diagnostic::new(entry).arg("position", start).arg("number", number);
    let length = from.u64().map_err(cut)?;
    if length == 0 {
        return Err(about(&rule::KEY_EMPTY));
    }
    if length > limits::KEY_BYTES {
        return Err(about(&rule::KEY_TOO_LONG)
            .arg("length", length)
            .arg("limit", limits::KEY_BYTES));
    }
    String::from_utf8(from.bytes(length).map_err(cut)?)
        .map_err(|e| about(&rule::KEY_NOT_UTF8).arg("text", String::from_utf8_lossy(e.as_bytes())))
}

fn value<R: Read>(from: &mut Cursor<R>, key: &str) -> Result<Value, Diagnostic> {
    let mut reader = ValueReader { from, key };
    let position = reader.from.position();
    let id = reader.number(u32::from_le_bytes)?;
    let ty = ValueType::from_id(id).ok_or_else(|| {
        reader.about(&rule::VALUE_TYPE).arg("position", position).arg("found", id)
    })?;
    Ok(match ty {
        ValueType::U8 => Value::U8(reader.number(u8::from_le_bytes)?),
        ValueType::I8 => Value::I8(reader.number(i8::from_le_bytes)?),
        ValueType::U16 => Value::U16(reader.number(u16::from_le_bytes)?),
        ValueType::I16 => Value::I16(reader.number(i16::from_le_bytes)?),
        ValueType::U32 => Value::U32(reader.number(u32::from_le_bytes)?),
        ValueType::I32 => Value::I32(reader.number(i32::from_le_bytes)?),
        ValueType::U64 => Value::U64(reader.number(u64::from_le_bytes)?),
        ValueType::I64 => Value::I64(reader.number(i64::from_le_bytes)?),
        ValueType::F32 => Value::F32(reader.number(f32::from_le_bytes)?),
        ValueType::F64 => Value::F64(reader.number(f64::from_le_bytes)?),
        ValueType::Bool => Value::Bool(reader.truth()?),
        ValueType::String => {
            let length = reader.string_length()?;
            let bytes = reader.from.bytes(length);
            Value::String(bytes.map_err(|f| reader.cut(f))?.into())
        }
        ValueType::Array => Value::Array(reader.array()?),
    })
}

/// Reads the value of one key, so that each refusal can name the key.
struct ValueReader<'a, R> {
    from: &'a mut Cursor<R>,
    key: &'a str,
}

impl<R: Read> ValueReader<'_, R> {
    fn about(&self, entry: &'static Entry) -> Diagnostic {
        Diagnostic::new(entry).arg("key", self.key)
    }

    fn cut(&self, fault: Fault) -> Diagnostic {
        match fault {
            Fault::Told(d) => d,
            Fault::Short { position, need, left } => self
                .about(&rule::VALUE_CUT)
                .arg("position", position)
                .arg("need", need)
                .arg("left", left),
        }
    }

    fn number<T, const N: usize>(&mut self, make: fn([u8; N]) -> T) -> Result<T, Diagnostic> {
        self.from.array().map(make).map_err(|f| self.cut(f))
    }

    fn truth(&mut self) -> Result<bool, Diagnostic> {
        let position = self.from.position();
        match self.number(u8::from_le_bytes)? {
            0 => Ok(false),
            1 => Ok(true),
            n => Err(self.about(&rule::BOOL).arg("position", position).arg("found", n)),
        }
    }

    /// The length of a string whose bytes follow, all of them.
    fn string_length(&mut self) -> Result<u64, Diagnostic> {
        let position = self.from.position();
        let length = self.number(u64::from_le_bytes)?;
        let left = self.from.left();
        if length > left {
            return Err(self
                .about(&rule::STRING_TOO_LARGE)
                .arg("position", position)
                .arg("length", length)
                .arg("left", left));
        }
        if length > limits::STRING_BYTES {
            return Err(limit(position, self.key, length, limits::STRING_BYTES));
        }
        Ok(length)
    }

    fn array(&mut self) -> Result<Array, Diagnostic> {
        let position = self.from.position();
        let id = self.number(u32::from_le_bytes)?;
        let about = |entry| self.about(entry).arg("position", position);
        let ty = ValueType::from_id(id).ok_or_else(|| about(&rule::ARRAY_TYPE).arg("found", id))?;
        if ty == ValueType::Array {
            return Err(about(&rule::ARRAY_NESTED));
        }
        let position = self.from.position();
        let count = self.number(u64::from_le_bytes)?;
        let room = self.from.left() / ty.least_bytes();
        if count > room {
            return Err(self
                .about(&rule::ARRAY_TOO_LARGE)
                .arg("position", position)
                .arg("count", count)
                .arg("left", self.from.left())
                .arg("most", room));
        }
        if count > limits::ARRAY_ELEMENTS {
            return Err(limit(position, self.key, count, limits::ARRAY_ELEMENTS));
        }
        Ok(match ty {
            ValueType::U8 => Array::U8(self.numbers(count, u8::from_le_bytes)?),
            ValueType::I8 => Array::I8(self.numbers(count, i8::from_le_bytes)?),
            ValueType::U16 => Array::U16(self.numbers(count, u16::from_le_bytes)?),
            ValueType::I16 => Array::I16(self.numbers(count, i16::from_le_bytes)?),
            ValueType::U32 => Array::U32(self.numbers(count, u32::from_le_bytes)?),
            ValueType::I32 => Array::I32(self.numbers(count, i32::from_le_bytes)?),
            ValueType::U64 => Array::U64(self.numbers(count, u64::from_le_bytes)?),
            ValueType::I64 => Array::I64(self.numbers(count, i64::from_le_bytes)?),
            ValueType::F32 => Array::F32(self.numbers(count, f32::from_le_bytes)?),
            ValueType::F64 => Array::F64(self.numbers(count, f64::from_le_bytes)?),
            ValueType::Bool => {
                let mut items = reserve(count)?;
                for _ in 0..count {
                    items.push(self.truth()?);
                }
                Array::Bool(items)
            }
            ValueType::String => Array::String(self.strings(count)?),
            ValueType::Array => return Err(self.about(&rule::ARRAY_NESTED)),
        })
    }

    fn numbers<T, const N: usize>(
        &mut self,
        count: u64,
        make: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, Diagnostic> {
        let mut items = reserve(count)?;
        for _ in 0..count {
            items.push(self.number(make)?);
        }
        Ok(items)
    }

    fn strings(&mut self, count: u64) -> Result<StringArray, Diagnostic> {
        let refused = |bytes: u64| Diagnostic::new(&rule::MEMORY).arg("bytes", bytes);
        let capacity = usize::try_from(count).map_err(|_| refused(count))?;
        let mut items = StringArray::try_with_capacity(capacity).map_err(|_| refused(count))?;
        for _ in 0..count {
            let length = self.string_length()?;
            let bytes = usize::try_from(length).map_err(|_| refused(length))?;
            match items.push_with(bytes, |room| self.from.fill(room)) {
                None => return Err(refused(length)),
                Some(done) => done.map_err(|f| self.cut(f))?,
            }
        }
        Ok(items)
    }
}

/// `general.alignment`: exactly a `u32`, since a reader that guesses another width reads every
/// tensor from a wrong place.
fn alignment(metadata: &Metadata) -> Result<u64, Diagnostic> {
    let key = "general.alignment";
    match metadata.get(key) {
        None => Ok(32),
        Some(Value::U32(n)) if n.is_power_of_two() => Ok(u64::from(*n)),
        Some(Value::U32(n)) => Err(Diagnostic::new(&rule::ALIGNMENT).arg("found", n)),
        Some(other) => Err(Diagnostic::new(&rule::KEY_TYPE)
            .arg("key", key)
            .arg("found", other.type_name())
            .arg("expected", "u32")),
    }
}
