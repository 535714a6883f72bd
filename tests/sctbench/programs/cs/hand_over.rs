//! Two threads hand things to each other in turns, and count their own turns, taken or missed.

use crate::program::require;
use crate::pthread::{Condition, Lock, join, start};
use crate::racy::RacyCell;

static LOCK: Lock = Lock::new();

/// One variable for each element.
type Elements<const N: usize> = [RacyCell<i32>; N];

/// Numbers are handed over one by one and added up. The check takes the right sum for a wrong one, in
/// every schedule.
pub(super) fn arithmetic_prog(count: i32) {
    require(sum_up(count) != Some(count * (count + 1) / 2));
}

pub(super) fn arithmetic_prog_ok(count: i32) {
    require(sum_up(count) == Some(count * (count + 1) / 2));
}

/// The sum that the consumer came to, if it finished.
fn sum_up(count: i32) -> Option<i32> {
    static EMPTY: Condition = Condition::new();
    static FULL: Condition = Condition::new();
    static STOCK: RacyCell<i32> = RacyCell::ordered(0);
    static TOTAL: RacyCell<i32> = RacyCell::ordered(0);
    static FINISHED: RacyCell<bool> = RacyCell::ordered(false);
    static COUNT: RacyCell<i32> = RacyCell::ordered(0);
    fn produce() {
        for _ in 0..COUNT.get() {
            let mut guard = LOCK.lock();
            while STOCK.get() > 0 {
                guard = EMPTY.wait(guard);
            }
            STOCK.update(|stock| stock + 1);
            drop(guard);
            FULL.signal();
        }
    }
    fn consume() {
        let count = COUNT.get();
        for number in 0..count {
            let mut guard = LOCK.lock();
            while STOCK.get() == 0 {
                guard = FULL.wait(guard);
            }
            TOTAL.update(|total| total + number);
            STOCK.update(|stock| stock - 1);
            drop(guard);
            EMPTY.signal();
        }
        TOTAL.update(|total| total + count);
        FINISHED.set(true);
    }
    COUNT.set(count);
    join(start(&[produce, consume]));
    FINISHED.get().then(|| TOTAL.get())
}

/// A log that is written and read in turns. The reader compares with the number of its own attempt,
/// which runs ahead when it missed a turn.
pub(in crate::programs) fn circular_buffer() {
    join(start(&[
        || send(|_, _| {}),
        || receive(|attempt, element| require(element == attempt)),
    ]));
}

pub(super) fn circular_buffer_ok() {
    static LAST: RacyCell<i32> = RacyCell::ordered(0);
    join(start(&[
        || {
            send(|attempt, element| {
                require(element == attempt);
                LAST.set(attempt);
            });
        },
        || receive(|_, element| require(element == LAST.get())),
    ]));
}

const LOG_SIZE: usize = 10;
const ATTEMPTS: i32 = 7;
/// The value that stands for an element where there is none.
const NONE: i32 = -1;
static LOG: Elements<LOG_SIZE> = [const { RacyCell::ordered(0) }; LOG_SIZE];
static FIRST: RacyCell<usize> = RacyCell::ordered(0);
static NEXT: RacyCell<usize> = RacyCell::ordered(0);
static MAY_SEND: RacyCell<bool> = RacyCell::ordered(true);
static MAY_RECEIVE: RacyCell<bool> = RacyCell::ordered(false);

/// Tells with each attempt that was a turn what was inserted.
fn send(sent: fn(i32, i32)) {
    for attempt in 0..ATTEMPTS {
        let _guard = LOCK.lock();
        if MAY_SEND.get() {
            sent(attempt, insert(attempt));
            MAY_SEND.set(false);
            MAY_RECEIVE.set(true);
        }
    }
}

fn insert(element: i32) -> i32 {
    let next = NEXT.get();
    if next >= LOG_SIZE {
        return NONE;
    }
    LOG[next].set(element);
    NEXT.set((next + 1) % LOG_SIZE);
    element
}

/// Tells with each attempt that was a turn what was removed.
fn receive(received: fn(i32, i32)) {
    for attempt in 0..ATTEMPTS {
        let _guard = LOCK.lock();
        if MAY_RECEIVE.get() {
            received(attempt, remove());
            MAY_RECEIVE.set(false);
            MAY_SEND.set(true);
        }
    }
}

fn remove() -> i32 {
    let first = FIRST.get();
    if NEXT.get() == 0 || first >= LOG_SIZE {
        return NONE;
    }
    FIRST.set(first + 1);
    LOG[first].get()
}

/// A queue as long as all that is ever put into it.
struct Queue<const N: usize> {
    elements: Elements<N>,
    head: RacyCell<usize>,
    tail: RacyCell<usize>,
    amount: RacyCell<i32>,
    /// The elements that were put in, in order.
    stored: Elements<N>,
    may_enqueue: RacyCell<bool>,
    may_dequeue: RacyCell<bool>,
}

