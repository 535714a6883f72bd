//! The conversation between cargo-cct and a test process.
//!
//! cargo-cct starts `<test executable> --exact <name> --nocapture --test-threads=1 --include-ignored`
//! with the variables below. The test process sends [`Event`]s, each as a frame: its length as a
//! little-endian `u32`, then its bytes. The last event is [`Event::Finished`] or [`Event::Replayed`];
//! a process that ends without one has crashed, and its schedule is in the shared [`Board`].
//!
//! Kept here: names and types. The engine writes them, cargo-cct reads them.

use crate::claim::Exceptions;
use crate::codec::{wire_enum, wire_struct};
use crate::covered::Coverage;
use crate::footprint::Footprint;
use crate::strategy::{Action, Limits, Progress};
use crate::trace::{Outcome, Schedule, Site, Trace, Value, WorkerKind};
use crate::tsvd::told::{Figures, PairTold, Violation};
use crate::verdict::{Bug, Verdict};

/// The version of everything in this module and of [`crate::trace`]; part of each saved trace.
pub const VERSION: u32 = 4;

/// The task of the process: `explore`, `trace`, `replay`, `follow`, `shrink`, `certain` or
/// `interactive`. Unset: the test runs once, natively. `trace` is `explore` with everything recorded:
/// each iteration ends with an [`Event::Replayed`]. With `-apart` behind it, `shrink` and `certain`
/// have a process for each execution. With `tsvd` the whole executable runs, natively, and threads are held.
pub const ENV_MODE: &str = "CCT_MODE";
/// The number of the descriptor that events are written to.
pub const ENV_EVENTS: &str = "CCT_EVENTS_FD";
/// With `interactive`: the number of the descriptor that answers to [`Event::Asked`] are read from, each a
/// little-endian `u32`.
pub const ENV_ANSWERS: &str = "CCT_ANSWERS_FD";
/// With `explore`: the [`crate::part::Part`] of the search that this process makes; unset, it makes all. See
/// `harness/share.rs` for who has which iterations. With `shrink`: it begins after those that were
/// made before, and draws others.
pub const ENV_PART: &str = "CCT_PART";
/// The path of the file that is mapped as the [`Board`]; made by cargo-cct with [`Board::FILE_SIZE`].
pub const ENV_BOARD: &str = "CCT_BOARD";
/// With `replay`, `shrink` and `certain`: the path of a file with the bytes of a [`Schedule`]. With
/// `interactive`, if set, the same: the iteration then begins as that schedule does.
pub const ENV_SCHEDULE: &str = "CCT_SCHEDULE";
/// With `follow`, and with `interactive` if set: the path of a file with the trace of another version, by
/// which a schedule is followed in this one.
pub const ENV_GUIDE: &str = "CCT_GUIDE";
/// With `replay` and `follow`: the numbers of steps, from 1, with commas between them. The process stops
/// before each of them under a debugger, and ends before the first without one.
pub const ENV_STOPS: &str = "CCT_STOPS";
/// If set: a debugger runs the process, and is to see its workers as threads. Nobody need listen to events
/// then, and there need be no board.
pub const ENV_DEBUGGED: &str = "CCT_DEBUGGED";
/// Settings above the test's attribute (command line, environment), as [`crate::config::Settings`] prints.
pub const ENV_OVERRIDES: &str = "CCT_OVERRIDES";
/// Settings below the test's attribute (config file), likewise.
pub const ENV_DEFAULTS: &str = "CCT_DEFAULTS";

