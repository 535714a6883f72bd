//! `pthread_create` and what is done with threads: workers, when a worker of the program makes them.
//!
//! A worker's handle is a number that is no address, the same in each execution of a schedule. A
//! thread that a shared library starts stays one, which the engine does not control: its thread-locals are
//! its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cct::engine::{self, NEVER, WorkerId};
use cct::harness::report_uncontrolled;
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use cct::tsvd;
use libc::{c_int, c_void, clockid_t, pthread_attr_t, pthread_t, timespec};

use super::{deadline, heir};
use crate::symbols::caller::{is_program, with_caller};
use crate::symbols::real::Real;

pub(super) type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Create =
    unsafe extern "C" fn(*mut pthread_t, *const pthread_attr_t, Start, *mut c_void) -> c_int;
type Join = unsafe extern "C" fn(pthread_t, *mut *mut c_void) -> c_int;
type TimedJoin = unsafe extern "C" fn(pthread_t, *mut *mut c_void, *const timespec) -> c_int;
type ClockJoin =
    unsafe extern "C" fn(pthread_t, *mut *mut c_void, clockid_t, *const timespec) -> c_int;
type OnThread = unsafe extern "C" fn(pthread_t) -> c_int;
// SAFETY: the functions' types.
static CREATE: Real<Create> = unsafe { Real::named(c"pthread_create") };
// SAFETY: as above.
static JOIN: Real<Join> = unsafe { Real::named(c"pthread_join") };
// SAFETY: as above.
static TRYJOIN: Real<Join> = unsafe { Real::named(c"pthread_tryjoin_np") };
// SAFETY: as above.
static TIMEDJOIN: Real<TimedJoin> = unsafe { Real::named(c"pthread_timedjoin_np") };
// SAFETY: as above.
static CLOCKJOIN: Real<ClockJoin> = unsafe { Real::named(c"pthread_clockjoin_np") };
// SAFETY: as above.
static DETACH: Real<OnThread> = unsafe { Real::named(c"pthread_detach") };
// SAFETY: as above.
static CANCEL: Real<OnThread> = unsafe { Real::named(c"pthread_cancel") };
// SAFETY: as above.
static EXIT: Real<unsafe extern "C" fn(*mut c_void) -> !> = unsafe { Real::named(c"pthread_exit") };
// SAFETY: as above.
static SELF: Real<unsafe extern "C" fn() -> pthread_t> = unsafe { Real::named(c"pthread_self") };

unsafe extern "C" {
    fn pthread_attr_getdetachstate(attributes: *const pthread_attr_t, state: *mut c_int) -> c_int;
}

/// A value that no address has: a worker's handle is this and its number.
const HANDLE: pthread_t = 1 << 62;

/// The worker that a handle names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// A worker.
    Worker(WorkerId),
    /// A thread of the C library's.
    Thread,
}

/// The facts about the iteration's workers, beyond those in the engine.
struct Workers {
    iteration: u64,
    known: Vec<Worker>,
}

#[derive(Clone, Copy)]
struct Worker {
    id: WorkerId,
    /// The value that its function returned, as an address.
    result: usize,
    /// Nobody may join it: it was detached, or has been joined.
    is_let_go: bool,
}

static WORKERS: Mutex<Workers> = Mutex::new(Workers {
    iteration: 0,
    known: Vec::new(),
});

with_caller!(
    pthread_create(
        place: *mut pthread_t, attributes: *const pthread_attr_t, start: Start, argument: *mut c_void
    ) -> c_int,
    "r8", "x4", create
);

