//! The conversation between cargo-cct and a test process.
//!
//! cargo-cct starts `<test executable> --exact <name> --nocapture --test-threads=1 --include-ignored`
//! with the variables below. The test process sends [`Event`]s, each as a frame: its length as a
//! little-endian `u32`, then its bytes. The last event is [`Event::Finished`] or [`Event::Replayed`];
//! a process that ends without one has crashed, and its schedule is in the shared [`Board`].
//!
//! Kept here: names and types. The engine writes them, cargo-cct reads them.

use crate::codec::{wire_enum, wire_struct};
use crate::trace::{Schedule, Site, Trace};
use crate::verdict::{Bug, Verdict};

/// The version of everything in this module and of [`crate::trace`]; part of each saved trace.
pub const VERSION: u32 = 1;

/// What the process is to do: `explore` or `replay`. Unset: the test runs once, natively.
pub const ENV_MODE: &str = "CCT_MODE";
/// The number of the descriptor that events are written to.
pub const ENV_EVENTS: &str = "CCT_EVENTS_FD";
/// The path of the file that is mapped as the [`Board`]; made by cargo-cct with [`Board::FILE_SIZE`].
pub const ENV_BOARD: &str = "CCT_BOARD";
/// With `replay`: the path of a file with the bytes of a [`Schedule`].
pub const ENV_SCHEDULE: &str = "CCT_SCHEDULE";
/// Settings above the test's attribute (command line, environment), as [`crate::config::Settings`] prints.
pub const ENV_OVERRIDES: &str = "CCT_OVERRIDES";
/// Settings below the test's attribute (config file), likewise.
pub const ENV_DEFAULTS: &str = "CCT_DEFAULTS";

/// What a test process says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// The engine is up; the first event.
    Started(Started),
    /// How far it is; at most ten a second.
    Progress(Counters),
    /// A schedule of this test ran twice and differed: something is not under control.
    Diverged(Divergence),
    /// Something is used that the engine does not control; once for each.
    Uncontrolled(String),
    /// A bug was found; exploration of this test stops.
    Found(Found),
    /// Exploration has ended, with or without a bug.
    Finished(Counters),
    /// A replay has ended.
    Replayed(Replayed),
    /// The request makes no sense (bad settings, unreadable schedule); nothing was run.
    Refused(String),
}

/// The engine is up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Started {
    /// The run's seed, as set or drawn.
    pub seed: u64,
    /// The strategy as it will be used.
    pub strategy: String,
    /// How many iterations are planned.
    pub iterations: u64,
    /// How many statics are restored before each iteration.
    pub statics: u32,
    /// Their size in bytes.
    pub static_bytes: u64,
}

/// What exploration has done so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counters {
    /// Schedules run.
    pub schedules: u64,
    /// Distinct schedules among them.
    pub distinct: u64,
    /// Steps in all.
    pub steps: u64,
    /// Switches from one worker to another.
    pub switches: u64,
    /// Schedules cut off at the step bound.
    pub cut_offs: u64,
    /// The most steps of one schedule.
    pub longest: u64,
    /// The most workers of one schedule.
    pub workers: u32,
    /// True when the test has one worker and makes no choice, so that one schedule is all there is.
    pub sequential: bool,
    /// Wall-clock nanoseconds since the engine was up.
    pub nanos: u64,
    /// Panics of workers that nobody noticed: message and site, at most ten, distinct.
    pub unobserved_panics: Vec<Panic>,
}

/// A panic.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Panic {
    /// The worker that panicked.
    pub worker: u32,
    /// Its name.
    pub name: Option<String>,
    /// The message.
    pub message: String,
    /// Where.
    pub site: Option<Site>,
}

/// A bug, with the schedule that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The iteration, from 1.
    pub iteration: u64,
    /// The bug.
    pub bug: Bug,
    /// How to get there.
    pub schedule: Schedule,
}

/// The end of a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// How it ended.
    pub verdict: Verdict,
    /// What happened, in full.
    pub trace: Trace,
    /// Set when the execution left the schedule; the verdict then means nothing.
    pub divergence: Option<Divergence>,
    /// Panics of workers that nobody noticed.
    pub unobserved_panics: Vec<Panic>,
}

