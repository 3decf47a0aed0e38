//! The one executor: feeds tokens through a program in pieces and yields the rows asked for.

use synapse_diag::{Diagnostic, catalog::run as rule};
use synapse_ir::ModelGraph;
use synapse_kernels::Kernels;
use synapse_kernels::blocks::WeightView;

use crate::program::{Buffer, Program, Step};
use crate::state::{State, Work};

/// Floats of output rows that one piece may hold: 64 MiB.
const OUTPUT_CAP: usize = 16 << 20;

/// Which positions of a call yield an output row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Select {
    /// The last one.
    Last,
    /// All of them.
    All,
}

/// Is told of progress as `(positions done, positions of this call)`; returning `false` stops the
/// call between two pieces.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

impl Program {
    /// Runs `tokens` at the positions after those already run, in pieces of at most `chunk`, and
    /// appends the selected output rows to `out`, each `output_width` long.
    ///
    /// # Errors
    /// A token outside the vocabulary, or more positions than can be counted, before anything is
    /// run; an output that is not finite. After an error the state must not be used further.
    pub fn run(
        &self,
        kernels: &Kernels,
        state: &mut State,
        tokens: &[u32],
        select: Select,
        chunk: usize,
        out: &mut Vec<f32>,
    ) -> Result<(), Diagnostic> {
        let mut collect = |rows: &[f32]| {
            out.extend_from_slice(rows);
            Ok(())
        };
        self.run_watched(kernels, state, tokens, select, chunk, &mut collect, &mut |_, _| true)
    }

    /// As [`Program::run`], handing rows over piece by piece and reporting progress. When `watch`
    /// stops the call, the state holds the pieces that were run and no row was selected by
    /// [`Select::Last`].
    ///
    /// # Errors
    /// As [`Program::run`], and what `sink` returns.
    pub fn run_watched(
        &self,
        kernels: &Kernels,
        state: &mut State,
        tokens: &[u32],
        select: Select,
        chunk: usize,
        sink: &mut dyn FnMut(&[f32]) -> Result<(), Diagnostic>,
        watch: Watch<'_>,
    ) -> Result<(), Diagnostic> {
        check_tokens(&self.graph, tokens, state.len)?;
        let piece = match (self.graph.causal, select) {
            (false, _) if state.len > 0 => {
                return Err(
                    Diagnostic::new(&rule::NOT_CAUSAL).arg("arch", &self.graph.architecture)
                );
            }
            (false, _) => tokens.len().max(1),
            (true, _) => self.piece(chunk, select),
        };
        let mut done = 0;
        for piece in tokens.chunks(piece) {
            done += piece.len();
            let selected = match select {
                Select::All => piece.len(),
                Select::Last => usize::from(done == tokens.len()),
            };
            let first = state.len;
            self.pass(kernels, state, piece, selected);
            if selected > 0 {
                let width = self.graph.output_width;
                let rows = &state.work.buffers[self.output.0][..selected * width];
                check_finite(rows, width, first + piece.len() - selected)?;
                sink(rows)?;
            }
            if !watch(done, tokens.len()) {
                break;
            }
        }
        Ok(())
    }

    /// Tokens that run at once where pieces of `chunk` are asked for.
    pub(crate) fn piece(&self, chunk: usize, select: Select) -> usize {
        let most = match select {
            Select::Last => chunk,
            Select::All if self.graph.causal => {
                chunk.min(OUTPUT_CAP / self.graph.output_width.max(1))
            }
            Select::All => chunk,
        };
        most.max(1)
    }

