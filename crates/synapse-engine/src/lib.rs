//! Sessions and generation: what stands between a model file and text.
#![forbid(unsafe_code)]

pub mod settings;
