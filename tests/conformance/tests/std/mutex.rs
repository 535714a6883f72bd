//! `Mutex`, its guard and its poison.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, PoisonError, TryLockError, mpsc};
use std::thread;

use conformance::{Drops, join_all, panics_elsewhere};

fn poisoned<T: Send>(value: T) -> Mutex<T> {
    let mutex = Mutex::new(value);
    panics_elsewhere(|| {
        let _guard = mutex.lock().unwrap();
        panic!("poisons");
    });
    mutex
}

#[test]
fn a_lock_gives_access() {
    let mut mutex = Mutex::new(1);
    *mutex.lock().unwrap() += 1;
    *mutex.get_mut().unwrap() += 1;
    assert_eq!(*mutex.try_lock().unwrap(), 3);
    assert_eq!(mutex.into_inner().unwrap(), 3);
}

#[test]
fn holders_exclude_each_other() {
    let mutex = Arc::new(Mutex::new((0, 0)));
    join_all((0..2).map(|_| {
        let mutex = Arc::clone(&mutex);
        thread::spawn(move || {
            for _ in 0..3 {
                let mut pair = mutex.lock().unwrap();
                pair.0 += 1;
                assert_eq!(pair.0, pair.1 + 1);
                pair.1 += 1;
            }
        })
    }));
    assert_eq!(*mutex.lock().unwrap(), (6, 6));
}

#[test]
fn try_lock_fails_exactly_while_held() {
    let mutex = Mutex::new(0);
    let guard = mutex.lock().unwrap();
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    thread::scope(|scope| {
        scope.spawn(|| assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock))));
    });
    drop(guard);
    assert!(mutex.try_lock().is_ok());
    assert!(mutex.try_lock().is_ok(), "the guard before is a temporary");
}

#[test]
fn a_waiter_gets_the_lock_when_it_is_released() {
    let mutex = Mutex::new(1);
    thread::scope(|scope| {
        let guard = mutex.lock().unwrap();
        let waiter = scope.spawn(|| *mutex.lock().unwrap());
        thread::yield_now();
        let mut guard = guard;
        *guard = 2;
        drop(guard);
        assert_eq!(waiter.join().unwrap(), 2);
    });
}

#[test]
fn a_panic_while_holding_poisons() {
    let mutex = poisoned(7);
    assert!(mutex.is_poisoned());
    let error = mutex.lock().unwrap_err();
    assert_eq!(**error.get_ref(), 7);
    assert_eq!(*error.into_inner(), 7);
    match mutex.try_lock() {
        Err(TryLockError::Poisoned(error)) => assert_eq!(*error.into_inner(), 7),
        other => panic!("expected poison, found {other:?}"),
    };
    assert!(mutex.is_poisoned(), "locking does not heal");
}

#[test]
fn a_poisoned_lock_still_excludes() {
    let mutex = poisoned(0);
    let guard = mutex.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(matches!(mutex.try_lock(), Err(TryLockError::WouldBlock)));
    drop(guard);
    assert!(matches!(mutex.try_lock(), Err(TryLockError::Poisoned(_))));
}

#[test]
fn poison_reaches_owners_and_can_be_cleared() {
    let mut mutex = poisoned(String::from("value"));
    assert_eq!(mutex.get_mut().unwrap_err().into_inner(), "value");
    mutex.clear_poison();
    assert!(!mutex.is_poisoned());
    assert_eq!(*mutex.lock().unwrap(), "value");
    let mutex = poisoned(1);
    assert_eq!(mutex.into_inner().unwrap_err().into_inner(), 1);
}

#[test]
fn a_panic_without_the_lock_does_not_poison() {
    let mutex = Mutex::new(0);
    panics_elsewhere(|| {
        drop(mutex.lock().unwrap());
        panic!("after the release");
    });
    assert!(!mutex.is_poisoned());
}

