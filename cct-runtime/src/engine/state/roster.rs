//! The workers of an iteration, and every change of what they can do.
//!
//! A worker can run, waits, is away (neither: it is a task that nobody polls, say) or has ended. Here and
//! nowhere else a worker goes from one to the other, so that its [`State`], the set of those that can run,
//! the chains of those that wait and the count of those that contend for locks always agree.

use std::ptr::{self, null_mut};

use super::enabled::Enabled;
use super::waiters::Waiters;
use super::worker::{ReadyPredicate, State, Worker};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::race::known::forget_epoch;
use crate::strategy::WorkerId;

/// All workers.
#[derive(Debug)]
pub(crate) struct Roster {
    /// The worker that runs, or ran last. To be changed by [`run`](Roster::run).
    pub(crate) current: *mut Worker,
    /// Workers of the iteration under way come first; the rest wait to be used again.
    all: Vec<*mut Worker>,
    count: usize,
    enabled: Enabled,
    waiters: Waiters,
    /// How many workers contend.
    contenders: u32,
    /// The workers that wait with a ready predicate, by order of waiting.
    with_predicates: Vec<*mut Worker>,
    /// The worker that goes on without being asked as long as it can, if there is one.
    pub(crate) undisturbed: *mut Worker,
    /// Called by a thread that goes on and that signals have come for; set while there may be one.
    pub(crate) interrupted: Option<fn() -> bool>,
}

impl Default for Roster {
    fn default() -> Roster {
        Roster {
            current: null_mut(),
            all: Vec::with_capacity(64),
            count: 0,
            enabled: Enabled::default(),
            waiters: Waiters::default(),
            contenders: 0,
            with_predicates: Vec::new(),
            undisturbed: null_mut(),
            interrupted: None,
        }
    }
}

/// The number of workers, and each of them.
impl Roster {
    /// This worker runs from here on.
    #[inline]
    pub(crate) fn run(&mut self, worker: *mut Worker) {
        self.current = worker;
        forget_epoch();
    }

    /// A new iteration begins: nobody is left.
    pub(crate) fn begin(&mut self) {
        let Roster {
            current,
            all: _,
            count,
            enabled,
            waiters,
            contenders,
            with_predicates,
            undisturbed,
            interrupted,
        } = self;
        *current = null_mut();
        *count = 0;
        // SAFETY: workers live as long as the engine, whichever iteration they were of.
        unsafe { enabled.clear() };
        waiters.clear();
        *contenders = 0;
        with_predicates.clear();
        *undisturbed = null_mut();
        *interrupted = None;
    }

    /// How many workers there have been.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The next worker, made of a place that an earlier iteration had, or of a new one. It is no candidate.
    pub(crate) fn add(&mut self, fresh: impl FnOnce(WorkerId) -> Worker) -> *mut Worker {
        let id = WorkerId(self.count as u32);
        if self.all.len() == self.count {
            self.all.push(Box::into_raw(Box::new(fresh(id))));
        } else {
            // SAFETY: workers are live, and nobody uses this one.
            unsafe { (*self.all[self.count]).renew(fresh(id)) };
        }
        self.count += 1;
        self.all[self.count - 1]
    }

    /// The worker with this number; panics if it is not of this iteration.
    #[inline]
    pub(crate) fn worker(&self, id: WorkerId) -> *mut Worker {
        assert!(
            (id.0 as usize) < self.count,
            "worker {} is not of this iteration",
            id.0
        );
        self.all[id.0 as usize]
    }

    /// The worker with this number, if it is of this iteration.
    #[inline]
    pub(crate) fn get(&self, id: WorkerId) -> Option<*mut Worker> {
        self.all[..self.count].get(id.0 as usize).copied()
    }

    /// The workers of this iteration, by number.
    #[inline]
    pub(crate) fn live(&self) -> &[*mut Worker] {
        &self.all[..self.count]
    }

    /// The workers of this iteration, to look at.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Worker> {
        // SAFETY: the engine's workers are live, and nobody changes one while the roster is borrowed.
        self.live().iter().map(|&worker| unsafe { &*worker })
    }

    /// The signals that no live thread takes, as bits.
    pub(crate) fn signals_blocked_by_all(&self) -> u64 {
        let threads = self.iter().filter(|worker| {
            std::ptr::eq(worker.thread, *worker) && worker.state() != State::Ended
        });
        threads.fold(u64::MAX, |all, thread| all & thread.mask.0)
    }

    /// The candidates, in an order that follows from the changes so far.
    #[inline]
    pub(crate) fn candidates(&self) -> &[*mut Worker] {
        self.enabled.members()
    }

    /// True if there is a candidate.
    #[inline]
    pub(crate) fn anyone_can_run(&self) -> bool {
        !self.candidates().is_empty()
    }

    /// The candidates, to look at.
    pub(crate) fn iter_candidates(&self) -> impl Iterator<Item = &Worker> {
        // SAFETY: as in `iter`.
        self.candidates().iter().map(|&worker| unsafe { &*worker })
    }
}

