//! What binding says of files that do not fit: one fault a case, told by its code and its place.

use synapse_archdef::parse;
use synapse_diag::{Diagnostics, Lang};
use synapse_format::{Gguf, GgufWriter, Value};
use synapse_ir::{Bound, bind};

const QWEN3: &str = include_str!("../../../archdefs/qwen3.archdef");
const WIDTH: u64 = 8;
const HEADS: u64 = 2;
const HEAD: u64 = 4;
const HIDDEN: u64 = 16;
const TOKENS: u64 = 5;
const LAYERS: u64 = 2;

/// A tiny file of qwen3 as lists that a case may change before it is written.
struct File {
    keys: Vec<(String, Value)>,
    tensors: Vec<(String, Vec<u64>)>,
}

impl File {
    fn new() -> File {
        let number = |key: &str, n: u64| (format!("qwen3.{key}"), Value::U32(n as u32));
        let keys = vec![
            ("general.architecture".to_owned(), Value::from("qwen3")),
            number("block_count", LAYERS),
            number("context_length", 32),
            number("embedding_length", WIDTH),
            number("feed_forward_length", HIDDEN),
            number("attention.head_count", HEADS),
            number("attention.head_count_kv", 1),
            number("attention.key_length", HEAD),
            number("attention.value_length", HEAD),
            ("qwen3.attention.layer_norm_rms_epsilon".to_owned(), Value::F32(1e-6)),
            ("qwen3.rope.freq_base".to_owned(), Value::F32(1e6)),
        ];
        let mut tensors = vec![("token_embd.weight".to_owned(), vec![WIDTH, TOKENS])];
        for i in 0..LAYERS {
            for (name, dims) in [
                ("attn_norm", vec![WIDTH]),
                ("attn_q", vec![WIDTH, HEADS * HEAD]),
                ("attn_k", vec![WIDTH, HEAD]),
                ("attn_v", vec![WIDTH, HEAD]),
                ("attn_q_norm", vec![HEAD]),
                ("attn_k_norm", vec![HEAD]),
                ("attn_output", vec![HEADS * HEAD, WIDTH]),
                ("ffn_norm", vec![WIDTH]),
                ("ffn_gate", vec![WIDTH, HIDDEN]),
                ("ffn_up", vec![WIDTH, HIDDEN]),
                ("ffn_down", vec![HIDDEN, WIDTH]),
            ] {
                tensors.push((format!("blk.{i}.{name}.weight"), dims));
            }
        }
        tensors.push(("output_norm.weight".to_owned(), vec![WIDTH]));
        File { keys, tensors }
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.unset(key);
        self.keys.push((format!("qwen3.{key}"), value.into()));
    }

    fn unset(&mut self, key: &str) {
        self.keys.retain(|(name, _)| *name != format!("qwen3.{key}"));
    }

    fn shape(&mut self, tensor: &str, dims: &[u64]) {
        self.tensors.retain(|(name, _)| name != tensor);
        if !dims.is_empty() {
            self.tensors.push((tensor.to_owned(), dims.to_vec()));
        }
    }

    fn bind(self, definition: &str) -> Result<Bound, Diagnostics> {
        let definition = parse("qwen3.archdef", definition.as_bytes(), Some("qwen3"))?;
        let mut writer = GgufWriter::new();
        for (key, value) in self.keys {
            writer = writer.pair(key, value);
        }
        for (name, dims) in self.tensors {
            let numbers = vec![1.0; dims.iter().product::<u64>() as usize];
            writer = writer.tensor_f32(name, &dims, &numbers);
        }
        let bytes = writer.to_bytes().expect("a file");
        bind(&definition, &Gguf::from_bytes("tiny.gguf", bytes).expect("a whole file"))
    }
}

/// What is changed in the file, and the text of the seed that is replaced in the definition.
struct Case {
    what: &'static str,
    file: fn(&mut File),
    definition: (&'static str, &'static str),
    /// Codes of the findings, in order.
    codes: &'static [&'static str],
    /// A word of the first finding: the place or the value.
    names: &'static str,
}

const SAME: (&str, &str) = ("", "");

