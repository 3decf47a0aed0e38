//! The catalog: every code with its sentences. One file a domain; each row is a static [`Entry`].

/// How a finding ends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The input is not acceptable: exit code 3.
    Refused,
    /// The command line or a setting is wrong: exit code 2.
    Usage,
    /// Something outside the input failed (disk, memory, a device): exit code 1.
    Failed,
    /// Worth saying, stops nothing.
    Notice,
}

/// A row of the catalog. Sentences hold `{name}` where an argument goes.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// Stable code in kebab case.
    pub code: &'static str,
    /// How it ends a command.
    pub class: Class,
    /// What is wrong, in English.
    pub en: &'static str,
    /// What is wrong, in Spanish.
    pub es: &'static str,
    /// What to do, in English; may be empty.
    pub mend_en: &'static str,
    /// What to do, in Spanish; empty exactly where `mend_en` is.
    pub mend_es: &'static str,
}

/// Declares the rows of one domain and its `ALL` list.
///
/// A row is `NAME Class "code" "en" "es" ["mend en" "mend es"];`. The English sentence is the
/// row's documentation.
macro_rules! entries {
    ($($name:ident $class:ident $code:literal $en:literal $es:literal $($me:literal $ms:literal)?;)*) => {
        $(
            #[doc = $en]
            pub static $name: $crate::Entry = $crate::Entry {
                code: $code,
                class: $crate::Class::$class,
                en: $en,
                es: $es,
                mend_en: concat!($($me)?),
                mend_es: concat!($($ms)?),
            };
        )*
        /// Every row of this domain.
        pub static ALL: &[&$crate::Entry] = &[$(&$name),*];
    };
}

pub mod archdef;
pub mod bind;
pub mod command;
pub mod engine;
pub mod gguf;
pub mod run;
pub mod text;

/// Every row of every domain.
pub fn all() -> impl Iterator<Item = &'static Entry> {
    [gguf::ALL, archdef::ALL, bind::ALL, text::ALL, run::ALL, engine::ALL, command::ALL]
        .into_iter()
        .flatten()
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn placeholders(s: &str) -> BTreeSet<&str> {
        s.split('{').skip(1).filter_map(|p| p.split('}').next()).collect()
    }

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let mut seen = BTreeSet::new();
        for e in all() {
            assert!(seen.insert(e.code), "code {} stands twice", e.code);
            assert!(
                e.code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            );
        }
    }

    #[test]
    fn both_languages_are_there_and_name_the_same_arguments() {
        for e in all() {
            assert!(!e.en.is_empty() && !e.es.is_empty(), "{}", e.code);
            assert_eq!(placeholders(e.en), placeholders(e.es), "{}", e.code);
            assert_eq!(placeholders(e.mend_en), placeholders(e.mend_es), "{}", e.code);
            assert_eq!(e.mend_en.is_empty(), e.mend_es.is_empty(), "{}", e.code);
        }
    }
}
