//! Conditions on the state of the program, looked at after each step.
//!
//! They run on the stack of the worker that hands over, between its last step and the next
//! decision. While there are any, each point is a decision: there is no fuse.

use std::borrow::Cow;
use std::panic::Location;
use std::ptr::null_mut;

use super::aside::{Interruption, Onlooker, aside};
use super::clock::NEVER;
use super::heat::{HeatId, Subject};
use super::iteration::End;
use super::state::{Engine, Request, engine, outside, set_engine};
use super::wait::wait_at;
use super::watch::touch;
use super::worker::{State, Worker};
use crate::operation::{Access, Operation};
use crate::specification::Temperature;
use crate::strategy::{MONITORS, WorkerId};
use crate::trace::Site;
use crate::verdict::{Bug, BugKind, Verdict};

/// The conditions of an iteration.
#[derive(Debug, Default)]
pub(super) struct Conditions {
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
enum Demand {
    /// After each step.
    Always,
    /// After some step.
    Eventually(HeatId),
    /// The worker with this number waits until it does.
    Resume(u32),
}

impl Conditions {
    /// True if there is something to look at after each step.
    pub(super) fn is_any(&self) -> bool {
        !self.entries.is_empty()
    }

    /// Prepares for the next iteration; closures of the last one are forgotten, not dropped.
    pub(super) fn reset(&mut self) {
        for entry in self.entries.drain(..) {
            std::mem::forget(entry.holds);
        }
        self.step = None;
    }

    /// The worker has been picked and carries out its pending operation.
    pub(super) fn note_step(&mut self, worker: *mut Worker) {
        if self.is_any() {
            // SAFETY: a picked worker is live.
            self.step = unsafe { Some(((*worker).id.0, (*worker).site)) };
        }
    }
}

/// Demands that the condition holds after each step. Controlled workers only.
pub(crate) fn always(
    name: Cow<'static, str>,
    holds: Box<dyn FnMut() -> bool>,
    site: &'static Location<'static>,
) {
    demand(name, holds, site, |_, _| Demand::Always);
}

/// Demands that the condition holds after some step. Controlled workers only.
pub(crate) fn eventually(
    name: Cow<'static, str>,
    holds: Box<dyn FnMut() -> bool>,
    site: &'static Location<'static>,
) {
    demand(name, holds, site, |engine, name| {
        Demand::Eventually(engine.add_obligation(name, site))
    });
}

fn demand(
    name: Cow<'static, str>,
    holds: Box<dyn FnMut() -> bool>,
    site: &'static Location<'static>,
    demand: impl FnOnce(&mut Engine, Cow<'static, str>) -> Demand,
) {
    let engine = engine();
    outside(|| {
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let engine = unsafe { &mut *engine };
        let name = kept(name);
        let demand = demand(engine, name.clone());
        if !engine.conditions.is_any() {
            // SAFETY: the current worker is live.
            let worker = unsafe { (*engine.current).id.0 };
            engine.conditions.step = Some((worker, site));
        }
        engine.conditions.entries.push(Condition {
            name,
            demand,
            holds: Some(Predicate(holds)),
        });
        engine.burn_fuse();
    });
}

/// The engine's own copy of a name: the caller's may lie in the arena. The caller is outside.
fn kept(name: Cow<'static, str>) -> Cow<'static, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name),
        Cow::Owned(name) => Cow::Owned(String::from(name.as_str())),
    }
}

/// Looks at the conditions after a step; a broken one ends the iteration. Called where the current
/// worker has handed over and nothing has been decided.
///
/// # Safety
///
/// The engine must be live, and its current worker suspended.
pub(super) unsafe fn look(engine: *mut Engine) {
    // SAFETY: the caller's; no entry is removed before the end, and no reference to one is
    // kept while it runs.
    unsafe {
        if (*engine).request == Request::Finish {
            return;
        }
        if (*engine).watch.may_have_changed() {
            // The order of changes can be told by who looks between them.
            set_engine(engine);
            touch(MONITORS, Access::Writes);
            set_engine(null_mut());
        }
        let count = (*engine).conditions.entries.len();
        let mut any_met = false;
        for index in 0..count {
            let entry = || &raw mut (&mut (*engine).conditions.entries)[index];
            if let Demand::Resume(worker) = (*entry()).demand
                && (*(*engine).worker(WorkerId(worker))).state != State::Waiting
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
                    (*engine).finish(End::of(Verdict::Failed(bug)));
                    return;
                }
                (Err(Interruption::Panicked(message, site)), _) => {
                    let bug = (*engine).broken(index, Some((message, site)));
                    (*engine).finish(End::of(Verdict::Failed(bug)));
                    return;
                }
                (Ok(true), Demand::Resume(worker)) => {
                    (*entry()).holds = Some(holds);
                    let object = pause_object((*engine).worker(WorkerId(worker)));
                    (*engine).wake_waiters(object);
                }
                // It holds, is not met yet, or cannot be evaluated now: a lock is held.
                _ => (*entry()).holds = Some(holds),
            }
        }
        if any_met {
            let entries = &mut (*engine).conditions.entries;
            entries.retain(|entry| entry.holds.is_some());
        }
    }
}

/// Waits until the predicate is true after a step of another worker, or for nothing. Controlled
/// workers only.
pub(crate) fn pause(predicate: &mut dyn FnMut() -> bool, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live. The predicate outlives its entry in the table,
    // which is taken out below before this returns; if the iteration ends first, nobody looks at
    // the entry again.
    unsafe {
        let worker = (*engine).current;
        let id = (*worker).id.0;
        let predicate: &'static mut dyn FnMut() -> bool = std::mem::transmute(predicate);
        let holds = Some(Predicate(Box::new(predicate)));
        outside(|| {
            (*engine).conditions.entries.push(Condition {
                name: Cow::Borrowed("pause_until"),
                demand: Demand::Resume(id),
                holds,
            });
        });
        let object = pause_object(worker);
        wait_at(Operation::PauseUntil, object, NEVER, None, site);
        outside(|| {
            let entries = &mut (*engine).conditions.entries;
            let own = |entry: &Condition| matches!(entry.demand, Demand::Resume(of) if of == id);
            if let Some(index) = entries.iter().position(own) {
                std::mem::forget(entries.remove(index));
            }
        });
    }
}

/// The object that a paused worker waits for.
fn pause_object(worker: *mut Worker) -> usize {
    worker as usize + 2
}

impl Engine {
    /// The bug when the condition with this number does not hold, or panicked.
    fn broken(&self, index: usize, panic: Option<(String, Option<Site>)>) -> Bug {
        let name = &self.conditions.entries[index].name;
        let (worker, at) = self.conditions.step.unzip();
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
    pub(super) fn add_obligation(
        &mut self,
        name: Cow<'static, str>,
        site: &'static Location<'static>,
    ) -> HeatId {
        let heat = self.add_heat(Subject::Obligation(name));
        self.set_temperature(heat, Temperature::Hot("due"), site);
        heat
    }
}

/// Something that must happen in the end, whose owner says when. Controlled workers only.
pub(crate) fn oblige(name: Cow<'static, str>, site: &'static Location<'static>) -> HeatId {
    let engine = engine();
    outside(|| {
        let name: Cow<'static, str> = Cow::Owned(name.into_owned());
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        unsafe { (*engine).add_obligation(name, site) }
    })
}

/// It has happened. Controlled workers of the same iteration only.
pub(crate) fn discharge(heat: HeatId, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    outside(|| unsafe { (*engine).set_temperature(heat, Temperature::Cold("met"), site) });
}
