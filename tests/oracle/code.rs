//! Programs as instructions, each of which is one indivisible thing that std does, or a wait.

use crate::outcome::seen;
use crate::program::{Await, OBJECTS, OnceWay, Op, Program, Register, SignalWay, Update};

/// One indivisible thing. A number that follows an object's is the mark of the operation: a value that no
/// other operation has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Instr {
    Start,
    Load(usize),
    Store(usize, u32),
    Update(usize, Update, u32),
    CompareExchange(usize, u32, u32),
    Lock(usize),
    TryLock(usize),
    /// A guard that goes while its thread panics leaves poison behind, and then lets go.
    MarkPoison(usize),
    Unlock(usize),
    IsPoisoned(usize),
    ClearPoison(usize),
    Bump(usize),
    Read(usize),
    TryRead(usize),
    Write(usize),
    TryWrite(usize),
    RwMarkPoison(usize),
    RwUnlock(usize),
    RwIsPoisoned(usize),
    RwClearPoison(usize),
    /// Ends the loop if what the mutex guards is not 0.
    WhileTest(usize, usize),
    /// Lets the mutex go and waits.
    WaitBegin(usize, Option<u32>),
    WaitSleep(usize, Option<u32>),
    Relock(usize),
    /// Goes on with the test before it, unless the mutex is poisoned.
    RelockWhile(usize, usize),
    NotifyOne(usize),
    NotifyAll(usize),
    Park(Option<u32>),
    Unpark(usize),
    Send(usize, u32),
    /// A rendezvous: what is offered waits to be taken.
    SendAwait(usize),
    TrySend(usize, u32),
    Recv(usize, Option<u32>),
    /// A rendezvous: whoever receives waits for an offer.
    RecvAwait(usize, Option<u32>),
    TryRecv(usize),
    DropSender(usize),
    DropReceiver(usize),
    /// Runs what follows, up to the end of the initialiser, or goes to where it ends.
    OnceBegin(Cell, usize),
    OnceEnd(Cell, u32),
    OnceIs(Cell),
    OnceWait(Cell),
    BarrierArrive,
    BarrierSleep,
    Spawn(usize),
    Join(usize),
    IsFinished(usize),
    ScopeEnd(ThreadSet),
    CatchBegin(usize),
    CatchEnd,
    Panic,
    Touch,
    Sleep(u32),
    Choose,
    /// A thread blocks on another future.
    NewFuture,
    /// A future begins to be awaited; none of what it polls is ready.
    Await,
    /// Goes there if the events of these numbers have been found set, as bits.
    IfSet(u32, usize),
    /// Looks whether an event is set.
    Look(usize),
    LockSlot(usize),
    /// Leaves a waker; sees whether it is another one, if that is asked for.
    StoreWaker(usize, Register),
    UnlockSlot(usize),
    /// Waits to be woken, and polls again from there.
    PollLater(usize),
    /// The same of a task, which then has the turn.
    PollTaskLater(usize),
    RunTasks(ThreadSet),
    TasksEnd(ThreadSet),
    /// A task has the turn in a poll that has begun now, or goes on with one, which may be a new one.
    BeginTurn,
    GoOnWithTurn,
    EndTurn,
    SetEvent(usize),
    TakeWaker(usize),
    WakeTaken,
    See(u32),
    Goto(usize),
    /// The closure has come to its end, and its result is there.
    Leave,
    /// Goes there unless the thread-local was made.
    UnlessTouched(usize),
    End,
}

/// Threads as bits.
pub(crate) type ThreadSet = u32;

/// The cell that is initialised once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Cell {
    Once(usize, IfPoisoned),
    Lock(usize, Asked),
    Lazy,
}

/// The behaviour of a `Once` that is poisoned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum IfPoisoned {
    Panics,
    Runs,
}

/// How a `OnceLock` is asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Asked {
    GetOrInit,
    Set,
}

impl Cell {
    /// Its place among all that are initialised once.
    pub(crate) fn place(self) -> usize {
        match self {
            Cell::Once(number, _) => number,
            Cell::Lock(number, _) => OBJECTS + number,
            Cell::Lazy => 2 * OBJECTS,
        }
    }
}

