//! Special tokens in a text: finds them and cuts the text around them.
//!
//! The longest special tokens are cut out first, wherever they stand, then the next shorter ones
//! from what is left; of one length by token, then from the left. User-defined tokens always
//! count, control and unknown ones on request.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use foldhash::fast::RandomState;

use crate::vocabulary::{Vocabulary, attribute};

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    /// Ordinary text, never empty.
    Text(&'t str),
    /// A special token that the text spells.
    Token(u32),
}

/// What is looked for in text.
pub const SPECIAL: u16 = attribute::CONTROL | attribute::USER_DEFINED | attribute::UNKNOWN;
const ON_REQUEST: u16 = attribute::CONTROL | attribute::UNKNOWN;

/// Longest text of a special token in bytes.
pub const LONGEST: usize = 1024;

/// A node of the automaton: what was read is the end of some special text, from the right.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The token whose text this is, and whether it counts only on request.
    token: Option<(u32, bool)>,
    /// The node of the longest proper beginning of this text that is a node too.
    fallback: u32,
    /// The nearest node along `fallback` where a token is; 0, the root, where there is none.
    shorter: u32,
    /// Bytes from the root.
    depth: u32,
}

/// The special tokens of a vocabulary: the automaton of Aho and Corasick (1975) over their bytes
/// from the last to the first. A text is read from its end, so that each position knows the
/// longest token that begins there, at a cost that no vocabulary can raise.
pub struct Specials {
    nodes: Vec<Node>,
    edges: HashMap<(u32, u8), u32, RandomState>,
    /// Whether a special text ends with the byte: most positions need no look at the edges.
    ends: Vec<bool>,
}

/// A place where a special token could be cut out. The derived order is the order of cutting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    len: Reverse<u32>,
    id: u32,
    at: usize,
    node: u32,
}

/// What was cut out: where it ends, with the white space that goes with it, and the token.
#[derive(Clone, Copy)]
struct Cut {
    to: usize,
    id: u32,
}

impl Specials {
    /// The special tokens of a vocabulary; `Err` names one whose text is longer than [`LONGEST`].
    pub fn new(vocabulary: &Vocabulary) -> Result<Specials, u32> {
        let mut all = Specials {
            nodes: vec![Node::default()],
            edges: HashMap::default(),
            ends: vec![false; 256],
        };
        for id in 0..vocabulary.len() as u32 {
            let attributes = vocabulary.attributes(id);
            if attributes & SPECIAL == 0 {
                continue;
            }
            let text = vocabulary.text(id);
            if text.len() > LONGEST {
                return Err(id);
            }
            // Of two tokens with one text only the one that the index finds counts.
            if vocabulary.token(text) == Some(id) {
                all.insert(text, id, attributes & ON_REQUEST != 0);
            }
        }
        all.link();
        Ok(all)
    }

    fn insert(&mut self, text: &[u8], id: u32, on_request: bool) {
        let mut node = 0;
        for (n, &byte) in text.iter().rev().enumerate() {
            let next = self.nodes.len() as u32;
            node = *self.edges.entry((node, byte)).or_insert(next);
            if node == next {
                self.nodes.push(Node { depth: n as u32 + 1, ..Node::default() });
            }
        }
        if let Some(end) = self.nodes.get_mut(node as usize) {
            end.token = Some((id, on_request));
        }
        if let Some(ends) = text.last().and_then(|&b| self.ends.get_mut(usize::from(b))) {
            *ends = true;
        }
    }

    /// Fills [`Node::fallback`] and [`Node::shorter`], the shallow nodes first.
    fn link(&mut self) {
        let mut edges: Vec<(u32, u32, u8)> =
            self.edges.iter().map(|(&(parent, byte), &node)| (parent, node, byte)).collect();
        edges.sort_unstable_by_key(|&(_, node, _)| (self.node(node).depth, node));
        for (parent, node, byte) in edges {
            // From the root, a byte leads to the node itself.
            let fallback =
                if parent == 0 { 0 } else { self.next(self.node(parent).fallback, byte) };
            let there = self.node(fallback);
            let shorter = if there.token.is_some() { fallback } else { there.shorter };
            if let Some(n) = self.nodes.get_mut(node as usize) {
                (n.fallback, n.shorter) = (fallback, shorter);
            }
        }
    }

    fn node(&self, node: u32) -> Node {
        self.nodes.get(node as usize).copied().unwrap_or_default()
    }

