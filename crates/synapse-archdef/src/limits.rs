//! What a definition may be at most: a stranger's file costs little to refuse.

/// A limit and what it bounds.
#[derive(Debug, PartialEq, Eq)]
pub struct Limit {
    /// The greatest value that is accepted.
    pub most: usize,
    /// The code of the finding that refuses more.
    pub code: &'static str,
    /// What is counted.
    pub sentence: &'static str,
}

const fn limit(most: usize, code: &'static str, sentence: &'static str) -> Limit {
    Limit { most, code, sentence }
}

/// Bytes of a definition; larger files are not read.
pub static BYTES: Limit = limit(256 * 1024, "archdef-too-many-bytes", "bytes of a definition");
/// Lines of a definition.
pub static LINES: Limit = limit(4096, "archdef-too-many-lines", "lines of a definition");
/// Bytes of a line.
pub static LINE_BYTES: Limit = limit(1024, "archdef-line-too-long", "bytes of a line");
/// Steps of a definition.
pub static STEPS: Limit =
    limit(1024, "archdef-too-many-steps", "steps of a definition, the three sections together");
/// Registers of a definition.
pub static REGISTERS: Limit =
    limit(256, "archdef-too-many-registers", "different registers of a definition");
/// Characters of a register's name.
pub static REGISTER_NAME: Limit =
    limit(64, "archdef-register-name", "characters of a register's name");
/// Characters of an architecture's name.
pub static ARCH_NAME: Limit = limit(64, "archdef-bad-name", "characters of an architecture's name");
/// Alternatives of a tensor.
pub static ALTERNATIVES: Limit =
    limit(8, "archdef-too-many-alternatives", "alternatives of a tensor");
/// Depth of an expression.
pub static EXPRESSION_DEPTH: Limit =
    limit(32, "archdef-expression-depth", "nested operations of an expression");
/// Findings that are shown for one definition.
pub static FINDINGS: Limit =
    limit(50, "archdef-more-findings", "findings that are shown for a definition");
/// Definitions in a folder.
pub static FILES: Limit = limit(1024, "archdef-too-many-files", "definitions in a folder");

/// Every limit, for the reference page.
pub static LIMITS: &[&Limit] = &[
    &BYTES,
    &LINES,
    &LINE_BYTES,
    &STEPS,
    &REGISTERS,
    &REGISTER_NAME,
    &ARCH_NAME,
    &ALTERNATIVES,
    &EXPRESSION_DEPTH,
    &FINDINGS,
    &FILES,
];

#[cfg(test)]
mod tests {
    use super::LIMITS;
    use synapse_diag::catalog::archdef;

    #[test]
    fn each_limit_is_refused_with_a_code_of_the_catalog() {
        for l in LIMITS {
            assert!(archdef::ALL.iter().any(|e| e.code == l.code), "{}", l.code);
        }
    }
}
