//! Runs a test executable natively, as a whole, with threads that are held.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use cct::tsvd::Parameters;
use cct::wire::{self, Event};

use super::events;
use super::places::functions_of_std;
use super::process;
use super::scratch::Scratch;
use super::stop::Stop;
use crate::build::cargo::Executable;

/// A run to be.
#[derive(Debug)]
pub(crate) struct Injection<'a> {
    /// The executable.
    pub executable: &'a Executable,
    /// The arguments for its harness.
    pub words: &'a [String],
    /// The parameters.
    pub parameters: Parameters,
    /// The file with the pairs that are known, if there are any.
    pub pairs: Option<&'a Path>,
    /// After so long without news it is ended, if a violation was seen: that may have broken it.
    pub patience: Duration,
}

/// How it went.
#[derive(Debug)]
pub(crate) struct Injected {
    /// None if it was ended from outside.
    pub status: Option<ExitStatus>,
    /// It was ended since it stood still after a violation.
    pub stood_still: bool,
    /// How long it took.
    pub elapsed: Duration,
    /// The output of its tests.
    pub printed: String,
}

impl Injection<'_> {
    /// Runs it to its end.
    pub(crate) fn run(
        &self,
        scratch: &Scratch,
        stop: &Stop,
        mut on_event: impl FnMut(Event),
    ) -> io::Result<Injected> {
        let output = scratch.path("output");
        let file = OpenOptions::new().create(true).append(true).open(&output)?;
        let mut command = self.command()?;
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .process_group(0);
        let board = scratch.board()?;
        let began = Instant::now();
        let (mut child, pipe) = process::spawn(command, &board, None)?;
        let events = events::receive(pipe)?;
        let mut is_open = true;
        // When there was news for the last time, once a violation was seen.
        let mut damaged: Option<Instant> = None;
        let mut stood_still = false;
        let status = loop {
            match events.recv_timeout(Duration::from_millis(20)) {
                Ok(event) => {
                    if damaged.is_some() || matches!(event, Event::Violation(_)) {
                        damaged = Some(Instant::now());
                    }
                    on_event(event);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => is_open = false,
            }
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            stood_still = damaged.is_some_and(|last| last.elapsed() > self.patience);
            if stop.is_set() || stood_still {
                process::end(&mut child)?;
                break None;
            }
            if !is_open {
                // It is about to end, unless it has closed the pipe.
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let elapsed = began.elapsed();
        events::rest(&events, events::LAST_WORDS).for_each(&mut on_event);
        let printed = fs::read(&output).unwrap_or_default();
        Ok(Injected {
            status,
            stood_still,
            elapsed,
            printed: String::from_utf8_lossy(&printed).into_owned(),
        })
    }

    fn command(&self) -> io::Result<Command> {
        let executable = self.executable;
        let mut command = Command::new(&executable.path);
        command
            .args(self.words)
            .current_dir(&executable.folder)
            .envs(executable.env.iter().map(|(name, value)| (name, value)))
            .env(wire::ENV_MODE, "tsvd")
            .env(wire::ENV_TSVD, self.parameters.to_string())
            .env_remove(wire::ENV_ORIGINS);
        match functions_of_std(executable)? {
            Some(functions) => command.env(wire::ENV_PLACES, functions),
            None => command.env_remove(wire::ENV_PLACES),
        };
        match executable.linked.code {
            Some(code) => command.env(wire::ENV_CODE, code.name()),
            None => command.env_remove(wire::ENV_CODE),
        };
        match self.pairs {
            Some(pairs) => command.env(wire::ENV_TSVD_PAIRS, pairs),
            None => command.env_remove(wire::ENV_TSVD_PAIRS),
        };
        Ok(command)
    }
}