impl<const N: usize> Queue<N> {
    const fn new() -> Self {
        Queue {
            elements: [const { RacyCell::ordered(0) }; N],
            head: RacyCell::ordered(0),
            tail: RacyCell::ordered(0),
            amount: RacyCell::ordered(0),
            stored: [const { RacyCell::ordered(0) }; N],
            may_enqueue: RacyCell::ordered(true),
            may_dequeue: RacyCell::ordered(false),
        }
    }

    fn is_empty(&self) -> bool {
        self.head.get() == self.tail.get()
    }

    fn enqueue(&self, element: i32) {
        let tail = self.tail.get();
        self.elements[tail].set(element);
        self.amount.update(|amount| amount + 1);
        self.tail.set(tail + 1);
    }

    fn dequeue(&self) -> i32 {
        let head = self.head.get();
        let element = self.elements[head].get();
        self.amount.update(|amount| amount - 1);
        self.head.set(head + 1);
        element
    }

    /// The turn is the other thread's.
    fn pass(&self, to_enqueue: bool) {
        self.may_enqueue.set(to_enqueue);
        self.may_dequeue.set(!to_enqueue);
    }
}

static QUEUE: Queue<20> = Queue::new();

/// A queue that is written and read in turns, after a first element that is put in out of turn. As in
/// [`circular_buffer`], the reader's count of attempts runs ahead.
pub(super) fn queue() {
    fn write() {
        {
            let _guard = LOCK.lock();
            QUEUE.enqueue(0);
            QUEUE.stored[0].set(0);
            require(!QUEUE.is_empty());
        }
        enqueue_in_turns();
    }
    require(QUEUE.is_empty());
    join(start(&[write, dequeue_in_turns]));
}

/// ThreadFuzzer's port, which forgets to put in the first element.
pub(in crate::programs) fn queue_ports() {
    fn write() {
        {
            let _guard = LOCK.lock();
            QUEUE.stored[0].set(0);
        }
        enqueue_in_turns();
    }
    join(start(&[write, dequeue_in_turns]));
}

fn enqueue_in_turns() {
    let mut value = 0;
    for attempt in 1..QUEUE.stored.len() {
        let _guard = LOCK.lock();
        if QUEUE.may_enqueue.get() {
            value += 1;
            QUEUE.enqueue(value);
            QUEUE.stored[attempt].set(value);
            QUEUE.pass(false);
        }
    }
}

fn dequeue_in_turns() {
    for stored in &QUEUE.stored {
        let _guard = LOCK.lock();
        if QUEUE.may_dequeue.get() {
            require(QUEUE.dequeue() == stored.get());
            QUEUE.pass(true);
        }
    }
}

/// Everything is put in under one lock, and taken out under one.
pub(super) fn queue_ok() {
    static QUEUE: Queue<40> = Queue::new();
    fn write() {
        let _guard = LOCK.lock();
        if QUEUE.may_enqueue.get() {
            for (stored, value) in QUEUE.stored.iter().zip(1..) {
                QUEUE.enqueue(value);
                stored.set(value);
            }
            QUEUE.pass(false);
        }
    }
    fn read() {
        let _guard = LOCK.lock();
        if QUEUE.may_dequeue.get() {
            for stored in &QUEUE.stored {
                if !QUEUE.is_empty() {
                    require(QUEUE.dequeue() == stored.get());
                }
            }
            QUEUE.pass(true);
        }
    }
    require(QUEUE.is_empty());
    join(start(&[write, read]));
}

const STACK_SIZE: usize = 10;
static STACK: Elements<STACK_SIZE> = [const { RacyCell::ordered(0) }; STACK_SIZE];
static TOP: RacyCell<usize> = RacyCell::ordered(0);
/// Something was pushed once.
static PUSHED: RacyCell<bool> = RacyCell::ordered(false);

fn push(element: i32) {
    let top = TOP.get();
    require(top < STACK_SIZE);
    STACK[top].set(element);
    TOP.set(top + 1);
}

fn pop() -> i32 {
    let top = TOP.get();
    require(top > 0);
    TOP.set(top - 1);
    STACK[top - 1].get()
}

/// After the first push the reader pops whenever it comes, and finds the stack empty.
pub(in crate::programs) fn stack() {
    fn pushes() {
        for element in (0..).take(STACK_SIZE) {
            let _guard = LOCK.lock();
            push(element);
            PUSHED.set(true);
        }
    }
    fn pops() {
        for _ in 0..STACK_SIZE {
            let _guard = LOCK.lock();
            if PUSHED.get() {
                pop();
            }
        }
    }
    join(start(&[pushes, pops]));
}

pub(super) fn stack_ok() {
    fn pushes() {
        for element in (0..).take(STACK_SIZE) {
            let _guard = LOCK.lock();
            push(element);
        }
    }
    fn pops() {
        for _ in 0..STACK_SIZE {
            let _guard = LOCK.lock();
            if TOP.get() > 0 {
                pop();
            }
        }
    }
    join(start(&[pushes, pops]));
}
