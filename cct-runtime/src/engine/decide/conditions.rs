//! Conditions on the state of the program, looked at after each step.
//!
//! They run on the stack of the worker that hands over, between its last step and the next
//! decision. While there are any, each point is a decision: there is no fuse.

use std::borrow::Cow;
use std::panic::Location;
use std::ptr::null_mut;

use super::engine::{Engine, Request, set_engine};
use super::heat::Subject;
use super::onlooker::{Interruption, Onlooker, aside};
use crate::engine::state::iteration::End;
use crate::engine::state::monitors::HeatId;
use crate::engine::state::worker::{State, Worker};
use crate::object::ObjectId;
use crate::specification::Temperature;
use crate::strategy::WorkerId;
use crate::trace::Site;
use crate::verdict::{Bug, BugKind};

/// The conditions of an iteration.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    entries: Vec<Condition>,
    /// The step under way, once there are conditions: who, and where.
    step: Option<(u32, &'static Location<'static>)>,
}

#[derive(Debug)]
struct Condition {
    name: Cow<'static, str>,
    demand: Demand,
    /// None while it is evaluated, and once it is met. Allocated by its worker.
    holds: Option<Predicate>,
}

/// A closure; it does not implement `Debug`.
struct Predicate(Box<dyn FnMut() -> bool>);

impl std::fmt::Debug for Predicate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// When the condition has to hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Demand {
    /// After each step.
    Always,
    /// After some step.
    Eventually(HeatId),
    /// The worker with this number waits until it does.
    Resume(u32),
}

impl Conditions {
    /// True if there is something to look at after each step.
    pub(crate) fn is_any(&self) -> bool {
        !self.entries.is_empty()
    }

    /// A new iteration begins; closures of the last one are forgotten, not dropped.
    pub(crate) fn begin(&mut self) {
        for entry in self.entries.drain(..) {
            std::mem::forget(entry.holds);
        }
        self.step = None;
    }

    /// One more condition, of the engine's own memory but for the predicate. It is demanded by this worker,
    /// at this site.
    pub(crate) fn add(
        &mut self,
        name: Cow<'static, str>,
        demand: Demand,
        holds: Box<dyn FnMut() -> bool>,
        by: (u32, &'static Location<'static>),
    ) {
        if !self.is_any() && !matches!(demand, Demand::Resume(_)) {
            self.step = Some(by);
        }
        self.entries.push(Condition {
            name,
            demand,
            holds: Some(Predicate(holds)),
        });
    }

    /// The worker with this number goes on, and its condition is forgotten, not dropped.
    pub(crate) fn forget_resume(&mut self, worker: u32) {
        let own = |entry: &Condition| matches!(entry.demand, Demand::Resume(of) if of == worker);
        if let Some(index) = self.entries.iter().position(own) {
            std::mem::forget(self.entries.remove(index));
        }
    }

    /// The worker has been picked and carries out its pending operation.
    pub(crate) fn note_step(&mut self, worker: *mut Worker) {
        if self.is_any() {
            // SAFETY: a picked worker is live.
            self.step = unsafe { Some(((*worker).id.0, (*worker).site)) };
        }
    }
}

/// Looks at the conditions after a step; a broken one ends the iteration. Called where the current
/// worker has handed over and nothing has been decided.
///
/// # Safety
///
/// The engine must be live, and its current worker suspended.
pub(crate) unsafe fn look(engine: *mut Engine) {
    // SAFETY: the caller's; no entry is removed before the end, and no reference to one is
    // kept while it runs.
    unsafe {
        if (*engine).decision.request == Request::Finish {
            return;
        }
        if (*engine).observers.watch.may_have_changed() {
            // The order of changes can be told by who looks between them.
            (*engine).note_touched(ObjectId::MONITORS);
        }
        let count = (*engine).aside.conditions.entries.len();
        let mut any_met = false;
        for index in 0..count {
            let entry = || &raw mut (&mut (*engine).aside.conditions.entries)[index];
            if let Demand::Resume(worker) = (*entry()).demand
                && (*(*engine).roster.worker(WorkerId(worker))).state() != State::Waiting
            {
                // It has been woken, or is only about to wait.
                continue;
            }
            let Some(mut holds) = (*entry()).holds.take() else {
                continue;
            };
            set_engine(engine);
            let result = aside(engine, Onlooker::Condition, || (holds.0)());
            set_engine(null_mut());
            match (result, (*entry()).demand) {
                (Ok(true), Demand::Eventually(heat)) => {
                    let site = Location::caller();
                    (*engine).set_temperature(heat, Temperature::Cold("met"), site);
                    // Its memory goes with the iteration: what it owns may not be dropped between
                    // steps.
                    std::mem::forget(holds);
                    any_met = true;
                }
                (Ok(false), Demand::Always) => {
                    let bug = (*engine).broken(index, None);
                    (*engine).finish(End::failed(bug));
                    return;
                }
                (Err(Interruption::Panicked(message, site)), _) => {
                    let bug = (*engine).broken(index, Some((message, site)));
                    (*engine).finish(End::failed(bug));
                    return;
                }
                (Ok(true), Demand::Resume(worker)) => {
                    (*entry()).holds = Some(holds);
                    let object = ObjectId::pause_of(WorkerId(worker));
                    (*engine).wake_waiters(object);
                }
                // It holds, is not met yet, or cannot be evaluated now: a lock is held.
                _ => (*entry()).holds = Some(holds),
            }
        }
        if any_met {
            let entries = &mut (*engine).aside.conditions.entries;
            entries.retain(|entry| entry.holds.is_some());
        }
    }
}

impl Engine {
    /// The bug when the condition with this number does not hold, or panicked.
    fn broken(&self, index: usize, panic: Option<(String, Option<Site>)>) -> Bug {
        let name = &self.aside.conditions.entries[index].name;
        let (worker, at) = self.aside.conditions.step.unzip();
        let (message, site) = match panic {
            None => (
                format!("invariant `{name}` does not hold after this step"),
                at.map(Site::from),
            ),
            Some((message, site)) => (format!("condition `{name}` panicked: {message}"), site),
        };
        Bug::new(BugKind::Safety, message, site, worker)
    }

    /// Something that must happen in the end; hot from now on. The caller is outside.
    pub(crate) fn add_obligation(
        &mut self,
        name: Cow<'static, str>,
        site: &'static Location<'static>,
    ) -> HeatId {
        let heat = self.add_heat(Subject::Obligation(name));
        self.set_temperature(heat, Temperature::Hot("due"), site);
        heat
    }
}
