//! A tiny executor: a thread for each future.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs the future on a thread of its own.
pub fn on_threads(mut future: Pin<Box<dyn Future<Output = ()> + Send>>) {
    thread::spawn(move || {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        while let Poll::Pending = future.as_mut().poll(&mut context) {
            thread::park();
        }
    });
}
