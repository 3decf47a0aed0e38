//! Reference: rope.
