//! The watch: looks at what each step did, for a strategy that observes and for the count of behaviours.

use std::panic::Location;

use super::classes::Class;
use super::state::{Engine, Request, engine};
use super::worker::Worker;
use crate::operation::{Access, Operation};
use crate::strategy::{Action, CLOCK, CONDITIONS, Executed, ITERATION, Next, TURNS, WorkerId};
use crate::trace::{Outcome, Value};

/// The step under way, and who wants to know about it.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Watch {
    /// Whether each step is looked at.
    pub(super) is_on: bool,
    /// Whether the strategy wants to see each step, and to be asked at each scheduling point.
    pub(super) asks: bool,
    /// Whether the behaviour is found out.
    classifies: bool,
    class: Class,
    step: Option<Executed>,
    /// The strategy was asked who makes the step under way.
    is_picked: bool,
    /// What the step under way does beyond its operation.
    touched: Vec<(usize, Access)>,
    /// The pending operations of the workers that it has woken.
    woken: Vec<Action>,
    /// With whom the step under way closes a circle of waiting that ends the iteration.
    circle: Vec<WorkerId>,
}

impl Watch {
    /// A new iteration begins.
    pub(super) fn begin(&mut self, asks: bool, classifies: bool) {
        (self.asks, self.classifies) = (asks, classifies);
        self.is_on = asks || classifies;
        self.step = None;
        self.touched.clear();
        self.woken.clear();
        self.circle.clear();
        self.class.clear();
    }

    /// What the step under way read and wrote.
    pub(super) fn values(&mut self, outcome: Outcome, read: Option<Value>, written: Option<Value>) {
        if let Some(step) = &mut self.step {
            (step.outcome, step.read, step.written) = (outcome, read, written);
        }
    }

    /// True if the step under way may have changed something.
    pub(super) fn may_have_changed(&self) -> bool {
        let step = self.step.as_ref();
        step.is_some_and(|step| !step.action.only_reads())
    }

    /// A worker is created by the step under way, or by nobody.
    pub(super) fn created(&mut self, worker: WorkerId) {
        if self.classifies {
            self.class.created(worker);
        }
    }

    /// The step under way, if any, wakes a worker.
    pub(super) fn woken(&mut self, worker: &Worker) {
        if self.step.is_none() || !self.is_on {
            return;
        }
        if self.classifies {
            self.class.woken(worker.id, worker.operation);
        }
        self.woken.push(worker.action());
    }

    /// A wake-up changes what the woken worker waits for, also where the two have no object in
    /// common: an epoll instance and a descriptor, say.
    fn add_wake_ups(&mut self, step: &Executed) {
        for index in 0..self.woken.len() {
            let (object, access) = self.woken[index].accesses()[0];
            let own = step.accesses();
            let mut known = own.iter().chain(&self.touched);
            let is_known = known.any(|&(other, how)| other == object && !access.commutes_with(how));
            if object != 0 && !is_known {
                self.touched.push((object, Access::Writes));
            }
        }
        self.woken.clear();
    }

    /// The step under way took this value.
    pub(super) fn chose(&mut self, value: u32) {
        if self.classifies {
            self.class.chose(value);
        }
    }
}

/// Says that the current worker's step does this to the object, beyond the operation that it declared.
///
/// For what cannot be a scheduling point of its own but whose order others can tell: it keeps the steps
/// apart whose order matters. Does nothing outside a controlled worker.
#[inline]
pub fn touch(object: usize, access: Access) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).watch.is_on {
            note_touch(engine, object, access);
        }
    }
}

/// Says that the current worker's step goes on with this look at the object, which is no scheduling point
/// since what it finds stays as it is. For those who watch it is a step of its own, that nobody was asked
/// for.
#[inline]
pub fn look(operation: Operation, object: usize, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !engine.is_null() && (*engine).watch.is_on {
            note_look(engine, operation, object, site);
        }
    }
}

#[cold]
unsafe fn note_look(
    engine: *mut Engine,
    operation: Operation,
    object: usize,
    site: &'static Location<'static>,
) {
    let action = Action {
        operation,
        object,
        also: 0,
        site,
    };
    // SAFETY: the caller's engine is live, and has a current worker.
    super::state::outside(|| unsafe { (*engine).watch_look(action) });
}

/// True if somebody wants to know of [`touch`]es.
pub fn is_watched() -> bool {
    let engine = engine();
    // SAFETY: a set engine is live.
    unsafe { !engine.is_null() && (*engine).watch.is_on }
}

#[cold]
unsafe fn note_touch(engine: *mut Engine, object: usize, access: Access) {
    super::state::outside(|| {
        // SAFETY: the caller's engine is live, and nobody else refers to the list.
        let touched = unsafe { &mut (*engine).watch.touched };
        if !touched.contains(&(object, access)) {
            touched.push((object, access));
        }
    });
}

