//! Running the built binary and judging how it ended.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cases;

/// What only a fault of the program prints.
const FAULTS: [&str; 5] = [
    "panicked at",
    "RUST_BACKTRACE",
    "has overflowed its stack",
    "memory allocation of",
    "internal error",
];

/// One call of `synsema`: an empty working folder, and no setting from outside.
pub struct Synsema {
    args: Vec<OsString>,
    env: Vec<(String, OsString)>,
    folder: Option<PathBuf>,
    input: Option<Vec<u8>>,
    time: Duration,
    memory: Option<u64>,
}

/// How a call ended.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
    /// The call as one would type it, for messages.
    pub call: String,
}

/// A call with these arguments.
pub fn synsema<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Synsema {
    Synsema {
        args: args.into_iter().map(|a| a.as_ref().to_owned()).collect(),
        env: Vec::new(),
        folder: None,
        input: None,
        time: Duration::from_secs(600),
        memory: None,
    }
}

/// Holds back other heavy calls: two at once on two cores would only disturb each other.
pub fn machine() -> MutexGuard<'static, ()> {
    static MACHINE: Mutex<()> = Mutex::new(());
    MACHINE.lock().unwrap_or_else(|failed_elsewhere| failed_elsewhere.into_inner())
}

/// Prints a whole table at once, also where the test passes.
pub fn report(table: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{}\n", table.trim_end()).as_bytes());
}

impl Synsema {
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|a| a.as_ref().to_owned()));
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Runs in this folder; its `.env` counts.
    pub fn in_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Fails when the call takes longer.
    pub fn within(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Gives the process at most this many bytes of memory of its own: a larger allocation fails even
    /// where it would never be touched. Mapped files do not count.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    pub fn run(self) -> Outcome {
        let program = env!("CARGO_BIN_EXE_synsema");
        let mut command = match self.memory {
            None => Command::new(program),
            Some(bytes) => {
                let mut shell = Command::new("sh");
                let kib = (bytes / 1024).to_string();
                shell.args(["-c", "ulimit -d \"$0\" && exec \"$@\"", &kib, program]);
                shell
            }
        };
        let call = self.args.iter().fold(String::from("synsema"), |line, arg| {
            line + " " + &arg.to_string_lossy().escape_debug().to_string()
        });
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("SYNSEMA_") || text.starts_with("LC_") || text.starts_with("LANG") {
                command.env_remove(&name);
            }
        }
        let folder = self.folder.unwrap_or_else(|| cases::scratch("empty"));
        command
            .args(&self.args)
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .current_dir(folder)
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{call}: cannot start: {e}"));
        if let (Some(bytes), Some(mut pipe)) = (self.input, child.stdin.take()) {
            thread::spawn(move || pipe.write_all(&bytes));
        }
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let status = wait(&mut child, self.time, &call);
        let stderr = stderr.join().expect("the reader of stderr ends");
        Outcome {
            code: status.code(),
            stdout: stdout.join().expect("the reader of stdout ends"),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            call,
        }
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn wait(child: &mut Child, time: Duration, call: &str) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the state of a child can be read") {
            return status;
        }
        if start.elapsed() > time {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{call}: still running after {time:?}");
        }
        thread::sleep(Duration::from_millis(2));
    }
}

impl Outcome {
    /// Both streams, for messages and for words that may stand in either.
    pub fn text(&self) -> String {
        format!("{}\n{}", String::from_utf8_lossy(&self.stdout), self.stderr)
    }

    /// What is wrong when the call should have ended with one of `codes` and without a fault.
    pub fn fault(&self, codes: &[i32]) -> Option<String> {
        let text = self.text();
        if let Some(mark) = FAULTS.iter().find(|mark| text.contains(*mark)) {
            return Some(format!("{}: fault ({mark})\n{}", self.call, shortened(&text)));
        }
        match self.code {
            Some(code) if codes.contains(&code) => None,
            code => Some(format!(
                "{}: ended with {code:?}, expected {codes:?}\n{}",
                self.call,
                shortened(&text)
            )),
        }
    }

    /// Passes when the call succeeded.
    #[track_caller]
    pub fn done(self) -> Self {
        if let Some(fault) = self.fault(&[0]) {
            panic!("{fault}");
        }
        self
    }

    /// Passes when the call ended with `code`, with a message and with nothing on stdout.
    #[track_caller]
    pub fn stopped(self, code: i32) -> Self {
        if let Some(fault) = self.fault(&[code]) {
            panic!("{fault}");
        }
        assert!(self.stdout.is_empty(), "{}: wrote to stdout:\n{}", self.call, self.text());
        assert!(!self.stderr.trim().is_empty(), "{}: no message", self.call);
        self
    }

    /// Passes when the input was refused.
    #[track_caller]
    pub fn refused(self) -> Self {
        self.stopped(3)
    }

    /// Passes when each of `words` stands in the message.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(
                self.stderr.contains(word),
                "{}: `{word}` is not in the message:\n{}",
                self.call,
                shortened(&self.stderr)
            );
        }
        self
    }

    /// The one JSON value on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|e| panic!("{}: stdout is not JSON: {e}\n{}", self.call, self.text()))
    }

    /// The JSON values on stdout, one a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let lines = String::from_utf8_lossy(&self.stdout);
        let parse = |line| {
            serde_json::from_str(line)
                .unwrap_or_else(|e| panic!("{}: a line is not JSON: {e}: {line}", self.call))
        };
        lines.lines().filter(|line| !line.trim().is_empty()).map(parse).collect()
    }
}

/// The start of a long text.
pub fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(1500).collect();
    if short.len() < text.len() {
        short.push_str(" …");
    }
    short
}
