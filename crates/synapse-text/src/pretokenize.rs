//! Pre-tokenizers: how text is cut into words before byte-pair merging.
//!
//! A vocabulary names its rule (`tokenizer.ggml.pre`). A rule is a list of stages; each stage cuts
//! the pieces of the one before it. The stages are scanners for the regular expressions that the
//! vocabularies' makers published; each function quotes the expression it stands for.

use crate::classes::{is_letter, is_listed_cased_letter, is_mark, is_number, is_punctuation};

/// Cuts a piece of text; calls `emit` with each part in order. Parts join to the piece.
type Stage = fn(&str, &mut dyn FnMut(&str));

/// A row of the table of rules.
pub struct Rule {
    /// `tokenizer.ggml.pre`.
    pub name: &'static str,
    stages: &'static [Stage],
    /// A word that is itself a token is not merged up from its bytes.
    pub whole_words_first: bool,
    /// Whether BOS is added where the file does not say.
    pub adds_bos: bool,
}

const fn rule(name: &'static str, stages: &'static [Stage]) -> Rule {
    Rule { name, stages, whole_words_first: false, adds_bos: false }
}

const fn llama3(name: &'static str) -> Rule {
    Rule { name, stages: &[llama3_words], whole_words_first: true, adds_bos: true }
}

/// Every rule. What is not here is refused, never guessed.
pub static RULES: &[Rule] = &[
    rule("default", &[punctuation_runs, gpt2_words, number_runs, digit_triples]),
    rule("gpt-2", &[gpt2_words]),
    rule("mpt", &[gpt2_words]),
    rule("olmo", &[gpt2_words]),
    rule("phi-2", &[gpt2_words]),
    rule("gigachat", &[gpt2_words]),
    rule("a.x-4.0", &[gpt2_words]),
    rule("mellum", &[gpt2_words]),
    rule("jais", &[gpt2_words]),
    rule("trillion", &[gpt2_words]),
    rule("granite-docling", &[gpt2_words]),
    rule("exaone4", &[gpt2_words]),
    rule("smollm", &[each_number, gpt2_words]),
    rule("starcoder", &[each_number, gpt2_words]),
    rule("refact", &[each_number, gpt2_words]),
    rule("command-r", &[each_number, gpt2_words]),
    rule("codeshell", &[each_number, gpt2_words]),
    rule("exaone", &[each_number, gpt2_words]),
    rule("minerva-7b", &[each_number, gpt2_words]),
    rule("mellum2", &[each_number, gpt2_words]),
    rule("qwen2", &[qwen2_words]),
    rule("deepseek-r1-qwen", &[qwen2_words]),
    rule("kormo", &[qwen2_words]),
    rule("f2llmv2", &[qwen2_words]),
    rule("megrez", &[qwen2_words]),
    rule("stablelm2", &[qwen2_words]),
    rule("hunyuan", &[qwen2_words]),
    rule("solar-open", &[qwen2_words]),
    rule("grok-2", &[qwen2_words]),
    rule("qwen35", &[qwen35_words]),
    rule("dbrx", &[llama3_words]),
    rule("smaug-bpe", &[llama3_words]),
    rule("chatglm-bpe", &[llama3_words]),
    rule("glm4", &[llama3_words]),
    llama3("llama-bpe"),
    llama3("llama3"),
    llama3("llama-v3"),
    llama3("falcon3"),
    llama3("falcon-h1"),
    llama3("pixtral"),
    llama3("midm-2.0"),
    llama3("lfm2"),
    rule("falcon", &[falcon_punctuation_runs, gpt2_words, digit_triples]),
    rule(
        "deepseek-llm",
        &[
            each_line_end,
            spaced_cased_letters,
            spaced_wide_punctuation,
            trailing_spaces,
            east_asian_runs,
            number_runs,
        ],
    ),
    rule(
        "deepseek-coder",
        &[each_line_end, spaced_letters, spaced_punctuation, east_asian_runs, each_number],
    ),
];

