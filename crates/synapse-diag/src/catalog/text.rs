//! Tokenizers and chat templates.

entries! {}
