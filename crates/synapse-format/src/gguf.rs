//! An open GGUF model: metadata, tensor table, and the bytes behind it.

mod cursor;
mod header;
mod open;
mod split;
mod table;

use std::path::{Path, PathBuf};

use synapse_diag::Diagnostic;

use crate::map::Map;
use crate::metadata::Metadata;
use crate::name_index::NameIndex;
use crate::tensor_type::TensorType;

/// How tensor data is made available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Load {
    /// The file is mapped read-only: opening costs no copy. The file must not be changed while
    /// the model is open.
    #[default]
    Map,
    /// Tensor data is read into memory: for disks that can vanish and files that may change.
    Read,
    /// Metadata and tensor table only; [`Gguf::tensor_bytes`] gives nothing.
    Header,
}

/// One row of the tensor table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// The name, such as `blk.0.attn_q.weight`.
    pub name: String,
    /// How the elements are stored.
    pub ty: TensorType,
    /// One to four dimensions, innermost first: a matrix of `rows` output rows over `columns`
    /// inputs is `[columns, rows]`.
    pub dims: Vec<u64>,
    /// Which of [`Gguf::parts`] holds the bytes.
    pub part: usize,
    /// Where the bytes begin, counted from the start of the part's file.
    pub offset: u64,
    /// Count of bytes.
    pub size: u64,
}

impl TensorInfo {
    /// Count of elements.
    pub fn elements(&self) -> u64 {
        self.dims.iter().fold(1, |n, &d| n.saturating_mul(d))
    }

    /// Elements of one row: the innermost dimension.
    pub fn row_elements(&self) -> u64 {
        self.dims.first().copied().unwrap_or(1)
    }

    /// Count of rows: the product of all dimensions but the innermost.
    pub fn rows(&self) -> u64 {
        self.dims.iter().skip(1).fold(1, |n, &d| n.saturating_mul(d))
    }

    /// Bytes of one row. Every row is a whole number of blocks, so rows follow without gaps.
    pub fn row_bytes(&self) -> u64 {
        self.ty.bytes_of(self.row_elements()).unwrap_or(0)
    }
}

/// One file of a model; a model that is not split has one.
#[derive(Debug)]
pub struct Part {
    path: PathBuf,
    length: u64,
    data: Data,
}

/// Where a part's bytes are.
#[derive(Debug)]
enum Data {
    Mapped(Map),
    /// The bytes of the file from `start` on.
    Memory {
        start: u64,
        bytes: Vec<u8>,
    },
    Absent,
}

impl Part {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// `size` bytes of the file from `offset` on.
    fn bytes(&self, offset: u64, size: u64) -> Option<&[u8]> {
        let (start, all) = match &self.data {
            Data::Mapped(map) => (0, map.bytes()),
            Data::Memory { start, bytes } => (*start, bytes.as_slice()),
            Data::Absent => return None,
        };
        let from = usize::try_from(offset.checked_sub(start)?).ok()?;
        let to = from.checked_add(usize::try_from(size).ok()?)?;
        all.get(from..to)
    }
}

/// An open model file, or all files of a split model as one.
///
/// It exists only if everything that can be said about the file without knowing an architecture
/// holds: names are unique; each tensor has one to four dimensions, whole blocks, and a range of
/// bytes inside its file that is aligned and shared with no other tensor.
#[derive(Debug)]
pub struct Gguf {
    /// The file that was asked for.
    pub path: PathBuf,
    /// 2 or 3.
    pub version: u32,
    /// Keys and values; of a split model, those of the first part.
    pub metadata: Metadata,
    /// Every tensor, in the order of the files.
    pub tensors: Vec<TensorInfo>,
    /// What is worth saying and stopped nothing.
    pub notices: Vec<Diagnostic>,
    parts: Vec<Part>,
    index: NameIndex,
}

impl Gguf {
    /// Opens a model file. Any part of a split model opens the whole.
    ///
    /// # Errors
    ///
    /// One diagnostic, naming the file, the key or tensor, and the byte where that helps, for
    /// the first thing that is wrong.
    pub fn open(path: &Path, load: Load) -> Result<Gguf, Diagnostic> {
        open::open(path, load)
    }

    /// Reads a model from memory; `name` stands for the path in messages.
    ///
    /// # Errors
    ///
    /// As [`Gguf::open`]; one part of a split model is refused, the others cannot be found.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Gguf, Diagnostic> {
        open::from_bytes(name, bytes)
    }

    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        self.index.find(&self.tensors, |t| &t.name, name)
    }

    /// The bytes of a tensor of this model; `None` with [`Load::Header`], or where `tensor`
    /// describes bytes outside of its part.
    ///
    /// Nothing is promised about their alignment in memory.
    pub fn tensor_bytes(&self, tensor: &TensorInfo) -> Option<&[u8]> {
        self.parts.get(tensor.part)?.bytes(tensor.offset, tensor.size)
    }

    /// The files of the model.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Bytes of all files.
    pub fn file_size(&self) -> u64 {
        self.parts.iter().fold(0, |n, p| n.saturating_add(p.length))
    }
}
