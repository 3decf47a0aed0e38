//! The plan of working buffers: a value takes a buffer when it is defined and gives it back after
//! its last reader.

use synapse_ir::{Dim, Shape, ValueId};

use crate::program::Buffer;

/// Floats in a row of a buffer. Rows of all tokens and rows of the selected ones are counted apart:
/// there are far fewer of the latter, and logits are the widest rows of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// The widest row that one buffer holds for each token of a piece.
    pub tokens: usize,
    /// The widest row that it holds for each selected token.
    pub selected: usize,
}

impl Widths {
    fn of(&mut self, rows: Dim) -> &mut usize {
        match rows {
            Dim::Tokens => &mut self.tokens,
            Dim::Selected => &mut self.selected,
        }
    }

    /// Floats that the buffer holds at most in a pass of `tokens` rows, `selected` of them selected.
    pub fn floats(self, tokens: usize, selected: usize) -> usize {
        let all = self.tokens.saturating_mul(tokens);
        all.max(self.selected.saturating_mul(selected))
    }
}

/// Assigns buffers in the order in which values are defined and die.
pub(crate) struct Planner {
    widths: Vec<Widths>,
    free: Vec<usize>,
    /// By value.
    home: Vec<Option<Buffer>>,
    /// By value: index of the last item of the schedule that reads it.
    last_use: Vec<usize>,
}

impl Planner {
    pub fn new(last_use: Vec<usize>) -> Planner {
        let home = vec![None; last_use.len()];
        Planner { widths: Vec::new(), free: Vec::new(), home, last_use }
    }

    /// The buffer that holds a value.
    pub fn of(&self, value: ValueId) -> Buffer {
        self.home[value.index()].expect("the schedule defines a value before it is read")
    }

    /// Whether nothing after item `now` reads the value.
    pub fn dies(&self, value: ValueId, now: usize) -> bool {
        self.last_use[value.index()] <= now
    }

    /// A buffer of its own for a new value: the tightest free one that is wide enough, or else the
    /// widest free one made wider.
    pub fn define(&mut self, value: ValueId, shape: Shape) -> Buffer {
        let width = |i: usize| *self.widths[self.free[i]].clone().of(shape.rows);
        let candidates = 0..self.free.len();
        let fitting = candidates.clone().filter(|&i| width(i) >= shape.width);
        let best = fitting.min_by_key(|&i| width(i));
        let best = best.or_else(|| candidates.max_by_key(|&i| width(i)));
        let buffer = match best {
            Some(i) => Buffer(self.free.swap_remove(i)),
            None => self.fresh(),
        };
        self.widen(buffer, shape);
        self.home[value.index()] = Some(buffer);
        buffer
    }

    /// The new value takes over the buffer of one that it replaces in place.
    pub fn replace(&mut self, old: ValueId, new: ValueId) -> Buffer {
        let buffer = self.of(old);
        self.home[old.index()] = None;
        self.home[new.index()] = Some(buffer);
        buffer
    }

    /// A buffer for the inside of one step that is never given back; both operands of a sum being
    /// the same value is too rare to plan for.
    pub fn scratch(&mut self, shape: Shape) -> Buffer {
        let buffer = self.fresh();
        self.widen(buffer, shape);
        buffer
    }

    fn fresh(&mut self) -> Buffer {
        self.widths.push(Widths::default());
        Buffer(self.widths.len() - 1)
    }

    fn widen(&mut self, buffer: Buffer, shape: Shape) {
        let width = self.widths[buffer.0].of(shape.rows);
        *width = shape.width.max(*width);
    }

    /// Gives back the buffers of the values that die with item `now`.
    pub fn release(&mut self, values: impl Iterator<Item = ValueId>, now: usize) {
        for value in values {
            if self.dies(value, now)
                && let Some(buffer) = self.home[value.index()].take()
            {
                self.free.push(buffer.0);
            }
        }
    }

    pub fn into_widths(self) -> Vec<Widths> {
        self.widths
    }
}
