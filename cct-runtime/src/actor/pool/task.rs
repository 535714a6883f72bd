//! A future, and whether it is to be polled.

use std::cell::UnsafeCell;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use super::Pool;
use crate::actor::task::Guarded;
use crate::primitive::Update as _;

/// The future of an actor. It is in one queue at most, and polled by one thread at a time.
pub(super) struct Task {
    state: AtomicU8,
    future: UnsafeCell<Option<Guarded>>,
    pool: Arc<Pool>,
}

/// It waits to be woken.
const IDLE: u8 = 0;
/// It is in the queue.
const QUEUED: u8 = 1;
/// It is polled.
const POLLED: u8 = 2;
/// It is polled, and is to be polled again.
const WOKEN: u8 = 3;
/// It is ready.
const OVER: u8 = 4;

// SAFETY: the future is reached only by who has brought the state from `QUEUED` to `POLLED`.
unsafe impl Sync for Task {}
// SAFETY: the future is `Send`.
unsafe impl Send for Task {}

impl Task {
    /// A task that is to be queued.
    pub(super) fn new(future: Guarded, pool: Arc<Pool>) -> Arc<Task> {
        Arc::new(Task {
            state: AtomicU8::new(QUEUED),
            future: UnsafeCell::new(Some(future)),
            pool,
        })
    }

    /// Polls the future, for who has taken the task out of its queue.
    pub(super) fn run(self: Arc<Self>) {
        self.state.store(POLLED, Ordering::SeqCst);
        // SAFETY: the count that the waker stands for is `self`'s, which outlives it and is the one given up.
        let waker = ManuallyDrop::new(Waker::from(unsafe { Arc::from_raw(Arc::as_ptr(&self)) }));
        // SAFETY: the task was in the queue once, and this is who took it out.
        let future = unsafe { &mut *self.future.get() };
        let polled = future.as_mut().map_or(Poll::Ready(()), |future| {
            Pin::new(future).poll(&mut Context::from_waker(&waker))
        });
        if polled.is_ready() {
            *future = None;
            self.state.store(OVER, Ordering::SeqCst);
            return;
        }
        let set = (self.state).compare_exchange(POLLED, IDLE, Ordering::SeqCst, Ordering::SeqCst);
        if set.is_err() {
            self.state.store(QUEUED, Ordering::SeqCst);
            Pool::push(self);
        }
    }

    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        let next = |state| match state {
            IDLE => Some(QUEUED),
            POLLED => Some(WOKEN),
            _ => None,
        };
        let woken = (self.state).replace_if(Ordering::SeqCst, Ordering::SeqCst, next);
        if woken == Ok(IDLE) {
            Pool::push(self);
        }
    }
}
