//! What is written comes back; splits load as one; broken bytes never panic.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use synapse_format::{Array, Gguf, GgufWriter, Load, TensorType, Value};

fn sample() -> GgufWriter {
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
        .pair("f64", 0.25f64)
        .pair("bool", true)
        .pair("raw", Value::String(vec![0xff, 0xfe].into()))
        .pair("strings", vec!["a", "", "ñ"])
        .pair("f32s", vec![1.5f32, -2.0])
        .pair("i32s", vec![1i32, -1])
        .pair("bools", vec![true, false])
        .pair("none", Vec::<u64>::new())
        .tensor_f32("a.weight", &[3], &[1.0, 2.0, 3.0])
        .tensor("b.weight", TensorType::Q8_0, &[32, 2], (0..68).collect())
}

#[test]
fn what_is_written_comes_back_in_both_versions_and_any_alignment() {
    for version in [2, 3] {
        for alignment in [1, 8, 32, 256] {
            let bytes = sample().version(version).alignment(alignment).to_bytes().unwrap();
            let g = Gguf::from_bytes("m.gguf", bytes).unwrap();
            assert_eq!(g.version, version);
            let [notice] = &g.notices[..] else { panic!("{:?}", g.notices) };
            assert_eq!(notice.code(), "gguf-string-replaced");
            assert_eq!(notice.arg_value("key"), Some("raw"));
            let m = &g.metadata;
            assert_eq!(m.get_str("general.architecture").unwrap(), Some("llama"));
            assert_eq!(m.get("i16"), Some(&Value::I16(-2)));
            assert_eq!(m.get_i64("i64").unwrap(), Some(-4));
            assert_eq!(m.get_f32("f64").unwrap(), Some(0.25));
            assert_eq!(m.get_bool("bool").unwrap(), Some(true));
            assert_eq!(m.get("raw").and_then(Value::as_bytes), Some(&[0xff, 0xfe][..]));
            let strings = m.require_string_array("strings").unwrap();
            assert_eq!(strings.iter().collect::<Vec<_>>(), [&b"a"[..], b"", "ñ".as_bytes()]);
            assert_eq!(m.require_f32_array("f32s").unwrap(), [1.5, -2.0]);
            assert_eq!(m.require_i32_array("i32s").unwrap(), [1, -1]);
            assert_eq!(m.get("none"), Some(&Value::Array(Array::U64(vec![]))));
            let a = g.tensor("a.weight").unwrap();
            let floats: Vec<u8> = [1f32, 2.0, 3.0].iter().flat_map(|n| n.to_le_bytes()).collect();
            assert_eq!(g.tensor_bytes(a), Some(&floats[..]));
            let b = g.tensor("b.weight").unwrap();
            assert_eq!((b.row_elements(), b.rows(), b.elements(), b.size), (32, 2, 64, 68));
            assert_eq!(b.row_bytes(), 34);
            assert_eq!(b.offset % u64::from(alignment), 0);
            assert_eq!(g.tensor_bytes(b), Some(&(0..68).collect::<Vec<u8>>()[..]));
            assert_eq!(g.tensor("c.weight"), None);
        }
    }
}

#[test]
fn the_three_ways_of_loading_agree() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.gguf");
    sample().write_file(&path).unwrap();
    let [map, read, header] =
        [Load::Map, Load::Read, Load::Header].map(|load| Gguf::open(&path, load).unwrap());
    assert_eq!(map.metadata, read.metadata);
    assert_eq!(map.tensors, header.tensors);
    assert_eq!(map.file_size(), std::fs::metadata(&path).unwrap().len());
    for t in &map.tensors {
        assert!(map.tensor_bytes(t).is_some());
        assert_eq!(map.tensor_bytes(t), read.tensor_bytes(t));
        assert_eq!(header.tensor_bytes(t), None);
    }
}

#[test]
fn bytes_after_the_last_tensor_are_mentioned() {
    let mut bytes = sample().to_bytes().unwrap();
    let length = bytes.len();
    bytes.extend([7; 5]);
    let g = Gguf::from_bytes("m.gguf", bytes).unwrap();
    let [_, notice] = &g.notices[..] else { panic!("{:?}", g.notices) };
    assert_eq!((notice.code(), notice.exit_code()), ("gguf-trailing-bytes", 0));
    assert_eq!(notice.arg_value("count"), Some("5"));
    assert_eq!(notice.arg_value("start"), Some(length.to_string().as_str()));
}