    /// One piece through every region. The epilogue runs where rows are selected: the last
    /// `selected` ones of the piece.
    fn pass(&self, kernels: &Kernels, state: &mut State, tokens: &[u32], selected: usize) {
        let n = tokens.len();
        let first = state.len;
        for (buffer, widths) in state.work.buffers.iter_mut().zip(&self.widths) {
            let floats = widths.floats(n, selected);
            if buffer.len() < floats {
                buffer.resize(floats, 0.0);
            }
        }
        state.work.positions.clear();
        // `check_tokens` has made sure that positions fit.
        state.work.positions.extend((first..first + n).map(|p| p as u32));

        let (epilogue, body) = match self.steps.split_last() {
            Some(parts) => parts,
            None => return,
        };
        for step in body.iter().flatten() {
            self.step(kernels, state, step, tokens, selected);
        }
        if selected > 0 {
            for step in epilogue {
                self.step(kernels, state, step, tokens, selected);
            }
        }
        state.len += n;
        for (layer, slot) in state.layers.iter_mut().zip(&self.graph.slots) {
            if let Some(window) = slot.window {
                // The next position sees `window` keys, its own included.
                let from = (state.len + 1).saturating_sub(window);
                layer.release_before(from);
                state.kept_from = state.kept_from.max(from);
            }
        }
    }

    fn step(&self, k: &Kernels, state: &mut State, step: &Step, tokens: &[u32], selected: usize) {
        let first = state.len;
        let work = &mut state.work;
        match step {
            Step::Embed { table, out } => {
                let table = self.weights.view(*table);
                work.write(*out, tokens.len(), table.cols, |y| k.expand_rows(table, tokens, y));
            }
            Step::Norm { x, weight, epsilon, out } => {
                let weight = &self.vectors[weight.0];
                work.map(*x, *out, weight.len(), weight.len(), |_, x, y| {
                    k.rms_norm(x, weight, *epsilon, y);
                });
            }
            Step::Quantize { x, width } => {
                let n = work.rows[x.0];
                let rows = &work.buffers[x.0][..n * width];
                k.quantize(rows, n, *width, &mut work.quantized);
            }
            Step::Products { x, quantized, parts } => self.products(k, work, *x, *quantized, parts),
            Step::AddBias { x, bias, width } => {
                k.add_bias(work.rows_mut(*x, *width), &self.vectors[bias.0]);
            }
            Step::NormHeads { x, weight, epsilon, width } => {
                k.rms_norm_heads(work.rows_mut(*x, *width), &self.vectors[weight.0], *epsilon);
            }
            Step::Rope { x, heads, head_dim, table, pairs } => {
                let n = work.rows[x.0];
                let rows = &mut work.buffers[x.0][..n * heads * head_dim];
                let (angles, positions) = (&mut work.angles[table.0], &work.positions);
                let table = &self.tables[table.0];
                k.rope(rows, *heads, *head_dim, table, *pairs, positions, angles);
            }
            Step::Attention { q, k: key, v, out, heads, slot, spec } => {
                let layer = &mut state.layers[slot.index()];
                let shape = *layer.shape();
                let n = work.rows[q.0];
                layer.reserve(first..first + n);
                let keys = &work.buffers[key.0][..n * shape.kv_heads * shape.key_dim];
                let values = &work.buffers[v.0][..n * shape.kv_heads * shape.value_dim];
                k.kv_append(layer, first, keys, values);
                let (q_width, o_width) = (heads * shape.key_dim, heads * shape.value_dim);
                work.map(*q, *out, q_width, o_width, |_, q, out| {
                    k.attention(q, *heads, layer, first, first + n, *spec, out);
                });
            }
            Step::Activate { x, activation, width } => {
                k.activate(*activation, work.rows_mut(*x, *width));
            }
            Step::ActivateMul { x, activation, y, width } => {
                work.change(*x, *y, *width, |x, y| k.activate_mul(*activation, x, y));
            }
            Step::Mul { x, y, width } => work.change(*x, *y, *width, |x, y| k.mul(x, y)),
            Step::Add { x, y, width } => work.change(*x, *y, *width, |x, y| k.add(x, y)),
            Step::Scale { x, factor, width } => k.scale(work.rows_mut(*x, *width), *factor),
            Step::Copy { x, out, width } => {
                work.map(*x, *out, *width, *width, |_, x, y| y.copy_from_slice(x));
            }
            Step::Select { x, out, width } => {
                let n = work.rows[x.0];
                let from = n.saturating_sub(selected);
                let source = std::mem::take(&mut work.buffers[x.0]);
                work.write(*out, n - from, *width, |y| {
                    y.copy_from_slice(&source[from * width..n * width]);
                });
                work.buffers[x.0] = source;
            }
        }
    }

