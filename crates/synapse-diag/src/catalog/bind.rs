//! Binding a definition to a model file: keys, tensors, shapes.

entries! {
}
