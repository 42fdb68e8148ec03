//! The native half of `cargo xtask scenario`.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // Nothing is left to do when even the error cannot be written.
    let _ = writeln!(std::io::stderr(), "error: the engine has no scenario runner yet");
    ExitCode::FAILURE
}
