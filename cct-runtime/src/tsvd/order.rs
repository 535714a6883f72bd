//! The order of accesses where nobody controls threads, as far as it is known: who made and joined whom, and
//! the lock that was held.
//!
//! A thread's accesses are of *epochs*: it begins another one when others may learn of what it did. Its
//! *clock* has, for each party, the last epoch that is before all that it does from now on. Clocks are shared
//! until somebody changes one.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use super::party::{is_within, party, within};
use super::planner::Party;

/// The last epochs, by party.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock(Arc<Vec<(Party, u32)>>);

/// Of so many parties a clock knows.
const KNOWN: usize = 128;

impl Clock {
    fn at(&self, party: Party) -> Option<u32> {
        let found = self.0.binary_search_by_key(&party, |entry| entry.0);
        found.ok().map(|index| self.0[index].1)
    }

    fn advance(&mut self, party: Party, epoch: u32) {
        match self.0.binary_search_by_key(&party, |entry| entry.0) {
            Ok(index) if self.0[index].1 >= epoch => {}
            Ok(index) => Arc::make_mut(&mut self.0)[index].1 = epoch,
            Err(index) => {
                let entries = Arc::make_mut(&mut self.0);
                entries.insert(index, (party, epoch));
                if entries.len() > KNOWN {
                    // Not to know of the oldest costs a delay at most.
                    entries.remove(0);
                }
            }
        }
    }

    fn join(&mut self, other: &Clock) {
        if Arc::ptr_eq(&self.0, &other.0) {
            return;
        }
        if self.0.is_empty() {
            *self = other.clone();
            return;
        }
        for &(party, epoch) in other.0.iter() {
            self.advance(party, epoch);
        }
    }
}

thread_local! {
    static CLOCK: RefCell<Clock> = RefCell::default();
    static EPOCH: Cell<u32> = const { Cell::new(1) };
    /// The locks that the thread holds, the latest last: as many as there is place for.
    static LOCKS: RefCell<Vec<Lock>> = const { RefCell::new(Vec::new()) };
}

/// A lock that is held.
#[derive(Clone, Copy, Debug)]
struct Lock {
    key: u64,
    is_shared: bool,
}

/// The lock under which an access is made, in 24 bits; 0 for none.
pub(super) type UnderLock = u32;
const SHARED: UnderLock = 1 << 23;

/// True if accesses under these cannot be made at a time.
#[inline]
pub(super) fn exclude(one: UnderLock, other: UnderLock) -> bool {
    one != 0 && one & !SHARED == other & !SHARED && one & other & SHARED == 0
}

/// The epoch of the running party's accesses.
#[inline]
pub(super) fn epoch() -> u32 {
    EPOCH.get()
}

/// True if what the party did in this epoch, of which the low 16 bits are told, is before what the running
/// one does.
pub(super) fn is_before(before: Party, epoch: u32) -> bool {
    let known = CLOCK.try_with(|clock| clock.borrow().at(before));
    let known = known.ok().flatten();
    known.is_some_and(|known| (known.wrapping_sub(epoch) & 0xFFFF) < 0x8000)
}

/// The lock that was taken last, of those that are held.
#[inline]
pub(super) fn under_lock() -> UnderLock {
    let last = LOCKS.try_with(|locks| locks.borrow().last().copied());
    let Ok(Some(lock)) = last else {
        return 0;
    };
    let hash = lock.key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 41;
    let mode = if lock.is_shared { SHARED } else { 0 };
    (hash as u32 & (SHARED - 1)).max(1) | mode
}

/// The calling thread has taken this lock.
#[inline]
pub fn note_lock(key: u64, is_shared: bool) {
    if super::is_on() {
        let lock = Lock { key, is_shared };
        if let Some(_within) = within() {
            let _ = LOCKS.try_with(|locks| locks.borrow_mut().push(lock));
        }
    }
}

/// The calling thread has given this lock back. (One that another thread has taken is not known here.)
#[inline]
pub fn note_unlock(key: u64) {
    if super::is_on()
        && let Some(_within) = within()
    {
        let _ = LOCKS.try_with(|locks| {
            let mut locks = locks.borrow_mut();
            if let Some(index) = locks.iter().rposition(|lock| lock.key == key) {
                locks.remove(index);
            }
        });
    }
}

/// All that the running party has done, for somebody who is to learn of it: another epoch begins.
pub(super) fn told() -> Clock {
    let _within = within();
    let epoch = EPOCH.get();
    EPOCH.set(epoch.wrapping_add(1));
    let told = CLOCK.try_with(|clock| {
        let mut clock = clock.borrow_mut();
        clock.advance(party(), epoch);
        clock.clone()
    });
    told.unwrap_or_default()
}

