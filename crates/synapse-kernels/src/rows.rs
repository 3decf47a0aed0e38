//! Row-wise operations: norms, activations, sums.
//!
//! Every element (every row, for the norms) is computed by itself, so the workers may share them in
//! any way. Small inputs are done by the caller alone.

use crate::Kernels;
use crate::isa::compiled_for_each_isa;
use crate::pool::{DisjointMut, split};
use crate::reference::functions::{
    self as reference, EXP_HIGHEST, EXP_LOWEST, EXP_POLYNOMIAL, GELU_CUBIC, LN_2_HIGH, LN_2_LOW,
    LOG2_E, SQRT_2_OVER_PI,
};

/// Work, in elements of a plain sum or product, below which waking the workers costs more than it
/// saves (some microseconds).
pub(crate) const GRAIN: usize = 16 * 1024;

/// Cost of an element with an exponential, in plain elements.
const EXP_COST: usize = 4;
/// Cost of an element with the error function, which is not vectorised, in plain elements.
const ERF_COST: usize = 60;

/// An activation function; each is defined in section 3 of `docs/numerics.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activation {
    /// `x / (1 + e^-x)`.
    Silu,
    /// GELU by the error function.
    Gelu,
    /// GELU by its tanh approximation.
    GeluTanh,
    /// `max(x, 0)`.
    Relu,
}

impl Activation {
    /// The reference function.
    pub fn function(self) -> fn(f32) -> f32 {
        match self {
            Activation::Silu => reference::silu,
            Activation::Gelu => reference::gelu,
            Activation::GeluTanh => reference::gelu_tanh,
            Activation::Relu => reference::relu,
        }
    }

    fn cost(self) -> usize {
        match self {
            Activation::Silu | Activation::GeluTanh => EXP_COST,
            Activation::Gelu => ERF_COST,
            Activation::Relu => 1,
        }
    }
}

impl Kernels {
    /// `y[row] = x[row] / rms(x[row]) * weight` over rows of `weight.len()`.
    ///
    /// # Panics
    ///
    /// When `x` and `y` differ in length or are not whole rows.
    pub fn rms_norm(&self, x: &[f32], weight: &[f32], eps: f32, y: &mut [f32]) {
        let width = weight.len();
        assert_eq!(x.len(), y.len(), "one output for each input");
        self.share_rows(y, width, 1, |first, y| {
            rms_norm_rows(self, &x[first * width..][..y.len()], weight, eps, y);
        });
    }

    /// The same in place, over every consecutive slice of `weight.len()`: with a weight of
    /// `head_dim`, the heads of every row.
    ///
    /// # Panics
    ///
    /// When `x` is not whole slices.
    pub fn rms_norm_heads(&self, x: &mut [f32], weight: &[f32], eps: f32) {
        self.share_rows(x, weight.len(), 1, |_, x| rms_norm_in_place(self, x, weight, eps));
    }

    /// `x = silu(x)`.
    pub fn silu(&self, x: &mut [f32]) {
        self.activate(Activation::Silu, x);
    }

    /// `x = gelu(x)`, the erf form.
    pub fn gelu(&self, x: &mut [f32]) {
        self.activate(Activation::Gelu, x);
    }

    /// `x = gelu_tanh(x)`.
    pub fn gelu_tanh(&self, x: &mut [f32]) {
        self.activate(Activation::GeluTanh, x);
    }

    /// `x = relu(x)`.
    pub fn relu(&self, x: &mut [f32]) {
        self.activate(Activation::Relu, x);
    }

    /// `x = activation(x)`.
    pub fn activate(&self, activation: Activation, x: &mut [f32]) {
        self.share_rows(x, 1, activation.cost(), |_, x| activate(self, activation, x));
    }

    /// `g = activation(g) * u`: the bits of the two steps, in one pass over memory.
    ///
    /// # Panics
    ///
    /// When the lengths differ.
    pub fn activate_mul(&self, activation: Activation, g: &mut [f32], u: &[f32]) {
        assert_eq!(g.len(), u.len(), "one factor for each element");
        self.share_rows(g, 1, activation.cost(), |first, g| {
            activate_mul(self, activation, g, &u[first..][..g.len()]);
        });
    }

