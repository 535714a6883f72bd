//! Peterson's lock with its two stores exchanged: the turn is given before interest is shown.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::thread;

#[test]
fn turn_before_interest() {
    let interested = [AtomicBool::new(false), AtomicBool::new(false)];
    let turn = AtomicUsize::new(0);
    let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
    let visit = |me: usize| {
        let other = 1 - me;
        turn.store(other, SeqCst);
        interested[me].store(true, SeqCst);
        while interested[other].load(SeqCst) && turn.load(SeqCst) == other {
            thread::yield_now();
        }
        most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
        inside.fetch_sub(1, SeqCst);
        interested[me].store(false, SeqCst);
    };
    thread::scope(|scope| {
        scope.spawn(|| visit(0));
        visit(1);
    });
    assert_eq!(most.into_inner(), 1);
}
