//! CHESS's work-stealing queues, after the published protocol of Cilk: "THE".
//!
//! The owner pushes and pops at the tail, thieves steal at the head. Each announces what it takes by moving
//! its end first and looks at the other's end afterwards, so that of two who want the last item one sees
//! the other; only then does the owner need the lock, which thieves always take. (Frigo, Leiserson and
//! Randall: The implementation of the Cilk-5 multithreaded language, PLDI 1998, section 5.)
//!
//! The bug of the volatile queues: a thief looks before it announces, so that it and the owner both take
//! the last item. That of the interlocked ones: thieves count up the head without the lock; one that
//! fails counts it down again under another that succeeded in between, whose item is then taken twice.
//!
//! An owner, the main thread, and two thieves. The ends are volatile in the original, `SeqCst` atomics here;
//! racy are the items and how often each was taken.

use std::array;
use std::sync::Arc;

use cct_shims::std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use cct_shims::std::sync::{Mutex, MutexGuard};

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, start};
use crate::program::{Program, require};
use crate::racy::RacyCell;

pub(crate) const PROGRAMS: &[Program] = &[
    buggy("WorkStealQueue", || steal(PLAIN, Buggy)),
    buggy("InterlockedWorkStealQueue", || steal(INTERLOCKED, Buggy)),
    buggy("InterlockedWorkStealQueueWithState", || {
        steal(INTERLOCKED_STATE, Buggy);
    }),
    buggy("StateWorkStealQueue", || steal(STATE, Buggy)),
    clean("WorkStealQueue_ok", || steal(PLAIN, Fixed)),
    clean("InterlockedWorkStealQueue_ok", || steal(INTERLOCKED, Fixed)),
    clean("InterlockedWorkStealQueueWithState_ok", || {
        steal(INTERLOCKED_STATE, Fixed);
    }),
    clean("StateWorkStealQueue_ok", || steal(STATE, Fixed)),
];

const fn buggy(name: &'static str, body: fn()) -> Program {
    Program::buggy("Chess", name, body)
}

const fn clean(name: &'static str, body: fn()) -> Program {
    Program::clean("Chess", name, body)
}

/// How a queue keeps its ends, and how much is done with it.
#[derive(Clone, Copy)]
struct Shape {
    /// True if an end is moved by an exchange, not by a store.
    interlocked: bool,
    /// True if each item has a word that tells its state, looked at and set by who takes it.
    with_state: bool,
    items: usize,
    /// How often each thief tries.
    attempts: usize,
}

const PLAIN: Shape = Shape {
    interlocked: false,
    with_state: false,
    items: 10,
    attempts: 4,
};
const INTERLOCKED: Shape = Shape {
    interlocked: true,
    ..PLAIN
};
const INTERLOCKED_STATE: Shape = Shape {
    interlocked: true,
    with_state: true,
    items: 40,
    attempts: 16,
};
const STATE: Shape = Shape {
    interlocked: false,
    with_state: true,
    items: 150,
    attempts: 60,
};

/// The owner pushes two items and pops one, again and again, and then pops the rest; each item must have
/// been taken once.
fn steal(shape: Shape, flavour: Flavour) {
    let queue = Arc::new(Queue::new(shape, flavour));
    let rob = move |queue: &Queue| {
        for _ in 0..shape.attempts {
            if let Some(item) = queue.steal() {
                queue.account_for(item);
            }
        }
    };
    let thieves: [_; 2] = array::from_fn(|_| start(&queue, rob));
    for item in 0..shape.items {
        queue.push(item);
        if item % 2 == 1
            && let Some(item) = queue.pop()
        {
            queue.account_for(item);
        }
    }
    while let Some(item) = queue.pop() {
        queue.account_for(item);
    }
    join(thieves);
    require(queue.taken.iter().all(|taken| taken.get() == 1));
}

