//! `model verify`: everything that loading checks, without running.

use serde_json::json;
use synapse_engine::memory::describe;
use synapse_engine::verify::verify;

use crate::app::App;
use crate::args::VerifyArgs;
use crate::failure::Failure;
use crate::input::check_file;
use crate::progress::Progress;
use crate::stdout;

/// Runs the command.
pub fn run(app: &App, args: &VerifyArgs) -> Result<(), Failure> {
    check_file(&args.file)?;
    let library = app.library(&args.definitions)?;
    let mut progress = Progress::new("checking the weights");
    let found = verify(&args.file, &library, &mut |done, of| progress.set(done, of));
    progress.finish();
    app.warn(&found.notices);
    if !found.errors.is_empty() {
        return Err(found.errors.into());
    }
    let definition = found.definition;
    if app.json {
        let notices: Vec<_> = found.notices.iter().map(|d| d.to_json(app.lang)).collect();
        return stdout::json(&json!({
            "file": args.file.display().to_string(),
            "ok": true,
            "definition": definition.map(|d| json!({
                "name": d.name,
                "origin": d.origin,
                "sha256": d.sha256,
            })),
            "fingerprint": found.fingerprint,
            "tensors": found.tensors,
            "bytes": found.bytes,
            "notices": notices,
        }));
    }
    let name = definition.map_or(String::new(), |d| format!("{} ({}), ", d.name, d.origin));
    stdout::lines(&format!(
        "{}: ok: {name}{} tensors, {}",
        args.file.display(),
        found.tensors,
        describe(found.bytes)
    ))
}
