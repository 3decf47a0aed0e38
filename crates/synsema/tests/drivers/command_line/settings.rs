//! Settings: flag, then environment, then `.env`, then default.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::{control, tiny};
use crate::cases;
use crate::program::{Synsema, synsema};

/// A folder with this `.env`.
fn folder_with(name: &str, text: &str) -> PathBuf {
    let folder = cases::scratch("settings").join(name);
    fs::create_dir_all(&folder).expect("the build folder can be written");
    fs::write(folder.join(".env"), text).expect("the build folder can be written");
    folder
}

/// How many tokens a generation gave.
fn tokens(call: Synsema) -> usize {
    cases::ids(&call.run().done().json()["tokens"]).len()
}

#[test]
fn a_flag_goes_before_the_environment_and_that_before_the_file() {
    let folder = folder_with("order", "# settings\nSYNSEMA_LLM_MAX_TOKENS=2\n");
    let call = || {
        let call = synsema(["generate", "--raw", "--json", "--prompt", "abc", "--model"]);
        call.arg(control()).in_folder(&folder)
    };
    assert_eq!(tokens(call()), 2);
    assert_eq!(tokens(call().env("SYNSEMA_LLM_MAX_TOKENS", "3")), 3);
    assert_eq!(tokens(call().env("SYNSEMA_LLM_MAX_TOKENS", "3").args(["--max-tokens", "4"])), 4);
}

#[test]
fn the_model_can_come_from_the_file() {
    let line = format!("SYNSEMA_LLM_MODEL=\"{}\"\n", control().display());
    let folder = folder_with("model", &line);
    let call = ["generate", "--raw", "--json", "--prompt", "abc", "--max-tokens", "1"];
    assert_eq!(tokens(synsema(call).in_folder(&folder)), 1);
    let status = synsema(["llm", "status", "--json"]).in_folder(&folder).run().done().json();
    assert!(status["inference"]["model"].to_string().contains("model.gguf"), "{status}");
}

#[test]
fn a_backend_that_is_not_built_in_is_refused() {
    let call = ["generate", "--raw", "--prompt", "a", "--model"];
    let call = synsema(call).arg(control()).env("SYNSEMA_INFER_BACKEND", "cuda");
    call.run().stopped(2).says(&["cuda", "SYNSEMA_INFER_BACKEND"]);
}

#[test]
fn a_wrong_value_names_its_setting_and_its_place() {
    let call = ["generate", "--raw", "--prompt", "a", "--model"];
    let call = || synsema(call).arg(control());
    let outcome = call().env("SYNSEMA_LLM_MAX_TOKENS", "many").run().stopped(2);
    outcome.says(&["many", "SYNSEMA_LLM_MAX_TOKENS"]);
    let folder = folder_with("wrong", "\nSYNSEMA_INFER_PRECISION=f64\n");
    let outcome = call().in_folder(folder).run().stopped(2);
    outcome.says(&["f64", "SYNSEMA_INFER_PRECISION"]);
}

#[test]
fn a_malformed_settings_file_is_wrong_usage_with_its_line() {
    let folder = folder_with("malformed", "SYNSEMA_LLM_MAX_TOKENS=1\nno assignment here\n");
    let call = synsema(["llm", "status", "--json"]).in_folder(folder);
    call.run().stopped(2).says(&[".env", "2"]);
}

#[test]
fn the_precision_is_printed_where_the_result_is() {
    for precision in ["f32", "q8"] {
        let call = ["generate", "--raw", "--json", "--prompt", "abc", "--max-tokens", "1"];
        let call = synsema(call).args(["--precision", precision, "--model"]).arg(tiny("qwen2"));
        let result: Value = call.run().done().json();
        assert_eq!(result["precision"], precision);
    }
}

/// `init` writes a template of the settings and never over one that is there.
#[test]
fn init_keeps_what_is_there() {
    let folder = cases::scratch("settings").join(format!("init-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("the build folder can be written");
    synsema(["init"]).in_folder(&folder).run().done();
    let written = fs::read_to_string(folder.join(".env")).expect("`init` writes .env");
    assert!(written.contains("SYNSEMA_LLM_MODEL"), "{written}");
    fs::write(folder.join(".env"), "SYNSEMA_LLM_MAX_TOKENS=7\n").expect("a file");
    let _ = synsema(["init"]).in_folder(&folder).run();
    let kept = fs::read_to_string(folder.join(".env")).expect("the file is still there");
    assert_eq!(kept, "SYNSEMA_LLM_MAX_TOKENS=7\n");
}
