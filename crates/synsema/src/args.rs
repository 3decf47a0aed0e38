//! Commands and flags.
//!
//! A flag that is also a setting is kept as text here and read by the one reader of settings, so
//! that a wrong value is told in the same words wherever it was written.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::build_info::VERSION;

/// Runs language models on your own machine. An architecture is a text file; the same input gives
/// the same bits.
#[derive(Debug, Parser)]
#[command(name = "synsema", version = VERSION, propagate_version = true)]
#[command(subcommand_required = true, arg_required_else_help = true)]
#[command(after_help = "Settings: flag, then environment, then ./.env, then default \
    (`synsema llm status` lists them).\n\
    Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused.\n\n\
    Example:\n  synsema generate --model model.gguf \"The capital of France is\"")]
pub struct Cli {
    /// Print results as JSON on stdout, and errors also as JSON on stderr
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented .env and a folder for definitions; nothing is overwritten
    #[command(after_help = "Example:\n  synsema init")]
    Init(InitArgs),
    /// Check definitions, alone or against a model's header
    #[command(after_help = "Example:\n  synsema check archdefs --model model.gguf")]
    Check(CheckArgs),
    /// About the engine
    #[command(subcommand, after_help = "Example:\n  synsema llm status")]
    Llm(LlmCommand),
    /// About model files
    #[command(subcommand, after_help = "Example:\n  synsema model verify model.gguf")]
    Model(ModelCommand),
    /// About architecture definitions
    #[command(subcommand, after_help = "Example:\n  synsema arch show llama")]
    Arch(ArchCommand),
    /// Generate text
    #[command(after_help = "Examples:\n  \
        synsema generate --model model.gguf \"Name three rivers.\"\n  \
        synsema generate --model model.gguf --raw --prompt-file story.txt --max-tokens 100\n  \
        cat question.txt | synsema generate --model model.gguf --json")]
    Generate(GenerateArgs),
    /// Turn text into token ids
    #[command(after_help = "Examples:\n  \
        synsema tokenize --model model.gguf \"Hello, world\"\n  \
        synsema tokenize --model model.gguf --file a.txt --file b.txt --json")]
    Tokenize(TokenizeArgs),
    /// Turn token ids into text
    #[command(after_help = "Example:\n  synsema detokenize --model model.gguf 504,3575,282")]
    Detokenize(DetokenizeArgs),
    /// Compute the logits of given tokens and write them to a file
    #[command(after_help = "The file holds little-endian f32, [positions, vocabulary].\n\n\
        Example:\n  \
        synsema logits --model model.gguf --tokens 504,3575,282 --output logits.f32 --last")]
    Logits(LogitsArgs),
    /// Measure speed and memory
    #[command(after_help = "Example:\n  \
        synsema bench --model model.gguf --prefill 256 --decode 64 --repeat 5")]
    Bench(BenchArgs),
}

/// About the engine.
#[derive(Debug, Subcommand)]
pub enum LlmCommand {
    /// Show engine, model, definitions and settings, with their identities
    #[command(after_help = "Example:\n  synsema llm status --json")]
    Status(StatusArgs),
}

/// About model files.
#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Show metadata, tensors and the definition that would run; reads no weights
    #[command(after_help = "Example:\n  synsema model inspect model.gguf")]
    Inspect(InspectArgs),
    /// Check everything that loading checks, and the weights, without running
    #[command(after_help = "Example:\n  synsema model verify model.gguf")]
    Verify(VerifyArgs),
}

/// About architecture definitions.
#[derive(Debug, Subcommand)]
pub enum ArchCommand {
    /// List the definitions, or the operations of the language
    #[command(after_help = "Example:\n  synsema arch list --definitions archdefs")]
    List(ArchListArgs),
    /// Print a definition
    #[command(after_help = "Example:\n  synsema arch show llama > archdefs/mine.archdef")]
    Show(ArchShowArgs),
}

/// Where definitions are.
#[derive(Clone, Debug, Default, Args)]
pub struct DefinitionArgs {
    /// Folder of your own definitions (SYNSEMA_INFER_ARCHDEF)
    #[arg(long, value_name = "DIR")]
    pub definitions: Option<String>,
}

/// Which model.
#[derive(Clone, Debug, Default, Args)]
pub struct ModelArgs {
    /// The model, a GGUF file (SYNSEMA_LLM_MODEL)
    #[arg(long, value_name = "FILE")]
    pub model: Option<String>,
}

/// How a model runs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Running")]
pub struct RunArgs {
    /// Precision profile; default: q8 where weights are quantized (SYNSEMA_INFER_PRECISION)
    #[arg(long, value_name = "f32|q8")]
    pub precision: Option<String>,
    /// Element type of keys and values; default f16 (SYNSEMA_INFER_KV)
    #[arg(long, value_name = "f16|f32")]
    pub kv: Option<String>,
    /// Tokens that a session can hold; default: the model's, 4096 at most (SYNSEMA_LLM_CTX)
    #[arg(long, value_name = "N")]
    pub ctx: Option<String>,
    /// Worker threads; default: one per processor (SYNSEMA_LLM_THREADS)
    #[arg(long, value_name = "N")]
    pub threads: Option<String>,
    /// Instruction set; default: the fastest here (SYNSEMA_INFER_KERNELS)
    #[arg(long, value_name = "scalar|avx2|avx512|neon")]
    pub kernels: Option<String>,
    /// Prompt tokens that run at once
    #[arg(long, value_name = "N", default_value_t = 512,
          value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub prefill_chunk: u32,
    /// Read the weights into memory instead of mapping the file
    #[arg(long)]
    pub read_weights: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub definitions: DefinitionArgs,
}

