//! Reference: operations on rows (section 6). Rows are consecutive slices of one width.

use super::functions::lane_sum;
use crate::rows::Activation;

/// `y[row] = x[row] / rms(x[row]) * weight` over rows of `weight.len()`.
pub fn rms_norm(x: &[f32], weight: &[f32], eps: f32, y: &mut [f32]) {
    y.copy_from_slice(x);
    rms_norm_heads(y, weight, eps);
}

/// The same in place, over every consecutive slice of `weight.len()`: the heads of every row.
pub fn rms_norm_heads(x: &mut [f32], weight: &[f32], eps: f32) {
    for x in x.chunks_exact_mut(weight.len()) {
        let mut lanes = [0.0f32; 16];
        for (k, &x) in x.iter().enumerate() {
            lanes[k % 16] = x.mul_add(x, lanes[k % 16]);
        }
        let mean = lane_sum(lanes) / weight.len() as f32;
        let r = 1.0 / (mean + eps).sqrt();
        for (x, &weight) in x.iter_mut().zip(weight) {
            *x = (*x * r) * weight;
        }
    }
}

/// `x = activation(x)`.
pub fn activate(activation: Activation, x: &mut [f32]) {
    let function = activation.function();
    for x in x {
        *x = function(*x);
    }
}

/// `x = x + y`.
pub fn add(x: &mut [f32], y: &[f32]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x += y;
    }
}

/// `x = x * y`.
pub fn mul(x: &mut [f32], y: &[f32]) {
    for (x, &y) in x.iter_mut().zip(y) {
        *x *= y;
    }
}

/// `x = x * factor`.
pub fn scale(x: &mut [f32], factor: f32) {
    for x in x {
        *x *= factor;
    }
}

/// `x[row] = x[row] + bias` over rows of `bias.len()`.
pub fn add_bias(x: &mut [f32], bias: &[f32]) {
    for x in x.chunks_exact_mut(bias.len()) {
        add(x, bias);
    }
}
