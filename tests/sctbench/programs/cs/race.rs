//! Threads that race on plain variables, and one that runs over the end of an array.

use crate::program::require;
use crate::pthread::{Lock, join, start, start_many};
use crate::racy::RacyCell;

/// Setters store `a` and then `b`; a checker that looks in between sees one without the other. Each
/// further setter makes it less likely that nobody has finished by then.
pub(in crate::programs) fn reorder(setters: usize, checkers: usize) {
    static A: RacyCell<i32> = RacyCell::new(0);
    static B: RacyCell<i32> = RacyCell::new(0);
    fn set() {
        A.set(1);
        B.set(-1);
    }
    fn check() {
        let neither = || A.get() == 0 && B.get() == 0;
        let both = || A.get() == 1 && B.get() == -1;
        require(neither() || both());
    }
    let setters = start_many(setters, set);
    let checkers = start_many(checkers, check);
    join(setters);
    join(checkers);
}

/// A request is counted after a look at the flag that forbids it: the driver stops in between.
pub(in crate::programs) fn bluetooth_driver() {
    static ATOMIC: Lock = Lock::new();
    static PENDING: RacyCell<i32> = RacyCell::ordered(1);
    static STOPPING: RacyCell<bool> = RacyCell::new(false);
    static MAY_STOP: RacyCell<bool> = RacyCell::new(false);
    static STOPPED: RacyCell<bool> = RacyCell::new(false);
    fn request() {
        if !STOPPING.get() {
            {
                let _atomic = ATOMIC.lock();
                PENDING.update(|pending| pending + 1);
            }
            require(!STOPPED.get());
        }
        finish();
    }
    fn finish() {
        let pending = {
            let _atomic = ATOMIC.lock();
            PENDING.update(|pending| pending - 1);
            PENDING.get()
        };
        if pending == 0 {
            MAY_STOP.set(true);
        }
    }
    fn stop() {
        STOPPING.set(true);
        finish();
        if MAY_STOP.get() {
            STOPPED.set(true);
        }
    }
    let stop = start(&[stop]);
    request();
    join(stop);
}

/// One value under two locks: an increment under the one is not seen by those under the other.
pub(in crate::programs) fn wrong_lock(right: usize, wrong: usize) {
    static RIGHT: Lock = Lock::new();
    static WRONG: Lock = Lock::new();
    static VALUE: RacyCell<i32> = RacyCell::new(0);
    fn under_right() {
        let _guard = RIGHT.lock();
        let before = VALUE.get();
        VALUE.update(|value| value + 1);
        require(VALUE.get() == before + 1);
    }
    fn under_wrong() {
        let _guard = WRONG.lock();
        VALUE.update(|value| value + 1);
    }
    let right = start_many(right, under_right);
    let wrong = start_many(wrong, under_wrong);
    join(right);
    join(wrong);
}

/// Threads take a free block each, under a lock for each inode and each block. There are 26 blocks: a
/// 27th thread is beyond the end of the array of locks, in every schedule.
pub(super) fn fsbench(threads: usize) {
    const BLOCKS: usize = 26;
    const INODES: usize = 32;
    static INODE_LOCKS: [Lock; BLOCKS] = [const { Lock::new() }; BLOCKS];
    static BLOCK_LOCKS: [Lock; BLOCKS] = [const { Lock::new() }; BLOCKS];
    static BUSY: [RacyCell<bool>; BLOCKS] = [const { RacyCell::ordered(false) }; BLOCKS];
    static INODE: [RacyCell<usize>; INODES] = [const { RacyCell::ordered(0) }; INODES];
    fn take_block(inode: usize) {
        require(inode < BLOCKS);
        let _inode = INODE_LOCKS[inode].lock();
        if INODE[inode].get() != 0 {
            return;
        }
        let mut block = inode * 2 % BLOCKS;
        for _ in 0..BLOCKS / 2 {
            let _block = BLOCK_LOCKS[block].lock();
            if !BUSY[block].get() {
                BUSY[block].set(true);
                INODE[inode].set(block + 1);
                return;
            }
            block = (block + 1) % BLOCKS;
        }
    }
    let threads: Vec<_> = (0..threads)
        .map(|thread| cct_shims::std::thread::spawn(move || take_block(thread % INODES)))
        .collect();
    join(threads);
}
