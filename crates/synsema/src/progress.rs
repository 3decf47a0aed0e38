//! A bar on the terminal for work that takes long; nothing where stderr is no terminal.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that appears when the work turns out to be long and vanishes at its end.
pub struct Progress {
    label: &'static str,
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Progress of `label`, such as `reading the prompt`.
    pub fn new(label: &'static str) -> Progress {
        Progress { label, start: Instant::now(), bar: None }
    }

    /// `done` of `total` is done.
    pub fn set(&mut self, done: usize, total: usize) {
        if self.bar.is_none() && done < total && self.start.elapsed() >= PATIENCE {
            // A draw target on stderr draws nothing where that is no terminal.
            let bar = ProgressBar::new(total as u64);
            let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_message(self.label);
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done as u64);
        }
        if done >= total {
            self.finish();
        }
    }

    /// Takes the bar away.
    pub fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}
