//! Small programs as data, drawn at random, that say what they saw.

use std::sync::atomic::AtomicU32 as Plain;
use std::sync::atomic::Ordering::Relaxed;

use cct::strategy::Rng;
use cct_shims::std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use cct_shims::std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use cct_shims::std::sync::{
    Barrier, Condvar, Mutex, MutexGuard, Once, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use cct_shims::std::thread;

/// The operations of a worker; the number is that of the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Load(usize),
    Store(usize),
    Add(usize),
    CompareExchange(usize),
    Lock(usize),
    TryLock(usize),
    Unlock(usize),
    Read(usize),
    Write(usize),
    TryRead(usize),
    TryWrite(usize),
    RwUnlock(usize),
    /// With the mutex of that number, which it takes for the time.
    Wait(usize),
    NotifyOne(usize),
    NotifyAll(usize),
    Park,
    /// The worker of that number.
    Unpark(usize),
    CallOnce(usize),
    IsCompleted(usize),
    BarrierWait,
    Choose,
    Send,
    /// Only worker 0 receives.
    Recv,
    TryRecv,
    SendBounded,
    RecvBounded,
    Fence,
}

/// The operations of each worker.
pub(crate) type Program = Vec<Vec<Op>>;

/// Families of operations that a program is drawn from.
pub(crate) const FAMILIES: &[(&str, &[Op])] = &[
    (
        "atomics",
        &[
            Op::Load(0),
            Op::Store(0),
            Op::Add(0),
            Op::CompareExchange(0),
            Op::Load(1),
            Op::Store(1),
        ],
    ),
    (
        "locks",
        &[
            Op::Lock(0),
            Op::Unlock(0),
            Op::Lock(1),
            Op::Unlock(1),
            Op::Load(0),
            Op::Store(0),
        ],
    ),
    (
        "tries",
        &[
            Op::Lock(0),
            Op::TryLock(0),
            Op::Unlock(0),
            Op::TryLock(1),
            Op::Store(0),
        ],
    ),
    (
        "rwlocks",
        &[
            Op::Read(0),
            Op::Write(0),
            Op::RwUnlock(0),
            Op::Load(0),
            Op::Store(0),
        ],
    ),
    (
        "rwlock tries",
        &[
            Op::Read(0),
            Op::Write(0),
            Op::TryRead(0),
            Op::TryWrite(0),
            Op::RwUnlock(0),
        ],
    ),
    (
        "condvars",
        &[
            Op::Wait(0),
            Op::NotifyOne(0),
            Op::NotifyAll(0),
            Op::Lock(0),
            Op::Unlock(0),
        ],
    ),
    (
        "parking",
        &[
            Op::Park,
            Op::Unpark(0),
            Op::Unpark(1),
            Op::Unpark(2),
            Op::Store(0),
            Op::Load(0),
        ],
    ),
    (
        "once",
        &[
            Op::CallOnce(0),
            Op::IsCompleted(0),
            Op::CallOnce(0),
            Op::Load(0),
            Op::Store(0),
        ],
    ),
    ("barriers", &[Op::BarrierWait, Op::Load(0), Op::Store(0)]),
    (
        "channels",
        &[Op::Send, Op::Recv, Op::TryRecv, Op::Load(0), Op::Store(0)],
    ),
    (
        "bounded channels",
        &[
            Op::SendBounded,
            Op::RecvBounded,
            Op::SendBounded,
            Op::Store(0),
        ],
    ),
    (
        "choices",
        &[Op::Choose, Op::Store(0), Op::Load(0), Op::Fence],
    ),
    (
        "under locks",
        &[
            Op::Lock(0),
            Op::Unlock(0),
            Op::CallOnce(0),
            Op::IsCompleted(0),
            Op::SendBounded,
            Op::RecvBounded,
        ],
    ),
    (
        "under reader-writer locks",
        &[
            Op::Read(0),
            Op::Write(0),
            Op::RwUnlock(0),
            Op::CallOnce(0),
            Op::IsCompleted(0),
            Op::Lock(0),
        ],
    ),
    (
        "all",
        &[
            Op::Load(0),
            Op::Store(0),
            Op::Lock(0),
            Op::Unlock(0),
            Op::TryLock(0),
            Op::Read(0),
            Op::Write(0),
            Op::RwUnlock(0),
            Op::Wait(0),
            Op::NotifyOne(0),
            Op::Park,
            Op::Unpark(0),
            Op::Unpark(1),
            Op::CallOnce(0),
            Op::IsCompleted(0),
            Op::Send,
            Op::Recv,
            Op::Choose,
        ],
    ),
];