    /// Where the byte to the left leads.
    fn next(&self, mut node: u32, byte: u8) -> u32 {
        loop {
            match self.edges.get(&(node, byte)) {
                Some(&next) => return next,
                None if node == 0 => return 0,
                None => node = self.node(node).fallback,
            }
        }
    }

    /// Cuts `text`; see the module. Control and unknown tokens count with `parse_special`.
    pub fn cut<'t>(
        &self,
        vocabulary: &Vocabulary,
        text: &'t str,
        parse_special: bool,
        emit: &mut dyn FnMut(Part<'t>),
    ) {
        let mut places = self.places(text.as_bytes(), parse_special);
        let mut cuts: BTreeMap<usize, Cut> = BTreeMap::new();
        while let Some(Reverse(place)) = places.pop() {
            let end = place.at + place.len.0 as usize;
            let before = cuts.range(..=place.at).next_back().map_or(0, |(_, cut)| cut.to);
            let after = cuts.range(place.at..).next().map_or(text.len(), |(&from, _)| from);
            if before > place.at {
                continue;
            }
            if after < end {
                // The end is cut out already: a shorter token may still fit here.
                let shorter = self.node(place.node).shorter;
                let room = after - place.at;
                places.extend(self.place(place.at, shorter, room, parse_special).map(Reverse));
                continue;
            }
            let attributes = vocabulary.attributes(place.id);
            let (from, to) = strip(text, before..after, place.at..end, attributes);
            cuts.insert(from, Cut { to, id: place.id });
        }
        let mut start = 0;
        for (from, cut) in cuts {
            if let Some(between) = text.get(start..from).filter(|t| !t.is_empty()) {
                emit(Part::Text(between));
            }
            emit(Part::Token(cut.id));
            start = cut.to;
        }
        if let Some(rest) = text.get(start..).filter(|t| !t.is_empty()) {
            emit(Part::Text(rest));
        }
    }

    /// The longest special token at each position.
    fn places(&self, text: &[u8], parse_special: bool) -> BinaryHeap<Reverse<Place>> {
        let mut places = Vec::new();
        let mut node = 0;
        for (at, &byte) in text.iter().enumerate().rev() {
            if node == 0 && self.ends.get(usize::from(byte)) != Some(&true) {
                continue;
            }
            node = self.next(node, byte);
            places.extend(self.place(at, node, usize::MAX, parse_special).map(Reverse));
        }
        BinaryHeap::from(places)
    }

    /// The longest token from `node` down to shorter ones that counts and fits into `room` bytes.
    fn place(&self, at: usize, mut node: u32, room: usize, parse_special: bool) -> Option<Place> {
        while node != 0 {
            let found = self.node(node);
            match found.token {
                Some((id, on_request))
                    if (parse_special || !on_request) && found.depth as usize <= room =>
                {
                    return Some(Place { len: Reverse(found.depth), id, at, node });
                }
                _ => node = found.shorter,
            }
        }
        None
    }
}

