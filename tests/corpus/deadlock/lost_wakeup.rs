//! Lost wake-up: the condition is looked at before the lock is taken, and signalled without it.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};
use std::thread;

#[test]
fn a_signal_before_the_sleep() {
    let (ready, lock, signal) = (AtomicU32::new(0), Mutex::new(()), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            while ready.load(SeqCst) == 0 {
                let guard = lock.lock().unwrap();
                drop(signal.wait(guard).unwrap());
            }
        });
        ready.store(1, SeqCst);
        signal.notify_one();
    });
}
