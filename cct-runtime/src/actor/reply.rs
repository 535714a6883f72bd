//! The answer to a request, which is sent once.

use std::cell::UnsafeCell;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::crashed::end_if_severed;
use crate::primitive::LatchMachine;

/// A place for an answer, and the answer to come.
///
/// The [`Reply`] goes into the event of a request. The [`Answer`] is awaited, or waited for as a thread.
#[track_caller]
pub fn reply<T: Send + 'static>() -> (Reply<T>, Answer<T>) {
    let slot = Arc::new(Slot {
        latch: LatchMachine::new(),
        value: UnsafeCell::new(None),
    });
    let created = Location::caller();
    let reply = Reply {
        slot: Arc::clone(&slot),
        created,
    };
    (reply, Answer { slot, created })
}

struct Slot<T> {
    latch: LatchMachine,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is reached only in closures that the latch calls, one at a time.
unsafe impl<T: Send> Sync for Slot<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Slot<T> {}

/// Where an answer is given, once. Dropped without, it ends the wait for the answer.
pub struct Reply<T> {
    slot: Arc<Slot<T>>,
    created: &'static Location<'static>,
}

impl<T> Reply<T> {
    /// Answers. Gives the value back if somebody has answered before, by [`set`](Reply::set).
    #[track_caller]
    pub fn send(self, value: T) -> Result<(), T> {
        self.set(value)
    }

    /// The same, for a place that is kept.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        let mut store = || {
            // SAFETY: the latch calls this while nobody else reaches the value.
            unsafe { *self.slot.value.get() = value.take() };
        };
        if !self.slot.latch.set(Location::caller(), &mut store) {
            end_if_severed();
        }
        value.map_or(Ok(()), Err)
    }
}

impl<T> Drop for Reply<T> {
    fn drop(&mut self) {
        self.slot.latch.give_up(self.created);
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reply")
    }
}

/// An answer to come: none if it cannot come any more.
pub struct Answer<T> {
    slot: Arc<Slot<T>>,
    created: &'static Location<'static>,
}

impl<T> Answer<T> {
    /// Waits for it, as a thread.
    #[track_caller]
    pub fn wait(self) -> Option<T> {
        let mut value = None;
        let mut take = || {
            // SAFETY: the latch calls this while nobody else reaches the value.
            value = unsafe { (*self.slot.value.get()).take() };
        };
        self.slot.latch.wait(Location::caller(), &mut take);
        value
    }
}

impl<T> Future for Answer<T> {
    type Output = Option<T>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        let mut value = None;
        let mut take = || {
            // SAFETY: the latch calls this while nobody else reaches the value.
            value = unsafe { (*self.slot.value.get()).take() };
        };
        match self.slot.latch.poll(self.created, cx.waker(), &mut take) {
            Some(_) => Poll::Ready(value),
            None => Poll::Pending,
        }
    }
}

impl<T> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer")
    }
}
