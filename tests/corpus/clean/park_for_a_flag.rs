//! Park in a loop around a flag: neither an early nor a spurious wake-up matters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

#[test]
fn nobody_oversleeps() {
    let is_ready = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_ready);
    let sleeper = thread::spawn(move || {
        while !flag.load(Ordering::Acquire) {
            thread::park();
        }
    });
    sleeper.thread().unpark();
    is_ready.store(true, Ordering::Release);
    sleeper.thread().unpark();
    sleeper.join().unwrap();
}
