//! `pthread_rwlock_…`.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use cct::engine::{self, NEVER, Wakeup, WorkerId};
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, clockid_t, pthread_rwlock_t, timespec};

use super::owner::{self, Owner};
use super::{deadline, declare, patience, waited};
use crate::symbols::caller::with_caller;
use crate::symbols::real::Real;

type Simple = unsafe extern "C" fn(*mut pthread_rwlock_t) -> c_int;
type Timed = unsafe extern "C" fn(*mut pthread_rwlock_t, *const timespec) -> c_int;
type Clocked = unsafe extern "C" fn(*mut pthread_rwlock_t, clockid_t, *const timespec) -> c_int;
// SAFETY: the function's type.
static UNLOCK: Real<Simple> = unsafe { Real::named(c"pthread_rwlock_unlock") };

/// The C library's own layout in a lock, up to its kind: as fixed as the initialisers that programs are
/// compiled with.
#[repr(C)]
struct RwLock {
    words: [AtomicU32; 6],
    writer: AtomicI32,
    rest: [AtomicU32; 5],
    kind: AtomicI32,
}

/// Readers wait behind writers that wait.
const PREFERS_WRITERS: i32 = 2;

/// Reading or writing: what they are to the engine and to the C library.
struct Way {
    operation: Operation,
    tries: Operation,
    lock: Real<Simple>,
    try_lock: Real<Simple>,
    timed_lock: Real<Timed>,
    clock_lock: Real<Clocked>,
}

static READ: Way = Way {
    operation: Operation::Read,
    tries: Operation::TryRead,
    // SAFETY: the functions' types.
    lock: unsafe { Real::named(c"pthread_rwlock_rdlock") },
    // SAFETY: as above.
    try_lock: unsafe { Real::named(c"pthread_rwlock_tryrdlock") },
    // SAFETY: as above.
    timed_lock: unsafe { Real::named(c"pthread_rwlock_timedrdlock") },
    // SAFETY: as above.
    clock_lock: unsafe { Real::named(c"pthread_rwlock_clockrdlock") },
};
static WRITE: Way = Way {
    operation: Operation::Write,
    tries: Operation::TryWrite,
    // SAFETY: the functions' types.
    lock: unsafe { Real::named(c"pthread_rwlock_wrlock") },
    // SAFETY: as above.
    try_lock: unsafe { Real::named(c"pthread_rwlock_trywrlock") },
    // SAFETY: as above.
    timed_lock: unsafe { Real::named(c"pthread_rwlock_timedwrlock") },
    // SAFETY: as above.
    clock_lock: unsafe { Real::named(c"pthread_rwlock_clockwrlock") },
};

with_caller!(pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int, "rsi", "x1", read);
with_caller!(pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int, "rsi", "x1", write);
with_caller!(pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int, "rsi", "x1", try_read);
with_caller!(pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int, "rsi", "x1", try_write);
with_caller!(
    pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, time: *const timespec) -> c_int,
    "rdx", "x2", timed_read
);
with_caller!(
    pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, time: *const timespec) -> c_int,
    "rdx", "x2", timed_write
);
with_caller!(
    pthread_rwlock_clockrdlock(
        lock: *mut pthread_rwlock_t, clock: clockid_t, time: *const timespec
    ) -> c_int,
    "rcx", "x3", clock_read
);
with_caller!(
    pthread_rwlock_clockwrlock(
        lock: *mut pthread_rwlock_t, clock: clockid_t, time: *const timespec
    ) -> c_int,
    "rcx", "x3", clock_write
);
with_caller!(pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int, "rsi", "x1", unlock);

unsafe extern "C" fn read(lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe { acquire(&READ, lock, caller) }
}

unsafe extern "C" fn write(lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe { acquire(&WRITE, lock, caller) }
}

unsafe extern "C" fn try_read(lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe { attempt(&READ, lock, caller) }
}

