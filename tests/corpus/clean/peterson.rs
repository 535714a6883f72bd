//! Peterson's lock, which spins without telling anybody that it does.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::thread;

#[test]
fn one_at_a_time() {
    let interested = [AtomicBool::new(false), AtomicBool::new(false)];
    let (turn, inside) = (AtomicUsize::new(0), AtomicU32::new(0));
    let visit = |me: usize| {
        let other = 1 - me;
        interested[me].store(true, SeqCst);
        turn.store(other, SeqCst);
        while interested[other].load(SeqCst) && turn.load(SeqCst) == other {}
        assert_eq!(inside.fetch_add(1, SeqCst), 0);
        inside.fetch_sub(1, SeqCst);
        interested[me].store(false, SeqCst);
    };
    thread::scope(|scope| {
        scope.spawn(|| (0..2).for_each(|_| visit(0)));
        (0..2).for_each(|_| visit(1));
    });
}