/// The instructions of a thread.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) instrs: Vec<Instr>,
    /// Where what is held is let go, at the end or when a panic comes.
    pub(crate) teardown: usize,
}

/// A value that tells an operation of a thread from all others.
pub(crate) fn mark(thread: usize, site: usize) -> u32 {
    100 * (thread as u32 + 1) + site as u32
}

/// The instructions of each thread.
pub(crate) fn compile(program: &Program) -> Vec<Code> {
    (0..program.threads.len())
        .map(|thread| Compiler::compile(program, thread))
        .collect()
}

struct Compiler<'a> {
    program: &'a Program,
    thread: usize,
    instrs: Vec<Instr>,
    /// The number of the next operation.
    site: usize,
}

impl Compiler<'_> {
    fn compile(program: &Program, thread: usize) -> Code {
        let mut compiler = Compiler {
            program,
            thread,
            instrs: vec![Instr::Start],
            site: 0,
        };
        if program.is_task(thread) {
            compiler.instrs.push(Instr::BeginTurn);
        }
        compiler.all(&program.threads[thread]);
        if program.is_task(thread) {
            compiler.instrs.push(Instr::EndTurn);
        }
        let teardown = compiler.instrs.len();
        compiler.release();
        compiler.instrs.push(Instr::Leave);
        let at = compiler.instrs.len();
        compiler.instrs.push(Instr::UnlessTouched(0));
        compiler.all(&program.local);
        compiler.release();
        compiler.instrs[at] = Instr::UnlessTouched(compiler.instrs.len());
        compiler.instrs.push(Instr::End);
        Code {
            instrs: compiler.instrs,
            teardown,
        }
    }

    fn all(&mut self, ops: &[Op]) {
        for op in ops {
            self.one(op);
        }
    }

    fn release(&mut self) {
        for number in 0..OBJECTS {
            self.add(&[Instr::MarkPoison(number), Instr::Unlock(number)]);
        }
        for number in 0..OBJECTS {
            self.add(&[Instr::RwMarkPoison(number), Instr::RwUnlock(number)]);
        }
        for number in 0..self.program.channels.len() {
            self.add(&[Instr::DropSender(number)]);
        }
        for number in 0..self.program.channels.len() {
            self.add(&[Instr::DropReceiver(number)]);
        }
    }

    fn add(&mut self, instrs: &[Instr]) {
        self.instrs.extend_from_slice(instrs);
    }

    fn wait(&mut self, number: usize, limit: Option<u32>) {
        self.add(&[
            Instr::Lock(number),
            Instr::WaitBegin(number, limit),
            Instr::WaitSleep(number, limit),
            Instr::Relock(number),
        ]);
    }

    fn once(&mut self, cell: Cell, mark: u32, ops: &[Op]) {
        let at = self.instrs.len();
        self.instrs.push(Instr::OnceBegin(cell, 0));
        self.all(ops);
        self.instrs.push(Instr::OnceEnd(cell, mark));
        self.instrs[at] = Instr::OnceBegin(cell, self.instrs.len());
    }

    fn one(&mut self, op: &Op) {
        let mark = mark(self.thread, self.site);
        self.site += 1;
        let simple = match *op {
            Op::Load(number) => Instr::Load(number),
            Op::Store(number, value) => Instr::Store(number, value),
            Op::Update(number, update, value) => Instr::Update(number, update, value),
            Op::CompareExchange(number, old, new) => Instr::CompareExchange(number, old, new),
            Op::Lock(number) => Instr::Lock(number),
            Op::TryLock(number) => Instr::TryLock(number),
            Op::Unlock(number) => Instr::Unlock(number),
            Op::IsPoisoned(number) => Instr::IsPoisoned(number),
            Op::ClearPoison(number) => Instr::ClearPoison(number),
            Op::Bump(number) => Instr::Bump(number),
            Op::Read(number) => Instr::Read(number),
            Op::TryRead(number) => Instr::TryRead(number),
            Op::Write(number) => Instr::Write(number),
            Op::TryWrite(number) => Instr::TryWrite(number),
            Op::RwUnlock(number) => Instr::RwUnlock(number),
            Op::RwIsPoisoned(number) => Instr::RwIsPoisoned(number),
            Op::RwClearPoison(number) => Instr::RwClearPoison(number),
            Op::NotifyOne(number) => Instr::NotifyOne(number),
            Op::NotifyAll(number) => Instr::NotifyAll(number),
            Op::Park => Instr::Park(None),
            Op::ParkTimeout(limit) => Instr::Park(Some(limit)),
            Op::Unpark(thread) => Instr::Unpark(thread),
            Op::TrySend(number) => Instr::TrySend(number, mark),
            Op::TryRecv(number) => Instr::TryRecv(number),
            Op::DropSender(number) => Instr::DropSender(number),
            Op::DropReceiver(number) => Instr::DropReceiver(number),
            Op::IsCompleted(number) => Instr::OnceIs(Cell::Once(number, IfPoisoned::Panics)),
            Op::OnceWait(number) => Instr::OnceWait(Cell::Once(number, IfPoisoned::Panics)),
            Op::CellGet(number) => Instr::OnceIs(Cell::Lock(number, Asked::GetOrInit)),
            Op::CellWait(number) => Instr::OnceWait(Cell::Lock(number, Asked::GetOrInit)),
            Op::Spawn(thread) => Instr::Spawn(thread),
            Op::Join(thread) => Instr::Join(thread),
            Op::IsFinished(thread) => Instr::IsFinished(thread),
            Op::Panic => Instr::Panic,
            Op::Touch => Instr::Touch,
            Op::Sleep(limit) => Instr::Sleep(limit),
            Op::Choose => Instr::Choose,
            _ => return self.compound(op, mark),
        };
        self.instrs.push(simple);
    }

    fn compound(&mut self, op: &Op, mark: u32) {
        match *op {
            Op::Wait(number) => self.wait(number, None),
            Op::WaitTimeout(number, limit) => self.wait(number, Some(limit)),
            Op::WaitWhile(number) => {
                self.add(&[Instr::Lock(number)]);
                let test = self.instrs.len();
                self.add(&[
                    Instr::WhileTest(number, test + 4),
                    Instr::WaitBegin(number, None),
                    Instr::WaitSleep(number, None),
                    Instr::RelockWhile(number, test),
                ]);
            }
            Op::Send(number) => {
                self.add(&[Instr::Send(number, mark), Instr::SendAwait(number)]);
            }
            Op::Recv(number) => {
                self.add(&[Instr::Recv(number, None), Instr::RecvAwait(number, None)]);
            }
            Op::RecvTimeout(number, limit) => self.add(&[
                Instr::Recv(number, Some(limit)),
                Instr::RecvAwait(number, Some(limit)),
            ]),
            Op::Once(way, number, ref ops) => match way {
                OnceWay::Call => self.once(Cell::Once(number, IfPoisoned::Panics), mark, ops),
                OnceWay::Force => self.once(Cell::Once(number, IfPoisoned::Runs), mark, ops),
                OnceWay::Cell => self.once(Cell::Lock(number, Asked::GetOrInit), mark, ops),
                OnceWay::Lazy => self.once(Cell::Lazy, mark, &self.program.lazy),
            },
            Op::CellSet(number) => self.once(Cell::Lock(number, Asked::Set), mark, &[]),
            Op::BarrierWait => self.add(&[Instr::BarrierArrive, Instr::BarrierSleep]),
            Op::Scope(ref threads, ref ops) => {
                let at = self.instrs.len();
                self.instrs.push(Instr::CatchBegin(0));
                for &thread in threads {
                    self.instrs.push(Instr::Spawn(thread));
                }
                self.all(ops);
                let set = threads.iter().fold(0, |set, thread| set | 1 << thread);
                self.add(&[Instr::ScopeEnd(set), Instr::CatchEnd]);
                self.instrs[at] = Instr::CatchBegin(self.instrs.len());
            }
            Op::Catch(ref ops) => {
                let at = self.instrs.len();
                self.instrs.push(Instr::CatchBegin(0));
                self.all(ops);
                self.instrs.push(Instr::CatchEnd);
                self.instrs[at] = Instr::CatchBegin(self.instrs.len());
            }
            Op::Release => self.release(),
            Op::BlockOn(ref awaits) => {
                // A task is one future, whatever it awaits.
                if !self.program.is_task(self.thread) {
                    self.instrs.push(Instr::NewFuture);
                }
                for &awaited in awaits {
                    self.await_one(awaited);
                }
            }
            Op::RunTasks(ref tasks) => {
                let set = tasks.iter().fold(0, |set, task| set | 1 << task);
                self.add(&[Instr::RunTasks(set), Instr::TasksEnd(set)]);
            }
            Op::Ready => self.add(&[Instr::EndTurn, Instr::GoOnWithTurn]),
            Op::Yield => self.add(&[
                Instr::EndTurn,
                Instr::GoOnWithTurn,
                Instr::EndTurn,
                Instr::BeginTurn,
            ]),
            Op::Signal(number, way) => {
                let set = Instr::SetEvent(number);
                if way == SignalWay::SetThenTake {
                    self.instrs.push(set);
                }
                self.add(&[
                    Instr::LockSlot(number),
                    Instr::TakeWaker(number),
                    Instr::UnlockSlot(number),
                ]);
                if way == SignalWay::TakeThenSet {
                    self.instrs.push(set);
                }
                self.instrs.push(Instr::WakeTaken);
            }
            _ => unreachable!("it is simple"),
        }
    }

    /// A poll of each event in turn, which begins anew whenever the future is woken.
    fn await_one(&mut self, awaited: Await) {
        let is_task = self.program.is_task(self.thread);
        if is_task {
            self.add(&[Instr::EndTurn, Instr::GoOnWithTurn]);
        }
        self.instrs.push(Instr::Await);
        let begin = self.instrs.len();
        let mut over = Vec::new();
        let (events, register) = match awaited {
            Await::One(number, register) => (vec![number], register),
            Await::Join(register) | Await::Select(register) => (vec![0, 1], register),
        };
        for &number in &events {
            let known = self.instrs.len();
            self.instrs.push(Instr::IfSet(1 << number, 0));
            let store = [
                Instr::LockSlot(number),
                Instr::StoreWaker(number, register),
                Instr::UnlockSlot(number),
            ];
            if register == Register::LookThenStore {
                let end = self.instrs.len() + 5;
                self.add(&[Instr::Look(number), Instr::IfSet(1 << number, end)]);
                self.add(&store);
            } else {
                self.add(&store);
                self.add(&[Instr::Look(number)]);
            }
            self.instrs[known] = Instr::IfSet(1 << number, self.instrs.len());
            if let Await::Select(_) = awaited {
                over.push((number, self.instrs.len()));
                self.instrs.push(Instr::IfSet(1 << number, 0));
            }
        }
        let all = events.iter().fold(0, |all, number| all | 1 << number);
        let is_select = matches!(awaited, Await::Select(_));
        if !is_select {
            over.push((0, self.instrs.len()));
            self.instrs.push(Instr::IfSet(all, 0));
        }
        if is_task {
            self.add(&[Instr::EndTurn, Instr::PollTaskLater(begin)]);
        } else {
            self.instrs.push(Instr::PollLater(begin));
        }
        let mut ends = Vec::new();
        for (number, at) in over {
            let Instr::IfSet(bits, _) = self.instrs[at] else {
                unreachable!("a test");
            };
            self.instrs[at] = Instr::IfSet(bits, self.instrs.len());
            if is_select {
                self.add(&[Instr::See(number as u32), Instr::Goto(0)]);
                ends.push(self.instrs.len() - 1);
            }
        }
        for at in ends {
            self.instrs[at] = Instr::Goto(self.instrs.len());
        }
        self.instrs.push(Instr::See(seen::YES));
    }
}
