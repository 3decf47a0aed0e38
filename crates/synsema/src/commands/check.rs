//! `check`: definitions, alone or against a model's header.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use synapse_archdef::Definition;
use synapse_archdef::library::{definition_files, load_file};
use synapse_diag::{Diagnostic, Diagnostics, catalog::command as rows};
use synapse_format::{Gguf, Load};
use synapse_ir::bind;

use crate::app::App;
use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::input::check_file;
use crate::stdout;
use crate::table::table;

/// Runs the command.
pub fn run(app: &App, args: &CheckArgs) -> Result<(), Failure> {
    let model = args.model.as_deref().map(open).transpose()?;
    let mut errors = Diagnostics::new();
    let mut good = Vec::new();
    let mut fits_model = 0;
    for Candidate { file, named } in candidates(&args.paths)? {
        let definition = match load_file(&file) {
            Ok(definition) => definition,
            Err(found) => {
                errors.extend(found);
                continue;
            }
        };
        let binding = match &model {
            None => Binding::NotAsked,
            Some(model) if model.architecture != definition.name && !named => Binding::OtherModel,
            Some(model) => match model.bind(&definition, &file) {
                Ok((binding, notices)) => {
                    fits_model += 1;
                    app.warn(&notices);
                    binding
                }
                Err(found) => {
                    errors.extend(found);
                    continue;
                }
            },
        };
        good.push((file, definition, binding));
    }
    if let Some(model) = model.filter(|_| fits_model == 0 && errors.is_empty()) {
        let d = Diagnostic::new(&rows::NO_DEFINITION_FOR_MODEL);
        errors.push(d.arg("declared", &model.architecture).arg("model", model.shown()));
    }
    if !errors.is_empty() {
        return Err(errors.into());
    }
    if app.json {
        let all: Vec<Value> = good.iter().map(|(f, d, b)| as_json(f, d, b)).collect();
        return stdout::json(&json!({ "definitions": all }));
    }
    stdout::lines(&table(&good.iter().map(|(f, d, b)| as_row(f, d, b)).collect::<Vec<_>>()))
}

/// A file to check.
struct Candidate {
    file: PathBuf,
    /// Named itself, not found in a folder.
    named: bool,
}

enum Binding {
    NotAsked,
    /// The model declares another architecture.
    OtherModel,
    Fits {
        layers: usize,
        fingerprint: String,
    },
}

struct Model {
    file: Gguf,
    architecture: String,
}

fn open(path: &Path) -> Result<Model, Diagnostics> {
    check_file(path)?;
    let file = Gguf::open(path, Load::Header)?;
    let architecture = file.metadata.require_str("general.architecture")?.to_owned();
    Ok(Model { file, architecture })
}

impl Model {
    fn shown(&self) -> String {
        self.file.path.display().to_string()
    }

    fn bind(
        &self,
        definition: &Definition,
        file: &Path,
    ) -> Result<(Binding, Diagnostics), Diagnostics> {
        if self.architecture != definition.name {
            let d = Diagnostic::new(&rows::OTHER_ARCHITECTURE).arg("name", &definition.name);
            let d = d.arg("declared", &self.architecture).arg("model", self.shown());
            return Err(vec![d.at_file(file.display())]);
        }
        let bound = bind(definition, &self.file)?;
        let fingerprint = bound.graph.fingerprint_hex();
        Ok((Binding::Fits { layers: bound.graph.layers, fingerprint }, bound.notices))
    }
}

fn candidates(paths: &[PathBuf]) -> Result<Vec<Candidate>, Diagnostics> {
    let mut found = Vec::new();
    let mut errors = Diagnostics::new();
    for path in paths {
        if !path.exists() {
            errors.push(Diagnostic::new(&rows::PATH_MISSING).at_file(path.display()));
        } else if !path.is_dir() {
            found.push(Candidate { file: path.clone(), named: true });
        } else {
            match definition_files(path) {
                Ok(files) if files.is_empty() => {
                    let d = Diagnostic::new(&rows::NO_DEFINITIONS_IN_FOLDER);
                    errors.push(d.at_file(path.display()));
                }
                Ok(files) => found
                    .extend(files.into_iter().map(|(_, file)| Candidate { file, named: false })),
                Err(d) => errors.push(d.at_file(path.display())),
            }
        }
    }
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

fn as_json(file: &Path, definition: &Definition, binding: &Binding) -> Value {
    let model = match binding {
        Binding::NotAsked => Value::Null,
        Binding::OtherModel => json!({ "fits": false, "reason": "other architecture" }),
        Binding::Fits { layers, fingerprint } => {
            json!({ "fits": true, "layers": layers, "fingerprint": fingerprint })
        }
    };
    json!({
        "file": file.display().to_string(),
        "name": definition.name,
        "kind": definition.kind.name(),
        "steps_per_block": definition.steps_per_block(),
        "sha256": definition.sha256_hex(),
        "model": model,
    })
}

fn as_row(file: &Path, definition: &Definition, binding: &Binding) -> Vec<String> {
    let mut row = vec![
        file.display().to_string(),
        "ok".to_owned(),
        format!("{} {}", definition.kind.name(), definition.name),
        format!("{} steps per block", definition.steps_per_block()),
    ];
    match binding {
        Binding::NotAsked => {}
        Binding::OtherModel => row.push("not for this model".to_owned()),
        Binding::Fits { layers, .. } => row.push(format!("fits the model, {layers} layers")),
    }
    row
}
