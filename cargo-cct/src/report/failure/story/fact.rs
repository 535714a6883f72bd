//! A fact of a schedule.

use cct::operation::Operation as Op;
use cct::trace::{Outcome, Site};
use cct::verdict::{Unpolled, Wait};

use super::super::waits;
use super::Scene;
use super::words::{Words, does};

/// Something that the trace shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fact {
    /// A worker performed this step.
    Does(usize),
    /// A worker did once more what it did in the sentence's first fact.
    Again(usize),
    /// A worker performed this step of a dependency, in a call of the user's.
    InCall(usize),
    /// A worker performed this step of a dependency without having come back to this object.
    WithoutLook {
        /// The step.
        step: usize,
        /// The object.
        object: u32,
    },
    /// A store undid a write that its worker had not seen.
    Overwrites(usize),
    /// The value that was just read had been written by this step.
    Written(usize),
    /// The lock that could not be taken had been taken by this step.
    Taken(usize),
    /// No step had written the value that was just read.
    Unwritten,
    /// The value that this step found had been written by no step.
    NoneWrote {
        /// The step.
        step: usize,
        /// The last step that wrote something else.
        last: usize,
    },
    /// A worker read the same value so often, from this step on.
    Repeats {
        /// The first of these reads.
        step: usize,
        /// How many they are.
        times: usize,
    },
    /// A worker got hold of a lock by this step, and has it still.
    Holds(usize),
    /// The last that a worker did with the object that another one waits for.
    LastCame(usize),
    /// A worker got hold of a lock by this step, has it still, and another one waits for it.
    HasTaken(usize),
    /// A worker waits to write since this step, and a lock that others hold to read lets no more readers in.
    KeepsOut(usize),
    /// The last step of another worker before the process ended, or was found to hang.
    WasAt(usize),
    /// A worker waits.
    WaitsFor {
        /// The wait.
        waits: Awaited,
        /// The fact before says what the same worker holds.
        holds: bool,
    },
    /// A condition variable was notified.
    Notifies {
        /// The step.
        step: usize,
        /// Nobody waited for it.
        to_nobody: bool,
        /// The worker that was woken.
        woke: Option<u32>,
    },
    /// A worker began to wait for a condition variable.
    BeginsToWait(usize),
    /// Nothing that would end the wait comes after that.
    NoMore(Ends),
    /// A time-out came although others could run.
    TimesOut(usize),
    /// A worker dropped the last of its end of a channel.
    GivesUp(usize),
    /// A task was dropped before it had ended.
    Dropped(usize),
    /// The future of an await was dropped while it waited.
    Cancelled(usize),
    /// A worker allocated the memory in this step.
    Allocates(usize),
    /// A worker freed the memory in this step.
    Frees(usize),
    /// The first of two accesses that are a race.
    Accessed,
    /// The second of them.
    Accesses,
    /// The two are ordered by nothing.
    Unordered,
    /// A store, which another worker read from, publishes nothing.
    PublishesNothing {
        /// The store.
        store: usize,
        /// The load that read from it.
        load: usize,
    },
    /// A load takes nothing over from the store that it read from.
    TakesNothingOver(usize),
    /// A store is not sequentially consistent, and no such fence comes between it and a load.
    MayBeMissed {
        /// The store.
        store: usize,
        /// The load.
        load: usize,
    },
    /// A load is not sequentially consistent, and no such fence comes between a store and it.
    MayMiss {
        /// The store.
        store: usize,
        /// The load.
        load: usize,
    },
    /// A monitor is hot since this step.
    Hot(usize),
    /// An actor ignored events in this step.
    Ignores(usize),
    /// A worker panicked.
    Panics(usize),
    /// The failing worker failed.
    Fails {
        /// The worker.
        worker: u32,
        /// Where.
        site: Site,
    },
}

/// The events that end a wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    /// A notification.
    Notified,
    /// The same, and none ever came.
    NeverNotified,
    /// An unpark.
    Unparked,
    /// A message.
    Sent,
}

/// The place of a fact in its sentence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// It is the last.
    pub is_last: bool,
    /// How many there are.
    pub facts: usize,
}

/// A wait at the end of a schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Awaited {
    /// The worker that waits.
    pub worker: u32,
    /// The operation that waits.
    pub operation: Option<Op>,
    /// Its object.
    pub object: Option<u32>,
    /// The step by which the wait began, if the worker came so far.
    pub step: Option<usize>,
    /// The worker that holds it.
    pub holder: Option<u32>,
    /// The step by which that came to hold it.
    pub taken: Option<usize>,
    /// Where it waits.
    pub site: Site,
    /// It is part of a circle.
    pub in_cycle: bool,
    /// It could run, and only spins.
    pub spins: bool,
    /// For a task, why it is not polled.
    pub task: Option<Unpolled>,
}

