//! Runs an executable that is not under control: as a whole, once, as `cargo test` would.

use std::io::{self, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cct::claim::Exceptions;

use super::memory::{self, Watched};
use super::name::TestName;
use super::outcome::{Outcome, TestRun, native_outcome};
use super::process;
use super::scratch::Scratch;
use super::stop::Stop;
use super::threads;
use super::watch::End;
use crate::build::cargo::Executable;

/// All that it has printed is read by then.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs it; what it prints is kept.
pub(crate) fn run_native(
    executable: &Executable,
    words: &[String],
    scratch: &Scratch,
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
    let printed = Arc::new(Mutex::new(Vec::new()));
    let read = printed.clone();
    let reading = threads::start(move || {
        let mut bytes = vec![0; 1 << 16];
        // Output that was read before an error is worth showing.
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
            read.extend_from_slice(&bytes[..count]);
        }
    })?;
    let mut child = process::spawn_helper(&mut command)?;
    // The command holds the pipe's other end open.
    drop(command);
    let limit = memory::with_limit(&executable.config).max_memory();
    let mut memory = Watched::new(child.id(), limit);
    let outcome = loop {
        if let Some(status) = child.try_wait()? {
            // A terminal's signal is to it, too.
            if status.signal().is_some() && stop.is_set() {
                break Outcome::Stopped;
            }
            break native_outcome(&End::Exited(status), || scratch.lack());
        }
        if let Some(limit) = memory.exceeded() {
            process::end(&mut child)?;
            break native_outcome(&End::TooLarge(limit), || None);
        }
        if stop.is_set() {
            process::end(&mut child)?;
            break Outcome::Stopped;
        }
        thread::sleep(Duration::from_millis(5));
    };
    // Its children may go on, and hold the pipe's other end.
    let ended = Instant::now();
    while !reading.is_finished() && ended.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(5));
    }
    let printed = printed.lock().unwrap_or_else(PoisonError::into_inner);
    let name = TestName {
        binary: executable.label.clone(),
        test: String::new(),
    };
    Ok(TestRun {
        elapsed: began.elapsed(),
        linked: Exceptions::NONE,
        printed: String::from_utf8_lossy(&printed).into_owned(),
        outcome,
        ..TestRun::new(name, executable)
    })
}
