//! A message is sent while the receiver is dropped.
//!
//! The sender frees the channel if the receiver is gone; it sees that by an operation that is no acquire, and
//! nothing orders the receiver's accesses before the free.

use std::thread;

#[test]
fn test() {
    let (sender, receiver) = oneshot::channel::<Box<u32>>();
    let thread = thread::spawn(move || drop(sender.send(Box::new(7))));
    drop(receiver);
    thread.join().unwrap();
}
