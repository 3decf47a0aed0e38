//! What every command starts from: settings, language, output form; and how settings become the
//! options of the engine.

use std::path::{Path, PathBuf};

use synapse_archdef::Library;
use synapse_diag::{Diagnostic, Diagnostics, Lang, catalog::command as rows};
use synapse_engine::settings::{Given, Key, Settings, Settled, Source};
use synapse_engine::{LoadOptions, Model, models_on_disk};
use synapse_exec::Precision;
use synapse_format::{Gguf, Load};
use synapse_kernels::Isa;
use synapse_kernels::kv::KvType;

use crate::args::{DefinitionArgs, ModelArgs, RunArgs};
use crate::failure::{Failure, warn};
use crate::input::check_file;

/// More threads than this are a slip of the pen.
const MOST_THREADS: usize = 1024;

/// The running command.
pub struct App {
    /// Settings of the environment and `.env`.
    pub settings: Settings,
    /// Language of messages.
    pub lang: Lang,
    /// Whether results are JSON.
    pub json: bool,
}

impl App {
    /// Reads the settings and warns about names that are none.
    pub fn start(json: bool) -> Result<App, Diagnostic> {
        let settings = Settings::of_process(Path::new("."))?;
        let lang = settings.lang();
        warn(&settings.unknown(), lang);
        Ok(App { settings, lang, json })
    }

    /// Tells what is worth saying and stops nothing.
    pub fn warn(&self, notices: &[Diagnostic]) {
        warn(notices, self.lang);
    }

    /// The folder of definitions, where one is set.
    pub fn definitions(&self, args: &DefinitionArgs) -> Result<Option<Given>, Diagnostic> {
        self.settings.text(Key::Definitions, args.definitions.as_deref())
    }

    /// The definitions.
    pub fn library(&self, args: &DefinitionArgs) -> Result<Library, Diagnostic> {
        let folder = self.definitions(args)?.map(|given| PathBuf::from(given.value));
        Ok(Library::load(folder.as_deref()))
    }

    /// The path of the model.
    pub fn model_path(&self, args: &ModelArgs) -> Result<PathBuf, Diagnostic> {
        let Some(given) = self.settings.text(Key::Model, args.model.as_deref())? else {
            let found = models_on_disk::find(&[Path::new(models_on_disk::FOLDER)]);
            return Err(no_model(&found));
        };
        let path = PathBuf::from(&given.value);
        check_file(&path).map_err(|d| match path.parent() {
            Some(folder) => d.suggest(near_model(&path, folder)),
            None => d,
        })?;
        Ok(path)
    }

    /// How the model is loaded.
    pub fn load_options(&self, args: &RunArgs) -> Result<LoadOptions, Diagnostic> {
        let s = &self.settings;
        s.check_fixed(None)?;
        let precision = s.one_of(
            Key::Precision,
            args.precision.as_deref(),
            &["f32", "q8"],
            Precision::from_name,
        )?;
        let kv = s.one_of(Key::Kv, args.kv.as_deref(), &["f16", "f32"], KvType::from_name)?;
        let threads = s.whole(Key::Threads, args.threads.as_deref(), (1, MOST_THREADS))?;
        Ok(LoadOptions {
            precision: precision.map(|p| p.value),
            kv: kv.map_or(KvType::F16, |kv| kv.value),
            threads: threads.map(|t| t.value),
            isa: self.isa(args)?,
            bytes: if args.read_weights { Load::Read } else { Load::Map },
        })
    }

    /// Opens the model and makes it ready, telling its notices.
    pub fn load(&self, model: &ModelArgs, run: &RunArgs) -> Result<Model, Failure> {
        // Settings first: a slip there should not wait for a file.
        let options = self.load_options(run)?;
        let library = self.library(&run.definitions)?;
        let loaded = Model::load(&self.model_path(model)?, &library, &options)?;
        self.warn(&loaded.notices);
        Ok(loaded)
    }

    /// Opens only the header of the model.
    pub fn open_header(&self, model: &ModelArgs) -> Result<Gguf, Diagnostics> {
        Ok(Gguf::open(&self.model_path(model)?, Load::Header)?)
    }

    /// Tokens that a session can hold, where that is set.
    pub fn context(&self, args: &RunArgs) -> Result<Option<usize>, Diagnostic> {
        let bounds = (1, u32::MAX as usize);
        Ok(self.settings.whole(Key::Context, args.ctx.as_deref(), bounds)?.map(|c| c.value))
    }

    /// Tokens that a generation yields at most.
    pub fn max_tokens(&self, flag: Option<&str>) -> Result<Settled<usize>, Diagnostic> {
        let set = self.settings.whole(Key::MaxTokens, flag, (0, u32::MAX as usize))?;
        Ok(set.unwrap_or(Settled { value: 512, source: Source::Default }))
    }

