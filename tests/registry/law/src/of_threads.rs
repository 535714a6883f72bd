//! Executors by hand, under the parts of crates.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures::channel::oneshot;
use futures::stream::{FuturesUnordered, StreamExt};
use futures::task::AtomicWaker;

use crate::{Log, tell};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Polls a future until it is ready.
fn drive<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// The same, with another waker for each poll.
fn drive_with_fresh<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

async fn in_their_order() {
    let log = Log::default();
    let parts = ['a', 'b'].map(|name| {
        let (sender, receiver) = oneshot::channel();
        thread::spawn(move || sender.send(name));
        receiver
    });
    let mut parts: FuturesUnordered<_> = parts.into_iter().collect();
    while let Some(name) = parts.next().await {
        log.add(name.unwrap());
    }
    log.tell();
}

#[test]
fn unordered_futures() {
    drive(in_their_order());
}

#[test]
fn unordered_futures_with_wakers_that_change() {
    drive_with_fresh(in_their_order());
}

/// A slot that keeps its waker as long as it is equal; how often it is another one.
#[test]
fn a_waker_that_is_kept() {
    let state = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
    let of_thread = state.clone();
    let setter = thread::spawn(move || {
        of_thread.0.wake();
        of_thread.1.store(true, SeqCst);
        of_thread.0.wake();
    });
    let mut kept: Option<Waker> = None;
    let mut replaced = 0;
    drive(poll_fn(|context| {
        if !kept
            .as_ref()
            .is_some_and(|kept| kept.will_wake(context.waker()))
        {
            kept = Some(context.waker().clone());
            replaced += 1;
        }
        state.0.register(context.waker());
        if state.1.load(SeqCst) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }));
    setter.join().unwrap();
    tell(replaced);
}
