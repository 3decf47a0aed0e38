//! Rules of the language, one test each.

use synapse_archdef::{
    Definition, Expr, NEVER_OPERATIONS, Operand, OptionKind, OptionValue, limits, parse,
    reference_page,
};
use synapse_diag::{Diagnostics, Lang};

const SEED: &str = include_str!("../../../archdefs/qwen3.archdef");

fn read(text: &str) -> Result<Definition, Diagnostics> {
    parse("t.archdef", text.as_bytes(), None)
}

fn codes(bytes: &[u8]) -> Vec<&'static str> {
    match parse("t.archdef", bytes, None) {
        Ok(_) => Vec::new(),
        Err(list) => list.iter().map(|d| d.code()).collect(),
    }
}

/// The seed with one more line at the end of its block.
fn with_line(line: &str) -> String {
    SEED.replace("\nepilogue", &format!("  {line}\n\nepilogue"))
}

/// The expression of `scale(x, …)`.
fn expression(text: &str) -> Expr {
    let d = read(&with_line(&format!("scale(x, {text})"))).expect(text);
    match d.block.last().and_then(|s| s.operands.first()) {
        Some(Operand::Expr(e)) => e.clone(),
        other => panic!("{other:?}"),
    }
}

fn number(value: f64) -> Box<Expr> {
    Box::new(Expr::Number(value))
}

#[test]
fn control_flow_and_access_words_are_no_operations_in_any_form() {
    let words = [
        "if",
        "unless",
        "while",
        "loop",
        "for",
        "match",
        "goto",
        "call",
        "exec",
        "eval",
        "shell",
        "run",
        "import",
        "include",
        "require",
        "open",
        "read_file",
        "write",
        "http",
        "fetch",
        "env",
    ];
    assert_eq!(NEVER_OPERATIONS, words);
    for word in words {
        let lines = [
            format!("x = {word}(x)"),
            format!("{word}(x)"),
            format!("{word} x"),
            word.to_owned(),
            format!("{word} (x) add(x, o)"),
            format!("{word} \"x\""),
        ];
        for line in lines {
            let findings = read(&with_line(&line)).expect_err(&line);
            let said: Vec<String> = findings.iter().map(|d| d.message(Lang::En)).collect();
            assert_eq!(said, [format!("no such operation `{word}`")], "{line}");
        }
        let first = format!("{word} x\n{SEED}");
        assert_eq!(codes(first.as_bytes()), ["archdef-no-such-operation"], "{word} as header");
    }
}

#[test]
fn several_mistakes_are_reported_together_in_the_order_of_the_lines() {
    let text = SEED
        .replace("silu(g)", "siluu(g)")
        .replace("kind decoder", "kind decodr")
        .replace("last(x)", "last(y)")
        .replace("rope(q, head_count)", "rope(q)");
    let findings = read(&text).expect_err("four mistakes");
    let lines: Vec<_> = findings.iter().map(|d| (d.line(), d.code())).collect();
    assert_eq!(
        lines,
        [
            (Some(2), "archdef-unknown-kind"),
            (Some(14), "archdef-operand-count"),
            (Some(22), "archdef-no-such-operation"),
            (Some(30), "archdef-register-unassigned"),
        ]
    );
}

#[test]
fn findings_are_capped_and_the_rest_is_counted() {
    let text = SEED.replace("silu(g)", &"siluu(g)\n".repeat(60));
    let findings = read(&text).expect_err("sixty mistakes");
    assert_eq!(findings.len(), limits::FINDINGS.most + 1);
    let last = &findings[limits::FINDINGS.most];
    assert_eq!(
        last.render(Lang::En),
        "t.archdef: 10 more findings are not shown — mend those above first"
    );
}

#[test]
fn a_finding_has_a_json_form_with_code_place_and_arguments() {
    let findings = read(&SEED.replace("silu(g)", "siluu(g)")).expect_err("one mistake");
    let json = findings[0].to_json(Lang::Es);
    assert_eq!(json["code"], "archdef-no-such-operation");
    assert_eq!(json["file"], "t.archdef");
    assert_eq!(json["line"], 22);
    assert_eq!(json["column"], 3);
    assert_eq!(json["arguments"]["name"], "siluu");
    assert_eq!(json["mend"], "¿quisiste decir `silu`?");
}

