//! `Condvar` with its timeouts.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use conformance::panics_elsewhere;

const SHORT: Duration = Duration::from_millis(5);
const LONG: Duration = Duration::from_secs(600);

#[test]
fn a_notification_wakes_a_waiter_that_holds_the_lock_again() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let setter = {
        let pair = Arc::clone(&pair);
        thread::spawn(move || {
            *pair.0.lock().unwrap() = true;
            pair.1.notify_one();
        })
    };
    let mut ready = pair.0.lock().unwrap();
    while !*ready {
        ready = pair.1.wait(ready).unwrap();
    }
    assert!(pair.0.try_lock().is_err());
    drop(ready);
    setter.join().unwrap();
}

#[test]
fn waiting_gives_the_lock_away() {
    let (mutex, condvar) = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        let guard = mutex.lock().unwrap();
        scope.spawn(|| {
            *mutex.lock().unwrap() = 1;
            condvar.notify_all();
        });
        let guard = condvar.wait_while(guard, |value| *value == 0).unwrap();
        assert_eq!(*guard, 1);
    });
}

#[test]
fn notify_all_wakes_everybody() {
    let (mutex, condvar) = (Mutex::new((0, false)), Condvar::new());
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let guard = mutex.lock().unwrap();
                let mut guard = condvar.wait_while(guard, |state| !state.1).unwrap();
                guard.0 += 1;
            });
        }
        mutex.lock().unwrap().1 = true;
        condvar.notify_all();
    });
    assert_eq!(mutex.lock().unwrap().0, 3);
}

#[test]
fn as_many_wake_as_are_notified() {
    let (mutex, condvar) = (Mutex::new(0), Condvar::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let guard = mutex.lock().unwrap();
                *condvar.wait_while(guard, |tickets| *tickets == 0).unwrap() -= 1;
            });
        }
        for _ in 0..2 {
            *mutex.lock().unwrap() += 1;
            condvar.notify_one();
        }
    });
    assert_eq!(*mutex.lock().unwrap(), 0);
}

#[test]
fn a_notification_without_a_waiter_is_lost() {
    let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    condvar.notify_one();
    condvar.notify_all();
    let guard = mutex.lock().unwrap();
    let (_guard, result) = condvar.wait_timeout_while(guard, SHORT, |()| true).unwrap();
    assert!(result.timed_out());
}

#[test]
fn wait_while_does_not_wait_when_there_is_nothing_to_wait_for() {
    let (mutex, condvar) = (Mutex::new(1), Condvar::new());
    let guard = condvar
        .wait_while(mutex.lock().unwrap(), |value| *value == 0)
        .unwrap();
    let (guard, result) = condvar
        .wait_timeout_while(guard, Duration::ZERO, |value| *value == 0)
        .unwrap();
    assert!(!result.timed_out());
    assert_eq!(*guard, 1);
}

#[test]
fn a_timeout_ends_the_wait_no_earlier() {
    let (mutex, condvar) = (Mutex::new(()), Condvar::new());
    let start = Instant::now();
    let (_guard, result) = condvar
        .wait_timeout_while(mutex.lock().unwrap(), SHORT, |()| true)
        .unwrap();
    assert!(result.timed_out());
    assert!(start.elapsed() >= SHORT);
}

#[test]
fn a_notification_ends_a_long_timeout() {
    let (mutex, condvar) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        let guard = mutex.lock().unwrap();
        scope.spawn(|| {
            *mutex.lock().unwrap() = true;
            condvar.notify_one();
        });
        let (guard, result) = condvar
            .wait_timeout_while(guard, LONG, |set| !*set)
            .unwrap();
        assert!(*guard);
        assert!(!result.timed_out());
    });
}

#[test]
fn wait_timeout_comes_back_by_itself() {
    let (mutex, condvar) = (Mutex::new(3), Condvar::new());
    let (guard, _) = condvar.wait_timeout(mutex.lock().unwrap(), SHORT).unwrap();
    assert_eq!(*guard, 3);
    #[allow(deprecated)]
    let (guard, _) = condvar.wait_timeout_ms(guard, 1).unwrap();
    assert_eq!(*guard, 3);
}

#[test]
fn a_poisoned_mutex_is_reported_by_the_wait() {
    let (mutex, condvar) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        let guard = mutex.lock().unwrap();
        let poisoner = scope.spawn(|| {
            let mut guard = mutex.lock().unwrap();
            *guard = true;
            condvar.notify_one();
            panic!("poisons");
        });
        let mut waited = condvar.wait(guard);
        while let Ok(guard) = waited {
            // A wake-up without a reason is allowed.
            waited = if *guard {
                mutex_after(guard, &mutex)
            } else {
                condvar.wait(guard)
            };
        }
        assert!(*waited.unwrap_err().into_inner());
        assert!(poisoner.join().is_err());
    });
}

/// Locks anew.
fn mutex_after<'a>(
    guard: std::sync::MutexGuard<'a, bool>,
    mutex: &'a Mutex<bool>,
) -> std::sync::LockResult<std::sync::MutexGuard<'a, bool>> {
    drop(guard);
    mutex.lock()
}

#[test]
fn a_wait_on_a_poisoned_mutex_returns_it_as_an_error() {
    let (mutex, condvar) = (Mutex::new(0), Condvar::new());
    panics_elsewhere(|| {
        let _guard = mutex.lock().unwrap();
        panic!("poisons");
    });
    let guard = mutex.lock().unwrap_err().into_inner();
    let (guard, _) = condvar.wait_timeout(guard, SHORT).unwrap_err().into_inner();
    let guard = condvar
        .wait_while(guard, |_| false)
        .expect("nothing was waited for");
    assert_eq!(*guard, 0);
}

#[test]
fn one_condvar_serves_one_mutex_after_the_other() {
    let condvar = Condvar::new();
    for value in 0..2 {
        let mutex = Mutex::new(value);
        let (guard, _) = condvar.wait_timeout(mutex.lock().unwrap(), SHORT).unwrap();
        assert_eq!(*guard, value);
    }
}

#[test]
fn formats() {
    assert_eq!(format!("{:?}", Condvar::new()), "Condvar { .. }");
    assert_eq!(format!("{:?}", Condvar::default()), "Condvar { .. }");
    let mutex = Mutex::new(());
    let (_guard, result) = Condvar::new()
        .wait_timeout_while(mutex.lock().unwrap(), Duration::ZERO, |()| true)
        .unwrap();
    assert_eq!(format!("{result:?}"), "WaitTimeoutResult(true)");
    assert_eq!(result, result.clone());
}
