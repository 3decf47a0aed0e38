//! The tensor table, and whether its ranges lie in the file.

use std::io::Read;

use synapse_diag::{Diagnostic, Entry, catalog::gguf as rule};

use super::TensorInfo;
use super::cursor::{Cursor, Fault};
use super::header::{Header, limit};
use crate::limits;
use crate::tensor_type::TensorType;

/// The tensors of one file, checked against its length.
pub(super) struct Table {
    pub(super) tensors: Vec<TensorInfo>,
    /// Where tensor data begins: the end of the table, rounded up to the alignment.
    pub(super) data_start: u64,
    pub(super) notices: Vec<Diagnostic>,
}

/// Reads the table that follows `header`. `part` is the file's place among the parts of a model.
pub(super) fn read<R: Read>(
    from: &mut Cursor<R>,
    header: &Header,
    part: usize,
) -> Result<Table, Diagnostic> {
    let count = &header.tensors;
    let mut tensors = rows(from, count.count, part).map_err(|d| count.blame(d))?;
    let table_end = from.position();
    let data_start = table_end.checked_next_multiple_of(header.alignment).unwrap_or(u64::MAX);
    for tensor in &mut tensors {
        place(tensor, data_start, header.alignment, from.length())?;
    }
    overlap(&tensors)?;
    let last = tensors.iter().map(|t| t.offset.saturating_add(t.size)).max().unwrap_or(table_end);
    let notices = trailing(last, header.alignment, from.length()).into_iter().collect();
    Ok(Table { tensors, data_start, notices })
}

fn rows<R: Read>(
    from: &mut Cursor<R>,
    count: u64,
    part: usize,
) -> Result<Vec<TensorInfo>, Diagnostic> {
    let mut tensors = Vec::new();
    for number in 0..count {
        if from.position() > limits::HEADER_BYTES {
            return Err(limit(from.position(), "tensors", from.position(), limits::HEADER_BYTES));
        }
        tensors.push(RowReader { from, number, name: None }.read(part)?);
    }
    Ok(tensors)
}

/// Reads one row of the table, so that each refusal can name the tensor.
struct RowReader<'a, R> {
    from: &'a mut Cursor<R>,
    number: u64,
    name: Option<String>,
}

