//! One-shot: two finishers see that nobody has finished, and both take the only sender.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

#[test]
fn the_only_sender() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let (sender, is_done) = (Mutex::new(Some(sender)), AtomicBool::new(false));
    let finish = || {
        if !is_done.load(SeqCst) {
            is_done.store(true, SeqCst);
            let sender = sender
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
                .take();
            sender.expect("nobody has finished yet").send(()).unwrap();
        }
    };
    thread::scope(|scope| {
        scope.spawn(finish);
        finish();
    });
    receiver.recv().unwrap();
}
