//! One thread pushes to a queue while another waits for an element.
//!
//! The waiting one reads the queue's tail by a relaxed load, and then the node that it is: nothing orders the
//! node's initialisation before.

use std::sync::Arc;
use std::thread;

use crossbeam::sync::MsQueue;

#[test]
fn test() {
    let queue = Arc::new(MsQueue::new());
    let pushes = thread::spawn({
        let queue = queue.clone();
        move || queue.push(7)
    });
    assert_eq!(queue.pop(), 7);
    pushes.join().unwrap();
}
