//! Ticket lock: tickets are drawn in one step and served in order.

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
            std::hint::spin_loop();
        }
    }

    fn unlock(&self) {
        self.serving.fetch_add(1, SeqCst);
    }
}

#[test]
fn one_at_a_time() {
    let (lock, inside) = (TicketLock::default(), AtomicU32::new(0));
    let visit = || {
        lock.lock();
        assert_eq!(inside.fetch_add(1, SeqCst), 0);
        inside.fetch_sub(1, SeqCst);
        lock.unlock();
    };
    thread::scope(|scope| {
        scope.spawn(visit);
        scope.spawn(visit);
        visit();
    });
}