    fn isa(&self, args: &RunArgs) -> Result<Option<Isa>, Diagnostic> {
        let flag = args.kernels.as_deref();
        let names = ["scalar", "avx2", "avx512", "neon"];
        let Some(isa) = self.settings.one_of(Key::Kernels, flag, &names, Isa::from_name)? else {
            return Ok(None);
        };
        if isa.value.is_available() {
            return Ok(Some(isa.value));
        }
        let here: Vec<&str> = Isa::available().into_iter().map(Isa::name).collect();
        let given = self.settings.text(Key::Kernels, flag)?;
        let d = match given {
            Some(given) => given.refuse(&rows::KERNELS_NOT_HERE),
            None => Diagnostic::new(&rows::KERNELS_NOT_HERE),
        };
        Err(d.arg("available", here.join(", ")))
    }
}

fn no_model(found: &[models_on_disk::ModelFile]) -> Diagnostic {
    const SHOWN: usize = 5;
    if found.is_empty() {
        return Diagnostic::new(&rows::NO_MODEL);
    }
    let mut names: Vec<String> =
        found.iter().take(SHOWN).map(|m| m.path.display().to_string()).collect();
    if found.len() > SHOWN {
        names.push("…".to_owned());
    }
    Diagnostic::new(&rows::NO_MODEL_SOME_HERE).arg("found", names.join(", "))
}

/// A model file beside the missing one whose name is near.
fn near_model(missing: &Path, folder: &Path) -> Option<String> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let found = models_on_disk::find(&[folder]);
    let names: Vec<String> =
        found.iter().filter_map(|m| Some(m.path.file_name()?.to_str()?.to_owned())).collect();
    let name = missing.file_name()?.to_str()?;
    let near = synapse_archdef::nearest(name, names.iter().map(String::as_str))?;
    Some(missing.with_file_name(near).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(dotenv: &str) -> App {
        let settings = Settings::gather([], Some(dotenv.as_bytes().to_vec())).unwrap();
        App { settings, lang: Lang::En, json: false }
    }

    fn model(path: &str) -> ModelArgs {
        ModelArgs { model: Some(path.to_owned()) }
    }

    #[test]
    fn no_model_at_all_is_refused_with_the_places_that_were_looked_at() {
        let d = app("").model_path(&ModelArgs::default()).unwrap_err();
        assert_eq!(d.exit_code(), 3);
        assert!(d.to_string().contains("SYNSEMA_LLM_MODEL"), "{d}");
    }

    #[test]
    fn a_missing_model_is_refused_and_a_near_name_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("small.gguf"), "").unwrap();
        let slip = folder.path().join("smal.gguf");
        let d = app("").model_path(&model(slip.to_str().unwrap())).unwrap_err();
        assert_eq!(d.code(), "file-missing");
        assert!(d.to_string().contains("small.gguf"), "{d}");
    }

    #[test]
    fn the_flag_goes_before_the_setting() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a.gguf"), folder.path().join("b.gguf"));
        std::fs::write(&a, "").unwrap();
        std::fs::write(&b, "").unwrap();
        let app = app(&format!("SYNSEMA_LLM_MODEL={}", a.display()));
        assert_eq!(app.model_path(&ModelArgs::default()).unwrap(), a);
        assert_eq!(app.model_path(&model(b.to_str().unwrap())).unwrap(), b);
    }

    #[test]
    fn options_of_a_run_come_from_settings_too() {
        let app = app("SYNSEMA_INFER_PRECISION=f32\nSYNSEMA_INFER_KV=f32\nSYNSEMA_LLM_THREADS=3");
        let options = app.load_options(&RunArgs::default()).unwrap();
        assert_eq!(options.precision, Some(Precision::F32));
        assert_eq!((options.kv, options.threads), (KvType::F32, Some(3)));
        let flags = RunArgs { precision: Some("q8".into()), ..RunArgs::default() };
        assert_eq!(app.load_options(&flags).unwrap().precision, Some(Precision::Q8));
    }

    #[test]
    fn wrong_values_are_wrong_usage() {
        let wrong = |run: RunArgs| app("").load_options(&run).unwrap_err();
        let d = wrong(RunArgs { precision: Some("fp8".into()), ..RunArgs::default() });
        assert_eq!((d.exit_code(), d.code()), (2, "setting-not-one-of"));
        let d = wrong(RunArgs { threads: Some("0".into()), ..RunArgs::default() });
        assert_eq!((d.exit_code(), d.code()), (2, "setting-not-a-number"));
    }

    #[test]
    fn kernels_of_another_processor_are_refused() {
        let missing = ["neon", "avx2"]
            .into_iter()
            .find(|n| Isa::from_name(n).is_some_and(|isa| !isa.is_available()));
        let Some(missing) = missing else { return };
        let run = RunArgs { kernels: Some(missing.into()), ..RunArgs::default() };
        let d = app("").load_options(&run).unwrap_err();
        assert_eq!((d.exit_code(), d.code()), (3, "kernels-not-here"));
        assert!(d.to_string().contains("scalar"), "{d}");
    }
}
