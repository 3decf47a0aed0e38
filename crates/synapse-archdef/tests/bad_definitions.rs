//! What bad definitions are told, word for word, in both languages.
//!
//! Each case is the seed definition with one text replaced.

use synapse_archdef::parse;
use synapse_diag::Lang;

const SEED: &str = include_str!("../../../archdefs/qwen3.archdef");

struct Case {
    /// What is wrong.
    what: &'static str,
    /// The text of the seed that is replaced, wherever it stands.
    from: &'static str,
    /// What it is replaced with.
    to: &'static str,
    /// Every line of the report.
    en: &'static [&'static str],
    /// The same in Spanish.
    es: &'static [&'static str],
}

#[test]
fn each_mistake_is_reported_with_line_and_mend_and_nothing_else_is() {
    for case in CASES {
        assert!(SEED.contains(case.from), "{}: the seed has no such text", case.what);
        let text = SEED.replace(case.from, case.to);
        let findings =
            parse("./archdefs/qwen3.archdef", text.as_bytes(), Some("qwen3")).expect_err(case.what);
        for (lang, expected) in [(Lang::En, case.en), (Lang::Es, case.es)] {
            let got: Vec<String> = findings.iter().map(|d| d.render(lang)).collect();
            let want: Vec<String> =
                expected.iter().map(|l| format!("./archdefs/qwen3.archdef: {l}")).collect();
            assert_eq!(got, want, "{}", case.what);
        }
        assert!(findings.iter().all(|d| d.exit_code() == 3), "{}", case.what);
    }
}

