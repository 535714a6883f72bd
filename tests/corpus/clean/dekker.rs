//! Dekker's lock with a turn.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::thread;

#[test]
fn one_at_a_time() {
    let flags = [AtomicBool::new(false), AtomicBool::new(false)];
    let (turn, inside) = (AtomicUsize::new(0), AtomicU32::new(0));
    let visit = |me: usize| {
        flags[me].store(true, SeqCst);
        while flags[1 - me].load(SeqCst) {
            if turn.load(SeqCst) != me {
                flags[me].store(false, SeqCst);
                while turn.load(SeqCst) != me {
                    thread::yield_now();
                }
                flags[me].store(true, SeqCst);
            }
            thread::yield_now();
        }
        assert_eq!(inside.fetch_add(1, SeqCst), 0);
        inside.fetch_sub(1, SeqCst);
        turn.store(1 - me, SeqCst);
        flags[me].store(false, SeqCst);
    };
    thread::scope(|scope| {
        scope.spawn(|| visit(0));
        visit(1);
    });
}
