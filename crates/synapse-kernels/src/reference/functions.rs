//! Reference: functions of one number (section 3), and the lane tree (section 1).

/// Above this `exp` is infinity: the largest x whose exponential is finite.
pub const EXP_HIGHEST: f32 = f32::from_bits(0x42B1_7217);
/// Below this `exp` is zero; it keeps the result normal.
pub const EXP_LOWEST: f32 = -87.0;
/// 1 / ln 2.
pub const LOG2_E: f32 = f32::from_bits(0x3FB8_AA3B);
/// ln 2, the part with few bits: `n * LN_2_HIGH` is exact for every n that occurs.
pub const LN_2_HIGH: f32 = f32::from_bits(0x3F31_8000);
/// ln 2 − `LN_2_HIGH`, negative.
pub const LN_2_LOW: f32 = f32::from_bits(0xB95E_8083);
/// The polynomial of `exp` from the highest power down (Cephes library, `expf`).
pub const EXP_POLYNOMIAL: [f32; 6] = [
    f32::from_bits(0x3950_6967),
    f32::from_bits(0x3AB7_43CE),
    f32::from_bits(0x3C08_8908),
    f32::from_bits(0x3D2A_A9C1),
    f32::from_bits(0x3E2A_AAAA),
    f32::from_bits(0x3F00_0000),
];
/// sqrt(2 / pi).
pub const SQRT_2_OVER_PI: f32 = f32::from_bits(0x3F4C_422A);
/// The cubic coefficient of the tanh form of GELU.
pub const GELU_CUBIC: f32 = f32::from_bits(0x3D37_2713);
/// 1 / sqrt(2).
pub const SQRT_HALF: f32 = f32::from_bits(0x3F35_04F3);

/// e to the power of `x`.
pub fn exp(x: f32) -> f32 {
    if x.is_nan() {
        return f32::NAN;
    }
    if x > EXP_HIGHEST {
        return f32::INFINITY;
    }
    if x < EXP_LOWEST {
        return 0.0;
    }
    // x = n ln 2 + r with |r| <= (ln 2) / 2
    let n = (x * LOG2_E).round_ties_even();
    let r = (-n).mul_add(LN_2_HIGH, x);
    let r = (-n).mul_add(LN_2_LOW, r);
    // e^r = 1 + r + r^2 p(r)
    let mut p = EXP_POLYNOMIAL[0];
    for coefficient in &EXP_POLYNOMIAL[1..] {
        p = p.mul_add(r, *coefficient);
    }
    let y = p.mul_add(r * r, r) + 1.0;
    // y 2^n. n is a whole number in -126..=128, and no exponent leaves the normal range.
    let bits = y.to_bits().wrapping_add((n as i32 as u32) << 23);
    f32::from_bits(bits)
}

/// The divisor of the sigmoid forms: `1 + e^-x`.
pub fn sig(x: f32) -> f32 {
    1.0 + exp(-x)
}

/// `x / (1 + e^-x)`.
pub fn silu(x: f32) -> f32 {
    x / sig(x)
}

/// `x / 2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`, the tanh approximation of GELU, as
/// `x / (1 + e^(-2u))`.
pub fn gelu_tanh(x: f32) -> f32 {
    let u = SQRT_2_OVER_PI * (x * (GELU_CUBIC * x).mul_add(x, 1.0));
    x / sig(u + u)
}

/// `x / 2 (1 + erf(x / sqrt(2)))`, the exact GELU.
pub fn gelu(x: f32) -> f32 {
    (0.5 * x) * (1.0 + libm::erff(x * SQRT_HALF))
}

/// `max(x, 0)`; NaN stays NaN.
pub fn relu(x: f32) -> f32 {
    if x > 0.0 || x.is_nan() { x } else { 0.0 }
}

/// The sum of 16 lanes by the fixed tree.
pub fn lane_sum(mut lanes: [f32; 16]) -> f32 {
    for h in [8, 4, 2, 1] {
        for i in 0..h {
            lanes[i] += lanes[i + h];
        }
    }
    lanes[0]
}
