//! The language of small programs that share an `Arc`, plain memory, atomics and what orders accesses to it.

use std::fmt;
use std::sync::atomic::Ordering;

/// An operation of a thread. One that makes no sense where it stands, such as a drop by a thread without
/// a reference, does nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// A plain read; sees the value.
    Read(Place, Part),
    /// A plain write of a value.
    Write(Place, Part, u64),
    Load(usize, Ordering),
    Store(usize, u64, Ordering),
    /// Adds; sees what was there.
    Add(usize, u64, Ordering),
    Swap(usize, u64, Ordering),
    /// Replaces the first value by the second, with an ordering for each way it may end; sees what was there.
    Exchange(usize, [u64; 2], [Ordering; 2]),
    Fence(Ordering),
    /// Takes the mutex, and adds 1 to what it guards; sees what was there.
    Lock,
    /// The same, unless it is taken; sees whether it is.
    TryLock,
    Unlock,
    ReadLock,
    WriteLock,
    RwUnlock,
    Park,
    /// The body, or by the body a thread that was spawned.
    Unpark(usize),
    /// Sends a value, with a reference to the `Arc` if the thread has one and that is wanted.
    Send(u64, bool),
    /// Sees the value, or that all senders are gone.
    Recv,
    TryRecv,
    DropSender,
    /// Sets the `OnceLock` by `get_or_init`, if it is not set; the initialiser writes a cell.
    Init(usize, u64),
    /// Sees whether the `OnceLock` is set.
    Get,
    /// By the body: starts the thread with references of these kinds, of which the body must have one.
    Spawn(usize, Gift),
    Join(usize),
    Clone,
    Drop,
    StrongCount,
    WeakCount,
    TryUnwrap,
    IntoInner,
    /// Writes the cell of the `Arc`'s value if it is the only reference; sees whether it is.
    GetMut(u64),
    Downgrade,
    Upgrade,
    CloneWeak,
    DropWeak,
    /// The same count by a `Weak`.
    CountByWeak,
    /// Does these if the thread saw this last.
    If(u64, Vec<Op>),
}

/// Memory that is accessed plainly: eight bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Place {
    /// A cell that all threads share.
    Cell(usize),
    /// The cell in the `Arc`'s value, by a reference of the thread, or by the value's destructor.
    Own,
    /// That of an atomic.
    Atomic(usize),
}

/// The bytes of a place that are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Part {
    Whole,
    Low,
    High,
}

/// The references that a thread is given.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Gift {
    pub(crate) strong: bool,
    pub(crate) weak: bool,
}

/// Where the shared objects lie.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Home {
    Heap,
    Static,
    /// The body's stack; threads are those of a scope.
    Stack,
}

/// The channel; each thread that sends has a sender of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Channel {
    /// The number of messages that it holds is 1 or not bounded.
    pub(crate) is_bounded: bool,
    /// The thread that has the receiver.
    pub(crate) receiver: usize,
}

/// Which stores loads may read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Memory {
    /// The latest.
    Sc,
    /// All that are allowed. Nothing is sequentially consistent then: tests/litmus is about that.
    Weak,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Program {
    /// The operations of each thread; the first is the test's body.
    pub(crate) threads: Vec<Vec<Op>>,
    /// The destructor of the `Arc`'s value.
    pub(crate) destructor: Vec<Op>,
    pub(crate) channel: Channel,
    pub(crate) home: Home,
    pub(crate) memory: Memory,
}

impl Program {
    /// True if the thread has a sender of the channel.
    pub(crate) fn sends(&self, thread: usize) -> bool {
        any(&self.threads[thread], &|op| {
            matches!(op, Op::Send(..) | Op::DropSender)
        })
    }

    /// True if that holds for an operation of the program.
    pub(crate) fn has(&self, is_so: &dyn Fn(&Op) -> bool) -> bool {
        self.parts().any(|ops| any(ops, is_so))
    }

    /// The threads, and then the destructor.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[Op]> {
        let threads = self.threads.iter().map(Vec::as_slice);
        threads.chain([self.destructor.as_slice()])
    }

    /// The same, one of them, to be changed.
    pub(crate) fn part_mut(&mut self, part: usize) -> &mut Vec<Op> {
        self.threads.get_mut(part).unwrap_or(&mut self.destructor)
    }

    /// True if somebody sends or receives.
    pub(crate) fn has_channel(&self) -> bool {
        let is_about_it =
            |op: &Op| matches!(op, Op::Send(..) | Op::Recv | Op::TryRecv | Op::DropSender);
        self.has(&is_about_it)
    }

    /// True if a thread reads an atomic more than twice: the tool does not let older stores be read more
    /// often in a row.
    pub(crate) fn reads_often(&self) -> bool {
        fn reads(ops: &[Op], atomic: usize) -> usize {
            let one = |op: &Op| match *op {
                Op::Load(of, _) | Op::Exchange(of, ..) => usize::from(of == atomic),
                Op::If(_, ref inner) => reads(inner, atomic),
                _ => 0,
            };
            ops.iter().map(one).sum()
        }
        let is_often =
            |ops: &Vec<Op>, atomic| reads(ops, atomic) + reads(&self.destructor, atomic) > 2;
        (0..2).any(|atomic| self.threads.iter().any(|ops| is_often(ops, atomic)))
    }

    /// How many operations there are.
    pub(crate) fn len(&self) -> usize {
        self.parts().map(count).sum()
    }

    /// The number of the first operation of the part: all are counted, those within others after these.
    pub(crate) fn first_of(&self, part: usize) -> usize {
        self.parts().take(part).map(count).sum()
    }
}

/// True if that holds for one of the operations, or one within them.
fn any(ops: &[Op], is_so: &dyn Fn(&Op) -> bool) -> bool {
    ops.iter().any(|op| is_so(op) || any(op.inner(), is_so))
}

/// How many operations there are, those within others included.
pub(crate) fn count(ops: &[Op]) -> usize {
    ops.iter().map(|op| 1 + count(op.inner())).sum()
}

impl Op {
    /// The operations within it.
    pub(crate) fn inner(&self) -> &[Op] {
        match self {
            Op::If(_, ops) => ops,
            _ => &[],
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |ops: &[Op]| {
            let ops: Vec<String> = ops.iter().map(|op| format!("{op:?}")).collect();
            ops.join("; ")
        };
        writeln!(
            f,
            "  memory: {:?}, objects on: {:?}",
            self.memory, self.home
        )?;
        if self.has_channel() {
            writeln!(f, "  {:?}", self.channel)?;
        }
        for (number, ops) in self.threads.iter().enumerate() {
            let kind = if number == 0 { "body" } else { "thread" };
            writeln!(f, "  {kind} {number}: {}", line(ops))?;
        }
        write!(f, "  destructor: {}", line(&self.destructor))
    }
}
