//! Reading forward through a file whose length is known.

use std::io::{self, Read};

use synapse_diag::{Diagnostic, catalog::gguf as rule};

/// Why bytes could not be read.
#[derive(Debug)]
pub(super) enum Fault {
    /// Fewer bytes are left than needed; nothing was read and nothing was allocated.
    Short {
        /// Where the read would have begun.
        position: u64,
        /// How many bytes were needed.
        need: u64,
        /// How many are left.
        left: u64,
    },
    /// Something else, already told.
    Told(Diagnostic),
}

/// A position in a file of known length. Every read is compared with what is left first.
pub(super) struct Cursor<R> {
    inner: R,
    position: u64,
    length: u64,
}

impl<R: Read> Cursor<R> {
    /// A cursor at the start of `length` bytes.
    pub(super) fn new(inner: R, length: u64) -> Cursor<R> {
        Cursor { inner, position: 0, length }
    }

    /// Bytes from the start.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Bytes to the end.
    pub(super) fn left(&self) -> u64 {
        self.length.saturating_sub(self.position)
    }

    /// Length of the whole.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// `Ok` if `need` more bytes are there.
    pub(super) fn expect(&self, need: u64) -> Result<(), Fault> {
        let left = self.left();
        if need > left {
            return Err(Fault::Short { position: self.position, need, left });
        }
        Ok(())
    }

    /// Fills `room`.
    pub(super) fn fill(&mut self, room: &mut [u8]) -> Result<(), Fault> {
        self.expect(room.len() as u64)?;
        self.inner.read_exact(room).map_err(|e| Fault::Told(read_failed(&e, self.length)))?;
        self.position = self.position.saturating_add(room.len() as u64);
        Ok(())
    }

    /// The next `N` bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut room = [0; N];
        self.fill(&mut room)?;
        Ok(room)
    }

    /// The next little-endian `u32`.
    pub(super) fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_le_bytes)
    }

    /// The next little-endian `u64`.
    pub(super) fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_le_bytes)
    }

    /// The next `count` bytes; the room for them is asked for after it is known that they exist.
    pub(super) fn bytes(&mut self, count: u64) -> Result<Vec<u8>, Fault> {
        self.expect(count)?;
        let mut room = reserve(count).map_err(Fault::Told)?;
        room.resize(usize::try_from(count).unwrap_or(0), 0); // `reserve` checked the count
        self.fill(&mut room)?;
        Ok(room)
    }
}

/// An empty vector with room for `count` elements, or the refusal of the system.
pub(super) fn reserve<T>(count: u64) -> Result<Vec<T>, Diagnostic> {
    let bytes = count.saturating_mul(size_of::<T>() as u64);
    let refused = || Diagnostic::new(&rule::MEMORY).arg("bytes", bytes);
    let mut room = Vec::new();
    room.try_reserve_exact(usize::try_from(count).map_err(|_| refused())?)
        .map_err(|_| refused())?;
    Ok(room)
}

/// A failed read: the file became shorter, or the system says something else.
pub(super) fn read_failed(e: &io::Error, length: u64) -> Diagnostic {
    match e.kind() {
        io::ErrorKind::UnexpectedEof => Diagnostic::new(&rule::FILE_CHANGED).arg("length", length),
        _ => Diagnostic::new(&rule::FILE_READ).arg("reason", e),
    }
}
