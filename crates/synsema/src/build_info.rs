//! Which program this is.

use std::io::Read;

use sha2::{Digest, Sha256};

/// Version of the command.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commit that the program was built from; `None` where it was built outside a repository.
pub fn commit() -> Option<&'static str> {
    Some(env!("SYNSEMA_COMMIT")).filter(|c| !c.is_empty())
}

/// SHA-256 of the running program's file, in hexadecimal; `None` where it cannot be read.
pub fn binary_sha256() -> Option<String> {
    // On Linux this link leads to the running file even after another was put in its place.
    let running = std::path::Path::new("/proc/self/exe");
    let path = if running.exists() { running.to_owned() } else { std::env::current_exe().ok()? };
    let mut file = std::fs::File::open(path).ok()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer).ok()? {
            0 => break,
            n => hash.update(buffer.get(..n)?),
        }
    }
    Some(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
