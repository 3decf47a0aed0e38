//! Writing GGUF files: small ones for tests, and later the exporter.

use std::io;
use std::path::Path;

use synapse_diag::{Diagnostic, catalog::gguf as rule};

use crate::limits;
use crate::tensor_type::TensorType;
use crate::value::{Array, Value};

/// Collects metadata and tensors, then writes them as one little-endian GGUF file.
///
/// The writer is as strict as the reader: names, dimensions, sizes and alignment that the reader
/// would refuse are refused with the same codes.
#[derive(Clone, Debug)]
pub struct GgufWriter {
    version: u32,
    alignment: u32,
    pairs: Vec<(String, Value)>,
    tensors: Vec<Tensor>,
}

#[derive(Clone, Debug)]
struct Tensor {
    name: String,
    ty: TensorType,
    dims: Vec<u64>,
    bytes: Vec<u8>,
}

impl Default for GgufWriter {
    fn default() -> GgufWriter {
        GgufWriter { version: 3, alignment: 32, pairs: Vec::new(), tensors: Vec::new() }
    }
}

impl GgufWriter {
    /// An empty file of version 3 with the default alignment.
    pub fn new() -> GgufWriter {
        GgufWriter::default()
    }

    /// Sets the version, 2 or 3; the two differ in the number only.
    pub fn version(mut self, version: u32) -> GgufWriter {
        self.version = version;
        self
    }

    /// Sets the alignment of tensor data in bytes; one that is not 32 is written as
    /// `general.alignment`.
    pub fn alignment(mut self, alignment: u32) -> GgufWriter {
        self.alignment = alignment;
        self
    }

    /// Adds a key and its value.
    pub fn pair(mut self, key: impl Into<String>, value: impl Into<Value>) -> GgufWriter {
        self.pairs.push((key.into(), value.into()));
        self
    }

    /// Adds a tensor: `dims` innermost first, `bytes` as they go into the file.
    pub fn tensor(
        mut self,
        name: impl Into<String>,
        ty: TensorType,
        dims: &[u64],
        bytes: Vec<u8>,
    ) -> GgufWriter {
        self.tensors.push(Tensor { name: name.into(), ty, dims: dims.to_vec(), bytes });
        self
    }

    /// Adds an `F32` tensor from its numbers.
    pub fn tensor_f32(self, name: impl Into<String>, dims: &[u64], numbers: &[f32]) -> GgufWriter {
        let bytes = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.tensor(name, TensorType::F32, dims, bytes)
    }

    /// The whole file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Diagnostic> {
        let mut out = Vec::new();
        self.write(&mut out)?;
        Ok(out)
    }

    /// Writes the whole file to a new file; an existing one is an error.
    pub fn write_file(&self, path: &Path) -> Result<(), Diagnostic> {
        let failed = |e: io::Error| {
            Diagnostic::new(&rule::FILE_WRITE).arg("reason", e).at_file(path.display())
        };
        let bytes = self.to_bytes()?;
        let mut file = std::fs::File::create_new(path).map_err(failed)?;
        io::Write::write_all(&mut file, &bytes).map_err(failed)
    }

    fn write(&self, out: &mut Vec<u8>) -> Result<(), Diagnostic> {
        if !matches!(self.version, 2 | 3) {
            return Err(Diagnostic::new(&rule::VERSION_UNKNOWN).arg("found", self.version));
        }
        if !self.alignment.is_power_of_two() {
            return Err(Diagnostic::new(&rule::ALIGNMENT).arg("found", self.alignment));
        }
        let own = (self.alignment != 32 && !self.pairs.iter().any(|p| p.0 == "general.alignment"))
            .then(|| ("general.alignment".to_owned(), Value::U32(self.alignment)));
        let pairs = || own.iter().chain(&self.pairs);
        out.extend(b"GGUF");
        out.extend(self.version.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend((pairs().count() as u64).to_le_bytes());
        for (number, (key, value)) in pairs().enumerate() {
            check_name(&NAME_OF_KEY, key, number, out.len())?;
            string(out, key.as_bytes());
            out.extend(value.value_type().id().to_le_bytes());
            put(out, value);
        }
        let mut offset = 0u64;
        for (number, t) in self.tensors.iter().enumerate() {
            check_name(&NAME_OF_TENSOR, &t.name, number, out.len())?;
            t.check(out.len())?;
            string(out, t.name.as_bytes());
            out.extend((t.dims.len() as u32).to_le_bytes());
            out.extend(t.dims.iter().flat_map(|d| d.to_le_bytes()));
            out.extend(t.ty.id().to_le_bytes());
            out.extend(offset.to_le_bytes());
            offset = (offset + t.bytes.len() as u64).next_multiple_of(self.alignment.into());
        }
        for t in &self.tensors {
            pad(out, self.alignment);
            out.extend(&t.bytes);
        }
        pad(out, self.alignment);
        Ok(())
    }
}