/// The path of a file with the bytes of the [`crate::origin::Table`] of what was built.
pub const ENV_ORIGINS: &str = "CCT_ORIGINS";
/// Set where crates are to be instrumented, and for a test process of which some are: to `atomics` or `all`,
/// for the accesses to memory that are seen.
pub const ENV_CODE: &str = "CCT_CODE";
/// Names the file that says where code lies that is named: whose data races are meant, or whose accesses to
/// memory are scheduling points. Its lines have offsets in the executable, in hexadecimal:
/// `benign 1a0-1f4,…`, `points …` or `points all`, and `std …` for code that is its callers'.
pub const ENV_PLACES: &str = "CCT_PLACES";
/// With `tsvd`: the parameters, as [`crate::tsvd::Parameters`] prints.
pub const ENV_TSVD: &str = "CCT_TSVD";
/// With `tsvd`: the path of a file with the pairs of places that are known already. Its lines have a standing
/// and two numbers, in hexadecimal: `dangerous 1a0 1f4`.
pub const ENV_TSVD_PAIRS: &str = "CCT_TSVD_PAIRS";
/// How many tests of the process run together, if not each by itself: in pairs, or one after the other in a
/// profile.
pub const ENV_TOGETHER: &str = "CCT_TOGETHER";
/// The one of several tests that run together that does nothing, if there is one: whether the others fail
/// without it.
pub const ENV_MUTED: &str = "CCT_MUTED";
/// The folder for temporary files that the process has to itself. Set if its parent is its warden, which
/// waits for processes whose parents have ended. `TMPDIR` names the folder, too, until somebody changes it.
pub const ENV_WARDEN: &str = "CCT_WARDEN";
/// Set if code of the program may look at counts of references.
pub const ENV_LOOKS: &str = "CCT_LOOKS_AT_COUNTS";

/// The events of a test process.
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
    /// An iteration has ended of which everything is told: a replay, an interactive one, one that is traced.
    Replayed(Replayed),
    /// The request makes no sense (bad settings, unreadable schedule); nothing was run.
    Refused(String),
    /// The findings of this process, when others explore the test too; just before `Finished`.
    Fingerprints(Fingerprints),
    /// The next answer decides what happens.
    Asked(Question),
    /// A schedule that fails as the one that is being shrunk does, and is shorter than all that were told.
    Shrunk(Shrunk),
    /// The step from which on the failure of the schedule is certain.
    Certain(Certain),
    /// The standing of a pair of places has changed.
    Pair(PairTold),
    /// Two threads were at an object at a time.
    Violation(Violation),
    /// The process is about to end: its figures.
    Figures(Figures),
    /// A test has run once, in its profile.
    Footprint(Footprint),
    /// The coverage of the test's machines, just before `Finished`; not told where there are none.
    Covered(Coverage),
    /// The files that iterations have changed and depended on, just before `Finished`; not told if there are
    /// none.
    SharedFiles(Vec<String>),
}

/// From where on a failure is certain, as far as other executions tell that begin as its schedule does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Certain {
    /// The step, from 1, after which all fail that were made; 0 if they fail from the beginning. A test
    /// process tells it as schedules count, a record as the trace is numbered.
    pub step: u32,
    /// How many were made that go on from there.
    pub continuations: u32,
    /// There are no others; otherwise they were drawn. A single one that is not all there is has had nothing
    /// to decide.
    pub are_all: bool,
    /// The share that fails of random ones that go on from just before it, where not all do.
    pub before: Option<Share>,
    /// There was time to look at all earlier steps; otherwise it may have been certain before.
    pub is_earliest: bool,
}

/// A share of executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Share {
    /// How many fail.
    pub failing: u32,
    /// How many there are.
    pub made: u32,
}

/// A schedule that was found by shrinking another; the first one told is that other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shrunk {
    /// The schedule.
    pub schedule: Schedule,
    /// The executions so far.
    pub executions: u64,
    /// Set at the end: whether that was the search's own, with no way left in which it looks.
    pub is_complete: Option<bool>,
}

/// Fingerprints, so that what several processes have seen can be counted together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fingerprints {
    /// The last iteration that was made, from 1; 0 if there was none.
    pub through: u64,
    /// There were more than are told.
    pub is_partial: bool,
    /// Of schedules.
    pub schedules: Vec<u64>,
    /// Of behaviours.
    pub behaviours: Vec<u64>,
    /// For each behaviour, the iteration that showed it first.
    pub first: Vec<u64>,
}

/// A question of an interactive iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The kinds of the workers that were made since the last one, by number.
    pub workers: Vec<WorkerKind>,
    /// The steps since the last one.
    pub happened: Vec<Happened>,
    /// The workers that cannot run, and what they wait in.
    pub waits: Vec<Offer>,
    /// The question.
    pub asks: Asks,
    /// The answer by which what happened in another version of the program happens again, if that is
    /// followed.
    pub advice: Option<u32>,
}

