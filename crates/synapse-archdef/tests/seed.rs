//! The seed definition, byte for byte, and what the built-in definitions say.

use synapse_archdef::library::BUILTIN;
use synapse_archdef::{
    Definition, Expr, Kind, Library, OpKind, Operand, OptionKind, OptionValue, TensorRef, parse,
};

/// The text of the contract, a copy of its own: the built-in one must not drift from it.
const CONTRACT: &str = include_str!("qwen3.contract");

fn builtin(name: &str) -> Definition {
    let (_, text) = BUILTIN.iter().find(|(n, _)| *n == name).expect("built-in");
    parse(name, text.as_bytes(), Some(name)).expect("loads")
}

#[test]
fn the_seed_definition_loads_byte_for_byte_with_18_steps_a_block() {
    let d = builtin("qwen3");
    assert_eq!(d.text, CONTRACT);
    assert_eq!(d.steps_per_block(), 18);
    assert_eq!((d.prologue.len(), d.epilogue.len()), (1, 3));
    assert_eq!(d.kind, Kind::Decoder);
    assert_eq!(d.sha256_hex(), "e0e91c37b7f5f1a9c0be4926c6d364e6863ac454a267f8b8fa630e2c444a193a");
}

#[test]
fn the_seed_definition_means_what_it_says() {
    let d = builtin("qwen3");
    let norm = &d.block[4];
    assert_eq!((norm.op, norm.target.as_str(), norm.in_place), (OpKind::NormHeads, "q", true));
    assert_eq!((norm.line, norm.column), (12, 3));
    let Operand::Tensor(weight) = &norm.operands[0] else { panic!("{norm:?}") };
    assert_eq!(weight.names_in_layer(7).collect::<Vec<_>>(), ["blk.7.attn_q_norm.weight"]);
    assert_eq!(norm.operands[1], Operand::Expr(Expr::Key("head_count".into())));

    let logits = &d.epilogue[2];
    assert!(!logits.in_place);
    assert_eq!(logits.operands[0], Operand::Register("x".into()));
    let expected = TensorRef {
        names: vec!["output.weight".into(), "token_embd.weight".into()],
        optional: false,
        line: 31,
        column: 22,
    };
    assert_eq!(logits.operands[1], Operand::Tensor(expected));

    let add = &d.block[10];
    assert_eq!((add.op, add.target.as_str()), (OpKind::Add, "x"));
    assert_eq!(add.operands, [Operand::Register("o".into())]);
    assert_eq!(add.reads().collect::<Vec<_>>(), ["x", "o"]);
}

#[test]
fn the_differences_that_would_go_unnoticed_are_in_the_definitions() {
    let pairs = |name: &str| {
        let d = builtin(name);
        let ropes: Vec<bool> = d
            .block
            .iter()
            .filter(|s| s.op == OpKind::Rope)
            .map(|s| s.has(OptionKind::Pairs))
            .collect();
        ropes
    };
    assert_eq!(pairs("llama"), [true, true]);
    assert_eq!(pairs("llama-embed"), [true, true]);
    assert_eq!(pairs("qwen2"), [false, false]);
    assert_eq!(pairs("qwen3"), [false, false]);
    assert_eq!(pairs("gemma3"), [false, false]);

    let gemma = builtin("gemma3");
    assert_eq!(gemma.param("sliding_window_type"), Some(6.0));
    let root = Expr::Sqrt(Box::new(Expr::Key("embedding_length".into())));
    assert_eq!(gemma.prologue[1].operands, [Operand::Expr(root)]);
    assert!(gemma.block.iter().any(|s| s.op == OpKind::GeluTanh));
    assert!(!gemma.block.iter().any(|s| s.op == OpKind::Silu));

    let embed = builtin("llama-embed");
    assert_eq!(embed.kind, Kind::Embedding);
    let attention = embed.block.iter().find(|s| s.op == OpKind::Attention).expect("attention");
    let causal = vec![Expr::Key("attention.causal".into()), Expr::Bool(true)];
    assert_eq!(
        attention.option(OptionKind::Causal),
        Some(&OptionValue::Expr(Expr::Fallback(causal)))
    );
    assert_eq!(embed.epilogue.last().map(|s| s.target.as_str()), Some("rows"));
}

#[test]
fn only_the_biases_of_qwen2s_queries_keys_and_values_are_required() {
    let optional = |name: &str| {
        let d = builtin(name);
        let list: Vec<bool> = d
            .block
            .iter()
            .filter(|s| s.op == OpKind::AddBias)
            .flat_map(|s| s.tensors())
            .map(|t| t.optional)
            .collect();
        list
    };
    assert_eq!(optional("qwen2"), [false, false, false, true]);
    assert_eq!(optional("llama"), [true; 7]);
}

#[test]
fn every_builtin_definition_loads() {
    let library = Library::load(None);
    assert_eq!(library.problems(), []);
    let names: Vec<&str> = library.entries().iter().map(|e| e.name()).collect();
    assert_eq!(names, ["gemma3", "llama", "llama-embed", "qwen2", "qwen3"]);
}
