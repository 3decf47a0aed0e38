//! Loading and running a model: memory, context, numbers.

entries! {
}