/// The kinds of questions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asks {
    /// Which worker runs next: the answer is the number of one of these workers, which come in that order.
    Worker(Vec<Offer>),
    /// Which value below this is chosen.
    Index(u32),
    /// Nothing: the iteration has ended.
    Nothing,
}

/// A worker that can run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The worker.
    pub worker: u32,
    /// Its next operation.
    pub act: Act,
}

/// A step that was carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Happened {
    /// The worker.
    pub worker: u32,
    /// Its operation.
    pub act: Act,
    /// How it ended.
    pub outcome: Outcome,
    /// The value read, if any.
    pub read: Option<Value>,
    /// The value written, if any.
    pub written: Option<Value>,
}

/// The operation of a worker in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    /// The operation's code.
    pub operation: u8,
    /// The object's address, or 0.
    pub object: u64,
    /// The place in the source.
    pub site: Site,
}

impl From<&Action> for Act {
    fn from(action: &Action) -> Act {
        Act {
            operation: action.operation as u8,
            object: action.object.key(),
            site: action.site.into(),
        }
    }
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
    /// Whether each iteration has a process of its own, as settings say: `auto`, `none` or `process`.
    pub isolation: String,
}

/// The counters of an exploration so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Counters {
    /// Schedules run.
    pub schedules: u64,
    /// Distinct schedules among them, of which [`Counters::MOST_DISTINCT`] are told apart.
    pub distinct: u64,
    /// Schedules that were watched, to tell their behaviours apart.
    pub watched: u64,
    /// Distinct behaviours among those watched: schedules up to the order of independent steps.
    pub behaviours: u64,
    /// The number of the schedule that was the last to show a new behaviour; 0 if none was watched.
    pub last_new: u64,
    /// Schedules that a strategy gave up halfway, since all that follows has been seen: sleep-set blocked
    /// ones.
    pub sleep_set_blocked: u64,
    /// Steps in all.
    pub steps: u64,
    /// Choice points: steps for which there was more than one candidate.
    pub choice_points: u64,
    /// Switches from one worker to another.
    pub switches: u64,
    /// Schedules cut off at the step bound.
    pub cut_offs: u64,
    /// The most steps of one schedule.
    pub longest: u64,
    /// The most workers of one schedule.
    pub workers: u32,
    /// The most candidates of one step: the degree of concurrency.
    pub concurrency: u32,
    /// True when the search ended because no strategy had another schedule. Its schedules are all there are
    /// if [`Counters::is_proof`] says so, else all within what `limits` and `progress` name.
    pub exhausted: bool,
    /// How far the strategy that enumerates is: the first one, if several take turns.
    pub progress: Option<Progress>,
    /// Decisions of the engine, in any schedule; in those of earlier processes too if the
    /// search was resumed.
    pub limits: Limits,
    /// The exceptions of the schedules; as with `limits`, of those that a claim is about.
    pub left_out: Exceptions,
    /// Schedules that failed in earlier processes, if the search was resumed: they are not made again.
    pub failed_before: u64,
    /// Schedules that came to an end in earlier processes, if the search was resumed.
    pub ended_before: u64,
    /// Why the file to resume from could not be written the last time; the one of before is still there.
    pub resume_error: Option<String>,
    /// True when the test has one worker and makes no choice, so that one schedule is all there is.
    pub sequential: bool,
    /// Wall-clock nanoseconds since the engine was up.
    pub nanos: u64,
    /// Panics of workers that nobody noticed: message and site, at most ten, distinct.
    pub unobserved_panics: Vec<Panic>,
    /// The uncontrolled things that were used, and how often.
    pub outside: Vec<Outside>,
}

impl Counters {
    /// So many distinct schedules of one process are counted; when there are more, it is at least these.
    pub const MOST_DISTINCT: u64 = 1 << 22;

