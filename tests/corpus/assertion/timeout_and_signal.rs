//! A timeout races with its notification: `timed_out` does not say that nothing happened.

use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

const LIMIT: Duration = Duration::from_millis(10);

#[test]
fn cancelled_and_done() {
    let (is_done, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(LIMIT);
            *is_done.lock().unwrap() = true;
            changed.notify_one();
        });
        let guard = is_done.lock().unwrap();
        if !*guard {
            let (guard, result) = changed.wait_timeout(guard, LIMIT).unwrap();
            let is_cancelled = result.timed_out();
            assert!(
                !(is_cancelled && *guard),
                "cancelled, and done nevertheless"
            );
        }
    });
}