    /// `x = x + y`.
    ///
    /// # Panics
    ///
    /// When the lengths differ.
    pub fn add(&self, x: &mut [f32], y: &[f32]) {
        assert_eq!(x.len(), y.len(), "one summand for each element");
        self.share_rows(x, 1, 1, |first, x| add(self, x, &y[first..][..x.len()]));
    }

    /// `x = x * y`.
    ///
    /// # Panics
    ///
    /// When the lengths differ.
    pub fn mul(&self, x: &mut [f32], y: &[f32]) {
        assert_eq!(x.len(), y.len(), "one factor for each element");
        self.share_rows(x, 1, 1, |first, x| mul(self, x, &y[first..][..x.len()]));
    }

    /// `x = x * factor`.
    pub fn scale(&self, x: &mut [f32], factor: f32) {
        self.share_rows(x, 1, 1, |_, x| scale(self, x, factor));
    }

    /// `x[row] = x[row] + bias` over rows of `bias.len()`.
    ///
    /// # Panics
    ///
    /// When `x` is not whole rows.
    pub fn add_bias(&self, x: &mut [f32], bias: &[f32]) {
        self.share_rows(x, bias.len(), 1, |_, x| add_bias(self, x, bias));
    }

    /// Calls `f(first_row, rows)` with parts of `x` that together are all of it: one part on the
    /// caller if the work (`cost` plain elements each) is small, else one part for each worker.
    pub(crate) fn share_rows(
        &self,
        x: &mut [f32],
        width: usize,
        cost: usize,
        f: impl Fn(usize, &mut [f32]) + Sync,
    ) {
        if x.is_empty() {
            return;
        }
        assert!(width > 0 && x.len().is_multiple_of(width), "not whole rows of {width}");
        let rows = x.len() / width;
        if self.pool.threads() == 1 || rows == 1 || x.len() * cost <= GRAIN {
            return f(0, x);
        }
        // A part begins at a cache line where the rows are short.
        let grain = (1024 / width).max(1);
        let parts = DisjointMut::new(x);
        self.pool.run(&|worker, workers| {
            let rows = split(rows, worker, workers, grain);
            // SAFETY: `split` gives each worker its own rows.
            let part = unsafe { parts.slice(rows.start * width..rows.end * width) };
            if !part.is_empty() {
                f(rows.start, part);
            }
        });
    }
}

compiled_for_each_isa! {
    fn rms_norm_rows(x: &[f32], weight: &[f32], eps: f32, y: &mut [f32]) = rms_norm_body
}
compiled_for_each_isa! {
    fn rms_norm_in_place(x: &mut [f32], weight: &[f32], eps: f32) = rms_norm_in_place_body
}
compiled_for_each_isa! {
    fn activate(activation: Activation, x: &mut [f32]) = activate_body
}
compiled_for_each_isa! {
    fn activate_mul(activation: Activation, g: &mut [f32], u: &[f32]) = activate_mul_body
}
compiled_for_each_isa! {
    fn add(x: &mut [f32], y: &[f32]) = add_body
}
compiled_for_each_isa! {
    fn mul(x: &mut [f32], y: &[f32]) = mul_body
}
compiled_for_each_isa! {
    fn scale(x: &mut [f32], factor: f32) = scale_body
}
compiled_for_each_isa! {
    fn add_bias(x: &mut [f32], bias: &[f32]) = add_bias_body
}

#[inline(always)]
fn rms_norm_body(x: &[f32], weight: &[f32], eps: f32, y: &mut [f32]) {
    let width = weight.len();
    for (x, y) in x.chunks_exact(width).zip(y.chunks_exact_mut(width)) {
        let r = inverse_rms(x, eps);
        for ((y, &x), &weight) in y.iter_mut().zip(x).zip(weight) {
            *y = (x * r) * weight;
        }
    }
}

#[inline(always)]
fn rms_norm_in_place_body(x: &mut [f32], weight: &[f32], eps: f32) {
    for x in x.chunks_exact_mut(weight.len()) {
        let r = inverse_rms(x, eps);
        for (x, &weight) in x.iter_mut().zip(weight) {
            *x = (*x * r) * weight;
        }
    }
}

