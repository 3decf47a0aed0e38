//! Stop texts: finds the first one in a text that arrives piece by piece, and holds back what may
//! still become one, so that no part of a stop text is ever shown.

/// Watches a text for stop texts.
pub(crate) struct StopText<'a> {
    stops: Vec<&'a str>,
    held: String,
}

/// What a piece of text led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Release {
    /// Text that can be shown now.
    pub text: String,
    /// Whether a stop text was met; the text ends before it.
    pub stopped: bool,
}

impl<'a> StopText<'a> {
    /// Watches for `stops`; empty ones mean nothing.
    pub fn new(stops: &'a [String]) -> StopText<'a> {
        let stops = stops.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
        StopText { stops, held: String::new() }
    }

    /// Takes the next piece.
    pub fn push(&mut self, piece: &str) -> Release {
        self.held.push_str(piece);
        if let Some(at) = self.stops.iter().filter_map(|s| self.held.find(s)).min() {
            self.held.truncate(at);
            return Release { text: std::mem::take(&mut self.held), stopped: true };
        }
        let keep = self.stops.iter().map(|s| overlap(&self.held, s)).max().unwrap_or(0);
        let tail = self.held.split_off(self.held.len() - keep);
        Release { text: std::mem::replace(&mut self.held, tail), stopped: false }
    }

    /// The end: what was held back became no stop text.
    pub fn finish(self) -> String {
        self.held
    }
}

/// Bytes at the end of `text` that are a beginning of `stop`.
fn overlap(text: &str, stop: &str) -> usize {
    stop.char_indices()
        .map(|(at, _)| at)
        .rev()
        .find(|&at| at <= text.len() && text.ends_with(&stop[..at]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn run(stops: &[&str], pieces: &[&str]) -> (Vec<String>, bool) {
        let stops: Vec<String> = stops.iter().map(|s| (*s).to_owned()).collect();
        let mut watch = StopText::new(&stops);
        let mut shown = Vec::new();
        for piece in pieces {
            let release = watch.push(piece);
            shown.push(release.text);
            if release.stopped {
                return (shown, true);
            }
        }
        shown.push(watch.finish());
        (shown, false)
    }

    #[test]
    fn text_without_stop_passes_at_once() {
        assert_eq!(run(&[], &["ab", "c"]), (vec!["ab".into(), "c".into(), "".into()], false));
    }

    #[test]
    fn a_stop_over_two_pieces_is_never_shown() {
        assert_eq!(run(&["END"], &["aE", "ND", "x"]), (vec!["a".into(), "".into()], true));
    }

    #[test]
    fn what_was_held_back_for_nothing_is_shown() {
        assert_eq!(run(&["END"], &["aEN", "x"]).0.concat(), "aENx");
        assert_eq!(run(&["END"], &["aEN"]).0, ["a", "EN"]);
    }

    #[test]
    fn the_first_stop_in_the_text_wins() {
        assert_eq!(run(&["b", "ab"], &["xxab"]), (vec!["xx".into()], true));
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[abñ]{0,20}", stop in "[abñ]{1,3}", cut in 0usize..20) {
            let at = (0..=cut.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap();
            let (shown, stopped) = run(&[&stop], &[&text[..at], &text[at..]]);
            let expected = text.split(stop.as_str()).next().unwrap();
            prop_assert_eq!(stopped, text.contains(&stop));
            prop_assert_eq!(shown.concat(), expected);
        }
    }
}
