//! A reference count whose decrement says who was last.

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::thread;

#[test]
fn freed_once() {
    let (owners, freed) = (AtomicU32::new(3), AtomicU32::new(0));
    let release = || {
        if owners.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            freed.fetch_add(1, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        scope.spawn(release);
        scope.spawn(release);
        release();
    });
    assert_eq!(freed.into_inner(), 1);
}
