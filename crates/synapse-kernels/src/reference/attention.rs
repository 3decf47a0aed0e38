//! Reference: attention.
