//! One malformed file per field that can lie: the refusal has the right code and says where.

use synapse_diag::{Diagnostic, Lang};
use synapse_format::{Gguf, GgufWriter, TensorType, Value};

/// A GGUF file written field by field, so that any field can be wrong.
struct Raw(Vec<u8>);

impl Raw {
    fn header(tensors: u64, pairs: u64) -> Raw {
        Raw(b"GGUF".to_vec()).u32(3).u64(tensors).u64(pairs)
    }
    fn u8(mut self, n: u8) -> Raw {
        self.0.push(n);
        self
    }
    fn u32(mut self, n: u32) -> Raw {
        self.0.extend(n.to_le_bytes());
        self
    }
    fn u64(mut self, n: u64) -> Raw {
        self.0.extend(n.to_le_bytes());
        self
    }
    fn bytes(mut self, bytes: &[u8]) -> Raw {
        self.0.extend(bytes);
        self
    }
    fn string(self, bytes: &[u8]) -> Raw {
        self.u64(bytes.len() as u64).bytes(bytes)
    }
    /// One F32 row of the table: `[8]`, 32 bytes.
    fn tensor(self, name: &[u8], offset: u64) -> Raw {
        self.string(name).u32(1).u64(8).u32(0).u64(offset)
    }
    /// Pads to 32 bytes and appends `count` bytes of data.
    fn data(mut self, count: usize) -> Vec<u8> {
        let start = self.0.len().next_multiple_of(32);
        self.0.resize(start + count, 0);
        self.0
    }
}

fn refusal(bytes: Vec<u8>) -> Diagnostic {
    match Gguf::from_bytes("m.gguf", bytes) {
        Ok(_) => panic!("the file was accepted"),
        Err(d) => d,
    }
}

/// The file is refused with `code`, and the message holds each of `needles`, in both languages.
#[track_caller]
fn refused(bytes: Vec<u8>, code: &str, needles: &[&str]) {
    let d = refusal(bytes);
    assert_eq!(d.code(), code, "{d}");
    for lang in [Lang::En, Lang::Es] {
        let text = d.render(lang);
        assert!(text.starts_with("m.gguf: "), "{text}");
        assert!(!text.contains('?'), "an argument is missing: {text}");
        for needle in needles {
            assert!(text.contains(needle), "{needle} is not in: {text}");
        }
    }
}

// --- header

#[test]
fn an_empty_file() {
    refused(Vec::new(), "gguf-empty", &["GGUF"]);
}

#[test]
fn a_wrong_magic() {
    refused(b"gguf\x03\0\0\0".to_vec(), "gguf-magic", &["`gguf`"]);
    refused(b"G".to_vec(), "gguf-magic", &["`G`"]);
    refused(b"\0\x01\xff\n".to_vec(), "gguf-magic", &[r"`\x00\x01\xff\n`"]);
}

#[test]
fn a_git_lfs_pointer_instead_of_the_model() {
    refused(b"version https://git-lfs".to_vec(), "gguf-lfs-pointer", &["git lfs pull"]);
}

#[test]
fn a_version_that_is_not_two_or_three() {
    let with = |v: u32| Raw(b"GGUF".to_vec()).u32(v).u64(0).u64(0).0;
    refused(with(1), "gguf-version-1", &["32"]);
    refused(with(0), "gguf-version-unknown", &["0"]);
    refused(with(4), "gguf-version-unknown", &["4"]);
    refused(with(0x0300_0000), "gguf-big-endian", &["50331648", "3"]);
}

#[test]
fn a_file_that_ends_inside_the_header() {
    refused(b"GGUF\x03".to_vec(), "gguf-header-cut", &["`version`", " 4 "]);
    refused(Raw(b"GGUF".to_vec()).u32(3).u32(0).0, "gguf-header-cut", &["`tensor_count`"]);
}

#[test]
fn a_count_that_is_negative() {
    refused(Raw::header(u64::MAX, 0).0, "gguf-count-negative", &["`tensor_count`", "-1"]);
    refused(Raw::header(0, 1 << 63).0, "gguf-count-negative", &["`metadata_kv_count`"]);
}