#[test]
fn a_lock_taken_while_unwinding_does_not_poison() {
    struct LocksOnDrop<'a>(&'a Mutex<i32>);
    impl Drop for LocksOnDrop<'_> {
        fn drop(&mut self) {
            *self.0.lock().unwrap() += 1;
        }
    }
    let mutex = Mutex::new(0);
    panics_elsewhere(|| {
        let _locks = LocksOnDrop(&mutex);
        panic!("unwinds through a drop that locks");
    });
    assert!(!mutex.is_poisoned());
    assert_eq!(*mutex.lock().unwrap(), 1);
}

#[test]
fn waiters_of_a_poisoned_lock_are_woken() {
    let mutex = Arc::new(Mutex::new(0));
    let (held, is_held) = mpsc::channel();
    let holder = thread::spawn({
        let mutex = Arc::clone(&mutex);
        move || {
            let _guard = mutex.lock().unwrap();
            held.send(()).unwrap();
            panic!("while another may wait");
        }
    });
    is_held.recv().unwrap();
    assert!(mutex.lock().is_err());
    assert!(holder.join().is_err());
}

#[test]
fn the_value_is_dropped_once() {
    let drops = Drops::new();
    drop(Mutex::new(drops.token()));
    assert_eq!(drops.count(), 1);
    let inner = Mutex::new(drops.token()).into_inner().unwrap();
    assert_eq!(drops.count(), 1);
    drop(inner);
    assert_eq!(drops.count(), 2);
    *Mutex::new(drops.token()).lock().unwrap() = drops.token();
    assert_eq!(drops.count(), 4);
}

#[test]
fn formats_show_the_value_or_that_it_is_locked() {
    let mutex = Mutex::new(1);
    assert_eq!(
        format!("{mutex:?}"),
        "Mutex { data: 1, poisoned: false, .. }"
    );
    let guard = mutex.lock().unwrap();
    assert_eq!(
        format!("{mutex:?}"),
        "Mutex { data: \"<locked>\", poisoned: false, .. }"
    );
    assert_eq!(format!("{guard:?} {guard}"), "1 1");
    drop(guard);
    let mutex = poisoned("text");
    assert_eq!(
        format!("{mutex:?}"),
        "Mutex { data: \"text\", poisoned: true, .. }"
    );
}

#[test]
fn errors_speak() {
    let mutex = poisoned(1);
    let error = mutex.lock().unwrap_err();
    assert_eq!(format!("{error:?}"), "PoisonError { .. }");
    assert_eq!(
        error.to_string(),
        "poisoned lock: another task failed inside"
    );
    let held = mutex.try_lock().unwrap_err();
    assert_eq!(format!("{held:?}"), "\"WouldBlock\"");
    assert_eq!(
        held.to_string(),
        "try_lock failed because the operation would block"
    );
    drop(error);
    let poison = mutex.try_lock().unwrap_err();
    assert_eq!(format!("{poison:?}"), "\"Poisoned(..)\"");
    assert_eq!(
        poison.to_string(),
        "poisoned lock: another task failed inside"
    );
}

#[test]
fn unsized_values_are_locked_in_place() {
    let object: Arc<Mutex<dyn Debug + Send>> = Arc::new(Mutex::new(5));
    assert_eq!(format!("{:?}", object.lock().unwrap()), "5");
    let slice: &Mutex<[u8]> = &Mutex::new([1, 2, 3]);
    slice.lock().unwrap()[1] = 9;
    assert_eq!(&*slice.lock().unwrap(), [1, 9, 3]);
}

#[test]
fn conversions_make_unlocked_mutexes() {
    assert_eq!(*Mutex::from(1).lock().unwrap(), 1);
    assert_eq!(*Mutex::<Vec<u8>>::default().lock().unwrap(), []);
}

static GLOBAL: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[test]
fn a_static_needs_no_set_up() {
    GLOBAL.lock().unwrap().push(1);
    assert_eq!(GLOBAL.lock().unwrap().as_slice(), [1]);
}
