//! Matrix products: every kernel against the reference, bit for bit.

#![allow(clippy::needless_range_loop, reason = "the formulas' own indices")]

use synapse_format::TensorType;
use synapse_kernels::blocks::{WeightView, quantized, supported};
use synapse_kernels::quantize::QuantizedRows;
use synapse_kernels::reference;
use synapse_kernels::{Isa, Kernels};

/// A small generator (xorshift64*), so that a failure repeats.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// About normal, of unit variance.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| (self.next() >> 40) as f32 / (1 << 24) as f32).sum::<f32>() - 6.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Values {
    Ordinary,
    /// Zeros, subnormals, the largest, infinities and NaN among ordinary ones.
    Extreme,
    Zero,
    /// One value that drowns the others.
    OneHuge,
}

const VALUES: [Values; 4] = [Values::Ordinary, Values::Extreme, Values::Zero, Values::OneHuge];

fn floats(random: &mut Random, values: Values, n: usize) -> Vec<f32> {
    let specials = [0.0, -0.0, 1e-40, f32::MIN_POSITIVE, 1e30, f32::MAX, f32::INFINITY, f32::NAN];
    let huge = random.below(n.max(1));
    (0..n)
        .map(|i| match values {
            Values::Zero => 0.0,
            Values::Extreme if random.below(200) == 0 => random.pick(&specials),
            Values::OneHuge if i == huge => -3e37,
            _ => random.normal(),
        })
        .collect()
}

/// Byte offsets of the f16 numbers in a block.
fn scales(ty: TensorType) -> &'static [usize] {
    match ty {
        TensorType::Q4_1 | TensorType::Q5_1 | TensorType::Q4_K | TensorType::Q5_K => &[0, 2],
        TensorType::Q6_K => &[208],
        _ => &[0],
    }
}

fn weights(random: &mut Random, ty: TensorType, values: Values, rows: usize, k: usize) -> Vec<u8> {
    let n = rows * k;
    match ty {
        TensorType::F32 => floats(random, values, n).iter().flat_map(|v| v.to_le_bytes()).collect(),
        TensorType::F16 => floats(random, values, n)
            .iter()
            .flat_map(|v| half::f16::from_f32(*v).to_le_bytes())
            .collect(),
        TensorType::BF16 => floats(random, values, n)
            .iter()
            .flat_map(|v| half::bf16::from_f32(*v).to_le_bytes())
            .collect(),
        _ => {
            let size = ty.block_bytes() as usize;
            let mut bytes: Vec<u8> = (0..ty.bytes_of(n as u64).unwrap())
                .map(|_| match values {
                    Values::Zero => 0,
                    Values::OneHuge => random.pick(&[0, 255, 128, 127]),
                    _ => random.next() as u8,
                })
                .collect();
            for block in bytes.chunks_exact_mut(size) {
                for at in scales(ty) {
                    let extremes = [0, 0x8000, 1, 0x83FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0x7E00];
                    let bits = match values {
                        Values::Zero => 0,
                        Values::Extreme if random.below(20) == 0 => random.pick(&extremes),
                        _ => half::f16::from_f32(0.01 * random.normal()).to_bits(),
                    };
                    block[*at..at + 2].copy_from_slice(&bits.to_le_bytes());
                }
            }
            bytes
        }
    }
}

fn types() -> impl Iterator<Item = TensorType> {
    TensorType::ALL.iter().copied().filter(|ty| supported(*ty))
}

fn canonical(v: &f32) -> u32 {
    if v.is_nan() { 0x7FC0_0000 } else { v.to_bits() }
}

#[track_caller]
fn assert_same_bits(got: &[f32], expected: &[f32], what: &str) {
    assert_eq!(got.len(), expected.len());
    for (i, (g, e)) in got.iter().zip(expected).enumerate() {
        assert_eq!(canonical(g), canonical(e), "{what}: output {i}: {g} instead of {e}");
    }
}

fn kernels() -> Vec<Kernels> {
    let isas = Isa::available();
    [1, 2, 3].into_iter().flat_map(|t| isas.iter().map(move |isa| Kernels::new(t, *isa))).collect()
}

/// Lengths of k: around the chunks of 8 runs, and for float types not a multiple of anything.
fn lengths(ty: TensorType) -> &'static [usize] {
    match ty.block_elements() {
        1 => &[1, 5, 32, 63, 64, 65, 130, 200],
        32 => &[32, 64, 224, 256, 288, 544],
        _ => &[256, 512, 768],
    }
}

fn name(kernels: &Kernels, w: &WeightView, n: usize, values: Values) -> String {
    let (isa, threads) = (kernels.isa().name(), kernels.pool().threads());
    let ty = w.ty.name();
    format!("{ty} {} x {} n {n} {values:?} {isa} {threads} threads", w.rows, w.cols)
}

