//! Bits against the reference in every form, and the reference against plain f64 attention.

use proptest::prelude::*;

use super::*;
use crate::kv::KvShape;
use crate::reference::attention as by_the_book;
use crate::{Isa, canonical_bits};

/// A sequence of queries, keys and values from position 0 on.
struct Case {
    shape: KvShape,
    heads: usize,
    len: usize,
    spec: AttentionSpec,
    /// `[len][heads * key_dim]`.
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
}

fn noise(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as f32 / u32::MAX as f32 * 2.0 - 1.0
    };
    (0..n).map(|_| next() + next() + next()).collect()
}

impl Case {
    fn new(
        (heads, kv_heads): (usize, usize),
        (key_dim, value_dim): (usize, usize),
        ty: KvType,
        len: usize,
        window: Option<usize>,
        causal: bool,
    ) -> Case {
        let shape = KvShape { kv_heads, key_dim, value_dim, ty };
        let scale = (1.0 / (key_dim as f64).sqrt()) as f32;
        let spec = AttentionSpec { scale, window, causal };
        Case {
            shape,
            heads,
            len,
            spec,
            q: noise(len * heads * key_dim, 1 + len as u32),
            k: noise(len * kv_heads * key_dim, 2),
            v: noise(len * kv_heads * value_dim, 3),
        }
    }

    fn q(&self, rows: Range<usize>) -> &[f32] {
        let width = self.heads * self.shape.key_dim;
        &self.q[rows.start * width..rows.end * width]
    }

    /// The rows from `first` on, by the reference.
    fn reference(&self, first: usize, spec: AttentionSpec) -> Vec<f32> {
        let stored = |x: &[f32]| -> Vec<f32> {
            x.iter().map(|&x| by_the_book::stored(x, self.shape.ty)).collect()
        };
        let (keys, values) = (stored(&self.k), stored(&self.v));
        let mut out = vec![0.0; (self.len - first) * self.heads * self.shape.value_dim];
        let q = self.q(first..self.len);
        let kv_heads = self.shape.kv_heads;
        by_the_book::attention(
            q, self.heads, &keys, &values, kv_heads, first, self.len, spec, &mut out,
        );
        out
    }

    /// A layer that holds all keys and values.
    fn filled(&self, kernels: &Kernels) -> LayerKv {
        let mut kv = LayerKv::new(self.shape);
        kernels.kv_append(&mut kv, 0, &self.k, &self.v);
        kv
    }

    /// The rows from `first` on, all at once.
    fn fast(&self, kernels: &Kernels, kv: &LayerKv, first: usize) -> Vec<f32> {
        let mut out = vec![f32::NAN; (self.len - first) * self.heads * self.shape.value_dim];
        let q = self.q(first..self.len);
        kernels.attention(q, self.heads, kv, first, self.len, self.spec, &mut out);
        out
    }

    /// All rows, appended and attended in pieces, giving back pages behind the window.
    fn in_pieces(&self, kernels: &Kernels, piece: usize) -> Vec<f32> {
        let (k_row, v_row) =
            (self.shape.kv_heads * self.shape.key_dim, self.shape.kv_heads * self.shape.value_dim);
        let out_row = self.heads * self.shape.value_dim;
        let mut kv = LayerKv::new(self.shape);
        let mut out = vec![f32::NAN; self.len * out_row];
        for first in (0..self.len).step_by(piece) {
            let end = self.len.min(first + piece);
            let (k, v) = (&self.k[first * k_row..end * k_row], &self.v[first * v_row..end * v_row]);
            kernels.kv_append(&mut kv, first, k, v);
            let out = &mut out[first * out_row..end * out_row];
            kernels.attention(self.q(first..end), self.heads, &kv, first, end, self.spec, out);
            if let Some(window) = self.spec.window {
                kv.release_before((end + 1).saturating_sub(window));
            }
        }
        out
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|&number| canonical_bits(number)).collect()
}

fn every_form() -> Vec<Kernels> {
    let with = |isa| (1..=3).map(move |threads| Kernels::new(threads, isa));
    Isa::available().into_iter().flat_map(with).collect()
}

