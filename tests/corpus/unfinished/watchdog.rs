//! Somebody sleeps for a day and then sets the flag that others poll for each second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

#[cct::test(max_steps = 2_000)]
fn after_a_day() {
    let flag = Arc::new(AtomicBool::new(false));
    thread::spawn({
        let flag = Arc::clone(&flag);
        move || {
            thread::sleep(Duration::from_secs(24 * 60 * 60));
            flag.store(true, SeqCst);
        }
    });
    while !flag.load(SeqCst) {
        thread::sleep(Duration::from_secs(1));
    }
}
