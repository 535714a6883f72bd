//! Waiting for an object, and waking those that do.

use std::panic::Location;

use super::aside::refuse;
use super::fiber::hand_over;
use super::iteration::End;
use super::record::note_calls;
use super::state::{Engine, Request, engine, outside};
use super::thread::choose_index;
use super::worker::{State, Worker};
use super::{clock, external};
use crate::claim::Exception;
use crate::operation::Operation;
use crate::strategy::WorkerId;
use crate::verdict::{Bug, BugKind, Verdict};

/// Why a wait ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakeup {
    /// Somebody woke the worker.
    Woken,
    /// Its deadline has come.
    TimedOut,
}

/// Takes the current worker out of the candidates until somebody wakes `object` or `deadline` comes.
///
/// This is the scheduling point of an operation that cannot go ahead; it stands *instead* of
/// [`point`](super::point()). Wake-ups may be spurious, so the caller looks again:
///
/// ```text
/// if free { point(Lock, address) }
/// while !acquire() { wait(Lock, address, NEVER, holder) }
/// ```
///
/// `holder` is the worker that has what is waited for, if that is known. Panics outside a controlled
/// worker.
#[track_caller]
pub fn wait(
    operation: Operation,
    object: usize,
    deadline: u64,
    holder: Option<WorkerId>,
) -> Wakeup {
    wait_at(operation, object, deadline, holder, Location::caller())
}

/// [`wait`] at a given site.
pub fn wait_at(
    operation: Operation,
    object: usize,
    deadline: u64,
    holder: Option<WorkerId>,
    site: &'static Location<'static>,
) -> Wakeup {
    wait_and_take(operation, object, deadline, holder, None, site)
}

/// [`wait_at`] for a worker that others know by this mark, see [`wake_if`].
pub fn wait_marked(
    operation: Operation,
    object: usize,
    deadline: u64,
    holder: Option<WorkerId>,
    mark: u64,
    site: &'static Location<'static>,
) -> Wakeup {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live and the caller is its current worker.
        unsafe { (*(*engine).current).mark = mark };
    }
    wait_at(operation, object, deadline, holder, site)
}

/// A lock that a worker takes at the end of its wait.
#[derive(Clone, Copy, Debug)]
pub struct TakesNext {
    /// The lock; its address is the object that others wait for.
    pub machine: *const (),
    /// Says which worker holds it, if one does, and remembers that somebody waits for it.
    pub holder: unsafe fn(*const ()) -> Option<WorkerId>,
}

/// [`wait_at`] for a worker that takes a lock before it goes on.
///
/// Once the wait is over it is a candidate only when the lock is free: it then is about to take it, as
/// others that wait for the lock.
pub fn wait_and_take(
    operation: Operation,
    object: usize,
    deadline: u64,
    holder: Option<WorkerId>,
    takes_next: Option<TakesNext>,
    site: &'static Location<'static>,
) -> Wakeup {
    let engine = engine();
    assert!(
        !engine.is_null(),
        "only a controlled worker can wait for the engine"
    );
    // SAFETY: a set engine is live and the caller is its current worker; no reference is kept.
    unsafe {
        let was_hushed = (*engine).end_hush();
        if (*engine).onlooker.is_some() {
            refuse(engine, operation, site);
        }
        let worker = (*engine).current;
        (*worker).operation = operation;
        (*worker).object = object;
        (*worker).also = takes_next.map_or(0, |lock| lock.machine as usize);
        (*worker).takes_next = takes_next;
        (*worker).site = site;
        if (*engine).recorder.is_some() {
            note_calls(engine);
        }
        if holder.is_some_and(|holder| holder.0 as usize >= (*engine).worker_count) {
            bad_memory(
                engine,
                "a lock is used whose memory was freed, or never initialised",
            );
        }
        (*worker).deadline = deadline;
        (*worker).holder = holder;
        (*worker).timed_out = false;
        if deadline != clock::NEVER {
            outside(|| (*engine).deadline_changes(deadline));
        }
        (*engine).idle = 0;
        (*engine).request = Request::Wait;
        hand_over(engine);
        if was_hushed {
            (*engine).hush();
        }
        if (*worker).timed_out {
            Wakeup::TimedOut
        } else {
            Wakeup::Woken
        }
    }
}

/// Wakes all workers that wait for `object`. From an uncontrolled thread: tells the engine to look.
pub fn wake_all(object: usize) {
    let engine = engine();
    if engine.is_null() {
        external::notify();
    } else {
        // SAFETY: a set engine is live.
        unsafe { wake_all_of(engine, object) };
    }
}

