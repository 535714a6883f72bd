//! A receiver is polled more often than it is woken, as in a `select`, and the sender sends and goes.
//!
//! The message is there, but the receiver says that the channel is closed.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

#[test]
fn test() {
    let (sender, receiver) = flume::bounded(1);
    let sends = thread::spawn(move || sender.send(7).unwrap());
    let waker = Waker::from(Arc::new(Nobody));
    let mut received = pin!(receiver.recv_async());
    let message = loop {
        match received.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(message) => break message,
            Poll::Pending => thread::yield_now(),
        }
    };
    assert_eq!(message, Ok(7));
    sends.join().unwrap();
}
