//! Families of programs, and how one is drawn.

use cct::strategy::Rng;

use crate::enumerate::Timeouts;
use crate::program::{
    Await, Channel, OBJECTS, OnceWay, Op, Program, Register, SignalWay, Update, any,
};

/// A kind of programs.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    /// The operations that its threads are made of, drawn again and again.
    draw: Draw,
    /// How long threads are at most: if there are two, and if there are three.
    lengths: [u32; 2],
    /// Its other parts.
    has: Has,
    pub(crate) rule: Timeouts,
}

/// How operations are drawn: one by one, or a few that belong together.
#[derive(Debug)]
enum Draw {
    One(fn(&mut Drawn) -> Op),
    Some(fn(&mut Drawn) -> Vec<Op>),
}

/// The parts of a family's programs besides their operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Has {
    Nothing,
    /// One channel of this kind.
    Channel(Kind),
    /// A `LazyLock`.
    Lazy,
    /// A thread-local with a destructor.
    Local,
    /// Threads that are nobody's to join, or that others spawn.
    Spawns,
    /// An executor, whose tasks two of the threads are, or one of them.
    Tasks,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Free,
    Bounded,
    Rendezvous,
}

/// All families.
pub(crate) const FAMILIES: &[Family] = &[
    Family::new("atomics", [4, 2], Has::Nothing, Drawn::atomic),
    Family::new("mutex", [4, 2], Has::Nothing, |d| {
        d.one_of(&[
            Op::Lock(0),
            Op::Lock(1),
            Op::TryLock(0),
            Op::Unlock(0),
            Op::Unlock(1),
            Op::Bump(0),
            Op::Bump(0),
        ])
    }),
    Family::new("poison", [4, 2], Has::Nothing, |d| {
        d.one_of(&[
            Op::Lock(0),
            Op::Lock(0),
            Op::TryLock(0),
            Op::Unlock(0),
            Op::IsPoisoned(0),
            Op::ClearPoison(0),
            Op::Panic,
            Op::Catch(vec![Op::Lock(0), Op::Panic]),
        ])
    }),
    Family::new("rwlock", [4, 2], Has::Nothing, |d| {
        d.one_of(&[
            Op::Read(0),
            Op::Write(0),
            Op::TryRead(0),
            Op::TryWrite(0),
            Op::RwUnlock(0),
            Op::RwUnlock(0),
            Op::Load(0),
            Op::Store(0, 7),
        ])
    }),
    Family::new("rwlock poison", [4, 2], Has::Nothing, |d| {
        d.one_of(&[
            Op::Read(0),
            Op::Write(0),
            Op::Write(0),
            Op::TryWrite(0),
            Op::RwUnlock(0),
            Op::RwIsPoisoned(0),
            Op::RwClearPoison(0),
            Op::Panic,
        ])
    }),
    Family::new("condvar", [4, 2], Has::Nothing, |d| {
        d.one_of(&[
            Op::Wait(0),
            Op::WaitWhile(0),
            Op::NotifyOne(0),
            Op::NotifyAll(0),
            Op::Lock(0),
            Op::Bump(0),
            Op::Bump(0),
            Op::Unlock(0),
        ])
    }),
    Family::new("park", [4, 2], Has::Nothing, |d| {
        let thread = d.known_thread();
        d.one_of(&[
            Op::Park,
            Op::Unpark(thread),
            Op::Unpark(thread),
            Op::Store(0, 7),
            Op::Load(0),
        ])
    }),
    Family::new("channel", [4, 2], Has::Channel(Kind::Free), Drawn::channel),
    Family::new(
        "bounded channel",
        [4, 2],
        Has::Channel(Kind::Bounded),
        Drawn::channel,
    ),
    Family::new("rendezvous", [4, 2], Has::Channel(Kind::Rendezvous), |d| {
        d.channel()
    }),
    Family::new("once", [3, 2], Has::Nothing, |d| {
        let way = if d.chance(2) {
            OnceWay::Call
        } else {
            OnceWay::Force
        };
        let body = d.initialiser();
        d.one_of(&[
            Op::Once(way, 0, body.clone()),
            Op::Once(way, 0, body),
            Op::IsCompleted(0),
            Op::OnceWait(0),
            Op::Load(0),
        ])
    }),
    Family::new("once lock", [3, 2], Has::Nothing, |d| {
        let body = d.initialiser();
        d.one_of(&[
            Op::Once(OnceWay::Cell, 0, body.clone()),
            Op::Once(OnceWay::Cell, 0, body),
            Op::CellGet(0),
            Op::CellSet(0),
            Op::CellWait(0),
            Op::Load(0),
        ])
    }),
    Family::new("lazy lock", [3, 2], Has::Lazy, |d| {
        d.one_of(&[
            Op::Once(OnceWay::Lazy, 0, Vec::new()),
            Op::Once(OnceWay::Lazy, 0, Vec::new()),
            Op::Load(0),
            Op::Store(0, 7),
        ])
    }),
    Family::new("barrier", [3, 2], Has::Nothing, |d| {
        d.one_of(&[Op::BarrierWait, Op::Load(0), Op::Store(0, 7)])
    }),
    Family::new("threads", [3, 2], Has::Spawns, |d| {
        d.one_of(&[Op::Load(0), Op::Store(0, 7), Op::Store(0, 8), Op::Panic])
    }),
    Family::new("thread-locals", [3, 2], Has::Local, |d| {
        d.one_of(&[
            Op::Touch,
            Op::Touch,
            Op::Load(0),
            Op::Store(0, 7),
            Op::Panic,
        ])
    }),
    Family::new("time-outs", [3, 2], Has::Channel(Kind::Free), Drawn::timed),
    Family {
        rule: Timeouts::Race,
        ..Family::new(
            "early time-outs",
            [3, 1],
            Has::Channel(Kind::Free),
            Drawn::timed,
        )
    },
    Family {
        rule: Timeouts::Race,
        ..Family::new(
            "early at a rendezvous",
            [3, 1],
            Has::Channel(Kind::Rendezvous),
            |d| {
                let limit = d.limit();
                d.one_of(&[
                    Op::RecvTimeout(0, limit),
                    Op::Send(0),
                    Op::TrySend(0),
                    Op::TryRecv(0),
                ])
            },
        )
    },
    Family::of_phrases("under a lock", Has::Channel(Kind::Bounded), |d| {
        let inner = vec![Op::Store(1, 7)];
        let second = d.one_of(&[
            Op::Once(OnceWay::Cell, 0, Vec::new()),
            Op::Once(OnceWay::Call, 0, inner),
            Op::Once(OnceWay::Lazy, 0, Vec::new()),
            Op::CellGet(0),
            Op::CellSet(0),
            Op::IsCompleted(0),
            Op::Send(0),
            Op::TrySend(0),
            Op::Recv(0),
            Op::TryRecv(0),
            Op::NotifyAll(0),
            Op::NotifyOne(0),
            Op::Wait(0),
            Op::Unpark(0),
            Op::Load(0),
            Op::Store(0, 7),
        ]);
        let (before, after) = d.section();
        vec![before, second, after]
    }),
    Family::of_phrases("two at once", Has::Channel(Kind::Bounded), |d| {
        let thread = d.known_thread();
        let (before, after) = d.section();
        match d.rng.below(6) {
            0 => vec![Op::Store(0, 7), Op::Unpark(thread)],
            1 => vec![Op::Unpark(thread)],
            2 => vec![Op::Park, Op::Load(0)],
            3 => vec![before, Op::Send(0), after],
            4 => vec![Op::Recv(0), Op::CellGet(0)],
            _ => vec![before, Op::CellSet(0), after],
        }
    }),
    Family::of_phrases("block_on", Has::Nothing, |d| {
        let awaits = d.awaits();
        let (number, way) = (d.rng.below(OBJECTS as u32) as usize, d.signal_way());
        vec![d.one_of(&[
            Op::BlockOn(awaits),
            Op::Signal(number, way),
            Op::Signal(1 - number, way),
        ])]
    }),
    Family::of_tasks("tasks", |d| {
        d.one_of(&[
            Op::Load(0),
            Op::Store(0, 7),
            Op::Store(0, 8),
            Op::Ready,
            Op::Yield,
        ])
    }),
    Family::of_tasks("task wakers", |d| {
        let register = match d.rng.below(3) {
            0 => Register::LookThenStore,
            1 => Register::StoreThenLook,
            _ => Register::Replace,
        };
        let way = d.signal_way();
        d.one_of(&[
            Op::BlockOn(vec![Await::One(0, register)]),
            Op::Signal(0, way),
            Op::Signal(0, way),
            Op::Ready,
        ])
    }),
    Family::new("mixtures", [4, 2], Has::Channel(Kind::Free), |d| {
        let thread = d.known_thread();
        let body = d.initialiser();
        let atomic = d.atomic();
        d.one_of(&[
            atomic.clone(),
            atomic,
            Op::Store(0, 7),
            Op::Load(0),
            Op::Unpark(thread),
            Op::Unpark(thread),
            Op::Park,
            Op::Lock(0),
            Op::TryLock(0),
            Op::Unlock(0),
            Op::Bump(0),
            Op::Write(0),
            Op::Read(0),
            Op::RwUnlock(0),
            Op::Once(OnceWay::Force, 0, body),
            Op::Send(0),
            Op::Recv(0),
            Op::TryRecv(0),
            Op::DropSender(0),
            Op::WaitWhile(0),
            Op::NotifyOne(0),
            Op::BarrierWait,
            Op::Choose,
            Op::IsPoisoned(0),
            Op::Panic,
        ])
    }),
];

