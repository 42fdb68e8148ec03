//! Runs wasm-bindgen tests in a headless browser: the `runner` that `cargo xtask test` hands to cargo.
//!
//! It is the upstream runner as a library, so its version is the one in our own lock file.

fn main() {
    if let Err(error) = wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os()) {
        use std::io::Write as _;
        // Nothing is left to do when even the error cannot be written.
        let _ = writeln!(std::io::stderr(), "error: {error:?}");
        std::process::exit(1);
    }
}
