//! The results of a command once it has ended.

use std::process::{Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{io, thread};

/// The longest that a command may take, on the slowest machine. One that waits for ever is asked to end then:
/// if it does, its test fails under its name.
const LIMIT: Duration = Duration::from_mins(20);

/// The end of a command: its exit code and all it wrote.
#[derive(Debug)]
pub struct Finished {
    /// Exit code; `None` if a signal ended the process.
    pub code: Option<i32>,
    /// Standard output, as text.
    pub stdout: String,
    /// Standard error, as text.
    pub stderr: String,
    /// The command as it was called, for messages.
    call: String,
}

impl Finished {
    /// Runs a command to its end. It has nothing to read.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        Self::reading(Stdio::null(), command)
    }

    /// Runs a command to its end, with this as its standard input.
    #[track_caller]
    pub fn reading(input: impl Into<Stdio>, command: &mut Command) -> Self {
        let call = format!("{command:?}");
        let output = output(command.stdin(input)).unwrap_or_else(|error| panic!("{call}: {error}"));
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            call,
        }
    }

    /// Panics with all output unless the exit code is `code`.
    #[track_caller]
    pub fn expect(&self, code: i32) {
        let Self {
            stdout,
            stderr,
            call,
            ..
        } = self;
        assert!(
            self.code == Some(code),
            "{call}\nended with {:?} instead of {code}\n{stdout}\n{stderr}",
            self.code,
        );
    }
}

/// Runs a command to its end, and asks it to end at the [`LIMIT`].
fn output(command: &mut Command) -> io::Result<Output> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn()?;
    let pid = child.id().cast_signed();
    let (ends, ended) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if ended.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            // SAFETY: sends a signal to a child that nobody has waited for.
            unsafe { libc::kill(pid, libc::SIGTERM) };
        }
    });
    let output = child.wait_with_output();
    drop(ends);
    watch.join().expect("it does not panic");
    output
}
