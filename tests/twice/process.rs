//! A test process, started as `cargo cct test` starts it, and what it tells.

use std::fs::{self, File, OpenOptions};
use std::io::{self, PipeReader, Read as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use cct::codec::Wire as _;
use cct::config::Settings;
use cct::wire::{self, Board, Counters, Event, Replayed};
use cct_tests::support::cleaned;

/// As in the tool: the first descriptor after the standard ones.
const EVENTS_FD: i32 = 3;

/// A test executable.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// Where its tests run.
    pub(crate) folder: PathBuf,
}

/// The message of a process.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Told {
    pub(crate) traces: Vec<Replayed>,
    /// All but the time it took.
    counters: Option<Counters>,
}

/// Files for a pair of processes, used again and again.
#[derive(Debug)]
pub(crate) struct Process {
    files: [PathBuf; 2],
    /// Else a descriptor of ours could be the one that processes get.
    _taken: File,
}

impl Process {
    /// Files of this number in the folder.
    pub(crate) fn new(folder: &Path, number: usize) -> Process {
        let files = ["one", "other"].map(|name| folder.join(format!("twice-{number}-{name}")));
        let taken = File::open("/dev/null").expect("it is always there");
        Process {
            files,
            _taken: taken,
        }
    }

    /// Runs a test in two processes at a time, with so much more in the environment of each.
    pub(crate) fn run_two(
        &self,
        program: &Program,
        test: &str,
        settings: &Settings,
        paddings: [usize; 2],
    ) -> [Result<Told, String>; 2] {
        let started = [0, 1].map(|index| {
            start(program, test, settings, paddings[index], &self.files[index])
                .map_err(|error| error.to_string())
        });
        // Both are under way before the first is listened to.
        started.map(|started| started.and_then(|(child, events)| listen(child, events)))
    }
}

fn start(
    program: &Program,
    test: &str,
    settings: &Settings,
    padding: usize,
    files: &Path,
) -> io::Result<(Child, PipeReader)> {
    let board = files.with_extension("board");
    File::create(&board)?.set_len(Board::FILE_SIZE)?;
    let output = files.with_extension("output");
    fs::write(&output, "")?;
    let output = OpenOptions::new().append(true).open(output)?;
    let (reader, writer) = io::pipe()?;
    let mut command = cleaned(&program.path);
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .current_dir(&program.folder)
        .env("PADDING", "x".repeat(padding))
        .env(wire::ENV_MODE, "trace")
        .env(wire::ENV_OVERRIDES, settings.to_string())
        .env(wire::ENV_BOARD, board)
        .env(wire::ENV_EVENTS, EVENTS_FD.to_string())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    let events = writer.as_raw_fd();
    let prepare = move || {
        // SAFETY: these calls take numbers only, and `writer` is open until the process has started.
        let done = unsafe {
            libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) >= 0
                && libc::dup2(events, EVENTS_FD) >= 0
                && libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) >= 0
        };
        if done {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    };
    // SAFETY: the closure makes system calls only.
    let child = unsafe { command.pre_exec(prepare) }.spawn()?;
    Ok((child, reader))
}

/// Takes what the process tells until it ends.
fn listen(mut child: Child, mut events: PipeReader) -> Result<Told, String> {
    let mut bytes = Vec::new();
    events
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    let mut told = Told {
        traces: Vec::new(),
        counters: None,
    };
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        match take(&mut rest).ok_or("events are cut short")? {
            Event::Replayed(replayed) => told.traces.push(replayed),
            Event::Finished(counters) => {
                told.counters = Some(Counters {
                    nanos: 0,
                    ..counters
                });
            }
            Event::Started(_) | Event::Progress(_) | Event::Found(_) => {}
            other => return Err(format!("{other:?}")),
        }
    }
    match told.counters {
        Some(_) => Ok(told),
        None => Err(format!("ended after {} schedules", told.traces.len())),
    }
}

/// Takes an event off the front: its length, then its bytes.
fn take(input: &mut &[u8]) -> Option<Event> {
    let length = u32::take(input)? as usize;
    let (event, rest) = input.split_at_checked(length)?;
    *input = rest;
    Event::from_bytes(event)
}
