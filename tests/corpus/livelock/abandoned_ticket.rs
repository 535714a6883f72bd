//! Ticket lock: who draws a ticket and walks away blocks everybody behind.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[derive(Default)]
struct TicketLock {
    next: AtomicU32,
    serving: AtomicU32,
}

impl TicketLock {
    fn lock(&self) {
        let ticket = self.next.fetch_add(1, SeqCst);
        while self.serving.load(SeqCst) != ticket {
            thread::yield_now();
        }
    }

    /// Forgets to give the ticket back when it is not its turn.
    fn try_lock(&self) -> bool {
        self.next.fetch_add(1, SeqCst) == self.serving.load(SeqCst)
    }

    fn unlock(&self) {
        self.serving.fetch_add(1, SeqCst);
    }
}

#[test]
fn after_a_failed_try() {
    let lock = TicketLock::default();
    thread::scope(|scope| {
        scope.spawn(|| {
            if lock.try_lock() {
                lock.unlock();
            }
        });
        for _ in 0..2 {
            lock.lock();
            lock.unlock();
        }
    });
}
