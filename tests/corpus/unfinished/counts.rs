//! Polls that count their rounds, wherever they keep the count, come to an end: only not soon.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const ROUNDS: u32 = 3_000;
const MILLI: Duration = Duration::from_millis(1);

/// Another worker works for long, with a sleep in each round; the body polls for its end.
fn poll_for(work: impl FnOnce() + Send + 'static) {
    let done = Arc::new(AtomicBool::new(false));
    let worker = thread::spawn({
        let done = Arc::clone(&done);
        move || {
            work();
            done.store(true, SeqCst);
        }
    });
    while !done.load(SeqCst) {
        thread::sleep(MILLI);
    }
    worker.join().unwrap();
}

#[cct::test(max_steps = 2_000)]
fn on_the_stack() {
    poll_for(|| (0..ROUNDS).for_each(|_| thread::sleep(MILLI)));
}

#[cct::test(max_steps = 2_000)]
fn in_the_heap() {
    let mut left = Box::new(ROUNDS);
    poll_for(move || {
        while *left > 0 {
            *left -= 1;
            thread::sleep(MILLI);
        }
    });
}

#[cct::test(max_steps = 2_000)]
fn in_a_lock() {
    let left = Mutex::new(ROUNDS);
    let goes_on = move || {
        let mut left = left.lock().unwrap();
        *left -= 1;
        *left > 0
    };
    poll_for(move || {
        while goes_on() {
            thread::sleep(MILLI);
        }
    });
}

#[cct::test(max_steps = 2_000)]
fn as_time_that_should_have_passed() {
    poll_for(|| {
        let mut waited = Duration::ZERO;
        while waited < ROUNDS * MILLI {
            thread::sleep(MILLI);
            waited += MILLI;
        }
    });
}
