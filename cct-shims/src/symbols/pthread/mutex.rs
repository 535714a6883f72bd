//! `pthread_mutex_…`.

use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

use cct::engine::{self, NEVER, TakesNext, Wakeup, WorkerId};
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, clockid_t, pthread_mutex_t, timespec};

use super::owner::{self, Owner};
use super::{deadline, declare, patience, waited};
use crate::symbols::caller::with_caller;
use crate::symbols::real::Real;

type Simple = unsafe extern "C" fn(*mut pthread_mutex_t) -> c_int;
type Timed = unsafe extern "C" fn(*mut pthread_mutex_t, *const timespec) -> c_int;
type Clocked = unsafe extern "C" fn(*mut pthread_mutex_t, clockid_t, *const timespec) -> c_int;
// SAFETY: the functions' types.
static LOCK: Real<Simple> = unsafe { Real::named(c"pthread_mutex_lock") };
// SAFETY: as above.
static TRYLOCK: Real<Simple> = unsafe { Real::named(c"pthread_mutex_trylock") };
// SAFETY: as above.
static TIMEDLOCK: Real<Timed> = unsafe { Real::named(c"pthread_mutex_timedlock") };
// SAFETY: as above.
static CLOCKLOCK: Real<Clocked> = unsafe { Real::named(c"pthread_mutex_clocklock") };
// SAFETY: as above.
static UNLOCK: Real<Simple> = unsafe { Real::named(c"pthread_mutex_unlock") };

/// The C library's own layout in a mutex, up to the type: as fixed as the initialisers that programs are
/// compiled with.
#[repr(C)]
struct Mutex {
    lock: AtomicI32,
    /// How often the owner of a recursive one has it.
    count: AtomicU32,
    owner: AtomicI32,
    users: u32,
    kind: AtomicI32,
}

/// The answer of a mutex when its owner locks it again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It waits for itself.
    Normal,
    /// It counts.
    Recursive,
    /// It refuses.
    Checked,
}

const ROBUST: i32 = 16;

with_caller!(pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int, "rsi", "x1", lock);
with_caller!(pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int, "rsi", "x1", try_lock);
with_caller!(
    pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, time: *const timespec) -> c_int,
    "rdx", "x2", timed_lock
);
with_caller!(
    pthread_mutex_clocklock(
        mutex: *mut pthread_mutex_t, clock: clockid_t, time: *const timespec
    ) -> c_int,
    "rcx", "x3", clock_lock
);
with_caller!(pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int, "rsi", "x1", unlock);

unsafe extern "C" fn lock(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    // SAFETY: the caller's mutex.
    unsafe {
        match engine::current_thread() {
            Some(me) => Mutex::at(mutex).acquire(me, NEVER, caller),
            None => LOCK.get()(mutex),
        }
    }
}

unsafe extern "C" fn try_lock(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    // SAFETY: the caller's mutex.
    unsafe {
        let Some(me) = engine::current_thread() else {
            return TRYLOCK.get()(mutex);
        };
        let mutex = Mutex::at(mutex);
        if mutex.is_held_by(me) && mutex.kind() == Kind::Recursive {
            return mutex.count_up();
        }
        declare(Operation::TryLock, mutex.object(), caller);
        let result = mutex.take(me).unwrap_or(libc::EBUSY);
        if result == 0 {
            engine::retract(mutex.object(), me);
        }
        result
    }
}

unsafe extern "C" fn timed_lock(
    mutex: *mut pthread_mutex_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match engine::current_thread() {
            Some(me) => Mutex::at(mutex).acquire_until(me, libc::CLOCK_REALTIME, time, caller),
            None => TIMEDLOCK.get()(mutex, time),
        }
    }
}

unsafe extern "C" fn clock_lock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    time: *const timespec,
    caller: usize,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match engine::current_thread() {
            Some(me) => Mutex::at(mutex).acquire_until(me, clock, time, caller),
            None => CLOCKLOCK.get()(mutex, clock, time),
        }
    }
}