/// Attention as a textbook writes it, in f64 and without chunks.
fn plain(case: &Case) -> Vec<f64> {
    let (key_dim, value_dim) = (case.shape.key_dim, case.shape.value_dim);
    let kv_row =
        |j: usize, head: usize| j * case.shape.kv_heads + head * case.shape.kv_heads / case.heads;
    let stored = |x: f32| f64::from(by_the_book::stored(x, case.shape.ty));
    let mut out = Vec::new();
    for (index, q) in case.q.chunks(key_dim).enumerate() {
        let (p, head) = (index / case.heads, index % case.heads);
        let sees = |j: &usize| {
            (!case.spec.causal || *j <= p)
                && case.spec.window.is_none_or(|window| *j as i64 > p as i64 - window as i64)
        };
        let visible: Vec<usize> = (0..case.len).filter(sees).collect();
        let score = |&j: &usize| -> f64 {
            let key = &case.k[kv_row(j, head) * key_dim..][..key_dim];
            let t: f64 = q.iter().zip(key).map(|(&q, &k)| f64::from(q) * stored(k)).sum();
            (t * f64::from(case.spec.scale)).exp()
        };
        let weights: Vec<f64> = visible.iter().map(score).collect();
        let sum: f64 = weights.iter().sum();
        for d in 0..value_dim {
            let value = |j: usize| stored(case.v[kv_row(j, head) * value_dim + d]);
            out.push(visible.iter().zip(&weights).map(|(&j, w)| w / sum * value(j)).sum());
        }
    }
    out
}

