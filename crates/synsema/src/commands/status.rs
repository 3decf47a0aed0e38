//! `llm status`: which program, which engine, which model, which definitions, which settings.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use synapse_archdef::Library;
use synapse_diag::{Diagnostic, Diagnostics};
use synapse_engine::settings::{KEYS, Key, Source};
use synapse_engine::{
    DefinitionIdentity, LoadOptions, default_threads, find_definition, models_on_disk,
};
use synapse_exec::{Precision, default_precision};
use synapse_format::{Gguf, Load};
use synapse_kernels::{Isa, NUMERICS_VERSION};

use crate::app::App;
use crate::args::StatusArgs;
use crate::build_info::{self, VERSION};
use crate::commands::arch::{identity_json, identity_rows, problem_json};
use crate::failure::{Failure, warn};
use crate::stdout;
use crate::table::table;

/// Runs the command. It works without any model and with definitions that did not load.
pub fn run(app: &App, args: &StatusArgs) -> Result<(), Failure> {
    let options = app.load_options(&args.run)?;
    let folder = app.definitions(&args.run.definitions)?.map(|given| PathBuf::from(given.value));
    let library = Library::load(folder.as_deref());
    let model = selected(app, args, &library)?;
    let status = Status {
        precision: precision(&options, model.as_ref()),
        options,
        folder,
        on_disk: on_disk(model.as_ref()),
        library,
        model,
    };
    let settings = settings(app, args)?;
    if app.json {
        return stdout::json(&status.as_json(app, &settings));
    }
    for problem in status.library.problems() {
        warn(&problem.diagnostics, app.lang);
    }
    if let Some(Err(found)) = status.model.as_ref().map(|m| &m.header) {
        warn(found, app.lang);
    }
    stdout::lines(&status.as_text(&settings))
}

struct Status {
    options: LoadOptions,
    precision: Precision,
    folder: Option<PathBuf>,
    library: Library,
    model: Option<Selected>,
    on_disk: Vec<models_on_disk::ModelFile>,
}

/// The model that would run.
struct Selected {
    path: PathBuf,
    header: Result<Header, Diagnostics>,
}

/// What its header says, where a definition fits it.
struct Header {
    definition: DefinitionIdentity,
    fingerprint: String,
    layers: usize,
    context_length: usize,
    precision: Precision,
    bytes: u64,
}

fn selected(
    app: &App,
    args: &StatusArgs,
    library: &Library,
) -> Result<Option<Selected>, Diagnostic> {
    let Some(given) = app.settings.text(Key::Model, args.model.model.as_deref())? else {
        return Ok(None);
    };
    let header = app.model_path(&args.model).map_err(Diagnostics::from).and_then(|path| {
        let file = Gguf::open(&path, Load::Header)?;
        let entry = find_definition(library, &file)?;
        let graph = synapse_ir::bind(&entry.definition, &file)?.graph;
        Ok(Header {
            definition: entry.into(),
            fingerprint: graph.fingerprint_hex(),
            layers: graph.layers,
            context_length: graph.context_length,
            precision: default_precision(&graph),
            bytes: file.file_size(),
        })
    });
    Ok(Some(Selected { path: PathBuf::from(given.value), header }))
}

/// The profile that would run: what is set, else what suits the model; without a model, what
/// suits quantized weights.
fn precision(options: &LoadOptions, model: Option<&Selected>) -> Precision {
    let of_model = model.and_then(|m| m.header.as_ref().ok()).map(|h| h.precision);
    options.precision.or(of_model).unwrap_or(Precision::Q8)
}

fn on_disk(model: Option<&Selected>) -> Vec<models_on_disk::ModelFile> {
    let beside = model.and_then(|m| m.path.parent()).filter(|f| !f.as_os_str().is_empty());
    let folder = Path::new(models_on_disk::FOLDER);
    models_on_disk::find(&[&[folder][..], beside.as_slice()].concat())
}

/// Name, value and source of each setting.
fn settings(app: &App, args: &StatusArgs) -> Result<Vec<[String; 3]>, Diagnostic> {
    let flag = |key| match key {
        Key::Model => args.model.model.as_deref(),
        Key::Context => args.run.ctx.as_deref(),
        Key::Threads => args.run.threads.as_deref(),
        Key::Definitions => args.run.definitions.definitions.as_deref(),
        Key::Precision => args.run.precision.as_deref(),
        Key::Kv => args.run.kv.as_deref(),
        Key::Kernels => args.run.kernels.as_deref(),
        _ => None,
    };
    KEYS.iter()
        .map(|row| {
            let given = app.settings.text(row.key, flag(row.key))?;
            let source = given.as_ref().map_or(Source::Default, |g| g.source);
            let value = given.map_or_else(|| row.default.to_owned(), |g| g.value);
            Ok([row.variable.to_owned(), value, source.describe(row.key)])
        })
        .collect()
}

