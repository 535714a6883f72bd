//! Which panic a bug is: the first of its chain.

use super::engine::Engine;
use crate::engine::state::panics::{PanicId, Told};
use crate::engine::state::worker::Worker;
use crate::verdict::{Bug, BugKind, Consequence};

impl Engine {
    /// The bug that this panic is, or what it is a consequence of.
    pub(crate) fn bug_of(&self, kind: BugKind, id: PanicId) -> Option<Bug> {
        let (last, first) = (
            self.iteration.panics.get(id)?,
            self.iteration
                .panics
                .get(self.iteration.panics.origin(id))?,
        );
        let is_consequence = last.follows.is_some();
        let (message, site) = (first.message.clone(), first.site.clone());
        Some(Bug {
            led_to: is_consequence.then(|| Consequence {
                worker: last.worker,
                message: last.message.clone(),
                site: last.site.clone(),
            }),
            ..Bug::new(kind, message, site, Some(first.worker))
        })
    }

    /// The panic with which somebody unwinds who says this: of the current thread's the last one, else the
    /// last of all, which was resumed.
    pub(crate) fn panic_saying(&self, message: &str) -> Option<PanicId> {
        let says = |id: &PanicId| {
            self.iteration
                .panics
                .get(*id)
                .is_some_and(|it| it.message == message)
        };
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let own = unsafe { (*(*self.roster.current).thread).last_panic };
        let all = self.iteration.panics.ids().rev();
        own.into_iter().chain(all).find(says)
    }

    /// Returns the worker that panics, as a report names it: a future that a thread blocks on goes by the
    /// thread's name.
    pub(crate) fn panicking_worker(&self) -> u32 {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        unsafe { (*Worker::shown_as(self.roster.current)).id.0 }
    }

    /// The panic that one with this message, on this thread, is a consequence of.
    pub(crate) fn followed(&self, thread: &Worker, message: &str) -> Option<PanicId> {
        let is_told = |told: &Told| {
            told.step == self.steps() || told.shows_as.is_some_and(|error| message.contains(error))
        };
        let told = thread.told.filter(is_told).map(|told| told.of);
        told.or_else(|| {
            self.iteration
                .panics
                .quoted(message, self.panicking_worker())
        })
    }
}
