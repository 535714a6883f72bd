//! Missed signal: a condition variable without any condition remembers nothing.

use std::sync::{Condvar, Mutex};
use std::thread;

#[test]
fn a_signal_that_nobody_hears() {
    let (lock, started) = (Mutex::new(()), Condvar::new());
    thread::scope(|scope| {
        let guard = lock.lock().unwrap();
        scope.spawn(|| started.notify_all());
        drop(started.wait(guard).unwrap());
    });
}