impl<R: Read> RowReader<'_, R> {
    fn about(&self, entry: &'static Entry, position: u64) -> Diagnostic {
        Diagnostic::new(entry)
            .arg("position", position)
            .arg("number", self.number)
            .arg("name", self.name.as_deref().unwrap_or("?"))
    }

    fn cut(&self, fault: Fault) -> Diagnostic {
        match fault {
            Fault::Told(d) => d,
            Fault::Short { position, need, left } => {
                let entry = match self.name {
                    Some(_) => &rule::TENSOR_CUT,
                    None => &rule::TENSORS_CUT,
                };
                self.about(entry, position).arg("need", need).arg("left", left)
            }
        }
    }

    fn u32(&mut self) -> Result<u32, Diagnostic> {
        self.from.u32().map_err(|f| self.cut(f))
    }

    fn u64(&mut self) -> Result<u64, Diagnostic> {
        self.from.u64().map_err(|f| self.cut(f))
    }

    /// The row; its `offset` still counts from the start of the data.
    fn read(mut self, part: usize) -> Result<TensorInfo, Diagnostic> {
        self.name = Some(self.read_name()?);
        let dims = self.read_dims()?;
        let ty = self.read_type()?;
        let offset = self.u64()?;
        let size = self.size(&dims, ty)?;
        Ok(TensorInfo { name: self.name.unwrap_or_default(), ty, dims, part, offset, size })
    }

    fn read_name(&mut self) -> Result<String, Diagnostic> {
        let start = self.from.position();
        let length = self.u64()?;
        if length == 0 {
            return Err(self.about(&rule::TENSOR_NAME_EMPTY, start));
        }
        if length > limits::TENSOR_NAME_BYTES {
            return Err(self
                .about(&rule::TENSOR_NAME_TOO_LONG, start)
                .arg("length", length)
                .arg("limit", limits::TENSOR_NAME_BYTES));
        }
        let bytes = self.from.bytes(length).map_err(|f| self.cut(f))?;
        String::from_utf8(bytes).map_err(|e| {
            self.about(&rule::TENSOR_NAME_NOT_UTF8, start)
                .arg("text", String::from_utf8_lossy(e.as_bytes()))
        })
    }

    fn read_dims(&mut self) -> Result<Vec<u64>, Diagnostic> {
        let start = self.from.position();
        let count = self.u32()?;
        if !(1..=limits::TENSOR_DIMS).contains(&count) {
            return Err(self.about(&rule::TENSOR_DIMS, start).arg("found", count));
        }
        let mut dims = Vec::with_capacity(limits::TENSOR_DIMS as usize);
        for index in 0..count {
            let position = self.from.position();
            let dim = self.u64()?;
            match dim.cast_signed() {
                0 => {
                    return Err(self.about(&rule::TENSOR_DIM_ZERO, position).arg("index", index));
                }
                signed @ ..0 => {
                    return Err(self
                        .about(&rule::TENSOR_DIM_NEGATIVE, position)
                        .arg("index", index)
                        .arg("found", signed));
                }
                _ => dims.push(dim),
            }
        }
        Ok(dims)
    }

    fn read_type(&mut self) -> Result<TensorType, Diagnostic> {
        let start = self.from.position();
        let id = self.u32()?;
        TensorType::from_id(id).ok_or_else(|| {
            let entry = match TensorType::removed(id) {
                true => &rule::TENSOR_TYPE_REMOVED,
                false => &rule::TENSOR_TYPE_UNKNOWN,
            };
            self.about(entry, start).arg("found", id)
        })
    }

    /// Bytes of the tensor. Elements and bytes both fit 63 bits.
    fn size(&self, dims: &[u64], ty: TensorType) -> Result<u64, Diagnostic> {
        let about = |entry| {
            self.about(entry, self.from.position())
                .arg("type", ty.name())
                .arg("dims", format_args!("{dims:?}"))
        };
        let row = dims.first().copied().unwrap_or(1);
        if !row.is_multiple_of(ty.block_elements().into()) {
            return Err(about(&rule::TENSOR_ROW)
                .arg("found", row)
                .arg("block", ty.block_elements()));
        }
        let signed = |n: &u64| i64::try_from(*n).is_ok();
        dims.iter()
            .try_fold(1u64, |n, &d| n.checked_mul(d))
            .filter(signed)
            .and_then(|elements| ty.bytes_of(elements))
            .filter(signed)
            .ok_or_else(|| about(&rule::TENSOR_TOO_LARGE))
    }
}

/// Turns the row's offset into one from the start of the file and checks its range.
fn place(
    tensor: &mut TensorInfo,
    data_start: u64,
    alignment: u64,
    length: u64,
) -> Result<(), Diagnostic> {
    let offset = tensor.offset;
    let about = |entry| Diagnostic::new(entry).arg("name", &tensor.name).arg("offset", offset);
    if !offset.is_multiple_of(alignment) {
        return Err(about(&rule::OFFSET_UNALIGNED).arg("alignment", alignment));
    }
    let Some(start) = data_start.checked_add(offset).filter(|&at| at < length) else {
        return Err(about(&rule::OFFSET_BEYOND).arg("start", data_start).arg("length", length));
    };
    if start.checked_add(tensor.size).is_none_or(|end| end > length) {
        return Err(about(&rule::DATA_CUT)
            .arg("size", tensor.size)
            .arg("start", start)
            .arg("length", length));
    }
    tensor.offset = start;
    Ok(())
}

/// No byte belongs to two tensors. With it, the sum of all sizes is at most the file's length.
fn overlap(tensors: &[TensorInfo]) -> Result<(), Diagnostic> {
    let mut order: Vec<&TensorInfo> = tensors.iter().collect();
    order.sort_by_key(|t| t.offset);
    for pair in order.windows(2) {
        let [first, second] = pair else { continue };
        let end = first.offset.saturating_add(first.size);
        if end > second.offset {
            return Err(Diagnostic::new(&rule::OVERLAP)
                .arg("first", &first.name)
                .arg("second", &second.name)
                .arg("end", end)
                .arg("start", second.offset));
        }
    }
    Ok(())
}

/// Bytes after the last tensor and its padding are worth a word: something wrote more than the
/// table knows.
fn trailing(last: u64, alignment: u64, length: u64) -> Option<Diagnostic> {
    let start = last.checked_next_multiple_of(alignment)?;
    let count = length.checked_sub(start).filter(|&n| n > 0)?;
    Some(Diagnostic::new(&rule::TRAILING).arg("count", count).arg("start", start))
}
