//! Instruction sets: detection and the choice at start.
