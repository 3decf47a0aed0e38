//! Measures a model: prefill, decode, loading, memory.

use std::time::Instant;

use synapse_diag::Diagnostic;
use synapse_exec::Select;

use crate::generate::best;
use crate::memory::ProcessMemory;
use crate::model::Model;
use crate::session::Session;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchOptions {
    /// Tokens of the prompt that is timed.
    pub prefill: usize,
    /// Tokens that are generated and timed.
    pub decode: usize,
    /// Tokens that the session holds before either is timed.
    pub depth: usize,
    /// How often.
    pub repeat: usize,
    /// Prefill tokens at a time.
    pub chunk: usize,
}

/// One value per repetition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bench {
    /// Tokens of the prompt per second; empty when none was asked for.
    pub prefill_tokens_per_second: Vec<f64>,
    /// Generated tokens per second; empty when none was asked for.
    pub decode_tokens_per_second: Vec<f64>,
    /// From the start of the prompt to the first token that is chosen.
    pub first_token_seconds: Vec<f64>,
    /// The most that was seen between the steps; `None` where the system does not say.
    pub memory: Option<ProcessMemory>,
}

/// Runs the measurements. The tokens are the same each time: a fixed walk over the vocabulary.
///
/// # Errors
///
/// Sizes that do not fit the model's context or memory; output that is not finite.
pub fn bench(
    model: &Model,
    options: &BenchOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Bench, Diagnostic> {
    let context = options.depth.saturating_add(options.prefill.max(options.decode)).max(1);
    let mut found = Bench::default();
    let mut session = Session::new(model, context, options.chunk, Select::Last)?;
    let silent = &mut |_: usize, _: usize| {};
    let history = walk(options.depth, model.graph.vocab_size, 1);
    let prompt = walk(options.prefill, model.graph.vocab_size, 2);
    let mut rewind = |session: &mut Session<'_>| {
        if !session.is_empty() && session.rewind(history.len()) {
            return Ok(());
        }
        session.clear();
        if history.is_empty() { Ok(()) } else { session.last_row(&history, silent).map(drop) }
    };
    for round in 0..options.repeat {
        progress(round, options.repeat);
        if !prompt.is_empty() {
            rewind(&mut session)?;
            let start = Instant::now();
            best(session.last_row(&prompt, &mut |_, _| {})?);
            let seconds = start.elapsed().as_secs_f64();
            found.prefill_tokens_per_second.push(prompt.len() as f64 / seconds);
            found.first_token_seconds.push(seconds);
            found.see_memory();
        }
        if options.decode > 0 {
            rewind(&mut session)?;
            let mut token = 0;
            let start = Instant::now();
            for _ in 0..options.decode {
                token = best(session.last_row(&[token], &mut |_, _| {})?);
                // A model without logits has no next token; any id of the vocabulary will do.
                token %= u32::try_from(model.graph.vocab_size).unwrap_or(u32::MAX).max(1);
            }
            let seconds = start.elapsed().as_secs_f64();
            found.decode_tokens_per_second.push(options.decode as f64 / seconds);
            found.see_memory();
        }
    }
    progress(options.repeat, options.repeat);
    Ok(found)
}

impl Bench {
    fn see_memory(&mut self) {
        let now = ProcessMemory::now();
        self.memory = match (self.memory, now) {
            (Some(a), Some(b)) => Some(a.most(b)),
            (a, b) => a.or(b),
        };
    }
}

/// The middle of the sorted values (the mean of the two middle ones); `None` of none.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(*upper);
    }
    Some((upper + sorted.get(sorted.len() / 2 - 1)?) / 2.0)
}

/// `count` ids spread over the vocabulary: a linear congruence with the constants of Numerical
/// Recipes.
fn walk(count: usize, vocabulary: usize, seed: u32) -> Vec<u32> {
    let size = u32::try_from(vocabulary).unwrap_or(u32::MAX).max(1);
    let mut state = seed;
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % size
    })
    .take(count)
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
    }

    #[test]
    fn the_walk_stays_in_the_vocabulary_and_repeats() {
        let ids = walk(100, 7, 1);
        assert!(ids.iter().all(|id| *id < 7));
        assert_eq!(ids, walk(100, 7, 1));
        assert_ne!(ids, walk(100, 7, 2));
    }
}