/// The states of workers.
impl Roster {
    /// The worker, which is in no set, is a candidate from here on.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster, and neither a candidate nor in a chain.
    pub(crate) unsafe fn start(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        unsafe {
            (*worker).set_state(State::Enabled);
            self.enabled.insert(worker);
        }
    }

    /// The worker, which does not wait, is away or over from here on.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster, and in no chain.
    pub(crate) unsafe fn leave(&mut self, worker: *mut Worker, state: State) {
        debug_assert!(matches!(state, State::Away | State::Ended));
        // SAFETY: the caller's.
        unsafe {
            (*worker).set_state(state);
            if (*worker).is_candidate() {
                self.enabled.remove(worker);
            }
        }
    }

    /// The worker, a candidate, waits for its object from here on.
    ///
    /// # Safety
    ///
    /// The worker is a candidate of this roster.
    pub(crate) unsafe fn block(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's; a candidate is in no chain.
        unsafe {
            (*worker).set_state(State::Waiting);
            self.enabled.remove(worker);
            self.waiters.insert(worker);
        }
    }

    /// The worker, which has been taken out of its chain, is a candidate again. Returns the deadline until
    /// which it would have waited.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster that waits; its time-out is not offered.
    pub(crate) unsafe fn wake(&mut self, worker: *mut Worker) -> u64 {
        // SAFETY: the caller's.
        let deadline = unsafe { self.end_wait(worker) };
        // SAFETY: as above.
        unsafe {
            (*worker).mark = 0;
            self.enabled.insert(worker);
        }
        deadline
    }

    /// The worker waits no longer, and nothing is left of that. Returns the deadline until which it would
    /// have waited.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster.
    unsafe fn end_wait(&mut self, worker: *mut Worker) -> u64 {
        // SAFETY: the caller's.
        unsafe {
            (*worker).set_state(State::Enabled);
            (*worker).holder = None;
            if (*worker).ready.take().is_some() {
                self.with_predicates.retain(|&member| member != worker);
            }
            std::mem::replace(&mut (*worker).deadline, u64::MAX)
        }
    }

    /// The time-out of the worker, which waits, is a candidate.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster that waits; its time-out is not offered.
    pub(crate) unsafe fn offer_time_out(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        unsafe {
            (*worker).is_early = true;
            self.enabled.insert(worker);
        }
    }

    /// The time-out is no longer a candidate; true if it was one.
    pub(crate) fn withdraw_time_out(&mut self, worker: *mut Worker) -> bool {
        // SAFETY: workers are live; one whose time-out is offered is in the set.
        unsafe {
            let was_early = std::mem::take(&mut (*worker).is_early);
            if was_early {
                self.enabled.remove(worker);
            }
            was_early
        }
    }

    /// The time-out of the worker, which was a candidate, has come: it goes on.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster whose time-out is offered.
    pub(crate) unsafe fn time_out(&mut self, worker: *mut Worker) {
        self.waiters.take(worker);
        // SAFETY: the caller's.
        unsafe {
            self.end_wait(worker);
            (*worker).is_early = false;
            (*worker).timed_out = true;
            // It looks itself, now, whether its lock is free.
            (*worker).takes_next = None;
        }
    }

    /// Takes the worker, which gives way, out of the candidates for once, while `choose` picks one.
    ///
    /// # Safety
    ///
    /// The worker is a candidate of this roster.
    pub(crate) unsafe fn pass_over(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        unsafe { self.enabled.remove(worker) };
    }

    /// The worker that was passed over is a candidate again.
    ///
    /// # Safety
    ///
    /// The worker was passed over last.
    pub(crate) unsafe fn readmit(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        unsafe { self.enabled.insert(worker) };
    }
}

/// The chains of waiters.
impl Roster {
    /// True if somebody waits.
    #[inline]
    pub(crate) fn anyone_waits(&self) -> bool {
        !self.waiters.is_empty()
    }

    /// How many wait for the object.
    pub(crate) fn count_waiters(&self, object: ObjectId) -> usize {
        self.waiters.count(object)
    }

    /// The `index`-th worker that waits for the object, by order of waiting; null if there are fewer.
    pub(crate) fn nth_waiter(&self, object: ObjectId, index: usize) -> *mut Worker {
        self.waiters.nth(object, index)
    }

    /// Takes the worker out of its chain: it is woken next.
    pub(crate) fn take_waiter(&mut self, worker: *mut Worker) {
        self.waiters.take(worker);
    }

    /// Takes the first out that waits for the object and of whom this holds: it is woken next.
    pub(crate) fn take_first_waiter(
        &mut self,
        object: ObjectId,
        wanted: impl Fn(&Worker) -> bool,
    ) -> Option<*mut Worker> {
        if !self.anyone_waits() {
            return None;
        }
        // SAFETY: who waits is live.
        self.waiters
            .take_first_of(object, |worker| unsafe { wanted(&*worker) })
    }

