//! Reference: product.
