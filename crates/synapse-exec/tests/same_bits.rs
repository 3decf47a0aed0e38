//! The executor gives the bits of the reference interpreter, however the input is cut and whoever
//! shares the work.

mod tiny;

use std::sync::Arc;

use synapse_exec::{Interpreter, Precision, Program, Select};
use synapse_format::{Gguf, TensorType};
use synapse_ir::ModelGraph;
use synapse_kernels::kv::KvType;
use synapse_kernels::{Isa, Kernels};

fn bits(rows: &[f32]) -> Vec<u32> {
    rows.iter().map(|x| x.to_bits()).collect()
}

struct Case {
    graph: Arc<ModelGraph>,
    file: Arc<Gguf>,
    tokens: Vec<u32>,
}

impl Case {
    fn new(arch: &str, types: &[TensorType]) -> Case {
        let file = tiny::model(arch, types);
        let graph = Arc::new(tiny::bind(arch, &file));
        let tokens = (0..70u32).map(|i| (i * 37 + 11) % tiny::VOCABULARY as u32).collect();
        Case { graph, file: Arc::new(file), tokens }
    }

    fn reference(&self, precision: Precision, kv: KvType) -> Vec<u32> {
        let interpreter =
            Interpreter::new(self.graph.clone(), self.file.clone(), precision, kv).unwrap();
        bits(&interpreter.run(&self.tokens).unwrap())
    }

    fn program(&self, precision: Precision, kv: KvType) -> Program {
        Program::new(self.graph.clone(), self.file.clone(), precision, kv).unwrap()
    }
}

fn check(case: &Case) {
    for (precision, kv) in [
        (Precision::F32, KvType::F32),
        (Precision::Q8, KvType::F16),
        (Precision::F32, KvType::F16),
        (Precision::Q8, KvType::F32),
    ] {
        let want = case.reference(precision, kv);
        let program = case.program(precision, kv);
        for isa in Isa::available() {
            for (threads, chunk) in [(1, 1), (2, 7), (3, 64), (2, usize::MAX)] {
                let kernels = Kernels::new(threads, isa);
                let mut state = program.new_state();
                let mut out = Vec::new();
                program
                    .run(&kernels, &mut state, &case.tokens, Select::All, chunk, &mut out)
                    .unwrap();
                let label = format!("{precision:?} {kv:?} {isa:?} threads {threads} chunk {chunk}");
                assert!(bits(&out) == want, "{label}: bits differ from the reference");
            }
        }
    }
}

#[test]
fn float_weights_with_pairs_biases_and_factors() {
    check(&Case::new("llama", &[TensorType::F32, TensorType::F16, TensorType::BF16]));
}

#[test]
fn legacy_quants_with_biases() {
    check(&Case::new(
        "qwen2",
        &[TensorType::Q4_0, TensorType::Q4_1, TensorType::Q5_0, TensorType::Q5_1],
    ));
}

#[test]
fn k_quants_with_windows_and_post_norms() {
    check(&Case::new(
        "gemma3",
        &[TensorType::Q4_K, TensorType::Q5_K, TensorType::Q6_K, TensorType::Q8_0],
    ));
}

#[test]
fn quantized_and_float_products_of_one_input() {
    check(&Case::new("qwen3", &[TensorType::Q8_0, TensorType::F16, TensorType::Q6_K]));
}

#[test]
fn a_model_that_sees_later_positions() {
    let case = Case::new("llama-embed", &[TensorType::Q4_0, TensorType::F32]);
    let want = case.reference(Precision::Q8, KvType::F16);
    let program = case.program(Precision::Q8, KvType::F16);
    let kernels = Kernels::new(2, Isa::detect());
    let mut state = program.new_state();
    let mut out = Vec::new();
    // A piece of 7 would hide later positions: the whole input is taken at once all the same.
    program.run(&kernels, &mut state, &case.tokens, Select::All, 7, &mut out).unwrap();
    assert!(bits(&out) == want);
    let again = program.run(&kernels, &mut state, &[1], Select::Last, 7, &mut out);
    assert_eq!(again.unwrap_err().code(), "run-not-causal");
}