unsafe extern "C" fn unlock(mutex: *mut pthread_mutex_t, caller: usize) -> c_int {
    // SAFETY: the caller's mutex.
    unsafe {
        let Some(me) = engine::current_thread() else {
            let result = UNLOCK.get()(mutex);
            waited::tell(ObjectId::at(mutex.addr()));
            return result;
        };
        let mutex = Mutex::at(mutex);
        if let Err(error) = mutex.may_release(me) {
            return error;
        }
        if !mutex.count_down() {
            declare(Operation::Unlock, mutex.object(), caller);
            return mutex.release();
        }
        0
    }
}

/// Gives the mutex up for a wait on a condition variable; an error if the worker does not have it.
///
/// # Safety
///
/// `mutex` must be one.
pub(super) unsafe fn release_for_wait(
    mutex: *mut pthread_mutex_t,
    me: WorkerId,
) -> Result<(), c_int> {
    // SAFETY: the caller's.
    unsafe {
        let mutex = Mutex::at(mutex);
        mutex.may_release(me)?;
        if !mutex.count_down() {
            mutex.release();
        }
    }
    Ok(())
}

/// Takes the mutex again after such a wait, which was the scheduling point.
///
/// # Safety
///
/// `mutex` must be one.
pub(super) unsafe fn reacquire(mutex: *mut pthread_mutex_t, me: WorkerId) -> c_int {
    // SAFETY: the caller's.
    unsafe {
        let mutex = Mutex::at(mutex);
        if mutex.is_held_by(me) {
            return mutex.count_up();
        }
        mutex.take_or_wait(me, NEVER)
    }
}

/// The mutex as what a worker takes at the end of a wait.
///
/// # Safety
///
/// `mutex` must be one while the worker waits.
pub(super) unsafe fn takes_next(mutex: *mut pthread_mutex_t) -> TakesNext {
    unsafe fn holder(mutex: *const ()) -> Option<WorkerId> {
        // SAFETY: the waiting worker's mutex.
        owner::worker(unsafe { &(*mutex.cast::<Mutex>()).owner })
    }
    TakesNext {
        machine: mutex.cast_const().cast(),
        holder,
    }
}

impl Mutex {
    unsafe fn at<'a>(mutex: *mut pthread_mutex_t) -> &'a Mutex {
        // SAFETY: the caller has a mutex; all that is looked at in it is atomic.
        unsafe { &*mutex.cast::<Mutex>() }
    }

    fn real(&self) -> *mut pthread_mutex_t {
        std::ptr::from_ref(self).cast_mut().cast()
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }

    fn kind(&self) -> Kind {
        match self.kind.load(Ordering::Relaxed) & 3 {
            libc::PTHREAD_MUTEX_RECURSIVE => Kind::Recursive,
            libc::PTHREAD_MUTEX_ERRORCHECK => Kind::Checked,
            _ => Kind::Normal,
        }
    }

    fn is_robust(&self) -> bool {
        self.kind.load(Ordering::Relaxed) & ROBUST != 0
    }

    fn is_held_by(&self, me: WorkerId) -> bool {
        owner::worker(&self.owner) == Some(me)
    }

    unsafe fn acquire_until(
        &self,
        me: WorkerId,
        clock: clockid_t,
        time: *const timespec,
        caller: usize,
    ) -> c_int {
        // SAFETY: the caller's arguments.
        unsafe {
            match deadline(clock, time) {
                Ok(deadline) => self.acquire(me, deadline, caller),
                Err(error) => error,
            }
        }
    }

    unsafe fn acquire(&self, me: WorkerId, deadline: u64, caller: usize) -> c_int {
        if self.is_held_by(me) {
            match self.kind() {
                Kind::Recursive => return self.count_up(),
                Kind::Checked => return libc::EDEADLK,
                Kind::Normal => {}
            }
        }
        if owner::worker(&self.owner).is_none() {
            declare(Operation::Lock, self.object(), caller);
        }
        // SAFETY: the caller's mutex.
        unsafe { self.take_or_wait(me, deadline) }
    }

