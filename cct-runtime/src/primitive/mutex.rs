//! The machine of `Mutex`.

use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

use super::hold::{Caller, Hold, Poison, attempt};
use super::{futex, owner};
use crate::engine::{self, NEVER, TakesNext, WorkerId};
use crate::object::ObjectId;
use crate::operation::Operation;

/// The holder of a mutex, and whether anybody waits for it.
///
/// A free mutex is exactly `FREE`: whoever waits sets `WAITED` on a held one, and a release clears
/// it.
#[derive(Debug)]
pub struct MutexMachine {
    state: AtomicU32,
    poison: Poison,
}

const FREE: u32 = 0;
/// Somebody may wait; the rest of the word says who holds the mutex.
const WAITED: u32 = 1 << 31;

impl MutexMachine {
    /// A free mutex.
    #[expect(
        clippy::new_without_default,
        reason = "machines live in statics and need `const`"
    )]
    pub const fn new() -> MutexMachine {
        MutexMachine {
            state: AtomicU32::new(FREE),
            poison: Poison::new(),
        }
    }

    /// The flag that a panicking holder leaves behind.
    pub fn poison(&self) -> &Poison {
        &self.poison
    }

    /// True after a holder panicked.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        self.poison.ask(self.object())
    }

    /// Forgets that a holder panicked.
    #[track_caller]
    pub fn clear_poison(&self) {
        self.poison.clear(self.object());
    }

    /// Acquires.
    #[track_caller]
    pub fn lock(&self) -> Hold {
        let site = Location::caller();
        if engine::is_controlled() {
            self.take_controlled(site);
            Hold::new(site, Caller::Worker)
        } else {
            self.acquire_native();
            Hold::new(site, Caller::Thread)
        }
    }

    /// Acquires if that is possible at once.
    #[track_caller]
    pub fn try_lock(&self) -> Option<Hold> {
        let site = Location::caller();
        attempt(Operation::TryLock, self.object(), site, |code| {
            let is_taken = self.take(code);
            if is_taken && let Some(me) = owner::worker(code) {
                self.let_others_wait(me);
            }
            is_taken
        })
    }

    /// Releases. Only for who holds it.
    pub fn unlock(&self, hold: Hold) {
        self.poison
            .give_back(Operation::Unlock, hold, self.object());
        self.release();
    }

    /// This mutex as what a worker takes at the end of a wait for something else.
    pub(super) fn takes_next(&self) -> TakesNext {
        TakesNext {
            machine: ptr::from_ref(self).cast(),
            holder: holder_of,
        }
    }

    /// Acquires again after a wait on a condition variable: the wait was the scheduling point.
    pub(super) fn reacquire(&self, site: &'static Location<'static>) {
        match engine::current() {
            Some(me) => self.acquire_controlled(me, site),
            None => self.acquire_native(),
        }
    }

    /// Releases without a scheduling point.
    pub(super) fn release(&self) {
        engine::release_lock(self.object());
        let state = self.state.load(Ordering::Relaxed);
        if owner::worker(state & !WAITED).is_some() {
            // Not a swap: workers set the flag on this same OS thread, and a native thread that
            // finds a worker holding the mutex looks again by itself.
            self.state.store(FREE, Ordering::Release);
            if state & WAITED != 0 {
                engine::wake_all(self.object());
            }
        } else if self.state.swap(FREE, Ordering::Release) & WAITED != 0 {
            futex::wake_one(&self.state);
            engine::wake_all(self.object());
        }
    }

    /// Acquires as a step of its own. Controlled workers only.
    pub(super) fn take_controlled(&self, site: &'static Location<'static>) {
        if self.state.load(Ordering::Relaxed) == FREE {
            engine::point_at(Operation::Lock, self.object(), site).done();
        } else {
            engine::declare_wait();
            self.block(site);
        }
        if let Some(me) = engine::current() {
            self.acquire_controlled(me, site);
        }
    }

    /// Acquires within the step under way, unless it has to wait. Controlled workers only.
    pub(super) fn take_within_step(&self, site: &'static Location<'static>) {
        if let Some(me) = engine::current()
            && !self.take(owner::code(me))
        {
            self.acquire_controlled(me, site);
        }
    }

    fn acquire_controlled(&self, me: WorkerId, site: &'static Location<'static>) {
        while !self.take(owner::code(me)) {
            self.block(site);
        }
        self.let_others_wait(me);
    }

    /// Waiters that the last release woke and that did not come first wait on.
    fn let_others_wait(&self, me: WorkerId) {
        if engine::retract(self.object(), me) {
            self.state.fetch_or(WAITED, Ordering::Relaxed);
        }
    }

    /// Waits for a release.
    #[cold]
    fn block(&self, site: &'static Location<'static>) {
        let by_native = |state| state & !WAITED == owner::NATIVE;
        let mut state = self.state.load(Ordering::Relaxed);
        if by_native(state) && futex::patience(&self.state, by_native) {
            return;
        }
        while state & WAITED == 0 {
            if state == FREE {
                return;
            }
            let waited = state | WAITED;
            match self
                .state
                .compare_exchange(state, waited, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => break,
                Err(now) => state = now,
            }
        }
        let holder = owner::worker(state & !WAITED);
        engine::wait_at(Operation::Lock, self.object(), NEVER, holder, site);
    }

    fn acquire_native(&self) {
        if !self.take(owner::NATIVE) {
            self.acquire_contended();
        }
    }

    /// Sleeps until the mutex is free, and takes it as waited for: others may be asleep still.
    #[cold]
    fn acquire_contended(&self) {
        loop {
            let state = futex::spin(&self.state, |state| state == FREE || state & WAITED != 0);
            let wanted = if state == FREE {
                owner::NATIVE | WAITED
            } else {
                state | WAITED
            };
            let changed = state == wanted
                || self
                    .state
                    .compare_exchange(state, wanted, Ordering::Acquire, Ordering::Relaxed)
                    .is_ok();
            if !changed {
                continue;
            }
            if state == FREE {
                self.note_taken();
                return;
            }
            let by_worker = owner::worker(state & !WAITED).is_some();
            futex::wait(&self.state, wanted, by_worker.then_some(futex::SLICE));
        }
    }

    fn take(&self, code: u32) -> bool {
        let is_taken = self
            .state
            .compare_exchange(FREE, code, Ordering::Acquire, Ordering::Relaxed)
            .is_ok();
        if is_taken {
            self.note_taken();
        }
        is_taken
    }

    fn note_taken(&self) {
        engine::acquire_lock(self.object(), false);
    }

    pub(super) fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

