//! Reference: expand.
