//! `thread::scope`.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use conformance::{message_of, text};

#[test]
fn threads_borrow_and_are_joined() {
    let (mut changed, read) = (vec![1], [2, 3]);
    let sum = thread::scope(|scope| {
        let sum = scope.spawn(|| read.iter().sum::<i32>());
        scope.spawn(|| changed.push(read[0]));
        sum.join().unwrap()
    });
    assert_eq!(sum, 5);
    assert_eq!(changed, [1, 2]);
}

#[test]
fn nothing_outlives_the_scope() {
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| done.fetch_add(1, Ordering::Relaxed));
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 3);
}

#[test]
fn scoped_threads_start_more() {
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            scope.spawn(|| {
                scope.spawn(|| done.fetch_add(1, Ordering::Relaxed));
            });
        });
    });
    assert_eq!(done.load(Ordering::Relaxed), 1);
}

#[test]
fn a_joined_panic_is_the_joiners() {
    thread::scope(|scope| {
        let payload = scope.spawn(|| panic!("inside")).join().unwrap_err();
        assert_eq!(text(&*payload), "inside");
    });
}

#[test]
fn a_panic_that_nobody_joined_is_the_scopes() {
    let other_ended = AtomicBool::new(false);
    let text = message_of(|| {
        thread::scope(|scope| {
            scope.spawn(|| panic!("inside"));
            scope.spawn(|| other_ended.store(true, Ordering::Relaxed));
        });
    });
    assert_eq!(text, "a scoped thread panicked");
    assert!(other_ended.load(Ordering::Relaxed));
}

#[test]
fn a_panic_of_the_body_waits_for_the_threads() {
    let ended = AtomicBool::new(false);
    let text = message_of(|| {
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::yield_now();
                ended.store(true, Ordering::Relaxed);
            });
            panic!("of the body");
        });
    });
    assert_eq!(text, "of the body");
    assert!(ended.load(Ordering::Relaxed));
}

#[test]
fn handles_tell_about_their_thread() {
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let guard = gate.lock().unwrap();
        let handle = scope.spawn(|| drop(gate.lock().unwrap()));
        assert!(!handle.is_finished());
        assert_eq!(format!("{handle:?}"), "ScopedJoinHandle { .. }");
        assert_ne!(handle.thread().id(), thread::current().id());
        drop(guard);
        while !handle.is_finished() {
            thread::yield_now();
        }
        handle.join().unwrap();
    });
}

#[test]
fn scopes_nest() {
    let total = Mutex::new(0);
    thread::scope(|outer| {
        outer.spawn(|| {
            thread::scope(|inner| {
                inner.spawn(|| *total.lock().unwrap() += 1);
            });
            assert_eq!(*total.lock().unwrap(), 1);
        });
    });
}

#[test]
fn a_result_is_dropped_before_the_scope_ends() {
    struct Slow<'a>(&'a AtomicBool);
    impl Drop for Slow<'_> {
        fn drop(&mut self) {
            thread::yield_now();
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let dropped = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| Slow(&dropped));
    });
    assert!(dropped.load(Ordering::Relaxed));
}
