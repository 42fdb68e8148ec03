//! Runs other programs: shows their output while they run, and keeps it for those who count.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use crate::error::{Context as _, Error, Result};

/// Of a command with more words than this, the rest is only counted.
const MOST_WORDS_SHOWN: usize = 24;

/// A program to run, with what it is called in messages.
#[derive(Debug)]
pub(crate) struct Run {
    program: OsString,
    command: Command,
    words: Vec<String>,
}

/// What a program printed and how it ended.
#[derive(Debug, Default)]
pub(crate) struct Output {
    /// Standard output and error, line by line, in the order they came.
    pub(crate) lines: Vec<String>,
    /// Whether it ended with success.
    pub(crate) ok: bool,
}

impl Run {
    /// A run of `program`.
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref();
        let name = Path::new(program).file_name().unwrap_or(program).to_string_lossy().into_owned();
        Self { program: program.to_owned(), command: Command::new(program), words: vec![name] }
    }

    /// A run of the cargo that runs us, in the project's root.
    pub(crate) fn cargo(root: &Path) -> Self {
        let mut run = Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        run.command.current_dir(root);
        // Set for us by `cargo run`; they would make the inner cargo rebuild what reads them.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
            run.command.env_remove(name);
        }
        run
    }

    /// Adds arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            self.words.push(arg.as_ref().to_string_lossy().into_owned());
            self.command.arg(arg);
        }
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs in this folder.
    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Says what runs, lets it print, and fails when it fails.
    pub(crate) fn stream(mut self) -> Result<()> {
        println!("  $ {}", self.line());
        let status =
            self.command.stdin(Stdio::null()).status().context(format_args!("{} did not start", self.name()))?;
        if status.success() { Ok(()) } else { Err(Error::new(format!("`{}` failed ({status})", self.line()))) }
    }

    /// Runs in silence and gives its standard output; fails with its error output when it fails.
    pub(crate) fn read(mut self) -> Result<String> {
        let output =
            self.command.stdin(Stdio::null()).output().context(format_args!("{} did not start", self.name()))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            let text = String::from_utf8_lossy(&output.stderr);
            Err(Error::new(format!("`{}` failed ({}): {}", self.line(), output.status, text.trim())))
        }
    }

    /// Runs, gives its standard output, and lets its error output (cargo's progress) through.
    pub(crate) fn read_showing_progress(mut self) -> Result<String> {
        println!("  $ {}", self.line());
        let output = self
            .command
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
            .context(format_args!("{} did not start", self.name()))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            Ok(text)
        } else {
            Err(Error::new(format!("`{}` failed ({})", self.line(), output.status)))
        }
    }

    /// Runs and passes every line to `show` while it keeps them all. Only a program that
    /// does not start is an error; how it ended is in the answer.
    pub(crate) fn watch(mut self, mut show: impl FnMut(&str)) -> Result<Output> {
        println!("  $ {}", self.line());
        let mut child = self
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context(format_args!("{} did not start", self.name()))?;
        let (sender, receiver) = mpsc::channel();
        let readers = [
            child.stdout.take().map(|pipe| forward(pipe, sender.clone())),
            child.stderr.take().map(|pipe| forward(pipe, sender)),
        ];
        let mut lines = Vec::new();
        for line in receiver {
            show(&line);
            lines.push(line);
        }
        for reader in readers.into_iter().flatten() {
            // A reader that panicked has lost lines, not the result: the exit status still counts.
            let _ = reader.join();
        }
        let status = child.wait().context(format_args!("waiting for {}", self.name()))?;
        Ok(Output { lines, ok: status.success() })
    }

    /// The command as a person reads it: a long list of files is cut.
    fn line(&self) -> String {
        let shown = self.words.get(..MOST_WORDS_SHOWN).unwrap_or(&self.words);
        let hidden = self.words.len() - shown.len();
        let rest = if hidden > 0 { format!(" … and {hidden} more") } else { String::new() };
        format!("{}{rest}", shown.join(" "))
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

/// Sends each line of `pipe`, whatever its bytes are.
fn forward(pipe: impl Read + Send + 'static, sender: mpsc::Sender<String>) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        let mut reader = BufReader::new(pipe);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            let text = String::from_utf8_lossy(&line);
            if sender.send(text.trim_end_matches(['\n', '\r']).to_owned()).is_err() {
                break;
            }
            line.clear();
        }
    })
}
