//! How an iteration ended, and what was found.
//!
//! Plain values: words for people are made in cargo-cct.

use crate::codec::wire_enum;
use crate::codec::wire_struct;
use crate::trace::{Call, Site};

/// How one iteration of a test ended.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", tag = "verdict"))]
pub enum Verdict {
    /// The body finished as it should.
    Passed,
    /// A bug was found.
    Failed(Box<Bug>),
    /// The step bound was reached while workers still made progress: neither passed nor failed.
    CutOff,
}

impl Verdict {
    /// That this bug was found.
    pub fn failed(bug: Bug) -> Verdict {
        Verdict::Failed(Box::new(bug))
    }
}

/// A finding.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bug {
    /// The kind of the bug.
    pub kind: BugKind,
    /// The panic message, or what the engine has to say; may have several lines.
    pub message: String,
    /// Where it happened, when that is known.
    pub site: Option<Site>,
    /// The worker that failed; none for a deadlock.
    pub worker: Option<u32>,
    /// The wait of each worker that cannot run; empty unless the bug is about waiting.
    pub waits: Vec<Wait>,
    /// The panic by which the bug came to the body, where that was another one: the rest is about its origin.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub led_to: Option<Consequence>,
    /// The two accesses to the same memory that are the bug, if it is one of those.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub race: Option<Box<Race>>,
    /// The signal that ended the process, if one did.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub fault: Option<Box<Fault>>,
}

/// The signal that ended a process, as the kernel tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fault {
    /// Its number.
    pub signal: i32,
    /// Its name, `SIGSEGV` say.
    pub name: String,
    /// The address that was accessed, or that of the instruction, if the kernel tells one.
    pub address: Option<u64>,
    /// The reason in words, as far as it is known.
    pub means: String,
}

/// Two accesses to the same memory: nothing orders them, or the first one gave it back.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Race {
    /// The first byte that both are of; only meaningful within its process.
    pub address: u64,
    /// The group of functions that go about it, `tmbuf` say, if it is behind such functions; else empty.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "String::is_empty")
    )]
    pub group: String,
    /// The path of the static that this is in, if it is in one.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub static_path: Option<String>,
    /// The one that came first.
    pub earlier: RacyAccess,
    /// The one at which the race was found, just before it.
    pub later: RacyAccess,
}

/// An access to memory.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RacyAccess {
    /// The worker; in an execution that is not recorded, the thread that it ran on.
    pub worker: u32,
    /// The way it goes about the memory.
    pub way: AccessWay,
    /// The function of a group that makes it, `localtime` say; empty for compiled code's own accesses.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "String::is_empty")
    )]
    pub function: String,
    /// How many bytes it is of; in an execution that is not recorded, of the eight around the address.
    pub size: u64,
    /// Which code it is of, as a place in the executable; the same for each access of this code.
    pub place: u64,
    /// In a recorded execution, the step during which it was, by index; when its line has been looked up, the
    /// note of it.
    pub step: Option<u32>,
    /// The calls that led there, as the process tells them: an index into the trace's stacks.
    #[cfg_attr(feature = "serde", serde(default, skip))]
    pub stack: Option<u32>,
    /// The user's line, when it has been looked up.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub site: Option<Site>,
    /// The calls, the innermost first, when they have been looked up.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub calls: Vec<Call>,
}

/// The ways to access memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum AccessWay {
    /// Plain code reads.
    Read,
    /// Plain code writes.
    Write,
    /// An atomic operation reads.
    AtomicRead,
    /// An atomic operation writes.
    AtomicWrite,
    /// The memory is given back.
    Free,
}

/// A panic of a worker that was told of another one's: by `join`, a scope, a poisoned lock, ….
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Consequence {
    /// The worker that panicked in turn.
    pub worker: u32,
    /// Its message.
    pub message: String,
    /// Where that was.
    pub site: Option<Site>,
}

/// The words of a liveness bug that was seen at the end.
pub(crate) const WHEN_OVER: &str = "when the test was over";

impl Bug {
    /// True if something had not happened when the test was over.
    pub fn is_at_the_end(&self) -> bool {
        self.kind == BugKind::Liveness && self.message.ends_with(WHEN_OVER)
    }

