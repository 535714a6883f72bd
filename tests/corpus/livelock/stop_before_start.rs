//! A stop flag is reset by the worker that starts: who was told to stop first never hears it.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

#[test]
fn told_to_stop_first() {
    let is_running = AtomicBool::new(true);
    thread::scope(|scope| {
        scope.spawn(|| {
            is_running.store(true, SeqCst);
            while is_running.load(SeqCst) {
                thread::yield_now();
            }
        });
        is_running.store(false, SeqCst);
    });
}
