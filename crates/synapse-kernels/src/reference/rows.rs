//! Reference: rows.
