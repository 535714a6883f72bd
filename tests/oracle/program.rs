//! The language of small programs: what each thread does, operation by operation, on shared objects.

use std::fmt;

/// How many objects of each kind there are.
pub(crate) const OBJECTS: usize = 2;

/// An operation of a thread. A number names an object, a thread or a channel; one that is last is a value or
/// milliseconds. An operation that makes no sense where it stands, such as the release of a lock that is
/// not held, does nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    Load(usize),
    Store(usize, u32),
    Update(usize, Update, u32),
    CompareExchange(usize, u32, u32),
    Lock(usize),
    TryLock(usize),
    Unlock(usize),
    IsPoisoned(usize),
    ClearPoison(usize),
    /// Adds to what the mutex guards, if it is held; sees what it was.
    Bump(usize),
    Read(usize),
    TryRead(usize),
    Write(usize),
    TryWrite(usize),
    RwUnlock(usize),
    RwIsPoisoned(usize),
    RwClearPoison(usize),
    /// Waits for the condition variable with the mutex of its number, which it takes if need be.
    Wait(usize),
    /// Waits while what the mutex guards is 0.
    WaitWhile(usize),
    WaitTimeout(usize, u32),
    NotifyOne(usize),
    NotifyAll(usize),
    Park,
    ParkTimeout(u32),
    /// The body, or a thread that was spawned earlier than this one.
    Unpark(usize),
    Send(usize),
    TrySend(usize),
    Recv(usize),
    TryRecv(usize),
    RecvTimeout(usize, u32),
    DropSender(usize),
    DropReceiver(usize),
    /// Has somebody run these if nobody has; a panic in them is caught.
    Once(OnceWay, usize, Vec<Op>),
    IsCompleted(usize),
    OnceWait(usize),
    /// Of the `OnceLock` of this number.
    CellGet(usize),
    CellSet(usize),
    CellWait(usize),
    BarrierWait,
    Spawn(usize),
    Join(usize),
    IsFinished(usize),
    /// Spawns threads in a scope, does this, and waits for them; its panic is caught.
    Scope(Vec<usize>, Vec<Op>),
    /// Unwinds to whatever catches it.
    Panic,
    Catch(Vec<Op>),
    /// Makes the thread-local whose destructor does what the program says; not in the body.
    Touch,
    Sleep(u32),
    /// Sees one of two values.
    Choose,
    /// Lets go of all locks and ends of channels.
    Release,
    /// Blocks on a future that awaits these one after the other.
    BlockOn(Vec<Await>),
    /// Runs these as tasks of one thread; in them, a future that is blocked on is awaited.
    RunTasks(Vec<usize>),
    /// Of a task: awaits what is ready.
    Ready,
    /// Of a task: awaits what is not ready once.
    Yield,
    /// Sets an event, and wakes who has left a waker there.
    Signal(usize, SignalWay),
}

/// The event that a future awaits, by a hand-written `poll`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Await {
    /// The event of this number.
    One(usize, Register),
    /// Both events, each polled until it is set.
    Join(Register),
    /// Either event; sees which.
    Select(Register),
}

/// How a waker is left with an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Register {
    /// Too late: who comes in between wakes nobody.
    LookThenStore,
    StoreThenLook,
    /// The same, unless the waker that is there would wake the same; sees whether it was.
    Replace,
}

/// How an event is signalled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SignalWay {
    SetThenTake,
    /// Too late: who looks in between is not woken.
    TakeThenSet,
}

/// A read and write of an atomic in one go.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Update {
    Swap,
    Add,
    Sub,
    And,
    Or,
    Xor,
    Nand,
    Max,
    Min,
}

/// Ways to run an initialiser.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum OnceWay {
    /// `Once::call_once`.
    Call,
    /// `Once::call_once_force`.
    Force,
    /// `OnceLock::get_or_init`.
    Cell,
    /// `LazyLock::force`; its initialiser is the program's.
    Lazy,
}

