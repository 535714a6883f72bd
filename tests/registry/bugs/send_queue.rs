//! A counted pointer goes through a queue to another thread, and its copy stays here.
//!
//! The queue's ends may be sent whatever goes through it: both threads change the count, which is not atomic.

use std::rc::Rc;
use std::thread;

use conqueue::Queue;

#[test]
fn test() {
    let (sender, mut receiver) = Queue::unbounded();
    let stays = Rc::new(7);
    sender.push(stays.clone());
    let thread = thread::spawn(move || drop(receiver.pop()));
    drop(stays);
    thread.join().unwrap();
}
