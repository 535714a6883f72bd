//! The machine itself: its word is changed, and those that wait are woken.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::hold::{Caller, Hold, Poison, attempt};
use super::super::update::Update as _;
use super::super::{futex, owner};
use super::word::{
    COUNT, READERS_WAIT, WRITER, WRITERS_WAIT, can_read, can_write, is_written, with_reader,
    with_writer_as_reader, without_reader,
};
use crate::engine::{self, NEVER};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::tsvd;

/// How many read, whether one writes, and who waits.
#[derive(Debug)]
pub struct RwLockMachine {
    /// See [`word`](super::word).
    state: AtomicU32,
    /// The sum of the codes of all holders. Only for reports and for deciding how to wait.
    holders: AtomicU32,
    /// Counts the wake-ups of native writers, who sleep on it.
    writer_calls: AtomicU32,
    /// How many native threads are asleep or about to be; raised before they set a flag.
    natives: AtomicU32,
    poison: Poison,
}

/// All that readers have done is before what the next writer does, and not before what other readers do.
const READERS: u64 = 0;

/// The two ways to ask for the lock.
struct Way {
    operation: Operation,
    flag: u32,
    is_free: fn(u32) -> bool,
    /// Whether it is worth a try: a writer that finds readers makes others wait behind it, and when it
    /// does so is up to the schedule.
    can_try: fn(u32) -> bool,
    take: fn(&RwLockMachine, u32) -> bool,
    take_contended: fn(&RwLockMachine),
}

const READ: Way = Way {
    operation: Operation::Read,
    flag: READERS_WAIT,
    is_free: can_read,
    can_try: can_read,
    take: RwLockMachine::take_read,
    take_contended: RwLockMachine::read_contended,
};
const WRITE: Way = Way {
    operation: Operation::Write,
    flag: WRITERS_WAIT,
    is_free: can_write,
    can_try: |state| !is_written(state),
    take: RwLockMachine::take_write,
    take_contended: RwLockMachine::write_contended,
};