/// Draws a program.
pub(crate) fn draw(rng: &mut Rng, ops: &[Op]) -> Program {
    let workers = 2 + rng.below(2);
    let length = if workers == 2 { 4 } else { 2 };
    let mut program: Program = (0..workers)
        .map(|_| {
            let count = 1 + rng.below(length);
            (0..count)
                .map(|_| ops[rng.below(ops.len() as u32) as usize])
                .collect()
        })
        .collect();
    for (worker, ops) in program.iter_mut().enumerate() {
        if worker > 0 {
            ops.retain(|op| !matches!(op, Op::Recv | Op::TryRecv | Op::RecvBounded));
        }
    }
    program
}

/// The most values that a worker sees.
const ROOM: usize = 8;

/// The values that each worker saw, and at last the final values; statics are zero when a schedule begins.
static SEEN: [[Plain; ROOM]; 5] = [const { [const { Plain::new(0) }; ROOM] }; 5];

/// Worker `number` saw this; it is the `index`-th thing that it saw.
pub(crate) fn note(number: usize, index: usize, value: u32) {
    SEEN[number][index].store(value, Relaxed);
}

/// The values seen in the schedule that ran last.
pub(crate) fn seen() -> Vec<u32> {
    SEEN.iter()
        .flatten()
        .map(|value| value.load(Relaxed))
        .collect()
}

#[derive(Debug)]
struct Shared {
    atomics: [AtomicU32; 2],
    mutexes: [Mutex<()>; 2],
    rwlock: RwLock<()>,
    condvar: Condvar,
    once: Once,
    barrier: Barrier,
}

/// Runs the program; the test's body.
pub(crate) fn run(program: &Program) {
    let shared: &'static Shared = Box::leak(Box::new(Shared {
        atomics: [const { AtomicU32::new(0) }; 2],
        mutexes: [const { Mutex::new(()) }; 2],
        rwlock: RwLock::new(()),
        condvar: Condvar::new(),
        once: Once::new(),
        barrier: Barrier::new(2),
    }));
    // A channel that nobody uses would have its ends dropped in many orders all the same.
    let uses = |ops: &[Op]| program.iter().flatten().any(|op| ops.contains(op));
    let (sender, receiver) = uses(&[Op::Send, Op::Recv, Op::TryRecv])
        .then(mpsc::channel)
        .unzip();
    let (bounded, taker) = uses(&[Op::SendBounded, Op::RecvBounded])
        .then(|| mpsc::sync_channel(1))
        .unzip();
    let mut threads = vec![thread::current()];
    let mut handles = Vec::new();
    for (number, ops) in program.iter().enumerate().skip(1) {
        let (sender, bounded) = (sender.clone(), bounded.clone());
        let (ops, known) = (ops.clone(), threads.clone());
        let handle = thread::spawn(move || {
            let mut flow = Flow::new(number, shared, known, sender, bounded);
            for op in ops {
                flow.carry_out(op);
            }
        });
        threads.push(handle.thread().clone());
        handles.push(handle);
    }
    let mut flow = Flow::new(0, shared, threads, sender, bounded);
    (flow.receiver, flow.taker) = (receiver, taker);
    for &op in &program[0] {
        flow.carry_out(op);
    }
    drop(flow);
    for handle in handles {
        handle.join().expect("no panic");
    }
    for (slot, atomic) in SEEN[4].iter().zip(&shared.atomics) {
        slot.store(atomic.load(SeqCst), Relaxed);
    }
}

/// A worker under way.
struct Flow {
    number: usize,
    shared: &'static Shared,
    /// The workers that were there when it began.
    threads: Vec<thread::Thread>,
    seen: usize,
    guards: [Option<MutexGuard<'static, ()>>; 2],
    reads: Option<RwLockReadGuard<'static, ()>>,
    writes: Option<RwLockWriteGuard<'static, ()>>,
    sender: Option<Sender<u32>>,
    bounded: Option<SyncSender<u32>>,
    receiver: Option<Receiver<u32>>,
    taker: Option<Receiver<u32>>,
}

impl Flow {
    fn new(
        number: usize,
        shared: &'static Shared,
        threads: Vec<thread::Thread>,
        sender: Option<Sender<u32>>,
        bounded: Option<SyncSender<u32>>,
    ) -> Flow {
        Flow {
            number,
            shared,
            threads,
            seen: 0,
            guards: [None, None],
            reads: None,
            writes: None,
            sender,
            bounded,
            receiver: None,
            taker: None,
        }
    }

