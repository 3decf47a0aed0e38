//! A session: the state of one conversation, planned before it starts.

use synapse_diag::{Diagnostic, catalog::engine as rows};
use synapse_exec::{Select, State};

use crate::memory::{self, describe};
use crate::model::Model;

/// Tokens that a session holds when nobody asks for another number and the model allows more.
pub const DEFAULT_CONTEXT: usize = 4096;

/// The state of one conversation with a model.
pub struct Session<'m> {
    pub(crate) model: &'m Model,
    state: State,
    context: usize,
    chunk: usize,
    /// The last output row, kept for its memory.
    row: Vec<f32>,
}

impl<'m> Session<'m> {
    /// A session of at most `context` tokens that takes long input in pieces of `chunk`. Its memory
    /// is planned for calls that ask for the rows of `select`.
    ///
    /// # Errors
    ///
    /// More context than the model was made for; more memory than there is, with both numbers.
    pub fn new(
        model: &'m Model,
        context: usize,
        chunk: usize,
        select: Select,
    ) -> Result<Session<'m>, Diagnostic> {
        let most = model.graph.context_length;
        if context > most {
            return Err(Diagnostic::new(&rows::CONTEXT_TOO_LARGE)
                .arg("asked", context)
                .arg("most", most)
                .at_file(model.file.path.display()));
        }
        // A model that looks at later positions takes its whole input at once.
        let chunk = if model.graph.causal { chunk } else { context };
        let needed = model.program.memory(context, chunk, select).total();
        if let Some(available) = memory::available().filter(|available| *available < needed) {
            return Err(Diagnostic::new(&rows::MEMORY_TOO_LITTLE)
                .arg("context", context)
                .arg("needed", describe(needed))
                .arg("available", describe(available)));
        }
        let state = model.program.new_state();
        Ok(Session { model, state, context, chunk, row: Vec::new() })
    }

    /// Tokens that the session can hold.
    pub fn context(&self) -> usize {
        self.context
    }

    /// Tokens that it holds.
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Runs `tokens` after those that the session holds and hands `sink` the output rows of the
    /// last one, or of all, piece by piece: `[rows, output width]`. `progress` is told how many
    /// tokens are done of how many.
    ///
    /// # Errors
    ///
    /// No room for them, an id outside the vocabulary, output that is not finite, what `sink`
    /// returns. The session is empty after an error while running.
    pub fn feed(
        &mut self,
        tokens: &[u32],
        select: Select,
        sink: &mut dyn FnMut(&[f32]) -> Result<(), Diagnostic>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<(), Diagnostic> {
        self.check_room(tokens.len())?;
        let Model { program, kernels, .. } = self.model;
        let watch = &mut |done, of| {
            progress(done, of);
            true
        };
        let (state, chunk) = (&mut self.state, self.chunk);
        let run = program.run_watched(kernels, state, tokens, select, chunk, sink, watch);
        if run.is_err() {
            self.clear();
        }
        run
    }

    /// Runs `tokens` and returns the output row of the last one.
    ///
    /// # Errors
    ///
    /// As [`Session::feed`].
    pub fn last_row(
        &mut self,
        tokens: &[u32],
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<&[f32], Diagnostic> {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        let mut keep = |rows: &[f32]| {
            row.extend_from_slice(rows);
            Ok(())
        };
        self.feed(tokens, Select::Last, &mut keep, progress)?;
        self.row = row;
        Ok(&self.row)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.state = self.model.program.new_state();
    }

    /// Forgets all but the first `len` tokens; false where keys that would be needed again are
    /// gone (a sliding window gives them back).
    pub fn rewind(&mut self, len: usize) -> bool {
        self.state.truncate(len)
    }

    /// Refuses input that has no tokens or does not fit.
    pub(crate) fn check_room(&self, tokens: usize) -> Result<(), Diagnostic> {
        if tokens == 0 {
            return Err(Diagnostic::new(&rows::PROMPT_EMPTY));
        }
        let whole = self.state.len().saturating_add(tokens);
        if whole > self.context {
            return Err(Diagnostic::new(&rows::PROMPT_TOO_LONG)
                .arg("tokens", whole)
                .arg("context", self.context)
                .arg("most", self.model.graph.context_length));
        }
        Ok(())
    }
}
