//! The observers: nothing here decides, and whatever is left out here changes no schedule.
//!
//! [`tape`] writes the schedule while it is made, always. [`record`] keeps every step, when somebody wants to
//! know. [`watch`] collects the accesses of each step, for strategies that observe and for the count of
//! behaviours, which [`happens_before`] tells apart. [`races`] looks at plain memory. [`covered`] counts what
//! machines do. [`debugged`] is for debuggers, and [`stops`] says where a replay stops.

pub(crate) mod calls;
pub(crate) mod covered;
pub(crate) mod debugged;
mod doings;
pub(crate) mod happens_before;
mod printed;
pub(crate) mod races;
pub(crate) mod record;
pub(crate) mod shares;
pub(crate) mod stops;
pub(crate) mod tape;
pub(crate) mod watch;

use crate::object::ObjectId;
use crate::trace::{Outcome, Value};
use covered::Tables;
use debugged::Debugged;
use races::Races;
use record::Recorder;
use shares::Shares;
use stops::Stops;
use tape::Tape;
use watch::Watch;

/// All who look on.
#[derive(Debug)]
pub(crate) struct Observers {
    pub(crate) tape: Tape,
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) watch: Watch,
    /// The stacks that a debugger sees, if the process is under one.
    pub(crate) debugged: Option<Box<Debugged>>,
    /// The steps before which a replay stops, if there are any.
    pub(crate) stops: Option<Box<Stops>>,
    /// The things that the tests of the process share, if somebody wants to know.
    pub(crate) shares: Shares,
    /// Looks for data races, if somebody does.
    pub(crate) races: Option<Box<Races>>,
    /// Counts what machines do.
    pub(crate) covered: Tables,
    /// Whether somebody wants to know what each step read and wrote.
    pub(crate) keeps_values: bool,
    /// The streams that the step under way has taken for a print, and not given back; 0 for none.
    printing: [ObjectId; 2],
}

/// The observers of steps, while there are none.
#[derive(Debug)]
pub(crate) struct Paused {
    recorder: Option<Box<Recorder>>,
    races: Option<Box<Races>>,
    is_watched: bool,
    keeps_values: bool,
}

impl Observers {
    /// A tape, and nobody else.
    pub(crate) fn new(tape: Tape) -> Observers {
        Observers {
            tape,
            recorder: None,
            shares: Shares::default(),
            watch: Watch::default(),
            debugged: None,
            stops: None,
            races: None,
            covered: Tables::default(),
            keeps_values: false,
            printing: [ObjectId::NONE; 2],
        }
    }

    /// A new iteration begins: the strategy wants to see each step if it `asks`, and its happens-before hash
    /// is computed if somebody `classifies`.
    pub(crate) fn begin(&mut self, recorder: Option<Box<Recorder>>, asks: bool, classifies: bool) {
        let Observers {
            tape: _,
            recorder: own,
            watch,
            debugged,
            stops,
            races,
            covered,
            keeps_values,
            shares: _,
            printing,
        } = self;
        if let Some(debugged) = debugged {
            debugged.begin();
        }
        if let Some(stops) = stops {
            stops.begin();
        }
        *own = recorder;
        covered.begin();
        watch.begin(asks, classifies);
        let orders = races.as_ref().is_some_and(|races| races.is_on());
        *keeps_values = own.is_some() || watch.is_on || orders;
        *printing = [ObjectId::NONE; 2];
    }

    /// The step under way takes the lock of a stream for a print.
    pub(crate) fn begin_print(&mut self, stream: ObjectId) {
        if let Some(place) = self.printing.iter_mut().find(|place| place.is_none()) {
            *place = stream;
        }
    }

    /// It gives the lock back.
    pub(crate) fn end_print(&mut self, stream: ObjectId) {
        let mut places = self.printing.iter_mut();
        if let Some(place) = places.find(|place| **place == stream) {
            *place = ObjectId::NONE;
        }
    }

    /// The step under way ends: the streams whose lock a print still has.
    #[inline]
    pub(crate) fn take_kept_prints(&mut self) -> Option<impl Iterator<Item = ObjectId> + use<>> {
        if self.printing == [ObjectId::NONE; 2] {
            return None;
        }
        let kept = std::mem::take(&mut self.printing);
        Some(kept.into_iter().filter(|&stream| !stream.is_none()))
    }

    /// True if each step is observed.
    #[inline]
    pub(crate) fn look_at_steps(&self) -> bool {
        self.recorder.is_some() || self.watch.is_on
    }

    /// Steps and accesses to memory are not observed from here on.
    pub(crate) fn pause(&mut self) -> Paused {
        races::look_at_nothing();
        Paused {
            recorder: self.recorder.take(),
            races: self.races.take(),
            is_watched: std::mem::take(&mut self.watch.is_on),
            keeps_values: std::mem::take(&mut self.keeps_values),
        }
    }

    /// They look again: at accesses to memory from the next iteration on, unless these begin anew.
    pub(crate) fn resume(&mut self, paused: Paused) {
        let Paused {
            recorder,
            races,
            is_watched,
            keeps_values,
        } = paused;
        self.recorder = recorder;
        self.races = races;
        self.watch.is_on = is_watched;
        self.keeps_values = keeps_values;
    }

    /// Notes the values that the operation under way read and wrote.
    pub(crate) fn note_values(
        &mut self,
        outcome: Outcome,
        read: Option<Value>,
        written: Option<Value>,
    ) {
        self.watch.note_values(outcome, read, written);
        if let Some(recorder) = &mut self.recorder {
            recorder.note_values(outcome, read, written);
        }
    }
}