#[inline(always)]
fn inverse_rms(x: &[f32], eps: f32) -> f32 {
    let mut lanes = [0.0f32; 16];
    let (steps, rest) = x.as_chunks::<16>();
    for step in steps {
        for (lane, &x) in lanes.iter_mut().zip(step) {
            *lane = x.mul_add(x, *lane);
        }
    }
    for (lane, &x) in lanes.iter_mut().zip(rest) {
        *lane = x.mul_add(x, *lane);
    }
    let mean = reference::lane_sum(lanes) / x.len() as f32;
    1.0 / (mean + eps).sqrt()
}

#[inline(always)]
fn activate_body(activation: Activation, x: &mut [f32]) {
    match activation {
        Activation::Silu => x.iter_mut().for_each(|x| *x = silu(*x)),
        Activation::Gelu => x.iter_mut().for_each(|x| *x = reference::gelu(*x)),
        Activation::GeluTanh => x.iter_mut().for_each(|x| *x = gelu_tanh(*x)),
        Activation::Relu => x.iter_mut().for_each(|x| *x = reference::relu(*x)),
    }
}

#[inline(always)]
fn activate_mul_body(activation: Activation, g: &mut [f32], u: &[f32]) {
    let pairs = g.iter_mut().zip(u);
    match activation {
        Activation::Silu => pairs.for_each(|(g, &u)| *g = silu(*g) * u),
        Activation::Gelu => pairs.for_each(|(g, &u)| *g = reference::gelu(*g) * u),
        Activation::GeluTanh => pairs.for_each(|(g, &u)| *g = gelu_tanh(*g) * u),
        Activation::Relu => pairs.for_each(|(g, &u)| *g = reference::relu(*g) * u),
    }
}

#[inline(always)]
fn add_body(x: &mut [f32], y: &[f32]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

#[inline(always)]
fn mul_body(x: &mut [f32], y: &[f32]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x *= y;
    }
}

#[inline(always)]
fn scale_body(x: &mut [f32], factor: f32) {
    for x in x {
        *x *= factor;
    }
}

#[inline(always)]
fn add_bias_body(x: &mut [f32], bias: &[f32]) {
    for x in x.chunks_exact_mut(bias.len()) {
        add_body(x, bias);
    }
}

/// [`reference::exp`] without branches, so that a loop over it becomes vector code.
#[inline(always)]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding 1.5 * 2^23 leaves no bits for a fraction: it rounds to a whole number, ties to even,
    // and puts that number into the low bits.
    const WHOLE: f32 = 12_582_912.0;
    let shifted = x * LOG2_E + WHOLE;
    let n = shifted - WHOLE;
    let r = (-n).mul_add(LN_2_HIGH, x);
    let r = (-n).mul_add(LN_2_LOW, r);
    let [c0, c1, c2, c3, c4, c5] = EXP_POLYNOMIAL;
    let p = c0.mul_add(r, c1).mul_add(r, c2).mul_add(r, c3).mul_add(r, c4).mul_add(r, c5);
    let y = p.mul_add(r * r, r) + 1.0;
    let exponent = shifted.to_bits().wrapping_sub(WHOLE.to_bits()) << 23;
    let y = f32::from_bits(y.to_bits().wrapping_add(exponent));
    let y = if x > EXP_HIGHEST { f32::INFINITY } else { y };
    let y = if x < EXP_LOWEST { 0.0 } else { y };
    if x.is_nan() { f32::NAN } else { y }
}

#[inline(always)]
fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    let u = SQRT_2_OVER_PI * (x * (GELU_CUBIC * x).mul_add(x, 1.0));
    x / (1.0 + exp(-(u + u)))
}

compiled_for_each_isa! {
    /// `x = exp(x)`, to test [`exp`] by itself.
    #[cfg(test)]
    fn exp_each(x: &mut [f32]) = exp_each_body
}

#[cfg(test)]
#[inline(always)]
fn exp_each_body(x: &mut [f32]) {
    x.iter_mut().for_each(|x| *x = exp(*x));
}

#[cfg(test)]
mod tests;
