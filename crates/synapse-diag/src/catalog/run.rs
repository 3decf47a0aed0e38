//! Lowering and running a program: types, memory, numbers.

entries! {}
