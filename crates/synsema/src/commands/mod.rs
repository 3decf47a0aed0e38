//! One file a command.

mod arch;
mod bench;
mod check;
mod detokenize;
mod generate;
mod init;
mod inspect;
mod logits;
mod status;
mod tokenize;
mod verify;

use crate::app::App;
use crate::args::{ArchCommand, Command, LlmCommand, ModelCommand};
use crate::failure::Failure;

/// Runs a command.
pub fn run(app: &App, command: Command) -> Result<(), Failure> {
    match command {
        Command::Init(args) => init::run(app, &args),
        Command::Check(args) => check::run(app, &args),
        Command::Llm(LlmCommand::Status(args)) => status::run(app, &args),
        Command::Model(ModelCommand::Inspect(args)) => inspect::run(app, &args),
        Command::Model(ModelCommand::Verify(args)) => verify::run(app, &args),
        Command::Arch(ArchCommand::List(args)) => arch::list(app, &args),
        Command::Arch(ArchCommand::Show(args)) => arch::show(app, &args),
        Command::Generate(args) => generate::run(app, &args),
        Command::Tokenize(args) => tokenize::run(app, &args),
        Command::Detokenize(args) => detokenize::run(app, &args),
        Command::Logits(args) => logits::run(app, &args),
        Command::Bench(args) => bench::run(app, &args),
    }
}
