//! `model inspect`: what a file says about itself. Reads no weights.

use serde_json::{Map, Value, json};
use synapse_archdef::library::Entry;
use synapse_diag::Diagnostics;
use synapse_engine::memory::describe;
use synapse_engine::{DefinitionIdentity, find_definition};
use synapse_format::{Array, Gguf, Load, TensorInfo, Value as Meta};

use crate::app::App;
use crate::args::InspectArgs;
use crate::failure::Failure;
use crate::input::check_file;
use crate::stdout;
use crate::table::table;

/// Longer arrays are shown by their beginning, unless all is asked for.
const SHOWN: usize = 64;

/// Elements of a longer array that are shown.
const BEGINNING: usize = 8;

/// Runs the command. A file that no definition fits is shown too, with what is in the way.
pub fn run(app: &App, args: &InspectArgs) -> Result<(), Failure> {
    check_file(&args.file)?;
    let library = app.library(&args.definitions)?;
    let file = Gguf::open(&args.file, Load::Header)?;
    let found = find_definition(&library, &file);
    let bound = found.as_ref().map_err(Clone::clone).and_then(|entry| {
        synapse_ir::bind(&entry.definition, &file).map(|bound| bound.graph.fingerprint_hex())
    });
    let problems = bound.as_ref().err().cloned().unwrap_or_default();
    app.warn(&file.notices);
    if app.json {
        let most = if args.full { usize::MAX } else { SHOWN };
        let entry = found.ok();
        return stdout::json(&as_json(app, &file, entry, bound.ok(), &problems, most));
    }
    app.warn(&problems);
    let most = if args.full { usize::MAX } else { BEGINNING };
    stdout::lines(&as_text(&file, found.ok(), bound.ok(), most))
}

fn as_json(
    app: &App,
    file: &Gguf,
    entry: Option<&Entry>,
    fingerprint: Option<String>,
    problems: &Diagnostics,
    most: usize,
) -> Value {
    let metadata: Map<String, Value> =
        file.metadata.iter().map(|(k, v)| (k.to_owned(), meta_json(v, most))).collect();
    let types: Map<String, Value> =
        file.metadata.iter().map(|(k, v)| (k.to_owned(), v.type_name().into())).collect();
    let tensors: Vec<Value> = file
        .tensors
        .iter()
        .map(|t| {
            json!({
                "name": t.name,
                "type": t.ty.name(),
                "shape": t.dims,
                "part": t.part,
                "offset": t.offset,
                "bytes": t.size,
            })
        })
        .collect();
    let problems: Vec<Value> = problems.iter().map(|d| d.to_json(app.lang)).collect();
    json!({
        "file": file.path.display().to_string(),
        "parts": file.parts().len(),
        "bytes": file.file_size(),
        "version": file.version,
        "architecture": architecture(file),
        "definition": entry.map(|e| {
            super::arch::identity_json(&DefinitionIdentity::from(e), e.kind().name())
        }),
        "fingerprint": fingerprint,
        "problems": problems,
        "parameters": parameters(file),
        "metadata": metadata,
        "metadata_types": types,
        "tensors": tensors,
    })
}

fn architecture(file: &Gguf) -> Option<&str> {
    file.metadata.get("general.architecture").and_then(Meta::as_str)
}

/// Numbers in all tensors.
fn parameters(file: &Gguf) -> u64 {
    file.tensors.iter().map(TensorInfo::elements).fold(0, u64::saturating_add)
}

fn meta_json(value: &Meta, most: usize) -> Value {
    match value {
        Meta::String(s) => String::from_utf8_lossy(s.as_bytes()).into(),
        Meta::Bool(b) => (*b).into(),
        Meta::Array(a) if a.len() > most => json!({
            "array": a.element_type().name(),
            "length": a.len(),
            "first": elements(a, BEGINNING),
        }),
        Meta::Array(a) => elements(a, most).into(),
        // JSON has no NaN or infinity: they stand as text.
        other => match (other.as_u64(), other.as_i64(), other.as_f64()) {
            (Some(n), _, _) => n.into(),
            (_, Some(n), _) => n.into(),
            (_, _, Some(x)) => {
                let shortest = if let Meta::F32(x) = other { x.to_string() } else { x.to_string() };
                shortest
                    .parse()
                    .ok()
                    .and_then(serde_json::Number::from_f64)
                    .map_or_else(|| shortest.clone().into(), Value::Number)
            }
            _ => Value::Null,
        },
    }
}

fn elements(array: &Array, most: usize) -> Vec<Value> {
    (0..array.len().min(most)).filter_map(|i| array.get(i)).map(|v| meta_json(&v, 0)).collect()
}

fn as_text(file: &Gguf, entry: Option<&Entry>, fingerprint: Option<String>, most: usize) -> String {
    let definition = match (entry.map(DefinitionIdentity::from), fingerprint) {
        (Some(d), Some(_)) => format!("{} ({}), sha256 {}", d.name, d.origin, d.sha256),
        (Some(d), None) => format!("{} ({}), which does not fit", d.name, d.origin),
        (None, _) => "none that loads".to_owned(),
    };
    let parts = match file.parts().len() {
        1 => String::new(),
        n => format!(" in {n} parts"),
    };
    let head = [
        vec!["file".to_owned(), file.path.display().to_string()],
        vec!["size".to_owned(), format!("{}{parts}", describe(file.file_size()))],
        vec!["format".to_owned(), format!("GGUF {}", file.version)],
        vec!["architecture".to_owned(), architecture(file).unwrap_or("not named").to_owned()],
        vec!["definition".to_owned(), definition],
        vec!["parameters".to_owned(), parameters(file).to_string()],
    ];
    let keys: Vec<Vec<String>> = file
        .metadata
        .iter()
        .map(|(k, v)| vec![k.to_owned(), v.type_name().to_owned(), meta_text(v, most)])
        .collect();
    let tensors: Vec<Vec<String>> = file
        .tensors
        .iter()
        .map(|t| {
            let dims: Vec<String> = t.dims.iter().map(u64::to_string).collect();
            vec![t.name.clone(), t.ty.name().to_owned(), format!("[{}]", dims.join(", "))]
        })
        .collect();
    format!(
        "{}\n{} keys\n{}\n{} tensors, innermost dimension first\n{}",
        table(&head),
        keys.len(),
        table(&keys),
        tensors.len(),
        table(&tensors)
    )
}

fn meta_text(value: &Meta, most: usize) -> String {
    /// Characters of a string that are shown.
    const WIDTH: usize = 100;
    let json = match value {
        Meta::Array(a) if a.len() > most => {
            let mut shown: Vec<String> =
                elements(a, most).iter().map(ToString::to_string).collect();
            shown.push(format!("… {} in all", a.len()));
            format!("[{}]", shown.join(", "))
        }
        other => meta_json(other, most).to_string(),
    };
    match json.char_indices().nth(WIDTH) {
        Some((at, _)) if most < usize::MAX && !matches!(value, Meta::Array(_)) => {
            format!("{}…", &json[..at])
        }
        _ => json,
    }
}