/// Where an execution first differed from the one it should repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Divergence {
    /// The step, from 0.
    pub step: u32,
    /// What should have happened, for people.
    pub expected: String,
    /// What happened.
    pub found: String,
}

wire_enum!(Event {
    0 Started(x), 1 Progress(x), 2 Diverged(x), 3 Uncontrolled(x), 4 Found(x), 5 Finished(x),
    6 Replayed(x), 7 Refused(x),
});
wire_struct!(Started {
    seed,
    strategy,
    iterations,
    statics,
    static_bytes
});
wire_struct!(Counters {
    schedules,
    distinct,
    steps,
    switches,
    cut_offs,
    longest,
    workers,
    sequential,
    nanos,
    unobserved_panics
});
wire_struct!(Panic {
    worker,
    name,
    message,
    site
});
wire_struct!(Found {
    iteration,
    bug,
    schedule
});
wire_struct!(Replayed {
    verdict,
    trace,
    divergence,
    unobserved_panics
});
wire_struct!(Divergence {
    step,
    expected,
    found
});

/// Memory that test process and cargo-cct share, so that a schedule survives its process.
///
/// The test process writes, cargo-cct reads when the process is gone or silent.
#[derive(Debug)]
#[repr(C)]
pub struct Board {
    /// [`Board::MAGIC`] once the rest is meaningful.
    pub magic: u64,
    /// Iterations begun; a watchdog compares this and `steps` for signs of life.
    pub iteration: u64,
    /// Steps of the current iteration up to its last decision.
    pub steps: u64,
    /// Moves with every decision of the engine, so that a watchdog sees signs of life.
    pub beats: u64,
    /// The length of `head`, the bytes of a [`Schedule`] without runs and choices.
    pub head_length: u32,
    /// The number of runs so far; the last one is still growing.
    pub runs: u32,
    /// The number of choices so far.
    pub choices: u32,
    /// The worker that is running.
    pub worker: u32,
    /// The length of `last_words`.
    pub last_words_length: u32,
    /// The OS thread that runs the engine: one that sleeps in the kernel waits for something uncontrolled.
    pub thread: u32,
    /// See `head_length`.
    pub head: [u8; 1024],
    /// The bytes of a [`Bug`] that a signal handler left behind.
    pub last_words: [u8; 64 * 1024],
    /// The runs: worker and steps.
    pub run_table: [[u32; 2]; Board::RUNS],
    /// The choices.
    pub choice_table: [u32; Board::CHOICES],
}

impl Board {
    /// Says that a board is in use and of this version.
    pub const MAGIC: u64 = 0x6363_742d_0000_0000 | VERSION as u64;
    /// The most runs of one iteration; `max_steps` can be no larger.
    pub const RUNS: usize = 1 << 20;
    /// The most choices of one iteration.
    pub const CHOICES: usize = 1 << 20;
    /// The size of the file behind it, in bytes (sparse).
    pub const FILE_SIZE: u64 = size_of::<Board>() as u64;

    /// The schedule on the board, if its process came as far as an iteration.
    pub fn schedule(&self) -> Option<Schedule> {
        use crate::codec::Wire as _;
        if self.magic != Board::MAGIC {
            return None;
        }
        let head = self.head.get(..usize::try_from(self.head_length).ok()?)?;
        let mut schedule = Schedule::from_bytes(head)?;
        let runs = self.run_table.get(..usize::try_from(self.runs).ok()?)?;
        let choices = self
            .choice_table
            .get(..usize::try_from(self.choices).ok()?)?;
        schedule.runs = runs
            .iter()
            .map(|&[worker, steps]| (worker, steps).into())
            .collect();
        schedule.choices = choices.to_vec();
        Some(schedule)
    }

    /// The bug that a signal handler left behind.
    pub fn last_words(&self) -> Option<Bug> {
        use crate::codec::Wire as _;
        let length = usize::try_from(self.last_words_length).ok()?;
        Bug::from_bytes(
            self.last_words
                .get(..length)
                .filter(|words| !words.is_empty())?,
        )
    }
}

/// The signal with which a watchdog asks a silent test process for its last words (`SIGVTALRM`).
pub const WATCHDOG_SIGNAL: i32 = 26;