impl RwLockMachine {
    /// A free lock.
    #[expect(
        clippy::new_without_default,
        reason = "machines live in statics and need `const`"
    )]
    pub const fn new() -> RwLockMachine {
        RwLockMachine {
            state: AtomicU32::new(0),
            holders: AtomicU32::new(0),
            writer_calls: AtomicU32::new(0),
            natives: AtomicU32::new(0),
            poison: Poison::new(),
        }
    }

    /// The flag that a panicking writer leaves behind.
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

    /// Acquires for reading.
    #[track_caller]
    pub fn read(&self) -> Hold {
        self.acquire(&READ, Location::caller())
    }

    /// Acquires for reading if that is possible at once.
    #[track_caller]
    pub fn try_read(&self) -> Option<Hold> {
        let take = |code| self.take_read(code);
        attempt(Operation::TryRead, self.object(), Location::caller(), take)
    }

    /// Acquires for writing.
    #[track_caller]
    pub fn write(&self) -> Hold {
        self.acquire(&WRITE, Location::caller())
    }

    /// Acquires for writing if that is possible at once.
    #[track_caller]
    pub fn try_write(&self) -> Option<Hold> {
        let take = |code| self.take_write(code);
        attempt(Operation::TryWrite, self.object(), Location::caller(), take)
    }

    /// Gives up a read lock. Only for who holds one.
    pub fn read_unlock(&self, hold: Hold) {
        if engine::is_controlled() {
            engine::point_at(Operation::ReadUnlock, self.object(), hold.site).done();
        }
        engine::release_shared_lock(self.object(), READERS);
        self.holders.fetch_sub(hold.code, Ordering::Relaxed);
        let without_one = |state| Some(without_reader(state));
        let before = self.change(Ordering::AcqRel, without_one).unwrap_or(0);
        if before & WRITERS_WAIT != 0 {
            // The last one to go lets others in.
            engine::touch(self.object(), Access::Writes);
        }
        if before & COUNT == 1 {
            self.wake(before);
        }
    }

    /// Gives up the write lock. Only for who holds it.
    pub fn write_unlock(&self, hold: Hold) {
        let object = self.object();
        self.poison.give_back(Operation::WriteUnlock, hold, object);
        engine::release_lock(object);
        self.holders.fetch_sub(hold.code, Ordering::Relaxed);
        let before = self.state.swap(0, Ordering::AcqRel);
        self.wake(before);
    }

    /// Turns the write lock into a read lock, with no writer in between. Only for who holds it.
    pub fn downgrade(&self, hold: Hold) {
        if engine::is_controlled() {
            engine::point_at(Operation::WriteUnlock, self.object(), hold.site).done();
        }
        engine::release_lock(self.object());
        tsvd::note_lock(self.object().key(), true);
        let to_reader = |state| Some(with_writer_as_reader(state));
        let before = self.change(Ordering::AcqRel, to_reader).unwrap_or(0);
        if before & WRITERS_WAIT == 0 {
            self.wake(before);
        }
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "a way that is known is a call that is known"
    )]
    fn acquire(&self, way: &Way, site: &'static Location<'static>) -> Hold {
        if let Some(me) = engine::current() {
            self.declare(way, site);
            let code = owner::code(me);
            while !(way.take)(self, code) {
                self.block(way, site);
            }
            Hold::of_worker(site, code)
        } else {
            if !(way.take)(self, owner::NATIVE) {
                (way.take_contended)(self);
            }
            Hold::new(site, Caller::Thread)
        }
    }

    /// The scheduling point of a blocking acquire: the wait itself when it cannot even be tried.
    fn declare(&self, way: &Way, site: &'static Location<'static>) {
        if (way.can_try)(self.state.load(Ordering::Relaxed)) {
            engine::point_at(way.operation, self.object(), site).done();
        } else {
            engine::declare_wait();
            self.block(way, site);
        }
    }

    #[cold]
    fn block(&self, way: &Way, site: &'static Location<'static>) {
        let holder = self.only_holder();
        let is_held = |state| !(way.is_free)(state);
        if holder == owner::NATIVE && futex::patience(&self.state, is_held) {
            return;
        }
        let flagged = self.change(Ordering::Relaxed, |state| {
            let flag = if is_written(state) {
                READERS_WAIT
            } else {
                way.flag
            };
            is_held(state).then_some(state | flag)
        });
        if let Ok(state) = flagged {
            let holder = owner::worker(holder);
            if way.flag == WRITERS_WAIT
                && !is_written(state)
                && let Some(me) = engine::current()
            {
                engine::retract_those(Operation::Read, self.object(), holder.unwrap_or(me));
            }
            engine::wait_at(way.operation, self.object(), NEVER, holder, site);
        }
    }

    fn take_read(&self, code: u32) -> bool {
        let is_taken = self.change(Ordering::Acquire, with_reader).is_ok();
        if is_taken {
            engine::acquire_lock(self.object(), true);
            self.holders.fetch_add(code, Ordering::Relaxed);
        }
        is_taken
    }

    fn take_write(&self, code: u32) -> bool {
        let taken = self
            .state
            .compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed);
        if taken.is_ok() {
            engine::acquire_lock(self.object(), false);
            engine::acquire_one(self.object(), READERS);
            self.holders.fetch_add(code, Ordering::Relaxed);
            // Waiters that the last release woke and that did not come first wait on.
            if let Some(me) = owner::worker(code)
                && engine::retract(self.object(), me)
            {
                self.state.fetch_or(READERS_WAIT, Ordering::Relaxed);
            }
        }
        taken.is_ok()
    }

    #[cold]
    fn read_contended(&self) {
        self.natives.fetch_add(1, Ordering::SeqCst);
        while !self.take_read(owner::NATIVE) {
            let state = futex::spin(&self.state, can_read);
            let is_held = |state| (!can_read(state)).then_some(state | READERS_WAIT);
            if !can_read(state) && self.change(Ordering::SeqCst, is_held).is_ok() {
                let state = self.state.load(Ordering::Relaxed);
                if !can_read(state) && state & READERS_WAIT != 0 {
                    futex::wait(&self.state, state, None);
                }
            }
        }
        self.natives.fetch_sub(1, Ordering::SeqCst);
    }

    #[cold]
    fn write_contended(&self) {
        self.natives.fetch_add(1, Ordering::SeqCst);
        // One native writer is woken at a time: from its first sleep on it speaks for the others.
        let mut others = 0;
        loop {
            let state = futex::spin(&self.state, can_write);
            if can_write(state) {
                let wanted = WRITER | others;
                let order = (Ordering::Acquire, Ordering::Relaxed);
                if self
                    .state
                    .compare_exchange(0, wanted, order.0, order.1)
                    .is_ok()
                {
                    break;
                }
                continue;
            }
            let is_held = |state| (!can_write(state)).then_some(state | WRITERS_WAIT);
            if self.change(Ordering::SeqCst, is_held).is_err() {
                continue;
            }
            others = WRITERS_WAIT;
            let calls = self.writer_calls.load(Ordering::SeqCst);
            if self.state.load(Ordering::SeqCst) & WRITERS_WAIT != 0 {
                futex::wait(&self.writer_calls, calls, None);
            }
        }
        engine::acquire_lock(self.object(), false);
        engine::acquire_one(self.object(), READERS);
        self.holders.fetch_add(owner::NATIVE, Ordering::Relaxed);
        self.natives.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes those whose flags are set in the state that a release has just replaced.
    fn wake(&self, flags: u32) {
        if flags & (READERS_WAIT | WRITERS_WAIT) == 0 {
            return;
        }
        if self.natives.load(Ordering::SeqCst) > 0 {
            if flags & WRITERS_WAIT != 0 {
                self.writer_calls.fetch_add(1, Ordering::SeqCst);
                futex::wake_one(&self.writer_calls);
            }
            if flags & READERS_WAIT != 0 {
                futex::wake_all(&self.state);
            }
        }
        engine::wake_all(self.object());
    }

    /// Replaces the state as `next` says, and returns the one before; refused when `next` has
    /// none.
    fn change(&self, order: Ordering, next: impl Fn(u32) -> Option<u32>) -> Result<u32, u32> {
        self.state.replace_if(order, Ordering::Relaxed, next)
    }

    /// The code of the holder, if there is just one, else 0.
    fn only_holder(&self) -> u32 {
        let state = self.state.load(Ordering::Relaxed);
        if is_written(state) || state & COUNT == 1 {
            self.holders.load(Ordering::Relaxed)
        } else {
            0
        }
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;
    use std::thread;

    use super::*;
    use crate::engine::WorkerId;

    const BOTH: u32 = READERS_WAIT | WRITERS_WAIT;

    fn state(lock: &RwLockMachine) -> u32 {
        lock.state.load(Ordering::Relaxed)
    }

    fn holder(lock: &RwLockMachine) -> u32 {
        lock.only_holder()
    }

    /// A lock in this state.
    fn lock_in(state: u32) -> RwLockMachine {
        let lock = RwLockMachine::new();
        lock.state.store(state, Ordering::Relaxed);
        lock
    }

    fn hold() -> Hold {
        Hold::new(Location::caller(), Caller::Thread)
    }

    #[test]
    fn readers_share_and_writers_do_not() {
        let lock = RwLockMachine::new();
        let [one, other] = [lock.read(), lock.try_read().expect("readers share")];
        assert_eq!(state(&lock), 2);
        assert!(lock.try_write().is_none());
        lock.read_unlock(one);
        assert!(lock.try_write().is_none());
        lock.read_unlock(other);
        let hold = lock.write();
        assert_eq!(state(&lock), WRITER);
        assert!(lock.try_read().is_none() && lock.try_write().is_none());
        lock.write_unlock(hold);
        assert_eq!(state(&lock), 0);
    }

    #[test]
    fn a_release_that_leaves_it_free_forgets_who_waited() {
        let lock = lock_in(2 | BOTH);
        lock.read_unlock(hold());
        assert_eq!(state(&lock), 1 | BOTH);
        lock.read_unlock(hold());
        assert_eq!(state(&lock), 0);
        let lock = lock_in(WRITER | BOTH);
        lock.write_unlock(hold());
        assert_eq!(state(&lock), 0);
    }

    #[test]
    fn the_holder_is_known_as_long_as_there_is_just_one() {
        let lock = RwLockMachine::new();
        let worker = owner::code(WorkerId(2));
        assert!(lock.take_read(worker));
        assert_eq!(holder(&lock), worker);
        assert!(lock.take_read(owner::NATIVE));
        assert_eq!(holder(&lock), 0);
        lock.read_unlock(hold());
        assert_eq!(holder(&lock), worker);
        let of_worker = Hold {
            code: worker,
            ..hold()
        };
        lock.read_unlock(of_worker);
        assert!(lock.take_write(owner::NATIVE));
        assert_eq!(holder(&lock), owner::NATIVE);
        lock.write_unlock(hold());
        assert_eq!(holder(&lock), 0);
    }

    #[test]
    fn a_writer_that_panics_poisons_and_a_reader_does_not() {
        let panics = |lock: &RwLockMachine, is_writer: bool| {
            struct Guard<'a>(&'a RwLockMachine, Hold, bool);
            impl Drop for Guard<'_> {
                fn drop(&mut self) {
                    if self.2 {
                        self.0.write_unlock(self.1);
                    } else {
                        self.0.read_unlock(self.1);
                    }
                }
            }
            let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let hold = if is_writer { lock.write() } else { lock.read() };
                let _guard = Guard(lock, hold, is_writer);
                std::panic::resume_unwind(Box::new(()));
            }));
            assert!(unwound.is_err());
        };
        let lock = RwLockMachine::new();
        panics(&lock, false);
        assert!(!lock.is_poisoned());
        panics(&lock, true);
        assert!(lock.is_poisoned());
        assert_eq!(state(&lock), 0);
        lock.clear_poison();
        assert!(!lock.poison().get());
    }

    #[test]
    fn a_thread_that_waits_to_write_comes_before_later_readers() {
        let lock = RwLockMachine::new();
        let reader = lock.read();
        thread::scope(|scope| {
            let writer = scope.spawn(|| lock.write());
            while state(&lock) & WRITERS_WAIT == 0 {
                thread::yield_now();
            }
            assert!(lock.try_read().is_none());
            lock.read_unlock(reader);
            lock.write_unlock(writer.join().expect("no panic"));
        });
        lock.read_unlock(lock.try_read().expect("it is free"));
    }

    #[test]
    fn threads_exclude_each_other() {
        let (lock, sum) = (RwLockMachine::new(), AtomicU64::new(0));
        let next = |write: bool| {
            let before = sum.load(Ordering::Relaxed);
            thread::yield_now();
            if write {
                sum.store(before + 1, Ordering::Relaxed);
            } else {
                assert_eq!(sum.load(Ordering::Relaxed), before);
            }
        };
        thread::scope(|scope| {
            for is_writer in [true, true, false, false] {
                let (lock, next) = (&lock, &next);
                scope.spawn(move || {
                    for _ in 0..300 {
                        let hold = if is_writer { lock.write() } else { lock.read() };
                        next(is_writer);
                        if is_writer {
                            lock.write_unlock(hold);
                        } else {
                            lock.read_unlock(hold);
                        }
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 600);
        assert_eq!(state(&lock), 0);
    }
}
