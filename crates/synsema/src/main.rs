//! The `synsema` command.
fn main() {}
