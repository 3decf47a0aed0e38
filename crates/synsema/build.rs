//! Tells the binary which commit it was built from, where that is known.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let head = git(&["rev-parse", "HEAD"]).unwrap_or_default();
    println!("cargo::rustc-env=SYNSEMA_COMMIT={head}");
    println!("cargo::rerun-if-changed=build.rs");
    // The commit changes with HEAD and with the branch that it names. A path that does not exist
    // would make every build run this again, so only real ones are watched.
    let Some(folder) = git(&["rev-parse", "--git-dir"]).map(PathBuf::from) else { return };
    let branch = git(&["symbolic-ref", "-q", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", "packed-refs", &branch] {
        let path = folder.join(name);
        if !name.is_empty() && Path::new(&path).is_file() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
}

fn git(args: &[&str]) -> Option<String> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let output = Command::new("git").args(args).current_dir(folder).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