/// Calls `check` with many shapes of every type, of weights and activations of every kind.
fn shapes(
    seed: u64,
    wanted: fn(TensorType) -> bool,
    rounds: usize,
    mut check: impl FnMut(WeightView, &[f32], usize, Values),
) {
    let mut random = Random(seed);
    let (rows, columns) = ([1, 15, 16, 17, 33, 64, 100, 144], [1, 2, 3, 7, 8, 33]);
    for ty in types().filter(|ty| wanted(*ty)) {
        for round in 0..rounds {
            // Each of these once at least, the rest at random.
            let at = |of: &[usize], random: &mut Random| match round < of.len() {
                true => of[round],
                false => random.pick(of),
            };
            let rows = at(&rows, &mut random);
            let n = at(&columns, &mut random);
            let k = at(lengths(ty), &mut random);
            let values = VALUES[round % 4];
            let bytes = weights(&mut random, ty, values, rows, k);
            let x_values = if round < 4 { Values::Ordinary } else { random.pick(&VALUES) };
            let x = floats(&mut random, x_values, n * k);
            check(WeightView::new(ty, rows, k, &bytes).unwrap(), &x, n, values);
        }
    }
}

#[test]
fn float_products_equal_the_reference_on_every_instruction_set_and_thread_count() {
    let kernels = kernels();
    shapes(1, supported, 14, |w, x, n, values| {
        let mut expected = vec![0.0; n * w.rows];
        reference::product::product_f32(w, x, n, &mut expected);
        for kernels in &kernels {
            let mut y = vec![7.0; n * w.rows];
            kernels.product_f32(w, x, n, &mut y);
            assert_same_bits(&y, &expected, &name(kernels, &w, n, values));
        }
    });
}

#[test]
fn integer_products_equal_the_reference_on_every_instruction_set_and_thread_count() {
    let kernels = kernels();
    shapes(2, quantized, 24, |w, x, n, values| {
        let mut expected = vec![0.0; n * w.rows];
        reference::product::product_q8(w, x, n, &mut expected);
        for kernels in &kernels {
            let mut rows = QuantizedRows::new();
            kernels.quantize(x, n, w.cols, &mut rows);
            let mut y = vec![7.0; n * w.rows];
            kernels.product_q8(w, &rows, &mut y);
            assert_same_bits(&y, &expected, &name(kernels, &w, n, values));
        }
    });
}

/// Codes and activations at their bounds, all of one sign: the largest sums of products.
#[test]
fn the_largest_integers_do_not_overflow() {
    for ty in types().filter(|ty| quantized(*ty)) {
        let k = 512;
        for byte in [0, 0x80, 0xFF, 0x7F] {
            let mut bytes = vec![byte; 17 * ty.bytes_of(k).unwrap() as usize];
            for block in bytes.chunks_exact_mut(ty.block_bytes() as usize) {
                for at in scales(ty) {
                    block[*at..at + 2].copy_from_slice(&0x3C00u16.to_le_bytes());
                }
            }
            let w = WeightView::new(ty, 17, k as usize, &bytes).unwrap();
            for sign in [1.0, -1.0] {
                let x = vec![sign; k as usize];
                let mut expected = vec![0.0; 17];
                reference::product::product_q8(w, &x, 1, &mut expected);
                for isa in Isa::available() {
                    let kernels = Kernels::new(1, isa);
                    let mut rows = QuantizedRows::new();
                    kernels.quantize(&x, 1, k as usize, &mut rows);
                    let mut y = vec![0.0; 17];
                    kernels.product_q8(w, &rows, &mut y);
                    let what = format!("{} {byte:#x} {sign} {isa:?}", ty.name());
                    assert_same_bits(&y, &expected, &what);
                }
            }
        }
    }
}

#[test]
fn several_weights_in_one_fork_equal_each_alone() {
    let mut random = Random(3);
    let (k, n) = (512, 5);
    let x = floats(&mut random, Values::Ordinary, n * k);
    let shapes = [
        (TensorType::Q4_K, 100),
        (TensorType::Q8_0, 1),
        (TensorType::Q6_K, 0),
        (TensorType::Q4_1, 64),
        (TensorType::Q5_0, 33),
    ];
    let bytes = shapes.map(|(ty, rows)| weights(&mut random, ty, Values::Ordinary, rows, k));
    let views: Vec<_> = shapes
        .iter()
        .zip(&bytes)
        .map(|((ty, rows), bytes)| WeightView::new(*ty, *rows, k, bytes).unwrap())
        .collect();
    for kernels in kernels() {
        let mut rows = QuantizedRows::new();
        kernels.quantize(&x, n, k, &mut rows);
        for integers in [false, true] {
            let mut outputs: Vec<_> = views.iter().map(|w| vec![7.0; n * w.rows]).collect();
            let mut parts: Vec<_> =
                views.iter().copied().zip(outputs.iter_mut().map(|y| &mut y[..])).collect();
            match integers {
                true => kernels.products_q8(&mut parts, &rows),
                false => kernels.products_f32(&mut parts, &x, n),
            }
            for (w, y) in views.iter().zip(&outputs) {
                let mut expected = vec![0.0; n * w.rows];
                match integers {
                    true => reference::product::product_q8(*w, &x, n, &mut expected),
                    false => reference::product::product_f32(*w, &x, n, &mut expected),
                }
                assert_same_bits(y, &expected, &name(&kernels, w, n, Values::Ordinary));
            }
        }
    }
}

