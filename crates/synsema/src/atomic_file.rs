//! An output file that appears whole or not at all.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use synapse_diag::{Diagnostic, catalog::command as rows};

/// Writes beside the target and is renamed onto it by [`AtomicFile::finish`]; dropped before,
/// it leaves nothing behind.
pub struct AtomicFile {
    target: PathBuf,
    sibling: PathBuf,
    writer: Option<BufWriter<File>>,
}

impl AtomicFile {
    /// Begins a file.
    ///
    /// # Errors
    ///
    /// The folder does not exist or cannot be written; the target is a folder.
    pub fn create(target: &Path) -> Result<AtomicFile, Diagnostic> {
        let fail = |e: std::io::Error| failed(target, &e);
        if target.is_dir() {
            return Err(Diagnostic::new(&rows::FILE_IS_FOLDER).at_file(target.display()));
        }
        let name =
            target.file_name().ok_or_else(|| fail(std::io::ErrorKind::InvalidInput.into()))?;
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.part", std::process::id()));
        let sibling = target.with_file_name(hidden);
        let file = File::create_new(&sibling).map_err(fail)?;
        let writer = Some(BufWriter::with_capacity(1 << 20, file));
        Ok(AtomicFile { target: target.to_owned(), sibling, writer })
    }

    /// Appends bytes.
    ///
    /// # Errors
    ///
    /// The disk is full or fails.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        match &mut self.writer {
            Some(writer) => writer.write_all(bytes).map_err(|e| failed(&self.target, &e)),
            None => Ok(()),
        }
    }

    /// Makes the file appear under its name.
    ///
    /// # Errors
    ///
    /// The disk is full or fails.
    pub fn finish(mut self) -> Result<(), Diagnostic> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let fail = |e: std::io::Error| failed(&self.target, &e);
        let done = writer
            .into_inner()
            .map_err(std::io::IntoInnerError::into_error)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.sibling, &self.target));
        if done.is_err() {
            let _ = fs::remove_file(&self.sibling);
        }
        done.map_err(fail)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.writer.take().is_some() {
            let _ = fs::remove_file(&self.sibling);
        }
    }
}

fn failed(target: &Path, e: &std::io::Error) -> Diagnostic {
    Diagnostic::new(&rows::OUTPUT_FAILED).arg("reason", e).at_file(target.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_finished_file_stands_alone_with_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.f32");
        fs::write(&target, "old").unwrap();
        let mut file = AtomicFile::create(&target).unwrap();
        file.write(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        file.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["out.f32"]);
    }

    #[test]
    fn a_dropped_file_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(&folder.path().join("out.f32")).unwrap();
        file.write(b"new").unwrap();
        drop(file);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_folder_that_does_not_exist_is_an_error() {
        let d = AtomicFile::create(Path::new("no/such/folder/out")).err().unwrap();
        assert_eq!((d.code(), d.exit_code()), ("output-failed", 1));
    }
}
