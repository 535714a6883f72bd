//! The events of a test process under delay injection.

use crate::codec::{hash, wire_enum, wire_struct};
use crate::trace::Site;

/// A place in the program from which an object is accessed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// Where the call returns to, as an offset in the executable; 0 if the site is known.
    pub offset: u64,
    /// The line, of calls that know it.
    pub site: Option<Site>,
}

impl Place {
    /// Its number in test processes.
    pub fn id(&self) -> u64 {
        match &self.site {
            Some(site) => Place::id_of_line(&site.file, site.line, site.column),
            None => self.offset,
        }
    }

    /// The number of the place at this line.
    pub(crate) fn id_of_line(file: &str, line: u32, column: u32) -> u64 {
        let of_file = hash(file.bytes());
        let line = u64::from(line) << 20 | u64::from(column);
        (of_file ^ line.wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1 << 63
    }
}

/// The news of a pair of places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// Accesses from there were near to each other: a thread is held at either of them.
    Dangerous,
    /// A violation was seen.
    Found,
    /// Delays have told that one is before the other.
    Ordered,
    /// No delay has shown anything.
    GivenUp,
}

/// A pair whose standing has changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairTold {
    /// One place.
    pub first: Place,
    /// The other one, or the same.
    pub second: Place,
    /// The standing from now on.
    pub standing: Standing,
}

/// How two accesses at a time are wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The rules of Rust, or of C, say nothing about what happens.
    Undefined,
    /// The documentation of what was called says that this must not be.
    Contract,
    /// Each access is fine by itself: what is disturbed is the purpose of one of them.
    Logical,
}

/// One of the two accesses of a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// The place.
    pub place: Place,
    /// The function that is called, `setenv` say; empty for an access to memory.
    pub api: String,
    /// It may change the object.
    pub writes: bool,
    /// Where it begins, in memory.
    pub address: u64,
    /// How many bytes are accessed.
    pub size: u64,
    /// The name of the thread, if it has one.
    pub thread: String,
    /// The number of the thread or task, by order of first access.
    pub party: u32,
    /// It is a task.
    pub is_task: bool,
    /// The test that made the thread, if it is known.
    pub test: String,
    /// The calls that led there, the innermost first, as offsets in the executable.
    pub calls: Vec<u64>,
}

/// Two accesses of an object at the same time, of which one may change it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The group that the object is of; empty for memory.
    pub group: String,
    /// How it is wrong.
    pub severity: Severity,
    /// The access that was held.
    pub held: Side,
    /// The access that came meanwhile.
    pub came: Side,
    /// After how many milliseconds of the run.
    pub after: u64,
}

/// The figures of a process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// How many places were reached from which objects are accessed that several threads use.
    pub places: u64,
    /// How many of them while several threads were at work.
    pub places_at_once: u64,
    /// How many accesses were looked at whole.
    pub points: u64,
    /// How often a thread was held.
    pub delays: u64,
    /// For how many microseconds in all.
    pub delayed: u64,
    /// How often not, since a thread or a test had been held for long enough.
    pub spared: u64,
    /// How often violations were seen, those that are told and those that are like them.
    pub violations: u64,
}

wire_struct!(Place { offset, site });
wire_enum!(Standing { 0 Dangerous, 1 Found, 2 Ordered, 3 GivenUp });
wire_struct!(PairTold {
    first,
    second,
    standing
});
wire_enum!(Severity { 0 Undefined, 1 Contract, 2 Logical });
wire_struct!(Side {
    place,
    api,
    writes,
    address,
    size,
    thread,
    party,
    is_task,
    test,
    calls
});
wire_struct!(Violation {
    group,
    severity,
    held,
    came,
    after
});
wire_struct!(Figures {
    places,
    places_at_once,
    points,
    delays,
    delayed,
    spared,
    violations
});