/// The same for a thread that the running party is about to make: with what it does for that, until
/// [`begin_epoch`].
pub(super) fn told_to_child() -> Clock {
    let _within = within();
    begin_epoch();
    let epoch = EPOCH.get();
    let told = CLOCK.try_with(|clock| {
        let mut clock = clock.borrow_mut();
        clock.advance(party(), epoch);
        clock.clone()
    });
    told.unwrap_or_default()
}

/// Another epoch of the running party begins.
#[inline]
pub(super) fn begin_epoch() {
    EPOCH.set(EPOCH.get().wrapping_add(1));
}

/// The running party has learnt of this.
pub(super) fn learn(other: &Clock) {
    let _within = within();
    let _ = CLOCK.try_with(|clock| clock.borrow_mut().join(other));
}

/// Exchanges clock and epoch of the running party: it is another one.
pub(super) fn exchange(clock: Clock, epoch: u32) -> (Clock, u32) {
    let _within = within();
    let before = CLOCK.try_with(|own| own.replace(clock)).unwrap_or_default();
    (before, EPOCH.replace(epoch))
}

/// All that a thread, or the threads of a scope, have done when they have ended, for who joins them.
#[derive(Clone, Debug, Default)]
pub struct Ended(Arc<Mutex<Clock>>);

impl Ended {
    /// The calling thread has ended.
    pub fn set(&self) {
        /// For so many epochs std's code for the end of a thread does not go on.
        const REST: u32 = 0x4000;
        let mut told = told();
        told.advance(party(), epoch() + REST);
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .join(&told);
    }

    /// The calling thread has waited for it.
    pub fn join(&self) {
        learn(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// All synchronisation orders accesses, not only that of threads being made and joined.
static BY_ALL: AtomicBool = AtomicBool::new(false);
const SHARDS: usize = 64;
/// The clocks that were released, by object.
static RELEASED: [Mutex<BTreeMap<u64, Clock>>; SHARDS] =
    [const { Mutex::new(BTreeMap::new()) }; SHARDS];

/// Synchronisation of all kinds orders accesses from here on.
pub(super) fn order_by_all() {
    BY_ALL.store(true, Relaxed);
}

/// True if it does.
#[inline]
pub(crate) fn is_by_all() -> bool {
    BY_ALL.load(Relaxed)
}

/// The calling thread releases this object: of the program, not of its allocator, which we may need.
pub(crate) fn release(key: u64) {
    if is_by_all() && !is_within() {
        let told = told();
        let mut released = shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        released.entry(key).or_default().join(&told);
    }
}

/// The calling thread acquires this object, likewise.
pub(crate) fn acquire(key: u64) {
    if is_by_all() && !is_within() {
        let released = shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(clock) = released.get(&key) {
            learn(clock);
        }
    }
}

fn shard(key: u64) -> &'static Mutex<BTreeMap<u64, Clock>> {
    &RELEASED[(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize % SHARDS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "threads that no engine controls")]
    fn what_was_done_before_a_thread_is_made_is_before_it_and_what_it_did_before_its_join() {
        let (parent, first) = (party(), epoch());
        let (told, ended) = (told(), Ended::default());
        let (ends, second) = (ended.clone(), epoch());
        let child = std::thread::spawn(move || {
            learn(&told);
            assert!(is_before(parent, first) && !is_before(parent, second));
            let did = (party(), epoch());
            ends.set();
            did
        });
        let (child, did) = child.join().expect("it ends");
        assert!(!is_before(child, did));
        ended.join();
        assert!(is_before(child, did));
    }

    #[test]
    fn two_that_read_under_a_lock_do_not_exclude_each_other() {
        let (lock, other) = (5, 6);
        assert!(
            exclude(lock, lock) && exclude(lock, lock | SHARED) && exclude(lock | SHARED, lock)
        );
        assert!(!exclude(lock | SHARED, lock | SHARED));
        assert!(!exclude(lock, other) && !exclude(0, 0) && !exclude(0, lock));
    }

    /// A program that makes threads one after the other pays the same for each.
    #[test]
    fn a_clock_forgets_the_oldest() {
        let mut clock = Clock::default();
        for party in 1..=1000 {
            clock.advance(party, 1);
        }
        assert_eq!(clock.0.len(), KNOWN);
        assert_eq!(clock.at(1000), Some(1));
        assert_eq!(clock.at(1), None);
    }

    #[test]
    fn a_clock_that_is_joined_has_the_later_of_each() {
        let clock = |entries: &[(Party, u32)]| {
            let mut clock = Clock::default();
            for &(party, epoch) in entries {
                clock.advance(party, epoch);
            }
            clock
        };
        let mut one = clock(&[(3, 7), (1, 2)]);
        let kept = one.clone();
        one.join(&clock(&[(1, 5), (2, 1), (3, 4)]));
        let at = |clock: &Clock| [1, 2, 3, 4].map(|party| clock.at(party));
        assert_eq!(at(&one), [Some(5), Some(1), Some(7), None]);
        assert_eq!(at(&kept), [Some(2), None, Some(7), None]);
    }
}