/// A program being drawn.
struct Drawn {
    rng: Rng,
    /// The thread whose operation is drawn.
    thread: usize,
    threads: usize,
    /// Each time-out ends at a moment of its own.
    limits: u32,
}

impl Family {
    const fn new(
        name: &'static str,
        lengths: [u32; 2],
        has: Has,
        draw: fn(&mut Drawn) -> Op,
    ) -> Family {
        Family {
            name,
            draw: Draw::One(draw),
            lengths,
            has,
            rule: Timeouts::Late,
        }
    }

    const fn of_phrases(name: &'static str, has: Has, draw: fn(&mut Drawn) -> Vec<Op>) -> Family {
        Family {
            name,
            draw: Draw::Some(draw),
            lengths: [2, 1],
            has,
            rule: Timeouts::Late,
        }
    }

    const fn of_tasks(name: &'static str, draw: fn(&mut Drawn) -> Op) -> Family {
        Family {
            name,
            draw: Draw::One(draw),
            lengths: [2, 2],
            has: Has::Tasks,
            rule: Timeouts::Late,
        }
    }

    /// Draws a program.
    pub(crate) fn draw(&self, rng: Rng) -> Program {
        let mut rng = rng;
        let threads = 2 + rng.below(2) as usize;
        let mut program = Program {
            barrier: 2,
            ..Program::default()
        };
        let mut drawn = Drawn {
            rng,
            thread: 0,
            threads,
            limits: 0,
        };
        for thread in 0..threads {
            drawn.thread = thread;
            let longest = self.lengths[threads - 2];
            let is_idle = thread == 0 && threads > 2 && matches!(self.draw, Draw::Some(_));
            let count = if is_idle {
                0
            } else {
                1 + drawn.rng.below(longest)
            };
            let draw = |_| match self.draw {
                Draw::One(draw) => vec![draw(&mut drawn)],
                Draw::Some(draw) => draw(&mut drawn),
            };
            let ops = (0..count).flat_map(draw).collect();
            program.threads.push(ops);
        }
        match self.has {
            Has::Nothing | Has::Spawns | Has::Tasks => {}
            Has::Channel(kind) => {
                let bound = match kind {
                    Kind::Free => None,
                    Kind::Bounded => Some(1 + drawn.rng.below(2) as usize),
                    Kind::Rendezvous => Some(0),
                };
                let receiver = drawn.rng.below(2) as usize;
                program.channels.push(Channel { bound, receiver });
            }
            Has::Lazy => program.lazy = drawn.initialiser(),
            Has::Local => {
                let count = 1 + drawn.rng.below(2);
                program.local = (0..count)
                    .map(|_| drawn.one_of(&[Op::Load(0), Op::Store(0, 9), Op::Lock(0)]))
                    .collect();
            }
        }
        if self.has == Has::Spawns {
            drawn.spawn_somehow(&mut program);
        } else if self.has == Has::Tasks {
            drawn.run_tasks(&mut program);
        } else {
            drawn.spawn_and_join(&mut program);
        }
        program.tidy();
        program
    }
}

