//! A diagnostic as a line of text, and as JSON.

use crate::{Class, Diagnostic, Lang};

impl Diagnostic {
    /// One line: `file: line N: what — mend`, the mend being "did you mean …?" where a near name
    /// was found.
    pub fn render(&self, lang: Lang) -> String {
        let mut out = String::new();
        if let Some(file) = &self.0.file {
            out.push_str(&visible(file));
            out.push_str(": ");
        }
        if let Some(line) = self.0.line {
            let word = if lang == Lang::Es { "línea" } else { "line" };
            out.push_str(&format!("{word} {line}: "));
        }
        out.push_str(&self.message(lang));
        let mend = self.mend(lang);
        if !mend.is_empty() {
            out.push_str(" — ");
            out.push_str(&mend);
        }
        out
    }

    /// What is wrong, without place and mend.
    pub fn message(&self, lang: Lang) -> String {
        let e = self.0.entry;
        self.fill(if lang == Lang::Es { e.es } else { e.en })
    }

    /// What to do about it; empty where there is nothing to say.
    pub fn mend(&self, lang: Lang) -> String {
        let e = self.0.entry;
        if let Some(near) = &self.0.suggestion {
            return match lang {
                Lang::En => format!("did you mean `{}`?", visible(near)),
                Lang::Es => format!("¿quisiste decir `{}`?", visible(near)),
            };
        }
        self.fill(if lang == Lang::Es { e.mend_es } else { e.mend_en })
    }

    /// The JSON form: `code`, `class`, `message`, `mend`, `file`, `line`, `column`, `arguments`.
    pub fn to_json(&self, lang: Lang) -> serde_json::Value {
        let args: serde_json::Map<String, serde_json::Value> =
            self.0.args.iter().map(|(n, v)| ((*n).to_owned(), v.clone().into())).collect();
        serde_json::json!({
            "code": self.code(),
            "class": match self.0.entry.class {
                Class::Refused => "refused",
                Class::Usage => "usage",
                Class::Failed => "failed",
                Class::Notice => "notice",
            },
            "message": self.message(lang),
            "mend": self.mend(lang),
            "file": self.0.file,
            "line": self.0.line,
            "column": self.0.column,
            "arguments": args,
        })
    }

    fn fill(&self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            let Some(len) = rest[open..].find('}') else { break };
            let name = &rest[open + 1..open + len];
            match self.arg_value(name) {
                Some(value) => out.push_str(&visible(value)),
                None => out.push('?'),
            }
            rest = &rest[open + len + 1..];
        }
        out.push_str(rest);
        out
    }
}

/// Foreign text in a message: control characters are escaped and length is capped, so a hostile
/// name can neither move the cursor nor flood the terminal.
fn visible(text: &str) -> String {
    const CAP: usize = 2000;
    let mut out = String::with_capacity(text.len().min(CAP));
    for (n, c) in text.chars().enumerate() {
        if n == CAP {
            out.push('…');
            break;
        }
        if c.is_control() && c != '\n' { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::{Diagnostic, Lang, catalog};

    #[test]
    fn a_diagnostic_names_file_line_what_and_mend_in_both_languages() {
        let d = Diagnostic::new(&catalog::archdef::NO_SUCH_OPERATION)
            .arg("name", "siluu")
            .at_file("./archdefs/qwen3.archdef")
            .at_line(28)
            .suggest(Some("silu"));
        assert_eq!(
            d.render(Lang::En),
            "./archdefs/qwen3.archdef: line 28: no such operation `siluu` — did you mean `silu`?"
        );
        assert_eq!(
            d.render(Lang::Es),
            "./archdefs/qwen3.archdef: línea 28: no existe la operación `siluu` — ¿quisiste decir `silu`?"
        );
    }

    #[test]
    fn foreign_control_characters_are_escaped() {
        let d = Diagnostic::new(&catalog::archdef::NO_SUCH_OPERATION).arg("name", "a\x1b[2Jb");
        assert!(!d.render(Lang::En).contains('\x1b'));
    }
}
