//! Dekker's flags the wrong way round: each looks first and raises its own flag afterwards.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn look_then_raise() {
    let flags = [AtomicBool::new(false), AtomicBool::new(false)];
    let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
    let visit = |me: usize| {
        while flags[1 - me].load(SeqCst) {
            thread::yield_now();
        }
        flags[me].store(true, SeqCst);
        most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
        inside.fetch_sub(1, SeqCst);
        flags[me].store(false, SeqCst);
    };
    thread::scope(|scope| {
        scope.spawn(|| visit(0));
        visit(1);
    });
    assert_eq!(most.into_inner(), 1);
}
