//! A model that is ready to run.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use synapse_archdef::library::{Entry, Origin};
use synapse_archdef::{Library, Lookup};
use synapse_diag::{Diagnostic, Diagnostics, Lang, catalog::engine as rows};
use synapse_exec::{Precision, Program, default_precision};
use synapse_format::{Gguf, Load};
use synapse_ir::{ModelGraph, OutputKind};
use synapse_kernels::kv::KvType;
use synapse_kernels::{Isa, Kernels};
use synapse_text::{ChatTemplate, EncodeOptions, Message, TemplateContext, Tokenizer};

use crate::session::DEFAULT_CONTEXT;

/// How a model is loaded.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// Precision profile; `None`: `q8` where weights are quantized, `f32` otherwise.
    pub precision: Option<Precision>,
    /// Element type of keys and values.
    pub kv: KvType,
    /// Worker threads, at least 1; `None`: one per processor.
    pub threads: Option<usize>,
    /// Instruction set, available here; `None`: the fastest.
    pub isa: Option<Isa>,
    /// How the bytes of the weights are reached.
    pub bytes: Load,
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions { precision: None, kv: KvType::F16, threads: None, isa: None, bytes: Load::Map }
    }
}

/// Which definition a model runs by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionIdentity {
    /// The architecture's name.
    pub name: String,
    /// `built-in`, or the path of the operator's file.
    pub origin: String,
    /// SHA-256 of the definition's text, in hexadecimal.
    pub sha256: String,
    /// Steps that one layer runs.
    pub steps_per_block: usize,
}

impl From<&Entry> for DefinitionIdentity {
    fn from(entry: &Entry) -> DefinitionIdentity {
        DefinitionIdentity {
            name: entry.name().to_owned(),
            origin: match &entry.origin {
                Origin::Builtin => "built-in".to_owned(),
                Origin::File(path) => path.display().to_string(),
            },
            sha256: entry.sha256_hex(),
            steps_per_block: entry.steps_per_block(),
        }
    }
}

/// A model file bound to its definition and lowered for one precision.
pub struct Model {
    /// The file.
    pub file: Arc<Gguf>,
    /// What runs.
    pub graph: Arc<ModelGraph>,
    /// By which definition.
    pub definition: DefinitionIdentity,
    /// The lowered program.
    pub program: Program,
    /// Kernels and worker threads.
    pub kernels: Kernels,
    /// Count of worker threads.
    pub threads: usize,
    /// Precision profile.
    pub precision: Precision,
    /// Element type of keys and values.
    pub kv: KvType,
    /// What was worth saying while loading.
    pub notices: Diagnostics,
    /// Seconds that loading took.
    pub load_seconds: f64,
    tokenizer: Result<Tokenizer, Diagnostic>,
    template: Result<Option<ChatTemplate>, Diagnostic>,
}

impl Model {
    /// Opens a model file and makes it ready to run.
    ///
    /// A tokenizer or template that cannot be used is an error where it is needed first: token
    /// ids can be run without either.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, an architecture without definition, a definition that does
    /// not fit the file (every disagreement at once), a tensor type that cannot be run.
    pub fn load(
        path: &Path,
        library: &Library,
        options: &LoadOptions,
    ) -> Result<Model, Diagnostics> {
        let start = Instant::now();
        let file = Arc::new(Gguf::open(path, options.bytes)?);
        // The tokenizer of a large vocabulary takes as long as everything else: do both at once.
        let (text, bound) = std::thread::scope(|scope| {
            let reader = scope.spawn(|| read_text(&file));
            let bound = bind_and_lower(&file, library, options);
            (reader.join(), bound)
        });
        let (tokenizer, template, text_notices) =
            text.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let (definition, graph, precision, program, bind_notices) = bound?;
        let notices = file.notices.iter().cloned().chain(bind_notices).chain(text_notices);
        let threads = options.threads.unwrap_or_else(default_threads);
        Ok(Model {
            definition,
            program,
            kernels: Kernels::new(threads, options.isa.unwrap_or_else(Isa::detect)),
            threads,
            precision,
            kv: options.kv,
            notices: notices.collect(),
            load_seconds: start.elapsed().as_secs_f64(),
            tokenizer,
            template,
            graph,
            file,
        })
    }

    /// The tokenizer.
    ///
    /// # Errors
    ///
    /// The file has none, or one that is not known or contradicts itself.
    pub fn tokenizer(&self) -> Result<&Tokenizer, Diagnostic> {
        self.tokenizer.as_ref().map_err(Clone::clone)
    }