const CASES: &[Case] = &[
    Case {
        what: "a misspelt operation",
        from: "silu(g)",
        to: "siluu(g)",
        en: &["line 22: no such operation `siluu` — did you mean `silu`?"],
        es: &["línea 22: no existe la operación `siluu` — ¿quisiste decir `silu`?"],
    },
    Case {
        what: "a misspelt operation that is assigned",
        from: "q = matmul(h",
        to: "q = matmull(h",
        en: &["line 9: no such operation `matmull` — did you mean `matmul`?"],
        es: &["línea 9: no existe la operación `matmull` — ¿quisiste decir `matmul`?"],
    },
    Case {
        what: "a misspelt section",
        from: "block\n",
        to: "blok\n",
        en: &["line 7: `blok` begins no header line, section or step — did you mean `block`?"],
        es: &[
            "línea 7: `blok` no empieza ninguna línea de cabecera, sección ni paso — ¿quisiste decir `block`?",
        ],
    },
    Case {
        what: "a misspelt header",
        from: "kind decoder",
        to: "knd decoder",
        en: &["line 2: `knd` begins no header line, section or step — did you mean `kind`?"],
        es: &[
            "línea 2: `knd` no empieza ninguna línea de cabecera, sección ni paso — ¿quisiste decir `kind`?",
        ],
    },
    Case {
        what: "a missing header",
        from: "kind decoder\n",
        to: "",
        en: &["line 1: the header line `kind decoder` is missing — write it before `prologue`"],
        es: &["línea 1: falta la línea de cabecera `kind decoder` — escríbela antes de `prologue`"],
    },
    Case {
        what: "a doubled header",
        from: "kind decoder",
        to: "kind decoder\nkind decoder",
        en: &["line 3: `kind` stands twice; the first is in line 2 — keep one of them"],
        es: &["línea 3: `kind` aparece dos veces; la primera está en la línea 2 — deja solo una"],
    },
    Case {
        what: "a header after a section",
        from: "epilogue\n",
        to: "epilogue\n  param sliding_window_type 6\n",
        en: &[
            "line 29: the header line `param` stands after a section has begun — move it before `prologue`",
        ],
        es: &[
            "línea 29: la línea de cabecera `param` está después de que empiece una sección — muévela antes de `prologue`",
        ],
    },
    Case {
        what: "an unknown kind",
        from: "kind decoder",
        to: "kind decodr",
        en: &["line 2: no such kind `decodr` — did you mean `decoder`?"],
        es: &["línea 2: no existe el tipo `decodr` — ¿quisiste decir `decoder`?"],
    },
    Case {
        what: "an unknown parameter",
        from: "kind decoder",
        to: "kind decoder\nparam slidingwindow_type 6",
        en: &[
            "line 3: no such parameter `slidingwindow_type` — did you mean `sliding_window_type`?",
        ],
        es: &[
            "línea 3: no existe el parámetro `slidingwindow_type` — ¿quisiste decir `sliding_window_type`?",
        ],
    },
    Case {
        what: "a parameter out of bounds",
        from: "kind decoder",
        to: "kind decoder\nparam sliding_window_type 0",
        en: &["line 3: `sliding_window_type` cannot be 0 — write a whole number from 1 to 65536"],
        es: &[
            "línea 3: `sliding_window_type` no puede ser 0 — escribe un número entero de 1 a 65536",
        ],
    },
    Case {
        what: "an ignore without reason",
        from: "kind decoder",
        to: "kind decoder\nignore blk.{i}.attn_rot_embd \" \"",
        en: &[
            "line 3: `ignore blk.{i}.attn_rot_embd` gives no reason — say between the quotes why",
        ],
        es: &[
            "línea 3: `ignore blk.{i}.attn_rot_embd` no da ninguna razón — di entre las comillas por qué",
        ],
    },
    Case {
        what: "another name than the file's",
        from: "arch qwen3",
        to: "arch qwen4",
        en: &[
            "line 1: the file is named `qwen3.archdef` but declares `arch qwen4` — write `arch qwen3`, or rename the file to `qwen4.archdef`",
        ],
        es: &[
            "línea 1: el fichero se llama `qwen3.archdef` pero declara `arch qwen4` — escribe `arch qwen3` o cambia el nombre del fichero a `qwen4.archdef`",
        ],
    },
    Case {
        what: "a name in upper case",
        from: "arch qwen3",
        to: "arch Qwen3",
        en: &[
            "line 1: `Qwen3` cannot be an architecture's name — use 1 to 64 of: lower-case letters, digits, `_`, `-`, `.`; a letter or digit first",
        ],
        es: &[
            "línea 1: `Qwen3` no puede ser el nombre de una arquitectura — usa de 1 a 64 de estos: minúsculas, cifras, `_`, `-`, `.`; primero una letra o una cifra",
        ],
    },
    Case {
        what: "sections out of order",
        from: "prologue\n  x = embed(token_embd.weight)\n\nblock",
        to: "block\n  x = copy(x)\nprologue\n  x = embed(token_embd.weight)\n\nblock",
        en: &[
            "line 6: the section `prologue` stands after `block` — the order is `prologue`, `block`, `epilogue`",
            "line 9: the section `block` stands twice; the first is in line 4 — join them",
        ],
        es: &[
            "línea 6: la sección `prologue` está después de `block` — el orden es `prologue`, `block`, `epilogue`",
            "línea 9: la sección `block` aparece dos veces; la primera está en la línea 4 — júntalas",
        ],
    },
    Case {
        what: "a missing section",
        from: "epilogue\n",
        to: "",
        en: &[
            "line 29: `last` cannot stand in `block` — move it to: epilogue",
            "line 30: the section `epilogue` is missing — a definition has `prologue`, `block` and `epilogue`, in this order",
        ],
        es: &[
            "línea 29: `last` no puede estar en `block` — muévelo a: epilogue",
            "línea 30: falta la sección `epilogue` — una definición tiene `prologue`, `block` y `epilogue`, en este orden",
        ],
    },
    Case {
        what: "a step before the sections",
        from: "prologue\n  x",
        to: "  x = embed(token_embd.weight)\nprologue\n  x",
        en: &["line 4: a step stands before the first section — write `prologue` above it"],
        es: &["línea 4: hay un paso antes de la primera sección — escribe `prologue` encima"],
    },
    Case {
        what: "an in-place operation that is assigned",
        from: "silu(g)",
        to: "g = silu(g)",
        en: &[
            "line 22: `silu` changes its first register in place and is not assigned — write it as `silu(x)`",
        ],
        es: &[
            "línea 22: `silu` cambia su primer registro en el sitio y no se asigna — escríbelo como `silu(x)`",
        ],
    },
    Case {
        what: "an assigned operation in place",
        from: "a = attention(q, k, v)",
        to: "attention(q, k, v)",
        en: &[
            "line 16: `attention` gives a new register, which must be assigned — write it as `y = attention(q, k, v)`",
        ],
        es: &[
            "línea 16: `attention` da un registro nuevo, que hay que asignar — escríbelo como `y = attention(q, k, v)`",
        ],
    },
    Case {
        what: "too few operands",
        from: "rope(q, head_count)",
        to: "rope(q)",
        en: &["line 14: `rope` takes 2, not 1 operands — write it as `rope(x, heads)`"],
        es: &["línea 14: `rope` lleva 2 operandos, no 1 — escríbelo como `rope(x, heads)`"],
    },
    Case {
        what: "too many operands",
        from: "mul(g, u)",
        to: "mul(g, u, d)",
        en: &["line 24: `mul` takes 2, not 3 operands — write it as `mul(x, y)`"],
        es: &["línea 24: `mul` lleva 2 operandos, no 3 — escríbelo como `mul(x, y)`"],
    },
    Case {
        what: "a misspelt option",
        from: "rope(q, head_count)",
        to: "rope(q, head_count, pair)",
        en: &["line 14: `rope` has no option `pair` — did you mean `pairs`?"],
        es: &["línea 14: `rope` no tiene la opción `pair` — ¿quisiste decir `pairs`?"],
    },
    Case {
        what: "an option twice",
        from: "rope(q, head_count)",
        to: "rope(q, head_count, pairs, pairs)",
        en: &["line 14: the option `pairs` stands twice — keep one of them"],
        es: &["línea 14: la opción `pairs` aparece dos veces — deja solo una"],
    },
    Case {
        what: "an option without its value",
        from: "attention(q, k, v)",
        to: "attention(q, k, v, window)",
        en: &["line 16: the option `window` has no value — write `window=VALUE`"],
        es: &["línea 16: la opción `window` no tiene valor — escribe `window=VALOR`"],
    },
    Case {
        what: "a flag with a value",
        from: "rope(q, head_count)",
        to: "rope(q, head_count, pairs=1)",
        en: &["line 14: the option `pairs` takes no value — write just `pairs`, or leave it out"],
        es: &["línea 14: la opción `pairs` no lleva valor — escribe solo `pairs`, o quítala"],
    },
    Case {
        what: "a number for a truth value",
        from: "attention(q, k, v)",
        to: "attention(q, k, v, causal=1)",
        en: &[
            "line 16: the option `causal` cannot be `1` — write `true`, `false`, or a key that holds one of them",
        ],
        es: &[
            "línea 16: la opción `causal` no puede ser `1` — escribe `true`, `false` o una clave que contenga uno de ellos",
        ],
    },
    Case {
        what: "a truth value for a number",
        from: "attention(q, k, v)",
        to: "attention(q, k, v, scale=true)",
        en: &[
            "line 16: `true` is a truth value where a number should stand — write a number, a key or an expression of them",
        ],
        es: &[
            "línea 16: `true` es un valor de verdad donde debería estar un número — escribe un número, una clave o una expresión de ellos",
        ],
    },
    Case {
        what: "an operand after an option",
        from: "rope(q, head_count)",
        to: "rope(q, base=10000, head_count)",
        en: &[
            "line 14: the operand `head_count` stands after an option — operands come first: `rope(x, heads)`",
        ],
        es: &[
            "línea 14: el operando `head_count` está después de una opción — primero van los operandos: `rope(x, heads)`",
        ],
    },
    Case {
        what: "an optional tensor where nothing can vanish",
        from: "blk.{i}.attn_q.weight)",
        to: "blk.{i}.attn_q.weight?)",
        en: &[
            "line 9: `blk.{i}.attn_q.weight?` is optional, but `matmul` gives a new register and cannot vanish — remove the `?`; only the tensor of a step that changes a register in place, or of an option, is optional",
        ],
        es: &[
            "línea 9: `blk.{i}.attn_q.weight?` es opcional, pero `matmul` da un registro nuevo y no puede desaparecer — quita el `?`; solo es opcional el tensor de un paso que cambia un registro en el sitio, o el de una opción",
        ],
    },
    Case {
        what: "a layer's index outside the block",
        from: "output_norm.weight",
        to: "blk.{i}.output_norm.weight",
        en: &[
            "line 29: `blk.{i}.output_norm.weight` has a layer's index, and `epilogue` has no layer — only tensors of the block have `{i}`",
        ],
        es: &[
            "línea 29: `blk.{i}.output_norm.weight` lleva el índice de una capa, y `epilogue` no tiene capas — solo los tensores del bloque llevan `{i}`",
        ],
    },
    Case {
        what: "other braces",
        from: "blk.{i}.ffn_up.weight",
        to: "blk.{j}.ffn_up.weight",
        en: &[
            "line 23: `blk.{j}.ffn_up.weight` cannot be a tensor's name — braces hold only the layer's index, `{i}`",
        ],
        es: &[
            "línea 23: `blk.{j}.ffn_up.weight` no puede ser el nombre de un tensor — las llaves contienen solo el índice de la capa, `{i}`",
        ],
    },
    Case {
        what: "a register that is used before it is assigned",
        from: "mul(g, u)",
        to: "mul(g, up)",
        en: &["line 24: the register `up` is used before it is assigned — did you mean `u`?"],
        es: &["línea 24: el registro `up` se usa antes de asignarse — ¿quisiste decir `u`?"],
    },
    Case {
        what: "a temporary of the layer before",
        from: "h = rms_norm(x, blk.{i}.attn_norm.weight)\n",
        to: "add(x, d)\n  h = rms_norm(x, blk.{i}.attn_norm.weight)\n",
        en: &[
            "line 8: the register `d` is assigned in the block (line 26) and does not outlive its layer — only `x` links the layers; assign `d` before this step",
        ],
        es: &[
            "línea 8: el registro `d` se asigna en el bloque (línea 26) y no sobrevive a su capa — solo `x` enlaza las capas; asigna `d` antes de este paso",
        ],
    },
    Case {
        what: "a temporary of the block in the epilogue",
        from: "x = last(x)",
        to: "x = last(h)",
        en: &[
            "line 30: the register `h` is assigned in the block (line 8) and does not outlive its layer — only `x` links the layers; assign `h` before this step",
        ],
        es: &[
            "línea 30: el registro `h` se asigna en el bloque (línea 8) y no sobrevive a su capa — solo `x` enlaza las capas; asigna `h` antes de este paso",
        ],
    },
    Case {
        what: "a prologue without residual",
        from: "prologue\n  x =",
        to: "prologue\n  y =",
        en: &[
            "line 4: the prologue does not assign `x` — `x` is what the layers pass on, such as `x = embed(token_embd.weight)`",
        ],
        es: &[
            "línea 4: el prólogo no asigna `x` — `x` es lo que se pasan las capas, como `x = embed(token_embd.weight)`",
        ],
    },
    Case {
        what: "a block that leaves x alone",
        from: "add(x, ",
        to: "add(h, ",
        en: &[
            "line 7: the block does not change `x` — a layer passes its result on in `x`, such as `add(x, o)`",
        ],
        es: &[
            "línea 7: el bloque no cambia `x` — una capa pasa su resultado en `x`, como `add(x, o)`",
        ],
    },
    Case {
        what: "a block without attention",
        from: "a = attention(q, k, v)",
        to: "a = copy(v)",
        en: &[
            "line 7: the block has no `attention` — without it no position sees another; write `a = attention(q, k, v)`",
        ],
        es: &[
            "línea 7: el bloque no tiene `attention` — sin ella ninguna posición ve a otra; escribe `a = attention(q, k, v)`",
        ],
    },
    Case {
        what: "a decoder without logits",
        from: "logits = ",
        to: "result = ",
        en: &[
            "line 31: the epilogue of a definition of the kind `decoder` must end with `logits` — assign `logits` in the last step",
        ],
        es: &[
            "línea 31: el epílogo de una definición del tipo `decoder` debe acabar con `logits` — asigna `logits` en el último paso",
        ],
    },
    Case {
        what: "an embedding with logits",
        from: "kind decoder",
        to: "kind embedding",
        en: &[
            "line 31: a definition of the kind `embedding` has no `logits` — end with `rows`, or declare `kind decoder`",
        ],
        es: &[
            "línea 31: una definición del tipo `embedding` no tiene `logits` — acaba con `rows`, o declara `kind decoder`",
        ],
    },
    Case {
        what: "last in the block",
        from: "add(x, d)",
        to: "x = last(x)",
        en: &["line 26: `last` cannot stand in `block` — move it to: epilogue"],
        es: &["línea 26: `last` no puede estar en `block` — muévelo a: epilogue"],
    },
    Case {
        what: "a missing bracket",
        from: "silu(g)",
        to: "silu(g",
        en: &["line 22: the line ends where `)` should stand"],
        es: &["línea 22: la línea acaba donde debería estar `)`"],
    },
    Case {
        what: "no brackets at all",
        from: "silu(g)",
        to: "silu g",
        en: &["line 22: `g` stands where `(` should"],
        es: &["línea 22: `g` está donde debería estar `(`"],
    },
    Case {
        what: "something after the step",
        from: "silu(g)",
        to: "silu(g) u",
        en: &[
            "line 22: `u` stands after the end of what the line says — one line says one thing; a comment starts with `#`",
        ],
        es: &[
            "línea 22: `u` está después del final de lo que dice la línea — una línea dice una sola cosa; un comentario empieza por `#`",
        ],
    },
    Case {
        what: "a word of the language as register",
        from: "x = last(x)",
        to: "sqrt = last(x)",
        en: &[
            "line 30: `sqrt` cannot be a register — a register is 1 to 64 letters, digits and `_`, a letter first, and none of the language's own words",
        ],
        es: &[
            "línea 30: `sqrt` no puede ser un registro — un registro son de 1 a 64 letras, cifras y `_`, primero una letra, y ninguna de las palabras del lenguaje",
        ],
    },
    Case {
        what: "a number that is none",
        from: "rope(q, head_count)",
        to: "rope(q, head_count, base=1e999)",
        en: &["line 14: `1e999` is not a finite number — write it like `16`, `0.5` or `1e-6`"],
        es: &["línea 14: `1e999` no es un número finito — escríbelo como `16`, `0.5` o `1e-6`"],
    },
];