#[test]
fn a_file_without_tensors_is_read() {
    let bytes = GgufWriter::new().pair("tokenizer.ggml.model", "gpt2").to_bytes().unwrap();
    assert!(Gguf::from_bytes("m.gguf", bytes).unwrap().tensors.is_empty());
}

#[test]
fn a_path_that_is_no_regular_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let code = |path: &Path| Gguf::open(path, Load::Map).unwrap_err().code();
    assert_eq!(code(dir.path()), "gguf-file-not-regular");
    assert_eq!(code(Path::new("/dev/null")), "gguf-file-not-regular");
    assert_eq!(code(&dir.path().join("m.gguf")), "gguf-file-not-found");
}

#[test]
fn a_getter_of_an_open_file_names_the_file() {
    let g = Gguf::from_bytes("m.gguf", sample().to_bytes().unwrap()).unwrap();
    let text = g.metadata.require_u32("llama.block_count").unwrap_err().to_string();
    assert!(text.starts_with("m.gguf: ") && text.contains("`llama.block_count`"), "{text}");
}

// --- split files

/// Part `number` of `count`, from 1, with one tensor `t{number}`.
fn part(number: u16, count: u16, tensors: i32) -> GgufWriter {
    GgufWriter::new()
        .pair("general.name", format!("part {number}").as_str())
        .pair("split.no", number - 1)
        .pair("split.count", count)
        .pair("split.tensors.count", tensors)
        .tensor_f32(format!("t{number}"), &[1], &[f32::from(number)])
}

fn part_path(dir: &Path, number: u16) -> PathBuf {
    dir.join(format!("m-{number:05}-of-00003.gguf"))
}

/// Writes three parts, `change` being applied to the second, and opens the set.
fn open_split(
    change: impl Fn(GgufWriter) -> Option<GgufWriter>,
    asked: u16,
) -> Result<Gguf, synapse_diag::Diagnostic> {
    let dir = tempfile::tempdir().unwrap();
    for number in 1..=3 {
        let writer = part(number, 3, 3);
        if let Some(w) = if number == 2 { change(writer) } else { Some(writer) } {
            w.write_file(&part_path(dir.path(), number)).unwrap();
        }
    }
    Gguf::open(&part_path(dir.path(), asked), Load::Read)
}

#[test]
fn any_part_opens_the_whole_set() {
    for asked in 1..=3 {
        let g = open_split(Some, asked).unwrap();
        assert_eq!(g.parts().len(), 3);
        assert_eq!(g.metadata.get_str("general.name").unwrap(), Some("part 1"));
        for number in 1..=3u16 {
            let t = g.tensor(&format!("t{number}")).unwrap();
            assert_eq!(t.part, usize::from(number) - 1);
            assert_eq!(g.tensor_bytes(t), Some(&f32::from(number).to_le_bytes()[..]));
        }
    }
}

#[track_caller]
fn split_refused(result: Result<Gguf, synapse_diag::Diagnostic>, code: &str, needle: &str) {
    let d = result.expect_err("the set was accepted");
    assert_eq!(d.code(), code, "{d}");
    assert!(d.to_string().contains(needle), "{needle} is not in: {d}");
}

#[test]
fn a_missing_part_is_named() {
    split_refused(open_split(|_| None, 1), "gguf-split-missing", "m-00002-of-00003.gguf");
}

#[test]
fn a_part_with_another_number_is_refused() {
    split_refused(open_split(|_| Some(part(3, 3, 3)), 1), "gguf-split-number", "00002-of-00003");
    split_refused(open_split(|_| Some(part(3, 3, 3)), 2), "gguf-split-number", "00002-of-00003");
}

#[test]
fn a_part_with_another_count_is_refused() {
    split_refused(open_split(|_| Some(part(2, 4, 3)), 1), "gguf-split-count", "is 4");
}

