//! Park: a nested wait takes the token that was meant for the outer one.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

#[test]
fn by_an_inner_wait() {
    static LOGGED: AtomicBool = AtomicBool::new(false);
    let sleeper = thread::spawn(|| {
        // "Logging" waits by parking as well, and does not put the token back.
        while !LOGGED.load(SeqCst) {
            thread::park();
        }
        thread::park();
    });
    let waker = sleeper.thread().clone();
    let logger = thread::spawn(move || {
        LOGGED.store(true, SeqCst);
        waker.unpark();
    });
    sleeper.thread().unpark();
    logger.join().unwrap();
    sleeper.join().unwrap();
}