/// The rules for one kind of name.
struct NameRules {
    empty: &'static synapse_diag::Entry,
    long: &'static synapse_diag::Entry,
    limit: u64,
}

const NAME_OF_KEY: NameRules =
    NameRules { empty: &rule::KEY_EMPTY, long: &rule::KEY_TOO_LONG, limit: limits::KEY_BYTES };

const NAME_OF_TENSOR: NameRules = NameRules {
    empty: &rule::TENSOR_NAME_EMPTY,
    long: &rule::TENSOR_NAME_TOO_LONG,
    limit: limits::TENSOR_NAME_BYTES,
};

fn check_name(rules: &NameRules, name: &str, number: usize, at: usize) -> Result<(), Diagnostic> {
    let entry = match name.len() as u64 {
        0 => rules.empty,
        n if n > rules.limit => rules.long,
        _ => return Ok(()),
    };
    Err(Diagnostic::new(entry)
        .arg("position", at)
        .arg("number", number)
        .arg("length", name.len())
        .arg("limit", rules.limit))
}

impl Tensor {
    fn check(&self, at: usize) -> Result<(), Diagnostic> {
        let about = |entry| Diagnostic::new(entry).arg("name", &self.name).arg("position", at);
        if self.dims.is_empty() || self.dims.len() > limits::TENSOR_DIMS as usize {
            return Err(about(&rule::TENSOR_DIMS).arg("found", self.dims.len()));
        }
        let size = (self.dims.iter())
            .try_fold(1u64, |n, &d| n.checked_mul(d))
            .and_then(|n| self.ty.bytes_of(n));
        if size == Some(self.bytes.len() as u64) && !self.bytes.is_empty() {
            return Ok(());
        }
        Err(about(&rule::TENSOR_BYTES)
            .arg("dims", format_args!("{:?}", self.dims))
            .arg("type", self.ty.name())
            .arg("found", self.bytes.len()))
    }
}

fn pad(out: &mut Vec<u8>, alignment: u32) {
    out.resize(out.len().next_multiple_of(alignment as usize), 0);
}

fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend(bytes);
}

fn put(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::U8(n) => out.push(*n),
        Value::I8(n) => out.extend(n.to_le_bytes()),
        Value::U16(n) => out.extend(n.to_le_bytes()),
        Value::I16(n) => out.extend(n.to_le_bytes()),
        Value::U32(n) => out.extend(n.to_le_bytes()),
        Value::I32(n) => out.extend(n.to_le_bytes()),
        Value::U64(n) => out.extend(n.to_le_bytes()),
        Value::I64(n) => out.extend(n.to_le_bytes()),
        Value::F32(n) => out.extend(n.to_le_bytes()),
        Value::F64(n) => out.extend(n.to_le_bytes()),
        Value::Bool(b) => out.push((*b).into()),
        Value::String(s) => string(out, s.as_bytes()),
        Value::Array(array) => {
            out.extend(array.element_type().id().to_le_bytes());
            out.extend((array.len() as u64).to_le_bytes());
            match array {
                Array::U8(v) => out.extend(v),
                Array::I8(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::U16(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::I16(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::U32(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::I32(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::U64(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::I64(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::F32(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::F64(v) => out.extend(v.iter().flat_map(|n| n.to_le_bytes())),
                Array::Bool(v) => out.extend(v.iter().map(|b| u8::from(*b))),
                Array::String(v) => v.iter().for_each(|s| string(out, s)),
            }
        }
    }
}
