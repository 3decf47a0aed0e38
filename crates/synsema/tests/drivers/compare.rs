//! Comparing arrays of f32.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Normalised mean squared error: sum((x - reference)²) / sum(reference²).
pub fn nmse(x: &[f32], reference: &[f32]) -> f64 {
    let (mut error, mut power) = (0.0, 0.0);
    for (&a, &b) in x.iter().zip(reference) {
        let (a, b) = (f64::from(a), f64::from(b));
        error += (a - b) * (a - b);
        power += b * b;
    }
    // A NaN in either array must not pass as small.
    if error.is_finite() && power > 0.0 { error / power } else { f64::INFINITY }
}

/// The largest error of a single row of `width` values: a fault that begins late hides in a mean.
pub fn worst_row(x: &[f32], reference: &[f32], width: usize) -> f64 {
    let rows = x.chunks(width).zip(reference.chunks(width));
    rows.map(|(a, b)| nmse(a, b)).fold(0.0, f64::max)
}

/// A raw file of little-endian f32.
pub fn read_f32(path: &Path) -> Vec<f32> {
    decode(&fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Row `index` of a raw file of rows of `width` values, without reading the others.
pub fn read_row(file: &mut File, index: usize, width: usize) -> Vec<f32> {
    let mut bytes = vec![0; width * 4];
    let start = u64::try_from(index * width * 4).expect("an offset");
    file.seek(SeekFrom::Start(start)).expect("the output can be read");
    file.read_exact(&mut bytes).expect("the output has this row");
    decode(&bytes)
}

fn decode(bytes: &[u8]) -> Vec<f32> {
    assert!(bytes.len().is_multiple_of(4), "{} bytes are not whole f32 values", bytes.len());
    let (values, _) = bytes.as_chunks::<4>();
    values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The place of the largest value, the first one where several are equal.
pub fn best(row: &[f32]) -> u32 {
    let mut best = 0;
    for (i, value) in row.iter().enumerate() {
        if *value > row[best] {
            best = i;
        }
    }
    u32::try_from(best).expect("a vocabulary fits in 32 bits")
}

#[test]
fn an_error_in_one_row_shows_in_the_worst_row() {
    let reference = vec![1.0; 40];
    let mut x = reference.clone();
    x[39] = 2.0;
    assert_eq!(nmse(&reference, &reference), 0.0);
    assert_eq!(nmse(&x, &reference), 1.0 / 40.0);
    assert_eq!(worst_row(&x, &reference, 10), 0.1);
    x[3] = f32::NAN;
    assert_eq!(nmse(&x, &reference), f64::INFINITY);
}
