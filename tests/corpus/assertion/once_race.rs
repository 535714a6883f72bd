//! Once by hand: two find that nobody has begun, and both begin.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static STATE: AtomicU32 = AtomicU32::new(0);
static INITIALISATIONS: AtomicU32 = AtomicU32::new(0);

fn call_once() {
    if STATE.load(SeqCst) == 0 {
        STATE.store(1, SeqCst);
        INITIALISATIONS.fetch_add(1, SeqCst);
    }
}

#[test]
fn initialised_twice() {
    let other = thread::spawn(call_once);
    call_once();
    other.join().unwrap();
    assert_eq!(INITIALISATIONS.load(SeqCst), 1);
}
