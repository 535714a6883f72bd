//! `park`, `unpark` and their token.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn a_token_given_before_lets_park_return() {
    thread::current().unpark();
    thread::park();
}

#[test]
fn tokens_do_not_add_up() {
    thread::current().unpark();
    thread::current().unpark();
    thread::park();
    let start = Instant::now();
    // A spurious return is allowed; that a second token waits is not.
    while start.elapsed() < Duration::from_millis(2) {
        thread::park_timeout(Duration::from_millis(2));
    }
}

#[test]
fn unpark_ends_a_park() {
    let flag = AtomicBool::new(false);
    thread::scope(|scope| {
        let parked = scope.spawn(|| {
            while !flag.load(Ordering::Acquire) {
                thread::park();
            }
        });
        flag.store(true, Ordering::Release);
        parked.thread().unpark();
    });
}

#[test]
fn unpark_ends_a_long_park_timeout() {
    let flag = AtomicBool::new(false);
    let start = Instant::now();
    thread::scope(|scope| {
        let parked = scope.spawn(|| {
            while !flag.load(Ordering::Acquire) {
                thread::park_timeout(Duration::from_secs(600));
            }
        });
        flag.store(true, Ordering::Release);
        parked.thread().unpark();
    });
    assert!(start.elapsed() < Duration::from_secs(600));
}

#[test]
fn what_came_before_unpark_is_seen_after_park() {
    let value = AtomicUsize::new(0);
    thread::scope(|scope| {
        let parked = scope.spawn(|| {
            while value.load(Ordering::Relaxed) == 0 {
                thread::park();
            }
            assert_eq!(value.load(Ordering::Relaxed), 1);
        });
        value.store(1, Ordering::Relaxed);
        parked.thread().unpark();
    });
}

#[test]
fn a_handle_to_oneself_may_be_sent() {
    let me = thread::current();
    let flag = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            flag.store(true, Ordering::SeqCst);
            me.unpark();
        });
        while !flag.load(Ordering::SeqCst) {
            thread::park();
        }
    });
}

#[test]
fn unparking_who_does_not_park_does_no_harm() {
    let handle = thread::spawn(|| 1);
    handle.thread().unpark();
    let thread = handle.thread().clone();
    assert_eq!(handle.join().unwrap(), 1);
    thread.unpark();
}

#[test]
#[allow(deprecated)]
fn the_old_names() {
    thread::park_timeout_ms(1);
    thread::sleep_ms(1);
}
