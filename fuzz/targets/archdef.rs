//! Any bytes as a definition: it reads back the same or each finding can be shown, and no more
//! memory than the bytes justify.
#![no_main]

use std::alloc::System;

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use synapse_archdef::{limits, parse};
use synapse_diag::Lang;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 64 << 20);

fuzz_target!(|data: &[u8]| {
    match parse("fuzz.archdef", data, None) {
        Ok(definition) => {
            assert_eq!(definition.text.as_bytes(), data);
            let sections = [&definition.prologue, &definition.block, &definition.epilogue];
            assert!(sections.iter().map(|s| s.len()).sum::<usize>() <= limits::STEPS.most);
            for step in sections.into_iter().flatten() {
                let slots = step.op.row().slots.len();
                assert_eq!(step.operands.len() + usize::from(step.in_place), slots);
                for tensor in step.tensors() {
                    assert!(tensor.names_in_layer(3).all(|n| !n.contains(['{', '}'])));
                }
            }
            let again = parse("fuzz.archdef", data, Some(&definition.name));
            assert_eq!(again, Ok(definition));
        }
        Err(findings) => {
            assert!(!findings.is_empty() && findings.len() <= limits::FINDINGS.most + 1);
            assert!(findings.iter().all(|d| d.exit_code() == 3));
            for d in findings {
                for lang in [Lang::En, Lang::Es] {
                    assert!(d.render(lang).starts_with("fuzz.archdef: "));
                    let _ = d.to_json(lang).to_string();
                }
            }
        }
    }
});
