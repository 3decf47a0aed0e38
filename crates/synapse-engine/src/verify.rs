//! Verification: everything that loading checks, and the weights, without running; all findings
//! at once.

use std::path::Path;
use std::sync::Arc;

use synapse_archdef::Library;
use synapse_diag::{Diagnostic, Diagnostics, Lang, catalog::engine as rows};
use synapse_exec::{Program, default_precision};
use synapse_format::{Gguf, Load};
use synapse_kernels::blocks::WeightView;
use synapse_kernels::kv::KvType;
use synapse_kernels::{Isa, Kernels};
use synapse_text::{ChatTemplate, Message};

use crate::model::{
    DefinitionIdentity, default_threads, find_definition, has_tokenizer, load_tokenizer,
    template_context,
};

/// What was found about a file.
#[derive(Debug, Default)]
pub struct Verified {
    /// What is wrong; empty for a file that can be used.
    pub errors: Diagnostics,
    /// What is worth saying and stops nothing.
    pub notices: Diagnostics,
    /// The definition that runs it, where there is one.
    pub definition: Option<DefinitionIdentity>,
    /// The graph's fingerprint, where it binds.
    pub fingerprint: Option<String>,
    /// Count of tensors.
    pub tensors: usize,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Verifies a model file; `progress` is told how many tensors are done of how many.
pub fn verify(path: &Path, library: &Library, progress: &mut dyn FnMut(usize, usize)) -> Verified {
    let mut found = Verified::default();
    let file = match Gguf::open(path, Load::Map) {
        Ok(file) => Arc::new(file),
        Err(d) => {
            found.errors.push(d);
            return found;
        }
    };
    found.notices.extend(file.notices.iter().cloned());
    found.tensors = file.tensors.len();
    found.bytes = file.file_size();
    graph(&file, library, &mut found);
    text(&file, &mut found);
    if found.errors.is_empty() {
        weights(&file, &mut found, progress);
    }
    found
}

/// Every number of every weight is finite.
fn weights(file: &Gguf, found: &mut Verified, progress: &mut dyn FnMut(usize, usize)) {
    /// Numbers that are expanded at once.
    const AT_ONCE: usize = 1 << 20;
    let kernels = Kernels::new(default_threads(), Isa::detect());
    let mut numbers = Vec::new();
    for (done, tensor) in file.tensors.iter().enumerate() {
        progress(done, file.tensors.len());
        let size = |n: u64| usize::try_from(n).ok();
        let view = file.tensor_bytes(tensor).and_then(|bytes| {
            let (rows, cols) = (size(tensor.rows())?, size(tensor.row_elements())?);
            WeightView::new(tensor.ty, rows, cols, bytes)
        });
        // A type that cannot be expanded is refused where a step reads it.
        let Some(view) = view.filter(|v| v.cols > 0) else { continue };
        let (mut count, mut first) = (0, None);
        let ids: Vec<u32> = (0..u32::try_from(view.rows).unwrap_or(u32::MAX)).collect();
        for some in ids.chunks((AT_ONCE / view.cols).max(1)) {
            numbers.resize(some.len() * view.cols, 0.0);
            kernels.expand_rows(view, some, &mut numbers);
            for (row, values) in some.iter().zip(numbers.chunks(view.cols)) {
                let bad = values.iter().filter(|x| !x.is_finite()).count();
                count += bad;
                first = first.or((bad > 0).then_some(*row));
            }
        }
        if let Some(row) = first {
            let d = Diagnostic::new(&rows::WEIGHTS_NOT_FINITE).arg("name", &tensor.name);
            let d = d.arg("count", count).arg("row", row);
            found.errors.push(d.at_file(file.path.display()));
        }
    }
}

/// Definition, binding, lowering.
fn graph(file: &Arc<Gguf>, library: &Library, found: &mut Verified) {
    let bound = find_definition(library, file).and_then(|entry| {
        found.definition = Some(entry.into());
        synapse_ir::bind(&entry.definition, file)
    });
    match bound {
        Ok(bound) => {
            found.notices.extend(bound.notices);
            found.fingerprint = Some(bound.graph.fingerprint_hex());
            let precision = default_precision(&bound.graph);
            let lowered = Program::new(Arc::new(bound.graph), file.clone(), precision, KvType::F16);
            found.errors.extend(lowered.err().map(|d| d.at_file(file.path.display())));
        }
        Err(findings) => found.errors.extend(findings),
    }
}

/// Tokenizer and chat template.
fn text(file: &Gguf, found: &mut Verified) {
    let place = |d: Diagnostic| d.at_file(file.path.display());
    if has_tokenizer(file).is_err() {
        found.notices.push(place(Diagnostic::new(&rows::NO_TOKENIZER_NOTICE)));
        return;
    }
    let tokenizer = match load_tokenizer(file) {
        Ok((tokenizer, notices)) => {
            found.notices.extend(notices);
            if tokenizer.end_ids().is_empty() {
                found.notices.push(place(Diagnostic::new(&rows::NO_END_TOKEN)));
            }
            Some(tokenizer)
        }
        Err(d) => {
            found.errors.push(d);
            None
        }
    };
    match (ChatTemplate::from_metadata(&file.metadata), &tokenizer) {
        (Ok(Some(template)), Some(tokenizer)) => {
            let probe = Message { role: "user".to_owned(), content: "?".to_owned() };
            if let Err(d) = template.render(&[probe], &template_context(tokenizer)) {
                let notice = Diagnostic::new(&rows::TEMPLATE_PROBE);
                found.notices.push(place(notice.arg("reason", d.message(Lang::En))));
            }
        }
        (Ok(_), _) => {}
        (Err(d), _) => found.errors.push(place(d)),
    }
}
