//! Tiny models of the built-in definitions with random weights of any type.
#![allow(dead_code, reason = "each test file uses what it needs")]

use synapse_archdef::{Library, Lookup};
use synapse_format::{Gguf, GgufWriter, TensorType};
use synapse_ir::ModelGraph;

pub const VOCABULARY: u64 = 96;
const WIDTH: u64 = 256;
const HIDDEN: u64 = 512;
const HEADS: u64 = 8;
const KV_HEADS: u64 = 2;
const HEAD: u64 = 32;
const LAYERS: u64 = 6;

/// A small generator (xorshift); the numbers only have to differ.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// About normal, variance 1.
    fn normal(&mut self) -> f32 {
        let sum: f32 = (0..12).map(|_| (self.next() >> 40) as f32 / (1u64 << 24) as f32).sum();
        sum - 6.0
    }
}

/// A bound graph of a built-in definition.
pub fn bind(arch: &str, file: &Gguf) -> ModelGraph {
    let library = Library::load(None);
    let Lookup::Found(entry) = library.get(arch) else { panic!("`{arch}` is not built in") };
    synapse_ir::bind(&entry.definition, file).expect("the tiny model fits").graph
}

/// A model whose matrices take the given types in turn.
pub fn model(arch: &str, types: &[TensorType]) -> Gguf {
    model_with(arch, types, |_, _| {})
}

/// As [`model`]; `change` may alter the numbers of F32 tensors.
pub fn model_with(arch: &str, types: &[TensorType], change: impl Fn(&str, &mut [f32])) -> Gguf {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let key = |name: &str| format!("{arch}.{name}");
    let mut writer = GgufWriter::new()
        .pair("general.architecture", arch)
        .pair(key("block_count"), LAYERS as u32)
        .pair(key("context_length"), 1024u32)
        .pair(key("embedding_length"), WIDTH as u32)
        .pair(key("feed_forward_length"), HIDDEN as u32)
        .pair(key("attention.head_count"), HEADS as u32)
        .pair(key("attention.head_count_kv"), KV_HEADS as u32)
        .pair(key("attention.layer_norm_rms_epsilon"), 1e-5f32)
        .pair(key("rope.freq_base"), 10_000f32);
    if arch == "gemma3" {
        writer = writer.pair(key("attention.sliding_window"), 9u32);
    }
    if arch == "llama-embed" {
        writer = writer.pair(key("attention.causal"), false);
    }
    let mut kinds = types.iter().copied().cycle();
    for (name, dims) in tensors(arch) {
        let vector = dims.len() == 1;
        let ty = if vector { TensorType::F32 } else { kinds.next().unwrap_or(TensorType::F32) };
        let count: u64 = dims.iter().product();
        if ty == TensorType::F32 {
            let mut numbers: Vec<f32> = (0..count)
                .map(|_| match (vector, name.contains("norm"), name.contains("freqs")) {
                    (true, _, true) => 1.0 + (random.next() % 4) as f32,
                    (true, true, _) => 1.0 + 0.1 * random.normal(),
                    (true, false, _) => 0.1 * random.normal(),
                    (false, ..) => random.normal() / 16.0,
                })
                .collect();
            change(&name, &mut numbers);
            writer = writer.tensor_f32(name, &dims, &numbers);
        } else {
            writer = writer.tensor(name, ty, &dims, blocks(ty, count, &mut random));
        }
    }
    Gguf::from_bytes("tiny.gguf", writer.to_bytes().unwrap()).unwrap()
}

fn tensors(arch: &str) -> Vec<(String, Vec<u64>)> {
    let mut list = vec![("token_embd.weight".into(), vec![WIDTH, VOCABULARY])];
    if arch == "llama" {
        list.push(("rope_freqs.weight".into(), vec![HEAD / 2]));
    }
    for i in 0..LAYERS {
        let mut add =
            |name: &str, dims: &[u64]| list.push((format!("blk.{i}.{name}"), dims.to_vec()));
        add("attn_norm.weight", &[WIDTH]);
        add("attn_q.weight", &[WIDTH, HEADS * HEAD]);
        add("attn_k.weight", &[WIDTH, KV_HEADS * HEAD]);
        add("attn_v.weight", &[WIDTH, KV_HEADS * HEAD]);
        if arch == "qwen2" || arch == "llama" {
            add("attn_q.bias", &[HEADS * HEAD]);
            add("attn_k.bias", &[KV_HEADS * HEAD]);
            add("attn_v.bias", &[KV_HEADS * HEAD]);
        }
        if arch == "llama" {
            add("ffn_gate.bias", &[HIDDEN]);
        }
        if arch == "qwen3" || arch == "gemma3" {
            add("attn_q_norm.weight", &[HEAD]);
            add("attn_k_norm.weight", &[HEAD]);
        }
        add("attn_output.weight", &[HEADS * HEAD, WIDTH]);
        add("ffn_norm.weight", &[WIDTH]);
        if arch == "gemma3" {
            add("post_attention_norm.weight", &[WIDTH]);
            add("post_ffw_norm.weight", &[WIDTH]);
        }
        add("ffn_gate.weight", &[WIDTH, HIDDEN]);
        add("ffn_up.weight", &[WIDTH, HIDDEN]);
        add("ffn_down.weight", &[HIDDEN, WIDTH]);
    }
    list.push(("output_norm.weight".into(), vec![WIDTH]));
    list
}

/// Random blocks whose scales are small normal numbers.
fn blocks(ty: TensorType, count: u64, random: &mut Random) -> Vec<u8> {
    // Byte offsets of the f16 scales and minimums, and their size.
    let (at, size): (&[usize], f32) = match ty {
        TensorType::F16 | TensorType::BF16 => (&[0], 0.06),
        TensorType::Q8_0 => (&[0], 0.001),
        TensorType::Q4_0 | TensorType::Q5_0 => (&[0], 0.008),
        TensorType::Q4_1 | TensorType::Q5_1 => (&[0, 2], 0.008),
        TensorType::Q4_K | TensorType::Q5_K => (&[0, 2], 0.0002),
        TensorType::Q6_K => (&[208], 0.00005),
        other => panic!("no random blocks of {}", other.name()),
    };
    let block = ty.block_bytes() as usize;
    let blocks = (count / u64::from(ty.block_elements())) as usize;
    let mut bytes = Vec::with_capacity(blocks * block);
    for _ in 0..blocks {
        let start = bytes.len();
        bytes.extend((0..block).map(|_| random.next() as u8));
        for &offset in at {
            let value = size * random.normal();
            let two = match ty {
                TensorType::BF16 => ((value.to_bits() >> 16) as u16).to_le_bytes(),
                _ => half::f16::from_f32(value).to_le_bytes(),
            };
            bytes[start + offset..start + offset + 2].copy_from_slice(&two);
        }
    }
    bytes
}
