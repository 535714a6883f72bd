//! The terminal, or whatever takes its place.

use std::io::{self, BufRead as _, IsTerminal as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use crate::report::say;
use crate::run::{Stop, threads};

/// How often it is looked whether the user wants everything to end.
const LOOK: Duration = Duration::from_millis(100);
const PROMPT: &str = "(cct) ";

/// Standard input, line by line, and standard output.
#[derive(Debug)]
pub(super) struct Terminal {
    lines: Receiver<String>,
    /// Nobody sees what was typed unless we repeat it.
    echoes: bool,
    stop: Stop,
}

impl Terminal {
    /// Reads on a thread of its own: a read is not interrupted by what sets `stop`.
    pub(super) fn open(stop: &Stop) -> io::Result<Terminal> {
        let (sender, lines) = channel();
        threads::start(move || {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        })?;
        Ok(Terminal {
            lines,
            echoes: !io::stdin().is_terminal(),
            stop: stop.clone(),
        })
    }

    /// The next line that is typed; none at the end of the input.
    pub(super) fn ask(&self) -> Option<String> {
        tell(PROMPT);
        let line = loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => break Some(line),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) if self.stop.is_set() => break None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        };
        match &line {
            Some(line) if self.echoes => tell(&format!("{}\n", line.trim())),
            Some(_) => {}
            None => tell("\n"),
        }
        line
    }
}

/// Writes text.
pub(super) fn tell(text: &str) {
    // A terminal that is gone has closed the input, too.
    let _ = say(text);
}