#[test]
fn each_cap_has_its_own_code_and_the_greatest_value_passes() {
    let pad = |n: usize| format!("{SEED}{}", "#\n".repeat(n));
    let lines = SEED.lines().count();
    assert_eq!(codes(pad(limits::LINES.most - lines).as_bytes()), [""; 0]);
    assert_eq!(codes(pad(limits::LINES.most - lines + 1).as_bytes()), ["archdef-too-many-lines"]);

    let long = |n: usize| format!("{SEED}#{}\n", "a".repeat(n - 1));
    assert_eq!(codes(long(limits::LINE_BYTES.most).as_bytes()), [""; 0]);
    assert_eq!(codes(long(limits::LINE_BYTES.most + 1).as_bytes()), ["archdef-line-too-long"]);
    let step = with_line(&format!("scale(x, {}1)", " ".repeat(limits::LINE_BYTES.most)));
    assert_eq!(codes(step.as_bytes()), ["archdef-line-too-long"]);

    let large = vec![b'#'; limits::BYTES.most + 1];
    assert_eq!(codes(&large), ["archdef-too-many-bytes"]);
    assert!(!codes(&large[1..]).contains(&"archdef-too-many-bytes"));

    let steps = |n: usize| with_line(&"relu(x)\n".repeat(n - 22));
    assert_eq!(codes(steps(limits::STEPS.most).as_bytes()), [""; 0]);
    assert_eq!(codes(steps(limits::STEPS.most + 1).as_bytes()), ["archdef-too-many-steps"]);

    // The seed has ten registers: x h q k v a o g u d, and logits.
    let registers = |n: usize| {
        let more: Vec<String> = (11..n).map(|i| format!("r{i} = copy(x)\n")).collect();
        with_line(&more.concat())
    };
    assert_eq!(codes(registers(limits::REGISTERS.most).as_bytes()), [""; 0]);
    let over = registers(limits::REGISTERS.most + 1);
    assert_eq!(codes(over.as_bytes()), ["archdef-too-many-registers"]);

    let alternatives = |n: usize| with_line(&format!("add_bias(x, {})", vec!["t"; n].join(" | ")));
    assert_eq!(codes(alternatives(limits::ALTERNATIVES.most).as_bytes()), [""; 0]);
    let over = alternatives(limits::ALTERNATIVES.most + 1);
    assert_eq!(codes(over.as_bytes()), ["archdef-too-many-alternatives"]);

    let register = |n: usize| with_line(&format!("{} = copy(x)", "r".repeat(n)));
    assert_eq!(codes(register(limits::REGISTER_NAME.most).as_bytes()), [""; 0]);
    let over = register(limits::REGISTER_NAME.most + 1);
    assert_eq!(codes(over.as_bytes()), ["archdef-register-name"]);

    let name = |n: usize| SEED.replace("arch qwen3", &format!("arch {}", "q".repeat(n)));
    assert_eq!(codes(name(limits::ARCH_NAME.most).as_bytes()), [""; 0]);
    assert_eq!(codes(name(limits::ARCH_NAME.most + 1).as_bytes()), ["archdef-bad-name"]);
}

#[test]
fn expressions_are_capped_in_every_way_of_nesting() {
    let most = limits::EXPRESSION_DEPTH.most;
    let ways: [fn(usize) -> String; 4] = [
        |n| format!("{}1{}", "(".repeat(n), ")".repeat(n)),
        |n| format!("{}1{}", "sqrt(".repeat(n), ")".repeat(n)),
        |n| format!("{}1", "-".repeat(n)),
        |n| format!("1{}", "+1".repeat(n)),
    ];
    for way in ways {
        let line = |n| with_line(&format!("scale(x, {})", way(n)));
        assert_eq!(codes(line(most - 1).as_bytes()), [""; 0], "{}", way(2));
        assert_eq!(codes(line(most + 1).as_bytes()), ["archdef-expression-depth"], "{}", way(2));
    }
}