unsafe extern "C" fn create(
    place: *mut pthread_t,
    attributes: *const pthread_attr_t,
    start: Start,
    argument: *mut c_void,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if tsvd::is_on() && !engine::is_controlled() {
            return create_heir(place, attributes, start, argument);
        }
        if !engine::is_controlled() || !is_program(caller) {
            return CREATE.get()(place, attributes, start, argument);
        }
        let (mut stack_size, mut detached) = (0, libc::PTHREAD_CREATE_JOINABLE);
        if !attributes.is_null() {
            libc::pthread_attr_getstacksize(attributes, &raw mut stack_size);
            pthread_attr_getdetachstate(attributes, &raw mut detached);
        }
        let body = Box::new(move || set_result(start(argument)));
        let site = engine::last_site();
        let Some(worker) = engine::spawn_at(None, Some(stack_size), None, site, body) else {
            return libc::EAGAIN;
        };
        if detached == libc::PTHREAD_CREATE_DETACHED {
            change(worker, |worker| worker.is_let_go = true);
        }
        *place = handle(worker);
        0
    }
}

unsafe fn create_heir(
    place: *mut pthread_t,
    attributes: *const pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let mut detached = libc::PTHREAD_CREATE_JOINABLE;
        if !attributes.is_null() {
            pthread_attr_getdetachstate(attributes, &raw mut detached);
        }
        let is_detached = detached == libc::PTHREAD_CREATE_DETACHED;
        heir::create((start, argument), is_detached, |start, argument| {
            let result = CREATE.get()(place, attributes, start, argument);
            (result, if result == 0 { *place } else { 0 })
        })
    }
}

/// Takes over the C library's `pthread_join`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_join(thread: pthread_t, result: *mut *mut c_void) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match named(thread) {
            Named::Worker(worker) => join(worker, result, NEVER),
            Named::Thread if engine::is_controlled() => join_thread(thread, result),
            Named::Thread => {
                let error = JOIN.get()(thread, result);
                if error == 0 && tsvd::is_on() {
                    heir::joined(thread);
                }
                error
            }
        }
    }
}

/// Takes over the C library's `pthread_tryjoin_np`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_tryjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let Named::Worker(worker) = named(thread) else {
            return TRYJOIN.get()(thread, result);
        };
        if engine::is_controlled() && !engine::is_finished(worker) {
            let object = ObjectId::end_of(worker);
            let step = engine::check_ended(object, engine::last_site());
            let is_finished = engine::is_finished(worker);
            step.read(is_finished);
            if !is_finished {
                return libc::EBUSY;
            }
        }
        join(worker, result, NEVER)
    }
}

/// Takes over the C library's `pthread_timedjoin_np`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_timedjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match named(thread) {
            Named::Worker(worker) => join_until(worker, result, libc::CLOCK_REALTIME, time),
            Named::Thread => TIMEDJOIN.get()(thread, result, time),
        }
    }
}

/// Takes over the C library's `pthread_clockjoin_np`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_clockjoin_np(
    thread: pthread_t,
    result: *mut *mut c_void,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match named(thread) {
            Named::Worker(worker) => join_until(worker, result, clock, time),
            Named::Thread => CLOCKJOIN.get()(thread, result, clock, time),
        }
    }
}

/// Takes over the C library's `pthread_detach`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_detach(thread: pthread_t) -> c_int {
    match named(thread) {
        Named::Worker(worker) => change(worker, |worker| {
            if worker.is_let_go {
                return libc::EINVAL;
            }
            worker.is_let_go = true;
            0
        }),
        Named::Thread => {
            if tsvd::is_on() {
                heir::detached(thread);
            }
            // SAFETY: the caller's thread.
            unsafe { DETACH.get()(thread) }
        }
    }
}

/// Takes over the C library's `pthread_exit`.
///
/// Nothing is unwound on a worker: C has nothing to unwind but its cleanup handlers.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_exit(result: *mut c_void) -> ! {
    match engine::current_thread() {
        None => {
            // SAFETY: the caller's promise.
            unsafe { EXIT.get()(result) }
        }
        Some(WorkerId(0)) => {
            report_uncontrolled("pthread_exit of the test's own thread");
            engine::end_worker()
        }
        Some(_) => {
            set_result(result);
            engine::end_worker()
        }
    }
}

/// Takes over the C library's `pthread_cancel`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_cancel(thread: pthread_t) -> c_int {
    match named(thread) {
        Named::Worker(_) => {
            report_uncontrolled("pthread_cancel");
            libc::ESRCH
        }
        // SAFETY: the caller's thread.
        Named::Thread => unsafe { CANCEL.get()(thread) },
    }
}

