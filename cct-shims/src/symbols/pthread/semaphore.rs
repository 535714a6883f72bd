//! `sem_…`: the real semaphore has the tokens; workers wait for them in the engine.

use cct::engine::{self, NEVER, Wakeup};
use cct::harness::report_uncontrolled;
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, clockid_t, sem_t, timespec};

use super::{deadline, waited};
use crate::symbols::fail;
use crate::symbols::real::Real;

type Simple = unsafe extern "C" fn(*mut sem_t) -> c_int;
type Timed = unsafe extern "C" fn(*mut sem_t, *const timespec) -> c_int;
type Clocked = unsafe extern "C" fn(*mut sem_t, clockid_t, *const timespec) -> c_int;
// SAFETY: the functions' types.
static WAIT: Real<Simple> = unsafe { Real::named(c"sem_wait") };
// SAFETY: as above.
static TRYWAIT: Real<Simple> = unsafe { Real::named(c"sem_trywait") };
// SAFETY: as above.
static TIMEDWAIT: Real<Timed> = unsafe { Real::named(c"sem_timedwait") };
// SAFETY: as above.
static CLOCKWAIT: Real<Clocked> = unsafe { Real::named(c"sem_clockwait") };
// SAFETY: as above.
static POST: Real<Simple> = unsafe { Real::named(c"sem_post") };

/// Takes over the C library's `sem_wait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sem_wait(semaphore: *mut sem_t) -> c_int {
    // SAFETY: the caller's semaphore.
    unsafe {
        if engine::is_controlled() {
            return wait_until(semaphore, NEVER);
        }
        WAIT.get()(semaphore)
    }
}

/// Takes over the C library's `sem_timedwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sem_timedwait(
    semaphore: *mut sem_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            return wait_on(semaphore, libc::CLOCK_REALTIME, time);
        }
        TIMEDWAIT.get()(semaphore, time)
    }
}

/// Takes over the C library's `sem_clockwait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sem_clockwait(
    semaphore: *mut sem_t,
    clock: clockid_t,
    time: *const timespec,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            return wait_on(semaphore, clock, time);
        }
        CLOCKWAIT.get()(semaphore, clock, time)
    }
}

/// Takes over the C library's `sem_trywait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sem_trywait(semaphore: *mut sem_t) -> c_int {
    let object = ObjectId::at(semaphore.addr());
    let step = engine::is_controlled()
        .then(|| engine::point_at(Operation::SemTryWait, object, engine::last_site()));
    // SAFETY: the caller's semaphore.
    let result = unsafe { TRYWAIT.get()(semaphore) };
    if let Some(step) = step {
        if result == 0 {
            engine::acquire(object);
            step.succeeded();
        } else {
            step.refused(None);
        }
    }
    result
}

/// Takes over the C library's `sem_post`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sem_post(semaphore: *mut sem_t) -> c_int {
    let object = ObjectId::at(semaphore.addr());
    // SAFETY: the caller's semaphore.
    unsafe {
        if engine::is_controlled() {
            engine::point_at(Operation::SemPost, object, engine::last_site()).done();
            engine::release(object);
            let result = POST.get()(semaphore);
            engine::wake_one(object);
            return result;
        }
        let result = POST.get()(semaphore);
        waited::tell(object);
        result
    }
}

unsafe fn wait_on(semaphore: *mut sem_t, clock: clockid_t, time: *const timespec) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match deadline(clock, time) {
            Ok(deadline) => wait_until(semaphore, deadline),
            Err(error) => fail(error) as c_int,
        }
    }
}

/// A controlled worker's wait.
unsafe fn wait_until(semaphore: *mut sem_t, deadline: u64) -> c_int {
    let (object, site) = (ObjectId::at(semaphore.addr()), engine::last_site());
    engine::point_at(Operation::SemWait, object, site).done();
    loop {
        waited::enter(object);
        // SAFETY: the caller's semaphore.
        if unsafe { TRYWAIT.get()(semaphore) } == 0 {
            waited::leave(object);
            engine::acquire(object);
            return 0;
        }
        // SAFETY: as above.
        if unsafe { is_shared(semaphore) } {
            report_uncontrolled("sem_wait on a semaphore that processes share");
        }
        let wakeup = engine::wait_at(Operation::SemWait, object, deadline, None, site);
        waited::leave(object);
        match wakeup {
            Wakeup::Woken => {}
            Wakeup::TimedOut => return fail(libc::ETIMEDOUT) as c_int,
            // As a futex: with a time it does not go on.
            Wakeup::Interrupted { restarts: true } if deadline == NEVER => {}
            Wakeup::Interrupted { .. } => return fail(libc::EINTR) as c_int,
        }
    }
}

/// True if other processes may have the semaphore, too: who posts may then be out of sight.
unsafe fn is_shared(semaphore: *const sem_t) -> bool {
    // SAFETY: the caller's semaphore, in which the C library keeps that after the tokens.
    unsafe { semaphore.cast::<u32>().add(2).read_volatile() != 0 }
}
