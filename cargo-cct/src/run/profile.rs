//! Runs tests once each, all of an executable in one process, and hears what they use.

use std::io;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use cct::config::Settings;
use cct::footprint::Footprint;
use cct::wire::Event;

use super::events;
use super::process::{self, Launch, Mode, together};
use super::scratch::Scratch;
use super::stop::Stop;
use crate::build::cargo::Executable;

/// The footprints of these tests, in their order; those of tests before a stop. A test that ends the process,
/// or says nothing for so long, has failed, and another process goes on after it.
pub(crate) fn profile(
    executable: &Executable,
    tests: &[String],
    settings: (&Settings, &Settings),
    silence: Duration,
    (scratch, stop): (&Scratch, &Stop),
) -> io::Result<Vec<Footprint>> {
    /// So many tests have a process: their names have to fit into a command line.
    const MANY: usize = 500;
    let mut footprints = Vec::new();
    while footprints.len() < tests.len() && !stop.is_set() {
        let left = &tests[footprints.len()..];
        let some = &left[..left.len().min(MANY)];
        let before = footprints.len();
        run(
            executable,
            some,
            settings,
            silence,
            (scratch, stop),
            |found| footprints.push(found),
        )?;
        let told = footprints.len() - before;
        if told < some.len() && !stop.is_set() {
            footprints.push(Footprint {
                test: some[told].clone(),
                uses: Vec::new(),
                failed: Some("it ends the process, or does not come to an end".to_owned()),
            });
        }
    }
    Ok(footprints)
}

/// Runs these in one process, as far as it comes.
fn run(
    executable: &Executable,
    tests: &[String],
    settings: (&Settings, &Settings),
    silence: Duration,
    (scratch, stop): (&Scratch, &Stop),
    mut on_footprint: impl FnMut(Footprint),
) -> io::Result<()> {
    let name = together(tests);
    let launch = Launch {
        mode: Mode::Profile,
        ..Launch::exploring(executable, &name, settings)
    };
    let board = scratch.board()?;
    let (mut child, pipe) = launch.spawn(&board, &scratch.path("output"))?;
    let events = events::receive(pipe)?;
    let mut last = Instant::now();
    loop {
        match events.recv_timeout(Duration::from_millis(20)) {
            Ok(Event::Footprint(footprint)) => {
                on_footprint(footprint);
                last = Instant::now();
            }
            Ok(Event::Refused(reason)) => {
                child.wait()?;
                return Err(io::Error::other(reason));
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if last.elapsed() < silence && !stop.is_set() => {}
            Err(_) => break,
        }
    }
    process::end(&mut child)
}
