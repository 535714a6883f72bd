//! A timeout races with its notification, and the condition is what counts.

use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_millis(10);

#[test]
fn done_or_late() {
    let (is_done, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(LIMIT);
            *is_done.lock().unwrap() = true;
            changed.notify_one();
        });
        let start = Instant::now();
        let guard = is_done.lock().unwrap();
        let (is_done, _) = changed
            .wait_timeout_while(guard, LIMIT, |is_done| !*is_done)
            .unwrap();
        assert!(*is_done || start.elapsed() >= LIMIT);
    });
}
