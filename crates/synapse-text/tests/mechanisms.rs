//! Each mechanism of tokenizing on a vocabulary made for it.

mod tiny;

use synapse_text::{EncodeOptions, TokenKind, Tokenizer};
use tiny::{CONTROL, NORMAL, Tiny, UNKNOWN, USER_DEFINED};

const PLAIN: EncodeOptions = EncodeOptions { parse_special: false, add_special: false };
const SPECIAL: EncodeOptions = EncodeOptions { parse_special: true, add_special: false };
const WHOLE: EncodeOptions = EncodeOptions { parse_special: true, add_special: true };

/// The texts of the ids.
fn texts(t: &Tokenizer, text: &str, options: EncodeOptions) -> Vec<String> {
    t.encode(text, options).into_iter().map(|id| t.token_text(id).expect("a token")).collect()
}

fn decoded(t: &Tokenizer, ids: &[u32], show_special: bool) -> String {
    String::from_utf8(t.decode(ids, show_special).expect("ids")).expect("UTF-8")
}

#[test]
fn merges_go_by_rank_not_by_length_or_position() {
    let t = Tiny::byte_level(
        &["b c", "a b", "bc d"],
        &[("bc", NORMAL), ("ab", NORMAL), ("bcd", NORMAL)],
    )
    .tokenizer();
    assert_eq!(texts(&t, "abcd", PLAIN), ["a", "bcd"]);
    assert_eq!(texts(&t, "abab", PLAIN), ["ab", "ab"]);
}

#[test]
fn of_two_equal_merges_the_first_has_the_rank() {
    let t = Tiny::byte_level(&["a b", "b c", "a b"], &[("ab", NORMAL), ("bc", NORMAL)]).tokenizer();
    assert_eq!(texts(&t, "abc", PLAIN), ["ab", "c"]);
}

#[test]
fn a_merged_piece_that_is_no_token_falls_apart_into_bytes() {
    let t = Tiny::byte_level(&["a b", "ab c"], &[("abc", NORMAL)]).tokenizer();
    assert_eq!(texts(&t, "abc", PLAIN), ["abc"]);
    assert_eq!(texts(&t, "ab", PLAIN), ["a", "b"]);
}

#[test]
fn a_word_that_is_a_token_is_taken_whole_where_the_rule_says_so() {
    let tiny = || Tiny::byte_level(&["a b"], &[("ab", NORMAL), ("abc", NORMAL)]);
    assert_eq!(texts(&tiny().tokenizer(), "abc", PLAIN), ["ab", "c"]);
    let llama3 = tiny().set("pre", "llama-bpe").set("bos_token_id", 0u32).tokenizer();
    assert_eq!(texts(&llama3, "abc", PLAIN), ["abc"]);
}

#[test]
fn scores_decide_and_equal_ones_join_from_the_left() {
    let t = Tiny::sentencepiece(&[
        ("a", -9.0, NORMAL),
        ("b", -9.0, NORMAL),
        ("c", -9.0, NORMAL),
        ("aa", -2.0, NORMAL),
        ("bc", -1.0, NORMAL),
        ("ab", -2.0, NORMAL),
    ])
    .set("add_space_prefix", false)
    .tokenizer();
    assert_eq!(texts(&t, "aaa", PLAIN), ["aa", "a"]);
    assert_eq!(texts(&t, "abc", PLAIN), ["a", "bc"]);
    assert_eq!(texts(&t, "aab", PLAIN), ["aa", "b"]);
}

#[test]
fn a_space_is_put_before_a_text_and_after_special_tokens() {
    let more = [("\u{2581}", -1.0, NORMAL), ("a", -1.0, NORMAL), ("<x>", 0.0, CONTROL)];
    let t = Tiny::sentencepiece(&more).tokenizer();
    assert_eq!(texts(&t, "a a<x>a", SPECIAL), ["▁", "a", "▁", "a", "<x>", "▁", "a"]);
    assert_eq!(texts(&t, "", WHOLE), ["<s>"]);
    let t = Tiny::sentencepiece(&more).set("add_space_prefix", false).tokenizer();
    assert_eq!(texts(&t, "a a", PLAIN), ["a", "▁", "a"]);
}

#[test]
fn what_cannot_be_spelled_comes_as_bytes_or_as_unknown() {
    let t = Tiny::sentencepiece(&[]).set("add_space_prefix", false).tokenizer();
    assert_eq!(texts(&t, "é", PLAIN), ["<0xC3>", "<0xA9>"]);
    assert_eq!(decoded(&t, &t.encode("é", PLAIN), false), "é");
    let few = Tiny::sentencepiece(&[])
        .set("tokens", vec!["<unk>", "a"])
        .set("token_type", vec![UNKNOWN, NORMAL])
        .set("scores", vec![0f32, 0.0])
        .set("add_bos_token", false)
        .set("add_space_prefix", false)
        .tokenizer();
    assert_eq!(few.encode("aé", PLAIN), [1, 0, 0]);
}