    /// The chat template; `None` where the file has none.
    ///
    /// # Errors
    ///
    /// It does not parse.
    pub fn template(&self) -> Result<Option<&ChatTemplate>, Diagnostic> {
        self.template.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// A prompt as it stands: special tokens parsed, the model's own BOS rule.
    ///
    /// # Errors
    ///
    /// No usable tokenizer.
    pub fn encode_raw(&self, text: &str) -> Result<Vec<u32>, Diagnostic> {
        let options = EncodeOptions { parse_special: true, add_special: true };
        Ok(self.tokenizer()?.encode(text, options))
    }

    /// A conversation through the model's chat template, up to where the assistant's turn begins.
    ///
    /// # Errors
    ///
    /// No usable tokenizer; a template that refuses the conversation.
    pub fn encode_chat(
        &self,
        template: &ChatTemplate,
        messages: &[Message],
    ) -> Result<Vec<u32>, Diagnostic> {
        let tokenizer = self.tokenizer()?;
        let context = template_context(tokenizer);
        let place = |d: Diagnostic| d.at_file(self.file.path.display());
        let text = template.render(messages, &context).map_err(place)?;
        // A template writes BOS itself where the model wants one; one that does not gets the
        // model's own rule. EOS has no place before an answer.
        let has_bos = !context.bos_token.is_empty() && text.starts_with(&context.bos_token);
        let options = EncodeOptions { parse_special: true, add_special: !has_bos };
        let mut tokens = tokenizer.encode(&text, options);
        let added_eos = options.add_special && !text.ends_with(&context.eos_token);
        if added_eos && tokens.last() == tokenizer.eos().as_ref() {
            tokens.pop();
        }
        Ok(tokens)
    }

    /// Whether the output is logits; otherwise rows, one per token.
    pub fn has_logits(&self) -> bool {
        self.graph.output_kind == OutputKind::Logits
    }

    /// Tokens that a session holds when nobody asks for another number.
    pub fn default_context(&self) -> usize {
        self.graph.context_length.clamp(1, DEFAULT_CONTEXT)
    }
}

/// One worker per processor that this process may use.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a template sees of a model.
pub(crate) fn template_context(tokenizer: &Tokenizer) -> TemplateContext {
    let text = |id: Option<u32>| id.and_then(|id| tokenizer.token_text(id)).unwrap_or_default();
    TemplateContext {
        bos_token: text(tokenizer.bos()),
        eos_token: text(tokenizer.eos()),
        add_generation_prompt: true,
        ..TemplateContext::default()
    }
}

/// The definition of a file's architecture.
///
/// # Errors
///
/// No architecture in the file; no definition of it (known ones and those that did not load are
/// listed); a definition that did not load, with all its findings.
pub fn find_definition<'a>(library: &'a Library, file: &Gguf) -> Result<&'a Entry, Diagnostics> {
    let name = file.metadata.require_str("general.architecture")?;
    match library.get(name) {
        Lookup::Found(entry) => Ok(entry),
        Lookup::Broken(problem) => {
            let first = Diagnostic::new(&rows::DEFINITION_BROKEN).arg("name", name);
            let first = first.at_file(file.path.display());
            Err(std::iter::once(first).chain(problem.diagnostics.iter().cloned()).collect())
        }
        Lookup::Unknown { .. } => match library.require(name, Lang::En) {
            Ok(entry) => Ok(entry),
            Err(d) => Err(vec![d.at_file(file.path.display())]),
        },
    }
}

/// Whether the file has a tokenizer at all.
pub(crate) fn has_tokenizer(file: &Gguf) -> Result<(), Diagnostic> {
    let found = match file.metadata.get("tokenizer.ggml.model") {
        None => "absent",
        // What converters write for a model without vocabulary.
        Some(v) if matches!(v.as_str(), Some("none" | "no_vocab")) => "`none`",
        Some(_) => return Ok(()),
    };
    Err(Diagnostic::new(&rows::NO_TOKENIZER).arg("found", found).at_file(file.path.display()))
}

/// The tokenizer of a file, with what was worth saying about it.
///
/// # Errors
///
/// The file has none, or one that is not known or contradicts itself.
pub fn load_tokenizer(file: &Gguf) -> Result<(Tokenizer, Diagnostics), Diagnostic> {
    let place = |d: Diagnostic| d.at_file(file.path.display());
    has_tokenizer(file)?;
    let (tokenizer, notices) = Tokenizer::from_metadata(&file.metadata).map_err(place)?;
    Ok((tokenizer, notices.into_iter().map(place).collect()))
}

type Text = (Result<Tokenizer, Diagnostic>, Result<Option<ChatTemplate>, Diagnostic>, Diagnostics);

fn read_text(file: &Gguf) -> Text {
    let (tokenizer, notices) = match load_tokenizer(file) {
        Ok((tokenizer, notices)) => (Ok(tokenizer), notices),
        Err(d) => (Err(d), Diagnostics::new()),
    };
    let template = ChatTemplate::from_metadata(&file.metadata);
    (tokenizer, template.map_err(|d| d.at_file(file.path.display())), notices)
}

type Lowered = (DefinitionIdentity, Arc<ModelGraph>, Precision, Program, Diagnostics);

fn bind_and_lower(
    file: &Arc<Gguf>,
    library: &Library,
    options: &LoadOptions,
) -> Result<Lowered, Diagnostics> {
    let entry = find_definition(library, file)?;
    let bound = synapse_ir::bind(&entry.definition, file)?;
    let graph = Arc::new(bound.graph);
    let precision = options.precision.unwrap_or_else(|| default_precision(&graph));
    let program = Program::new(graph.clone(), file.clone(), precision, options.kv)
        .map_err(|d| d.at_file(file.path.display()))?;
    Ok((entry.into(), graph, precision, program, bound.notices))
}