#[test]
fn a_column_has_the_same_bits_alone_and_in_a_batch() {
    let mut random = Random(4);
    let (k, n, kernels) = (288, 33, Kernels::new(2, Isa::detect()));
    let bytes = weights(&mut random, TensorType::Q4_1, Values::Ordinary, 40, k);
    let w = WeightView::new(TensorType::Q4_1, 40, k, &bytes).unwrap();
    let x = floats(&mut random, Values::Ordinary, n * k);
    let mut rows = QuantizedRows::new();
    let (mut batch, mut alone) = (vec![0.0; n * 40], vec![0.0; 40]);
    kernels.quantize(&x, n, k, &mut rows);
    kernels.product_q8(w, &rows, &mut batch);
    for c in 0..n {
        kernels.quantize(&x[c * k..][..k], 1, k, &mut rows);
        kernels.product_q8(w, &rows, &mut alone);
        assert_same_bits(&batch[c * 40..][..40], &alone, "column");
    }
}

#[test]
fn a_sum_of_nothing_is_zero() {
    let w = WeightView::new(TensorType::Q8_0, 20, 0, &[]).unwrap();
    let kernels = Kernels::new(2, Isa::detect());
    let mut y = vec![7.0; 20];
    kernels.product_f32(w, &[], 1, &mut y);
    assert_eq!(y, [0.0; 20]);
    let mut rows = QuantizedRows::new();
    kernels.quantize(&[], 1, 0, &mut rows);
    y.fill(7.0);
    kernels.product_q8(w, &rows, &mut y);
    assert_eq!(y, [0.0; 20]);
}

/// The comparison of bits can fail: other orders of the same sums differ.
#[test]
fn another_order_of_the_same_sum_has_other_bits() {
    let mut random = Random(5);
    let (rows, k) = (64, 576);
    let x = floats(&mut random, Values::Ordinary, k);
    let bytes = weights(&mut random, TensorType::Q4_1, Values::Ordinary, rows, k);
    let w = WeightView::new(TensorType::Q4_1, rows, k, &bytes).unwrap();
    let (mut float, mut integer) = (vec![0.0; rows], vec![0.0; rows]);
    reference::product::product_f32(w, &x, 1, &mut float);
    reference::product::product_q8(w, &x, 1, &mut integer);

    let blocks = reference::quantize::quantize_row(&x);
    let (mut descending, mut unfused) = (0, 0);
    let (mut q_descending, mut q_unfused, mut q_minimum_first) = (0, 0, 0);
    for r in 0..rows {
        let mut row = vec![0.0; k];
        reference::expand::expand_row(w, r, &mut row);
        let down = (0..k).rev().fold(0.0f32, |acc, i| row[i].mul_add(x[i], acc));
        let apart = (0..k).fold(0.0f32, |acc, i| acc + row[i] * x[i]);
        descending += usize::from(down != float[r]);
        unfused += usize::from(apart != float[r]);

        let run = |b: usize| {
            let run = reference::expand::Run::read(w.ty, w.row(r), b);
            let dot: i32 = (0..32).map(|i| run.q[i] * i32::from(blocks[b].q[i])).sum();
            (run.d * blocks[b].scale, dot as f32, run.m.unwrap(), blocks[b].sum)
        };
        let (mut down, mut apart, mut minimum_first) = (0.0f32, 0.0f32, 0.0f32);
        for b in 0..k / 32 {
            let (unit, dot, m, sum) = run(k / 32 - 1 - b);
            down = m.mul_add(sum, unit.mul_add(dot, down));
            let (unit, dot, m, sum) = run(b);
            apart = apart + unit * dot + m * sum;
            minimum_first = unit.mul_add(dot, m.mul_add(sum, minimum_first));
        }
        q_descending += usize::from(down != integer[r]);
        q_unfused += usize::from(apart != integer[r]);
        q_minimum_first += usize::from(minimum_first != integer[r]);
    }
    for (different, what) in [
        (descending, "float, descending"),
        (unfused, "float, unfused"),
        (q_descending, "integer, descending"),
        (q_unfused, "integer, unfused"),
        (q_minimum_first, "integer, minimum first"),
    ] {
        assert!(different > rows / 4, "{what}: only {different} of {rows} outputs differ");
    }
}
