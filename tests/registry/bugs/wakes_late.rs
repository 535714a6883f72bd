//! Two threads each set a flag and wake a task that waits for both flags.
//!
//! The second finds the task woken already and publishes nothing: the task may run without seeing its flag,
//! and is not woken again.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Poll;
use std::thread;

use tokio::runtime::Builder;

#[test]
fn test() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let flags = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
    let mut started = false;
    let waits = runtime.spawn(poll_fn(move |context| {
        if !started {
            started = true;
            for flag in flags.clone() {
                let waker = context.waker().clone();
                thread::spawn(move || {
                    flag.store(true, Relaxed);
                    waker.wake_by_ref();
                });
            }
        }
        if flags.iter().all(|flag| flag.load(Relaxed)) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }));
    runtime.block_on(waits).unwrap();
}
