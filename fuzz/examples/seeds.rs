//! Writes the seeds of the targets whose inputs are binary: `cargo run --example seeds`, in this
//! folder. The seeds are committed; this is the command that made them.

use std::path::Path;

use synapse_diag::Diagnostic;
use synapse_format::{GgufWriter, TensorType, Value};

/// Metadata with every value type, and the keys that the reader itself knows.
fn every_value() -> GgufWriter {
    GgufWriter::new()
        .pair("general.architecture", "llama")
        .pair("u8", 1u8)
        .pair("i8", -1i8)
        .pair("u16", 2u16)
        .pair("i16", -2i16)
        .pair("u32", 3u32)
        .pair("i32", -3i32)
        .pair("u64", 4u64)
        .pair("i64", -4i64)
        .pair("f32", 0.5f32)
        .pair("f64", f64::NAN)
        .pair("bool", true)
        .pair("raw", Value::String(vec![0xff].into()))
}

fn every_array() -> GgufWriter {
    GgufWriter::new()
        .pair("u8", vec![1u8])
        .pair("i16", vec![1i16, -1])
        .pair("u32", vec![1u32])
        .pair("i64", vec![1i64])
        .pair("f32", vec![1f32])
        .pair("f64", Vec::<f64>::new())
        .pair("bool", vec![true, false])
        .pair("tokenizer.ggml.tokens", vec!["a", "", "ñ"])
}

fn tensors() -> GgufWriter {
    GgufWriter::new()
        .tensor_f32("a", &[1], &[1.0])
        .tensor("b", TensorType::Q4_0, &[32, 2], vec![0; 36])
        .tensor("c", TensorType::F16, &[1, 1, 1, 2], vec![0; 4])
}

fn main() -> Result<(), Diagnostic> {
    let folder = Path::new("seeds/gguf");
    let seeds = [
        ("empty.gguf", GgufWriter::new()),
        ("values.gguf", every_value()),
        ("arrays.gguf", every_array()),
        ("tensors.gguf", tensors()),
        ("version2.gguf", tensors().version(2)),
        ("alignment1.gguf", tensors().alignment(1)),
        ("part.gguf", tensors().pair("split.no", 0u16).pair("split.count", 2u16)),
    ];
    std::fs::create_dir_all(folder).expect("a folder for the seeds");
    for (name, writer) in seeds {
        let _ = std::fs::remove_file(folder.join(name));
        writer.write_file(&folder.join(name))?;
    }
    Ok(())
}