    /// A bug of which no more is known than this.
    pub fn new(kind: BugKind, message: String, site: Option<Site>, worker: Option<u32>) -> Bug {
        Bug {
            kind,
            message,
            site,
            worker,
            waits: Vec::new(),
            led_to: None,
            race: None,
            fault: None,
        }
    }

    /// The same with the signal that ended the process.
    #[must_use]
    pub fn with_fault(self, fault: Fault) -> Bug {
        Bug {
            fault: Some(Box::new(fault)),
            ..self
        }
    }

    /// True if two executions failed in the same way: kind, place and message, whose numbers may be addresses
    /// and the like. A crash seen from outside has less to say than one seen from inside.
    pub fn is_like(&self, other: &Bug) -> bool {
        let by_chance = [BugKind::Hang, BugKind::OutOfMemory];
        if self.kind == other.kind && by_chance.contains(&self.kind) {
            // Where in its loop the code was found is chance.
            return true;
        }
        if let (Some(race), Some(other)) = (&self.race, &other.race) {
            return race.is_like(other);
        }
        let place = |bug: &Bug| bug.site.as_ref().map(|site| (site.file.clone(), site.line));
        match (place(self), place(other)) {
            (Some(place), Some(other)) if place != other => return false,
            _ => {}
        }
        if self.is_deadlock() && other.is_deadlock() {
            // The message tells whether others could still run.
            return true;
        }
        if self.is_crash() && other.is_crash() {
            return self.kind == other.kind || self.site.is_none() || other.site.is_none();
        }
        self.kind == other.kind && without_numbers(&self.message) == without_numbers(&other.message)
    }

    /// True if two executions of one program came to one failure: alike, and where it is about waiting, by
    /// the same waits; where some wait in a circle, by those, whoever else waits for it or could still run.
    pub fn is_same_as(&self, other: &Bug) -> bool {
        self.is_like(other) && self.places_of_waits() == other.places_of_waits()
    }

    /// The same of two executions in one process, where addresses tell objects apart: a circle is of the same
    /// objects.
    pub fn is_same_here_as(&self, other: &Bug) -> bool {
        let circle = |bug: &Bug| {
            let waits = bug.waits.iter().filter(|wait| wait.in_cycle);
            let mut circle: Vec<_> = waits
                .map(|wait| (wait.site.line, wait.site.column, wait.address))
                .collect();
            circle.sort_unstable();
            circle
        };
        self.is_same_as(other) && circle(self) == circle(other)
    }

    /// The places of those who wait, in order; where there is a circle, of those who are part of it.
    fn places_of_waits(&self) -> Vec<(u8, &str, u32, u32)> {
        let has_circle = self.is_deadlock() && self.waits.iter().any(|wait| wait.in_cycle);
        let counts = |wait: &&Wait| wait.in_cycle || !has_circle;
        let waits = self.waits.iter().filter(counts);
        let mut places: Vec<_> = waits
            .map(|wait| {
                let Site { file, line, column } = &wait.site;
                (wait.operation, file.as_str(), *line, *column)
            })
            .collect();
        places.sort_unstable();
        places
    }

    fn is_deadlock(&self) -> bool {
        matches!(self.kind, BugKind::Deadlock | BugKind::LockCycle)
    }

    fn is_crash(&self) -> bool {
        matches!(
            self.kind,
            BugKind::Signal | BugKind::Abort | BugKind::StackOverflow | BugKind::BadMemory
        )
    }
}

impl Race {
    /// Both, the earlier one first.
    pub fn accesses(&self) -> [&RacyAccess; 2] {
        [&self.earlier, &self.later]
    }

    /// The same to change.
    pub fn accesses_mut(&mut self) -> [&mut RacyAccess; 2] {
        [&mut self.earlier, &mut self.later]
    }

    /// True if both are of the same code, whichever came first: by the user's lines, where they are known.
    fn is_like(&self, other: &Race) -> bool {
        let (earlier, later) = (&self.earlier, &self.later);
        earlier.is_like(&other.earlier) && later.is_like(&other.later)
            || earlier.is_like(&other.later) && later.is_like(&other.earlier)
    }
}

impl RacyAccess {
    /// The places of it that are known, and of the calls that led there.
    pub fn sites(&self) -> impl Iterator<Item = &Site> {
        let calls = self.calls.iter().filter_map(|call| call.site.as_ref());
        self.site.iter().chain(calls)
    }

