//! Binds a definition to a model file: Model IR, regions, verifier, fingerprint.
