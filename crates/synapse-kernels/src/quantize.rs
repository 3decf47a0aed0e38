//! Activations as int8 blocks.