fn worst_error(got: &[f32], exact: &[f64]) -> f64 {
    assert_eq!(got.len(), exact.len());
    let errors = got.iter().zip(exact).map(|(&got, &exact)| (f64::from(got) - exact).abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn the_reference_agrees_with_plain_attention_in_f64() {
    for (window, causal, ty) in [
        (None, true, KvType::F32),
        (None, true, KvType::F16),
        (None, false, KvType::F32),
        (Some(17), true, KvType::F16),
        (Some(1), true, KvType::F32),
        (Some(64), true, KvType::F32),
    ] {
        let case = Case::new((6, 2), (24, 16), ty, 150, window, causal);
        let error = worst_error(&case.reference(0, case.spec), &plain(&case));
        assert!(error < 2e-6, "window {window:?}: {error}");
    }
}

#[test]
fn a_window_off_by_one_is_noticed() {
    let case = Case::new((2, 1), (16, 16), KvType::F32, 100, Some(20), true);
    let exact = plain(&case);
    for window in [19, 21] {
        let wrong = AttentionSpec { window: Some(window), ..case.spec };
        assert!(worst_error(&case.reference(0, wrong), &exact) > 1e-3);
    }
    let open = AttentionSpec { causal: false, ..case.spec };
    assert!(worst_error(&case.reference(0, open), &exact) > 1e-3);
}

#[test]
fn chunks_folded_in_another_order_have_other_bits() {
    let kernels = Kernels::new(1, Isa::detect());
    let case = Case::new((4, 1), (16, 16), KvType::F32, 200, None, true);
    let kv = case.filled(&kernels);
    let call = Call::new(case.q(199..200), 4, &kv, 199, 200, case.spec, 64);
    let folded = |pages: &[usize]| {
        let mut packed = vec![0.0; 4 * 16];
        call.pack((0..1, 0), &mut packed);
        let (mut chunk, mut so_far) = (vec![0.0; 4 * 18], vec![f32::NEG_INFINITY; 4 * 18]);
        for &page in pages {
            call.chunk(&kernels, (0..1, 0), page, &packed, (&mut [], &mut []), &mut chunk);
            fold(&kernels, &mut so_far, &chunk, 18);
        }
        let mut out = vec![0.0; 64];
        call.write(&kernels, (0..1, 0), &so_far, &DisjointMut::new(&mut out));
        out
    };
    let reference = case.reference(199, case.spec);
    assert_eq!(bits(&folded(&[0, 1, 2, 3])), bits(&reference));
    assert_ne!(bits(&folded(&[3, 2, 1, 0])), bits(&reference));
    assert_ne!(bits(&folded(&[0, 2, 1, 3])), bits(&reference));
}

#[test]
fn the_shapes_of_real_models_have_the_bits_of_the_reference_in_every_form() {
    let cases = [
        ((9, 3), (64, 64), KvType::F16, 200, None),  // SmolLM2
        ((14, 2), (64, 64), KvType::F16, 131, None), // Qwen2.5
        ((4, 1), (256, 256), KvType::F16, 150, Some(64)), // gemma3
        ((3, 3), (80, 48), KvType::F32, 140, Some(65)),
    ];
    for ((heads, dims, ty, len, window), causal) in
        cases.into_iter().flat_map(|case| [(case, true), (case, false)])
    {
        let case = Case::new(heads, dims, ty, len, window, causal);
        let reference = bits(&case.reference(0, case.spec));
        let row = case.heads * case.shape.value_dim;
        for kernels in every_form() {
            let kv = case.filled(&kernels);
            for first in [0, 1, 63, 64, 65, len - 2, len - 1] {
                let fast = bits(&case.fast(&kernels, &kv, first));
                let (isa, threads) = (kernels.isa, kernels.pool.threads());
                assert!(
                    fast == reference[first * row..],
                    "{heads:?} {dims:?} {ty:?}, rows from {first}, {isa:?}, {threads} threads"
                );
            }
        }
    }
}

#[test]
fn long_contexts_shared_by_pages_have_the_bits_of_the_reference() {
    for (heads, len, window) in [((3, 3), 2_000, None), ((8, 1), 1_500, Some(700))] {
        let case = Case::new(heads, (64, 64), KvType::F16, len, window, true);
        for first in [len - 1, len - 5] {
            let reference = bits(&case.reference(first, case.spec));
            for kernels in every_form().into_iter().filter(|kernels| kernels.isa != Isa::Scalar) {
                let kv = case.filled(&kernels);
                assert!(bits(&case.fast(&kernels, &kv, first)) == reference);
            }
        }
    }
}

#[test]
fn pieces_give_the_bits_of_all_at_once() {
    for (window, ty) in [(None, KvType::F16), (Some(33), KvType::F32), (Some(64), KvType::F16)] {
        let case = Case::new((6, 2), (24, 24), ty, 230, window, true);
        let reference = bits(&case.reference(0, case.spec));
        for kernels in every_form() {
            for piece in [1, 7, 64, case.len] {
                assert!(bits(&case.in_pieces(&kernels, piece)) == reference, "pieces of {piece}");
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite_travel_as_in_the_reference() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
        for spot in [0, 70 * 16 + 3, 149 * 16] {
            let mut case = Case::new((2, 1), (16, 16), KvType::F16, 150, Some(90), true);
            case.k[spot] = bad;
            case.v[spot] = bad;
            let reference = case.reference(0, case.spec);
            for isa in Isa::available() {
                let kernels = Kernels::new(1, isa);
                let kv = case.filled(&kernels);
                assert!(bits(&case.fast(&kernels, &kv, 0)) == bits(&reference), "{bad} at {spot}");
            }
            if bad.is_nan() && spot == 0 {
                // Two heads of 16: the window of row 89 reaches back to the bad key, that of 90 not.
                assert!(reference[..90 * 32].iter().all(|number| number.is_nan()));
                assert!(crate::all_finite(&reference[90 * 32..]));
            }
        }
    }
}

#[test]
fn what_a_query_does_not_see_does_not_touch_it() {
    // Rows behind the query and before the window hold NaN: the bits are those of a clean cache.
    let kernels = Kernels::new(2, Isa::detect());
    let clean = Case::new((3, 1), (16, 16), KvType::F16, 150, Some(20), true);
    let mut dirty = Case::new((3, 1), (16, 16), KvType::F16, 150, Some(20), true);
    let hidden = (0..150 * 16).filter(|i| !(91..=110).contains(&(i / 16)));
    for i in hidden {
        dirty.k[i] = f32::NAN;
        dirty.v[i] = f32::NAN;
    }
    let row = |case: &Case| {
        let mut kv = case.filled(&kernels);
        kv.release_before(91);
        let mut out = vec![0.0; 3 * 16];
        kernels.attention(case.q(110..111), 3, &kv, 110, 150, case.spec, &mut out);
        out
    };
    assert_eq!(bits(&row(&dirty)), bits(&row(&clean)));
    assert!(crate::all_finite(&row(&dirty)));
}

#[test]
#[should_panic(expected = "page 0 of keys and values is needed but not held")]
fn a_page_that_is_needed_and_was_given_back_is_refused() {
    let kernels = Kernels::new(1, Isa::detect());
    let case = Case::new((1, 1), (8, 8), KvType::F16, 100, Some(50), true);
    let mut kv = case.filled(&kernels);
    kv.release_before(64);
    case.fast(&kernels, &kv, 99);
}

#[test]
#[should_panic(expected = "sees no key")]
fn a_query_that_sees_no_key_is_refused() {
    let kernels = Kernels::new(1, Isa::detect());
    let case = Case::new((1, 1), (8, 8), KvType::F16, 100, Some(0), true);
    case.fast(&kernels, &case.filled(&kernels), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_shape_gives_the_bits_of_the_reference(
        kv_heads in 1usize..4,
        group in 1usize..8,
        dims in prop::sample::select(vec![8usize, 16, 24, 64, 80, 256]),
        value_dim in prop::option::of(1usize..40),
        window in prop::option::of(1usize..140),
        border in prop::sample::select(vec![0usize, 1, 62, 63, 64, 65, 127, 128]),
        n in 1usize..70,
        half in any::<bool>(),
        causal in any::<bool>(),
        threads in 1usize..4,
    ) {
        let ty = if half { KvType::F16 } else { KvType::F32 };
        let heads = (kv_heads * group, kv_heads);
        let case = Case::new(
            heads, (dims, value_dim.unwrap_or(dims)), ty, border + n, window, causal,
        );
        let reference = bits(&case.reference(border, case.spec));
        for isa in Isa::available() {
            let kernels = Kernels::new(threads, isa);
            let kv = case.filled(&kernels);
            prop_assert!(bits(&case.fast(&kernels, &kv, border)) == reference, "{:?}", isa);
        }
    }
}