#[test]
fn merges_over_characters_keep_lines_apart() {
    let t = Tiny::byte_level(&[], &[])
        .without("pre")
        .set("model", "gemma4")
        .set("tokens", vec!["<s>", "a", "▁", "\n", "\n\n", "▁a", "a▁", "<0xC3>", "<0xA9>"])
        .set("token_type", vec![CONTROL, 1, 1, 1, 1, 1, 1, 6, 6])
        .set("merges", vec!["▁ a", "a ▁"])
        .set("bos_token_id", 0u32)
        .set("add_bos_token", false)
        .tokenizer();
    assert_eq!(
        texts(&t, "a a\n\na \né", PLAIN),
        ["a", "▁a", "\n\n", "a▁", "\n", "<0xC3>", "<0xA9>"]
    );
    // Files of this kind that deny BOS are wrong.
    assert_eq!(texts(&t, "a", WHOLE), ["<s>", "a"]);
    assert_eq!(decoded(&t, &[5, 4, 7, 8], false), " a\n\né");
}

#[test]
fn user_defined_tokens_are_always_parsed_and_control_tokens_on_request() {
    let t = Tiny::byte_level(&[], &[("<ctl>", CONTROL), ("<usr>", USER_DEFINED)]).tokenizer();
    assert_eq!(t.encode("<usr><ctl>", SPECIAL), [257, 256]);
    assert_eq!(t.encode("<usr><ctl>", PLAIN).len(), 1 + "<ctl>".len());
    assert_eq!(t.kind(256), Some(TokenKind::Control));
    assert_eq!(t.kind(257), Some(TokenKind::UserDefined));
    assert_eq!(decoded(&t, &[257, 256], false), "<usr>");
    assert_eq!(decoded(&t, &[257, 256], true), "<usr><ctl>");
}

#[test]
fn bos_and_eos_come_as_the_file_says() {
    let tiny = || {
        Tiny::byte_level(&[], &[("<s>", CONTROL), ("</s>", CONTROL)])
            .set("bos_token_id", 256u32)
            .set("eos_token_id", 257u32)
    };
    assert_eq!(tiny().tokenizer().encode("!", WHOLE), [0x21]);
    let t = tiny().set("add_bos_token", true).set("add_eos_token", true).tokenizer();
    assert_eq!(t.encode("!", WHOLE), [256, 0x21, 257]);
    assert_eq!(t.encode("!", SPECIAL), [0x21]);
    // SentencePiece adds BOS where the file is silent.
    assert_eq!(Tiny::sentencepiece(&[]).tokenizer().encode("", WHOLE), [1]);
    assert!(t.end_ids().contains(&257));
}

#[test]
fn a_stream_gives_whole_characters_only() {
    let t = Tiny::byte_level(&[], &[("<end>", CONTROL)]).tokenizer();
    let mut stream = t.stream(false);
    let ids = t.encode("€a", PLAIN);
    let parts: Vec<String> = ids.iter().map(|&id| stream.push(id)).collect();
    assert_eq!(parts, ["", "", "€", "a"]);
    assert_eq!(stream.push(256), "");
    assert_eq!(stream.push(ids[0]), "");
    assert_eq!(stream.finish(), "\u{fffd}");
    // A byte that can begin nothing is told at once.
    assert_eq!(t.stream(false).push(0xff), "\u{fffd}");
    assert_eq!(t.stream(true).push(256), "<end>");
}

#[test]
fn an_id_outside_of_the_vocabulary_is_refused() {
    let t = Tiny::byte_level(&[], &[]).tokenizer();
    let refused = t.decode(&[0, 256], true).expect_err("256 ids");
    assert_eq!(refused.code(), "text-id-range");
    assert!(refused.to_string().contains("256"), "{refused}");
    assert_eq!(t.kind(256), None);
    assert_eq!(t.token_text(256), None);
}

#[test]
fn a_megabyte_of_anything_is_no_trouble() {
    let bytes =
        Tiny::byte_level(&["a a", "aa aa"], &[("aa", NORMAL), ("aaaa", NORMAL)]).tokenizer();
    let pieces = Tiny::sentencepiece(&[
        ("a", -3.0, NORMAL),
        ("aa", -2.0, NORMAL),
        ("aaaa", -1.0, NORMAL),
        ("▁", -3.0, NORMAL),
        ("▁▁", -2.0, NORMAL),
    ])
    .tokenizer();
    for t in [bytes, pieces] {
        for unit in ["a", " ", "\n", "\u{301}", "<"] {
            let text = unit.repeat((1 << 20) / unit.len());
            let ids = t.encode(&text, SPECIAL);
            assert_eq!(decoded(&t, &ids, true), text);
        }
    }
}
