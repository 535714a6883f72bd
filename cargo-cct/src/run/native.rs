//! Runs an executable that is not under control: as a whole, once, as `cargo test` would.

use std::io::{self, Read as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use cct::claim::Exceptions;

use super::name::TestName;
use super::outcome::{Outcome, TestRun};
use super::watch::Stop;
use crate::build::cargo::Executable;

/// Runs it; what it prints is kept.
pub(crate) fn run_native(
    executable: &Executable,
    words: &[String],
    stop: &Stop,
) -> io::Result<TestRun> {
    let began = Instant::now();
    let (mut reader, writer) = io::pipe()?;
    let mut command = Command::new(&executable.path);
    command
        .args(words)
        .current_dir(&executable.folder)
        .envs(executable.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    let mut child = command.spawn()?;
    // The command holds the pipe's other end open.
    drop(command);
    let printed = thread::spawn(move || {
        let mut bytes = Vec::new();
        // Output that was read before an error is worth showing.
        let _ = reader.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let outcome = loop {
        if let Some(status) = child.try_wait()? {
            break if status.success() {
                Outcome::Passed
            } else {
                Outcome::FailedNatively(status.to_string())
            };
        }
        if stop.is_set() {
            child.kill()?;
            child.wait()?;
            break Outcome::Stopped;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let name = TestName {
        binary: executable.label.clone(),
        test: String::new(),
    };
    Ok(TestRun {
        elapsed: began.elapsed(),
        linked: Exceptions::NONE,
        printed: printed.join().unwrap_or_default(),
        outcome,
        ..TestRun::new(name, executable)
    })
}
