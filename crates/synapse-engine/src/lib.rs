//! Sessions, paged KV, sampling and generation.