/// A bounded queue whose items are numbers.
struct Queue {
    shape: Shape,
    flavour: Flavour,
    /// Taken by thieves, and by the owner when it may want the same item as they.
    lock: Mutex<()>,
    head: AtomicI64,
    tail: AtomicI64,
    slots: Vec<RacyCell<usize>>,
    states: Vec<AtomicU32>,
    taken: Vec<RacyCell<u32>>,
}

/// States of an item.
const QUEUED: u32 = 1;
const TAKEN: u32 = 2;

impl Queue {
    fn new(shape: Shape, flavour: Flavour) -> Queue {
        let each = 0..shape.items;
        Queue {
            shape,
            flavour,
            lock: Mutex::new(()),
            head: AtomicI64::new(0),
            tail: AtomicI64::new(0),
            slots: each.clone().map(|_| RacyCell::new(0)).collect(),
            states: each.clone().map(|_| AtomicU32::new(0)).collect(),
            taken: each.map(|_| RacyCell::new(0)).collect(),
        }
    }

    /// For the owner.
    fn push(&self, item: usize) {
        let tail = load(&self.tail);
        self.slot(tail).set(item);
        if self.shape.with_state {
            self.states[item].store(QUEUED, Ordering::SeqCst);
        }
        self.move_to(&self.tail, tail + 1);
    }

    /// For the owner.
    fn pop(&self) -> Option<usize> {
        let tail = load(&self.tail) - 1;
        self.move_to(&self.tail, tail);
        if load(&self.head) <= tail {
            return Some(self.slot(tail).get());
        }
        self.move_to(&self.tail, tail + 1);
        let _guard = self.lock();
        self.move_to(&self.tail, tail);
        if load(&self.head) <= tail {
            return Some(self.slot(tail).get());
        }
        self.move_to(&self.tail, tail + 1);
        None
    }

    /// For thieves.
    fn steal(&self) -> Option<usize> {
        if self.flavour.is_fixed() {
            self.announce_and_look()
        } else if self.shape.interlocked {
            self.count_and_look()
        } else {
            self.look_and_announce()
        }
    }

    /// A theft as it should be.
    fn announce_and_look(&self) -> Option<usize> {
        let _guard = self.lock();
        let head = load(&self.head);
        self.move_to(&self.head, head + 1);
        if head < load(&self.tail) {
            return Some(self.slot(head).get());
        }
        self.move_to(&self.head, head);
        None
    }

    /// A theft that the owner does not see in time.
    fn look_and_announce(&self) -> Option<usize> {
        let _guard = self.lock();
        let head = load(&self.head);
        if head < load(&self.tail) {
            let item = self.slot(head).get();
            self.move_to(&self.head, head + 1);
            return Some(item);
        }
        None
    }

    /// A theft that another thief may undo.
    fn count_and_look(&self) -> Option<usize> {
        let head = self.head.fetch_add(1, Ordering::SeqCst);
        if head < load(&self.tail) {
            return Some(self.slot(head).get());
        }
        self.head.fetch_sub(1, Ordering::SeqCst);
        None
    }

    /// Notes that an item was taken.
    fn account_for(&self, item: usize) {
        if self.shape.with_state {
            require(self.states[item].load(Ordering::SeqCst) == QUEUED);
            self.states[item].store(TAKEN, Ordering::SeqCst);
        }
        self.taken[item].update(|taken| taken + 1);
    }

    #[track_caller]
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap()
    }

    fn slot(&self, index: i64) -> &RacyCell<usize> {
        let index = usize::try_from(index).expect("at or behind the first item");
        &self.slots[index % self.slots.len()]
    }

    /// Moves an end.
    #[track_caller]
    fn move_to(&self, end: &AtomicI64, index: i64) {
        if self.shape.interlocked {
            end.swap(index, Ordering::SeqCst);
        } else {
            end.store(index, Ordering::SeqCst);
        }
    }
}

#[track_caller]
fn load(end: &AtomicI64) -> i64 {
    end.load(Ordering::SeqCst)
}