/// A channel; each thread that sends has a sender of its own.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Channel {
    /// None if it is never full; 0 for a rendezvous.
    pub(crate) bound: Option<usize>,
    /// The thread that has the receiver.
    pub(crate) receiver: usize,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Program {
    /// The operations of each thread; the first is the test's body.
    pub(crate) threads: Vec<Vec<Op>>,
    pub(crate) channels: Vec<Channel>,
    /// How many meet at the barrier.
    pub(crate) barrier: usize,
    /// The initialiser of the `LazyLock`.
    pub(crate) lazy: Vec<Op>,
    /// The destructor of the thread-local.
    pub(crate) local: Vec<Op>,
}

impl Program {
    /// True if the thread has a sender of the channel.
    pub(crate) fn sends(&self, thread: usize, channel: usize) -> bool {
        let sends = |op: &Op| match *op {
            Op::Send(of) | Op::TrySend(of) | Op::DropSender(of) => of == channel,
            _ => false,
        };
        any(&self.threads[thread], &sends)
    }

    /// True if the thread is a task of another.
    pub(crate) fn is_task(&self, thread: usize) -> bool {
        let runs = |op: &Op| matches!(op, Op::RunTasks(tasks) if tasks.contains(&thread));
        self.threads.iter().any(|ops| any(ops, &runs))
    }

    /// How many operations there are.
    pub(crate) fn len(&self) -> usize {
        let threads: usize = self.threads.iter().map(|ops| count(ops)).sum();
        threads + count(&self.lazy) + count(&self.local)
    }
}

/// True if that holds for one of the operations, or one within them.
pub(crate) fn any(ops: &[Op], is_so: &dyn Fn(&Op) -> bool) -> bool {
    ops.iter()
        .any(|op| is_so(op) || op.inner().is_some_and(|inner| any(inner, is_so)))
}

/// How many operations there are, those within others included.
pub(crate) fn count(ops: &[Op]) -> usize {
    ops.iter().map(|op| 1 + op.inner().map_or(0, count)).sum()
}

impl Op {
    /// The operations within it.
    pub(crate) fn inner(&self) -> Option<&[Op]> {
        match self {
            Op::Once(_, _, ops) | Op::Scope(_, ops) | Op::Catch(ops) => Some(ops),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(crate) fn inner_mut(&mut self) -> Option<&mut Vec<Op>> {
        match self {
            Op::Once(_, _, ops) | Op::Scope(_, ops) | Op::Catch(ops) => Some(ops),
            _ => None,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, channel) in self.channels.iter().enumerate() {
            let bound = channel
                .bound
                .map_or("without a bound".to_owned(), |bound| format!("of {bound}"));
            writeln!(
                f,
                "  channel {number}: {bound}, received by thread {}",
                channel.receiver
            )?;
        }
        let uses = |wanted: fn(&Op) -> bool| self.threads.iter().any(|ops| any(ops, &wanted));
        if uses(|op| *op == Op::BarrierWait) {
            writeln!(f, "  barrier of {}", self.barrier)?;
        }
        if uses(|op| matches!(op, Op::Once(OnceWay::Lazy, ..))) {
            writeln!(f, "  lazy: {}", line(&self.lazy))?;
        }
        if uses(|op| *op == Op::Touch) {
            writeln!(f, "  local: {}", line(&self.local))?;
        }
        for (number, ops) in self.threads.iter().enumerate() {
            let name = match number {
                0 => "body",
                _ if self.is_task(number) => "task",
                _ => "thread",
            };
            writeln!(f, "  {name} {number}: {}", line(ops))?;
        }
        Ok(())
    }
}

fn line(ops: &[Op]) -> String {
    let ops: Vec<String> = ops.iter().map(ToString::to_string).collect();
    ops.join("; ")
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Once(way, number, ops) => write!(f, "{way:?}Once({number}) {{ {} }}", line(ops)),
            Op::Scope(threads, ops) => write!(f, "Scope{threads:?} {{ {} }}", line(ops)),
            Op::Catch(ops) => write!(f, "Catch {{ {} }}", line(ops)),
            other => write!(f, "{other:?}"),
        }
    }
}