#[test]
fn a_count_that_the_file_cannot_hold() {
    refused(Raw::header(1 << 60, 0).data(99), "gguf-count-too-large", &["`tensor_count`"]);
    refused(Raw::header(0, 1 << 60).data(99), "gguf-count-too-large", &["`metadata_kv_count`"]);
    // few enough to try: what is read as the first key is not one, and the count is to blame
    refused(Raw::header(0, 99).data(99), "gguf-count-too-large", &["`metadata_kv_count`", "99"]);
}

#[test]
fn a_file_that_ends_inside_a_key_says_so_although_its_counts_do_not_fit_either() {
    let bytes = Raw::header(2, 2).u64(20).bytes(b"general.archi").0;
    refused(bytes, "gguf-metadata-cut", &["32", "20", "13"]);
}

// --- metadata

fn one_key(key: &[u8]) -> Raw {
    Raw::header(0, 1).string(key)
}

#[test]
fn a_key_that_is_empty_too_long_or_not_utf8() {
    refused(one_key(b"").u32(4).u32(1).data(0), "gguf-key-empty", &["24"]);
    let long = vec![b'k'; 65_536];
    refused(one_key(&long).u32(4).u32(1).0, "gguf-key-too-long", &["65536", "65535"]);
    refused(one_key(b"k\xff").u32(4).u32(1).0, "gguf-key-not-utf8", &["24"]);
}

#[test]
fn a_key_length_that_wraps_the_position() {
    refused(
        Raw::header(0, 1).u64(u64::MAX).data(9),
        "gguf-key-too-long",
        &["18446744073709551615"],
    );
}

#[test]
fn a_key_of_the_longest_length_is_read() {
    let key = "k".repeat(65_535);
    let bytes = GgufWriter::new().pair(key.as_str(), 1u32).to_bytes().unwrap();
    assert_eq!(Gguf::from_bytes("m", bytes).unwrap().metadata.get_u32(&key).unwrap(), Some(1));
}

#[test]
fn a_key_that_comes_twice() {
    let bytes = GgufWriter::new().pair("a.b", 1u32).pair("a.b", 1u32).to_bytes().unwrap();
    refused(bytes, "gguf-key-duplicate", &["`a.b`"]);
}

#[test]
fn one_key_more_than_there_is() {
    let mut bytes = GgufWriter::new()
        .pair("a.b", 1u32)
        .tensor_f32("output_norm.weight", &[8], &[0.0; 8])
        .to_bytes()
        .unwrap();
    bytes[16] = 2;
    let d = refusal(bytes);
    assert_eq!(d.exit_code(), 3);
    assert!(d.to_string().contains("count of keys or tensors"), "{d}");
}

#[test]
fn a_value_type_that_does_not_exist() {
    refused(one_key(b"a.b").u32(13).u64(0).0, "gguf-value-type", &["`a.b`", "13", "35"]);
}

#[test]
fn a_value_that_the_file_does_not_hold() {
    refused(one_key(b"a.b").u32(10).u32(0).0, "gguf-value-cut", &["`a.b`", "39", " 8 ", " 4 "]);
}

#[test]
fn a_string_longer_than_the_file() {
    let bytes = one_key(b"a.b").u32(8).u64(5000).bytes(b"llama").0;
    refused(bytes, "gguf-string-too-large", &["`a.b`", "5000", "5"]);
    let bytes = one_key(b"a.b").u32(8).u64(u64::MAX).bytes(b"llama").0;
    refused(bytes, "gguf-string-too-large", &["`a.b`", "18446744073709551615"]);
}

#[test]
fn an_array_with_an_element_type_that_does_not_exist() {
    refused(one_key(b"a.b").u32(9).u32(99).u64(0).0, "gguf-array-type", &["`a.b`", "99"]);
}