#[test]
fn a_part_that_is_no_part_is_refused() {
    let whole = |_| Some(GgufWriter::new().tensor_f32("t2", &[1], &[2.0]));
    split_refused(open_split(whole, 1), "gguf-key-missing", "`split.count`");
}

#[test]
fn a_tensor_count_that_the_parts_do_not_hold_is_refused() {
    split_refused(open_split(|_| Some(part(2, 3, 5)), 1), "gguf-split-tensors", "is 5");
}

#[test]
fn a_name_that_two_parts_use_is_refused() {
    let twice = |w: GgufWriter| Some(w.tensor_f32("t1", &[1], &[0.0]));
    split_refused(open_split(twice, 1), "gguf-tensor-duplicate", "00002-of-00003.gguf: the");
}

#[test]
fn a_part_whose_name_says_nothing_asks_for_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    part(1, 3, 3).write_file(&path).unwrap();
    split_refused(Gguf::open(&path, Load::Map), "gguf-split-name", "all 3 parts");
    let bytes = part(1, 3, 3).to_bytes().unwrap();
    split_refused(Gguf::from_bytes("model.gguf", bytes), "gguf-split-name", "all 3 parts");
}

#[test]
fn a_split_count_of_one_is_a_whole_model() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.gguf");
    part(1, 1, 1).write_file(&path).unwrap();
    assert_eq!(Gguf::open(&path, Load::Map).unwrap().tensors.len(), 1);
}

#[test]
fn a_split_count_that_no_file_name_can_have_is_refused() {
    let bytes = GgufWriter::new().pair("split.count", 1u64 << 40).to_bytes().unwrap();
    split_refused(Gguf::from_bytes("m.gguf", bytes), "gguf-key-range", "`split.count`");
}

// --- broken bytes

#[test]
fn a_file_cut_anywhere_is_refused() {
    let bytes = sample().to_bytes().unwrap();
    // the padding after the last tensor may be absent
    let end =
        Gguf::from_bytes("m", bytes.clone()).unwrap().tensors.last().map(|t| t.offset + t.size);
    for length in 0..end.unwrap() as usize {
        let d = Gguf::from_bytes("m.gguf", bytes[..length].to_vec()).err();
        assert_eq!(d.map(|d| d.exit_code()), Some(3), "cut at {length}");
    }
}

#[test]
fn a_changed_byte_never_panics() {
    let bytes = sample().to_bytes().unwrap();
    for at in 0..bytes.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x40] {
            let mut changed = bytes.clone();
            changed[at] = value;
            if let Ok(g) = Gguf::from_bytes("m.gguf", changed) {
                assert!(g.tensors.iter().all(|t| g.tensor_bytes(t).is_some()));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_with_random_patches_never_panics(
        patches in prop::collection::vec((any::<prop::sample::Index>(), any::<[u8; 8]>()), 1..4),
    ) {
        let mut bytes = sample().to_bytes().unwrap();
        for (at, patch) in patches {
            let at = at.index(bytes.len());
            for (room, new) in bytes[at..].iter_mut().zip(patch) {
                *room = new;
            }
        }
        if let Ok(g) = Gguf::from_bytes("m.gguf", bytes) {
            prop_assert!(g.tensors.iter().all(|t| g.tensor_bytes(t).is_some()));
        }
    }
}

#[test]
fn the_writer_refuses_what_the_reader_would() {
    let code = |w: GgufWriter| w.to_bytes().unwrap_err().code();
    assert_eq!(code(GgufWriter::new().pair("", 1u32)), "gguf-key-empty");
    assert_eq!(code(GgufWriter::new().version(4)), "gguf-version-unknown");
    assert_eq!(code(GgufWriter::new().alignment(24)), "gguf-alignment");
    assert_eq!(code(GgufWriter::new().tensor_f32("t", &[2], &[0.0])), "gguf-tensor-bytes");
    assert_eq!(code(GgufWriter::new().tensor_f32("", &[1], &[0.0])), "gguf-tensor-name-empty");
    assert_eq!(code(GgufWriter::new().tensor_f32("t", &[1; 5], &[0.0])), "gguf-tensor-dims");
}
