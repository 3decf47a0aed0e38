//! Reference: attention (section 7).

use super::functions::{exp, lane_sum};
use crate::attention::AttentionSpec;
use crate::kv::{KvType, PAGE};

/// A number as the cache of keys and values keeps it (section 2): f16 is rounded to nearest even,
/// and every NaN is the canonical one.
pub fn stored(value: f32, ty: KvType) -> f32 {
    match ty {
        KvType::F32 => value,
        KvType::F16 if value.is_nan() => f32::NAN,
        KvType::F16 => half::f16::from_f32_const(value).to_f32_const(),
    }
}

/// Attention of every row and head.
///
/// `q` is `[rows][heads][key_dim]`, with row 0 at absolute position `first`. `keys` is
/// `[len][kv_heads][key_dim]` and `values` `[len][kv_heads][value_dim]`, already rounded to the type
/// they are kept in ([`stored`]); the element 0 of both stands at position 0. `out` is
/// `[rows][heads][value_dim]`.
pub fn attention(
    q: &[f32],
    heads: usize,
    keys: &[f32],
    values: &[f32],
    kv_heads: usize,
    first: usize,
    len: usize,
    spec: AttentionSpec,
    out: &mut [f32],
) {
    let key_dim = keys.len() / (len * kv_heads);
    let value_dim = values.len() / (len * kv_heads);
    let vectors = q.chunks_exact(key_dim).zip(out.chunks_exact_mut(value_dim));
    for (index, (q, out)) in vectors.enumerate() {
        let (position, head) = (first + index / heads, index % heads);
        let kv_head = head / (heads / kv_heads);
        let key = |j: usize| &keys[(j * kv_heads + kv_head) * key_dim..][..key_dim];
        let value = |j: usize| &values[(j * kv_heads + kv_head) * value_dim..][..value_dim];
        one_head(q, position, len, key, value, spec, out);
    }
}

/// Whether the query at position `p` sees the key at position `j`.
fn is_visible(p: usize, j: usize, spec: AttentionSpec) -> bool {
    let not_ahead = !spec.causal || j <= p;
    let in_window = spec.window.is_none_or(|window| j + window > p);
    not_ahead && in_window
}

fn one_head<'a>(
    q: &[f32],
    position: usize,
    len: usize,
    key: impl Fn(usize) -> &'a [f32],
    value: impl Fn(usize) -> &'a [f32],
    spec: AttentionSpec,
    out: &mut [f32],
) {
    // Of all chunks so far: the maximum, the sum and the weighted values.
    let mut so_far: Option<(f32, f32, Vec<f32>)> = None;
    for start in (0..len).step_by(PAGE) {
        let chunk = start..len.min(start + PAGE);
        let visible: Vec<usize> = chunk.filter(|&j| is_visible(position, j, spec)).collect();
        if visible.is_empty() {
            continue;
        }
        let (m_c, l_c, o_c) = one_chunk(q, &visible, &key, &value, spec.scale, out.len());
        so_far = Some(match so_far {
            None => (m_c, l_c, o_c),
            Some((m, l, o)) => {
                let m_new = if m_c > m { m_c } else { m };
                let a = exp(m - m_new);
                let b = exp(m_c - m_new);
                let l = b.mul_add(l_c, a * l);
                let o = o.iter().zip(&o_c).map(|(&o, &o_c)| b.mul_add(o_c, a * o)).collect();
                (m_new, l, o)
            }
        });
    }
    let (_, l, o) = so_far.expect("a query sees at least one key");
    let r = 1.0 / l;
    for (out, o) in out.iter_mut().zip(o) {
        *out = o * r;
    }
}

/// Maximum, sum and weighted values of the visible keys of one chunk.
fn one_chunk<'a>(
    q: &[f32],
    visible: &[usize],
    key: &impl Fn(usize) -> &'a [f32],
    value: &impl Fn(usize) -> &'a [f32],
    scale: f32,
    value_dim: usize,
) -> (f32, f32, Vec<f32>) {
    let score = |&j: &usize| {
        let t = q.iter().zip(key(j)).fold(0.0f32, |acc, (&q, &k)| q.mul_add(k, acc));
        t * scale
    };
    let scores: Vec<f32> = visible.iter().map(score).collect();
    let mut m_c = f32::NEG_INFINITY;
    for &s in &scores {
        if s > m_c {
            m_c = s;
        }
    }
    let weights: Vec<f32> = scores.iter().map(|&s| exp(s - m_c)).collect();
    let mut lanes = [0.0f32; 16];
    for (&j, &e) in visible.iter().zip(&weights) {
        lanes[j % 16] += e;
    }
    let mut o_c = vec![0.0f32; value_dim];
    for (&j, &e) in visible.iter().zip(&weights) {
        for (o, &v) in o_c.iter_mut().zip(value(j)) {
            *o = e.mul_add(v, *o);
        }
    }
    (m_c, lane_sum(lanes), o_c)
}