    unsafe fn take_or_wait(&self, me: WorkerId, deadline: u64) -> c_int {
        loop {
            // SAFETY: the caller's mutex.
            let taken = unsafe {
                self.take(me)
                    .or_else(|| self.take_from_outside(me, deadline))
            };
            if let Some(result) = taken {
                if result == 0 {
                    engine::retract(self.object(), me);
                }
                return result;
            }
        }
    }

    /// Takes the mutex if it is free, or fails for another reason than that it is not.
    unsafe fn take(&self, me: WorkerId) -> Option<c_int> {
        // SAFETY: the caller's mutex.
        let taken = unsafe { self.take_unordered(me) };
        if taken.is_some() {
            engine::acquire(self.object());
        }
        taken
    }

    unsafe fn take_unordered(&self, me: WorkerId) -> Option<c_int> {
        match owner::of(&self.owner) {
            Owner::Worker(holder) => return self.take_from_dead(holder),
            Owner::Gone => {
                self.count.store(1, Ordering::Relaxed);
                owner::set(&self.owner, me);
                return Some(0);
            }
            Owner::Other => {}
        }
        // SAFETY: the caller's mutex.
        let result = unsafe { TRYLOCK.get()(self.real()) };
        if result == 0 {
            owner::set(&self.owner, me);
        }
        (result != libc::EBUSY).then_some(result)
    }

    /// A robust mutex passes to the next when its owner has ended, and says so.
    fn take_from_dead(&self, holder: WorkerId) -> Option<c_int> {
        const INCONSISTENT: i32 = i32::MAX;
        if !self.is_robust() || !engine::is_finished(holder) {
            return None;
        }
        self.owner.store(INCONSISTENT, Ordering::Relaxed);
        Some(libc::EOWNERDEAD)
    }

    /// Waits; takes the mutex if a thread outside has had it, which is given some time to let go.
    unsafe fn take_from_outside(&self, me: WorkerId, deadline: u64) -> Option<c_int> {
        let own = self.object();
        let holder = owner::worker(&self.owner);
        if holder.is_none() {
            waited::enter(own);
            let end = patience();
            // SAFETY: the caller's mutex.
            let result =
                engine::outside(|| unsafe { TIMEDLOCK.get()(self.real(), &raw const end) });
            if result != libc::ETIMEDOUT {
                waited::leave(own);
                if result == 0 {
                    owner::set(&self.owner, me);
                    engine::acquire(self.object());
                }
                return Some(result);
            }
        }
        // Its owner's end is what a robust one may pass on by.
        let object = match holder {
            Some(holder) if self.is_robust() => ObjectId::end_of(holder),
            _ => own,
        };
        let wakeup = engine::wait_at(
            Operation::Lock,
            object,
            deadline,
            holder,
            engine::last_site(),
        );
        if holder.is_none() {
            waited::leave(own);
        }
        (wakeup == Wakeup::TimedOut).then_some(libc::ETIMEDOUT)
    }

    /// An error if the worker must not give up the mutex.
    fn may_release(&self, me: WorkerId) -> Result<(), c_int> {
        let is_checked = self.kind() != Kind::Normal || self.is_robust();
        match owner::of(&self.owner) {
            Owner::Worker(holder) if holder != me && is_checked => Err(libc::EPERM),
            _ => Ok(()),
        }
    }

    /// The owner has a recursive mutex once more.
    fn count_up(&self) -> c_int {
        let count = self.count.load(Ordering::Relaxed);
        match count.checked_add(1) {
            Some(count) => {
                self.count.store(count, Ordering::Relaxed);
                0
            }
            None => libc::EAGAIN,
        }
    }