#[test]
fn operators_bind_as_in_arithmetic_and_alternatives_bind_weakest() {
    let sum = Expr::Add(number(1.0), Box::new(Expr::Mul(number(2.0), number(3.0))));
    assert_eq!(expression("1 + 2 * 3"), sum);
    let left = Expr::Sub(Box::new(Expr::Sub(number(3.0), number(2.0))), number(1.0));
    assert_eq!(expression("3 - 2-1"), left);
    let grouped = Expr::Mul(Box::new(Expr::Add(number(1.0), number(2.0))), number(3.0));
    assert_eq!(expression("(1 + 2) * 3"), grouped);
    let weak = Expr::Fallback(vec![
        Expr::Add(Box::new(Expr::Key("a.b".into())), number(1.0)),
        Expr::Key("c".into()),
        Expr::Number(10000.0),
    ]);
    assert_eq!(expression("a.b + 1 | c | 1e4"), weak);
    let quotient = Expr::Div(number(1.0), Box::new(Expr::Sqrt(number(0.5))));
    assert_eq!(expression("1 / sqrt(5e-1)"), quotient);
    assert_eq!(expression("-1"), Expr::Neg(number(1.0)));
}

#[test]
fn numbers_are_plain_decimals() {
    for text in ["1.", ".5", "1e", "1.e5", "1e5.5", "0x10", "1_000", "inf", "nan", "1.2.3", "1e400"]
    {
        let line = with_line(&format!("scale(x, {text})"));
        // `inf` and `nan` are keys to the language: no model file has them.
        let key = text.starts_with(char::is_alphabetic);
        assert_eq!(codes(line.as_bytes()).is_empty(), key, "{text}");
    }
}

#[test]
fn options_keep_their_kinds() {
    let text = SEED
        .replace(
            "rope(q, head_count)",
            "rope(q, head_count, pairs, factors=f.weight?, dims=head_dim/2)",
        )
        .replace("attention(q, k, v)", "attention(q, k, v, window=512, causal=a.causal | false)");
    let d = read(&text).expect("loads");
    let rope = &d.block[6];
    assert_eq!(rope.option(OptionKind::Pairs), Some(&OptionValue::Flag));
    let Some(OptionValue::Tensor(factors)) = rope.option(OptionKind::Factors) else {
        panic!("{rope:?}")
    };
    assert!(factors.optional);
    assert_eq!(rope.tensors().count(), 1);
    let half = Expr::Div(Box::new(Expr::Key("head_dim".into())), number(2.0));
    assert_eq!(rope.option(OptionKind::Dims), Some(&OptionValue::Expr(half)));
    let causal = vec![Expr::Key("a.causal".into()), Expr::Bool(false)];
    let attention = &d.block[8];
    let got = attention.option(OptionKind::Causal);
    assert_eq!(got, Some(&OptionValue::Expr(Expr::Fallback(causal))));
    assert!(!attention.has(OptionKind::Scale));
}

#[test]
fn a_prologue_register_that_the_block_assigns_is_the_layers_own() {
    let text = SEED
        .replace("\nblock\n", "  p = copy(x)\n\nblock\n  p = copy(x)\n  relu(p)\n  t = copy(p)\n")
        .replace("x = last(x)", "add(x, p)\n  x = last(x)");
    assert_eq!(codes(text.as_bytes()), [""; 0]);
    let without = text.replacen("  p = copy(x)\n\nblock", "\nblock", 1);
    assert_eq!(codes(without.as_bytes()), ["archdef-register-of-a-layer"]);
}

#[test]
fn a_tensor_of_the_block_needs_no_layer_index() {
    assert_eq!(codes(with_line("add_bias(x, shared.bias?)").as_bytes()), [""; 0]);
}

#[test]
fn header_waivers_are_kept_with_reason_and_line() {
    let text = SEED.replace(
        "kind decoder",
        "kind decoder\nignore blk.{i}.attn_rot_embd \"old # files\" # really\nignore rope.finetuned \"a note\"",
    );
    let d = read(&text).expect("loads");
    let got: Vec<_> =
        d.ignores.iter().map(|i| (i.what.as_str(), i.reason.as_str(), i.line)).collect();
    assert_eq!(got, [("blk.{i}.attn_rot_embd", "old # files", 3), ("rope.finetuned", "a note", 4)]);
    let twice = text.replace("rope.finetuned", "blk.{i}.attn_rot_embd");
    assert_eq!(codes(twice.as_bytes()), ["archdef-duplicate-header"]);
}