#[test]
fn the_last_row_is_the_last_of_all_rows_and_decoding_equals_prefill() {
    let case = Case::new("gemma3", &[TensorType::Q8_0]);
    let program = case.program(Precision::Q8, KvType::F16);
    let kernels = Kernels::new(2, Isa::detect());
    let width = program.graph().output_width;
    let want = case.reference(Precision::Q8, KvType::F16);
    let mut state = program.new_state();
    for (i, &token) in case.tokens.iter().enumerate() {
        let mut out = Vec::new();
        program.run(&kernels, &mut state, &[token], Select::Last, 512, &mut out).unwrap();
        assert!(bits(&out) == want[i * width..(i + 1) * width], "position {i}");
    }
}

#[test]
fn a_truncated_state_goes_on_as_if_the_rest_had_never_been() {
    let case = Case::new("llama", &[TensorType::Q4_1]);
    let program = case.program(Precision::Q8, KvType::F16);
    let kernels = Kernels::new(1, Isa::detect());
    let width = program.graph().output_width;
    let want = case.reference(Precision::Q8, KvType::F16);
    let mut state = program.new_state();
    let mut out = Vec::new();
    program.run(&kernels, &mut state, &case.tokens[..20], Select::Last, 64, &mut out).unwrap();
    program.run(&kernels, &mut state, &[1, 2, 3, 4, 5], Select::Last, 64, &mut out).unwrap();
    assert!(state.truncate(20));
    out.clear();
    program.run(&kernels, &mut state, &case.tokens[20..], Select::All, 64, &mut out).unwrap();
    assert!(bits(&out) == want[20 * width..]);
}

#[test]
fn pages_behind_a_window_are_given_back_and_the_plan_covers_what_is_held() {
    let file = tiny::model("gemma3", &[TensorType::Q8_0]);
    let graph = Arc::new(tiny::bind("gemma3", &file));
    let program = Program::new(graph, Arc::new(file), Precision::Q8, KvType::F16).unwrap();
    let kernels = Kernels::new(2, Isa::detect());
    let mut state = program.new_state();
    let tokens: Vec<u32> = (0..600).map(|i| i % tiny::VOCABULARY as u32).collect();
    let mut out = Vec::new();
    for piece in tokens.chunks(100) {
        program.run(&kernels, &mut state, piece, Select::Last, 32, &mut out).unwrap();
        let planned = program.memory(state.len(), 32, Select::Last).kv_bytes;
        assert!(state.bytes_held() as u64 <= planned, "{} > {planned}", state.bytes_held());
    }
    let full = program.memory(600, 600, Select::Last).kv_bytes;
    assert!((state.bytes_held() as u64) < full / 2, "windows hold on to their pages");
    assert!(!state.truncate(10), "what a window gave back cannot be read again");
}

#[test]
fn a_token_outside_the_vocabulary_is_refused_before_anything_runs() {
    let case = Case::new("qwen3", &[TensorType::Q8_0]);
    let program = case.program(Precision::Q8, KvType::F16);
    let kernels = Kernels::new(1, Isa::detect());
    let mut state = program.new_state();
    let mut out = Vec::new();
    let tokens = [1, tiny::VOCABULARY as u32];
    let refused = program.run(&kernels, &mut state, &tokens, Select::Last, 8, &mut out);
    assert_eq!(refused.unwrap_err().code(), "run-token-range");
    assert!(out.is_empty() && state.is_empty());
}

#[test]
fn weights_that_are_not_finite_are_an_error_in_both() {
    let file = tiny::model_with("qwen3", &[TensorType::F32], |name, numbers| {
        if name == "blk.1.attn_v.weight" {
            numbers[5] = f32::NAN;
        }
    });
    let graph = Arc::new(tiny::bind("qwen3", &file));
    let file = Arc::new(file);
    let interpreter =
        Interpreter::new(graph.clone(), file.clone(), Precision::F32, KvType::F32).unwrap();
    assert_eq!(interpreter.run(&[1, 2]).unwrap_err().code(), "run-logits-not-finite");
    let program = Program::new(graph, file, Precision::F32, KvType::F32).unwrap();
    let kernels = Kernels::new(2, Isa::detect());
    let mut state = program.new_state();
    let mut out = Vec::new();
    let refused = program.run(&kernels, &mut state, &[1, 2], Select::Last, 8, &mut out);
    assert_eq!(refused.unwrap_err().code(), "run-logits-not-finite");
}