unsafe extern "C" fn try_write(lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe { attempt(&WRITE, lock, caller) }
}

unsafe extern "C" fn timed_read(
    lock: *mut pthread_rwlock_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { acquire_timed(&READ, lock, time, caller) }
}

unsafe extern "C" fn timed_write(
    lock: *mut pthread_rwlock_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { acquire_timed(&WRITE, lock, time, caller) }
}

unsafe extern "C" fn clock_read(
    lock: *mut pthread_rwlock_t,
    clock: clockid_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { acquire_until(&READ, lock, clock, time, caller) }
}

unsafe extern "C" fn clock_write(
    lock: *mut pthread_rwlock_t,
    clock: clockid_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe { acquire_until(&WRITE, lock, clock, time, caller) }
}

unsafe extern "C" fn unlock(lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    let object = ObjectId::at(lock.addr());
    // SAFETY: the caller's lock.
    unsafe {
        if !engine::is_controlled() {
            let result = UNLOCK.get()(lock);
            waited::tell(object);
            return result;
        }
        let at = RwLock::at(lock);
        let is_written = owner::of(&at.writer) != Owner::Other;
        let operation = if is_written {
            Operation::WriteUnlock
        } else {
            Operation::ReadUnlock
        };
        declare(operation, object, caller);
        engine::release(object);
        if is_written {
            owner::hand_back(&at.writer);
        }
        let result = UNLOCK.get()(lock);
        engine::wake_all(object);
        result
    }
}

unsafe fn acquire(way: &Way, lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe {
        match engine::current_thread() {
            Some(me) => RwLock::at(lock).acquire(way, me, NEVER, caller),
            None => way.lock.get()(lock),
        }
    }
}

unsafe fn acquire_timed(
    way: &Way,
    lock: *mut pthread_rwlock_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if engine::is_controlled() {
            return acquire_until(way, lock, libc::CLOCK_REALTIME, time, caller);
        }
        way.timed_lock.get()(lock, time)
    }
}

unsafe fn acquire_until(
    way: &Way,
    lock: *mut pthread_rwlock_t,
    clock: clockid_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        let Some(me) = engine::current_thread() else {
            return way.clock_lock.get()(lock, clock, time);
        };
        match deadline(clock, time) {
            Ok(deadline) => RwLock::at(lock).acquire(way, me, deadline, caller),
            Err(error) => error,
        }
    }
}

unsafe fn attempt(way: &Way, lock: *mut pthread_rwlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe {
        let Some(me) = engine::current_thread() else {
            return way.try_lock.get()(lock);
        };
        declare(way.tries, ObjectId::at(lock.addr()), caller);
        RwLock::at(lock).take(way, me).unwrap_or(libc::EBUSY)
    }
}

impl RwLock {
    unsafe fn at<'a>(lock: *mut pthread_rwlock_t) -> &'a RwLock {
        // SAFETY: the caller has a lock; all that is looked at in it is atomic.
        unsafe { &*lock.cast::<RwLock>() }
    }

    fn real(&self) -> *mut pthread_rwlock_t {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }

    /// The object for which only those wait who write.
    fn writers(&self) -> ObjectId {
        ObjectId::writers_of(self.object())
    }

    unsafe fn acquire(&self, way: &Way, me: WorkerId, deadline: u64, caller: usize) -> c_int {
        if owner::worker(&self.writer) == Some(me) {
            return libc::EDEADLK;
        }
        if owner::worker(&self.writer).is_none() {
            declare(way.operation, self.object(), caller);
        }
        loop {
            // SAFETY: the caller's lock.
            let taken = unsafe { self.take(way, me) };
            let Some(result) = taken.or_else(|| self.wait(way, me, deadline)) else {
                continue;
            };
            return result;
        }
    }