    /// The sum of two explorations of one test; a schedule that is distinct in both counts twice.
    #[must_use]
    pub fn and(self, other: Counters) -> Counters {
        let mut unobserved_panics = self.unobserved_panics;
        for panic in other.unobserved_panics {
            let is_known = |known: &Panic| known.site == panic.site;
            if unobserved_panics.len() < 10 && !unobserved_panics.iter().any(is_known) {
                unobserved_panics.push(panic);
            }
        }
        let mut outside = self.outside;
        for used in other.outside {
            match outside.iter_mut().find(|known| known.what == used.what) {
                Some(known) => known.times += used.times,
                None => outside.push(used),
            }
        }
        Counters {
            schedules: self.schedules + other.schedules,
            distinct: self.distinct + other.distinct,
            watched: self.watched + other.watched,
            behaviours: self.behaviours + other.behaviours,
            last_new: self.last_new.max(other.last_new),
            sleep_set_blocked: self.sleep_set_blocked + other.sleep_set_blocked,
            steps: self.steps + other.steps,
            choice_points: self.choice_points + other.choice_points,
            switches: self.switches + other.switches,
            cut_offs: self.cut_offs + other.cut_offs,
            longest: self.longest.max(other.longest),
            workers: self.workers.max(other.workers),
            concurrency: self.concurrency.max(other.concurrency),
            exhausted: self.exhausted || other.exhausted,
            progress: self.progress.or(other.progress),
            limits: self.limits.and(other.limits),
            left_out: self.left_out.and(other.left_out),
            failed_before: self.failed_before + other.failed_before,
            ended_before: self.ended_before + other.ended_before,
            resume_error: self.resume_error.or(other.resume_error),
            sequential: self.sequential || other.sequential,
            nanos: self.nanos + other.nanos,
            unobserved_panics,
            outside,
        }
    }

    /// Schedules that came to an end, here or in earlier processes: that passed or failed.
    pub fn ended(&self) -> u64 {
        let without_end = self.cut_offs + self.sleep_set_blocked;
        self.ended_before + self.schedules.saturating_sub(without_end)
    }

    /// True if every schedule that the engine can make has been made: nothing but the strategy's picks
    /// decided in any of them, and it left none out. How many they are is in `progress`, or in `schedules`;
    /// what the engine cannot see of the program is in `left_out`.
    pub fn is_proof(&self) -> bool {
        let knows = |progress: &Progress| !progress.leaves_out && progress.astray == 0;
        self.exhausted
            && self.limits == Limits::default()
            && self.outside.is_empty()
            && self.progress.as_ref().is_none_or(knows)
    }
}

/// Something that is not under control, and how often it was used.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Outside {
    /// Its kind.
    pub what: String,
    /// How often, in all schedules.
    pub times: u64,
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
    /// The trace, in full.
    pub trace: Trace,
    /// Set when the execution left the schedule; the verdict then means nothing.
    pub divergence: Option<Divergence>,
    /// Panics of workers that nobody noticed.
    pub unobserved_panics: Vec<Panic>,
    /// The step, from 1, before which it ended, as it was told; the verdict then means nothing.
    pub stopped: Option<u32>,
}

/// Where an execution first differed from the one it should repeat.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Divergence {
    /// The step, from 0.
    pub step: u32,
    /// The expected step, for people.
    pub expected: String,
    /// The step that happened.
    pub found: String,
}

