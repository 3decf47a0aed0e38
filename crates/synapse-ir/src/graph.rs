//! The Model IR: a typed graph in single-assignment form. Ids are indices into the graph's lists.

use synapse_format::TensorType;

use crate::region::Region;

/// Index of a value in [`ModelGraph::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// Index of a node in [`ModelGraph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Index of a weight in [`ModelGraph::weights`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WeightId(pub u32);

/// Index of a state slot in [`ModelGraph::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(pub u32);

macro_rules! index {
    ($($id:ident),*) => {
        $(impl $id {
            /// The position in the graph's list.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        })*
    };
}
index!(ValueId, NodeId, WeightId, SlotId);

/// Type of a value's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    /// Activations.
    F32,
    /// Token ids and positions.
    U32,
}

/// How many rows a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dim {
    /// One row for each token that is fed.
    Tokens,
    /// One row for each position that was asked for.
    Selected,
}

/// Shape of a value: symbolic rows, fixed width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows.
    pub rows: Dim,
    /// Elements of a row.
    pub width: usize,
}

/// A value: defined once, by a node or as an input of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Type of its elements.
    pub element: ElementType,
    /// Its shape.
    pub shape: Shape,
    /// The register it comes from: an annotation only.
    pub label: String,
}

/// A weight: a tensor of the model file.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// Name in the file.
    pub name: String,
    /// Encoding in the file.
    pub encoding: TensorType,
    /// Elements of a row (the innermost dimension).
    pub cols: usize,
    /// Rows (the product of the other dimensions).
    pub rows: usize,
    /// Where its bytes lie: part of a split file, absolute offset, length.
    pub source: (usize, u64, u64),
    /// SHA-256 of its bytes, where something has computed it.
    pub hash: Option<[u8; 32]>,
}

/// State that survives from call to call: the keys and values of one attention.
#[derive(Clone, Debug, PartialEq)]
pub struct StateSlot {
    /// Heads of keys and values.
    pub kv_heads: usize,
    /// Elements of a key.
    pub key_dim: usize,
    /// Elements of a value.
    pub value_dim: usize,
    /// How many keys, counted back from the newest position, can still be read.
    pub window: Option<usize>,
}

/// Element-wise activation functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Activation {
    /// x / (1 + exp(-x))
    Silu = 0,
    /// The erf form.
    Gelu = 1,
    /// The tanh approximation.
    GeluTanh = 2,
    /// max(x, 0)
    Relu = 3,
}

/// Which dimensions a rotation pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RopePairs {
    /// j with j + dims/2.
    Halves = 0,
    /// 2j with 2j + 1.
    Interleaved = 1,
}

/// An operation with every attribute that its kernel needs. Formulas: `docs/numerics.md`.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// tokens → rows of the table.
    Embed {
        /// `[vocabulary, width]`
        table: WeightId,
    },
    /// Root mean square norm over the row.
    RmsNorm {
        /// `[width]`
        weight: WeightId,
        /// Added to the mean square.
        epsilon: f32,
    },
    /// Product with a matrix.
    Matmul {
        /// `[output width, input width]`
        weight: WeightId,
    },
    /// Adds a vector to each row.
    AddBias {
        /// `[width]`
        bias: WeightId,
    },
    /// Root mean square norm over each head, one weight for all heads.
    NormHeads {
        /// `[head width]`
        weight: WeightId,
        /// Heads in a row.
        heads: usize,
        /// Added to the mean square.
        epsilon: f32,
    },
    /// Rotates by position. Inputs: the rows, the positions.
    Rope {
        /// Heads in a row.
        heads: usize,
        /// Leading dimensions of a head that are rotated.
        dims: usize,
        /// Which dimensions make a pair.
        pairs: RopePairs,
        /// Base of the frequencies.
        base: f64,
        /// Divides every frequency (linear scaling).
        scale: f64,
        /// `[dims/2]` divisors of the frequencies.
        factors: Option<WeightId>,
    },
    /// Appends keys and values to the slot and attends. Inputs: q, k, v, positions.
    Attention {
        /// Heads of q.
        heads: usize,
        /// Factor of the scores.
        scale: f32,
        /// Keys that a position sees, its own included.
        window: Option<usize>,
        /// Whether a position sees only itself and earlier ones.
        causal: bool,
        /// Keys and values so far.
        slot: SlotId,
    },
    /// Element-wise function.
    Activate(Activation),
    /// Element-wise product.
    Mul,
    /// Element-wise sum.
    Add,
    /// Product with a constant.
    Scale {
        /// The constant.
        factor: f32,
    },
    /// The same rows under another name.
    Copy,
    /// Keeps the rows that were asked for.
    Last,
}

/// One operation of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What is computed.
    pub op: Op,
    /// Values it reads, in the operation's order.
    pub inputs: Vec<ValueId>,
    /// The value it defines.
    pub output: ValueId,
    /// Line of the definition: an annotation only.
    pub line: u32,
}

/// What the graph yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum OutputKind {
    /// Logits over the vocabulary, for the selected rows.
    Logits = 0,
    /// One output row per selected token.
    Rows = 1,
}

/// A model: what may run. Made by [`crate::bind`].
#[derive(Clone, Debug, PartialEq)]
pub struct ModelGraph {
    /// Name of the architecture.
    pub architecture: String,
    /// Count of layers.
    pub layers: usize,
    /// Positions that the model was made for.
    pub context_length: usize,
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// What the output is.
    pub output_kind: OutputKind,
    /// Elements of an output row.
    pub output_width: usize,
    /// Whether no position sees a later one; otherwise the input must be fed at once.
    pub causal: bool,
    /// Values; the first two are the inputs.
    pub values: Vec<Value>,
    /// Nodes in an order that can run.
    pub nodes: Vec<Node>,
    /// Weights, each named once.
    pub weights: Vec<Weight>,
    /// State slots.
    pub slots: Vec<StateSlot>,
    /// Regions in order: prologue, layers, epilogue.
    pub regions: Vec<Region>,
    /// The value that is the output.
    pub output: ValueId,
}

impl ModelGraph {
    /// The input that holds the token ids.
    pub const TOKENS: ValueId = ValueId(0);
    /// The input that holds the absolute positions.
    pub const POSITIONS: ValueId = ValueId(1);

    /// The value with an id of this graph.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// The weight with an id of this graph.
    pub fn weight(&self, id: WeightId) -> &Weight {
        &self.weights[id.index()]
    }

    /// The slot with an id of this graph.
    pub fn slot(&self, id: SlotId) -> &StateSlot {
        &self.slots[id.index()]
    }
}

impl Op {
    /// The weights that the operation reads.
    pub fn weights(&self) -> impl Iterator<Item = WeightId> {
        let id = match self {
            Op::Embed { table } => Some(*table),
            Op::RmsNorm { weight, .. } | Op::Matmul { weight } | Op::NormHeads { weight, .. } => {
                Some(*weight)
            }
            Op::AddBias { bias } => Some(*bias),
            Op::Rope { factors, .. } => *factors,
            _ => None,
        };
        id.into_iter()
    }

    /// The state that the operation reads and writes.
    pub fn slot(&self) -> Option<SlotId> {
        match self {
            Op::Attention { slot, .. } => Some(*slot),
            _ => None,
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = match self.rows {
            Dim::Tokens => "tokens",
            Dim::Selected => "selected",
        };
        write!(f, "[{rows}, {}]", self.width)
    }
}
