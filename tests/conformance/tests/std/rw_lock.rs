//! `RwLock`, its guards and its poison.

use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard, TryLockError};
use std::thread;

use conformance::{join_all, panics_elsewhere};

fn poisoned<T: Send + Sync>(value: T) -> RwLock<T> {
    let lock = RwLock::new(value);
    panics_elsewhere(|| {
        let _guard = lock.write().unwrap();
        panic!("poisons");
    });
    lock
}

#[test]
fn readers_share_and_writers_exclude() {
    let lock = RwLock::new(1);
    let (first, second) = (lock.read().unwrap(), lock.try_read().unwrap());
    assert_eq!(*first + *second, 2);
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    drop(first);
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    drop(second);
    let mut writer = lock.write().unwrap();
    *writer = 2;
    assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    drop(writer);
    assert_eq!(*lock.try_read().unwrap(), 2);
    assert!(lock.try_write().is_ok());
}

#[test]
fn a_reader_sees_only_whole_writes() {
    let lock = Arc::new(RwLock::new((0, 0)));
    let writer = {
        let lock = Arc::clone(&lock);
        thread::spawn(move || {
            for _ in 0..2 {
                let mut pair = lock.write().unwrap();
                pair.0 += 1;
                pair.1 += 1;
            }
        })
    };
    let reader = {
        let lock = Arc::clone(&lock);
        thread::spawn(move || {
            for _ in 0..2 {
                let pair = lock.read().unwrap();
                assert_eq!(pair.0, pair.1);
            }
        })
    };
    join_all([writer, reader]);
    assert_eq!(*lock.read().unwrap(), (2, 2));
}

#[test]
fn writers_do_not_lose_updates() {
    let lock = RwLock::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| *lock.write().unwrap() += 1);
        }
    });
    assert_eq!(lock.into_inner().unwrap(), 2);
}

#[test]
fn a_waiting_writer_gets_in_after_the_readers() {
    let lock = RwLock::new(0);
    thread::scope(|scope| {
        let reader = lock.read().unwrap();
        let writer = scope.spawn(|| *lock.write().unwrap() = 1);
        assert_eq!(*reader, 0);
        drop(reader);
        writer.join().unwrap();
        assert_eq!(*lock.read().unwrap(), 1);
    });
}

#[test]
fn a_downgraded_writer_lets_readers_in_and_no_writer() {
    let lock = RwLock::new(0);
    let mut writer = lock.write().unwrap();
    *writer = 1;
    let reader = RwLockWriteGuard::downgrade(writer);
    assert_eq!(*reader, 1);
    assert_eq!(*lock.try_read().unwrap(), 1);
    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
    drop(reader);
    assert!(lock.try_write().is_ok());
}

#[test]
fn no_writer_comes_between_write_and_downgrade() {
    let lock = RwLock::new(0);
    thread::scope(|scope| {
        let mut writer = lock.write().unwrap();
        scope.spawn(|| *lock.write().unwrap() += 10);
        scope.spawn(|| assert!([1, 11].contains(&*lock.read().unwrap())));
        *writer = 1;
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!(*reader, 1);
    });
    assert_eq!(*lock.read().unwrap(), 11);
}

#[test]
fn a_panicking_writer_poisons() {
    let mut lock = poisoned(3);
    assert!(lock.is_poisoned());
    assert_eq!(*lock.read().unwrap_err().into_inner(), 3);
    assert_eq!(*lock.write().unwrap_err().into_inner(), 3);
    assert!(matches!(lock.try_read(), Err(TryLockError::Poisoned(_))));
    assert!(matches!(lock.try_write(), Err(TryLockError::Poisoned(_))));
    assert_eq!(*lock.get_mut().unwrap_err().into_inner(), 3);
    lock.clear_poison();
    assert!(!lock.is_poisoned());
    assert_eq!(*lock.read().unwrap(), 3);
    assert_eq!(poisoned(4).into_inner().unwrap_err().into_inner(), 4);
}

#[test]
fn a_panicking_reader_does_not_poison() {
    let lock = RwLock::new(0);
    panics_elsewhere(|| {
        let _guard = lock.read().unwrap();
        panic!("only read");
    });
    assert!(!lock.is_poisoned());
    assert!(lock.try_write().is_ok(), "the reader's guard is gone");
}

#[test]
fn a_poisoned_lock_still_excludes() {
    let lock = poisoned(0);
    let _writer = lock.write().unwrap_or_else(PoisonError::into_inner);
    assert!(matches!(lock.try_read(), Err(TryLockError::WouldBlock)));
}

#[test]
fn formats_show_the_value_or_that_it_is_locked() {
    let lock = RwLock::new(1);
    assert_eq!(
        format!("{lock:?}"),
        "RwLock { data: 1, poisoned: false, .. }"
    );
    let reader = lock.read().unwrap();
    assert_eq!(
        format!("{lock:?}"),
        "RwLock { data: 1, poisoned: false, .. }"
    );
    assert_eq!(format!("{reader:?} {reader}"), "1 1");
    drop(reader);
    let writer = lock.write().unwrap();
    assert_eq!(
        format!("{lock:?}"),
        "RwLock { data: <locked>, poisoned: false, .. }"
    );
    assert_eq!(format!("{writer:?} {writer}"), "1 1");
    drop(writer);
    assert_eq!(
        format!("{:?}", poisoned(2)),
        "RwLock { data: 2, poisoned: true, .. }"
    );
}

#[test]
fn unsized_values_are_locked_in_place() {
    let slice: Box<RwLock<[u8]>> = Box::new(RwLock::new([1, 2]));
    slice.write().unwrap()[0] = 5;
    assert_eq!(&*slice.read().unwrap(), [5, 2]);
}

#[test]
fn conversions_make_unlocked_locks() {
    let mut lock = RwLock::from(1);
    *lock.get_mut().unwrap() += 1;
    assert_eq!(*lock.read().unwrap(), 2);
    assert_eq!(*RwLock::<String>::default().read().unwrap(), "");
}