wire_enum!(Event {
    0 Started(x), 1 Progress(x), 2 Diverged(x), 3 Uncontrolled(x), 4 Found(x), 5 Finished(x),
    6 Replayed(x), 7 Refused(x), 8 Asked(x), 9 Fingerprints(x), 10 Shrunk(x), 11 Certain(x),
    12 Pair(x), 13 Violation(x), 14 Figures(x), 15 Footprint(x), 16 Covered(x),
    17 SharedFiles(x),
});
wire_struct!(Shrunk {
    schedule,
    executions,
    is_complete
});
wire_struct!(Certain {
    step,
    continuations,
    are_all,
    before,
    is_earliest
});
wire_struct!(Share { failing, made });
wire_struct!(Fingerprints {
    through,
    is_partial,
    schedules,
    behaviours,
    first
});
wire_struct!(Question {
    workers,
    happened,
    waits,
    asks,
    advice
});
wire_enum!(Asks { 0 Worker(x), 1 Index(x), 2 Nothing });
wire_struct!(Offer { worker, act });
wire_struct!(Happened {
    worker,
    act,
    outcome,
    read,
    written
});
wire_struct!(Act {
    operation,
    object,
    site
});
wire_struct!(Started {
    seed,
    strategy,
    iterations,
    statics,
    static_bytes,
    isolation
});
wire_struct!(Counters {
    schedules,
    distinct,
    watched,
    behaviours,
    last_new,
    sleep_set_blocked,
    steps,
    choice_points,
    switches,
    cut_offs,
    longest,
    workers,
    concurrency,
    exhausted,
    progress,
    limits,
    left_out,
    failed_before,
    ended_before,
    resume_error,
    sequential,
    nanos,
    unobserved_panics,
    outside
});
wire_struct!(Outside { what, times });
wire_struct!(Limits {
    yields,
    stalls,
    time,
    steps,
    alone
});
wire_struct!(Progress {
    made,
    open,
    expected,
    bound,
    leaves_out,
    plans,
    reduces,
    astray
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
    unobserved_panics,
    stopped
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
    /// The counts of the iterations that have ended.
    pub ended: Ended,
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
    /// How many of `frames` there are.
    pub frame_count: u32,
    /// Not zero once the tool has waited for long enough: the body's thread that goes on alone is to be cut
    /// off.
    pub enough: u32,
    /// Not zero while the engine waits for the outside: a sleep of its own, which has an end.
    pub waits: u32,
    /// The limit of memory, once the tool has seen that the process takes more; 0 before.
    pub exceeded: u64,
    /// See `head_length`.
    pub head: [u8; 1024],
    /// Where a signal came that ended the process, or where the iteration failed in a function of C: the
    /// calls that led there, the innermost first, as offsets from where the executable begins in memory.
    pub frames: [u64; Board::FRAMES],
    /// The bytes of a [`Bug`] that a signal handler left behind.
    pub last_words: [u8; 64 * 1024],
    /// The runs: worker and steps.
    pub run_table: [[u32; 2]; Board::RUNS],
    /// The choices.
    pub choice_table: [u32; Board::CHOICES],
}

/// The [`Counters`] that a test process leaves behind, however it ends; the tool reads them as bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Ended {
    /// The last iteration that they count, from 1; 0 before one has ended.
    pub iteration: u64,
    /// [`Counters::schedules`]
    pub schedules: u64,
    /// [`Counters::distinct`]
    pub distinct: u64,
    /// [`Counters::steps`]
    pub steps: u64,
    /// [`Counters::choice_points`]
    pub choice_points: u64,
    /// [`Counters::switches`]
    pub switches: u64,
    /// [`Counters::cut_offs`]
    pub cut_offs: u64,
    /// [`Counters::longest`]
    pub longest: u64,
    /// [`Counters::workers`]
    pub workers: u32,
    /// [`Counters::concurrency`]
    pub concurrency: u32,
}

impl Ended {
    /// The counts after this iteration.
    pub fn of(iteration: u64, counters: &Counters) -> Ended {
        Ended {
            iteration,
            schedules: counters.schedules,
            distinct: counters.distinct,
            steps: counters.steps,
            choice_points: counters.choice_points,
            switches: counters.switches,
            cut_offs: counters.cut_offs,
            longest: counters.longest,
            workers: counters.workers,
            concurrency: counters.concurrency,
        }
    }

    /// The counters with these counts in the place of older ones.
    #[must_use]
    pub fn over(self, counters: Counters) -> Counters {
        Counters {
            schedules: self.schedules,
            distinct: self.distinct,
            steps: self.steps,
            choice_points: self.choice_points,
            switches: self.switches,
            cut_offs: self.cut_offs,
            longest: self.longest,
            workers: self.workers,
            concurrency: self.concurrency,
            ..counters
        }
    }
}

wire_struct!(Ended {
    iteration,
    schedules,
    distinct,
    steps,
    choice_points,
    switches,
    cut_offs,
    longest,
    workers,
    concurrency
});

impl Board {
    /// Says that a board is in use and of this version.
    pub const MAGIC: u64 = 0x6363_742d_0000_0000 | VERSION as u64;
    /// The most runs of one iteration; `max_steps` can be no larger.
    pub const RUNS: usize = 1 << 20;
    /// The most choices of one iteration.
    pub const CHOICES: usize = 1 << 20;
    /// The most calls that are told of a place.
    pub const FRAMES: usize = 128;
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
