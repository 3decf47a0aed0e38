//! The parameters that a `param` line can set: what no model file says.

/// A row of the table.
#[derive(Debug, PartialEq)]
pub struct ParamRow {
    /// As it is written.
    pub name: &'static str,
    /// Least and greatest value; both are whole numbers and the value must be one.
    pub whole: (u32, u32),
    /// What it says.
    pub sentence: &'static str,
}

/// Every parameter.
pub static PARAMS: &[ParamRow] = &[ParamRow {
    name: "sliding_window_type",
    whole: (1, 65536),
    sentence: "The length n of the cycle of layers: layer i sees every position where (i+1) mod n \
               = 0; the other layers use the file's sliding window and its base of rotation for \
               them.",
}];
