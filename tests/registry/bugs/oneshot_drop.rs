//! A receiver that was polled is dropped while the sender sends.
//!
//! 0.1.10 panics in a state that it thought unreachable; 0.1.11 wakes a waker that is gone. From 0.1.12 on
//! the receiver waits until the sender is done, but sees its own mark, and frees what the sender still uses.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread;

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn test() {
    let (sender, mut receiver) = oneshot::channel::<Box<u32>>();
    let waker = Waker::from(Arc::new(Nobody));
    let polled = Pin::new(&mut receiver).poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    let sends = thread::spawn(move || drop(sender.send(Box::new(1))));
    drop(receiver);
    sends.join().unwrap();
}
