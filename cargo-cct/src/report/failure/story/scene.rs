//! A failing schedule, with the questions that stories ask of it.

use cct::operation::Operation as Op;
use cct::trace::{Outcome, Site, Step, Trace, Value};
use cct::verdict::Bug;

use super::super::actors;
use super::super::names::{self, Names};
use super::super::origin::Origin;
use super::super::torn::Torn;
use super::super::waits;
use super::{counted, fails_where_it_is};

/// A failing schedule.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Scene<'a> {
    /// Its trace.
    pub trace: &'a Trace,
    /// The names in it.
    pub names: &'a Names,
    /// The bug.
    pub bug: &'a Bug,
    /// The step that failed.
    pub failing: usize,
    /// The call into a dependency that is torn, if it is looked into.
    pub torn: Option<Torn>,
    /// Places are told with the line that called their function.
    pub tells_callers: bool,
}

impl<'a> Scene<'a> {
    /// The step with this index.
    pub(super) fn step(&self, index: usize) -> &'a Step {
        &self.trace.steps[index]
    }

    /// Its operation.
    pub(super) fn operation(&self, index: usize) -> Option<Op> {
        names::operation(self.step(index))
    }

    /// The worker in whose column the step is.
    pub(super) fn lane(&self, index: usize) -> u32 {
        self.names.lane(self.step(index).worker)
    }

    /// The place of the step as reports show it.
    pub(super) fn place(&self, index: usize) -> Option<&'a Site> {
        names::place(self.trace, self.step(index))
    }

    /// The user's line that led to a step in other code.
    pub(super) fn called_from(&self, index: usize) -> Option<&'a Site> {
        let caller = self.step(index).caller?;
        self.trace.sites.get(usize::try_from(caller).ok()?)
    }

    /// The failing worker.
    pub(super) fn failed(&self) -> u32 {
        self.bug
            .worker
            .map_or_else(|| self.lane(self.failing), |worker| self.names.lane(worker))
    }

    /// The steps up to the failing one, the latest first.
    pub(super) fn back_from(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        (0..index.min(self.trace.steps.len())).rev()
    }

    /// True if the operation itself is in the user's code.
    pub(in super::super) fn is_own(&self, index: usize) -> bool {
        let site = names::site(self.trace, self.step(index));
        site.is_some_and(|site| Origin::of(site) == Origin::User)
    }

    /// True if the operation is in the user's code, or comes of a call there.
    pub(super) fn is_called(&self, index: usize) -> bool {
        let site = self.place(index);
        site.is_some_and(|site| Origin::of(site) == Origin::User)
    }

    /// The value that a step of the user's code read.
    pub(super) fn read(&self, index: usize) -> Option<Value> {
        let is_choice = self.operation(index).is_some_and(Op::is_choice);
        let tells = !is_choice && !counted::is_blind(self, index);
        self.step(index)
            .read
            .filter(|_| tells && self.is_own(index))
    }

    /// True if both steps are about one object.
    pub(super) fn is_same(&self, one: usize, other: usize) -> bool {
        let object = self.step(one).object;
        object.is_some() && object == self.step(other).object
    }

    /// The latest step before this one that wrote its object; of a load that read an older store, that one.
    pub(super) fn writer(&self, index: usize) -> Option<usize> {
        if let Some(older) = &self.step(index).older {
            return older.step.map(|step| step as usize);
        }
        let mut before = self.back_from(index);
        before.find(|&other| self.is_same(index, other) && self.step(other).written.is_some())
    }

    /// True if the step took a lock.
    pub(super) fn takes(&self, index: usize) -> bool {
        let takes = |op: Op| op.takes_lock() || op.tries_lock();
        self.step(index).outcome == Outcome::Done && self.operation(index).is_some_and(takes)
    }

    /// Panics up to the failure, of others than the failing worker.
    pub(super) fn panics_before(&self) -> impl Iterator<Item = usize> + use<'_, 'a> {
        let failed = fails_where_it_is(self.bug.kind).then(|| self.failed());
        let is_panic = |&index: &usize| self.operation(index) == Some(Op::Panic);
        let is_others = move |&index: &usize| failed != Some(self.lane(index));
        (0..=self.failing).filter(is_panic).filter(is_others)
    }

    /// The next step of a step's worker.
    pub(super) fn next_of(&self, index: usize) -> Option<usize> {
        let worker = self.step(index).worker;
        (index + 1..self.trace.steps.len()).find(|&next| self.step(next).worker == worker)
    }

    /// The last step of a worker.
    pub(super) fn last_of(&self, worker: u32) -> Option<usize> {
        self.trace
            .steps
            .iter()
            .rposition(|step| step.worker == worker)
    }

    /// The waits in which the schedule ended.
    pub(in super::super) fn waiting(&self) -> Vec<usize> {
        let waits = self.bug.waits.iter().filter(|wait| {
            !waits::is_idle(self.trace, wait) && !actors::is_at_rest(self.trace, wait)
        });
        waits
            .filter_map(|wait| self.last_of(wait.worker))
            .filter(|&last| self.step(last).outcome == Outcome::Waits)
            .collect()
    }

    /// The last writes to what the failing worker read in its last so many reads.
    pub(in super::super) fn last_writers(&self, reads: usize) -> Vec<usize> {
        let own = self
            .back_from(self.failing + 1)
            .filter(|&index| self.lane(index) == self.failed());
        let reads = own.filter(|&index| self.read(index).is_some()).take(reads);
        reads
            .filter_map(|read| self.writer(read))
            .filter(|&writer| self.is_called(writer))
            .collect()
    }
}