#[test]
fn an_array_of_arrays_however_deep() {
    let mut raw = one_key(b"a.b").u32(9);
    for _ in 0..10_000 {
        raw = raw.u32(9).u64(1);
    }
    refused(raw.0, "gguf-array-nested", &["`a.b`", "39"]);
}

#[test]
fn an_array_with_more_elements_than_bytes_are_left() {
    for (ty, most) in [(0, "24"), (4, "6"), (10, "3"), (8, "3")] {
        let raw = one_key(b"a.b").u32(9).u32(ty).u64(1 << 62).bytes(&[0; 24]);
        refused(raw.0, "gguf-array-too-large", &["`a.b`", "4611686018427387904", most]);
    }
}

#[test]
fn an_array_whose_last_string_runs_past_the_end() {
    let raw = one_key(b"a.b").u32(9).u32(8).u64(2).string(b"x").u64(9);
    refused(raw.0, "gguf-string-too-large", &["`a.b`", "9", "0"]);
}

#[test]
fn a_truth_value_that_is_neither_zero_nor_one() {
    refused(one_key(b"a.b").u32(7).u8(2).0, "gguf-bool", &["`a.b`", "2"]);
    refused(one_key(b"a.b").u32(9).u32(7).u64(2).u8(1).u8(255).0, "gguf-bool", &["255"]);
}

#[test]
fn an_alignment_that_is_zero_or_no_power_of_two() {
    for n in [0, 24, u32::MAX] {
        let bytes = GgufWriter::new().pair("general.alignment", n).to_bytes().unwrap();
        refused(bytes, "gguf-alignment", &["`general.alignment`", &n.to_string()]);
    }
}

#[test]
fn an_alignment_of_another_type() {
    for (value, ty) in [(Value::U64(32), "u64"), ("32".into(), "string"), (Value::I32(32), "i32")] {
        let bytes = GgufWriter::new().pair("general.alignment", value).to_bytes().unwrap();
        refused(bytes, "gguf-key-type", &["`general.alignment`", ty, "u32"]);
    }
}

// --- tensor table

#[test]
fn a_tensor_name_that_is_empty_too_long_or_not_utf8() {
    refused(Raw::header(1, 0).tensor(b"", 0).data(32), "gguf-tensor-name-empty", &["24"]);
    let long = [b't'; 65];
    refused(
        Raw::header(1, 0).tensor(&long, 0).data(32),
        "gguf-tensor-name-too-long",
        &["65", "64"],
    );
    refused(Raw::header(1, 0).tensor(b"t\xff", 0).data(32), "gguf-tensor-name-not-utf8", &["24"]);
    let bytes = Raw::header(1, 0).u64(1 << 33).data(99);
    refused(bytes, "gguf-tensor-name-too-long", &["8589934592"]);
}

#[test]
fn a_tensor_name_of_sixty_four_bytes_is_read() {
    let name = "t".repeat(64);
    let bytes = Raw::header(1, 0).tensor(name.as_bytes(), 0).data(32);
    assert!(Gguf::from_bytes("m", bytes).unwrap().tensor(&name).is_some());
}

#[test]
fn a_tensor_name_that_comes_twice() {
    let bytes = Raw::header(2, 0).tensor(b"t.w", 0).tensor(b"t.w", 32).data(64);
    refused(bytes, "gguf-tensor-duplicate", &["`t.w`"]);
}

fn one_tensor(dims: &[u64], ty: u32, offset: u64) -> Raw {
    let raw = Raw::header(1, 0).string(b"t.w").u32(dims.len() as u32);
    dims.iter().fold(raw, |raw, &d| raw.u64(d)).u32(ty).u64(offset)
}

#[test]
fn a_count_of_dimensions_that_is_not_one_to_four() {
    refused(one_tensor(&[], 0, 0).data(32), "gguf-tensor-dims", &["`t.w`", "0"]);
    refused(one_tensor(&[1; 5], 0, 0).data(32), "gguf-tensor-dims", &["`t.w`", "5"]);
    let huge = Raw::header(1, 0).string(b"t.w").u32(u32::MAX).data(99);
    refused(huge, "gguf-tensor-dims", &["`t.w`", "4294967295"]);
}