/// The token with the white space at its sides that belongs to it, inside of what is `free`.
fn strip(
    text: &str,
    free: std::ops::Range<usize>,
    token: std::ops::Range<usize>,
    attributes: u16,
) -> (usize, usize) {
    // What C's `isspace` takes; `is_ascii_whitespace` leaves out the vertical tab.
    let is_space = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let bytes = text.as_bytes();
    let (mut from, mut to) = (token.start, token.end);
    if attributes & attribute::STRIP_LEFT != 0 {
        while from > free.start && bytes.get(from - 1).is_some_and(is_space) {
            from -= 1;
        }
    }
    if attributes & attribute::STRIP_RIGHT != 0 {
        while to < free.end && bytes.get(to).is_some_and(is_space) {
            to += 1;
        }
    }
    (from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, parse_special: bool) -> Vec<String> {
        let mut v = Vocabulary::with_capacity(8, 0);
        v.push(b"<s>", attribute::CONTROL).unwrap();
        v.push(b"<s>>", attribute::USER_DEFINED).unwrap();
        v.push(b"ab", attribute::USER_DEFINED).unwrap();
        v.push(b"bcd", attribute::USER_DEFINED | attribute::STRIP_RIGHT).unwrap();
        v.push(b"abx", attribute::USER_DEFINED).unwrap();
        v.push(b"xyzw", attribute::USER_DEFINED | attribute::STRIP_LEFT).unwrap();
        let specials = Specials::new(&v).unwrap();
        let mut out = Vec::new();
        specials.cut(&v, text, parse_special, &mut |p| {
            out.push(match p {
                Part::Text(t) => t.to_owned(),
                Part::Token(id) => format!("#{id}"),
            })
        });
        out
    }

    #[test]
    fn control_tokens_are_parsed_on_request_only() {
        assert_eq!(parts("x<s>y", true), ["x", "#0", "y"]);
        assert_eq!(parts("x<s>y", false), ["x<s>y"]);
    }

    #[test]
    fn the_longest_token_wins_wherever_it_stands() {
        assert_eq!(parts("<s>>", true), ["#1"]);
        assert_eq!(parts("abcd", false), ["a", "#3"]);
        assert_eq!(parts("abab", false), ["#2", "#2"]);
    }

    #[test]
    fn a_shorter_token_takes_what_a_longer_one_left() {
        assert_eq!(parts("abxyzw", false), ["#2", "#5"]);
    }

    #[test]
    fn white_space_that_belongs_to_a_token_goes_with_it() {
        assert_eq!(parts("bcd \n x", false), ["#3", "x"]);
        assert_eq!(parts("ab \x0b xyzw", false), ["#2", "#5"]);
        assert_eq!(parts("q  xyzw", false), ["q", "#5"]);
        assert_eq!(parts("bcd  xyzw", false), ["#3", "#5"]);
    }

    #[test]
    fn a_million_special_tokens_are_no_trouble() {
        assert_eq!(parts(&"<s>".repeat(1 << 18), true).len(), 1 << 18);
    }

    #[test]
    fn many_overlapping_places_are_no_trouble() {
        let mut v = Vocabulary::with_capacity(32, 0);
        for len in 1..=31 {
            v.push("\n".repeat(len).as_bytes(), attribute::USER_DEFINED).unwrap();
        }
        let specials = Specials::new(&v).unwrap();
        let mut count = 0;
        specials.cut(&v, &"\n".repeat(31 * 20_000 + 7), false, &mut |_| count += 1);
        assert_eq!(count, 20_001);
    }

    #[test]
    fn long_tokens_that_begin_alike_are_no_trouble() {
        let mut v = Vocabulary::with_capacity(1024, 0);
        for len in 1..=900 {
            v.push("x".repeat(len).as_bytes(), attribute::USER_DEFINED).unwrap();
        }
        v.push(("x".repeat(900) + "yyyyy").as_bytes(), attribute::USER_DEFINED).unwrap();
        let specials = Specials::new(&v).unwrap();
        let mut count = 0;
        let text = ("x".repeat(1700) + "yyyyy").repeat(100);
        specials.cut(&v, &text, false, &mut |_| count += 1);
        assert_eq!(count, 2 * 100);
    }

    proptest::proptest! {
        /// Against the rule itself: the longest tokens first, from the left.
        #[test]
        fn cutting_is_what_a_plain_search_does(
            tokens in proptest::collection::vec("[ab]{1,5}", 1..8),
            text in "[abc]{0,40}",
        ) {
            let mut tokens = tokens;
            tokens.sort();
            tokens.dedup();
            let mut v = Vocabulary::with_capacity(8, 0);
            for token in &tokens {
                v.push(token.as_bytes(), attribute::USER_DEFINED).unwrap();
            }
            let mut order: Vec<usize> = (0..tokens.len()).collect();
            order.sort_by_key(|&i| (Reverse(tokens[i].len()), i));
            let mut expected = vec![Part::Text(text.as_str())];
            for i in order {
                expected = expected.into_iter().flat_map(|part| match part {
                    Part::Token(_) => vec![part],
                    Part::Text(t) => {
                        let pieces = t.split(tokens[i].as_str());
                        let mut parts = Vec::new();
                        for (n, piece) in pieces.enumerate() {
                            if n > 0 { parts.push(Part::Token(i as u32)); }
                            if !piece.is_empty() { parts.push(Part::Text(piece)); }
                        }
                        parts
                    }
                }).collect();
            }
            let mut found = Vec::new();
            Specials::new(&v).unwrap().cut(&v, &text, false, &mut |p| found.push(p));
            let expected: Vec<_> = expected.into_iter().filter(|p| *p != Part::Text("")).collect();
            proptest::prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_special_text_past_the_limit_is_named() {
        let mut v = Vocabulary::with_capacity(2, 0);
        v.push(b"x", attribute::NORMAL).unwrap();
        v.push(&[b'x'; LONGEST + 1], attribute::CONTROL).unwrap();
        assert_eq!(Specials::new(&v).err(), Some(1));
    }
}
