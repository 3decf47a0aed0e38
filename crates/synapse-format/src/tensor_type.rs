//! Element and block types of tensors: one table.
//!
//! Source of numbers, names and sizes: `GGMLQuantizationType` and `GGML_QUANT_SIZES` of the
//! `gguf` Python package; `tests/tensor_types.py` prints them and a test compares.

macro_rules! tensor_types {
    ($($(#[$doc:meta])* $name:ident $id:literal $elements:literal $bytes:literal;)*) => {
        /// How the elements of a tensor are stored: a plain number or a block of quantized ones.
        #[allow(non_camel_case_types, missing_docs, reason = "the names are the format's own")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum TensorType {
            $($(#[$doc])* $name = $id,)*
        }

        impl TensorType {
            /// Every type, in the order of the numbers.
            pub const ALL: &'static [TensorType] = &[$(TensorType::$name),*];

            /// The type with the number that files hold; `None` where no such type exists now.
            pub fn from_id(id: u32) -> Option<TensorType> {
                match id {
                    $($id => Some(TensorType::$name),)*
                    _ => None,
                }
            }

            /// The name that the format's own tools print, such as `Q4_K`.
            pub fn name(self) -> &'static str {
                match self {
                    $(TensorType::$name => stringify!($name),)*
                }
            }

            /// Elements in one block; 1 for plain numbers.
            pub fn block_elements(self) -> u32 {
                match self {
                    $(TensorType::$name => $elements,)*
                }
            }

            /// Bytes of one block.
            pub fn block_bytes(self) -> u32 {
                match self {
                    $(TensorType::$name => $bytes,)*
                }
            }
        }
    };
}

// name, number in the file, elements of a block, bytes of a block
tensor_types! {
    F32 0 1 4;
    F16 1 1 2;
    Q4_0 2 32 18;
    Q4_1 3 32 20;
    Q5_0 6 32 22;
    Q5_1 7 32 24;
    Q8_0 8 32 34;
    Q8_1 9 32 40;
    Q2_K 10 256 84;
    Q3_K 11 256 110;
    Q4_K 12 256 144;
    Q5_K 13 256 176;
    Q6_K 14 256 210;
    Q8_K 15 256 292;
    IQ2_XXS 16 256 66;
    IQ2_XS 17 256 74;
    IQ3_XXS 18 256 98;
    IQ1_S 19 256 50;
    IQ4_NL 20 32 18;
    IQ3_S 21 256 110;
    IQ2_S 22 256 82;
    IQ4_XS 23 256 136;
    I8 24 1 1;
    I16 25 1 2;
    I32 26 1 4;
    I64 27 1 8;
    F64 28 1 8;
    IQ1_M 29 256 56;
    BF16 30 1 2;
    TQ1_0 34 256 54;
    TQ2_0 35 256 66;
    MXFP4 39 32 17;
    NVFP4 40 64 36;
    Q1_0 41 128 18;
}

impl TensorType {
    /// The number that files hold.
    pub fn id(self) -> u32 {
        self as u32
    }

    /// Whether the number belonged to a format that was withdrawn: 4 and 5 (`Q4_2`, `Q4_3`),
    /// 31 to 33 (`Q4_0` repacked for one machine), 36 to 38 (`IQ4_NL` repacked).
    pub fn removed(id: u32) -> bool {
        matches!(id, 4 | 5 | 31..=33 | 36..=38)
    }

    /// Bytes of `elements` elements in whole blocks. `None` where they do not fill whole blocks
    /// or the count of bytes does not fit 64 bits.
    pub fn bytes_of(self, elements: u64) -> Option<u64> {
        let block = u64::from(self.block_elements());
        if !elements.is_multiple_of(block) {
            return None;
        }
        (elements / block).checked_mul(u64::from(self.block_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::TensorType;

    /// `tests/tensor_types.tsv` is what `tests/tensor_types.py` printed.
    #[test]
    fn the_table_equals_the_gguf_packages_table() {
        let expected = include_str!("../tests/tensor_types.tsv");
        let ours: String = TensorType::ALL
            .iter()
            .map(|t| {
                format!("{}\t{}\t{}\t{}\n", t.id(), t.name(), t.block_elements(), t.block_bytes())
            })
            .collect();
        assert_eq!(ours, expected);
    }

    #[test]
    fn a_number_finds_its_type_and_removed_numbers_find_none() {
        for id in 0..100 {
            match TensorType::from_id(id) {
                Some(t) => assert_eq!(t.id(), id),
                None => assert!(TensorType::removed(id) || id > 41, "{id}"),
            }
            assert!(!(TensorType::removed(id) && TensorType::from_id(id).is_some()));
        }
    }

    #[test]
    fn bytes_of_counts_whole_blocks_only() {
        assert_eq!(TensorType::Q4_K.bytes_of(512), Some(288));
        assert_eq!(TensorType::Q4_K.bytes_of(511), None);
        assert_eq!(TensorType::F64.bytes_of(u64::MAX), None);
    }
}