#[test]
fn a_dimension_that_is_zero_or_negative() {
    refused(one_tensor(&[8, 0], 0, 0).data(32), "gguf-tensor-dim-zero", &["`t.w`", "1"]);
    let bytes = one_tensor(&[-32i64 as u64], 0, 0).data(32);
    refused(bytes, "gguf-tensor-dim-negative", &["`t.w`", "-32"]);
}

#[test]
fn dimensions_whose_product_or_size_wraps() {
    for dims in [&[1 << 32, 1 << 32][..], &[1 << 62], &[1 << 61, 2, 2], &[3, (1 << 62) / 3 + 1]] {
        refused(one_tensor(dims, 0, 0).data(32), "gguf-tensor-too-large", &["`t.w`", "F32"]);
    }
}

#[test]
fn a_type_number_that_is_unknown_or_removed() {
    refused(one_tensor(&[8], 200, 0).data(32), "gguf-tensor-type-unknown", &["`t.w`", "200"]);
    for id in [4, 5, 31, 32, 33, 36, 37, 38] {
        let bytes = one_tensor(&[8], id, 0).data(32);
        refused(bytes, "gguf-tensor-type-removed", &["`t.w`", &id.to_string()]);
    }
}

#[test]
fn a_row_that_is_not_whole_blocks() {
    let bytes = one_tensor(&[33, 32], TensorType::Q8_0.id(), 0).data(2000);
    refused(bytes, "gguf-tensor-row", &["`t.w`", "33", "32", "Q8_0"]);
}

#[test]
fn a_table_that_the_file_does_not_hold() {
    let bytes = Raw::header(2, 0).tensor(b"a.w", 0).string(b"b.w").u32(1).u32(0).0;
    refused(bytes, "gguf-tensor-cut", &["`b.w`", " 8 ", " 4 "]);
    let bytes = Raw::header(2, 0).tensor(b"a.w", 0).u32(3).0;
    refused(bytes, "gguf-tensors-cut", &["1"]);
}

// --- tensor data

#[test]
fn an_offset_that_is_not_aligned() {
    refused(one_tensor(&[8], 0, 4).data(64), "gguf-offset-unaligned", &["`t.w`", "4", "32"]);
}

#[test]
fn an_offset_past_the_end_or_that_wraps() {
    let past = one_tensor(&[8], 0, 1 << 20).data(32);
    refused(past, "gguf-offset-beyond", &["`t.w`", "1048576"]);
    let wraps = one_tensor(&[8], 0, 0u64.wrapping_sub(32)).data(32);
    refused(wraps, "gguf-offset-beyond", &["`t.w`", "18446744073709551584"]);
    refused(one_tensor(&[8], 0, 32).data(32), "gguf-offset-beyond", &["`t.w`"]);
}

#[test]
fn data_that_ends_past_the_end_of_the_file() {
    refused(one_tensor(&[8], 0, 0).data(31), "gguf-data-cut", &["`t.w`", "32", "64", "95"]);
    // every size fits 63 bits, their sum does not
    let raw = Raw::header(2, 0).string(b"a").u32(1).u64(1 << 60).u32(0).u64(0);
    let raw = raw.string(b"b").u32(1).u64(1 << 60).u32(0).u64(1 << 62);
    refused(raw.data(64), "gguf-data-cut", &["`a`", "4611686018427387904"]);
}

#[test]
fn tensors_that_share_bytes() {
    let bytes = Raw::header(2, 0).tensor(b"a.w", 0).tensor(b"b.w", 0).data(64);
    refused(bytes, "gguf-tensors-overlap", &["`a.w`", "`b.w`"]);
    // the order of the table is not the order of the data
    let raw = Raw::header(2, 0).tensor(b"a.w", 32).string(b"b.w").u32(1).u64(9).u32(0).u64(0);
    refused(raw.data(64), "gguf-tensors-overlap", &["`a.w`", "`b.w`"]);
}
