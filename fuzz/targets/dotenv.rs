//! Any bytes as a `.env` file: values or one error, and no more memory than the bytes justify.
#![no_main]

use std::alloc::System;
use std::collections::BTreeSet;

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use synapse_diag::Lang;
use synapse_engine::settings::dotenv::{MOST_ENTRIES, MOST_VALUE_BYTES, parse};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 64 << 20);

fuzz_target!(|data: &[u8]| {
    match parse(".env", data) {
        Ok(found) => {
            assert!(found.len() <= MOST_ENTRIES);
            let keys: BTreeSet<&str> = found.iter().map(|a| a.key.as_str()).collect();
            assert_eq!(keys.len(), found.len(), "a name came twice");
            assert!(found.is_sorted_by(|a, b| a.line < b.line), "one assignment a line");
            for a in &found {
                assert!(!a.key.is_empty() && !a.key.contains(['=', '\n', ' ', '"', '\'']));
                assert!(a.value.len() <= MOST_VALUE_BYTES && !a.value.contains('\0'));
                // What the file says is a part of it, escapes aside.
                assert!(a.value.len() <= data.len());
                // A value written in single quotes comes back, unless it holds one.
                if !a.value.contains('\'') {
                    let again = format!("{}='{}'", a.key, a.value);
                    let again = parse(".env", again.as_bytes()).expect("quoted");
                    assert_eq!((&again[0].key, &again[0].value), (&a.key, &a.value));
                }
            }
        }
        Err(d) => {
            assert_eq!((d.file(), d.exit_code()), (Some(".env"), 2));
            for lang in [Lang::En, Lang::Es] {
                assert!(!d.render(lang).is_empty());
                let _ = d.to_json(lang).to_string();
            }
        }
    }
});
