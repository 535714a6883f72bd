//! Starts a test process: one test, its address space not randomised, events over a pipe.
//!
//! With `super::warden` the only unsafe code of the tool: what must happen between `fork` and `exec`, and
//! signals.

#![expect(
    unsafe_code,
    reason = "std has no words for personality, descriptors and signals"
)]

use std::env;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, PipeReader};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use cct::config::Settings;
use cct::known::FAILURE_FILES;
use cct::part::Part;
use cct::wire;

use super::board::BoardFile;
use super::memory;
use super::places;
use super::warden::{self, Others};
use crate::build::cargo::Executable;

/// The descriptor that a test process writes its events to: the first after the standard ones, so that
/// the engine can tell those that a test opens by their number. In this process [`super::scratch`]
/// keeps the number taken: else std could use it between `fork` and `exec`.
const EVENTS_FD: i32 = 3;
/// The descriptor that an interactive one reads answers from.
const ANSWERS_FD: i32 = 4;

/// The work of a test process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    /// Explore.
    Explore,
    /// Repeat the schedule in this file.
    Replay(PathBuf),
    /// Repeat what happened in another version of the program, by the trace in this file.
    Follow(PathBuf),
    /// Make others like the schedule in this file, which fails.
    Vary {
        /// With this aim.
        goal: Goal,
        /// This one.
        schedule: PathBuf,
        /// Each execution has a process of its own.
        is_apart: bool,
    },
    /// Run one iteration as answers say, one that begins as these files say.
    Interactive(LeadFiles),
    /// Run each test once, and tell what it uses.
    Profile,
    /// Run the test as it is, once.
    Native,
}

/// Between the paths of tests that run together.
const AND: &str = " + ";

/// The name of tests that run together.
pub(crate) fn together(tests: &[String]) -> String {
    tests.join(AND)
}

/// The tests that run together under this name: one, as a rule.
pub(crate) fn tests_of(name: &str) -> impl Iterator<Item = &str> {
    name.split(AND)
}

/// The aim of schedules like one that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Goal {
    /// One that fails as well, and is shorter.
    Shorter,
    /// The step from which on the failure is certain.
    Certain,
}

impl Goal {
    fn mode(self, is_apart: bool) -> &'static str {
        match (self, is_apart) {
            (Goal::Shorter, false) => "shrink",
            (Goal::Shorter, true) => "shrink-apart",
            (Goal::Certain, false) => "certain",
            (Goal::Certain, true) => "certain-apart",
        }
    }
}

/// The files by which an iteration begins that is led: one of them, or none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct LeadFiles {
    /// A schedule.
    pub schedule: Option<PathBuf>,
    /// The trace of another version of the program.
    pub guide: Option<PathBuf>,
}

/// A test process to be.
#[derive(Clone, Debug)]
pub(crate) struct Launch<'a> {
    /// The executable.
    pub executable: &'a Executable,
    /// The test's path in it, or those of tests that run [`together`].
    pub test: &'a str,
    /// The work.
    pub mode: Mode,
    /// The one of the tests that does nothing, if there is one.
    pub muted: Option<&'a str>,
    /// Settings above the test's attribute.
    pub overrides: &'a Settings,
    /// Settings below it.
    pub defaults: &'a Settings,
    /// The iterations that it makes, if not all.
    pub part: Option<Part>,
    /// The steps, from 1, before which a replay stops.
    pub stops: &'a [u32],
    /// Where the answers come from, if there are any.
    pub answers: Option<&'a PipeReader>,
}

impl<'a> Launch<'a> {
    /// A process that explores the test.
    pub(crate) fn exploring(
        executable: &'a Executable,
        test: &'a str,
        (overrides, defaults): (&'a Settings, &'a Settings),
    ) -> Launch<'a> {
        Launch {
            executable,
            test,
            mode: Mode::Explore,
            muted: None,
            overrides,
            defaults,
            part: None,
            stops: &[],
            answers: None,
        }
    }
}