    fn see(&mut self, value: u32) {
        SEEN[self.number][self.seen].store(value + 1, Relaxed);
        self.seen += 1;
    }

    fn carry_out(&mut self, op: Op) {
        let shared = self.shared;
        let mark = self.number as u32 + 1;
        match op {
            Op::Load(index) => self.see(shared.atomics[index].load(SeqCst)),
            Op::Store(index) => shared.atomics[index].store(mark, SeqCst),
            Op::Add(index) => {
                let before = shared.atomics[index].fetch_add(10, SeqCst);
                self.see(before);
            }
            Op::CompareExchange(index) => {
                let result = shared.atomics[index].compare_exchange(0, mark, SeqCst, SeqCst);
                self.see(result.unwrap_or_else(|now| now + 100));
            }
            Op::Lock(index) => {
                if self.guards[index].is_none() {
                    self.guards[index] = Some(shared.mutexes[index].lock().expect("no panic"));
                }
            }
            Op::TryLock(index) => {
                if self.guards[index].is_none() {
                    self.guards[index] = shared.mutexes[index].try_lock().ok();
                    self.see(u32::from(self.guards[index].is_some()));
                }
            }
            Op::Unlock(index) => self.guards[index] = None,
            Op::Read(_) => {
                if self.writes.is_none() && self.reads.is_none() {
                    self.reads = Some(shared.rwlock.read().expect("no panic"));
                }
            }
            Op::Write(_) => {
                if self.writes.is_none() && self.reads.is_none() {
                    self.writes = Some(shared.rwlock.write().expect("no panic"));
                }
            }
            Op::TryRead(_) => {
                if self.writes.is_none() && self.reads.is_none() {
                    self.reads = shared.rwlock.try_read().ok();
                    self.see(u32::from(self.reads.is_some()));
                }
            }
            Op::TryWrite(_) => {
                if self.writes.is_none() && self.reads.is_none() {
                    self.writes = shared.rwlock.try_write().ok();
                    self.see(u32::from(self.writes.is_some()));
                }
            }
            Op::RwUnlock(_) => (self.reads, self.writes) = (None, None),
            Op::Wait(index) => {
                let guard = self.guards[index].take();
                let guard =
                    guard.unwrap_or_else(|| shared.mutexes[index].lock().expect("no panic"));
                self.guards[index] = Some(shared.condvar.wait(guard).expect("no panic"));
            }
            Op::NotifyOne(_) => shared.condvar.notify_one(),
            Op::NotifyAll(_) => shared.condvar.notify_all(),
            Op::Park => thread::park(),
            Op::Unpark(worker) => {
                if let Some(thread) = self.threads.get(worker) {
                    thread.unpark();
                }
            }
            Op::CallOnce(_) => {
                let mut ran = false;
                shared.once.call_once(|| {
                    ran = true;
                    shared.atomics[1].store(mark, SeqCst);
                });
                self.see(u32::from(ran));
            }
            Op::IsCompleted(_) => self.see(u32::from(shared.once.is_completed())),
            Op::BarrierWait => {
                let leads = shared.barrier.wait().is_leader();
                self.see(u32::from(leads));
            }
            Op::Choose => self.see(cct::engine::choose_index(2) as u32),
            Op::Send | Op::SendBounded | Op::Recv | Op::TryRecv | Op::RecvBounded => {
                let came = self.pass(op, mark);
                self.see(came.unwrap_or(0));
            }
            Op::Fence => cct_shims::std::sync::atomic::fence(SeqCst),
        }
    }

    /// Sends, or receives, a message; what came of it.
    fn pass(&mut self, op: Op, message: u32) -> Option<u32> {
        let sent = |sent: bool| sent.then_some(1);
        match op {
            Op::Send => sent(self.sender.as_ref()?.send(message).is_ok()),
            Op::SendBounded => sent(self.bounded.as_ref()?.send(message).is_ok()),
            Op::Recv => self.receiver.as_ref()?.recv().ok(),
            Op::RecvBounded => self.taker.as_ref()?.recv().ok(),
            _ => self.receiver.as_ref()?.try_recv().ok(),
        }
    }
}
