//! Greedy generation: the best next token, again and again.

use std::time::Instant;

use synapse_diag::{Diagnostic, catalog::engine as rows};
use synapse_kernels::argmax;

use crate::session::Session;
use crate::stop_text::StopText;

/// How a generation goes and where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerateOptions {
    /// Tokens at most. The context may end the generation before.
    pub max_tokens: usize,
    /// Texts that end it; none of them is shown.
    pub stop: Vec<String>,
}

impl Default for GenerateOptions {
    fn default() -> GenerateOptions {
        GenerateOptions { max_tokens: 512, stop: Vec::new() }
    }
}

/// Why a generation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model chose a token that ends an answer.
    Eos,
    /// The asked length, or the end of the context.
    Length,
    /// One of the stop texts.
    StopText,
    /// Nobody wants to see more.
    Cancelled,
}

impl Stop {
    /// As results spell it.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Eos => "eos",
            Stop::Length => "length",
            Stop::StopText => "stop",
            Stop::Cancelled => "cancelled",
        }
    }
}

/// Where the time went, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timings {
    /// From the start to the state after the whole prompt.
    pub prefill_seconds: f64,
    /// From the start to the first token.
    pub first_token_seconds: f64,
    /// From the first token to the last.
    pub decode_seconds: f64,
}

/// What a generation yielded.
#[derive(Clone, Debug, PartialEq)]
pub struct Generation {
    /// Generated ids; the one that ends an answer is the last of them.
    pub tokens: Vec<u32>,
    /// Their text, without the token or text that ended it.
    pub text: String,
    /// Why it ended.
    pub stop: Stop,
    /// Where the time went.
    pub timings: Timings,
}

/// The greedy choice. Output that was accepted is finite and not empty, so there is one.
pub(crate) fn best(row: &[f32]) -> u32 {
    argmax(row).and_then(|i| u32::try_from(i).ok()).unwrap_or(0)
}

impl Session<'_> {
    /// Continues the session with `prompt` and generates greedily.
    ///
    /// `show` gets the text as it becomes certain, in whole characters, and says whether to go
    /// on; `progress` is told how many prompt tokens are done of how many.
    ///
    /// # Errors
    ///
    /// A model without logits or usable tokenizer, a prompt that is empty or longer than the
    /// context, output that is not finite.
    pub fn generate(
        &mut self,
        prompt: &[u32],
        options: &GenerateOptions,
        show: &mut dyn FnMut(&str) -> bool,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Generation, Diagnostic> {
        let model = self.model;
        if !model.has_logits() {
            return Err(Diagnostic::new(&rows::NO_LOGITS)
                .arg("name", &model.definition.name)
                .at_file(model.file.path.display()));
        }
        let tokenizer = model.tokenizer()?;
        self.check_room(prompt.len())?;
        // The last token that is generated is never fed, so it needs no room.
        let room = self.context() - self.len() - prompt.len() + 1;
        let most = options.max_tokens.min(room);

        let start = Instant::now();
        let mut next = best(self.last_row(prompt, progress)?);
        let mut timings =
            Timings { prefill_seconds: start.elapsed().as_secs_f64(), ..Timings::default() };

        let mut tokens = Vec::new();
        let mut text = String::new();
        let mut stream = tokenizer.stream(false);
        let mut watch = StopText::new(&options.stop);
        let mut emit = |piece: &str, text: &mut String| {
            text.push_str(piece);
            piece.is_empty() || show(piece)
        };
        let stop = loop {
            if tokens.len() == most {
                break Stop::Length;
            }
            tokens.push(next);
            if tokens.len() == 1 {
                timings.first_token_seconds = start.elapsed().as_secs_f64();
            }
            if tokenizer.end_ids().contains(&next) {
                break Stop::Eos;
            }
            let release = watch.push(&stream.push(next));
            if !emit(&release.text, &mut text) {
                break Stop::Cancelled;
            }
            if release.stopped {
                break Stop::StopText;
            }
            if tokens.len() < most {
                next = best(self.last_row(&[next], &mut |_, _| {})?);
            }
        };
        timings.decode_seconds = start.elapsed().as_secs_f64() - timings.first_token_seconds;
        if matches!(stop, Stop::Eos | Stop::Length) {
            // Bytes that never became a character, and what was held back for a stop text.
            let release = watch.push(&stream.finish());
            emit(&release.text, &mut text);
            if !release.stopped {
                emit(&watch.finish(), &mut text);
            }
        }
        Ok(Generation { tokens, text, stop, timings })
    }
}