/// Takes over the C library's `pthread_self`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn pthread_self() -> pthread_t {
    match engine::current_thread() {
        Some(me) => handle(me),
        // SAFETY: it has no preconditions.
        None => unsafe { SELF.get()() },
    }
}

/// The worker's handle.
pub(crate) fn handle(worker: WorkerId) -> pthread_t {
    HANDLE | pthread_t::from(worker.0)
}

/// The worker that a handle names.
pub(super) fn named(thread: pthread_t) -> Named {
    if thread & HANDLE == 0 {
        Named::Thread
    } else {
        Named::Worker(WorkerId((thread & !HANDLE) as u32))
    }
}

/// The thread of the C library's that carries out what this one does.
pub(super) fn carrier(thread: pthread_t) -> pthread_t {
    match named(thread) {
        // SAFETY: it has no preconditions.
        Named::Worker(_) => unsafe { SELF.get()() },
        Named::Thread => thread,
    }
}

unsafe fn join_until(
    worker: WorkerId,
    result: *mut *mut c_void,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match deadline(clock, time) {
            Ok(deadline) => join(worker, result, deadline),
            Err(error) => error,
        }
    }
}

unsafe fn join(worker: WorkerId, result: *mut *mut c_void, deadline: u64) -> c_int {
    match engine::current_thread() {
        // A thread outside has no part in what workers do.
        None => return libc::ESRCH,
        Some(me) if me == worker => return libc::EDEADLK,
        Some(_) => {}
    }
    if change(worker, |worker| worker.is_let_go) {
        return libc::EINVAL;
    }
    if !engine::join_until(worker, deadline, engine::last_site()) {
        return libc::ETIMEDOUT;
    }
    let address = change(worker, |worker| {
        worker.is_let_go = true;
        worker.result
    });
    if !result.is_null() {
        // SAFETY: the caller's place is writable.
        unsafe { *result = address as *mut c_void };
    }
    0
}

/// A worker joins a thread that the engine does not control: it looks now and then while others go on,
/// and waits as a whole when that has not helped for a while.
unsafe fn join_thread(thread: pthread_t, result: *mut *mut c_void) -> c_int {
    const LOOKS: u32 = 100;
    // SAFETY: the caller's arguments.
    unsafe {
        for _ in 0..LOOKS {
            match TRYJOIN.get()(thread, result) {
                libc::EBUSY => {}
                ended => return ended,
            }
            engine::outside(|| libc::usleep(2000));
            engine::give_way(Operation::YieldNow);
        }
        engine::outside(|| JOIN.get()(thread, result))
    }
}

/// The result of the current worker's function.
fn set_result(result: *mut c_void) {
    if let Some(me) = engine::current_thread() {
        change(me, |worker| worker.result = result.addr());
        engine::touch(ObjectId::end_of(me), Access::Writes);
    }
}

fn change<R>(id: WorkerId, change: impl FnOnce(&mut Worker) -> R) -> R {
    let iteration = engine::run_number();
    engine::outside(|| {
        let mut workers: MutexGuard<'_, Workers> =
            WORKERS.lock().unwrap_or_else(PoisonError::into_inner);
        if workers.iteration != iteration {
            workers.iteration = iteration;
            workers.known.clear();
        }
        let known = workers.known.iter().position(|worker| worker.id == id);
        let index = known.unwrap_or_else(|| {
            workers.known.push(Worker {
                id,
                result: 0,
                is_let_go: false,
            });
            workers.known.len() - 1
        });
        change(&mut workers.known[index])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_names_its_worker_and_no_thread() {
        for number in [0, 7, u32::MAX] {
            let handle = handle(WorkerId(number));
            assert!(named(handle) == Named::Worker(WorkerId(number)));
        }
        // SAFETY: it has no preconditions.
        let thread = unsafe { libc::pthread_self() };
        assert!(named(thread) == Named::Thread);
        assert_eq!(carrier(thread), thread);
        assert_eq!(carrier(handle(WorkerId(3))), thread);
    }
}
