//! The memory map: the one place of this crate where `unsafe` is allowed.
#![allow(unsafe_code, reason = "a file can only be mapped with an unsafe call")]

use std::fs::File;
use std::io;

/// A file's first bytes, read-only in memory.
#[derive(Debug)]
pub(crate) struct Map(memmap2::Mmap);

impl Map {
    /// Maps the first `length` bytes of a regular file that has at least so many now.
    pub(crate) fn new(file: &File, length: u64) -> io::Result<Map> {
        let meta = file.metadata()?;
        if !meta.is_file() || meta.len() < length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        let length =
            usize::try_from(length).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        // SAFETY: the handle is a regular file, checked above, with at least `length` bytes, so
        // each mapped page lies inside it now. The map is private to this type, read-only, and
        // handed out only as `&[u8]` that borrows it; every bit pattern is a valid `u8`. What
        // cannot be checked: another process may change the file while it is mapped. Changed
        // bytes would be read as other weights; a file truncated after it was opened makes a
        // read past its new end stop the process with SIGBUS. Model files are written once and
        // renamed into place, no index or length is ever read from the map (header and tensor
        // table are parsed from ordinary reads), and whoever cannot rely on the file takes
        // `Load::Read`, which keeps a copy.
        let map = unsafe { memmap2::MmapOptions::new().len(length).map(file)? };
        Ok(Map(map))
    }

    /// The mapped bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::Map;
    use std::io::Write;

    #[test]
    fn a_map_holds_the_files_bytes() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"abcdef").unwrap();
        assert_eq!(Map::new(&file, 4).unwrap().bytes(), b"abcd");
    }

    #[test]
    fn a_file_shorter_than_asked_is_refused() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"abc").unwrap();
        assert!(Map::new(&file, 4).is_err());
    }
}
