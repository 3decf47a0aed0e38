//! Models in several files: `NAME-00001-of-00003.gguf` and so on.

use std::path::{Path, PathBuf};

use synapse_diag::{Diagnostic, catalog::gguf as rule};

use crate::limits;
use crate::metadata::Metadata;

/// The files of a split model, as one part's name and `split.count` tell.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split {
    folder: PathBuf,
    prefix: String,
    count: u32,
    /// The part that the name stands for, from 1.
    number: u32,
}

impl Split {
    /// The set that the part at `path` belongs to; `None` where the model is one file.
    pub(super) fn of(path: &Path, metadata: &Metadata) -> Result<Option<Split>, Diagnostic> {
        let Some(count) = metadata.get_u64("split.count")? else { return Ok(None) };
        if count <= 1 {
            return Ok(None);
        }
        let count = u32::try_from(count).ok().filter(|&n| n <= limits::PARTS).ok_or_else(|| {
            Diagnostic::new(&rule::KEY_RANGE)
                .arg("key", "split.count")
                .arg("value", count)
                .arg("expected", format_args!("1..={}", limits::PARTS))
        })?;
        let (prefix, number) = name_parts(path, count).ok_or_else(|| {
            Diagnostic::new(&rule::SPLIT_NAME)
                .arg("count", count)
                .arg("ending", format_args!("`-00001-of-{count:05}.gguf`"))
        })?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let split = Split { folder, prefix, count, number };
        split.check(number, metadata)?;
        Ok(Some(split))
    }

    /// The numbers of all parts, from 1.
    pub(super) fn numbers(&self) -> std::ops::RangeInclusive<u32> {
        1..=self.count
    }

    /// The file of part `number`, from 1.
    pub(super) fn path(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{}-{number:05}-of-{:05}.gguf", self.prefix, self.count))
    }

    /// The refusal of an absent part.
    pub(super) fn missing(&self, number: u32) -> Diagnostic {
        Diagnostic::new(&rule::SPLIT_MISSING)
            .arg("number", number)
            .arg("count", self.count)
            .arg("path", self.path(number).display())
    }

    /// Another part than the one whose name was given.
    pub(super) fn other(&self) -> u32 {
        if self.number == 1 { 2 } else { 1 }
    }

    /// Whether part `number` says so itself.
    pub(super) fn check(&self, number: u32, metadata: &Metadata) -> Result<(), Diagnostic> {
        let found = metadata.require_u64("split.count")?;
        if found != u64::from(self.count) {
            return Err(Diagnostic::new(&rule::SPLIT_COUNT)
                .arg("found", found)
                .arg("expected", self.count));
        }
        let expected = u64::from(number).saturating_sub(1);
        let found = metadata.require_u64("split.no")?;
        if found != expected {
            return Err(Diagnostic::new(&rule::SPLIT_NUMBER)
                .arg("found", found)
                .arg("expected", expected));
        }
        Ok(())
    }

    /// Whether `split.tensors.count` of one part, where it says so, is what all parts hold.
    pub(super) fn check_tensors(&self, metadata: &Metadata, held: usize) -> Result<(), Diagnostic> {
        match metadata.get_u64("split.tensors.count")? {
            Some(found) if found != held as u64 => Err(Diagnostic::new(&rule::SPLIT_TENSORS)
                .arg("found", found)
                .arg("held", held)
                .arg("count", self.count)),
            _ => Ok(()),
        }
    }
}

/// Prefix and number of a name like `PREFIX-00002-of-00003.gguf`, if it is one part of `count`.
fn name_parts(path: &Path, count: u32) -> Option<(String, u32)> {
    let (head, total) = path.file_name()?.to_str()?.strip_suffix(".gguf")?.rsplit_once("-of-")?;
    let (prefix, number) = head.rsplit_once('-')?;
    let number = five_digits(number)?;
    let fits = five_digits(total)? == count && (1..=count).contains(&number);
    fits.then(|| (prefix.to_owned(), number))
}

fn five_digits(text: &str) -> Option<u32> {
    let digits = text.len() == 5 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_set_give_prefix_and_number() {
        let parts = |name: &str, count| name_parts(Path::new(name), count);
        assert_eq!(parts("d/m-q4-00002-of-00003.gguf", 3), Some(("m-q4".into(), 2)));
        for name in [
            "m.gguf",
            "m-2-of-3.gguf",
            "m-00000-of-00003.gguf",
            "m-00004-of-00003.gguf",
            "m-00001-of-00004.gguf",
            "m-+0001-of-00003.gguf",
            "m-00001-of-00003.bin",
        ] {
            assert_eq!(parts(name, 3), None, "{name}");
        }
    }
}