impl Awaited {
    /// Looks the wait up in the trace.
    pub(super) fn of(scene: &Scene<'_>, wait: &Wait) -> Awaited {
        let last = scene.last_of(wait.worker);
        let site = wait.caller.as_ref().unwrap_or(&wait.site);
        // A wait that nobody picked is no step: the last one is another.
        let is_it = |&index: &usize| {
            let is_there = scene
                .place(index)
                .is_some_and(|place| (&place.file, place.line) == (&site.file, site.line));
            scene.step(index).outcome == Outcome::Waits && (is_there || wait.task.is_some())
        };
        Awaited {
            worker: wait.worker,
            operation: Op::from_code(wait.operation),
            object: waits::number(wait, scene.trace),
            step: last.filter(is_it),
            taken: wait
                .holder
                .and_then(|holder| waits::acquired(scene.trace, wait, holder)),
            holder: wait.holder,
            site: wait.caller.as_ref().unwrap_or(&wait.site).clone(),
            in_cycle: wait.in_cycle,
            spins: wait.spins,
            task: wait.task,
        }
    }

    /// True if a thread waits in one of these operations.
    pub(super) fn is_for(&self, operations: &[Op]) -> bool {
        self.task.is_none() && self.operation.is_some_and(|op| operations.contains(&op))
    }
}

impl Fact {
    /// The steps that the fact names.
    pub(super) fn steps(&self) -> Vec<usize> {
        match self {
            Fact::Does(step)
            | Fact::Again(step)
            | Fact::InCall(step)
            | Fact::WithoutLook { step, .. }
            | Fact::Overwrites(step)
            | Fact::Written(step)
            | Fact::Taken(step)
            | Fact::LastCame(step)
            | Fact::HasTaken(step)
            | Fact::KeepsOut(step)
            | Fact::WasAt(step)
            | Fact::Repeats { step, .. }
            | Fact::Holds(step)
            | Fact::Notifies { step, .. }
            | Fact::BeginsToWait(step)
            | Fact::TimesOut(step)
            | Fact::GivesUp(step)
            | Fact::Dropped(step)
            | Fact::Cancelled(step)
            | Fact::Allocates(step)
            | Fact::Frees(step)
            | Fact::TakesNothingOver(step)
            | Fact::Hot(step)
            | Fact::Ignores(step)
            | Fact::Panics(step) => vec![*step],
            Fact::PublishesNothing { store, load }
            | Fact::MayBeMissed { store, load }
            | Fact::MayMiss { store, load } => vec![*store, *load],
            Fact::NoneWrote { step, last } => vec![*step, *last],
            Fact::WaitsFor { waits, .. } => waits.step.into_iter().chain(waits.taken).collect(),
            Fact::Unwritten
            | Fact::NoMore(_)
            | Fact::Accessed
            | Fact::Accesses
            | Fact::Unordered
            | Fact::Fails { .. } => Vec::new(),
        }
    }

    /// The step of another worker that has to do with the object of a wait.
    pub(super) fn of_others(&self) -> Option<usize> {
        match self {
            Fact::LastCame(step) | Fact::HasTaken(step) => Some(*step),
            _ => None,
        }
    }

    /// True for a fact that ends with another worker as the subject.
    pub(super) fn names_another(&self) -> bool {
        matches!(self, Fact::NoneWrote { .. })
    }

    /// True for what hangs on the fact before.
    pub(super) fn is_relative(&self) -> bool {
        matches!(
            self,
            Fact::Written(_) | Fact::NoneWrote { .. } | Fact::Taken(_) | Fact::Unwritten
        )
    }

    /// True if the worker does the same as in the fact before, so that only the place is news.
    pub(super) fn is_same_as(&self, before: Option<&Fact>, scene: &Scene<'_>) -> bool {
        let (Some(Fact::Does(before)), Fact::Does(step)) = (before, self) else {
            return false;
        };
        let key = |step| (scene.lane(step), does(scene, step, false));
        scene.step(*step).written.is_none() && key(*before) == key(*step)
    }

    /// The text between the fact before and this one.
    pub(super) fn joint(&self, scene: &Scene<'_>, before: &Fact, place: Place) -> &'static str {
        let Place { is_last, facts } = place;
        match (before, self) {
            (_, fact) if fact.is_same_as(Some(before), scene) => " and ",
            (_, Fact::NoneWrote { .. }) => " though ",
            (_, fact) if fact.is_relative() => ", ",
            (Fact::Holds(_) | Fact::Accessed, _) => " and ",
            (
                Fact::WaitsFor { .. },
                Fact::Holds(_) | Fact::WaitsFor { .. } | Fact::LastCame(_) | Fact::KeepsOut(_),
            )
            | (Fact::WasAt(_) | Fact::TimesOut(_), _)
            | (_, Fact::Unordered) => "; ",
            (_, Fact::NoMore(_)) => ", and ",
            (Fact::WaitsFor { .. }, Fact::HasTaken(_)) => ", which ",
            (_, Fact::HasTaken(_)) => " and ",
            _ if is_last && facts == 2 => " and ",
            _ if is_last => ", and ",
            _ => ", ",
        }
    }

    /// Its words; those of the facts before need not be repeated.
    pub(super) fn text(&self, scene: &Scene<'_>, before: &[Fact]) -> String {
        let waiter = before.iter().rev().find_map(|fact| match fact {
            Fact::WaitsFor { waits, .. } => Some(scene.names.lane(waits.worker)),
            _ => None,
        });
        let words = Words {
            scene,
            before: before.last(),
            waiter,
        };
        words.of(self)
    }
}