#[test]
fn header_refusals_are_kept_with_value_and_reason() {
    let with = |line: &str| SEED.replace("kind decoder", &format!("kind decoder\n{line}"));
    let text = with("refuse block_count 62 \"another scale\"\nrefuse block_count -1e3 \"odd\"");
    let d = read(&text).expect("loads");
    let got: Vec<_> =
        d.refusals.iter().map(|r| (r.key.as_str(), r.value, r.reason.as_str(), r.line)).collect();
    assert_eq!(
        got,
        [("block_count", 62.0, "another scale", 3), ("block_count", -1000.0, "odd", 4)]
    );
    let wrong = [
        ("refuse block_count 62 \"a\"\nrefuse block_count 62 \"b\"", "archdef-duplicate-header"),
        ("refuse block_count 62 \" \"", "archdef-empty-reason"),
        ("refuse block_count 62", "archdef-line-ends"),
        ("refuse block_count \"why\"", "archdef-unexpected"),
        ("refuse 62 \"why\"", "archdef-unexpected"),
        ("refuse blk.{i}.x 62 \"why\"", "archdef-unexpected"),
        ("refuse block_count 62 \"why\" 3", "archdef-trailing"),
    ];
    for (line, code) in wrong {
        assert_eq!(codes(with(line).as_bytes()), [code], "{line}");
    }
}

#[test]
fn line_ends_of_both_kinds_are_read_and_blanks_do_not_matter() {
    let crlf = SEED.replace('\n', "\r\n");
    let d = read(&crlf).expect("CR LF");
    let plain = read(SEED).expect("LF");
    assert_eq!(d.block, plain.block);
    assert_ne!(d.sha256, plain.sha256, "the hash is that of the raw bytes");
    let loose = SEED.replace("rope(q, head_count)", "\trope (q ,head_count )  # comment");
    assert_eq!(codes(loose.as_bytes()), [""; 0]);
}

#[test]
fn bytes_that_are_no_plain_text_are_refused_with_their_place() {
    let mut bytes = SEED.as_bytes().to_vec();
    bytes[40] = 0xff;
    let findings = parse("t.archdef", &bytes, None).expect_err("not UTF-8");
    assert_eq!(
        findings[0].render(Lang::En),
        "t.archdef: line 5: not UTF-8 text: the byte 0xff at offset 40 begins no character — save \
         the file as UTF-8"
    );
    assert_eq!(codes(format!("\u{feff}{SEED}").as_bytes()), ["archdef-byte-order-mark"]);
    for hidden in ["\0", "\r", "\u{1b}[2J", "\u{202e}", "\u{200b}"] {
        let text = SEED.replace("kind decoder", &format!("kind decoder # {hidden}."));
        assert_eq!(codes(text.as_bytes()), ["archdef-control-character"], "{hidden:?}");
        let text = with_line(&format!("relu(x{hidden})"));
        assert_eq!(codes(text.as_bytes()), ["archdef-control-character"], "{hidden:?}");
    }
}

#[test]
fn an_empty_file_lacks_every_part() {
    let expected = ["archdef-missing-header"; 2].into_iter().chain(["archdef-missing-section"; 3]);
    assert_eq!(codes(b""), expected.collect::<Vec<_>>());
}

#[test]
fn the_reference_page_has_every_operation_option_parameter_and_limit() {
    let page = reference_page();
    for op in synapse_archdef::ops::OPS {
        assert!(page.contains(&format!("\n## {}\n\n`{}`", op.name, op.signature())), "{}", op.name);
        for o in op.options {
            assert!(page.contains(o.sentence), "{}", o.kind);
        }
    }
    assert!(page.contains("sliding_window_type") && page.contains("| 262144 | bytes"));
    assert!(
        page == include_str!("../../../docs/ops.md"),
        "docs/ops.md is not what the tables say: \
         cargo run --package synapse-archdef --example ops_page > docs/ops.md"
    );
}
