//! The only worker polls for what nobody is there to do.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

#[test]
fn sleeps_for_ever() {
    let flag = AtomicBool::new(false);
    while !flag.load(SeqCst) {
        thread::sleep(Duration::from_millis(100));
    }
}
