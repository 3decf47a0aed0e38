//! Settings: flag, then process environment, then `.env`, then default; each with its source.
//!
//! A value is read only by [`Settings::text`] and its typed kin, so that every setting obeys the
//! same order and every refusal names where the value came from. An empty value counts as unset.

pub mod dotenv;
mod keys;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use synapse_diag::{Diagnostic, Diagnostics, Lang, catalog::command as rows};

pub use keys::{KEYS, Key, KeyRow};

/// Name of the settings file, looked for in the current folder.
pub const DOTENV: &str = ".env";

/// Prefix of every variable that is ours.
const PREFIX: &str = "SYNSEMA_";

/// Where a value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A flag of the command line.
    Flag,
    /// The process environment.
    Environment,
    /// This line of `.env`.
    DotEnv(u32),
    /// Nobody set it.
    Default,
}

impl Source {
    /// As status shows it.
    pub fn describe(self, key: Key) -> String {
        match self {
            Source::Flag => key.row().flag.unwrap_or("flag").to_owned(),
            Source::Environment => "environment".to_owned(),
            Source::DotEnv(line) => format!("{DOTENV} line {line}"),
            Source::Default => "default".to_owned(),
        }
    }
}

/// A value as text, with its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// The setting.
    pub key: Key,
    /// The value; never empty.
    pub value: String,
    /// Where it came from; never [`Source::Default`].
    pub source: Source,
}

/// A settled value with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled<T> {
    /// The value.
    pub value: T,
    /// Where it came from.
    pub source: Source,
}

/// Everything that was set outside the command line.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    environment: BTreeMap<String, OsString>,
    dotenv: BTreeMap<String, dotenv::Assignment>,
}

impl Settings {
    /// Settings of this process: its environment and the `.env` of `folder`.
    ///
    /// # Errors
    ///
    /// A `.env` that is there and cannot be read.
    pub fn of_process(folder: &Path) -> Result<Settings, Diagnostic> {
        let environment = std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v)));
        Settings::gather(environment, read_dotenv(&folder.join(DOTENV))?)
    }

    /// Settings from an environment and the bytes of a `.env`.
    ///
    /// # Errors
    ///
    /// A `.env` that cannot be read.
    pub fn gather(
        environment: impl IntoIterator<Item = (String, OsString)>,
        dotenv: Option<Vec<u8>>,
    ) -> Result<Settings, Diagnostic> {
        let found = match dotenv {
            Some(bytes) => dotenv::parse(DOTENV, &bytes)?,
            None => Vec::new(),
        };
        Ok(Settings {
            environment: environment.into_iter().collect(),
            dotenv: found.into_iter().map(|a| (a.key.clone(), a)).collect(),
        })
    }

    /// A warning for each `SYNSEMA_` variable that is no setting: usually a slip of the pen.
    pub fn unknown(&self) -> Diagnostics {
        let ours = |name: &&String| {
            name.starts_with(PREFIX) && !KEYS.iter().any(|row| row.variable == name.as_str())
        };
        let warn = |name: &str| {
            let near = synapse_archdef::nearest(name, KEYS.iter().map(|row| row.variable));
            Diagnostic::new(&rows::SETTING_UNKNOWN).arg("name", name).suggest(near)
        };
        let in_environment = self.environment.keys().filter(ours).map(|name| warn(name));
        let in_dotenv = self.dotenv.iter().filter(|(name, _)| ours(name));
        in_environment
            .chain(in_dotenv.map(|(name, a)| warn(name).at_file(DOTENV).at_line(a.line)))
            .collect()
    }

    /// The language of messages: the first of `SYNSEMA_LANG` (also in `.env`), `LC_ALL`,
    /// `LC_MESSAGES`, `LANG` that is set.
    pub fn lang(&self) -> Lang {
        language(&self.environment, self.dotenv.get(Key::Lang.variable()).map(|a| a.value.as_str()))
    }

    /// The value of a setting as text: `flag`, or the environment's, or that of `.env`.
    ///
    /// # Errors
    ///
    /// A value that is not UTF-8.
    pub fn text(&self, key: Key, flag: Option<&str>) -> Result<Option<Given>, Diagnostic> {
        let given = |value: &str, source| Some(Given { key, value: value.to_owned(), source });
        if let Some(value) = flag {
            return Ok(given(value, Source::Flag));
        }
        if let Some(value) = self.environment.get(key.variable()).filter(|v| !v.is_empty()) {
            let value = value.to_str().ok_or_else(|| {
                Diagnostic::new(&rows::SETTING_NOT_UTF8).arg("name", key.variable())
            })?;
            return Ok(given(value, Source::Environment));
        }
        Ok(self
            .dotenv
            .get(key.variable())
            .filter(|a| !a.value.is_empty())
            .and_then(|a| given(&a.value, Source::DotEnv(a.line))))
    }

    /// A whole number from `least` to `most`.
    ///
    /// # Errors
    ///
    /// Anything else.
    pub fn whole(
        &self,
        key: Key,
        flag: Option<&str>,
        (least, most): (usize, usize),
    ) -> Result<Option<Settled<usize>>, Diagnostic> {
        let Some(given) = self.text(key, flag)? else { return Ok(None) };
        match given.value.trim().parse::<usize>() {
            Ok(n) if (least..=most).contains(&n) => {
                Ok(Some(Settled { value: n, source: given.source }))
            }
            _ => {
                Err(given.refuse(&rows::SETTING_NOT_A_NUMBER).arg("least", least).arg("most", most))
            }
        }
    }

    /// One of a few names.
    ///
    /// # Errors
    ///
    /// Another name.
    pub fn one_of<T>(
        &self,
        key: Key,
        flag: Option<&str>,
        allowed: &[&str],
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Settled<T>>, Diagnostic> {
        let Some(given) = self.text(key, flag)? else { return Ok(None) };
        match from_name(given.value.trim()) {
            Some(value) => Ok(Some(Settled { value, source: given.source })),
            None => {
                let d = given.refuse(&rows::SETTING_NOT_ONE_OF);
                Err(d.arg("allowed", allowed.join(", ")))
            }
        }
    }

    /// Checks the settings that have one possible value in this version.
    ///
    /// # Errors
    ///
    /// A backend that is not built in; a temperature other than 0.
    pub fn check_fixed(&self, temperature: Option<&str>) -> Result<(), Diagnostic> {
        if let Some(given) = self.text(Key::Backend, None)?
            && given.value != "rust"
        {
            return Err(given.refuse(&rows::SETTING_BACKEND));
        }
        if let Some(given) = self.text(Key::Temperature, temperature)?
            && given.value.trim().parse() != Ok(0.0f64)
        {
            return Err(given.refuse(&rows::SETTING_TEMPERATURE));
        }
        Ok(())
    }
}

