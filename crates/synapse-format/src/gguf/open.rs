//! From a path or bytes to a [`Gguf`].

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use synapse_diag::{Diagnostic, catalog::gguf as rule};

use super::cursor::{Cursor, read_failed, reserve};
use super::header::{self, Header};
use super::split::Split;
use super::table::{self, Table};
use super::{Data, Gguf, Load, Part};
use crate::limits;
use crate::map::Map;
use crate::name_index::NameIndex;

/// Reads of header and table come in pieces of this size.
const BUFFER: usize = 64 << 10;

/// One file with its table and its bytes.
struct OpenPart {
    header: Header,
    table: Table,
    part: Part,
}

pub(super) fn open(path: &Path, load: Load) -> Result<Gguf, Diagnostic> {
    let file = RegularFile::open(path)?;
    let told = |d: Diagnostic| d.at_file(path.display());
    let mut from = file.cursor().map_err(told)?;
    let header = header::read(&mut from).map_err(told)?;
    let Some(split) = Split::of(path, &header.metadata).map_err(told)? else {
        let part = file.rest(from, header, 0, load).map_err(told)?;
        return join(path, vec![part], None);
    };
    // all parts are looked for before the first is read: a set can have many gigabytes
    if let Some(number) = split.numbers().find(|&n| !split.path(n).is_file()) {
        return Err(split.missing(number).at_file(path.display()));
    }
    let parts = split
        .numbers()
        .enumerate()
        .map(|(index, number)| {
            let path = split.path(number);
            let told = |d: Diagnostic| d.at_file(path.display());
            let part = RegularFile::open(&path)?.part(index, load).map_err(told)?;
            split.check(number, &part.header.metadata).map_err(told)?;
            Ok(part)
        })
        .collect::<Result<Vec<_>, Diagnostic>>()?;
    join(path, parts, Some(&split))
}

pub(super) fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Gguf, Diagnostic> {
    let path = Path::new(name);
    let read = || {
        let mut from = Cursor::new(bytes.as_slice(), bytes.len() as u64);
        let header = header::read(&mut from)?;
        if let Some(split) = Split::of(path, &header.metadata)? {
            return Err(split.missing(split.other()));
        }
        let table = table::read(&mut from, &header, 0)?;
        Ok((header, table))
    };
    let (header, table) = read().map_err(|d: Diagnostic| d.at_file(name))?;
    let part = Part {
        path: path.to_path_buf(),
        length: bytes.len() as u64,
        data: Data::Memory { start: 0, bytes },
    };
    join(path, vec![OpenPart { header, table, part }], None)
}

/// Makes one model of its parts.
fn join(path: &Path, opened: Vec<OpenPart>, split: Option<&Split>) -> Result<Gguf, Diagnostic> {
    let mut parts = Vec::with_capacity(opened.len());
    let mut tensors = Vec::new();
    let mut notices = Vec::new();
    let mut headers = Vec::with_capacity(opened.len());
    for OpenPart { header, table, part } in opened {
        let file = part.path.display();
        let broken = header.metadata.strings_not_utf8();
        notices.extend(broken.chain(table.notices).map(|d| d.at_file(&file)));
        tensors.extend(table.tensors);
        headers.push(header);
        parts.push(part);
    }
    if tensors.len() as u64 > limits::TENSORS {
        let d = header::limit(0, "tensor_count", tensors.len() as u64, limits::TENSORS);
        return Err(d.at_file(path.display()));
    }
    let index = NameIndex::new(&tensors, |t| &t.name);
    if let Some(second) = index.duplicate(&tensors, |t| &t.name).and_then(|i| tensors.get(i)) {
        let file = parts.get(second.part).map_or(path, |p| p.path.as_path());
        return Err(Diagnostic::new(&rule::TENSOR_DUPLICATE)
            .arg("name", &second.name)
            .at_file(file.display()));
    }
    if let Some(split) = split {
        for (header, part) in headers.iter().zip(&parts) {
            let told = |d: Diagnostic| d.at_file(part.path.display());
            split.check_tensors(&header.metadata, tensors.len()).map_err(told)?;
        }
    }
    let Some(first) = headers.into_iter().next() else {
        return Err(Diagnostic::new(&rule::FILE_NOT_FOUND).at_file(path.display()));
    };
    Ok(Gguf {
        path: path.to_path_buf(),
        version: first.version,
        metadata: first.metadata.with_source(path.display().to_string()),
        tensors,
        notices,
        parts,
        index,
    })
}

/// A file that is known to be a regular one, with its length when it was opened.
struct RegularFile<'p> {
    path: &'p Path,
    file: File,
    length: u64,
}

impl<'p> RegularFile<'p> {
    fn open(path: &'p Path) -> Result<RegularFile<'p>, Diagnostic> {
        let told = |d: Diagnostic| d.at_file(path.display());
        let failed = |e: io::Error| {
            told(match e.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    Diagnostic::new(&rule::FILE_NOT_FOUND)
                }
                _ => Diagnostic::new(&rule::FILE_READ).arg("reason", e),
            })
        };
        // asked before opening too: opening a pipe waits for a writer
        let meta = fs::metadata(path).map_err(failed)?;
        if !meta.is_file() {
            return Err(told(Diagnostic::new(&rule::FILE_NOT_REGULAR)));
        }
        let file = File::open(path).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() {
            return Err(told(Diagnostic::new(&rule::FILE_NOT_REGULAR)));
        }
        Ok(RegularFile { path, file, length: meta.len() })
    }

    fn cursor(&self) -> Result<Cursor<BufReader<&File>>, Diagnostic> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0)).map_err(|e| read_failed(&e, self.length))?;
        Ok(Cursor::new(BufReader::with_capacity(BUFFER, file), self.length))
    }

    /// Everything; `part` is the file's place among the parts of a model.
    fn part(&self, part: usize, load: Load) -> Result<OpenPart, Diagnostic> {
        let mut from = self.cursor()?;
        let header = header::read(&mut from)?;
        self.rest(from, header, part, load)
    }

    /// What follows the metadata.
    fn rest(
        &self,
        mut from: Cursor<impl Read>,
        header: Header,
        part: usize,
        load: Load,
    ) -> Result<OpenPart, Diagnostic> {
        let table = table::read(&mut from, &header, part)?;
        let data = self.data(table.data_start, load)?;
        let part = Part { path: self.path.to_path_buf(), length: self.length, data };
        Ok(OpenPart { header, table, part })
    }

    fn data(&self, start: u64, load: Load) -> Result<Data, Diagnostic> {
        let failed = |e: io::Error| read_failed(&e, self.length);
        match load {
            Load::Header => Ok(Data::Absent),
            Load::Map => Map::new(&self.file, self.length).map(Data::Mapped).map_err(failed),
            Load::Read => {
                let length = self.length.saturating_sub(start);
                let mut bytes = reserve(length)?;
                let mut file = &self.file;
                file.seek(SeekFrom::Start(start)).map_err(failed)?;
                file.take(length).read_to_end(&mut bytes).map_err(failed)?;
                if bytes.len() as u64 != length {
                    return Err(failed(io::ErrorKind::UnexpectedEof.into()));
                }
                Ok(Data::Memory { start, bytes })
            }
        }
    }
}