impl Status {
    fn kernels(&self) -> &'static str {
        self.options.isa.unwrap_or_else(Isa::detect).name()
    }

    fn threads(&self) -> usize {
        self.options.threads.unwrap_or_else(default_threads)
    }

    fn identities(&self) -> Vec<(DefinitionIdentity, &'static str)> {
        self.library.entries().iter().map(|e| (e.into(), e.kind().name())).collect()
    }

    fn as_json(&self, app: &App, settings: &[[String; 3]]) -> Value {
        let architectures: Vec<Value> =
            self.identities().iter().map(|(d, kind)| identity_json(d, kind)).collect();
        let problems: Vec<Value> =
            self.library.problems().iter().flat_map(|p| problem_json(p, app.lang)).collect();
        let on_disk: Vec<Value> = self
            .on_disk
            .iter()
            .map(|m| {
                let folder = m.path.parent().unwrap_or(Path::new("."));
                json!({
                    "name": m.name,
                    "origin": folder.display().to_string(),
                    "digest": null,
                    "path": m.path.display().to_string(),
                    "bytes": m.bytes,
                })
            })
            .collect();
        let settings: Vec<Value> = settings
            .iter()
            .map(|[name, value, source]| json!({ "name": name, "value": value, "source": source }))
            .collect();
        json!({
            "version": VERSION,
            "commit": build_info::commit(),
            "sha256": build_info::binary_sha256(),
            "numerics": NUMERICS_VERSION,
            "inference": {
                "backend": "rust",
                "precision": self.precision.name(),
                "kv": self.options.kv.name(),
                "kernels": self.kernels(),
                "threads": self.threads(),
                "archdef_dir": self.folder.as_ref().map(|f| f.display().to_string()),
                "architectures": architectures,
                "problems": problems,
                "models_on_disk": on_disk,
                "model": self.model.as_ref().map(|m| m.as_json(app)),
            },
            "settings": settings,
        })
    }

    fn as_text(&self, settings: &[[String; 3]]) -> String {
        let unknown = "unknown";
        let running = format!(
            "rust, {}, KV {}, {} kernels, {} threads, numerics version {NUMERICS_VERSION}",
            self.precision.name(),
            self.options.kv.name(),
            self.kernels(),
            self.threads()
        );
        let sha = build_info::binary_sha256();
        let commit = build_info::commit().unwrap_or(unknown);
        let model = self.model.as_ref().map_or("none chosen".to_owned(), Selected::as_text);
        let folder = self.folder.as_ref().map_or("none".to_owned(), |f| f.display().to_string());
        let head = [
            ["synsema", VERSION],
            ["commit", commit],
            ["sha256", sha.as_deref().unwrap_or(unknown)],
            ["engine", &running],
            ["model", &model],
            ["definitions", &folder],
        ]
        .map(|row| row.map(str::to_owned).to_vec());
        let mut out = table(&head);
        out.push('\n');
        out.push_str(&table(&identity_rows(&self.identities())));
        if !self.library.problems().is_empty() {
            out.push_str("\nNOT LOADED\n");
            let places = self.library.problems().iter().map(|p| {
                let line = p.diagnostics.iter().find_map(Diagnostic::line);
                let line = line.map_or(String::new(), |l| format!(":{l}"));
                let name = p.name.clone().unwrap_or("every architecture".to_owned());
                let count = match p.diagnostics.len() {
                    1 => "1 error".to_owned(),
                    n => format!("{n} errors"),
                };
                vec![name, format!("{}{line}", p.file), count]
            });
            out.push_str(&table(&places.collect::<Vec<_>>()));
        }
        if !self.on_disk.is_empty() {
            out.push_str("\nMODELS ON DISK\n");
            let row = |m: &models_on_disk::ModelFile| {
                vec![m.path.display().to_string(), synapse_engine::memory::describe(m.bytes)]
            };
            out.push_str(&table(&self.on_disk.iter().map(row).collect::<Vec<_>>()));
        }
        let heading = ["SETTING", "VALUE", "FROM"].map(str::to_owned).to_vec();
        let rows = settings.iter().map(|row| row.to_vec());
        out.push('\n');
        out.push_str(&table(&std::iter::once(heading).chain(rows).collect::<Vec<_>>()));
        out
    }
}

impl Selected {
    fn as_json(&self, app: &App) -> Value {
        let path = self.path.display().to_string();
        let name = self.path.file_stem().map(|s| s.to_string_lossy().into_owned());
        match &self.header {
            Ok(h) => json!({
                "name": name,
                "path": path,
                "digest": null,
                "bytes": h.bytes,
                "architecture": h.definition.name,
                "definition": { "origin": h.definition.origin, "sha256": h.definition.sha256 },
                "fingerprint": h.fingerprint,
                "layers": h.layers,
                "context_length": h.context_length,
                "errors": [],
            }),
            Err(found) => {
                let errors: Vec<Value> = found.iter().map(|d| d.to_json(app.lang)).collect();
                json!({ "name": name, "path": path, "digest": null, "errors": errors })
            }
        }
    }

    fn as_text(&self) -> String {
        match &self.header {
            Ok(h) => format!(
                "{}: {} ({}), {} layers, context {}",
                self.path.display(),
                h.definition.name,
                h.definition.origin,
                h.layers,
                h.context_length
            ),
            Err(_) => format!("{}: cannot run, see above", self.path.display()),
        }
    }
}
