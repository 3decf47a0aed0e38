//! Models, sessions and generation: what stands between a model file and text.
//!
//! * [`settings`]: flag, environment, `.env`, default, each value with its source.
//! * [`Model`]: a file bound to its definition, with tokenizer, template and kernels.
//! * [`Session`]: one conversation's state, its memory planned before it starts.
//! * [`verify`](verify::verify): everything that loading checks, all findings at once.
//!
//! Invariants: nothing is replaced in silence (a definition that did not load, a template that
//! did not parse, a tokenizer that is not known: each is an error where it is needed); a session
//! never holds more tokens than it was planned for; the same tokens give the same answer.
//!
//! ```no_run
//! use synapse_engine::{GenerateOptions, LoadOptions, Model, Select, Session};
//! # fn main() -> Result<(), synapse_diag::Diagnostics> {
//! let library = synapse_archdef::Library::load(None);
//! let model = Model::load("model.gguf".as_ref(), &library, &LoadOptions::default())?;
//! let prompt = model.encode_raw("The capital of France is")?;
//! let mut session = Session::new(&model, model.default_context(), 512, Select::Last)?;
//! let answer = session.generate(&prompt, &GenerateOptions::default(), &mut |_| true, &mut |_, _| {})?;
//! println!("{}", answer.text);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod bench;
mod generate;
pub mod memory;
mod model;
pub mod models_on_disk;
mod session;
pub mod settings;
mod stop_text;
pub mod verify;

pub use generate::{GenerateOptions, Generation, Stop, Timings};
pub use model::{
    DefinitionIdentity, LoadOptions, Model, default_threads, find_definition, load_tokenizer,
};
pub use session::{DEFAULT_CONTEXT, Session};
pub use synapse_exec::Select;
