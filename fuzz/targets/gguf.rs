//! Any bytes as a GGUF file: no panic, and no more memory than the bytes justify.
#![no_main]

use std::alloc::System;

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use synapse_diag::{Diagnostic, Lang};
use synapse_format::{Gguf, Value};

/// What one input may make the reader hold at most, on top of a fixed sum for small things.
const BYTES_PER_BYTE: usize = 16;
const FIXED: usize = 64 << 10;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, 64 << 20);

fuzz_target!(|data: &[u8]| {
    let before = ALLOCATOR.allocated();
    let result = Gguf::from_bytes("fuzz.gguf", data.to_vec());
    let held = ALLOCATOR.allocated().saturating_sub(before);
    assert!(held <= data.len() * BYTES_PER_BYTE + FIXED, "{held} bytes for {}", data.len());
    match result {
        Ok(gguf) => look_at(&gguf, data),
        Err(d) => say(&d),
    }
});

/// Whatever was accepted must be usable.
fn look_at(gguf: &Gguf, data: &[u8]) {
    for t in &gguf.tensors {
        let bytes = gguf.tensor_bytes(t).expect("an accepted tensor has its bytes");
        assert_eq!(bytes.len() as u64, t.size);
        assert_eq!(t.rows() * t.row_bytes(), t.size);
        assert_eq!(t.rows() * t.row_elements(), t.elements());
        assert!(std::ptr::eq(gguf.tensor(&t.name).expect("found by its name"), t));
    }
    assert!(gguf.tensors.iter().map(|t| t.size).sum::<u64>() <= data.len() as u64);
    let m = &gguf.metadata;
    for (key, value) in m.iter() {
        assert!(m.get(key).is_some_and(|found| std::ptr::eq(found, value)));
        if let Value::Array(a) = value {
            assert!(a.len() <= data.len());
            assert_eq!(a.get(a.len()), None);
        }
        let findings = [
            m.require_u32(key).err(),
            m.require_u64(key).err(),
            m.require_f32(key).err(),
            m.require_bool(key).err(),
            m.require_str(key).err(),
            m.require_string_array(key).err(),
            m.require_f32_array(key).err(),
            m.require_i32_array(key).err(),
            m.get_u64_array(key).err(),
        ];
        findings.iter().flatten().for_each(say);
    }
    gguf.notices.iter().for_each(say);
}

/// Messages hold foreign text: making them must not panic either. Memory that was refused is a
/// finding, since a reader asks for it only after it has seen the bytes.
fn say(d: &Diagnostic) {
    assert_ne!(d.code(), "gguf-memory");
    for lang in [Lang::En, Lang::Es] {
        let _ = d.render(lang);
        let _ = d.to_json(lang);
    }
}
