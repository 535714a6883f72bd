//! Workers come, wait, are woken and go: here everybody is told who has to know.
//!
//! [`Roster`](crate::engine::state::roster) changes the state; a strategy is told of candidates, those who
//! look on of wake-ups, and the rule of early time-outs of deadlines.

use std::borrow::Cow;
use std::panic::Location;

use super::engine::Engine;
use crate::claim::Exception;
use crate::engine::state::worker::{BodyBox, State, Worker};
use crate::engine::switch::{Stack, prepare};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::{ChainId, Origin, WorkerId};
use crate::trace::WorkerKind;

/// Workers come.
impl Engine {
    /// Adds a worker that runs `body` from its first pick on; none if there is no stack for
    /// it. It is no candidate yet.
    ///
    /// The caller is outside: what is allocated here is kept for later iterations.
    pub(crate) fn add_thread(
        &mut self,
        name: Option<impl Into<Cow<'static, str>>>,
        stack_size: Option<usize>,
        spawned_at: &'static Location<'static>,
        body: Box<dyn FnOnce()>,
    ) -> Option<*mut Worker> {
        let stack = self.process.stacks.get(self.process.threads, stack_size)?;
        self.process.threads += 1;
        let main = self
            .process
            .main
            .expect("an iteration says how stacks begin");
        let worker = self.add_entry(stack, spawned_at);
        // SAFETY: the worker is live, and its stack is not in use.
        unsafe {
            (*worker).name = name.map(Into::into);
            (*worker).body = Some(BodyBox(body));
            (*worker).context = prepare(stack.base, main);
            (*worker).thread = worker;
            if let Some(races) = &mut self.observers.races {
                let maker = self.roster.current;
                let maker = (!maker.is_null()).then(|| (*maker).thread);
                let parent = maker.map(|thread| thread.as_ref().map_or(0, |thread| thread.clock));
                (*worker).clock = races.add_thread((*worker).id, parent);
            }
        }
        Some(worker)
    }

    /// The next worker, whatever it is going to be. It is no candidate yet.
    pub(crate) fn add_entry(
        &mut self,
        stack: Stack,
        spawned_at: &'static Location<'static>,
    ) -> *mut Worker {
        let is_second = self.roster.len() == 1;
        if is_second {
            self.gain_company();
        }
        let worker = self.roster.add(|id| Worker::new(id, stack, spawned_at));
        if is_second {
            // So far there was nobody whose order with the first one could matter.
            self.iteration.left_out = self.iteration.left_out.of_inputs();
            self.granularity.forget_merged();
        }
        worker
    }

    /// Tells of a new worker, which belongs to this chain, or to a new one.
    pub(crate) fn introduce(&mut self, id: WorkerId, chain: Option<ChainId>, kind: WorkerKind) {
        let worker = self.roster.worker(id);
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let maker = unsafe { (*self.roster.current).id };
        if let Some(recorder) = &mut self.observers.recorder {
            // SAFETY: as above.
            recorder.add_worker(unsafe { &*worker }, maker, kind);
        }
        if let Some(debugged) = &mut self.observers.debugged {
            // SAFETY: as above.
            debugged.made(unsafe { &*worker });
        }
        let chain = chain.unwrap_or_else(|| {
            self.decision.chain_count += 1;
            ChainId(self.decision.chain_count - 1)
        });
        // SAFETY: as above.
        unsafe { (*worker).chain = chain };
        self.observers.watch.created(id);
        let origin = Origin {
            parent: (id.0 > 0).then_some(maker),
            chain,
            kind,
        };
        self.decision.driver.tell_created(id, origin);
    }

    /// The worker, which is in no set, is a candidate from here on.
    ///
    /// # Safety
    ///
    /// The worker is one of this iteration, and neither a candidate nor does it wait.
    pub(crate) unsafe fn start(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        let id = unsafe {
            self.roster.start(worker);
            (*worker).id
        };
        self.announce(id);
        self.change_width();
    }

    /// Tells of a new candidate.
    fn announce(&mut self, id: WorkerId) {
        if self.decision.driver.tell_enabled(id) {
            self.budget.interrupt();
        }
    }
}

/// Workers go.
impl Engine {
    /// The worker, a candidate, is away or over from here on.
    ///
    /// # Safety
    ///
    /// The worker is a candidate.
    pub(crate) unsafe fn leave(&mut self, worker: *mut Worker, state: State) {
        // SAFETY: the caller's.
        let id = unsafe {
            self.roster.leave(worker, state);
            (*worker).id
        };
        self.decision.driver.tell_disabled(id);
    }