    /// The worker, which is about to wait, can also go on once this predicate holds.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster.
    pub(crate) unsafe fn add_predicate(&mut self, worker: *mut Worker, predicate: ReadyPredicate) {
        // SAFETY: the caller's.
        unsafe { (*worker).ready = Some(predicate) };
        self.with_predicates.push(worker);
    }

    /// The workers that wait with a ready predicate, by order of waiting.
    #[inline]
    pub(crate) fn with_predicates(&self) -> &[*mut Worker] {
        &self.with_predicates
    }
}

/// The contenders: candidates that are about to take something that others may take before.
impl Roster {
    /// True if somebody contends.
    #[inline]
    pub(crate) fn anyone_contends(&self) -> bool {
        self.contenders > 0
    }

    /// The worker is a candidate that does not run now; it contends if others may take what it is about to.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster.
    pub(crate) unsafe fn note_contender(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        let worker = unsafe { &mut *worker };
        if worker.operation.contends() && !worker.contends {
            worker.contends = true;
            self.contenders += 1;
        }
    }

    /// The worker runs, or waits.
    ///
    /// # Safety
    ///
    /// The worker is one of this roster.
    pub(crate) unsafe fn forget_contender(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's.
        if unsafe { std::mem::take(&mut (*worker).contends) } {
            self.contenders -= 1;
        }
    }

    /// The worker, a candidate that contends, waits for what another holds, or has taken.
    ///
    /// # Safety
    ///
    /// The worker is a candidate of this roster.
    pub(crate) unsafe fn take_back(&mut self, worker: *mut Worker, holder: Option<WorkerId>) {
        // SAFETY: the caller's.
        unsafe {
            self.forget_contender(worker);
            (*worker).holder = holder;
            self.block(worker);
        }
    }

    /// A candidate that contends for the object with such an operation.
    pub(crate) fn find_contender(
        &self,
        object: ObjectId,
        wanted: impl Fn(Operation) -> bool,
    ) -> Option<*mut Worker> {
        if !self.anyone_contends() {
            return None;
        }
        let is_it = |worker: &&Worker| {
            worker.contends && worker.object == object && wanted(worker.operation)
        };
        self.iter_candidates()
            .find(is_it)
            .map(|worker| ptr::from_ref(worker).cast_mut())
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::engine::switch::Stack;
    use crate::strategy::Rng;

    /// All that must agree, whatever has happened.
    fn check(roster: &Roster, workers: &[*mut Worker]) {
        let waiting = (1..4).map(|object| roster.count_waiters(ObjectId::sample(object)));
        let waits = |worker: &&Worker| worker.state() == State::Waiting;
        assert_eq!(waiting.sum::<usize>(), roster.iter().filter(waits).count());
        assert_eq!(
            roster.contenders as usize,
            roster.iter().filter(|worker| worker.contends).count()
        );
        for &worker in workers {
            // SAFETY: the roster's workers are live.
            let it = unsafe { &*worker };
            let can_run = it.state() == State::Enabled || it.is_early;
            assert_eq!(it.is_candidate(), can_run, "{:?}", it.state());
            assert_eq!(roster.candidates().contains(&worker), can_run);
        }
    }

    #[test]
    fn states_sets_and_chains_agree() {
        let mut roster = Roster::default();
        let mut rng = Rng::new(7);
        for _ in 0..50 {
            roster.begin();
            let new = |id| Worker::new(id, Stack::NONE, Location::caller());
            let workers: Vec<*mut Worker> = (0..20).map(|_| roster.add(new)).collect();
            // SAFETY: workers are live, and each is in the state that its change asks for.
            unsafe {
                for &worker in &workers {
                    roster.start(worker);
                }
                for _ in 0..500 {
                    let worker = workers[rng.below(20) as usize];
                    let is_early = (*worker).is_early;
                    match (*worker).state() {
                        State::Enabled => match rng.below(4) {
                            0 => roster.leave(worker, State::Away),
                            1 => {
                                (*worker).operation = Operation::Lock;
                                (*worker).object = ObjectId::sample(1);
                                roster.note_contender(worker);
                            }
                            2 if (*worker).contends => roster.take_back(worker, None),
                            _ => {
                                roster.forget_contender(worker);
                                (*worker).object = ObjectId::sample(1 + rng.below(3) as usize);
                                roster.block(worker);
                            }
                        },
                        State::Waiting if is_early && rng.below(2) == 0 => roster.time_out(worker),
                        State::Waiting if is_early => {
                            assert!(roster.withdraw_time_out(worker));
                        }
                        State::Waiting if rng.below(2) == 0 => roster.offer_time_out(worker),
                        State::Waiting => {
                            roster.take_waiter(worker);
                            roster.wake(worker);
                        }
                        State::Away => roster.start(worker),
                        State::Ended => unreachable!("nobody ends here"),
                    }
                    check(&roster, &workers);
                }
            }
        }
    }
}