    /// The owner has a recursive mutex once less; false if that is the end of it.
    fn count_down(&self) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        let is_more =
            self.kind() == Kind::Recursive && owner::worker(&self.owner).is_some() && count > 1;
        if is_more {
            self.count.store(count - 1, Ordering::Relaxed);
        }
        is_more
    }

    unsafe fn release(&self) -> c_int {
        let holder = owner::worker(&self.owner);
        if holder.is_some() {
            owner::hand_back(&self.owner);
        }
        engine::release(self.object());
        // SAFETY: the caller's mutex.
        let result = unsafe { UNLOCK.get()(self.real()) };
        engine::wake_all(self.object());
        if let Some(holder) = holder.filter(|_| self.is_robust()) {
            engine::wake_all(ObjectId::end_of(holder));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use super::*;

    /// A mutex that the C library has made with this type.
    fn made_as(kind: c_int, is_robust: bool) -> pthread_mutex_t {
        let mut attributes = MaybeUninit::uninit();
        let mut mutex = MaybeUninit::uninit();
        let robust = [libc::PTHREAD_MUTEX_STALLED, libc::PTHREAD_MUTEX_ROBUST];
        // SAFETY: both are made by these calls; a fresh mutex needs no destruction.
        unsafe {
            libc::pthread_mutexattr_init(attributes.as_mut_ptr());
            libc::pthread_mutexattr_settype(attributes.as_mut_ptr(), kind);
            libc::pthread_mutexattr_setrobust(
                attributes.as_mut_ptr(),
                robust[usize::from(is_robust)],
            );
            let made = libc::pthread_mutex_init(mutex.as_mut_ptr(), attributes.as_ptr());
            assert_eq!(made, 0);
            mutex.assume_init()
        }
    }

    #[test]
    fn the_types_of_the_c_library_are_known() {
        let kinds = [
            (libc::PTHREAD_MUTEX_NORMAL, Kind::Normal),
            (libc::PTHREAD_MUTEX_RECURSIVE, Kind::Recursive),
            (libc::PTHREAD_MUTEX_ERRORCHECK, Kind::Checked),
        ];
        for (kind, expected) in kinds {
            for is_robust in [false, true] {
                let mut made = made_as(kind, is_robust);
                // SAFETY: the mutex lives.
                let mutex = unsafe { Mutex::at(&raw mut made) };
                assert!(mutex.kind() == expected, "{kind}");
                assert_eq!(mutex.is_robust(), is_robust);
            }
        }
        let mut fixed = libc::PTHREAD_MUTEX_INITIALIZER;
        // SAFETY: as above.
        assert!(unsafe { Mutex::at(&raw mut fixed) }.kind() == Kind::Normal);
    }

    #[test]
    fn the_owner_and_its_count_are_where_the_c_library_has_them() {
        let mut made = made_as(libc::PTHREAD_MUTEX_RECURSIVE, false);
        // SAFETY: the mutex lives, and the thread that locks it unlocks it.
        unsafe {
            for _ in 0..2 {
                assert_eq!(libc::pthread_mutex_lock(&raw mut made), 0);
            }
            let mutex = Mutex::at(&raw mut made);
            let thread = crate::symbols::identity::gettid();
            assert_eq!(mutex.owner.load(Ordering::Relaxed), thread);
            assert_eq!(mutex.count.load(Ordering::Relaxed), 2);
            assert!(!mutex.is_held_by(WorkerId(0)) && !mutex.count_down());
            for _ in 0..2 {
                assert_eq!(libc::pthread_mutex_unlock(&raw mut made), 0);
            }
        }
    }

    #[test]
    fn a_worker_has_a_recursive_one_as_often_as_it_took_it() {
        let mut made = made_as(libc::PTHREAD_MUTEX_RECURSIVE, false);
        // SAFETY: the mutex lives.
        let mutex = unsafe { Mutex::at(&raw mut made) };
        owner::set(&mutex.owner, WorkerId(3));
        assert!(mutex.is_held_by(WorkerId(3)) && !mutex.is_held_by(WorkerId(4)));
        mutex.count.store(1, Ordering::Relaxed);
        assert_eq!(mutex.count_up(), 0);
        assert!(mutex.count_down() && !mutex.count_down());
        mutex.count.store(u32::MAX, Ordering::Relaxed);
        assert_eq!(mutex.count_up(), libc::EAGAIN);
    }
}