    /// The same to change.
    pub fn sites_mut(&mut self) -> impl Iterator<Item = &mut Site> {
        let calls = self.calls.iter_mut();
        self.site
            .iter_mut()
            .chain(calls.filter_map(|call| call.site.as_mut()))
    }

    fn is_like(&self, other: &RacyAccess) -> bool {
        match (&self.site, &other.site) {
            (Some(own), Some(other)) => (&own.file, own.line) == (&other.file, other.line),
            _ => self.place == other.place,
        }
    }
}

/// The words of a bug of too much memory, given the limit in bytes.
pub fn too_much_memory(limit: u64) -> String {
    format!(
        "it takes more than {}, which is the limit of its memory (`max_memory`)",
        in_bytes(limit)
    )
}

/// So many bytes in words.
pub fn in_bytes(bytes: u64) -> String {
    let (mega, giga) = (bytes >> 20, bytes >> 30);
    if giga > 0 && bytes.trailing_zeros() >= 30 {
        format!("{giga} GiB")
    } else {
        format!("{mega} MiB")
    }
}

/// A message with every number replaced, hexadecimal ones included.
pub fn without_numbers(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut in_number = false;
    for c in message.chars() {
        in_number = c.is_ascii_digit() || in_number && (c.is_ascii_hexdigit() || c == 'x');
        if !in_number {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}

/// The kinds of bugs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum BugKind {
    /// The test's body panicked.
    Panic,
    /// A `#[should_panic]` test did not panic, or with another message.
    NoPanic,
    /// The test returned an error.
    ErrorReturned,
    /// An actor could not go on: a handler returned an error, no state handles an event, ….
    ActorFailed,
    /// A worker panicked and nobody noticed; a bug only when the settings say so.
    UnobservedPanic,
    /// The body can never finish: every worker waits.
    Deadlock,
    /// Workers hold locks that they wait for in a circle, while others can still run.
    LockCycle,
    /// Workers spin or poll for ever, and no worker will ever change anything.
    #[cfg_attr(feature = "serde", serde(alias = "no_progress"))]
    Livelock,
    /// The test called `process::exit`.
    Exit,
    /// The test called `process::abort`, or a panic could not unwind.
    Abort,
    /// A signal ended the process.
    Signal,
    /// A worker's stack was exhausted.
    StackOverflow,
    /// The test takes more memory than its limit.
    OutOfMemory,
    /// Code without scheduling points did not come back.
    Hang,
    /// There was no sign of life for too long, and nothing tells that there never would have been one: no bug
    /// that was found.
    Silence,
    /// Memory was freed twice, freed without having been allocated, or a lock in freed memory was used.
    BadMemory,
    /// Two threads access the same memory, at least one of them writes, and nothing orders them.
    Race,
    /// Two threads call functions that are not thread-safe, of one group, and nothing orders the calls.
    Violation,
    /// A monitor or an invariant says that this must not happen.
    Safety,
    /// Something that must happen has not, when the test was over or after very many fair steps.
    Liveness,
}

/// The wait of one worker.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Wait {
    /// The worker that waits, or that spins.
    pub worker: u32,
    /// The code of its pending operation, see [`crate::operation::Operation`].
    #[cfg_attr(feature = "serde", serde(with = "crate::operation::by_key"))]
    pub operation: u8,
    /// The object it waits for, by address; only meaningful within its process.
    pub address: u64,
    /// The object it waits for, numbered by first use in a recorded execution.
    pub object: Option<u32>,
    /// Where it waits.
    pub site: Site,
    /// The worker that holds the object, or that is to be joined, when that is known.
    pub holder: Option<u32>,
    /// True for a worker that could run but only spins.
    pub spins: bool,
    /// True when the worker is part of the circle of waiting, not only behind it.
    pub in_cycle: bool,
    /// For a task that nobody polls at the moment: why it does not go on.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub task: Option<Unpolled>,
    /// Where the user's code made the call that waits, if that is elsewhere.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub caller: Option<Site>,
}

/// Why a task is not polled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Unpolled {
    /// The awaited future was not ready, or it is woken and has not been polled yet.
    Awaits,
    /// Its executor has never polled it.
    Never,
    /// It can go on, and was not picked.
    HeldBack,
    /// It was held back, and picked; its executor has not polled it since.
    Woken,
}