impl Drawn {
    fn chance(&mut self, of: u32) -> bool {
        self.rng.below(of) == 0
    }

    fn one_of(&mut self, ops: &[Op]) -> Op {
        ops[self.rng.below(ops.len() as u32) as usize].clone()
    }

    fn atomic(&mut self) -> Op {
        let number = self.rng.below(OBJECTS as u32) as usize;
        let updates = [
            Update::Swap,
            Update::Add,
            Update::Sub,
            Update::And,
            Update::Or,
            Update::Xor,
            Update::Nand,
            Update::Max,
            Update::Min,
        ];
        let update = updates[self.rng.below(updates.len() as u32) as usize];
        let value = 1 + self.rng.below(3);
        let old = self.rng.below(2);
        self.one_of(&[
            Op::Load(number),
            Op::Load(number),
            Op::Store(number, value),
            Op::Store(number, value),
            Op::Update(number, update, value),
            Op::CompareExchange(number, old, value),
        ])
    }

    fn channel(&mut self) -> Op {
        self.one_of(&[
            Op::Send(0),
            Op::Send(0),
            Op::TrySend(0),
            Op::Recv(0),
            Op::Recv(0),
            Op::TryRecv(0),
            Op::DropSender(0),
            Op::DropReceiver(0),
        ])
    }