/// The names of every pre-tokenizer that is known (`tokenizer.ggml.pre`).
pub fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|r| r.name)
}

impl Rule {
    /// Cuts a text into words.
    pub fn words(&self, text: &str, emit: &mut dyn FnMut(&str)) {
        apply(self.stages, text, emit);
    }
}

fn apply(stages: &[Stage], text: &str, emit: &mut dyn FnMut(&str)) {
    match stages.split_first() {
        None => emit(text),
        Some((stage, rest)) => stage(text, &mut |piece| apply(rest, piece, emit)),
    }
}

/// A position in a text that only moves forward.
struct Scan<'a> {
    text: &'a str,
    start: usize,
    at: usize,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Scan<'a> {
        Scan { text, start: 0, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn skip(&mut self) {
        self.at += self.peek().map_or(0, char::len_utf8);
    }

    fn skip_while(&mut self, is: impl Fn(char) -> bool) -> usize {
        let mut count = 0;
        while self.peek().is_some_and(&is) {
            self.skip();
            count += 1;
        }
        count
    }

    /// Emits what lies between the last cut and here.
    fn cut(&mut self, emit: &mut dyn FnMut(&str)) {
        if self.at > self.start {
            emit(self.text.get(self.start..self.at).unwrap_or(""));
            self.start = self.at;
        }
    }
}

/// White space from here on: `\s+(?!\S)|\s+`, so one space stays with a word that follows.
fn cut_spaces(scan: &mut Scan<'_>, emit: &mut dyn FnMut(&str)) {
    let mut last = scan.at;
    let mut count = 0;
    while let Some(c) = scan.peek().filter(|c| c.is_whitespace()) {
        last = scan.at;
        scan.at += c.len_utf8();
        count += 1;
    }
    if count > 1 && scan.peek().is_some() {
        scan.at = last;
    }
    scan.cut(emit);
}

