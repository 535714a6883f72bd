//! Locks that are not std's, and wait on futexes.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard, Once, RwLock, RwLockUpgradableReadGuard};

#[test]
fn a_mutex_excludes() {
    let count = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                for _ in 0..3 {
                    *count.lock() += 1;
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*count.lock(), 9);
}

#[test]
fn a_fair_unlock_hands_over() {
    let turns = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for n in 0..2 {
            let turns = &turns;
            scope.spawn(move || {
                for _ in 0..3 {
                    let mut guard = turns.lock();
                    guard.push(n);
                    MutexGuard::unlock_fair(guard);
                }
            });
        }
    });
    assert_eq!(turns.into_inner().len(), 6);
}

#[test]
fn readers_see_whole_writes() {
    let pair = RwLock::new((0, 0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let pair = pair.read();
                assert_eq!(pair.0, pair.1);
            });
        }
        scope.spawn(|| {
            let mut pair = pair.write();
            pair.0 += 1;
            pair.1 += 1;
        });
    });
}

#[test]
fn an_upgrade_sees_what_it_read() {
    let count = RwLock::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let read = count.upgradable_read();
                let next = *read + 1;
                *RwLockUpgradableReadGuard::upgrade(read) = next;
            });
        }
    });
    assert_eq!(count.into_inner(), 3);
}

#[test]
fn a_condvar_wakes() {
    let ready = Mutex::new(false);
    let changed = Condvar::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut ready = ready.lock();
            while !*ready {
                changed.wait(&mut ready);
            }
        });
        *ready.lock() = true;
        changed.notify_one();
    });
}

#[test]
fn a_wait_with_a_limit_ends() {
    let ready = Mutex::new(());
    let never = Condvar::new();
    let mut guard = ready.lock();
    assert!(
        never
            .wait_for(&mut guard, Duration::from_secs(3600))
            .timed_out()
    );
}

#[test]
fn a_lock_with_a_limit_gives_up() {
    let lock = Mutex::new(());
    let _held = lock.lock();
    thread::scope(|scope| {
        scope.spawn(|| assert!(lock.try_lock_for(Duration::from_secs(3600)).is_none()));
    });
}

#[test]
fn once_is_once() {
    let once = Once::new();
    let count = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| once.call_once(|| *count.lock() += 1));
        }
    });
    assert_eq!(count.into_inner(), 1);
}