    fn products(
        &self,
        k: &Kernels,
        work: &mut Work,
        x: Buffer,
        quantized: bool,
        parts: &[(synapse_ir::WeightId, Buffer)],
    ) {
        let n = work.rows[x.0];
        let mut outputs: Vec<(WeightView<'_>, Vec<f32>)> = parts
            .iter()
            .map(|(weight, out)| {
                work.rows[out.0] = n;
                (self.weights.view(*weight), std::mem::take(&mut work.buffers[out.0]))
            })
            .collect();
        let mut views: Vec<(WeightView<'_>, &mut [f32])> =
            outputs.iter_mut().map(|(w, y)| (*w, &mut y[..n * w.rows])).collect();
        if quantized {
            k.products_q8(&mut views, &work.quantized);
        } else if let Some((w, _)) = views.first() {
            let cols = w.cols;
            k.products_f32(&mut views, &work.buffers[x.0][..n * cols], n);
        }
        for ((_, out), (_, rows)) in parts.iter().zip(outputs) {
            work.buffers[out.0] = rows;
        }
    }
}

impl Work {
    /// Writes `n` new rows into `out`.
    fn write(&mut self, out: Buffer, n: usize, width: usize, f: impl FnOnce(&mut [f32])) {
        self.rows[out.0] = n;
        f(&mut self.buffers[out.0][..n * width]);
    }

    /// Reads the rows of `x` and writes as many into `out`, another buffer.
    fn map(
        &mut self,
        x: Buffer,
        out: Buffer,
        x_width: usize,
        out_width: usize,
        f: impl FnOnce(usize, &[f32], &mut [f32]),
    ) {
        let n = self.rows[x.0];
        let mut rows = std::mem::take(&mut self.buffers[out.0]);
        f(n, &self.buffers[x.0][..n * x_width], &mut rows[..n * out_width]);
        self.buffers[out.0] = rows;
        self.rows[out.0] = n;
    }

    /// Changes the rows of `x` by those of `y`, another buffer.
    fn change(&mut self, x: Buffer, y: Buffer, width: usize, f: impl FnOnce(&mut [f32], &[f32])) {
        let n = self.rows[x.0];
        let mut rows = std::mem::take(&mut self.buffers[x.0]);
        f(&mut rows[..n * width], &self.buffers[y.0][..n * width]);
        self.buffers[x.0] = rows;
    }

    fn rows_mut(&mut self, x: Buffer, width: usize) -> &mut [f32] {
        let n = self.rows[x.0];
        &mut self.buffers[x.0][..n * width]
    }
}

/// Every token is a row of the embedding table, every position a number the kernels can hold.
pub(crate) fn check_tokens(
    graph: &ModelGraph,
    tokens: &[u32],
    first: usize,
) -> Result<(), Diagnostic> {
    if let Some(i) = tokens.iter().position(|&t| t as usize >= graph.vocab_size) {
        return Err(Diagnostic::new(&rule::TOKEN_RANGE)
            .arg("id", tokens[i])
            .arg("position", first.saturating_add(i))
            .arg("vocabulary", graph.vocab_size));
    }
    let end = first.saturating_add(tokens.len());
    if u32::try_from(end).is_err() {
        return Err(Diagnostic::new(&rule::POSITIONS).arg("count", end));
    }
    Ok(())
}

/// No output row holds NaN or infinity; `first` is the position of the first row.
pub(crate) fn check_finite(rows: &[f32], width: usize, first: usize) -> Result<(), Diagnostic> {
    match rows.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) => Err(Diagnostic::new(&rule::NOT_FINITE)
            .arg("position", first.saturating_add(i / width.max(1)))
            .arg("value", rows[i])
            .arg("index", i % width.max(1))),
    }
}