    /// The operations that take a lock, and that let it go.
    fn section(&mut self) -> (Op, Op) {
        match self.rng.below(4) {
            0 => (Op::Write(0), Op::RwUnlock(0)),
            1 => (Op::Read(0), Op::RwUnlock(0)),
            _ => (Op::Lock(0), Op::Unlock(0)),
        }
    }

    fn signal_way(&mut self) -> SignalWay {
        if self.chance(5) {
            SignalWay::TakeThenSet
        } else {
            SignalWay::SetThenTake
        }
    }

    fn timed(&mut self) -> Op {
        let limit = self.limit();
        let thread = self.known_thread();
        self.one_of(&[
            Op::WaitTimeout(0, limit),
            Op::ParkTimeout(limit),
            Op::RecvTimeout(0, limit),
            Op::Sleep(limit),
            Op::NotifyOne(0),
            Op::Unpark(thread),
            Op::Send(0),
        ])
    }

    /// The event that a future awaits.
    fn awaits(&mut self) -> Vec<Await> {
        let register = match self.rng.below(3) {
            0 => Register::LookThenStore,
            1 => Register::StoreThenLook,
            _ => Register::Replace,
        };
        let number = self.rng.below(OBJECTS as u32) as usize;
        match self.rng.below(5) {
            0 => vec![Await::Join(register)],
            1 => vec![Await::Select(register)],
            2 => vec![Await::One(0, register), Await::One(1, register)],
            _ => vec![Await::One(number, register)],
        }
    }

    /// The operations of an initialiser.
    fn initialiser(&mut self) -> Vec<Op> {
        let count = self.rng.below(2);
        let mut ops: Vec<Op> = (0..count)
            .map(|_| self.one_of(&[Op::Load(0), Op::Store(0, 7), Op::Store(0, 8)]))
            .collect();
        if self.chance(4) {
            ops.push(Op::Panic);
        }
        ops
    }

