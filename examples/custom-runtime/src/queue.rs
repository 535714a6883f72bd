//! A queue that blocks those who take from it while it is empty.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;

use crate::semaphore::Semaphore;

#[derive(Debug)]
pub(crate) struct Queue<T> {
    items: Mutex<VecDeque<T>>,
    /// A permit for each item.
    filled: Semaphore,
}

impl<T> Queue<T> {
    pub(crate) fn new() -> io::Result<Queue<T>> {
        Ok(Queue {
            items: Mutex::default(),
            filled: Semaphore::new()?,
        })
    }

    pub(crate) fn push(&self, item: T) {
        self.items.lock().unwrap().push_back(item);
        self.filled.post();
    }

    pub(crate) fn pop(&self) -> T {
        self.filled.wait();
        let item = self.items.lock().unwrap().pop_front();
        item.expect("an item for each permit")
    }
}