const CASES: &[Case] = &[
    Case {
        what: "no count of layers and no context: both are said",
        file: |f| {
            f.unset("block_count");
            f.unset("context_length");
        },
        definition: SAME,
        codes: &["gguf-key-missing", "gguf-key-missing"],
        names: "qwen3.block_count",
    },
    Case {
        what: "no layer at all",
        file: |f| f.set("block_count", 0u32),
        definition: SAME,
        codes: &["bind-key-value"],
        names: "qwen3.block_count",
    },
    Case {
        what: "more layers than tensors",
        file: |f| f.set("block_count", 3u32),
        definition: SAME,
        codes: &["bind-tensor-missing"; 11],
        names: "blk.2.attn_norm.weight",
    },
    Case {
        what: "fewer layers than tensors: each unread tensor is named",
        file: |f| f.set("block_count", 1u32),
        definition: SAME,
        codes: &["bind-tensor-unused"; 11],
        names: "blk.1.attn_norm.weight",
    },
    Case {
        what: "a missing tensor is one finding, and nothing follows from it",
        file: |f| f.shape("blk.1.attn_q.weight", &[]),
        definition: SAME,
        codes: &["bind-tensor-missing"],
        names: "line 9",
    },
    Case {
        what: "a matrix that is too short",
        file: |f| f.shape("blk.0.ffn_up.weight", &[WIDTH - 1, HIDDEN]),
        definition: SAME,
        codes: &["bind-tensor-shape"],
        names: "[7, 16]",
    },
    Case {
        what: "gate and up of different widths",
        file: |f| f.shape("blk.0.ffn_up.weight", &[WIDTH, HIDDEN + 1]),
        definition: SAME,
        codes: &["bind-register-shape"],
        names: "`u`",
    },
    Case {
        what: "values of another width than their heads",
        file: |f| f.shape("blk.0.attn_v.weight", &[WIDTH, HEAD + 1]),
        definition: SAME,
        codes: &["bind-register-shape"],
        names: "`v`",
    },
    Case {
        what: "a table of another height than the tokenizer",
        file: |f| f.keys.push(("tokenizer.ggml.tokens".to_owned(), Value::from(vec!["a", "b"]))),
        definition: SAME,
        codes: &["bind-vocabulary"],
        names: "2 tokens",
    },
    Case {
        what: "a declared vocabulary of another size",
        file: |f| f.set("vocab_size", 6u32),
        definition: SAME,
        codes: &["bind-key-value"],
        names: "qwen3.vocab_size",
    },
    Case {
        what: "an output matrix of another height than the table",
        file: |f| f.shape("output.weight", &[WIDTH, TOKENS + 1]),
        definition: SAME,
        codes: &["bind-logits-width"],
        names: "rows of 6",
    },
    Case {
        what: "a tensor that no step reads",
        file: |f| f.shape("blk.0.attn_q.bias", &[HEADS * HEAD]),
        definition: SAME,
        codes: &["bind-tensor-unused"],
        names: "blk.0.attn_q.bias",
    },
    Case {
        what: "a window that no step applies",
        file: |f| f.set("attention.sliding_window", 8u32),
        definition: SAME,
        codes: &["bind-key-unused"],
        names: "qwen3.attention.sliding_window",
    },
    Case {
        what: "a soft cap that no step applies",
        file: |f| f.set("final_logit_softcapping", 30.0f32),
        definition: SAME,
        codes: &["bind-key-unused"],
        names: "final_logit_softcapping",
    },
    Case {
        what: "heads that do not divide",
        file: |f| f.set("attention.head_count_kv", 3u32),
        definition: SAME,
        codes: &["bind-key-value"],
        names: "qwen3.attention.head_count_kv",
    },
    Case {
        what: "a base of the rotation whose frequencies are infinite",
        file: |f| f.set("rope.freq_base", 1e-45f32),
        definition: SAME,
        codes: &["bind-key-value"],
        names: "qwen3.rope.freq_base",
    },
    Case {
        what: "a linear scaling that shrinks",
        file: |f| {
            f.set("rope.scaling.type", "linear");
            f.set("rope.scaling.factor", 1e-30f32);
        },
        definition: SAME,
        codes: &["bind-key-value"],
        names: "qwen3.rope.scaling.factor",
    },
    Case {
        what: "an epsilon that is no number",
        file: |f| f.set("attention.layer_norm_rms_epsilon", f32::NAN),
        definition: SAME,
        codes: &["bind-key-value"],
        names: "NaN",
    },
    Case {
        what: "more rotated dimensions than a head has",
        file: |f| f.set("rope.dimension_count", 6u32),
        definition: SAME,
        codes: &["bind-key-value"],
        names: "qwen3.rope.dimension_count",
    },
    Case {
        what: "a rotation that the step names itself and the file names otherwise",
        file: |f| f.set("rope.dimension_count", 4u32),
        definition: ("rope(k, head_count_kv)", "rope(k, head_count_kv, dims=2)"),
        codes: &[],
        names: "",
    },
    Case {
        what: "the same, where no step asks the file",
        file: |f| f.set("rope.dimension_count", 4u32),
        definition: (
            "count)\n  rope(k, head_count_kv)",
            "count, dims=2)\n  rope(k, head_count_kv, dims=2)",
        ),
        codes: &["bind-key-unused"],
        names: "qwen3.rope.dimension_count",
    },
    Case {
        what: "a scaling that the definition does not apply",
        file: |f| f.set("rope.scaling.type", "yarn"),
        definition: SAME,
        codes: &["bind-rope-scaling"],
        names: "yarn",
    },
    Case {
        what: "a constant that is no count",
        file: |_| {},
        definition: ("rope(q, head_count)", "rope(q, head_count / 3)"),
        codes: &["bind-constant"],
        names: "a count of heads",
    },
    Case {
        what: "rows of all tokens added to the selected ones",
        file: |_| {},
        definition: ("x = last(x)", "y = last(x)\n  add(y, x)\n  x = copy(y)"),
        codes: &["bind-rows-disagree"],
        names: "`x`",
    },
    Case {
        what: "a file that the definition says it does not describe: nothing else is said",
        file: |f| {
            f.unset("context_length");
            f.shape("blk.0.attn_q.weight", &[]);
        },
        definition: ("kind decoder", "kind decoder\nrefuse block_count 2 \"it has another scale\""),
        codes: &["bind-refused-by-definition"],
        names: "it has another scale",
    },
];

