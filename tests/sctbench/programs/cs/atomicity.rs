//! Every access is under a lock, and yet an order of critical sections was not thought of.

use crate::program::require;
use crate::pthread::{Lock, join, start, start_many};
use crate::racy::RacyCell;

/// The expectation of the checker of [`account`], from the first balance, the deposit and the withdrawal.
pub(super) type Sum = fn(i32, i32, i32) -> i32;
/// Takes the deposit for a second withdrawal.
pub(in crate::programs) const WRONG_SUM: Sum =
    |before, deposit, withdrawal| before - deposit - withdrawal;
pub(super) const RIGHT_SUM: Sum = |before, deposit, withdrawal| before + deposit - withdrawal;

/// The checker looks only when both others are through, though it was started first. Nobody is joined.
pub(in crate::programs) fn account(sum: Sum) {
    const BEFORE: i32 = 1;
    const DEPOSIT: i32 = 2;
    const WITHDRAWAL: i32 = 4;
    static LOCK: Lock = Lock::new();
    static BALANCE: RacyCell<i32> = RacyCell::ordered(0);
    static DEPOSITED: RacyCell<bool> = RacyCell::ordered(false);
    static WITHDRAWN: RacyCell<bool> = RacyCell::ordered(false);
    fn deposit() {
        let _guard = LOCK.lock();
        BALANCE.update(|balance| balance + DEPOSIT);
        DEPOSITED.set(true);
    }
    fn withdraw() {
        let _guard = LOCK.lock();
        BALANCE.update(|balance| balance - WITHDRAWAL);
        WITHDRAWN.set(true);
    }
    BALANCE.set(BEFORE);
    cct_shims::std::thread::spawn(move || {
        let _guard = LOCK.lock();
        if DEPOSITED.get() && WITHDRAWN.get() {
            require(BALANCE.get() == sum(BEFORE, DEPOSIT, WITHDRAWAL));
        }
    });
    start(&[deposit, withdraw]);
}

static DATA_LOCK: Lock = Lock::new();
static DATA: RacyCell<i32> = RacyCell::ordered(0);

fn add_one() {
    let _guard = DATA_LOCK.lock();
    DATA.update(|data| data + 1);
}

fn add_two() {
    let _guard = DATA_LOCK.lock();
    DATA.update(|data| data + 2);
}

/// Two threads add up to three; the third must not see that.
pub(in crate::programs) fn lazy01(check: fn()) {
    join(start(&[add_one, add_two, check]));
}

/// The check of SCTBench's.
pub(super) fn never_three() {
    let _guard = DATA_LOCK.lock();
    require(DATA.get() < 3);
}

/// The check of ThreadFuzzer's port, which is the other way round.
pub(in crate::programs) fn always_three() {
    let _guard = DATA_LOCK.lock();
    require(DATA.get() == 3);
}

/// The third looks and says nothing.
pub(super) fn lazy01_ok() {
    fn look() {
        let _guard = DATA_LOCK.lock();
        DATA.get();
    }
    join(start(&[look, add_one, add_two]));
}

/// A token goes around three variables. It is in order only if the threads ran in theirs. Nobody is
/// joined.
pub(in crate::programs) fn token_ring() {
    static ATOMIC: Lock = Lock::new();
    static TOKENS: [RacyCell<i32>; 3] = [
        RacyCell::ordered(1),
        RacyCell::ordered(2),
        RacyCell::ordered(1),
    ];
    static PASSED: [RacyCell<bool>; 3] = [const { RacyCell::ordered(false) }; 3];
    fn first() {
        let _atomic = ATOMIC.lock();
        TOKENS[0].set((TOKENS[2].get() + 1) % 4);
        PASSED[0].set(true);
    }
    fn second() {
        let _atomic = ATOMIC.lock();
        TOKENS[1].set(TOKENS[0].get());
        PASSED[1].set(true);
    }
    fn third() {
        let _atomic = ATOMIC.lock();
        TOKENS[2].set(TOKENS[1].get());
        PASSED[2].set(true);
    }
    fn check() {
        let _atomic = ATOMIC.lock();
        if PASSED.iter().all(RacyCell::get) {
            require(TOKENS[0].get() == TOKENS[1].get() && TOKENS[1].get() == TOKENS[2].get());
        }
    }
    start(&[first, second, third, check]);
}

/// A writer sets two values in two critical sections; a reader comes in between.
///
/// The second section reads the first value under the wrong lock, which is a race where there are other
/// writers, although they all store the same.
pub(in crate::programs) fn two_stage(writers: usize, readers: usize) {
    static LOCKS: [Lock; 2] = [const { Lock::new() }; 2];
    static FIRST: RacyCell<i32> = RacyCell::ordered(0);
    static SECOND: RacyCell<i32> = RacyCell::ordered(0);
    fn write() {
        {
            let _guard = LOCKS[0].lock();
            FIRST.set(1);
        }
        let _guard = LOCKS[1].lock();
        SECOND.set(FIRST.get() + 1);
    }
    fn read() {
        let first = {
            let _guard = LOCKS[0].lock();
            if FIRST.get() == 0 {
                return;
            }
            FIRST.get()
        };
        let second = {
            let _guard = LOCKS[1].lock();
            SECOND.get()
        };
        require(second == first + 1);
    }
    let writers = start_many(writers, write);
    let readers = start_many(readers, read);
    join(writers);
    join(readers);
}