impl Given {
    /// A refusal of this value: `{value}` and `{name}` (flag or variable), with the place in
    /// `.env` where it stands there.
    pub fn refuse(&self, row: &'static synapse_diag::Entry) -> Diagnostic {
        let name = match (self.source, self.key.row().flag) {
            (Source::Flag, Some(flag)) => flag,
            _ => self.key.variable(),
        };
        let d = Diagnostic::new(row).arg("value", &self.value).arg("name", name);
        match self.source {
            Source::DotEnv(line) => d.at_file(DOTENV).at_line(line),
            _ => d,
        }
    }
}

/// The language before `.env` is read, for an error in `.env` itself.
pub fn language_of_environment() -> Lang {
    let environment = std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v)));
    language(&environment.collect(), None)
}

fn language(environment: &BTreeMap<String, OsString>, dotenv: Option<&str>) -> Lang {
    let set = |name: &str| {
        environment.get(name).filter(|v| !v.is_empty()).map(|v| v.to_string_lossy().into_owned())
    };
    let locale = set(Key::Lang.variable())
        .or_else(|| dotenv.filter(|v| !v.is_empty()).map(str::to_owned))
        .or_else(|| ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(set));
    locale.map_or(Lang::En, |name| Lang::from_locale(&name))
}

/// The bytes of a `.env`; `None` where there is no such file.
fn read_dotenv(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    use std::io::Read;
    let unreadable = |e: std::io::Error| {
        Diagnostic::new(&rows::DOTENV_UNREADABLE).arg("reason", e).at_file(DOTENV)
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(unreadable(e)),
    };
    // A folder named `.env` is somebody's virtual environment, not a settings file.
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(dotenv::MOST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(environment: &[(&str, &str)], dotenv: &str) -> Settings {
        let environment = environment.iter().map(|(k, v)| ((*k).to_owned(), OsString::from(*v)));
        Settings::gather(environment, Some(dotenv.as_bytes().to_vec())).unwrap()
    }

    fn source_of(s: &Settings, flag: Option<&str>) -> (Option<String>, Source) {
        match s.text(Key::Model, flag).unwrap() {
            Some(given) => (Some(given.value), given.source),
            None => (None, Source::Default),
        }
    }

    #[test]
    fn a_flag_goes_before_the_environment_before_dotenv_before_the_default() {
        let both = settings(&[("SYNSEMA_LLM_MODEL", "env")], "\nSYNSEMA_LLM_MODEL=file");
        assert_eq!(source_of(&both, Some("flag")), (Some("flag".into()), Source::Flag));
        assert_eq!(source_of(&both, None), (Some("env".into()), Source::Environment));
        let file = settings(&[], "\nSYNSEMA_LLM_MODEL=file");
        assert_eq!(source_of(&file, None), (Some("file".into()), Source::DotEnv(2)));
        assert_eq!(source_of(&settings(&[], ""), None), (None, Source::Default));
    }

    #[test]
    fn an_empty_value_counts_as_unset() {
        let s = settings(&[("SYNSEMA_LLM_MODEL", "")], "SYNSEMA_LLM_MODEL=file");
        assert_eq!(source_of(&s, None).1, Source::DotEnv(1));
        assert_eq!(source_of(&settings(&[], "SYNSEMA_LLM_MODEL="), None).1, Source::Default);
    }

    #[test]
    fn the_language_comes_from_the_first_variable_that_is_set() {
        let lang = |env: &[(&str, &str)], dotenv| settings(env, dotenv).lang();
        assert_eq!(lang(&[], ""), Lang::En);
        assert_eq!(lang(&[("LANG", "es_ES.UTF-8")], ""), Lang::Es);
        assert_eq!(lang(&[("LANG", "es_ES"), ("LC_MESSAGES", "de_DE")], ""), Lang::En);
        assert_eq!(lang(&[("LC_MESSAGES", "es"), ("LC_ALL", "C")], ""), Lang::En);
        assert_eq!(lang(&[("LC_ALL", "es_MX"), ("LANG", "en")], ""), Lang::Es);
        assert_eq!(lang(&[("LC_ALL", "C"), ("SYNSEMA_LANG", "es")], ""), Lang::Es);
        assert_eq!(lang(&[("LC_ALL", "es"), ("SYNSEMA_LANG", "en")], ""), Lang::En);
        assert_eq!(lang(&[("LC_ALL", "es"), ("SYNSEMA_LANG", "")], ""), Lang::Es);
        assert_eq!(lang(&[("LC_ALL", "C")], "SYNSEMA_LANG=es"), Lang::Es);
        assert_eq!(lang(&[("SYNSEMA_LANG", "en")], "SYNSEMA_LANG=es"), Lang::En);
    }

    #[test]
    fn a_number_out_of_bounds_is_refused_with_its_place() {
        let s = settings(&[], "# mine\nSYNSEMA_LLM_THREADS=0");
        let d = s.whole(Key::Threads, None, (1, 8)).unwrap_err();
        assert_eq!((d.code(), d.file(), d.line()), ("setting-not-a-number", Some(".env"), Some(2)));
        let d = s.whole(Key::Threads, Some("9"), (1, 8)).unwrap_err();
        assert_eq!((d.arg_value("name"), d.file()), (Some("--threads"), None));
        assert_eq!(s.whole(Key::Threads, Some("8"), (1, 8)).unwrap().unwrap().value, 8);
    }

    #[test]
    fn a_name_outside_the_list_is_refused_and_the_list_is_told() {
        let s = settings(&[("SYNSEMA_INFER_KV", "q4")], "");
        let d =
            s.one_of(Key::Kv, None, &["f16", "f32"], |n| (n == "f16").then_some(())).unwrap_err();
        assert_eq!(d.exit_code(), 2);
        assert!(d.to_string().contains("f16, f32"), "{d}");
    }

    #[test]
    fn only_the_rust_backend_and_temperature_0_pass() {
        assert!(
            settings(&[("SYNSEMA_INFER_BACKEND", "rust")], "").check_fixed(Some("0.0")).is_ok()
        );
        let d = settings(&[("SYNSEMA_INFER_BACKEND", "candle")], "").check_fixed(None);
        assert_eq!(d.unwrap_err().code(), "setting-backend");
        let d = settings(&[], "SYNSEMA_LLM_TEMPERATURE=0.7").check_fixed(None);
        assert_eq!(d.unwrap_err().code(), "setting-temperature");
        let d = settings(&[], "").check_fixed(Some("warm"));
        assert_eq!(d.unwrap_err().code(), "setting-temperature");
    }

    #[test]
    fn a_slip_in_a_name_is_warned_about_with_the_name_that_was_meant() {
        let s = settings(&[("SYNSEMA_LLM_MODLE", "x"), ("PATH", "y")], "SYNSEMA_COLOUR=1\nA=2");
        let warned = s.unknown();
        assert_eq!(warned.len(), 2);
        assert!(
            warned[0].to_string().contains("did you mean `SYNSEMA_LLM_MODEL`?"),
            "{:?}",
            warned
        );
        assert_eq!((warned[1].file(), warned[1].line()), (Some(".env"), Some(1)));
    }
}