    /// A thread whose handle this one has: the body has all, others those that were there before.
    fn known_thread(&mut self) -> usize {
        let count = if self.thread == 0 {
            self.threads
        } else {
            self.thread
        };
        self.rng.below(count as u32) as usize
    }

    fn limit(&mut self) -> u32 {
        self.limits += 1;
        5 << self.limits
    }

    /// The body spawns all, does its own part, and joins them.
    fn spawn_and_join(&mut self, program: &mut Program) {
        let others = 1..self.threads;
        let own = std::mem::take(&mut program.threads[0]);
        let body = &mut program.threads[0];
        body.extend(others.clone().map(Op::Spawn));
        body.extend(own);
        body.push(Op::Release);
        body.extend(others.map(Op::Join));
    }

    /// The body runs the others as tasks, or the first of them, beside a thread.
    fn run_tasks(&mut self, program: &mut Program) {
        while program.threads.len() < 3 {
            let ops = program.threads[0].clone();
            program.threads.push(ops);
        }
        let body = &mut program.threads[0];
        body.clear();
        if self.chance(3) {
            let others = &mut program.threads[2];
            others.retain(|op| matches!(op, Op::Store(..) | Op::Load(_) | Op::Signal(..)));
            others.truncate(1);
            let body = &mut program.threads[0];
            body.extend([Op::Spawn(2), Op::RunTasks(vec![1]), Op::Join(2)]);
        } else {
            body.push(Op::RunTasks(vec![1, 2]));
            program.threads[2].truncate(1);
        }
    }

    /// Some are joined, some are asked whether they are over, some are in a scope, some are nobody's.
    fn spawn_somehow(&mut self, program: &mut Program) {
        let own = std::mem::take(&mut program.threads[0]);
        let own = own.into_iter().filter(|op| *op != Op::Panic);
        let mut body: Vec<Op> = Vec::new();
        if self.chance(3) {
            let own = own.collect();
            body.push(Op::Scope((1..self.threads).collect(), own));
            body.push(Op::Load(0));
        } else {
            body.push(Op::Spawn(1));
            body.extend(own);
            if self.threads > 2 {
                // The second is the body's child or the first one's.
                let spawner = self.rng.below(2) as usize;
                let ops = if spawner == 0 {
                    &mut body
                } else {
                    &mut program.threads[1]
                };
                ops.push(Op::Spawn(2));
                if self.rng.below(2) == 0 {
                    ops.push(Op::Join(2));
                }
            }
            for _ in 0..self.rng.below(3) {
                body.push(self.one_of(&[Op::IsFinished(1), Op::Load(0)]));
            }
            if !self.chance(3) {
                body.push(Op::Join(1));
            }
        }
        program.threads[0] = body;
    }
}

impl Program {
    /// Takes out what makes no sense.
    fn tidy(&mut self) {
        let receivers: Vec<usize> = self.channels.iter().map(|of| of.receiver).collect();
        for (thread, ops) in self.threads.iter_mut().enumerate() {
            ops.retain(|op| match *op {
                Op::Recv(number)
                | Op::TryRecv(number)
                | Op::RecvTimeout(number, _)
                | Op::DropReceiver(number) => receivers[number] == thread,
                _ => true,
            });
        }
        // Ends of a channel that nobody uses would be dropped in many orders all the same.
        let uses = |op: &Op| {
            matches!(op, Op::Send(_) | Op::TrySend(_) | Op::Recv(_))
                || matches!(op, Op::TryRecv(_) | Op::RecvTimeout(..))
        };
        if !self.threads.iter().any(|ops| any(ops, &uses)) {
            self.channels.clear();
            for ops in &mut self.threads {
                ops.retain(|op| !matches!(op, Op::DropSender(_) | Op::DropReceiver(_)));
            }
        }
    }
}
