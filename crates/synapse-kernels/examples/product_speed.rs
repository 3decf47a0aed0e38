//! Speed of the products in 10^9 multiply-adds a second, for a weight larger than most caches.
//!
//! `cargo run --release -p synapse-kernels --example product_speed [THREADS] [ISA]`

use std::time::{Duration, Instant};
use synapse_format::TensorType::{self, *};
use synapse_kernels::blocks::{WeightView, quantized};
use synapse_kernels::quantize::QuantizedRows;
use synapse_kernels::{Isa, Kernels};

fn main() {
    let mut args = std::env::args().skip(1);
    let threads = args.next().and_then(|t| t.parse().ok()).unwrap_or(1);
    let isa = args.next().and_then(|name| Isa::from_name(&name)).unwrap_or_else(Isa::detect);
    let kernels = Kernels::new(threads, isa);
    println!("{} threads, {}", kernels.pool().threads(), kernels.isa().name());
    println!("type   order  GMAC/s at n = 1, 2, 8, 32, 128");
    for ty in [F32, F16, Q4_0, Q4_1, Q5_0, Q8_0, Q4_K, Q5_K, Q6_K] {
        if quantized(ty) {
            row(&kernels, ty, "q8");
        }
        row(&kernels, ty, "f32");
    }
}

fn row(kernels: &Kernels, ty: TensorType, order: &str) {
    let (rows, k) = (8192, 1536);
    let size = ty.bytes_of((rows * k) as u64).expect("whole blocks") as usize;
    // Any bytes will do; 0x2A makes small finite scales and floats.
    let bytes = vec![0x2A; size];
    let w = WeightView::new(ty, rows, k, &bytes).expect("the length is right");
    print!("{:6} {order:5}", ty.name());
    for n in [1, 2, 8, 32, 128] {
        let x: Vec<f32> = (0..n * k).map(|i| (i % 97) as f32 - 48.0).collect();
        let mut q = QuantizedRows::new();
        kernels.quantize(&x, n, k, &mut q);
        let mut y = vec![0.0; n * rows];
        let (mut best, start) = (Duration::MAX, Instant::now());
        while best == Duration::MAX || start.elapsed() < Duration::from_millis(60) {
            let once = Instant::now();
            match order {
                "q8" => kernels.product_q8(w, &q, &mut y),
                _ => kernels.product_f32(w, &x, n, &mut y),
            }
            best = best.min(once.elapsed());
        }
        print!(" {:7.1}", (n * rows * k) as f64 / best.as_secs_f64() / 1e9);
    }
    println!();
}
