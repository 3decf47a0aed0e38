//! Which definition a name gets: built-in, the operator's, or none.

use std::fs;
use std::path::Path;
use synapse_archdef::library::{Library, Lookup, Origin};
use synapse_archdef::limits;
use synapse_diag::Lang;

const SEED: &str = include_str!("../../../archdefs/qwen3.archdef");

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(dir.path().join(name), text).expect("written");
    }
    dir
}

/// The code of the first finding of the one problem of this name.
fn problem_code(library: &Library, name: &str) -> &'static str {
    match library.get(name) {
        Lookup::Broken(p) => p.diagnostics[0].code(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_good_file_of_the_operators_wins_over_the_builtin() {
    let text = format!("# ours\n{SEED}");
    let dir = folder(&[("qwen3.archdef", &text)]);
    let library = Library::load(Some(dir.path()));
    let Lookup::Found(entry) = library.get("qwen3") else { panic!() };
    assert_eq!(entry.origin, Origin::File(dir.path().join("qwen3.archdef")));
    assert_eq!(entry.definition.text, text);
    assert_eq!(library.entries().len(), 5);
    let Lookup::Found(other) = library.get("llama") else { panic!() };
    assert_eq!(other.origin, Origin::Builtin);
}

#[test]
fn a_broken_file_makes_the_architecture_unavailable_and_never_falls_back() {
    let dir = folder(&[("qwen3.archdef", &SEED.replace("silu(g)", "siluu(g)"))]);
    let library = Library::load(Some(dir.path()));
    assert_eq!(problem_code(&library, "qwen3"), "archdef-no-such-operation");
    assert!(library.entries().iter().all(|e| e.name() != "qwen3"));
    let refused = library.require("qwen3", Lang::En).expect_err("broken").render(Lang::En);
    let file = dir.path().join("qwen3.archdef").display().to_string();
    assert!(refused.contains(&format!("{file}: line 22: no such operation `siluu`")), "{refused}");
    assert!(matches!(library.get("llama"), Lookup::Found(_)));
}

#[test]
fn a_file_that_declares_another_name_breaks_the_name_of_the_file() {
    let dir = folder(&[("llama.archdef", SEED)]);
    let library = Library::load(Some(dir.path()));
    assert_eq!(problem_code(&library, "llama"), "archdef-name-mismatch");
    let Lookup::Found(entry) = library.get("qwen3") else { panic!() };
    assert_eq!(entry.origin, Origin::Builtin);
}

#[test]
fn an_unknown_name_is_told_the_known_ones_and_those_that_did_not_load() {
    let dir = folder(&[("mine.archdef", "arch mine\n")]);
    let library = Library::load(Some(dir.path()));
    let refused = library.require("llamma", Lang::En).expect_err("unknown").render(Lang::En);
    let file = dir.path().join("mine.archdef").display().to_string();
    assert_eq!(
        refused,
        format!(
            "no definition of the architecture `llamma`; known: gemma3, llama, llama-embed, \
             qwen2, qwen3; not loaded: {file} — did you mean `llama`?"
        )
    );
}

#[test]
fn what_is_no_text_file_is_refused_unread() {
    let dir = folder(&[("notes.txt", "not a definition"), (".hidden.archdef", "neither")]);
    fs::create_dir(dir.path().join("qwen2.archdef")).expect("made");
    let large = fs::File::create(dir.path().join("llama.archdef")).expect("made");
    large.set_len(1 << 40).expect("a sparse file");
    let library = Library::load(Some(dir.path()));
    assert_eq!(problem_code(&library, "qwen2"), "archdef-not-a-file");
    assert_eq!(problem_code(&library, "llama"), "archdef-too-many-bytes");
    assert_eq!(library.problems().len(), 2);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_a_dangling_one_is_a_problem() {
    use std::os::unix::fs::symlink;
    let dir = folder(&[("text", SEED)]);
    symlink(dir.path().join("text"), dir.path().join("qwen3.archdef")).expect("linked");
    symlink(dir.path().join("gone"), dir.path().join("qwen2.archdef")).expect("linked");
    symlink("/dev/zero", dir.path().join("llama.archdef")).expect("linked");
    let library = Library::load(Some(dir.path()));
    assert!(matches!(library.get("qwen3"), Lookup::Found(e) if e.origin != Origin::Builtin));
    assert_eq!(problem_code(&library, "qwen2"), "archdef-unreadable");
    assert_eq!(problem_code(&library, "llama"), "archdef-not-a-file");
}

#[test]
fn a_folder_that_cannot_be_read_makes_every_architecture_unavailable() {
    let library = Library::load(Some(Path::new("no/such/folder")));
    assert_eq!(problem_code(&library, "qwen3"), "archdef-folder-unreadable");
    assert_eq!(library.entries().len(), 0);
}

#[test]
fn a_folder_of_too_many_definitions_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    for i in 0..=limits::FILES.most {
        fs::write(dir.path().join(format!("m{i}.archdef")), "").expect("written");
    }
    let library = Library::load(Some(dir.path()));
    assert_eq!(problem_code(&library, "qwen3"), "archdef-too-many-files");
}
