//! The plan of working buffers: a value takes a buffer when it is defined and gives it back after
//! its last reader.

use synapse_ir::ValueId;

use crate::program::Buffer;

/// Assigns buffers in the order in which values are defined and die.
pub(crate) struct Planner {
    widths: Vec<usize>,
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
    pub fn define(&mut self, value: ValueId, width: usize) -> Buffer {
        let fits = |&i: &usize| self.widths[self.free[i]] >= width;
        let candidates = 0..self.free.len();
        let best = candidates.clone().filter(fits).min_by_key(|&i| self.widths[self.free[i]]);
        let best = best.or_else(|| candidates.max_by_key(|&i| self.widths[self.free[i]]));
        let buffer = match best {
            Some(i) => Buffer(self.free.swap_remove(i)),
            None => {
                self.widths.push(0);
                Buffer(self.widths.len() - 1)
            }
        };
        self.widths[buffer.0] = self.widths[buffer.0].max(width);
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
    pub fn scratch(&mut self, width: usize) -> Buffer {
        self.widths.push(width);
        Buffer(self.widths.len() - 1)
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

    pub fn into_widths(self) -> Vec<usize> {
        self.widths
    }
}
