//! The results of a command once it has ended.

use std::process::Command;

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
    /// Runs a command to its end.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        let call = format!("{command:?}");
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("{call}: {error}"));
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
