//! Messages in English and Spanish.

use crate::cases;
use crate::program::{Synsema, synsema};

fn missing_model() -> Synsema {
    synsema(["model", "verify"]).arg(cases::fresh_file(".gguf"))
}

#[test]
fn english_is_the_default() {
    missing_model().run().refused().says(&["there is no such file"]);
    missing_model().env("LANG", "de_DE.UTF-8").run().refused().says(&["there is no such file"]);
}

#[test]
fn a_spanish_locale_gives_spanish() {
    for (name, value) in [
        ("SYNSEMA_LANG", "es"),
        ("LC_ALL", "es_ES.UTF-8"),
        ("LC_MESSAGES", "es_MX.UTF-8"),
        ("LANG", "es_AR.UTF-8"),
    ] {
        missing_model().env(name, value).run().refused().says(&["no existe este fichero"]);
    }
}

#[test]
fn the_first_variable_that_is_set_decides() {
    let order = ["SYNSEMA_LANG", "LC_ALL", "LC_MESSAGES", "LANG"];
    for first in 0..order.len() - 1 {
        let mut call = missing_model().env(order[first], "en_US.UTF-8");
        for later in &order[first + 1..] {
            call = call.env(later, "es_ES.UTF-8");
        }
        call.run().refused().says(&["there is no such file"]);
        let call = missing_model().env(order[first], "es_ES.UTF-8");
        call.env(order[first + 1], "en_US.UTF-8").run().refused().says(&["no existe"]);
    }
}

#[test]
fn a_wrong_operation_has_the_promised_shape_in_both() {
    let text = std::fs::read_to_string(cases::vendored("definitions").join("qwen3.archdef"));
    let text = text.expect("the seed definition").replace("  silu(g)", "  siluu(g)");
    let line = text.lines().position(|line| line.contains("siluu")).expect("the line") + 1;
    let folder = cases::scratch("siluu");
    std::fs::write(folder.join("qwen3.archdef"), text).expect("a definition");
    let english =
        format!("qwen3.archdef: line {line}: no such operation `siluu` — did you mean `silu`?");
    let spanish = format!("línea {line}: no existe la operación `siluu` — ¿quisiste decir `silu`?");
    synsema(["check"]).arg(&folder).run().refused().says(&[&english]);
    synsema(["check"]).arg(&folder).env("SYNSEMA_LANG", "es").run().refused().says(&[&spanish]);
}
