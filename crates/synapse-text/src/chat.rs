//! Chat templates.

use synapse_diag::Diagnostic;
use synapse_format::Metadata;

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
    /// Further variables, such as `tools`.
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// A chat template that parsed.
pub struct ChatTemplate;

impl ChatTemplate {
    /// The template of a model, where it has one.
    pub fn from_metadata(_m: &Metadata) -> Result<Option<ChatTemplate>, Diagnostic> {
        Ok(None)
    }
    /// Parses a template.
    pub fn parse(_source: &str) -> Result<ChatTemplate, Diagnostic> {
        Ok(ChatTemplate)
    }
    /// Renders a conversation.
    pub fn render(&self, _m: &[Message], _c: &TemplateContext) -> Result<String, Diagnostic> {
        Ok(String::new())
    }
}
