//! No bytes make the reader panic, and what it refuses it explains.

use proptest::prelude::*;
use synapse_archdef::{library::BUILTIN, limits, parse};
use synapse_diag::Lang;

/// Whatever the bytes: a definition that reads back the same, or findings that can be shown.
fn check(bytes: &[u8]) {
    match parse("t.archdef", bytes, None) {
        Ok(d) => {
            assert_eq!(d.text.as_bytes(), bytes);
            let again = parse("t.archdef", d.text.as_bytes(), Some(&d.name));
            assert_eq!(again, Ok(d));
        }
        Err(findings) => {
            assert!(!findings.is_empty() && findings.len() <= limits::FINDINGS.most + 1);
            for d in findings {
                assert!(
                    !d.render(Lang::En).contains('?')
                        || d.mend(Lang::En).contains('?')
                        || bytes.contains(&b'?'),
                    "an argument is missing: {d}"
                );
                assert!(!d.render(Lang::Es).is_empty());
            }
        }
    }
}

/// Pieces that the grammar gives a meaning to.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "arch",
            "kind",
            "param",
            "ignore",
            "refuse",
            "prologue",
            "block",
            "epilogue",
            "decoder",
            "x",
            "h",
            "=",
            "(",
            ")",
            ",",
            "|",
            "?",
            "{i}",
            "{",
            "}",
            "\"",
            "#",
            "\n",
            "\r\n",
            " ",
            "-",
            "+",
            "*",
            "/",
            "sqrt(",
            "true",
            "1e9",
            "0.5",
            ".",
            "rope",
            "attention",
            "matmul",
            "silu",
            "embed",
            "pairs",
            "factors=",
            "causal=",
            "é",
            "\u{202e}",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,6}",
    ]
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check(&bytes);
    }

    #[test]
    fn lines_of_the_languages_own_pieces_never_panic(
        pieces in prop::collection::vec(piece(), 0..120)
    ) {
        check(pieces.concat().as_bytes());
        let mut inside = b"arch q\nkind decoder\nprologue\nx = embed(t)\nblock\n".to_vec();
        inside.extend(pieces.concat().into_bytes());
        check(&inside);
    }

    #[test]
    fn mutated_definitions_never_panic(
        which in 0..BUILTIN.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, piece()), 1..6)
    ) {
        let mut bytes = BUILTIN[which].1.as_bytes().to_vec();
        for (at, what, text) in edits {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + text.len()).min(bytes.len());
            match what {
                0 => { bytes.splice(at..at, text.bytes()); }
                1 => { bytes.splice(at..end, text.bytes()); }
                2 => { bytes.drain(at..end); }
                _ => bytes.truncate(at),
            }
        }
        check(&bytes);
    }
}
