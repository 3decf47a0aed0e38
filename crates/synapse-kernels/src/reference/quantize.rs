//! Reference: quantize.
