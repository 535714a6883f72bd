//! The watch: collects the accesses of each step, for a strategy that observes and for the count of
//! behaviours.

use super::happens_before::HappensBefore;
use crate::engine::state::worker::Worker;
use crate::object::ObjectId;
use crate::operation::Access;
use crate::strategy::{Action, Beyond, Executed, Next, WorkerId};
use crate::trace::{Outcome, Value};

/// The step under way, and who wants to know about it.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Watch {
    /// Whether each step is looked at.
    pub(crate) is_on: bool,
    /// Whether the strategy wants to see each step, and to be asked at each scheduling point.
    pub(crate) asks: bool,
    /// Whether the happens-before hash is computed.
    classifies: bool,
    happens_before: HappensBefore,
    /// The step under way, or the last one: it stays where it is, since it is large.
    step: Option<Executed>,
    is_under_way: bool,
    /// The strategy was asked who makes the step under way.
    pub(crate) is_picked: bool,
    /// The accesses of the step under way beyond its operation.
    pub(crate) touched: Vec<(ObjectId, Access)>,
    /// The pending operations of the workers that it has woken.
    woken: Vec<Action>,
    /// With whom the step under way closes a circle of waiting that ends the iteration.
    pub(crate) circle: Vec<WorkerId>,
}

impl Watch {
    /// A new iteration begins.
    pub(crate) fn begin(&mut self, asks: bool, classifies: bool) {
        (self.asks, self.classifies) = (asks, classifies);
        self.is_on = asks || classifies;
        self.is_under_way = false;
        self.touched.clear();
        self.woken.clear();
        self.circle.clear();
        self.happens_before.clear();
    }

    /// Notes the values that the step under way read and wrote.
    pub(crate) fn note_values(
        &mut self,
        outcome: Outcome,
        read: Option<Value>,
        written: Option<Value>,
    ) {
        if let Some(step) = self.step_mut() {
            (step.outcome, step.read, step.written) = (outcome, read, written);
        }
    }

    /// True if the step under way may have changed something.
    pub(crate) fn may_have_changed(&self) -> bool {
        self.step().is_some_and(|step| !step.action.only_reads())
    }

    /// A worker is created by the step under way, or by nobody.
    pub(crate) fn created(&mut self, worker: WorkerId) {
        if self.classifies {
            self.happens_before.created(worker);
        }
    }

    /// The step under way, if any, wakes a worker.
    pub(crate) fn woken(&mut self, worker: &Worker) {
        if !self.is_under_way || !self.is_on {
            return;
        }
        if self.classifies {
            self.happens_before.woken(worker.id, worker.operation);
        }
        self.woken.push(worker.action());
    }

    /// A wake-up changes what the woken worker waits for, also where the two have no object in
    /// common: an epoll instance and a descriptor, say.
    #[cold]
    fn add_wake_ups(&mut self) {
        let Some(step) = &self.step else {
            return;
        };
        let own = step.accesses();
        for woken in self.woken.drain(..) {
            let (object, access) = woken.accesses()[0];
            let mut known = own.iter().chain(&self.touched);
            let is_known = known.any(|&(other, how)| other == object && !access.commutes_with(how));
            if !object.is_none() && !is_known {
                self.touched.push((object, Access::Writes));
            }
        }
    }

    /// The step under way took this value.
    pub(crate) fn chose(&mut self, value: u32) {
        if self.classifies {
            self.happens_before.chose(value);
        }
    }

    /// The worker has been picked: its pending operation is the step under way, which has this number. If
    /// time-outs may be early, one changes what others may find.
    pub(crate) fn begin_step(&mut self, worker: &mut Worker, number: u32, early_possible: bool) {
        let resumed = std::mem::take(&mut worker.was_waiting);
        let outcome = if worker.timed_out && resumed {
            Outcome::TimedOut
        } else {
            Outcome::Done
        };
        self.touched.clear();
        self.woken.clear();
        if outcome == Outcome::TimedOut && early_possible {
            self.touched.push((ObjectId::CLOCK, Access::Writes));
        }
        self.is_picked = true;
        self.step = Some(Executed {
            step: number,
            worker: worker.id,
            action: worker.action(),
            outcome,
            read: None,
            written: None,
            resumed,
            next: Next::Ends,
        });
        self.is_under_way = true;
    }

    /// The step under way is one that nobody was asked for: its worker goes on, on the stack of another.
    pub(crate) fn resume_unasked(&mut self) {
        self.is_picked = false;
        if let Some(step) = self.step_mut() {
            step.resumed = true;
        }
    }

    /// The next operation of the worker of the last step, at once, is the step under way from here on.
    pub(crate) fn go_on_with(&mut self, action: Action) {
        self.touched.clear();
        self.is_picked = false;
        self.is_under_way = self.step.is_some();
        if let Some(step) = &mut self.step {
            *step = Executed {
                action,
                outcome: Outcome::Done,
                read: None,
                written: None,
                resumed: false,
                next: Next::Ends,
                ..*step
            };
        }
    }

    /// True if a step is under way.
    #[inline]
    pub(crate) fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// The step under way, if there is one.
    #[inline]
    fn step(&self) -> Option<&Executed> {
        self.step.as_ref().filter(|_| self.is_under_way)
    }

    #[inline]
    fn step_mut(&mut self) -> Option<&mut Executed> {
        self.step.as_mut().filter(|_| self.is_under_way)
    }

    /// The step under way does this, beyond its operation.
    pub(crate) fn touch(&mut self, object: ObjectId, access: Access) {
        let touched = (object, access);
        if self.is_on && !self.touched.contains(&touched) {
            self.touched.push(touched);
        }
    }

    /// The step under way, if there is one, has been carried out, and this is what its worker does next.
    /// Returns it, with what it did beyond its operation.
    pub(crate) fn end_step(&mut self, next: Next) -> Option<(&Executed, Beyond<'_>)> {
        if !self.is_under_way {
            return None;
        }
        self.is_under_way = false;
        self.step.as_mut()?.next = next;
        if !self.woken.is_empty() {
            self.add_wake_ups();
        }
        let step = self.step.as_ref()?;
        let (touched, circle) = (&self.touched, &self.circle);
        if self.classifies {
            self.happens_before.step(step, touched);
        }
        Some((step, Beyond { touched, circle }))
    }

    /// The happens-before hash of the iteration, if it is computed.
    pub(crate) fn happens_before_hash(&self) -> Option<u64> {
        self.classifies.then(|| self.happens_before.hash())
    }
}