impl Engine {
    /// The worker has been picked: its pending operation is the step under way.
    pub(super) fn watch_step(&mut self, worker: *mut Worker) {
        if !self.watch.is_on {
            return;
        }
        // SAFETY: a picked worker is live.
        let worker = unsafe { &mut *worker };
        let resumed = std::mem::take(&mut worker.was_waiting);
        let outcome = if worker.timed_out && resumed {
            Outcome::TimedOut
        } else {
            Outcome::Done
        };
        self.watch.touched.clear();
        self.watch.woken.clear();
        if outcome == Outcome::TimedOut && self.early.is_possible() {
            self.watch.touched.push((CLOCK, Access::Writes));
        }
        self.watch.is_picked = true;
        self.watch.step = Some(Executed {
            step: self.horizon,
            worker: worker.id,
            action: worker.action(),
            outcome,
            read: None,
            written: None,
            resumed,
            next: Next::Ends,
        });
    }

    /// The step under way, if there is one, is over with what has been done so far, and this is what its
    /// worker does next, at once.
    fn watch_look(&mut self, action: Action) {
        let Some(step) = self.watch.step else {
            return;
        };
        self.end_step(Next::Goes(action));
        self.watch.touched.clear();
        self.watch.is_picked = false;
        self.watch.step = Some(Executed {
            action,
            outcome: Outcome::Done,
            read: None,
            written: None,
            resumed: false,
            ..step
        });
        if self.watch.asks {
            self.driver.tell_look();
        }
    }

    /// The worker goes on, on the stack of another one, and nobody was asked: what it does until its next
    /// point is a step as well for those who watch.
    pub(super) fn watch_turn(&mut self, worker: *mut Worker) {
        self.watch_step(worker);
        self.watch.is_picked = false;
        self.note_touched(TURNS);
        if let Some(step) = &mut self.watch.step {
            step.resumed = true;
        }
    }

    /// The step under way, with which a turn ends, has been carried out, and this is what its worker does
    /// next.
    pub(super) fn end_turn(&mut self, next: Next) {
        self.note_touched(TURNS);
        self.end_step(next);
    }

    /// As [`touch`], where the engine's own code runs, for a change.
    pub(super) fn note_touched(&mut self, object: usize) {
        let touched = (object, Access::Writes);
        if self.watch.is_on && !self.watch.touched.contains(&touched) {
            self.watch.touched.push(touched);
        }
    }

    /// The step under way has been carried out: its worker is at its next point, waits, or has ended.
    pub(super) fn tell_step(&mut self) {
        if self.watch.step.is_none() {
            return;
        }
        // SAFETY: the current worker is live.
        let current = unsafe { &*self.current };
        match self.request {
            Request::End => self.watch.touched.push((current.object, Access::Writes)),
            Request::Finish => self.watch.touched.push((ITERATION, Access::Writes)),
            // So does a circle of waiting, when there are others than the one that closes it.
            Request::Wait if self.enabled.len() > 1 => {
                let mut circle = std::mem::take(&mut self.watch.circle);
                let is_closed = self.follow_holders(current, |other| circle.push(other));
                if is_closed {
                    self.watch.touched.push((ITERATION, Access::Writes));
                } else {
                    circle.clear();
                }
                self.watch.circle = circle;
            }
            _ => {}
        }
        self.end_step(match self.request {
            Request::Point | Request::Yield => Next::Goes(current.action()),
            Request::Wait | Request::Idle => Next::Waits(current.action()),
            Request::End | Request::Finish => Next::Ends,
        });
    }

    /// The step under way, if there is one, has been carried out, and this is what its worker does next.
    pub(super) fn end_step(&mut self, next: Next) {
        let Some(mut step) = self.watch.step.take() else {
            return;
        };
        step.next = next;
        self.note_kept_prints();
        if self.conditions.is_any() {
            self.watch.touched.push((CONDITIONS, Access::Writes));
        }
        self.watch.add_wake_ups(&step);
        if self.watch.classifies {
            self.watch.class.step(&step, &self.watch.touched);
        }
        let watch = &mut self.watch;
        if watch.asks {
            let (touched, circle) = (&watch.touched, &watch.circle);
            self.driver
                .tell_step(&step, touched, circle, watch.is_picked);
            watch.circle.clear();
        }
    }

    /// A hash of the behaviour of the iteration that ended, if it was found out.
    pub(crate) fn behaviour(&self) -> Option<u64> {
        let watch = &self.watch;
        watch.classifies.then(|| watch.class.fingerprint())
    }

    /// Tells the strategy that a worker is no candidate any more.
    pub(super) fn announce_absent(&mut self, worker: WorkerId) {
        debug_assert_ne!(self.request, Request::Finish);
        self.driver.tell_disabled(worker);
    }
}
