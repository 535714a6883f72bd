//! The receiver goes while the senders make the channel's first block.
//!
//! 0.5.14 frees the block twice; 0.5.7 follows a null pointer.

use std::thread;

use crossbeam_channel::unbounded;

#[test]
fn test() {
    let (first, receiver) = unbounded::<Box<u32>>();
    let second = first.clone();
    let first = thread::spawn(move || drop(first.send(Box::new(1))));
    let second = thread::spawn(move || drop(second.send(Box::new(2))));
    drop(receiver);
    first.join().unwrap();
    second.join().unwrap();
}
