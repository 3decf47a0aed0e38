//! `init`: a commented `.env` and a folder for definitions.

use std::io::Write;
use std::path::Path;

use serde_json::json;
use synapse_diag::{Diagnostic, catalog::command as rows};
use synapse_engine::models_on_disk;
use synapse_engine::settings::{DOTENV, KEYS, Key};

use crate::app::App;
use crate::args::InitArgs;
use crate::failure::Failure;
use crate::stdout;

/// Name of the folder for definitions.
const DEFINITIONS: &str = "archdefs";

/// Runs the command. What is there stays as it is.
pub fn run(app: &App, args: &InitArgs) -> Result<(), Failure> {
    let dotenv = args.folder.join(DOTENV);
    let folder = args.folder.join(DEFINITIONS);
    let failed = |path: &Path, e: std::io::Error| {
        Diagnostic::new(&rows::OUTPUT_FAILED).arg("reason", e).at_file(path.display())
    };
    let mut created = Vec::new();
    let mut kept = Vec::new();
    if folder.is_dir() {
        kept.push(&folder);
    } else {
        std::fs::create_dir_all(&folder).map_err(|e| failed(&folder, e))?;
        created.push(&folder);
    }
    // `create_new` is the check: a file that appears meanwhile is not overwritten either.
    match std::fs::File::create_new(&dotenv) {
        Ok(mut file) => {
            let text = template(&args.folder);
            file.write_all(text.as_bytes()).map_err(|e| failed(&dotenv, e))?;
            created.push(&dotenv);
        }
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => kept.push(&dotenv),
        Err(e) => return Err(failed(&dotenv, e).into()),
    }
    let names = |paths: &[&std::path::PathBuf]| -> Vec<String> {
        paths.iter().map(|p| p.display().to_string()).collect()
    };
    let (created, kept) = (names(&created), names(&kept));
    if app.json {
        return stdout::json(&json!({ "created": created, "kept": kept }));
    }
    let mut out = String::new();
    created.iter().for_each(|p| out.push_str(&format!("created  {p}\n")));
    kept.iter().for_each(|p| out.push_str(&format!("kept     {p}\n")));
    stdout::lines(&out)
}

/// Every setting with its meaning; only those that say something are not commented out.
fn template(folder: &Path) -> String {
    let mut out = String::from(
        "# Settings of synsema. A flag goes before the environment, the environment before this\n\
         # file. Remove the `#` before a setting to use it.\n",
    );
    let found = models_on_disk::find(&[&folder.join(models_on_disk::FOLDER)]);
    for row in KEYS {
        out.push_str(&format!("\n# {}\n# Default: {}.\n", row.sentence, row.default));
        let model = match (row.key, found.as_slice()) {
            (Key::Model, [only]) => only.path.strip_prefix(folder).ok().and_then(Path::to_str),
            _ => None,
        };
        match (row.key, model) {
            (_, Some(path)) => out.push_str(&format!("{}='{path}'\n", row.variable)),
            (Key::Definitions, _) => out.push_str(&format!("{}={DEFINITIONS}\n", row.variable)),
            _ => out.push_str(&format!("#{}={}\n", row.variable, row.example)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use synapse_engine::settings::dotenv;

    #[test]
    fn the_template_is_read_by_our_own_reader_with_and_without_its_comments() {
        let folder = tempfile::tempdir().unwrap();
        let text = template(folder.path());
        let set = dotenv::parse(".env", text.as_bytes()).unwrap();
        assert_eq!(set.len(), 1);
        assert_eq!(
            (set[0].key.as_str(), set[0].value.as_str()),
            ("SYNSEMA_INFER_ARCHDEF", DEFINITIONS)
        );
        let all = dotenv::parse(".env", text.replace("#SYNSEMA", "SYNSEMA").as_bytes()).unwrap();
        assert_eq!(all.len(), KEYS.len());
    }

    #[test]
    fn the_only_model_of_the_folder_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("models")).unwrap();
        std::fs::write(folder.path().join("models/it.gguf"), "").unwrap();
        assert!(template(folder.path()).contains("\nSYNSEMA_LLM_MODEL='models/it.gguf'\n"));
    }
}
