//! Upper bounds on what a file may ask for, whatever its length.
//!
//! They stand far above what known models need, and keep what the reader holds in memory near
//! the bytes that it read: a count is first compared with the bytes that follow, then with these.

/// Bytes of a key; the format's own limit.
pub const KEY_BYTES: u64 = 65_535;

/// Keys of one file. Known models have under a hundred.
pub const KEYS: u64 = 65_536;

/// Elements of one array. The largest known vocabulary has about 262 thousand tokens.
pub const ARRAY_ELEMENTS: u64 = 1 << 24;

/// Bytes of one string. The largest known chat templates have some tens of thousands.
pub const STRING_BYTES: u64 = 1 << 24;

/// Bytes of header, metadata and tensor table of one file. The largest known have about 20 MB.
pub const HEADER_BYTES: u64 = 1 << 28;

/// Tensors of one model. A file with one tensor per expert and layer stays under 100 thousand.
pub const TENSORS: u64 = 1 << 18;

/// Bytes of a tensor's name; the format's own limit.
pub const TENSOR_NAME_BYTES: u64 = 64;

/// Dimensions of a tensor; the format's own limit.
pub const TENSOR_DIMS: u32 = 4;

/// Parts of one split model. The largest known have some hundred.
pub const PARTS: u32 = 4096;