/// `init`
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The folder to prepare
    #[arg(default_value = ".")]
    pub folder: PathBuf,
}

/// `check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Definitions, or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Also bind them to this model's header
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
}

/// `llm status`
#[derive(Debug, Args)]
#[allow(missing_docs)]
pub struct StatusArgs {
    #[command(flatten)]
    pub model: ModelArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// `model inspect`
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The model, a GGUF file
    pub file: PathBuf,
    /// Show arrays of any length in full
    #[arg(long)]
    pub full: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub definitions: DefinitionArgs,
}

/// `model verify`
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The model, a GGUF file
    pub file: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub definitions: DefinitionArgs,
}

/// `arch list`
#[derive(Debug, Args)]
pub struct ArchListArgs {
    /// List the operations of the language instead
    #[arg(long)]
    pub operations: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub definitions: DefinitionArgs,
}

/// `arch show`
#[derive(Debug, Args)]
pub struct ArchShowArgs {
    /// Name of the architecture
    pub name: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub definitions: DefinitionArgs,
}

/// `generate`
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("input").multiple(false))]
pub struct GenerateArgs {
    /// The prompt; without any, it is read from a pipe
    #[arg(value_name = "PROMPT", group = "input")]
    pub text: Option<String>,
    /// The prompt, taken exactly
    #[arg(long, value_name = "TEXT", group = "input", allow_hyphen_values = true)]
    pub prompt: Option<String>,
    /// A file with the prompt, taken exactly; `-` is stdin
    #[arg(long, value_name = "FILE", group = "input")]
    pub prompt_file: Option<PathBuf>,
    /// A system message for the chat template
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub system: Option<String>,
    /// No chat template: continue the prompt as it stands
    #[arg(long, conflicts_with = "system")]
    pub raw: bool,
    /// Tokens at most; default 512 (SYNSEMA_LLM_MAX_TOKENS)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<String>,
    /// Randomness; only 0 (greedy) so far (SYNSEMA_LLM_TEMPERATURE)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub temperature: Option<String>,
    /// A text that ends the answer; may be given several times
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub stop: Vec<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

/// `tokenize`
#[derive(Debug, Args)]
pub struct TokenizeArgs {
    /// The text; without any text or file, it is read from a pipe
    #[arg(value_name = "TEXT", conflicts_with = "file")]
    pub text: Option<String>,
    /// A file with the text; may be given several times
    #[arg(long, value_name = "FILE")]
    pub file: Vec<PathBuf>,
    /// Text that spells a special token becomes that token
    #[arg(long)]
    pub parse_special: bool,
    /// Add the tokens that the model wants at the beginning and the end
    #[arg(long)]
    pub add_special: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
}

/// `detokenize`
#[derive(Debug, Args)]
pub struct DetokenizeArgs {
    /// The ids as 1,2,3, or a JSON file; without any, they are read from a pipe
    #[arg(value_name = "IDS", conflicts_with = "tokens")]
    pub ids: Option<String>,
    /// The ids as 1,2,3, or a JSON file
    #[arg(long, value_name = "IDS")]
    pub tokens: Option<String>,
    /// Leave special tokens out of the text
    #[arg(long)]
    pub hide_special: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
}

/// `logits`
#[derive(Debug, Args)]
pub struct LogitsArgs {
    /// The ids as 1,2,3, or a JSON file with a list, `tokens` or `input_ids`
    #[arg(long, value_name = "IDS")]
    pub tokens: String,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Only the last position
    #[arg(long)]
    pub last: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

/// `bench`
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Prompt tokens to time
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub prefill: u32,
    /// Generated tokens to time
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub decode: u32,
    /// Tokens that the session holds before
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub depth: u32,
    /// How often; the middle value is shown
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub model: ModelArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn each_command(command: &clap::Command, see: &mut impl FnMut(&clap::Command)) {
        see(command);
        command.get_subcommands().for_each(|c| each_command(c, see));
    }

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        each_command(&Cli::command(), &mut |c| {
            let help = c.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{} has no example", c.get_name());
        });
    }

    #[test]
    fn every_flag_of_a_setting_exists_and_names_its_variable() {
        use synapse_engine::settings::KEYS;
        for row in KEYS.iter().filter(|row| row.flag.is_some()) {
            let long = row.flag.and_then(|f| f.strip_prefix("--")).unwrap();
            let mut seen = false;
            each_command(&Cli::command(), &mut |c| {
                // `check --model` names a file to check against, not the model that runs.
                let Some(arg) = c.get_arguments().find(|a| a.get_long() == Some(long)) else {
                    return;
                };
                if c.get_name() != "check" {
                    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                    assert!(help.contains(row.variable), "{} {long}", c.get_name());
                    seen = true;
                }
            });
            assert!(seen, "no command has --{long}");
        }
    }

    #[test]
    fn a_prompt_is_given_in_one_way_only() {
        let parse = |args: &[&str]| Cli::try_parse_from([&["synsema", "generate"], args].concat());
        assert!(parse(&["hello"]).is_ok());
        assert!(parse(&["--prompt", "-5 is"]).is_ok());
        assert!(parse(&["hello", "--prompt", "x"]).is_err());
        assert!(parse(&["--prompt", "x", "--prompt-file", "f"]).is_err());
        assert!(parse(&["x", "--raw", "--system", "s"]).is_err());
    }
}