    /// The current worker waits from here on.
    pub(crate) fn begin_wait(&mut self) {
        let stops_here = self.observers.stops.is_some() && self.stop_before_wait();
        let worker = self.roster.current;
        // SAFETY: the current worker is live; no other reference to it is used meanwhile.
        let current = unsafe { &mut *worker };
        current.resumes_wait = true;
        current.was_waiting = true;
        let choice_point = self.decision.width.is_choice_point;
        if let Some(recorder) = self.observers.recorder.as_mut().filter(|_| !stops_here) {
            recorder.begin_wait(current, choice_point);
        }
        current.declares_wait = false;
        let (id, operation, deadline) = (current.id, current.operation, current.deadline);
        // SAFETY: the current worker was running, so it is a candidate.
        unsafe { self.roster.block(worker) };
        self.decision.driver.tell_disabled(id);
        if operation.may_wake_early() {
            self.leave_out(Exception::SpuriousWakeUps);
        }
        // SAFETY: as above.
        self.note_deadline_of(unsafe { &*worker }, deadline);
    }
}

/// Workers are woken.
impl Engine {
    /// Makes a worker, which waited and has been taken out of its chain, a candidate again.
    pub(crate) fn wake(&mut self, worker: *mut Worker) {
        self.withdraw(worker);
        // SAFETY: the engine's workers are live; one that waits, and is not offered, is no candidate.
        let id = unsafe {
            self.observers.watch.woken(&*worker);
            let deadline = self.roster.wake(worker);
            self.deadline_changes(deadline);
            (*worker).id
        };
        self.announce(id);
        self.queue_up(worker);
    }

    /// Wakes all that wait for the object.
    pub(crate) fn wake_waiters(&mut self, object: ObjectId) {
        self.wake_those(object, |_| true);
        self.change_width();
    }

    /// Wakes those that wait for the object of whom this holds; true if there are any.
    pub(crate) fn wake_those(
        &mut self,
        object: ObjectId,
        is_meant: impl Fn(&Worker) -> bool,
    ) -> bool {
        let mut any = false;
        while let Some(worker) = self.roster.take_first_waiter(object, &is_meant) {
            any = true;
            self.wake(worker);
        }
        any
    }

    /// Makes every waiting worker look again at what it waits for.
    pub(crate) fn wake_everybody(&mut self) {
        for index in 0..self.roster.len() {
            let worker = self.roster.live()[index];
            // SAFETY: the engine's workers are live.
            if unsafe { (*worker).state() } == State::Waiting {
                self.roster.take_waiter(worker);
                self.wake(worker);
            }
        }
    }

    /// Wakes the workers whose ready predicate holds; true if there are any.
    pub(crate) fn wake_ready(&mut self) -> bool {
        let mut any = false;
        let mut index = 0;
        while let Some(&worker) = self.roster.with_predicates().get(index) {
            // SAFETY: members are live, and the object of a predicate is there while its worker waits.
            let is_ready = unsafe {
                (*worker)
                    .ready
                    .is_some_and(|ready| (ready.holds)(ready.object, self.time.now))
            };
            if is_ready {
                any = true;
                self.roster.take_waiter(worker);
                // It is no longer a member: the next one has its place.
                self.wake(worker);
            } else {
                index += 1;
            }
        }
        if any {
            self.change_width();
        }
        any
    }

    /// The worker, which has just become a candidate, takes a lock before it goes on: it waits on if
    /// another has it.
    fn queue_up(&mut self, worker: *mut Worker) {
        // SAFETY: the engine's workers are live; what a worker waits for is, while it does.
        unsafe {
            if let Some(lock) = (*worker).takes_next.take() {
                (*worker).operation = Operation::Lock;
                (*worker).object = lock.object();
                (*worker).also = ObjectId::NONE;
                self.roster.note_contender(worker);
                if let Some(holder) = (lock.holder)(lock.machine) {
                    self.take_back(worker, Some(holder));
                }
            } else {
                self.roster.note_contender(worker);
            }
        }
    }

    /// Candidates that contend for the object with such an operation wait from here on, for `holder`. True if
    /// there are any.
    pub(crate) fn retract_contenders(
        &mut self,
        wanted: impl Fn(Operation) -> bool,
        object: ObjectId,
        holder: Option<WorkerId>,
    ) -> bool {
        let mut any = false;
        while let Some(worker) = self.roster.find_contender(object, &wanted) {
            any = true;
            // SAFETY: it is a candidate.
            unsafe { self.take_back(worker, holder) };
        }
        if any {
            self.change_width();
        }
        any
    }

    /// The worker, which was a candidate that contends, waits for what another holds, or has taken. While
    /// signals are on their way it finds that out itself, after it has taken those that are its own.
    ///
    /// # Safety
    ///
    /// The worker is a candidate.
    unsafe fn take_back(&mut self, worker: *mut Worker, holder: Option<WorkerId>) {
        if self.roster.interrupted.is_some() {
            // SAFETY: as below.
            unsafe { self.roster.forget_contender(worker) };
            return;
        }
        // SAFETY: the caller's worker is a candidate.
        let id = unsafe {
            self.roster.take_back(worker, holder);
            (*worker).id
        };
        self.decision.driver.tell_disabled(id);
    }

    /// The step under way changes the number of candidates.
    #[inline]
    pub(crate) fn change_width(&mut self) {
        let steps = self.steps();
        self.decision.width.count_to(steps);
        self.decision.width.note(self.roster.candidates().len());
    }
}
