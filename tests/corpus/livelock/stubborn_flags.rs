//! Dekker's flags without a turn: both raise theirs, and each waits for the other to give in.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

#[test]
fn neither_gives_in() {
    let flags = [AtomicBool::new(false), AtomicBool::new(false)];
    let visit = |me: usize| {
        flags[me].store(true, SeqCst);
        while flags[1 - me].load(SeqCst) {
            std::hint::spin_loop();
        }
        flags[me].store(false, SeqCst);
    };
    thread::scope(|scope| {
        scope.spawn(|| visit(0));
        visit(1);
    });
}