#[test]
fn each_fault_is_told_by_its_code_and_its_place() {
    let mut wrong = Vec::new();
    for case in CASES {
        let mut file = File::new();
        (case.file)(&mut file);
        let (from, to) = case.definition;
        assert!(QWEN3.contains(from), "{}", case.what);
        let definition = if from.is_empty() { QWEN3.to_owned() } else { QWEN3.replace(from, to) };
        let findings = file.bind(&definition).map_or_else(|findings| findings, |_| Vec::new());
        let codes: Vec<&str> = findings.iter().map(|d| d.code()).collect();
        let first = findings.first().map_or(String::new(), |d| d.render(Lang::En));
        if codes != case.codes || !first.contains(case.names) {
            wrong.push(format!("{}: {codes:?}: {first}", case.what));
        }
        assert!(findings.iter().all(|d| d.exit_code() == 3), "{}", case.what);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_definition_waives_is_not_said_again() {
    let mut file = File::new();
    file.shape("blk.0.attn_q.bias", &[HEADS * HEAD]);
    file.set("attention.sliding_window", 8u32);
    let waivers = "kind decoder\nignore blk.{i}.attn_q.bias \"a test\"\n\
                   ignore attention.sliding_window \"a test\"\nignore nothing.here \"a test\"\n\
                   refuse block_count 3 \"another size\"\nrefuse no_such_key 2 \"another size\"";
    let bound = file.bind(&QWEN3.replace("kind decoder", waivers)).expect("it fits");
    let codes: Vec<&str> = bound.notices.iter().map(|d| d.code()).collect();
    assert_eq!(codes, ["bind-ignore-unknown"], "only the waiver of nothing is noted");
}

#[test]
fn keys_that_change_nothing_at_their_value_are_accepted() {
    let mut file = File::new();
    file.set("attention.sliding_window", 32u32); // as long as the context
    file.set("final_logit_softcapping", 0.0f32);
    file.set("logit_scale", 1.0f32);
    file.set("expert_count", 0u32);
    file.set("attention.causal", true);
    file.set("vocab_size", TOKENS as u32);
    let bound = file.bind(QWEN3).expect("it fits");
    assert_eq!(bound.graph.regions.len(), LAYERS as usize + 2);
    assert!(bound.notices.is_empty());
}

#[test]
fn the_fingerprint_names_the_function_and_not_the_words() {
    let of = |change: fn(&mut File), definition: &str| {
        let mut file = File::new();
        change(&mut file);
        file.bind(definition).expect("it fits").graph.fingerprint_hex()
    };
    let plain = of(|_| {}, QWEN3);
    assert_eq!(plain, of(|_| {}, &QWEN3.replace("kind decoder", "kind decoder # a remark")));
    assert_ne!(plain, of(|f| f.set("rope.freq_base", 1e4f32), QWEN3));
    assert_ne!(plain, of(|f| f.set("attention.layer_norm_rms_epsilon", 1e-5f32), QWEN3));
    assert_ne!(plain, of(|_| {}, &QWEN3.replace("silu(g)", "gelu(g)")));
    assert_ne!(
        plain,
        of(|_| {}, &QWEN3.replace("attention(q, k, v)", "attention(q, k, v, window=3)"))
    );
}
