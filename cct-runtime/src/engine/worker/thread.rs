//! Operations of workers on each other as threads: spawn, join, park, sleep, end the process.

use std::borrow::Cow;
use std::panic::Location;
use std::sync::Arc;

use super::choice::choose_by;
use super::facts::leave_out;
use super::order::{acquire, release};
use super::panic::panic_noticed;
use super::step::Step;
use super::wait::{Wakeup, declare_wait, refuse, wait_at, wake_all_of};
use super::{controlled, hand_over, point_at, touch};
use crate::claim::Exception;
use crate::engine::decide::deadlines::NEVER;
use crate::engine::decide::outside::unpark as unpark_from_outside;
use crate::engine::decide::{engine, outside};
use crate::engine::state::iteration::End;
use crate::engine::state::worker::{State, Worker};
use crate::engine::switch::MAX_WORKERS;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::{ChainId, WorkerId};
use crate::trace::WorkerKind;
use crate::verdict::Verdict;

/// Creates a worker, with the scheduling point before it. Controlled workers only.
///
/// `body` must not unwind. The worker's locals are destroyed when it returned. An iteration with more
/// workers than there are stacks (16,384) is cut off. `None` if there is no memory for a stack of that size.
#[track_caller]
pub fn spawn(
    name: Option<&str>,
    stack_size: Option<usize>,
    body: Box<dyn FnOnce()>,
) -> Option<WorkerId> {
    spawn_in(name, stack_size, None, body)
}

/// [`spawn`] of a continuation: the worker belongs to this chain, or to a new one.
#[track_caller]
pub fn spawn_in(
    name: Option<&str>,
    stack_size: Option<usize>,
    chain: Option<ChainId>,
    body: Box<dyn FnOnce()>,
) -> Option<WorkerId> {
    spawn_at(name, stack_size, chain, Location::caller(), body)
}

/// [`spawn_in`] at a given site.
pub fn spawn_at(
    name: Option<&str>,
    stack_size: Option<usize>,
    chain: Option<ChainId>,
    site: &'static Location<'static>,
    body: Box<dyn FnOnce()>,
) -> Option<WorkerId> {
    point_at(Operation::Spawn, ObjectId::NONE, site).done();
    let (engine, on) = controlled();
    // SAFETY: a controlled worker's engine is live; the iteration does not come back from the hand-over.
    unsafe {
        if (*engine).aside.onlooker().is_some() {
            refuse(engine, Operation::Spawn, site);
        }
        if (*engine).process.threads == MAX_WORKERS {
            (*engine).finish(End::of(Verdict::CutOff));
            hand_over(engine, on);
        }
    }
    outside(|| {
        // The engine's copy outlives the iteration.
        let name = name.map(|name| Cow::Owned(name.to_owned()));
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        unsafe {
            (*engine).progress.overtime.is_broken = true;
            let worker = (*engine).add_thread(name, stack_size, site, body)?;
            let id = (*worker).id;
            (*engine).introduce(id, chain, WorkerKind::Thread);
            (*engine).start(worker);
            Some(id)
        }
    })
}

/// The chain that the worker belongs to.
pub fn chain_of(worker: WorkerId) -> ChainId {
    // SAFETY: a controlled worker's engine is live; `worker` checks the number.
    unsafe { (*(*engine()).roster.worker(worker)).chain }
}

/// The worker's name, if it has one; the copy belongs to the caller's iteration.
pub fn worker_name(worker: WorkerId) -> Option<Arc<str>> {
    // SAFETY: a controlled worker's engine is live; `worker` checks the number.
    unsafe {
        (*(*engine()).roster.worker(worker))
            .name
            .as_deref()
            .map(Arc::from)
    }
}

/// True when the worker has ended; not a scheduling point.
pub fn is_finished(worker: WorkerId) -> bool {
    // SAFETY: a controlled worker's engine is live; `worker` checks the number.
    unsafe { (*(*engine()).roster.worker(worker)).state() == State::Ended }
}

/// Waits for the worker's end, with the scheduling point before it; its panic counts as noticed.
#[track_caller]
pub fn join(worker: WorkerId) {
    join_until(worker, NEVER, Location::caller());
}

/// [`join`] at a given site, up to a deadline; false when that came first.
pub fn join_until(worker: WorkerId, deadline: u64, site: &'static Location<'static>) -> bool {
    let object = ObjectId::end_of(worker);
    if is_finished(worker) {
        point_at(Operation::Join, object, site).done();
    } else {
        declare_wait();
    }
    while !is_finished(worker) {
        let wakeup = wait_at(Operation::Join, object, deadline, Some(worker), site);
        if wakeup == Wakeup::TimedOut && !is_finished(worker) {
            return false;
        }
    }
    acquire(object);
    panic_noticed(worker);
    true
}

/// True if the iteration has, or had, a worker of this number. Controlled workers only.
pub fn exists(worker: WorkerId) -> bool {
    // SAFETY: a controlled worker's engine is live.
    unsafe { (*engine()).roster.get(worker).is_some() }
}

/// The lowest address of the worker's stack and its size in bytes.
pub fn stack_of(worker: WorkerId) -> (usize, usize) {
    // SAFETY: as in `is_finished`.
    let stack = unsafe { (*(*engine()).roster.worker(worker)).stack };
    (stack.limit as usize, stack.size())
}

