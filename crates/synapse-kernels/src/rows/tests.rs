//! Bits against the reference, and the reference against f64.

use proptest::prelude::*;

use super::*;
use crate::reference::rows as by_the_book;
use crate::{Isa, canonical_bits};

const ACTIVATIONS: [Activation; 4] =
    [Activation::Silu, Activation::Gelu, Activation::GeluTanh, Activation::Relu];

/// Kernels of every instruction set with 1, 2 and 3 threads.
fn every_form() -> Vec<Kernels> {
    let with = |isa| (1..=3).map(move |threads| Kernels::new(threads, isa));
    Isa::available().into_iter().flat_map(with).collect()
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|&number| canonical_bits(number)).collect()
}

#[track_caller]
fn same_bits(kernels: &Kernels, fast: &[f32], reference: &[f32]) {
    if let Some(at) = bits(fast).iter().zip(bits(reference)).position(|(&a, b)| a != b) {
        panic!(
            "{} with {} threads: element {at} is {:?}, by the reference {:?}",
            kernels.isa.name(),
            kernels.pool.threads(),
            fast[at],
            reference[at]
        );
    }
    assert_eq!(fast.len(), reference.len());
}

/// Every bit pattern at distance `step`, all exponents and both signs, and the borders of `exp`.
fn sweep(step: usize) -> Vec<f32> {
    let borders = [EXP_HIGHEST, EXP_LOWEST, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let around = borders.iter().flat_map(|border| {
        (-40i32..=40).map(|by| f32::from_bits(border.to_bits().wrapping_add(by as u32)))
    });
    (0..=u32::MAX).step_by(step).map(f32::from_bits).chain(around).collect()
}

/// Numbers as they occur in a model.
fn plausible(n: usize, seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        f64::from(state) / f64::from(u32::MAX) * 2.0 - 1.0
    };
    (0..n).map(|_| ((next() + next() + next()) * 3.0) as f32).collect()
}

/// Distance of `got` from the exact value in units of the last place of that value in f32.
fn ulps(got: f32, exact: f64) -> f64 {
    let unit = (exact.abs().log2().floor().max(-126.0) - 23.0).exp2();
    (f64::from(got) - exact).abs() / unit
}

#[test]
fn exp_is_within_two_and_a_half_units_of_the_exact_exponential() {
    let mut worst = 0.0f64;
    let in_range = |x: &f32| (EXP_LOWEST..=EXP_HIGHEST).contains(x);
    let dense = (-87_000_000..=88_722_000i32).step_by(61).map(|x| x as f32 * 1e-6);
    for x in dense.chain(sweep(9_973).into_iter().filter(in_range)) {
        worst = worst.max(ulps(reference::exp(x), f64::from(x).exp()));
    }
    assert!(worst < 2.5, "{worst} units");
    assert!(worst > 0.4, "a sweep without any error did not look closely");
}

#[test]
fn exp_has_the_borders_of_the_contract() {
    assert_eq!(EXP_HIGHEST, 88.72283);
    assert_eq!(LOG2_E, std::f32::consts::LOG2_E);
    assert_eq!((LN_2_HIGH, LN_2_LOW), (0.693_359_4, -2.121_944_4e-4));
    assert_eq!((SQRT_2_OVER_PI, GELU_CUBIC), (0.7978846, 0.044715));
    assert_eq!(reference::SQRT_HALF, 0.70710677);
    // The decimals of the page, which have more digits than f32.
    let page = "1.9875691500e-4 1.3981999507e-3 8.3334519073e-3 4.1665795894e-2 1.6666665459e-1 \
                5.0000001201e-1";
    let page: Vec<f32> = page.split_whitespace().map(|c| c.parse().unwrap()).collect();
    assert_eq!(EXP_POLYNOMIAL, *page);
    assert_eq!(reference::exp(f32::NEG_INFINITY).to_bits(), 0);
    assert_eq!(reference::exp(EXP_LOWEST.next_down()).to_bits(), 0);
    assert!(reference::exp(EXP_LOWEST) >= f32::MIN_POSITIVE);
    assert!(reference::exp(EXP_HIGHEST).is_finite());
    assert_eq!(reference::exp(EXP_HIGHEST.next_up()), f32::INFINITY);
    assert_eq!(reference::exp(0.0), 1.0);
    assert!(reference::exp(f32::NAN).is_nan());
}