/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)`
fn gpt2_words(text: &str, emit: &mut dyn FnMut(&str)) {
    let mut scan = Scan::new(text);
    while let Some(c) = scan.peek() {
        if let Some(len) = contraction(scan.rest(), false) {
            scan.at += len;
            scan.cut(emit);
            continue;
        }
        let head = if c == ' ' { scan.second() } else { Some(c) };
        let is_other = |c: char| !c.is_whitespace() && !is_letter(c) && !is_number(c);
        let run: Option<&dyn Fn(char) -> bool> = match head {
            Some(h) if is_letter(h) => Some(&is_letter),
            Some(h) if is_number(h) => Some(&is_number),
            Some(h) if is_other(h) => Some(&is_other),
            _ => None,
        };
        match run {
            Some(is) => {
                if c == ' ' {
                    scan.skip();
                }
                scan.skip_while(is);
                scan.cut(emit);
            }
            None => cut_spaces(&mut scan, emit),
        }
    }
}

/// Length of an English contraction at the start of the text.
fn contraction(text: &str, any_case: bool) -> Option<usize> {
    let rest = text.strip_prefix('\'')?.as_bytes();
    ["s", "t", "re", "ve", "m", "ll", "d"].iter().find_map(|ending| {
        let head = rest.get(..ending.len())?;
        let same = match any_case {
            true => head.eq_ignore_ascii_case(ending.as_bytes()),
            false => head == ending.as_bytes(),
        };
        same.then_some(1 + ending.len())
    })
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
fn llama3_words(text: &str, emit: &mut dyn FnMut(&str)) {
    modern_words(text, 3, is_letter, emit);
}

/// As [`llama3_words`] with `\p{N}` one by one.
fn qwen2_words(text: &str, emit: &mut dyn FnMut(&str)) {
    modern_words(text, 1, is_letter, emit);
}

/// As [`qwen2_words`] with `[\p{L}\p{M}]` for `\p{L}` (but a mark may also lead a word).
fn qwen35_words(text: &str, emit: &mut dyn FnMut(&str)) {
    modern_words(text, 1, |c| is_letter(c) || is_mark(c), emit);
}

fn modern_words(
    text: &str,
    most_digits: usize,
    is_word: fn(char) -> bool,
    emit: &mut dyn FnMut(&str),
) {
    let is_other = |c: char| !c.is_whitespace() && !is_word(c) && !is_number(c);
    let mut scan = Scan::new(text);
    while let Some(c) = scan.peek() {
        if let Some(len) = contraction(scan.rest(), true) {
            scan.at += len;
        } else if !matches!(c, '\r' | '\n')
            && !is_number(c)
            && (is_word(c) || scan.second().is_some_and(is_word))
        {
            scan.skip();
            scan.skip_while(is_word);
        } else if is_number(c) {
            for _ in 0..most_digits {
                if scan.peek().is_some_and(is_number) {
                    scan.skip();
                }
            }
        } else if is_other(c) || (c == ' ' && scan.second().is_some_and(is_other)) {
            scan.skip();
            scan.skip_while(is_other);
            scan.skip_while(|c| matches!(c, '\r' | '\n'));
        } else if let Some(len) = through_last_line_end(scan.rest()) {
            scan.at += len;
        } else {
            cut_spaces(&mut scan, emit);
            continue;
        }
        scan.cut(emit);
    }
}

/// `\s*[\r\n]+`: the leading white space up to and with its last line end.
fn through_last_line_end(text: &str) -> Option<usize> {
    let spaces = text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len());
    let spaces = text.get(..spaces)?;
    spaces.rfind(['\r', '\n']).map(|at| at + 1)
}

/// Cuts out runs of at most `most` characters, each run perhaps led by one white space.
fn runs(
    text: &str,
    most: usize,
    spaced: bool,
    is: impl Fn(char) -> bool,
    emit: &mut dyn FnMut(&str),
) {
    let mut scan = Scan::new(text);
    while let Some(c) = scan.peek() {
        let led = spaced && c.is_whitespace() && scan.second().is_some_and(&is);
        if !led && !is(c) {
            scan.skip();
            continue;
        }
        scan.cut(emit);
        if led {
            scan.skip();
        }
        let mut count = 0;
        while count < most && scan.peek().is_some_and(&is) {
            scan.skip();
            count += 1;
        }
        scan.cut(emit);
    }
    scan.cut(emit);
}

/// `[\p{P}\$\+<=>\^~\|]+`
fn punctuation_runs(text: &str, emit: &mut dyn FnMut(&str)) {
    let is = |c| is_punctuation(c) || matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '~' | '|');
    runs(text, usize::MAX, false, is, emit);
}

/// `[\p{P}\$\+<=>\^~\|`]+`
fn falcon_punctuation_runs(text: &str, emit: &mut dyn FnMut(&str)) {
    let is =
        |c| is_punctuation(c) || matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '~' | '|' | '`');
    runs(text, usize::MAX, false, is, emit);
}

/// `\p{N}+`
fn number_runs(text: &str, emit: &mut dyn FnMut(&str)) {
    runs(text, usize::MAX, false, is_number, emit);
}

/// `\p{N}`
fn each_number(text: &str, emit: &mut dyn FnMut(&str)) {
    runs(text, 1, false, is_number, emit);
}

/// `[0-9][0-9][0-9]`
fn digit_triples(text: &str, emit: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    let (mut start, mut at) = (0, 0);
    while at < bytes.len() {
        let triple = bytes.get(at..at + 3).is_some_and(|t| t.iter().all(u8::is_ascii_digit));
        if !triple {
            at += 1;
            continue;
        }
        for (from, to) in [(start, at), (at, at + 3)] {
            if let Some(piece) = text.get(from..to).filter(|p| !p.is_empty()) {
                emit(piece);
            }
        }
        at += 3;
        start = at;
    }
    if let Some(piece) = text.get(start..).filter(|p| !p.is_empty()) {
        emit(piece);
    }
}

