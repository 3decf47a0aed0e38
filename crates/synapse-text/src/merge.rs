//! The merge loop that both kinds of byte-pair encoding share.
//!
//! A word is a chain of symbols. The best adjacent pair is joined until no pair can be: best is
//! the lowest priority number, and of equal ones the leftmost. A heap holds the candidates, so a
//! word of n symbols costs n log n, whatever it consists of.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No neighbour, or no piece.
pub const NONE: u32 = u32::MAX;

/// A run of bytes of the word, and the piece that spells it.
#[derive(Clone, Copy, Debug)]
pub struct Symbol {
    /// Number of the piece, [`NONE`] where the vocabulary has none.
    pub piece: u32,
    /// Where the run starts in the word.
    pub start: u32,
    /// Its length in bytes; 0 once it was joined to its left neighbour.
    pub len: u32,
    before: u32,
    after: u32,
}

/// A possible join: what [`Chain::join`] asks for each adjacent pair.
pub struct Join {
    /// Lower joins first.
    pub priority: u32,
    /// The piece that the pair becomes.
    pub piece: u32,
}

/// A candidate in the heap. The derived order is priority, then position; the other fields never
/// decide between two different candidates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    priority: u32,
    left: u32,
    right: u32,
    len: u32,
    piece: u32,
}

/// A word being joined; its buffers serve one word after another.
#[derive(Default)]
pub struct Chain {
    symbols: Vec<Symbol>,
    heap: BinaryHeap<Reverse<Candidate>>,
}

impl Chain {
    /// Forgets the last word.
    pub fn clear(&mut self) {
        self.symbols.clear();
        self.heap.clear();
    }

    /// Appends a symbol of `len` bytes; words longer than 4 GiB do not occur (see
    /// [`crate::Tokenizer::encode`]).
    pub fn push(&mut self, piece: u32, len: u32) {
        let number = self.symbols.len() as u32;
        let start = self.symbols.last().map_or(0, |s| s.start.wrapping_add(s.len));
        if let Some(last) = self.symbols.last_mut() {
            last.after = number;
        }
        let before = number.checked_sub(1).unwrap_or(NONE);
        self.symbols.push(Symbol { piece, start, len, before, after: NONE });
    }

    /// Joins pairs while `join` knows a join for any. It sees the left and right symbol of a
    /// pair; the pair's bytes are adjacent.
    pub fn join(&mut self, join: impl Fn(&Symbol, &Symbol) -> Option<Join>) {
        for right in 1..self.symbols.len() as u32 {
            self.offer(right - 1, right, &join);
        }
        while let Some(Reverse(best)) = self.heap.pop() {
            let (Some(&left), Some(&right)) = (self.symbol(best.left), self.symbol(best.right))
            else {
                continue;
            };
            // Either side was joined to something else since: the pair is no more.
            if left.len == 0 || right.len == 0 || left.len + right.len != best.len {
                continue;
            }
            if let Some(s) = self.symbols.get_mut(best.left as usize) {
                s.len = best.len;
                s.piece = best.piece;
                s.after = right.after;
            }
            if let Some(s) = self.symbols.get_mut(best.right as usize) {
                s.len = 0;
            }
            if let Some(s) = self.symbols.get_mut(right.after as usize) {
                s.before = best.left;
            }
            self.offer(left.before, best.left, &join);
            self.offer(best.left, right.after, &join);
        }
    }

    fn symbol(&self, number: u32) -> Option<&Symbol> {
        self.symbols.get(number as usize)
    }

    fn offer(&mut self, left: u32, right: u32, join: impl Fn(&Symbol, &Symbol) -> Option<Join>) {
        let (Some(l), Some(r)) = (self.symbol(left), self.symbol(right)) else { return };
        if let Some(Join { priority, piece }) = join(l, r) {
            let len = l.len + r.len;
            self.heap.push(Reverse(Candidate { priority, left, right, len, piece }));
        }
    }

    /// The symbols that are left, in order.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(|s| s.len > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins two equal pieces to the next number, whatever they are.
    fn doubled(l: &Symbol, r: &Symbol) -> Option<Join> {
        (l.piece == r.piece).then_some(Join { priority: l.piece, piece: l.piece + 1 })
    }

    #[test]
    fn equal_priorities_join_from_the_left() {
        let mut chain = Chain::default();
        for _ in 0..7 {
            chain.push(0, 1);
        }
        chain.join(doubled);
        let left: Vec<_> = chain.symbols().map(|s| (s.piece, s.start, s.len)).collect();
        assert_eq!(left, [(2, 0, 4), (1, 4, 2), (0, 6, 1)]);
    }

    #[test]
    fn a_pair_whose_side_was_joined_elsewhere_is_dropped() {
        // "b c" joins first, so "a b" must not join any more.
        let mut chain = Chain::default();
        for p in [10, 20, 30] {
            chain.push(p, 1);
        }
        chain.join(|l, r| match (l.piece, r.piece) {
            (20, 30) => Some(Join { priority: 0, piece: 1 }),
            (10, 20) => Some(Join { priority: 1, piece: 2 }),
            _ => None,
        });
        assert_eq!(chain.symbols().map(|s| s.piece).collect::<Vec<_>>(), [10, 1]);
    }

    #[test]
    fn a_million_equal_symbols_are_no_trouble() {
        let mut chain = Chain::default();
        for _ in 0..1 << 20 {
            chain.push(0, 1);
        }
        chain.join(doubled);
        assert_eq!(chain.symbols().map(|s| s.piece).collect::<Vec<_>>(), [20]);
    }
}
