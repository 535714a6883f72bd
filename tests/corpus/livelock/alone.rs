//! The only worker polls for what nobody is there to do.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

#[test]
fn sleeps_for_ever() {
    let flag = AtomicBool::new(false);
    while !flag.load(SeqCst) {
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn waits_with_a_limit_for_ever() {
    let flag = Mutex::new(false);
    let changed = Condvar::new();
    let mut is_set = flag.lock().unwrap();
    while !*is_set {
        (is_set, _) = changed
            .wait_timeout(is_set, Duration::from_millis(10))
            .unwrap();
    }
}

#[test]
fn waits_while_for_ever() {
    let flag = Mutex::new(false);
    let changed = Condvar::new();
    let mut is_set = flag.lock().unwrap();
    while !*is_set {
        (is_set, _) = changed
            .wait_timeout_while(is_set, Duration::from_millis(10), |is_set| !*is_set)
            .unwrap();
    }
}