#[test]
fn activations_agree_with_their_formulas_in_f64() {
    let silu = |x: f64| x / (1.0 + (-x).exp());
    let gelu = |x: f64| 0.5 * x * (1.0 + libm::erf(x / 2f64.sqrt()));
    let gelu_tanh = |x: f64| {
        let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x);
        0.5 * x * (1.0 + inner.tanh())
    };
    let exact: [&dyn Fn(f64) -> f64; 4] = [&silu, &gelu, &gelu_tanh, &|x: f64| x.max(0.0)];
    for (activation, exact) in ACTIVATIONS.into_iter().zip(exact) {
        for x in (-120_000..=120_000i32).map(|x| x as f32 * 1e-4) {
            let (got, exact) = (activation.function()(x), exact(f64::from(x)));
            let near = (f64::from(got) - exact).abs() <= 1e-6 * exact.abs() + 4e-7;
            assert!(near, "{activation:?}({x}) = {got}, exactly {exact}");
        }
    }
    // The two GELUs are different functions, and the check above can tell them apart.
    assert!((reference::gelu(-2.0) - reference::gelu_tanh(-2.0)).abs() > 5e-5);
}

#[test]
fn activations_of_special_numbers() {
    for activation in [Activation::Silu, Activation::GeluTanh, Activation::Gelu, Activation::Relu] {
        assert!(activation.function()(f32::NAN).is_nan());
        assert_eq!(activation.function()(f32::INFINITY), f32::INFINITY);
        assert_eq!(activation.function()(0.0).to_bits(), 0);
    }
    assert_eq!(reference::relu(-1.0).to_bits(), 0);
    assert_eq!(reference::relu(-0.0).to_bits(), 0);
    assert_eq!(reference::relu(f32::NEG_INFINITY).to_bits(), 0);
}

#[test]
fn exp_and_activations_have_the_bits_of_the_reference_over_all_exponents() {
    for isa in Isa::available() {
        let kernels = Kernels::new(1, isa);
        let inputs = sweep(if isa == Isa::Scalar { 60_013 } else { 9_973 });
        let reference: Vec<f32> = inputs.iter().map(|&x| reference::exp(x)).collect();
        let mut fast = inputs.clone();
        exp_each(&kernels, &mut fast);
        same_bits(&kernels, &fast, &reference);
        let u = plausible(inputs.len(), 5);
        for activation in ACTIVATIONS {
            let mut reference = inputs.clone();
            by_the_book::activate(activation, &mut reference);
            let mut fast = inputs.clone();
            kernels.activate(activation, &mut fast);
            same_bits(&kernels, &fast, &reference);
            by_the_book::mul(&mut reference, &u);
            let mut fast = inputs.clone();
            kernels.activate_mul(activation, &mut fast, &u);
            same_bits(&kernels, &fast, &reference);
        }
    }
}

#[test]
fn rms_norm_agrees_with_f64() {
    let (width, eps) = (576, 1e-5f32);
    let (x, weight) = (plausible(3 * width, 1), plausible(width, 2));
    let mut y = vec![0.0; x.len()];
    by_the_book::rms_norm(&x, &weight, eps, &mut y);
    for (x, y) in x.chunks(width).zip(y.chunks(width)) {
        let squares: f64 = x.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let rms = (squares / width as f64 + f64::from(eps)).sqrt();
        for ((&x, &y), &weight) in x.iter().zip(y).zip(&weight) {
            let exact = f64::from(x) / rms * f64::from(weight);
            assert!((f64::from(y) - exact).abs() <= 1e-6 * exact.abs() + 1e-9);
        }
    }
}

