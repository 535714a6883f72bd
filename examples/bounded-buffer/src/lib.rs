//! A queue of limited length: **one condition variable for two conditions**.
//!
//! Those who put wait until the buffer is not full, those who take until it is not empty, and both
//! wait on the same [`Condvar`]. Whoever changed something wakes *one* waiter, which may be one of
//! the wrong kind: it sees that its own condition does not hold, goes back to sleep, and the
//! notification is gone. In the end there is room in the buffer, a producer that waits for room, and
//! nobody who will ever tell it.
//!
//! With [`Wakes::All`] nobody is passed over, and the buffer is right. (A condition variable for each
//! of the two conditions, with one waiter woken at a time, is right too and cheaper.)
//!
//! It takes waiters of both kinds at the same moment, which `cargo test` does not meet and which
//! `cargo cct test` finds within some hundred schedules:
//!
//! ```text
//! cargo cct test -p bounded-buffer
//! ```

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

/// How many waiters a change wakes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wakes {
    /// One of them. The bug: it need not be one that can go on.
    One,
    /// All of them.
    All,
}

/// A first-in-first-out queue that holds `capacity` items at most.
#[derive(Debug)]
pub struct BoundedBuffer<T> {
    capacity: usize,
    wakes: Wakes,
    items: Mutex<VecDeque<T>>,
    changed: Condvar,
}

impl<T> BoundedBuffer<T> {
    /// Makes an empty buffer.
    pub fn new(capacity: usize, wakes: Wakes) -> Self {
        BoundedBuffer {
            capacity,
            wakes,
            items: Mutex::new(VecDeque::with_capacity(capacity)),
            changed: Condvar::new(),
        }
    }

    /// Appends `item`, when there is room.
    pub fn put(&self, item: T) {
        let items = self.items.lock().unwrap();
        let mut items = self
            .changed
            .wait_while(items, |items| items.len() == self.capacity)
            .unwrap();
        items.push_back(item);
        self.wake();
    }

    /// Removes the oldest item, when there is one.
    pub fn take(&self) -> T {
        let mut items = self.items.lock().unwrap();
        loop {
            if let Some(item) = items.pop_front() {
                self.wake();
                return item;
            }
            items = self.changed.wait(items).unwrap();
        }
    }

    fn wake(&self) {
        match self.wakes {
            Wakes::One => self.changed.notify_one(),
            Wakes::All => self.changed.notify_all(),
        }
    }
}
