//! The filter `tojson` of chat templates: `json.dumps` as transformers calls it.
//!
//! Letters outside of ASCII are kept, nothing is escaped for HTML, keys stay in order, and a space
//! follows each `,` and `:`. The arguments `ensure_ascii`, `indent`, `separators` and `sort_keys`
//! are Python's.

use std::io;

use minijinja::value::Kwargs;
use minijinja::{Error, ErrorKind, Value};
use serde::Serialize;

/// Widest indentation that is written: more is a slip, and would blow up the text.
const WIDEST: usize = 64;

/// The filter.
pub fn to_json(value: &Value, options: Kwargs) -> Result<Value, Error> {
    let failed = |why: String| Error::new(ErrorKind::BadSerialization, why);
    let indent: Option<usize> = options.get("indent")?;
    let separators: Option<Vec<String>> = options.get("separators")?;
    let mut layout = Layout {
        between: if indent.is_some() { "," } else { ", " }.to_owned(),
        after_key: ": ".to_owned(),
        indent: indent.map(|width| width.min(WIDEST)),
        ascii: options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false),
        depth: 0,
        filled: false,
    };
    let sorted = options.get::<Option<bool>>("sort_keys")?.unwrap_or(false);
    options.assert_all_used()?;
    if let Some(pair) = separators {
        let [between, after_key] = <[String; 2]>::try_from(pair)
            .map_err(|_| failed("`separators` is not a pair of strings".to_owned()))?;
        (layout.between, layout.after_key) = (between, after_key);
    }
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, layout);
    let written = if sorted {
        let mut json = serde_json::to_value(value).map_err(|e| failed(e.to_string()))?;
        json.sort_all_objects();
        json.serialize(&mut serializer)
    } else {
        value.serialize(&mut serializer)
    };
    written.map_err(|e| failed(e.to_string()))?;
    let text = String::from_utf8(out).map_err(|e| failed(e.to_string()))?;
    Ok(Value::from_safe_string(text))
}

/// Where Python puts separators and line ends.
struct Layout {
    between: String,
    after_key: String,
    indent: Option<usize>,
    ascii: bool,
    depth: usize,
    /// Whether the list or object that is being written has an element.
    filled: bool,
}

impl Layout {
    fn open<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        self.filled = false;
        out.write_all(&[bracket])
    }

    fn close<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.filled {
            self.break_line(out)?;
        }
        self.filled = true;
        out.write_all(&[bracket])
    }

    fn next<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(self.between.as_bytes())?;
        }
        self.break_line(out)
    }

    fn break_line<W: ?Sized + io::Write>(&self, out: &mut W) -> io::Result<()> {
        let Some(width) = self.indent else { return Ok(()) };
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| write!(out, "{:width$}", ""))
    }
}

impl serde_json::ser::Formatter for Layout {
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'[')
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b']')
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(out, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b'{')
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b'}')
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(self.after_key.as_bytes())
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        if !self.ascii {
            return out.write_all(text.as_bytes());
        }
        for c in text.chars() {
            match c.is_ascii() {
                true => write!(out, "{c}")?,
                false => {
                    let units = &mut [0; 2];
                    c.encode_utf16(units)
                        .iter()
                        .try_for_each(|unit| write!(out, "\\u{unit:04x}"))?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected texts are those of Python's `json.dumps`.
    fn json(arguments: &str) -> String {
        let mut environment = minijinja::Environment::new();
        environment.add_filter("tojson", to_json);
        let source =
            format!("{{{{ {{'b': [1, [], {{}}], 'a': 'é<🙂\\n'}}|tojson({arguments}) }}}}");
        environment.render_str(&source, ()).unwrap()
    }

    #[test]
    fn the_layout_is_pythons() {
        assert_eq!(json(""), r#"{"b": [1, [], {}], "a": "é<🙂\n"}"#);
        assert_eq!(
            json("indent=2"),
            "{\n  \"b\": [\n    1,\n    [],\n    {}\n  ],\n  \"a\": \"é<🙂\\n\"\n}"
        );
        assert_eq!(json("separators=(',', ':')"), r#"{"b":[1,[],{}],"a":"é<🙂\n"}"#);
        assert_eq!(
            json("sort_keys=true, ensure_ascii=true"),
            r#"{"a": "\u00e9<\ud83d\ude42\n", "b": [1, [], {}]}"#
        );
    }

    #[test]
    fn an_unknown_argument_is_refused() {
        let mut environment = minijinja::Environment::new();
        environment.add_filter("tojson", to_json);
        assert!(environment.render_str("{{ 1|tojson(color=3) }}", ()).is_err());
    }
}
