//! Prints the reference page of operations: `docs/ops.md`.

fn main() {
    print!("{}", synapse_archdef::reference_page());
}
