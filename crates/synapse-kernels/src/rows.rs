//! Row-wise operations: norms, activations, sums.
