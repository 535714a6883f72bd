//! A flag says that the data is there, and is raised one step too early.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;

#[test]
fn flag_before_data() {
    let (data, is_there) = (AtomicU32::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            is_there.store(true, Ordering::Release);
            data.store(9, Ordering::Release);
        });
        while !is_there.load(Ordering::Acquire) {
            thread::yield_now();
        }
        assert_eq!(data.load(Ordering::Acquire), 9);
    });
}
