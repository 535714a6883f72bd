//! Others wait for an initialiser that fails.
//!
//! They take it to have been done, and panic or see what is not there.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use spin::Once;

#[test]
fn test() {
    let once = Once::<u32>::new();
    let calls = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let first = || calls.fetch_add(1, SeqCst) == 0;
                let value = once.try_call_once(|| if first() { Err(()) } else { Ok(7) });
                assert!(value.is_err() || value == Ok(&7));
            });
        }
    });
}
