//! Panics of an iteration: remembered for the report, with the one that each follows from.

use super::worker::Worker;
use crate::object::ObjectId;
use crate::trace::Site;

/// A panic of the iteration under way.
#[derive(Clone, Debug)]
pub(crate) struct PanicRecord {
    pub(crate) message: String,
    pub(crate) site: Option<Site>,
    /// The worker that panicked.
    pub(crate) worker: u32,
    /// The panic that it is a consequence of.
    pub(crate) follows: Option<PanicId>,
}

/// The number of a panic of the iteration under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PanicId(u32);

/// The panics of an iteration, in order, and what they left behind.
#[derive(Debug, Default)]
pub(crate) struct Panics {
    all: Vec<PanicRecord>,
    /// The objects that show others that somebody panicked.
    left_at: Vec<(ObjectId, PanicId)>,
}

/// The news that a worker had of another one's panic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) of: PanicId,
    /// The step during which it was.
    pub(crate) step: u32,
    /// How the error that told it shows itself, if it does.
    pub(crate) shows_as: Option<&'static str>,
}

impl Panics {
    /// A new iteration begins.
    pub(crate) fn clear(&mut self) {
        let Panics { all, left_at } = self;
        all.clear();
        left_at.clear();
    }

    /// The numbers of all panics, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = PanicId> + use<> {
        (0..self.all.len() as u32).map(PanicId)
    }

    /// This object shows others that somebody panicked like that.
    pub(crate) fn leave_at(&mut self, object: ObjectId, panic: PanicId) {
        self.left_at.push((object, panic));
    }

    /// The last panic that the object shows.
    pub(crate) fn found_at(&self, object: ObjectId) -> Option<PanicId> {
        let mut left = self.left_at.iter().rev();
        left.find(|(at, _)| *at == object).map(|&(_, panic)| panic)
    }

    /// The panic, if it is one of this iteration.
    pub(crate) fn get(&self, id: PanicId) -> Option<&PanicRecord> {
        self.all.get(id.0 as usize)
    }

    /// Adds a panic, the last one so far.
    pub(crate) fn add(&mut self, record: PanicRecord) -> PanicId {
        self.all.push(record);
        PanicId(self.all.len() as u32 - 1)
    }

    /// The last panic of another worker whose message this one quotes, as the error of a joined task does.
    pub(crate) fn quoted(&self, message: &str, worker: u32) -> Option<PanicId> {
        let quotes = |panic: &PanicRecord| {
            panic.worker != worker && message.contains(&format!("{:?}", panic.message))
        };
        let found = self.all.iter().rposition(quotes)?;
        Some(PanicId(found as u32))
    }

    /// The first panic of the chain that this one ends.
    pub(crate) fn origin(&self, id: PanicId) -> PanicId {
        let mut origin = id;
        while let Some(before) = self.get(origin).and_then(|panic| panic.follows) {
            origin = before;
        }
        origin
    }
}

impl Worker {
    /// The panic with which it unwinds, or has unwound: its own, or one that it was told of and resumed.
    pub(crate) fn passed_on(&self) -> Option<PanicId> {
        let told = self.told.map(|told| told.of);
        self.last_panic.max(told)
    }
}
