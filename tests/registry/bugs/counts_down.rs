//! Two threads drop their handles of one value.
//!
//! The count goes down by relaxed operations: nothing orders the use of the value by one before it is freed
//! by the other.

use std::thread;

use stabby::sync::Arc;

#[test]
fn test() {
    let first = Arc::new(7_u32);
    let second = first.clone();
    let thread = thread::spawn(move || assert_eq!(*second, 7));
    assert_eq!(*first, 7);
    drop(first);
    thread.join().unwrap();
}
