//! One test for each way in which a file can lie about its tokenizer.

mod tiny;

use synapse_format::Value;
use tiny::{CONTROL, NORMAL, Tiny, USER_DEFINED};

/// The code and the message of a refusal.
fn refusal(tiny: Tiny) -> (&'static str, String) {
    let Err(refused) = tiny.read() else { panic!("nothing is refused") };
    (refused.code(), refused.to_string())
}

fn notices(tiny: Tiny) -> Vec<(&'static str, String)> {
    let (_, notices) = tiny.read().expect("a tokenizer");
    notices.iter().map(|d| (d.code(), d.to_string())).collect()
}

fn bytes() -> Tiny {
    Tiny::byte_level(&["a b"], &[("ab", NORMAL)])
}

fn pieces() -> Tiny {
    Tiny::sentencepiece(&[("a", -1.0, NORMAL)])
}

#[test]
fn an_unknown_kind_is_refused_by_name() {
    let (code, text) = refusal(bytes().set("model", "mystery"));
    assert_eq!(code, "text-tokenizer-model");
    assert!(text.contains("`mystery`") && text.contains("tokenizer.ggml.model"), "{text}");
}

#[test]
fn a_missing_kind_is_refused_by_key() {
    assert!(refusal(bytes().without("model")).1.contains("tokenizer.ggml.model"));
}

#[test]
fn an_unknown_pre_tokenizer_is_refused_with_the_nearest_name() {
    let (code, text) = refusal(bytes().set("pre", "qwen-2"));
    assert_eq!(code, "text-pre-tokenizer");
    assert!(text.contains("`qwen-2`") && text.contains("`qwen2`"), "{text}");
    let (_, text) = refusal(bytes().set("pre", "zzzz"));
    assert!(text.contains("`zzzz`") && text.contains("known are: default"), "{text}");
}

#[test]
fn a_missing_pre_tokenizer_is_default_and_told() {
    assert_eq!(notices(bytes().without("pre"))[0].0, "text-pre-tokenizer-missing");
    let (t, _) = bytes().without("pre").read().expect("a tokenizer");
    assert_eq!(t.pre_name(), Some("default"));
}

#[test]
fn tables_of_another_length_are_refused() {
    let (code, text) = refusal(bytes().set("token_type", vec![NORMAL; 9]));
    assert_eq!(code, "text-table-length");
    assert!(text.contains("token_type") && text.contains('9') && text.contains("257"), "{text}");
    assert_eq!(refusal(pieces().set("scores", vec![0f32; 9])).0, "text-table-length");
}

#[test]
fn tables_of_another_type_are_refused() {
    assert!(refusal(bytes().set("token_type", vec![1u8; 257])).1.contains("token_type"));
    assert!(refusal(pieces().set("scores", vec![0f64; 260])).1.contains("scores"));
    assert!(refusal(bytes().set("tokens", vec![0i32; 257])).1.contains("tokens"));
    assert!(refusal(bytes().set("merges", "a b")).1.contains("merges"));
}

#[test]
fn a_missing_table_is_refused() {
    assert!(refusal(bytes().without("tokens")).1.contains("tokens"));
    assert!(refusal(bytes().without("merges")).1.contains("merges"));
    assert!(refusal(pieces().without("scores")).1.contains("scores"));
}

#[test]
fn a_token_type_that_the_format_has_not_is_refused() {
    let mut types = vec![NORMAL; 257];
    types[7] = 9;
    let (code, text) = refusal(bytes().set("token_type", types));
    assert_eq!(code, "text-token-type");
    assert!(text.contains('7') && text.contains('9'), "{text}");
}

#[test]
fn a_merge_that_is_not_two_pieces_is_refused_by_its_index() {
    for wrong in ["ab", "a b c", " ab", "ab ", "a  b", "", " "] {
        let (code, text) = refusal(bytes().set("merges", vec!["a b", wrong]));
        assert_eq!(code, "text-merge", "{wrong:?}");
        assert!(text.contains("merge 1"), "{text}");
    }
}

#[test]
fn a_score_that_is_no_number_is_refused() {
    let mut scores = vec![0f32; 260];
    scores[259] = f32::NAN;
    let (code, text) = refusal(pieces().set("scores", scores));
    assert_eq!(code, "text-score");
    assert!(text.contains("259"), "{text}");
}

#[test]
fn a_special_id_outside_of_the_vocabulary_is_refused_by_key() {
    for key in [
        "bos_token_id",
        "eos_token_id",
        "eot_token_id",
        "eom_token_id",
        "unknown_token_id",
        "padding_token_id",
        "mask_token_id",
        "fim_pad_token_id",
    ] {
        let (code, text) = refusal(bytes().set(key, 257u32));
        assert_eq!(code, "text-special-id", "{key}");
        assert!(text.contains(key) && text.contains("257"), "{text}");
    }
    assert!(refusal(bytes().set("bos_token_id", -1i32)).1.contains("bos_token_id"));
}

#[test]
fn bos_or_eos_that_is_wanted_but_not_declared_is_refused() {
    let (code, text) = refusal(bytes().set("add_bos_token", true));
    assert_eq!(code, "text-special-missing");
    assert!(text.contains("add_bos_token") && text.contains("bos_token_id"), "{text}");
    assert!(refusal(bytes().set("add_eos_token", true)).1.contains("eos_token_id"));
    assert!(refusal(bytes().set("pre", "llama-bpe")).1.contains("bos_token_id"));
}

#[test]
fn a_special_text_past_the_limit_is_refused() {
    let long = "x".repeat(1025);
    let (code, text) = refusal(Tiny::byte_level(&[], &[(&long, CONTROL)]));
    assert_eq!(code, "text-special-long");
    assert!(text.contains("256") && text.contains("1025"), "{text}");
}

#[test]
fn of_two_tokens_with_one_text_the_later_is_used_and_told() {
    let twice = || Tiny::byte_level(&[], &[("<x>", USER_DEFINED), ("<x>", USER_DEFINED)]);
    let (code, text) = notices(twice()).remove(0);
    assert_eq!(code, "text-token-duplicate");
    assert!(text.contains("256") && text.contains("257"), "{text}");
    assert_eq!(twice().tokenizer().encode("<x>", Default::default()), [257]);
}

#[test]
fn a_token_that_is_not_utf8_keeps_its_bytes_and_is_told() {
    let tokens: synapse_format::StringArray = [&b"a"[..], b"\xff\xfe"].into_iter().collect();
    let odd = bytes()
        .set("model", "gemma4")
        .set("tokens", Value::Array(synapse_format::Array::String(tokens)))
        .set("token_type", vec![NORMAL; 2])
        .set("merges", Vec::<&str>::new())
        .set("bos_token_id", 0u32);
    let (t, notices) = odd.read().expect("a tokenizer");
    assert_eq!(notices[0].code(), "text-token-not-utf8");
    assert!(notices[0].to_string().contains("token 1"), "{}", notices[0]);
    assert_eq!(t.token_bytes(1), Some(&b"\xff\xfe"[..]));
}

#[test]
fn bytes_that_the_vocabulary_cannot_spell_are_told() {
    let few = bytes().set("tokens", vec!["a", "b"]).set("token_type", vec![NORMAL; 2]);
    let (code, text) = notices(few.set("merges", Vec::<&str>::new())).remove(0);
    assert_eq!(code, "text-bytes-missing");
    assert!(text.contains("0x09"), "{text}");
    assert!(notices(bytes()).is_empty());
}
