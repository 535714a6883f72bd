//! Ticket lock: the ticket is drawn by load and store, so two hold the same number.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[derive(Default)]
struct TicketLock {
    next: AtomicU32,
    serving: AtomicU32,
}

impl TicketLock {
    fn lock(&self) {
        let ticket = self.next.load(SeqCst);
        self.next.store(ticket + 1, SeqCst);
        while self.serving.load(SeqCst) < ticket {
            thread::yield_now();
        }
    }

    fn unlock(&self) {
        self.serving.fetch_add(1, SeqCst);
    }
}

#[test]
fn the_same_number() {
    let (lock, inside, most) = (TicketLock::default(), AtomicU32::new(0), AtomicU32::new(0));
    let visit = || {
        lock.lock();
        most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
        inside.fetch_sub(1, SeqCst);
        lock.unlock();
    };
    thread::scope(|scope| {
        scope.spawn(visit);
        visit();
    });
    assert_eq!(most.into_inner(), 1);
}