/// The current worker's closure is over: others may ask from here on whether it is. No step of its own.
pub fn note_over() {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live, and has a current worker.
    unsafe {
        let me = (*engine).roster.current;
        touch(ObjectId::end_of((*me).id), Access::Writes);
        release(ObjectId::end_of((*me).id));
        (*me).over_since = Some((*engine).steps());
    }
}

/// Returns whether a worker is over, which `is_so` says.
///
/// It may be over with its last step, or not be yet: as long as it does nothing else and another worker can
/// run, either is possible, and so the strategy chooses. A repeated call finds a worker over that is, and so
/// does anybody who asks for the third time.
pub fn check_over(
    worker: WorkerId,
    site: &'static Location<'static>,
    is_so: impl FnOnce() -> bool,
) -> bool {
    let object = ObjectId::end_of(worker);
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no reference is kept across the switch.
    unsafe {
        let me = (*engine).roster.current;
        let repeats = (*me).operation == Operation::IsFinished
            && (*me).object == object
            && std::ptr::eq((*me).site, site);
        let step = point_at(Operation::IsFinished, object, site);
        let mut is_over = is_so();
        let worker = (*engine).roster.worker(worker);
        if is_over && (*worker).may_be_at_its_end((*engine).progress.quiet_at) {
            let is_due = repeats || (*worker).denials == MOST_DENIALS;
            (*engine).decision.limits.yields |= is_due;
            is_over = is_due || choose((*engine).roster.current, worker);
            (*worker).denials += u32::from(!is_over);
            if is_over {
                (*worker).over_since = None;
                touch(object, Access::Writes);
            }
        }
        if is_over {
            // Nothing says that it is so; nothing says that it is not, either.
            acquire(object);
        }
        step.read(is_over);
        is_over
    }
}

/// So often somebody who asks may hear that a worker is not over which is.
const MOST_DENIALS: u32 = 2;

/// True if the worker, whose closure is over, is to be so for the current one.
///
/// # Safety
///
/// Both are live workers of the engine that is set.
unsafe fn choose(current: *mut Worker, over: *mut Worker) -> bool {
    // SAFETY: the caller's workers are live.
    let (by, over) = unsafe { ((*current).id, (*over).id) };
    choose_by(2, |strategy| strategy.choose_end(over, by)) == 0
}

/// Asks whether a worker of C code, or all of a scope's, have ended. Here a worker ends with its last step,
/// which claims name. Does nothing outside a controlled worker.
pub fn check_ended(object: ObjectId, site: &'static Location<'static>) -> Step {
    leave_out(Exception::ThreadEnds);
    point_at(Operation::IsFinished, object, site)
}

/// Waits for the current worker's park token or the deadline, and takes the token.
#[track_caller]
pub fn park(deadline: u64) {
    let site = Location::caller();
    // SAFETY: a controlled worker's engine is live; no reference is kept across a switch.
    unsafe {
        let thread = (*(*engine()).roster.current).thread;
        let object = ObjectId::park_of((*thread).id);
        if (*thread).park_token {
            point_at(Operation::Park, object, site).done();
        } else {
            declare_wait();
        }
        loop {
            // Taken in one go, since a switch lies between two looks.
            if std::mem::take(&mut (*thread).park_token)
                || wait_at(Operation::Park, object, deadline, None, site) == Wakeup::TimedOut
            {
                break;
            }
        }
        (*thread).park_token = false;
        acquire(object);
    }
}

/// A wait of the current worker's is over in which std parks its thread: there it may have taken the token
/// that the worker still has, which claims name. Controlled workers only.
pub fn keep_token() {
    // SAFETY: a controlled worker's engine is live.
    let keeps = unsafe { (*(*(*engine()).roster.current).thread).park_token };
    if keeps {
        leave_out(Exception::ParkTokens);
    }
}

/// Gives a worker of this iteration its park token, with the scheduling point before it; from an
/// uncontrolled thread, as soon as the engine looks.
#[track_caller]
pub fn unpark(iteration: u64, worker: WorkerId) {
    let engine = engine();
    if engine.is_null() {
        unpark_from_outside(iteration, worker);
        return;
    }
    // SAFETY: as in `is_finished`; no reference is kept across a switch.
    unsafe {
        if (*engine).iteration.number != iteration {
            return;
        }
        let worker = (*engine).roster.worker(worker);
        let object = ObjectId::park_of((*worker).id);
        point_at(Operation::Unpark, object, Location::caller()).done();
        release(object);
        (*worker).park_token = true;
        wake_all_of(engine, object);
    }
}

/// Sleeps until the deadline.
#[track_caller]
pub fn sleep(deadline: u64) {
    // SAFETY: a controlled worker's engine is live.
    let object = ObjectId::sleep_of(unsafe { (*(*engine()).roster.current).id });
    while wait_at(Operation::Sleep, object, deadline, None, Location::caller()) != Wakeup::TimedOut
    {
    }
}

/// [`sleep`] that a handler of a signal ends; true if one has.
#[track_caller]
pub fn sleep_until_signal(deadline: u64) -> bool {
    // SAFETY: a controlled worker's engine is live.
    let object = ObjectId::sleep_of(unsafe { (*(*engine()).roster.current).id });
    loop {
        match wait_at(Operation::Sleep, object, deadline, None, Location::caller()) {
            Wakeup::Woken => {}
            Wakeup::TimedOut => return false,
            Wakeup::Interrupted { .. } => return true,
        }
    }
}