/// Wakes those of the workers that wait for `object` of whom this holds, by their operation and their mark,
/// which is 0 unless they [have one](wait_marked). From an uncontrolled thread: tells the engine to look.
pub fn wake_if(object: usize, is_meant: impl Fn(Operation, u64) -> bool) {
    let engine = engine();
    if engine.is_null() {
        external::notify();
        return;
    }
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if !(*engine).waiters.is_empty() {
            outside(|| (*engine).wake_those(object, is_meant));
        }
    }
}

/// Wakes one of the workers that wait for `object`, chosen by the strategy; false if there is none.
///
/// From an uncontrolled thread it wakes all of them, and they look again.
pub fn wake_one(object: usize) -> bool {
    let engine = engine();
    if engine.is_null() {
        external::notify();
        return false;
    }
    // SAFETY: a set engine is live; the waiters do not change while one is chosen.
    unsafe {
        let count = (*engine).waiters.count(object);
        if count == 0 {
            return false;
        }
        let chosen = if count == 1 { 0 } else { choose_index(count) };
        let worker = (*engine).waiters.nth(object, chosen);
        (*engine).waiters.take(worker);
        outside(|| {
            (*engine).enable(worker);
            (*engine).change_width();
        });
    }
    true
}

/// The current worker has taken the lock `object`: all candidates that were about to take it wait from here
/// on, for `holder`. True if there are any. Without it each of them would be a candidate that cannot go
/// ahead. Code that looks on releases before any of them runs.
pub fn retract(object: usize, holder: WorkerId) -> bool {
    retract_if(Operation::takes_lock, object, Some(holder))
}

/// [`retract`] for those that were about to do this, whatever `object` is; nobody need hold it.
pub fn retract_those(
    operation: Operation,
    object: usize,
    holder: impl Into<Option<WorkerId>>,
) -> bool {
    retract_if(|other| other == operation, object, holder.into())
}

fn retract_if(wanted: impl Fn(Operation) -> bool, object: usize, holder: Option<WorkerId>) -> bool {
    let engine = engine();
    // SAFETY: a set engine is live; no switch happens in here.
    unsafe {
        if engine.is_null() || (*engine).contenders == 0 || (*engine).onlooker.is_some() {
            return false;
        }
        outside(|| (*engine).retract_contenders(wanted, object, holder))
    }
}

/// From here on those workers that wait for `object` with this operation wait for `holder`.
pub fn wait_for(operation: Operation, object: usize, holder: impl Into<Option<WorkerId>>) {
    let engine = engine();
    let holder = holder.into();
    // SAFETY: a set engine is live, and so is who waits; no switch happens in here.
    unsafe {
        if engine.is_null() || (*engine).waiters.is_empty() {
            return;
        }
        for index in 0..(*engine).waiters.count(object) {
            let worker = (*engine).waiters.nth(object, index);
            if (*worker).operation == operation {
                (*worker).holder = holder;
            }
        }
    }
}

/// [`wake_all`] with the engine at hand.
pub(super) unsafe fn wake_all_of(engine: *mut Engine, object: usize) {
    // SAFETY: the caller's.
    unsafe {
        if !(*engine).waiters.is_empty() {
            outside(|| (*engine).wake_waiters(object));
        }
    }
}

impl Engine {
    pub(super) fn wake_waiters(&mut self, object: usize) {
        while let Some(worker) = self.waiters.take_first(object) {
            self.enable(worker);
        }
        self.change_width();
    }

    fn wake_those(&mut self, object: usize, is_meant: impl Fn(Operation, u64) -> bool) {
        // SAFETY: who waits is live.
        let is_meant =
            |worker: *mut Worker| unsafe { is_meant((*worker).operation, (*worker).mark) };
        let mut any = false;
        while let Some(worker) = self.waiters.take_first_of(object, is_meant) {
            any = true;
            self.enable(worker);
        }
        if any {
            self.change_width();
        }
    }

    /// The worker is a candidate that does not run now; it contends if others may take what it is about to.
    pub(super) fn note_contender(&mut self, worker: *mut Worker) {
        // SAFETY: the engine's workers are live.
        let worker = unsafe { &mut *worker };
        if worker.operation.contends() && !worker.contends {
            worker.contends = true;
            self.contenders += 1;
        }
    }

    fn retract_contenders(
        &mut self,
        wanted: impl Fn(Operation) -> bool,
        object: usize,
        holder: Option<WorkerId>,
    ) -> bool {
        let mut any = false;
        let mut index = 0;
        while let Some(&worker) = self.enabled.members().get(index) {
            // SAFETY: members are live; one that is taken out is in no chain yet.
            unsafe {
                if !(*worker).contends || (*worker).object != object || !wanted((*worker).operation)
                {
                    index += 1;
                    continue;
                }
                any = true;
                // Another member takes its place in the set: the index stays.
                self.take_back(worker, holder);
            }
        }
        if any {
            self.change_width();
        }
        any
    }

