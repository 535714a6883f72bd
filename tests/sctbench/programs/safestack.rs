//! `SafeStack`: Vyukov's lock-free stack of indices into an array, and its ABA.
//!
//! A pop takes the top's link away first, by an exchange with −1, so that nobody else can pop this
//! cell meanwhile. That a cell may be popped, pushed again elsewhere and come back to the top between two
//! of a thread's steps is what was overlooked. Three threads pop and push twice each; at the end of a
//! chain of about five preemptions two threads own the same cell.

use std::sync::Arc;

use cct_shims::std::sync::Mutex;
use cct_shims::std::sync::atomic::{AtomicI32, Ordering};
use cct_shims::std::thread;

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, start};
use crate::program::{Program, require};
use crate::racy::RacyCell;

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy("SafeStack", "safestack", || pop_and_push(Buggy))
        .published_as("SafeStack")
        .schedules(1_000_000),
    Program::clean("SafeStack", "safestack_ok", || pop_and_push(Fixed)),
];

const THREADS: i32 = 3;
const ROUNDS: usize = 2;
/// No cell.
const NONE: i32 = -1;

/// The stack; racy are only the values, which nobody should share.
struct Stack {
    flavour: Flavour,
    /// Taken around each operation in the mended program.
    lock: Mutex<()>,
    head: AtomicI32,
    count: AtomicI32,
    cells: Vec<Cell>,
}

struct Cell {
    value: RacyCell<i32>,
    next: AtomicI32,
}

/// Each thread writes its number into the cell that it popped, and must find it there.
fn pop_and_push(flavour: Flavour) {
    let stack = Arc::new(Stack::full(flavour, THREADS));
    let work = |number| {
        move |stack: &Stack| {
            for _ in 0..ROUNDS {
                let mine = loop {
                    match stack.pop() {
                        NONE => thread::yield_now(),
                        index => break index,
                    }
                };
                let value = &stack.cell(mine).value;
                value.set(number);
                require(value.get() == number);
                stack.push(mine);
            }
        }
    };
    let threads: Vec<_> = (0..THREADS)
        .map(|number| start(&stack, work(number)))
        .collect();
    join(threads);
}

impl Stack {
    /// A stack of this many cells, the first on top.
    fn full(flavour: Flavour, cells: i32) -> Stack {
        let link = |index| if index + 1 < cells { index + 1 } else { NONE };
        Stack {
            flavour,
            lock: Mutex::new(()),
            head: AtomicI32::new(0),
            count: AtomicI32::new(cells),
            cells: (0..cells)
                .map(|index| Cell {
                    value: RacyCell::new(0),
                    next: AtomicI32::new(link(index)),
                })
                .collect(),
        }
    }

    /// Takes the top off; never the last cell.
    fn pop(&self) -> i32 {
        let _guard = self.flavour.lock_if_fixed(&self.lock);
        while self.count.load(Ordering::Acquire) > 1 {
            let top = self.head.load(Ordering::Acquire);
            let next = &self.cell(top).next;
            let below = next.swap(NONE, Ordering::SeqCst);
            if below == NONE {
                thread::yield_now();
            } else if self.replace_head(top, below).is_ok() {
                self.count.fetch_sub(1, Ordering::SeqCst);
                return top;
            } else {
                next.swap(below, Ordering::SeqCst);
            }
        }
        NONE
    }

    fn push(&self, index: i32) {
        let _guard = self.flavour.lock_if_fixed(&self.lock);
        let mut top = self.head.load(Ordering::Acquire);
        loop {
            self.cell(index).next.store(top, Ordering::Release);
            match self.replace_head(top, index) {
                Ok(_) => break,
                Err(found) => top = found,
            }
        }
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    #[track_caller]
    fn replace_head(&self, expected: i32, new: i32) -> Result<i32, i32> {
        let order = Ordering::SeqCst;
        self.head.compare_exchange(expected, new, order, order)
    }

    fn cell(&self, index: i32) -> &Cell {
        &self.cells[usize::try_from(index).expect("a cell")]
    }
}