#[test]
fn a_norm_summed_in_another_order_is_noticed() {
    // If these bits could not differ, the comparisons of bits would prove nothing.
    let differs = (0..50).any(|seed| {
        let x = plausible(512, seed);
        let mut y = x.clone();
        by_the_book::rms_norm_heads(&mut y, &[1.0; 512], 1e-6);
        let squares = x.iter().fold(0.0f32, |sum, &x| x.mul_add(x, sum));
        let r = 1.0 / (squares / 512.0 + 1e-6).sqrt();
        x.iter().zip(&y).any(|(&x, y)| (x * r).to_bits() != y.to_bits())
    });
    assert!(differs);
}

#[test]
fn rows_have_the_bits_of_the_reference_in_every_form() {
    // Widths with and without a rest of lanes; row counts on both sides of the grain.
    let shapes = [(1, 1), (3, 5), (1, 576), (70, 576), (7, 80), (33, 896), (2000, 24), (5, 10_007)];
    for kernels in every_form() {
        for (seed, (n, width)) in (0..).zip(shapes) {
            let (x, y) = (plausible(n * width, seed), plausible(n * width, seed + 100));
            let row = plausible(width, seed + 200);
            let (mut fast, mut slow) = (vec![0.0; n * width], vec![0.0; n * width]);
            kernels.rms_norm(&x, &row, 1e-6, &mut fast);
            by_the_book::rms_norm(&x, &row, 1e-6, &mut slow);
            same_bits(&kernels, &fast, &slow);

            type Op<'a> = (&'a dyn Fn(&mut [f32]), &'a dyn Fn(&mut [f32]));
            let operations: [Op; 6] = [
                (&|x| kernels.rms_norm_heads(x, &row, 1e-6), &|x| {
                    by_the_book::rms_norm_heads(x, &row, 1e-6)
                }),
                (&|x| kernels.add(x, &y), &|x| by_the_book::add(x, &y)),
                (&|x| kernels.mul(x, &y), &|x| by_the_book::mul(x, &y)),
                (&|x| kernels.scale(x, 1.7), &|x| by_the_book::scale(x, 1.7)),
                (&|x| kernels.add_bias(x, &row), &|x| by_the_book::add_bias(x, &row)),
                (&|x| kernels.activate_mul(Activation::Gelu, x, &y), &|x| {
                    by_the_book::activate(Activation::Gelu, x);
                    by_the_book::mul(x, &y);
                }),
            ];
            for (fast, slow) in operations {
                let (mut a, mut b) = (x.clone(), x.clone());
                fast(&mut a);
                slow(&mut b);
                same_bits(&kernels, &a, &b);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_numbers_give_the_bits_of_the_reference(
        numbers in prop::collection::vec(any::<u32>().prop_map(f32::from_bits), 1..400),
        width in 1usize..70,
        eps in prop_oneof![Just(1e-6f32), Just(1e-5), Just(0.0)],
    ) {
        let width = width.min(numbers.len());
        let x = &numbers[..numbers.len() / width * width];
        let weight = &numbers[numbers.len() - width..];
        for isa in Isa::available() {
            let kernels = Kernels::new(1, isa);
            let (mut fast, mut slow) = (x.to_vec(), x.to_vec());
            kernels.rms_norm_heads(&mut fast, weight, eps);
            by_the_book::rms_norm_heads(&mut slow, weight, eps);
            prop_assert_eq!(bits(&fast), bits(&slow));
        }
    }
}

#[test]
fn empty_rows_are_no_work() {
    let kernels = Kernels::new(2, Isa::detect());
    kernels.rms_norm(&[], &[], 1e-6, &mut []);
    kernels.rms_norm_heads(&mut [], &[1.0], 1e-6);
    kernels.add_bias(&mut [], &[]);
    kernels.silu(&mut []);
}

#[test]
#[should_panic(expected = "not whole rows of 4")]
fn a_part_of_a_row_is_refused() {
    Kernels::new(1, Isa::Scalar).add_bias(&mut [0.0; 6], &[0.0; 4]);
}