    /// The worker, which was a candidate that contends, waits for what another holds, or has taken.
    unsafe fn take_back(&mut self, worker: *mut Worker, holder: Option<WorkerId>) {
        // SAFETY: the caller's worker is a member of the set, so it is live and in no chain.
        unsafe {
            self.forget_contender(worker);
            (*worker).state = State::Waiting;
            (*worker).holder = holder;
            self.enabled.remove(worker);
            self.waiters.insert(worker);
            self.announce_absent((*worker).id);
        }
    }

    /// The worker, which has just become a candidate, takes a lock before it goes on: it waits on if
    /// another has it.
    pub(super) fn queue_up(&mut self, worker: *mut Worker) {
        // SAFETY: the engine's workers are live; what a worker waits for is, while it does.
        unsafe {
            if let Some(lock) = (*worker).takes_next.take() {
                (*worker).operation = Operation::Lock;
                (*worker).object = lock.machine as usize;
                (*worker).also = 0;
                self.note_contender(worker);
                if let Some(holder) = (lock.holder)(lock.machine) {
                    self.take_back(worker, Some(holder));
                }
            } else {
                self.note_contender(worker);
            }
        }
    }

    /// The worker runs, or waits.
    pub(super) fn forget_contender(&mut self, worker: *mut Worker) {
        // SAFETY: the engine's workers are live.
        if unsafe { std::mem::take(&mut (*worker).contends) } {
            self.contenders -= 1;
        }
    }

    /// Makes every waiting worker look again at what it waits for.
    pub(super) fn wake_everybody(&mut self) {
        for index in 0..self.worker_count {
            let worker = self.workers[index];
            // SAFETY: the engine's workers are live.
            if unsafe { (*worker).state == State::Waiting } {
                self.waiters.take(worker);
                self.enable(worker);
            }
        }
    }

    /// The current worker waits from here on.
    pub(super) fn begin_wait(&mut self, current: &mut Worker) {
        current.state = State::Waiting;
        current.resumes_wait = true;
        current.was_waiting = true;
        self.record_wait(current);
        // SAFETY: the current worker was running, so it is in the set and in no chain.
        unsafe {
            self.enabled.remove(current);
            self.waiters.insert(current);
        }
        self.announce_absent(current.id);
        if current.operation.may_wake_early() {
            self.left_out.add(Exception::SpuriousWakeUps);
        }
        if current.deadline != clock::NEVER {
            self.early.note_wait(current, self.time);
            self.note_late(current);
        }
        if current.deadline < self.next_deadline {
            if self.next_deadline == u64::MAX {
                clock::be_patient(self);
            }
            self.next_deadline = current.deadline;
        }
    }

    /// Ends the wait of workers whose deadline is no later than `now`.
    pub(super) fn end_waits_until(&mut self, now: u64) {
        for index in 0..self.worker_count {
            let worker = self.workers[index];
            // SAFETY: the engine's workers are live.
            unsafe {
                if (*worker).state == State::Waiting && (*worker).deadline <= now {
                    self.waiters.take(worker);
                    (*worker).timed_out = true;
                    // It finds out itself whether its lock is free: nobody can notify it any more.
                    (*worker).takes_next = None;
                    self.enable(worker);
                }
            }
        }
        self.find_next_deadline();
    }

    /// Makes `next_deadline` exact.
    pub(super) fn find_next_deadline(&mut self) {
        // SAFETY: the engine's workers are live.
        let workers = self
            .live_workers()
            .iter()
            .map(|&worker| unsafe { &*worker });
        let waiting = workers.filter(|worker| worker.state == State::Waiting);
        self.next_deadline = waiting
            .map(|worker| worker.deadline)
            .min()
            .unwrap_or(u64::MAX);
    }
}

/// Ends the iteration: the current worker freed what it must not free, or used what was freed.
pub(crate) fn bad_memory(engine: *mut Engine, message: &str) -> ! {
    // SAFETY: the caller found the engine set, so it is live and the caller is its current worker.
    unsafe {
        outside(|| {
            let worker = (*engine).current;
            // The site is the program's, not its allocator's.
            (*engine).end_hush();
            (*engine).finish(End::of(Verdict::Failed(Bug::new(
                BugKind::BadMemory,
                message.to_owned(),
                Some((*worker).site.into()),
                Some((*worker).id.0),
            ))));
        });
        hand_over(engine);
    }
    unreachable!("a finished iteration does not come back")
}
