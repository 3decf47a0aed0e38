//! Reference interpreter, lowering to the Execution IR, and the one executor.
