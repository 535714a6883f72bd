//! A reference count by hand: the decrement and the look at the result are two steps.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

#[test]
fn freed_twice() {
    let (owners, freed) = (AtomicU32::new(2), AtomicU32::new(0));
    let release = || {
        owners.fetch_sub(1, SeqCst);
        if owners.load(SeqCst) == 0 {
            freed.fetch_add(1, SeqCst);
        }
    };
    thread::scope(|scope| {
        scope.spawn(release);
        release();
    });
    assert_eq!(freed.into_inner(), 1);
}
