//! What holds for every text.

mod tiny;

use std::sync::LazyLock;

use proptest::prelude::*;
use synapse_text::{EncodeOptions, Tokenizer};
use tiny::{CONTROL, NORMAL, Tiny, USER_DEFINED};

static BYTE_LEVEL: LazyLock<Vec<Tokenizer>> = LazyLock::new(|| {
    let merges = ["a b", "ab c", "Ġ a", "Ġ Ġ", "Ã ©", "1 2", "' s"];
    let more = [
        ("ab", NORMAL),
        ("Ġa", NORMAL),
        ("ĠĠ", NORMAL),
        ("Ã©", NORMAL),
        ("12", NORMAL),
        ("<ctl>", CONTROL),
        ("<u>", USER_DEFINED),
        ("<u>a", USER_DEFINED),
    ];
    synapse_text::pre_tokenizers()
        .map(|name| {
            Tiny::byte_level(&merges, &more).set("pre", name).set("bos_token_id", 0u32).tokenizer()
        })
        .collect()
});

static SENTENCEPIECE: LazyLock<Tokenizer> = LazyLock::new(|| {
    Tiny::sentencepiece(&[
        ("▁", -1.0, NORMAL),
        ("a", -2.0, NORMAL),
        ("▁a", -0.5, NORMAL),
        ("a▁", -0.4, NORMAL),
        ("▁▁", -0.3, NORMAL),
        ("é", -0.3, NORMAL),
        ("<u>", 0.0, USER_DEFINED),
    ])
    .tokenizer()
});

/// Texts of any characters, and of those that the vocabularies and rules look at.
fn texts() -> impl Strategy<Value = String> {
    let near = "[ab é12'sS\\n\\r\\t<>ulct\u{301}\u{3000}中½Ⅷ!。$-]{0,40}";
    prop_oneof!["\\PC*", near, any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn byte_level_ids_decode_to_the_text(text in texts(), parse_special: bool) {
        for t in BYTE_LEVEL.iter() {
            let ids = t.encode(&text, EncodeOptions { parse_special, add_special: false });
            let back = t.decode(&ids, true).expect("ids of the vocabulary");
            prop_assert_eq!(std::str::from_utf8(&back), Ok(text.as_str()), "{:?}", t.pre_name());
        }
    }

    #[test]
    fn sentencepiece_ids_decode_to_the_text(text in texts()) {
        // U+2581 in a text becomes a space: the vocabulary has no other way to write one.
        let text = text.replace('\u{2581}', " ");
        // After a special token a space is put that decoding keeps.
        prop_assume!(!text.contains("<u>"));
        let ids = SENTENCEPIECE.encode(&text, EncodeOptions::default());
        let back = SENTENCEPIECE.decode(&ids, true).expect("ids of the vocabulary");
        prop_assert_eq!(std::str::from_utf8(&back), Ok(text.as_str()));
    }

    #[test]
    fn a_stream_gives_what_decoding_gives(ids in prop::collection::vec(0u32..264, 0..60)) {
        let t = &BYTE_LEVEL[0];
        let mut stream = t.stream(true);
        let mut told: String = ids.iter().map(|&id| stream.push(id)).collect();
        told.push_str(&stream.finish());
        let whole = t.decode(&ids, true).expect("ids of the vocabulary");
        prop_assert_eq!(told, String::from_utf8_lossy(&whole));
    }
}
