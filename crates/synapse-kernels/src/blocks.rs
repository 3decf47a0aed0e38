//! Weights as the file stores them: the view that kernels take, and one table row a block type.
//!
//! A quantized type is seen here as runs of 32 weights, each an unsigned code of at most 8 bits,
//! an offset that is subtracted from it, and scales. `docs/numerics.md` sections 4 and 5.3 say what
//! value that makes. The unpackers give codes and scales as stored; arithmetic on
//! them is the products' business.

use synapse_format::TensorType;

/// Whether the kernels multiply by (and expand) weights of this type.
pub fn supported(ty: TensorType) -> bool {
    use TensorType::*;
    matches!(ty, F32 | F16 | BF16) || quantized(ty)
}

/// Whether the type stores integers with scales, so that the `q8` profile multiplies integers.
pub fn quantized(ty: TensorType) -> bool {
    use TensorType::*;
    matches!(ty, Q4_0 | Q4_1 | Q5_0 | Q5_1 | Q8_0 | Q4_K | Q5_K | Q6_K)
}

/// A weight matrix in the bytes of its file: `rows` rows of `cols` (k) elements, row-major.
#[derive(Clone, Copy, Debug)]
pub struct WeightView<'a> {
    /// How the elements are stored.
    pub ty: TensorType,
    /// Outputs of the product.
    pub rows: usize,
    /// Elements of a row: the length k of the sum.
    pub cols: usize,
    /// `rows * row_bytes()` bytes.
    pub bytes: &'a [u8],
}

impl<'a> WeightView<'a> {
    /// A view of `bytes`. `None` where the type is not [`supported`], a row is not a whole number
    /// of blocks, or the length is not that of `rows` rows.
    pub fn new(ty: TensorType, rows: usize, cols: usize, bytes: &'a [u8]) -> Option<Self> {
        let row = usize::try_from(ty.bytes_of(cols as u64)?).ok()?;
        (supported(ty) && rows.checked_mul(row)? == bytes.len()).then_some(Self {
            ty,
            rows,
            cols,
            bytes,
        })
    }

    /// Bytes of one row.
    pub fn row_bytes(&self) -> usize {
        self.cols / self.ty.block_elements() as usize * self.ty.block_bytes() as usize
    }

    /// The bytes of row `row`.
    ///
    /// # Panics
    /// If the matrix has no such row.
    pub fn row(&self, row: usize) -> &'a [u8] {
        let bytes = self.row_bytes();
        &self.bytes[row * bytes..(row + 1) * bytes]
    }
}
