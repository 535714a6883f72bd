//! The state of a program under way: objects, threads, and what each is about to do.

use crate::code::{Cell, Code, Instr};
use crate::program::{OBJECTS, Program};

/// All there is about an execution at a moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    pub(crate) threads: Vec<Thread>,
    pub(crate) atomics: [u32; OBJECTS],
    pub(crate) mutexes: [Mutex; OBJECTS],
    pub(crate) rwlocks: [RwLock; OBJECTS],
    /// The waiters of each condition variable.
    pub(crate) sleepers: [Vec<usize>; OBJECTS],
    pub(crate) channels: Vec<Queue>,
    pub(crate) cells: [Progress; 2 * OBJECTS + 1],
    /// How many meet at the barrier, and who waits there.
    pub(crate) barrier: usize,
    pub(crate) arrived: Vec<usize>,
    pub(crate) events: [Event; OBJECTS],
    /// The task that is being polled.
    pub(crate) turn: Option<usize>,
    /// Milliseconds.
    pub(crate) now: u32,
    /// Threads in a circle of waiting, once there is one that ends the execution.
    pub(crate) circle: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Mutex {
    pub(crate) holder: Option<usize>,
    pub(crate) poisoned: bool,
    pub(crate) value: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct RwLock {
    pub(crate) readers: usize,
    pub(crate) writer: Option<usize>,
    /// The thread that holds it alone, as far as a lock remembers.
    pub(crate) known: Option<usize>,
    pub(crate) poisoned: bool,
}

/// The event that a future waits for; the waker is that of the thread that blocks on the future.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Event {
    pub(crate) is_set: bool,
    pub(crate) slot_holder: Option<usize>,
    pub(crate) waker: Option<Waker>,
}

/// The waker of a future: its thread, and which of its futures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Waker {
    pub(crate) thread: usize,
    pub(crate) future: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Queue {
    pub(crate) bound: Option<usize>,
    pub(crate) messages: Vec<u32>,
    /// Of a rendezvous: who waits to be received, in order.
    pub(crate) offers: Vec<(usize, u32)>,
    pub(crate) senders: usize,
    pub(crate) has_receiver: bool,
    /// Of a rendezvous: the receiver waits, and nobody has given it a message.
    pub(crate) is_awaited: bool,
}

/// How far an initialiser is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Progress {
    Fresh,
    RunBy(usize),
    Poisoned,
    Done(u32),
}

/// How a lock is held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Hold {
    Reads,
    Writes,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "they have nothing to do with each other"
)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Thread {
    pub(crate) phase: Phase,
    /// The instruction that it stands before.
    pub(crate) at: usize,
    pub(crate) log: Vec<u32>,
    pub(crate) mutexes: [bool; OBJECTS],
    pub(crate) rwlocks: [Option<Hold>; OBJECTS],
    /// The lock where it waits as a writer for readers to go, and others wait behind it.
    pub(crate) announced: Option<usize>,
    pub(crate) senders: Vec<bool>,
    pub(crate) receivers: Vec<bool>,
    /// The catchers that a panic runs into, innermost last.
    pub(crate) frames: Vec<Frame>,
    pub(crate) panicking: bool,
    pub(crate) has_panicked: bool,
    pub(crate) touched: bool,
    pub(crate) token: bool,
    pub(crate) deadline: Option<u32>,
    /// The deadline has come, and that of others with it.
    pub(crate) is_due: bool,
    pub(crate) timed_out: bool,
    pub(crate) has_handle: Vec<usize>,
    /// The events that the future under way has found set, as bits.
    pub(crate) found_set: u32,
    /// How many futures it has blocked on, with the one under way.
    pub(crate) futures: usize,
    /// A waker that it has taken and is about to wake.
    pub(crate) taken: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Phase {
    Unborn,
    Live,
    /// The closure is over.
    Left,
    Ended,
}

/// A catcher that a panic runs into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Frame {
    /// An initialiser; then it goes on there.
    Once(Cell, usize),
    Catch(usize),
}

/// How an instruction goes about what it concerns, for who else is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    Looks,
    /// Others of the sort can be before or after: nobody can tell.
    Joins,
    Changes,
}

/// An object that instructions concern. A lock and its poison are one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Thing {
    Atomic(usize),
    Mutex(usize),
    RwLock(usize),
    Condvar(usize),
    Token(usize),
    Channel(usize),
    Senders(usize),
    Cell(usize),
    Barrier,
    Result(usize),
    Event(usize),
    Slot(usize),
    Scope(usize),
}

/// The effect of one instruction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deed {
    pub(crate) things: Vec<(Thing, Way)>,
    /// Threads that it created, or whose waiting it ended.
    pub(crate) woken: Vec<usize>,
}

impl Deed {
    pub(crate) fn looks(&mut self, thing: Thing) {
        self.things.push((thing, Way::Looks));
    }

    pub(crate) fn joins(&mut self, thing: Thing) {
        self.things.push((thing, Way::Joins));
    }

    pub(crate) fn changes(&mut self, thing: Thing) {
        self.things.push((thing, Way::Changes));
    }
}

impl State {
    /// Before the body has begun.
    pub(crate) fn new(program: &Program) -> State {
        let count = program.threads.len();
        let channels = program.channels.iter().enumerate();
        let thread = |number: usize| Thread {
            phase: if number == 0 {
                Phase::Live
            } else {
                Phase::Unborn
            },
            at: 0,
            log: Vec::new(),
            mutexes: [false; OBJECTS],
            rwlocks: [None; OBJECTS],
            announced: None,
            senders: (0..program.channels.len())
                .map(|channel| program.sends(number, channel))
                .collect(),
            receivers: program
                .channels
                .iter()
                .map(|channel| channel.receiver == number)
                .collect(),
            frames: Vec::new(),
            panicking: false,
            has_panicked: false,
            touched: false,
            token: false,
            deadline: None,
            is_due: false,
            timed_out: false,
            has_handle: Vec::new(),
            found_set: 0,
            futures: 0,
            taken: None,
        };
        State {
            threads: (0..count).map(thread).collect(),
            atomics: [0; OBJECTS],
            mutexes: Default::default(),
            rwlocks: Default::default(),
            sleepers: Default::default(),
            channels: channels
                .map(|(number, channel)| Queue {
                    bound: channel.bound,
                    messages: Vec::new(),
                    offers: Vec::new(),
                    senders: (0..count)
                        .filter(|&thread| program.sends(thread, number))
                        .count(),
                    has_receiver: true,
                    is_awaited: false,
                })
                .collect(),
            cells: [Progress::Fresh; 2 * OBJECTS + 1],
            barrier: program.barrier,
            arrived: Vec::new(),
            events: Default::default(),
            turn: None,
            now: 0,
            circle: Vec::new(),
        }
    }

    /// The thread's next instruction; none if it is not there.
    pub(crate) fn next(&self, code: &[Code], thread: usize) -> Option<Instr> {
        let flow = &self.threads[thread];
        let is_there = matches!(flow.phase, Phase::Live | Phase::Left);
        is_there.then(|| code[thread].instrs[flow.at])
    }
}