    /// Takes the lock if it is free, or fails for another reason than that it is not.
    unsafe fn take(&self, way: &Way, me: WorkerId) -> Option<c_int> {
        if owner::of(&self.writer) == Owner::Gone {
            // SAFETY: the caller's lock, which all workers are one owner of to the C library.
            unsafe {
                owner::hand_back(&self.writer);
                UNLOCK.get()(self.real());
            }
        }
        if way.operation == Operation::Read
            && self.kind.load(Ordering::Relaxed) == PREFERS_WRITERS
            && waited::is_waited_for(self.writers())
        {
            return None;
        }
        // SAFETY: as above.
        let result = unsafe { way.try_lock.get()(self.real()) };
        if result == 0 {
            engine::acquire(self.object());
        }
        if result == 0 && way.operation == Operation::Write {
            owner::set(&self.writer, me);
            engine::retract(self.object(), me);
        }
        (result != libc::EBUSY).then_some(result)
    }

    /// Waits; takes the lock if a thread outside has had it, which is given some time to let go.
    fn wait(&self, way: &Way, me: WorkerId, deadline: u64) -> Option<c_int> {
        let holder = owner::worker(&self.writer);
        waited::enter(self.object());
        if way.operation == Operation::Write {
            waited::enter(self.writers());
        }
        let mut result = None;
        if holder.is_none() && uncontrolled_writer(&self.writer) {
            let end = patience();
            // SAFETY: the caller's lock.
            let timed =
                engine::outside(|| unsafe { way.timed_lock.get()(self.real(), &raw const end) });
            result = (timed != libc::ETIMEDOUT).then_some(timed);
            if result == Some(0) && way.operation == Operation::Write {
                owner::set(&self.writer, me);
            }
        }
        if result.is_none() {
            let site = engine::last_site();
            let wakeup = engine::wait_at(way.operation, self.object(), deadline, holder, site);
            result = (wakeup == Wakeup::TimedOut).then_some(libc::ETIMEDOUT);
        }
        waited::leave(self.object());
        if way.operation == Operation::Write {
            waited::leave(self.writers());
            if result == Some(libc::ETIMEDOUT) {
                // Readers may have waited behind this writer only.
                engine::wake_all(self.object());
            }
        }
        result
    }
}

/// True if a thread outside has the lock for writing; who reads is not known.
fn uncontrolled_writer(writer: &AtomicI32) -> bool {
    owner::of(writer) == Owner::Other && writer.load(Ordering::Relaxed) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_writer_is_where_the_c_library_has_it() {
        let mut made = libc::PTHREAD_RWLOCK_INITIALIZER;
        let place = &raw mut made;
        // SAFETY: the lock lives, and the thread that takes it gives it back.
        unsafe {
            let lock = &*place.cast::<RwLock>();
            assert_eq!(libc::pthread_rwlock_wrlock(place), 0);
            let thread = crate::symbols::identity::gettid();
            assert_eq!(lock.writer.load(Ordering::Relaxed), thread);
            assert!(owner::of(&lock.writer) == Owner::Other);
            assert_eq!(libc::pthread_rwlock_unlock(place), 0);
            assert_eq!(lock.writer.load(Ordering::Relaxed), 0);
        }
    }

    #[test]
    fn off_the_engine_the_c_library_decides() {
        let mut made = libc::PTHREAD_RWLOCK_INITIALIZER;
        let lock = &raw mut made;
        // SAFETY: the lock lives, and the thread that takes it gives it back.
        unsafe {
            assert_eq!(libc::pthread_rwlock_tryrdlock(lock), 0);
            assert_eq!(libc::pthread_rwlock_rdlock(lock), 0);
            assert_eq!(libc::pthread_rwlock_trywrlock(lock), libc::EBUSY);
            assert_eq!(libc::pthread_rwlock_unlock(lock), 0);
            assert_eq!(libc::pthread_rwlock_unlock(lock), 0);
            assert_eq!(libc::pthread_rwlock_trywrlock(lock), 0);
            assert_eq!(libc::pthread_rwlock_unlock(lock), 0);
        }
    }
}