wire_enum!(Verdict { 0 Passed, 1 Failed(bug), 2 CutOff });
wire_struct!(Bug {
    kind,
    message,
    site,
    worker,
    waits,
    led_to,
    race,
    fault
});
wire_struct!(Fault {
    signal,
    name,
    address,
    means
});
wire_struct!(Race {
    address,
    group,
    static_path,
    earlier,
    later
});
wire_struct!(RacyAccess {
    worker,
    way,
    function,
    size,
    place,
    step,
    stack,
    site,
    calls
});
wire_enum!(AccessWay { 0 Read, 1 Write, 2 AtomicRead, 3 AtomicWrite, 4 Free });
wire_struct!(Consequence {
    worker,
    message,
    site
});
wire_enum!(BugKind {
    0 Panic, 1 NoPanic, 2 ErrorReturned, 3 UnobservedPanic, 4 Deadlock, 5 LockCycle, 6 Livelock,
    7 Exit, 8 Abort, 9 Signal, 10 StackOverflow, 11 Hang, 12 BadMemory,
    13 Safety, 14 Liveness, 15 Silence, 16 Race, 17 Violation, 18 ActorFailed,
    19 OutOfMemory,
});
wire_struct!(Wait {
    worker,
    operation,
    address,
    object,
    site,
    holder,
    spins,
    in_cycle,
    task,
    caller
});
wire_enum!(Unpolled { 0 Awaits, 1 Never, 2 HeldBack, 3 Woken });

#[cfg(test)]
mod tests {
    use super::*;

    fn bug(kind: BugKind, message: &str, line: Option<u32>) -> Bug {
        let site = line.map(|line| Site {
            file: "a.rs".to_owned(),
            line,
            column: 1,
        });
        Bug::new(kind, message.to_owned(), site, None)
    }

    #[test]
    fn numbers_in_messages_do_not_count() {
        let one = bug(BugKind::Panic, "left 900 at 0x7f3a", Some(3));
        assert!(one.is_like(&bug(BugKind::Panic, "left 7 at 0x11", Some(3))));
        assert!(!one.is_like(&bug(BugKind::Panic, "right 7 at 0x11", Some(3))));
        assert!(!one.is_like(&bug(BugKind::Panic, "left 900 at 0x7f3a", Some(4))));
        assert!(!one.is_like(&bug(BugKind::NoPanic, "left 900 at 0x7f3a", Some(3))));
    }

    #[test]
    fn a_crash_seen_from_outside_is_the_same_crash() {
        let inside = bug(
            BugKind::StackOverflow,
            "worker 1 overflowed its stack",
            Some(3),
        );
        assert!(inside.is_like(&bug(BugKind::Signal, "killed by signal 11", None)));
    }

    /// One function locks both pairs of locks in its order: the places are the same, the objects are not.
    #[test]
    fn circles_of_other_objects_are_other_deadlocks() {
        let waits = |column: u32, addresses: [u64; 2]| Bug {
            waits: addresses
                .map(|address| Wait {
                    worker: 1,
                    operation: 0,
                    address,
                    object: None,
                    site: Site {
                        file: "a.rs".to_owned(),
                        line: 3,
                        column,
                    },
                    holder: None,
                    spins: false,
                    in_cycle: true,
                    task: None,
                    caller: None,
                })
                .into(),
            ..bug(BugKind::Deadlock, "nobody can wake them", None)
        };
        let one = waits(1, [8, 16]);
        assert!(one.is_same_here_as(&waits(1, [16, 8])));
        assert!(!one.is_same_here_as(&waits(1, [8, 24])));
        assert!(one.is_same_as(&waits(1, [8, 24])));
        assert!(!one.is_same_as(&waits(9, [8, 16])));
        // Somebody else waits for the circle, and others could still run.
        let mut behind = waits(1, [8, 16]);
        behind.kind = BugKind::LockCycle;
        behind.message = "others go on".to_owned();
        let mut other = behind.waits[0].clone();
        (other.in_cycle, other.site.line) = (false, 7);
        behind.waits.push(other);
        assert!(one.is_same_here_as(&behind) && behind.is_same_here_as(&one));
        assert!(!one.is_like(&bug(BugKind::Livelock, "nobody can wake them", None)));
    }
}
