//! Chat templates: a conversation as the text that a model was trained on.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, Value, context};
use synapse_diag::{Diagnostic, catalog::text as rule};
use synapse_format::Metadata;

use crate::{template_date, template_json};

/// Steps that a template may take. The longest published templates need a few thousand for a turn.
const FUEL: u64 = 2_000_000;
/// Depth of nested calls and includes.
const DEPTH: usize = 200;
/// Bytes of a template's source.
const SOURCE_CAP: usize = 1 << 20;
/// What `raise_exception` puts before its words, so that a refusal is told from a fault.
const REFUSAL: &str = "the template refuses: ";

/// One turn of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `system`, `user`, `assistant`, …
    pub role: String,
    /// The text of the turn.
    pub content: String,
}

/// The variables that a template sees beside the messages.
#[derive(Clone, Debug, Default)]
pub struct TemplateContext {
    /// Text of the BOS token.
    pub bos_token: String,
    /// Text of the EOS token.
    pub eos_token: String,
    /// Ends the text where the assistant's turn begins.
    pub add_generation_prompt: bool,
    /// Further variables, such as `tools`. One with the name of a variable above, or `messages`
    /// (turns with tool calls), takes its place.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// A chat template that parsed.
pub struct ChatTemplate {
    environment: Environment<'static>,
}

impl ChatTemplate {
    /// The template of a model, where it has one.
    ///
    /// # Errors
    /// A template that does not parse; no other one is put in its place.
    pub fn from_metadata(m: &Metadata) -> Result<Option<ChatTemplate>, Diagnostic> {
        m.get_str("tokenizer.chat_template")?.map(ChatTemplate::parse).transpose()
    }

    /// Parses a template in the dialect that transformers uses: block lines are trimmed, Python's
    /// methods of strings, lists and dictionaries are there.
    ///
    /// # Errors
    /// A source that does not parse, or is longer than a mebibyte.
    pub fn parse(source: &str) -> Result<ChatTemplate, Diagnostic> {
        if source.len() > SOURCE_CAP {
            return Err(Diagnostic::new(&rule::TEMPLATE_LIMIT).arg("why", "source length"));
        }
        let mut environment = Environment::new();
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        if let Ok(syntax) = syntax.build() {
            environment.set_syntax(syntax);
        }
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(DEPTH);
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |words: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, format!("{REFUSAL}{words}")))
        });
        environment.add_filter("tojson", template_json::to_json);
        environment.add_function("strftime_now", template_date::strftime_now);
        environment
            .add_template_owned("chat", source.to_owned())
            .map_err(|e| diagnostic(&e, &rule::TEMPLATE_SYNTAX))?;
        Ok(ChatTemplate { environment })
    }

    /// Renders a conversation.
    ///
    /// # Errors
    /// The template's own refusal (`raise_exception`), a fault in it, or its limits.
    pub fn render(&self, messages: &[Message], c: &TemplateContext) -> Result<String, Diagnostic> {
        let messages: Vec<serde_json::Value> = messages
            .iter()
            .map(|m| serde_json::json!({ "role": m.role, "content": m.content }))
            .collect();
        let fixed = context! {
            messages => Value::from(Serde(messages)),
            bos_token => c.bos_token.clone(),
            eos_token => c.eos_token.clone(),
            add_generation_prompt => c.add_generation_prompt,
        };
        let extra = Value::from(Serde(c.extra.clone()));
        self.environment
            .get_template("chat")
            .and_then(|template| template.render(context! { ..extra, ..fixed }))
            .map_err(|e| diagnostic(&e, &rule::TEMPLATE_FAILED))
    }
}

fn diagnostic(error: &Error, fault: &'static synapse_diag::Entry) -> Diagnostic {
    let why = error.detail().unwrap_or("").to_owned();
    if error.kind() == ErrorKind::OutOfFuel {
        return Diagnostic::new(&rule::TEMPLATE_LIMIT).arg("why", format!("{FUEL} steps"));
    }
    match why.strip_prefix(REFUSAL) {
        Some(words) => Diagnostic::new(&rule::TEMPLATE_REFUSES).arg("why", words),
        None => {
            let why = if why.is_empty() { error.kind().to_string() } else { why };
            Diagnostic::new(fault).arg("at", error.line().unwrap_or(0)).arg("why", why)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(source: &str) -> Result<String, Diagnostic> {
        let turn = Message { role: "user".into(), content: "hi".into() };
        let context = TemplateContext { add_generation_prompt: true, ..Default::default() };
        ChatTemplate::parse(source)?.render(&[turn], &context)
    }

    #[test]
    fn a_conversation_is_rendered_with_trimmed_blocks() {
        let source = "{% for m in messages %}\n  {%- if true %}\n<{{ m.role }}>{{ m['content'] }}\n{% endif %}{% endfor %}{% if add_generation_prompt %}go{% endif %}";
        assert_eq!(render(source).unwrap(), "<user>hi\ngo");
    }

    #[test]
    fn json_is_written_as_python_writes_it() {
        assert_eq!(
            render("{{ messages | tojson }}").unwrap(),
            r#"[{"role": "user", "content": "hi"}]"#
        );
    }

    #[test]
    fn a_refusal_a_fault_a_syntax_error_and_an_endless_loop_are_told_apart() {
        let code = |source| render(source).unwrap_err().code();
        assert_eq!(code("{{ raise_exception('no') }}"), "text-template-refuses");
        assert_eq!(code("{{ nothing.at.all() }}"), "text-template-failed");
        assert_eq!(code("{% for %}"), "text-template-syntax");
        assert_eq!(
            code("{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}"),
            "text-template-limit"
        );
    }

    #[test]
    fn a_text_that_doubles_at_each_step_ends_at_the_limit() {
        let source = "{% set n = namespace(x='aaaaaaaa') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}";
        assert_eq!(render(source).unwrap_err().code(), "text-template-limit");
    }

    #[test]
    fn a_syntax_error_names_the_line_of_the_template() {
        let refused = render("a\n{{ 1 + }}").unwrap_err();
        assert!(refused.to_string().contains("template line 2"), "{refused}");
    }

    #[test]
    fn full_turns_take_the_place_of_plain_ones() {
        let serde_json::Value::Object(extra) =
            serde_json::json!({ "messages": [{ "role": "tool", "name": "f" }] })
        else {
            panic!("an object");
        };
        let context = TemplateContext { extra, ..Default::default() };
        let template = ChatTemplate::parse("{{ messages[0].name }}").unwrap();
        assert_eq!(template.render(&[], &context).unwrap(), "f");
    }
}
