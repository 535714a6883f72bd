//! Channel: who drops the last sender is decided by a count from which one decrement is lost.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;

#[test]
fn never_goes() {
    let (sender, receiver) = channel::<u32>();
    let (sender, active) = (Mutex::new(Some(sender)), AtomicU32::new(2));
    let finish = || {
        let left = active.load(SeqCst) - 1;
        active.store(left, SeqCst);
        if left == 0 {
            sender.lock().unwrap().take();
        }
    };
    thread::scope(|scope| {
        scope.spawn(finish);
        scope.spawn(finish);
        assert!(receiver.recv().is_err());
    });
}
