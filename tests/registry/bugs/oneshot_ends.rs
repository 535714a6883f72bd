//! A channel's sender and its receiver are dropped by two threads.
//!
//! The last one frees the channel; it sees by a relaxed operation that the other is gone, and nothing orders
//! the other's accesses before the free.

use std::thread;

#[test]
fn test() {
    let (sender, receiver) = oneshot::channel::<u32>();
    let thread = thread::spawn(move || drop(sender));
    drop(receiver);
    thread.join().unwrap();
}
