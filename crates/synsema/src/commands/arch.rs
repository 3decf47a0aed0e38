//! `arch list` and `arch show`: the definitions that can be used.

use serde_json::{Value, json};
use synapse_archdef::Lookup;
use synapse_archdef::library::Problem;
use synapse_archdef::ops::OPS;
use synapse_diag::{Diagnostic, Lang, catalog::command as rows};
use synapse_engine::DefinitionIdentity;

use crate::app::App;
use crate::args::{ArchListArgs, ArchShowArgs};
use crate::failure::{Failure, warn};
use crate::stdout;
use crate::table::table;

/// Runs `arch list`. Definitions that did not load are told on stderr; the others are listed.
pub fn list(app: &App, args: &ArchListArgs) -> Result<(), Failure> {
    if args.operations {
        return operations(app);
    }
    let library = app.library(&args.definitions)?;
    let identities: Vec<(DefinitionIdentity, &str)> =
        library.entries().iter().map(|e| (e.into(), e.kind().name())).collect();
    if app.json {
        let all: Vec<Value> = identities.iter().map(|(d, kind)| identity_json(d, kind)).collect();
        let problems: Vec<Value> =
            library.problems().iter().flat_map(|p| problem_json(p, app.lang)).collect();
        return stdout::json(&json!({ "architectures": all, "problems": problems }));
    }
    for problem in library.problems() {
        warn(&problem.diagnostics, app.lang);
    }
    stdout::lines(&table(&identity_rows(&identities)))
}

/// Runs `arch show`: the text, byte for byte, so that it can begin a definition of one's own.
pub fn show(app: &App, args: &ArchShowArgs) -> Result<(), Failure> {
    let library = app.library(&args.definitions)?;
    let entry = match library.get(&args.name) {
        Lookup::Found(entry) => entry,
        Lookup::Broken(problem) => return Err(problem.diagnostics.clone().into()),
        Lookup::Unknown { known, nearest, .. } => {
            let d = Diagnostic::new(&rows::NO_SUCH_DEFINITION).arg("name", &args.name);
            return Err(d.arg("known", known.join(", ")).suggest(nearest).into());
        }
    };
    let definition = &entry.definition;
    if !app.json {
        return stdout::write(definition.text.as_bytes());
    }
    let mut value = identity_json(&entry.into(), entry.kind().name());
    let params: serde_json::Map<String, Value> =
        definition.params.iter().map(|p| (p.name.clone(), p.value.into())).collect();
    let ignores: Vec<Value> = definition
        .ignores
        .iter()
        .map(|i| json!({ "name": i.what, "reason": i.reason, "line": i.line }))
        .collect();
    let refusals: Vec<Value> = definition
        .refusals
        .iter()
        .map(|r| json!({ "key": r.key, "value": r.value, "reason": r.reason, "line": r.line }))
        .collect();
    value["params"] = params.into();
    value["ignores"] = ignores.into();
    value["refusals"] = refusals.into();
    value["text"] = definition.text.clone().into();
    stdout::json(&value)
}

/// A definition as status and lists show it.
pub fn identity_json(definition: &DefinitionIdentity, kind: &str) -> Value {
    json!({
        "name": definition.name,
        "kind": kind,
        "steps_per_block": definition.steps_per_block,
        "origin": definition.origin,
        "sha256": definition.sha256,
    })
}

/// The same as rows of a table, with a heading.
pub fn identity_rows(identities: &[(DefinitionIdentity, &str)]) -> Vec<Vec<String>> {
    let heading = ["NAME", "KIND", "STEPS PER BLOCK", "SHA-256", "ORIGIN"];
    let row = |(d, kind): &(DefinitionIdentity, &str)| {
        let sha = d.sha256.get(..16).unwrap_or(&d.sha256).to_owned();
        let steps = d.steps_per_block.to_string();
        vec![d.name.clone(), (*kind).to_owned(), steps, sha, d.origin.clone()]
    };
    let heading = heading.map(str::to_owned).to_vec();
    std::iter::once(heading).chain(identities.iter().map(row)).collect()
}

/// Every finding about a definition that did not load.
pub fn problem_json(problem: &Problem, lang: Lang) -> Vec<Value> {
    let one = |d: &Diagnostic| {
        let mut value = d.to_json(lang);
        value["name"] = problem.name.clone().into();
        if d.file().is_none() {
            value["file"] = problem.file.clone().into();
        }
        value
    };
    problem.diagnostics.iter().map(one).collect()
}

fn operations(app: &App) -> Result<(), Failure> {
    if app.json {
        let one = |op: &synapse_archdef::ops::OpRow| {
            let options: Vec<Value> = op
                .options
                .iter()
                .map(|o| json!({ "name": o.kind.name(), "description": o.sentence }))
                .collect();
            json!({
                "name": op.name,
                "form": op.signature(),
                "description": op.sentence,
                "formula": op.formula,
                "shapes": op.shapes,
                "options": options,
            })
        };
        let all: Vec<Value> = OPS.iter().map(one).collect();
        return stdout::json(&json!({ "operations": all }));
    }
    let row = |op: &synapse_archdef::ops::OpRow| {
        let options: Vec<&str> = op.options.iter().map(|o| o.kind.name()).collect();
        let form = match options.is_empty() {
            true => op.signature(),
            false => format!("{}  [{}]", op.signature(), options.join(", ")),
        };
        vec![form, op.formula.to_owned()]
    };
    stdout::lines(&table(&OPS.iter().map(row).collect::<Vec<_>>()))
}