/// `[\r\n]`
fn each_line_end(text: &str, emit: &mut dyn FnMut(&str)) {
    runs(text, 1, false, |c| matches!(c, '\r' | '\n'), emit);
}

/// `\s?\p{L}+`
fn spaced_letters(text: &str, emit: &mut dyn FnMut(&str)) {
    runs(text, usize::MAX, true, is_letter, emit);
}

/// `\s?\p{P}+`
fn spaced_punctuation(text: &str, emit: &mut dyn FnMut(&str)) {
    runs(text, usize::MAX, true, is_punctuation, emit);
}

/// `\s?[A-Za-zµÀ-ÖØ-…]+`
fn spaced_cased_letters(text: &str, emit: &mut dyn FnMut(&str)) {
    runs(text, usize::MAX, true, is_listed_cased_letter, emit);
}

/// `\s?[!-/:-~！-／：-～‘-‟　-。]+`; the ideographic space in it counts as white space.
fn spaced_wide_punctuation(text: &str, emit: &mut dyn FnMut(&str)) {
    let is = |c| {
        matches!(c,
            '!'..='/' | ':'..='~' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff5e}'
            | '\u{2018}'..='\u{201f}' | '\u{3001}'..='\u{3002}')
    };
    runs(text, usize::MAX, true, is, emit);
}

/// `\s+$`
fn trailing_spaces(text: &str, emit: &mut dyn FnMut(&str)) {
    let (head, tail) = text.split_at(text.trim_end().len());
    [head, tail].into_iter().filter(|part| !part.is_empty()).for_each(emit);
}

/// `[一-龥ࠀ-一가-퟿]+`
fn east_asian_runs(text: &str, emit: &mut dyn FnMut(&str)) {
    let is = |c: char| {
        matches!(c, '\u{0800}'..='\u{9fa5}' | '\u{ac00}'..='\u{d7ff}') && !c.is_whitespace()
    };
    runs(text, usize::MAX, false, is, emit);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(name: &str, text: &str) -> Vec<String> {
        let rule = RULES.iter().find(|r| r.name == name).unwrap();
        let mut words = Vec::new();
        rule.words(text, &mut |w| words.push(w.to_owned()));
        assert_eq!(words.concat(), text, "{name} loses text");
        words
    }

    #[test]
    fn a_space_stays_with_the_word_that_follows() {
        assert_eq!(cut("gpt-2", "a  b\n c"), ["a", " ", " b", "\n", " c"]);
        assert_eq!(cut("gpt-2", "it's  "), ["it", "'s", "  "]);
    }

    #[test]
    fn digits_part_as_each_vocabulary_wants() {
        assert_eq!(cut("smollm", "ab 123"), ["ab", " ", "1", "2", "3"]);
        assert_eq!(cut("qwen2", "ab 12"), ["ab", " ", "1", "2"]);
        assert_eq!(cut("llama-bpe", "12345"), ["123", "45"]);
        assert_eq!(cut("default", "x1234"), ["x", "123", "4"]);
    }

    #[test]
    fn line_ends_close_a_run_of_white_space() {
        assert_eq!(cut("qwen2", "a \n\n  b"), ["a", " \n\n", " ", " b"]);
        assert_eq!(cut("qwen2", "!!\n\nX"), ["!!\n\n", "X"]);
    }

    #[test]
    fn contractions_ignore_case_only_in_the_modern_rules() {
        assert_eq!(cut("qwen2", "DON'T"), ["DON", "'T"]);
        assert_eq!(cut("gpt-2", "DON'T"), ["DON", "'", "T"]);
    }

    #[test]
    fn marks_are_letters_for_qwen35_only() {
        assert_eq!(cut("qwen35", "e\u{301}a"), ["e\u{301}a"]);
        assert_eq!(cut("qwen2", "e\u{301}a").len(), 2);
    }
}