/// The worker that holds the mutex, which is told that somebody waits for it. One that an OS thread holds
/// is waited for by trying.
///
/// # Safety
///
/// `machine` must be a live [`MutexMachine`].
unsafe fn holder_of(machine: *const ()) -> Option<WorkerId> {
    // SAFETY: the caller's.
    let machine = unsafe { &*machine.cast::<MutexMachine>() };
    let holder = owner::worker(machine.state.load(Ordering::Relaxed) & !WAITED)?;
    machine.state.fetch_or(WAITED, Ordering::Relaxed);
    Some(holder)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::thread;

    use super::*;

    fn state(mutex: &MutexMachine) -> u32 {
        mutex.state.load(Ordering::Relaxed)
    }

    /// The worker that is told that somebody waits.
    fn told(mutex: &MutexMachine) -> Option<WorkerId> {
        let next = mutex.takes_next();
        // SAFETY: the machine lives.
        unsafe { (next.holder)(next.machine) }
    }

    #[test]
    fn one_has_it_and_others_are_refused() {
        let mutex = MutexMachine::new();
        let hold = mutex.lock();
        assert_eq!(state(&mutex), owner::NATIVE);
        assert!(mutex.try_lock().is_none());
        mutex.unlock(hold);
        assert_eq!(state(&mutex), FREE);
        mutex.unlock(mutex.try_lock().expect("it is free"));
        assert!(!mutex.is_poisoned());
    }

    #[test]
    fn only_a_worker_is_told_that_somebody_waits() {
        let mutex = MutexMachine::new();
        assert_eq!((told(&mutex), state(&mutex)), (None, FREE));
        let hold = mutex.lock();
        assert_eq!((told(&mutex), state(&mutex)), (None, owner::NATIVE));
        mutex.unlock(hold);
        assert!(mutex.take(owner::code(WorkerId(3))));
        assert_eq!(told(&mutex), Some(WorkerId(3)));
        assert_eq!(state(&mutex), owner::code(WorkerId(3)) | WAITED);
    }

    #[test]
    fn a_release_leaves_it_free_whoever_has_it_and_waits() {
        for holder in [owner::NATIVE, owner::code(WorkerId(0))] {
            for flag in [0, WAITED] {
                let mutex = MutexMachine::new();
                mutex.state.store(holder | flag, Ordering::Relaxed);
                assert!(!mutex.take(owner::NATIVE));
                mutex.release();
                assert_eq!(state(&mutex), FREE);
            }
        }
    }

    #[test]
    fn a_thread_that_sleeps_gets_it_and_speaks_for_others() {
        let mutex = MutexMachine::new();
        let hold = mutex.lock();
        thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let hold = mutex.lock();
                let found = state(&mutex);
                mutex.unlock(hold);
                found
            });
            while state(&mutex) & WAITED == 0 {
                thread::yield_now();
            }
            mutex.unlock(hold);
            // Others may be asleep still: the next release wakes one of them.
            let found = waiter.join().expect("no panic");
            assert_eq!(found, owner::NATIVE | WAITED);
        });
        assert_eq!(state(&mutex), FREE);
    }

    #[test]
    fn threads_exclude_each_other() {
        let (mutex, sum) = (MutexMachine::new(), AtomicU64::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let hold = mutex.lock();
                        let before = sum.load(Ordering::Relaxed);
                        thread::yield_now();
                        sum.store(before + 1, Ordering::Relaxed);
                        mutex.unlock(hold);
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 2000);
    }
}
