//! One holds the lock and waits for a message; who should send it spins for the lock.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::thread;

struct SpinLock(AtomicBool);

impl SpinLock {
    fn lock(&self) {
        while self
            .0
            .compare_exchange(false, true, SeqCst, SeqCst)
            .is_err()
        {
            std::hint::spin_loop();
        }
    }

    fn unlock(&self) {
        self.0.store(false, SeqCst);
    }
}

#[test]
fn a_message_under_the_lock() {
    let lock = SpinLock(AtomicBool::new(false));
    let (sender, receiver) = channel();
    thread::scope(|scope| {
        let lock = &lock;
        scope.spawn(move || {
            lock.lock();
            sender.send(()).unwrap();
            lock.unlock();
        });
        lock.lock();
        receiver.recv().unwrap();
        lock.unlock();
    });
}