impl Launch<'_> {
    /// The most memory that its test may take.
    pub(super) fn max_memory(&self) -> u64 {
        let below = memory::with_limit(self.defaults);
        self.overrides.clone().over(below).max_memory()
    }

    /// The process's command; `before` are the words of the command that runs it, if there is one.
    pub(crate) fn command(&self, before: &[String]) -> io::Result<Command> {
        let mut words = before
            .iter()
            .map(OsStr::new)
            .chain([self.executable.path.as_os_str()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command
            .args(words)
            .arg("--exact")
            .args(tests_of(self.test))
            .args(["--nocapture", "--test-threads=1", "--include-ignored"])
            .current_dir(&self.executable.folder)
            .envs(
                self.executable
                    .env
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .env(wire::ENV_OVERRIDES, self.overrides.to_string())
            .env(
                wire::ENV_DEFAULTS,
                memory::with_limit(self.defaults).to_string(),
            )
            .env_remove(wire::ENV_DEBUGGED)
            .env_remove(wire::ENV_WARDEN);
        self.write_no_failure_files(&mut command);
        if self.executable.linked.looks_at_counts {
            command.env(wire::ENV_LOOKS, "1");
        } else {
            command.env_remove(wire::ENV_LOOKS);
        }
        match self.executable.linked.code {
            Some(code) => command.env(wire::ENV_CODE, code.name()),
            None => command.env_remove(wire::ENV_CODE),
        };
        let settings = self.overrides.clone().over(self.defaults.clone());
        match places::file(self.executable, &settings.resolve())? {
            Some(places) => command.env(wire::ENV_PLACES, places),
            None => command.env_remove(wire::ENV_PLACES),
        };
        match self.part {
            Some(part) => command.env(wire::ENV_PART, part.to_string()),
            None => command.env_remove(wire::ENV_PART),
        };
        match &self.mode {
            Mode::Native => command.env_remove(wire::ENV_ORIGINS),
            _ => command.env(wire::ENV_ORIGINS, &self.executable.origins),
        };
        command.env_remove(wire::ENV_GUIDE);
        if self.stops.is_empty() {
            command.env_remove(wire::ENV_STOPS);
        } else {
            let stops: Vec<String> = self.stops.iter().map(u32::to_string).collect();
            command.env(wire::ENV_STOPS, stops.join(","));
        }
        match tests_of(self.test).count() {
            1 => command.env_remove(wire::ENV_TOGETHER),
            count => command.env(wire::ENV_TOGETHER, count.to_string()),
        };
        match self.muted {
            None => command.env_remove(wire::ENV_MUTED),
            Some(muted) => command.env(wire::ENV_MUTED, muted),
        };
        match &self.mode {
            Mode::Profile => command
                .env(wire::ENV_MODE, "profile")
                .env(wire::ENV_TOGETHER, tests_of(self.test).count().to_string())
                .env_remove(wire::ENV_SCHEDULE),
            Mode::Explore => command
                .env(wire::ENV_MODE, "explore")
                .env_remove(wire::ENV_SCHEDULE),
            Mode::Replay(schedule) => command
                .env(wire::ENV_MODE, "replay")
                .env(wire::ENV_SCHEDULE, schedule),
            Mode::Follow(guide) => command
                .env(wire::ENV_MODE, "follow")
                .env(wire::ENV_GUIDE, guide)
                .env_remove(wire::ENV_SCHEDULE),
            Mode::Vary {
                goal,
                schedule,
                is_apart,
            } => command
                .env(wire::ENV_MODE, goal.mode(*is_apart))
                .env(wire::ENV_SCHEDULE, schedule),
            Mode::Interactive(files) => {
                command.env(wire::ENV_MODE, "interactive");
                if let Some(guide) = &files.guide {
                    command.env(wire::ENV_GUIDE, guide);
                }
                match &files.schedule {
                    Some(schedule) => command.env(wire::ENV_SCHEDULE, schedule),
                    None => command.env_remove(wire::ENV_SCHEDULE),
                }
            }
            Mode::Native => command
                .env_remove(wire::ENV_MODE)
                .env_remove(wire::ENV_SCHEDULE),
        };
        Ok(command)
    }

    /// Tells libraries of tests to write no file when a test fails, unless the user says what they are to do.
    fn write_no_failure_files(&self, command: &mut Command) {
        for file in FAILURE_FILES {
            let mut of_cargo = self.executable.env.iter();
            let is_set = env::var_os(file.variable).is_some()
                || of_cargo.any(|(name, _)| *name == *file.variable);
            if !is_set {
                command.env(file.variable, file.value);
            }
        }
    }

    /// Starts the process; what it prints goes to `output`.
    pub(crate) fn spawn(
        &self,
        board: &BoardFile,
        output: &Path,
    ) -> io::Result<(Child, PipeReader)> {
        // Append: the engine truncates the file at each iteration, and offsets must follow.
        let file = OpenOptions::new().create(true).append(true).open(output)?;
        let mut command = self.command(&[])?;
        command
            .env(wire::ENV_WARDEN, board.temporary())
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .process_group(0);
        spawn(command, board, self.answers)
    }
}

/// Starts a launch's command: the process itself, or what runs it.
pub(crate) fn spawn(
    mut command: Command,
    board: &BoardFile,
    answers: Option<&PipeReader>,
) -> io::Result<(Child, PipeReader)> {
    let (reader, writer) = io::pipe()?;
    match answers {
        Some(_) => command.env(wire::ENV_ANSWERS, ANSWERS_FD.to_string()),
        None => command.env_remove(wire::ENV_ANSWERS),
    };
    command
        .env(wire::ENV_BOARD, board.path())
        .env("TMPDIR", board.temporary())
        .env(wire::ENV_EVENTS, EVENTS_FD.to_string());
    let events = writer.as_raw_fd();
    let answers = answers.map(AsRawFd::as_raw_fd);
    let tool = std::process::id();
    // SAFETY: the closure makes system calls only, allocates nothing and takes no lock.
    // `writer` and `answers` live until after `spawn`, so both are open in the child.
    let child = unsafe { command.pre_exec(move || prepare(tool, events, answers)) }.spawn()?;
    drop(writer);
    Ok((child, reader))
}

/// Starts a program that does a part of the work, in this process's group.
pub(super) fn spawn_helper(command: &mut Command) -> io::Result<Child> {
    let tool = std::process::id();
    let prepare = move || {
        // The executable of unit tests is no warden: it would run all of them.
        if !cfg!(test) {
            warden::stand_between(tool, Others::OfTheGroup)?;
        }
        end_with_parent()
    };
    // SAFETY: the closure makes system calls only, allocates nothing and takes no lock.
    unsafe { command.pre_exec(prepare) }.spawn()
}

/// Removes a variable of this process, which has no other threads yet.
pub(crate) fn remove_variable(name: &OsStr) {
    // SAFETY: callers have not started any thread, so nobody else reads the environment.
    unsafe { std::env::remove_var(name) };
}

/// Ends the test process of this warden, and all that it has left, and waits for that.
pub(crate) fn end(warden: &mut Child) -> io::Result<()> {
    if warden.try_wait()?.is_none() {
        signal(warden, warden::END);
    }
    warden.wait().map(drop)
}

/// True if nobody reads this process's standard error any more.
pub(crate) fn is_unread_error() -> bool {
    let mut poll = libc::pollfd {
        fd: libc::STDERR_FILENO,
        events: 0,
        revents: 0,
    };
    // SAFETY: there is one entry, which is ours.
    let ready = unsafe { libc::poll(&raw mut poll, 1, 0) };
    ready > 0 && poll.revents & libc::POLLERR != 0
}

/// Has writes beyond the size that `ulimit -f` allows return an error, here and in started processes.
pub(crate) fn outlive_file_size_limit() {
    // SAFETY: the signal has no handler before or after.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Asks the test process of this warden for its last words.
pub(crate) fn ask(warden: &Child) {
    signal(warden, wire::WATCHDOG_SIGNAL);
}

/// Asks a thread that is stopped for the last words of its process, and has it go on.
pub(super) fn ask_stopped(thread: u32) {
    for signal in [wire::WATCHDOG_SIGNAL, libc::SIGCONT] {
        // SAFETY: touches no memory of ours. This thread is asked: another one would pass it on, while this
        // one goes on.
        unsafe { libc::syscall(libc::SYS_tkill, thread, signal) };
    }
}

fn signal(warden: &Child, signal: i32) {
    let Ok(process) = i32::try_from(warden.id()) else {
        return;
    };
    // A test may have stopped its warden.
    for signal in [signal, libc::SIGCONT] {
        // SAFETY: `kill` touches no memory of ours. Callers have not seen it end, so the number is its own.
        unsafe { libc::kill(process, signal) };
    }
}

fn prepare(tool: u32, events: i32, answers: Option<i32>) -> io::Result<()> {
    warden::stand_between(tool, Others::All)?;
    not_random()?;
    inherit(events, EVENTS_FD)?;
    if let Some(answers) = answers {
        inherit(answers, ANSWERS_FD)?;
    }
    end_with_parent()
}

/// Has this process not outlive its warden, which does not outlive the tool.
fn end_with_parent() -> io::Result<()> {
    // SAFETY: `prctl` takes numbers only.
    check(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) }).map(drop)
}

/// Gives the next image of this process a descriptor, as this number.
fn inherit(descriptor: i32, number: i32) -> io::Result<()> {
    // SAFETY: both calls take numbers only. Whichever way the number came to be, it survives `exec`.
    check(unsafe { libc::dup2(descriptor, number) })?;
    // SAFETY: as above.
    check(unsafe { libc::fcntl(number, libc::F_SETFD, 0) }).map(drop)
}

fn not_random() -> io::Result<i32> {
    // SAFETY: `personality` takes a number and changes how this process's next image is laid out.
    check(unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) })
}

fn check(result: i32) -> io::Result<i32> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
