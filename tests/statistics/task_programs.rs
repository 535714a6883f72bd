//! Small asynchronous programs as data, drawn at random, on executors made of shims.
//!
//! Rewritten source is written by hand here: nothing rebuilds this crate.

use std::collections::VecDeque;
use std::future::{Future, poll_fn, ready};
use std::pin::{Pin, pin};
use std::sync::atomic::AtomicU32 as Plain;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex as Hidden};
use std::task::{Context, Poll, Wake, Waker};

use cct::strategy::Rng;
use cct_shims::future::{AwaitPoint as _, Driven};
use cct_shims::std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use cct_shims::std::sync::{Condvar, Mutex, MutexGuard};
use cct_shims::std::thread;

/// The operations of a task; the number is that of the object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Load(usize),
    Store(usize),
    /// The same for a variable that is no atomic, as tasks of one thread may share it.
    Get,
    Set,
    /// Awaits what is ready.
    Await,
    /// Is not ready once.
    Yield,
    /// Waits until it is notified, or goes on if it has been.
    Notified,
    Notify,
    /// Takes the mutex of a thread, perhaps for longer than until the next await.
    Lock,
    Unlock,
    /// Wakes the task that was spawned before, for nothing.
    WakeOther,
}

/// The operations of each task.
pub(crate) type Program = Vec<Vec<Op>>;

/// Families of operations that a program is drawn from.
pub(crate) const FAMILIES: &[(&str, &[Op])] = &[
    (
        "awaits",
        &[
            Op::Load(0),
            Op::Store(0),
            Op::Await,
            Op::Load(1),
            Op::Store(1),
        ],
    ),
    ("plain variables", &[Op::Get, Op::Set, Op::Await]),
    (
        "yields",
        &[Op::Load(0), Op::Store(0), Op::Yield, Op::Get, Op::Set],
    ),
    (
        "notifications",
        &[Op::Notified, Op::Notify, Op::Get, Op::Set, Op::Await],
    ),
    (
        "wakes for nothing",
        &[
            Op::Notified,
            Op::WakeOther,
            Op::Load(0),
            Op::Store(0),
            Op::Yield,
        ],
    ),
    (
        "locks",
        &[Op::Lock, Op::Unlock, Op::Await, Op::Get, Op::Set],
    ),
];

/// Draws a program.
pub(crate) fn draw(rng: &mut Rng, ops: &[Op]) -> Program {
    let tasks = 2 + rng.below(2);
    let length = if tasks == 2 { 4 } else { 2 };
    let mut task = || {
        let count = 1 + rng.below(length);
        let mut op = || ops[rng.below(ops.len() as u32) as usize];
        (0..count).map(|_| op()).collect()
    };
    (0..tasks).map(|_| task()).collect()
}

/// The threads that poll the tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Executor {
    /// The thread that blocks on what joins them.
    Local,
    /// A thread of its own, while another one blocks on the first task and on what joins the others.
    Pool,
}

/// The most values that a task sees.
const ROOM: usize = 8;

/// The values that each task saw, and at last the final values; statics are zero when a schedule begins.
static SEEN: [[Plain; ROOM]; 5] = [const { [const { Plain::new(0) }; ROOM] }; 5];

/// The values seen in the schedule that ran last.
pub(crate) fn seen() -> Vec<u32> {
    let values = SEEN.iter().flatten();
    values.map(|value| value.load(Relaxed)).collect()
}

#[derive(Debug, Default)]
struct Shared {
    atomics: [AtomicU32; 2],
    plain: Plain,
    event: Mutex<Event>,
    mutex: Mutex<()>,
    wakers: Mutex<Vec<Option<Waker>>>,
}

/// The wakers that wait to be notified, and whether one has been notified while nobody waited.
#[derive(Debug, Default)]
struct Event {
    is_set: bool,
    waiting: VecDeque<Waker>,
}

/// Runs the program as it is rewritten; the test's body.
pub(crate) fn run(executor: Executor, program: &Program) {
    let (shared, pool) = begin(executor);
    pool.run_until(Driven::root(rewritten(executor, program, shared, pool)));
    end(shared);
}

/// Runs it as it is written.
pub(crate) fn run_as_written(executor: Executor, program: &Program) {
    let (shared, pool) = begin(executor);
    pool.run_until(written(executor, program, shared, pool));
    end(shared);
}

fn begin(executor: Executor) -> (&'static Shared, &'static Pool) {
    let shared: &'static Shared = Box::leak(Box::default());
    let pool: &'static Pool = Box::leak(Box::new(Pool::new(executor)));
    if executor == Executor::Pool {
        thread::spawn(|| pool.work());
    }
    (shared, pool)
}

fn end(shared: &Shared) {
    for (slot, atomic) in SEEN[4].iter().zip(&shared.atomics) {
        slot.store(atomic.load(SeqCst), Relaxed);
    }
    SEEN[4][2].store(shared.plain.load(Relaxed), Relaxed);
}

/// The same asynchronous functions, with await points and without.
macro_rules! functions {
    ($main:ident, $flow:ident, $driven:path $(, $point:ident)?) => {
        /// Spawns the flows, and waits for them.
        async fn $main(
            executor: Executor,
            program: &Program,
            shared: &'static Shared,
            pool: &'static Pool,
        ) {
            let flows = program.iter().enumerate();
            let mut flows = flows.map(|(number, ops)| $flow(number, ops.clone(), shared));
            let own = (executor == Executor::Pool).then(|| flows.next()).flatten();
            let spawn = |flow| {
                let end = Arc::<End>::default();
                let told = Arc::clone(&end);
                let work = async move {
                    let flow: Flow = Box::pin(flow);
                    flow$(.$point(|| ()))?.await;
                    pool.tell_end(&told);
                };
                pool.add($driven(work));
                pool.joined(end)
            };
            let joins: Vec<_> = flows.map(spawn).collect();
            if let Some(own) = own {
                own$(.$point(|| ()))?.await;
            }
            for join in joins {
                join$(.$point(|| ()))?.await;
            }
        }

        async fn $flow(number: usize, ops: Vec<Op>, shared: &'static Shared) {
            let mark = number as u32 + 1;
            let mut held = Held(None);
            let mut seen = 0;
            let mut see = |value: u32| {
                SEEN[number][seen].store(value + 1, Relaxed);
                seen += 1;
            };
            if ops.contains(&Op::Yield) || ops.contains(&Op::Notified) {
                let waker = poll_fn(|context| Poll::Ready(context.waker().clone())).await;
                let mut wakers = shared.wakers.lock().expect("no panic");
                let room = wakers.len().max(number + 1);
                wakers.resize(room, None);
                wakers[number] = Some(waker);
            }
            for op in ops {
                match op {
                    Op::Load(index) => see(shared.atomics[index].load(SeqCst)),
                    Op::Store(index) => shared.atomics[index].store(mark, SeqCst),
                    Op::Get => see(shared.plain.load(Relaxed)),
                    Op::Set => shared.plain.store(mark, Relaxed),
                    Op::Await => ready(())$(.$point(|| ()))?.await,
                    Op::Yield => {
                        let mut is_over = false;
                        let not_ready_once = poll_fn(move |context| {
                            if std::mem::replace(&mut is_over, true) {
                                return Poll::Ready(());
                            }
                            context.waker().wake_by_ref();
                            Poll::Pending
                        });
                        not_ready_once$(.$point(|| ()))?.await;
                    }
                    Op::Notified => notified(shared)$(.$point(|| ()))?.await,
                    Op::Notify => notify(shared),
                    Op::Lock => {
                        if held.0.is_none() {
                            held.0 = Some(shared.mutex.lock().expect("no panic"));
                        }
                    }
                    Op::Unlock => held.0 = None,
                    Op::WakeOther => {
                        let wakers = shared.wakers.lock().expect("no panic");
                        let other = number.checked_sub(1).and_then(|other| wakers.get(other));
                        let waker = other.cloned().flatten();
                        drop(wakers);
                        if let Some(waker) = waker {
                            waker.wake();
                        }
                    }
                }
            }
        }
    };
}

functions!(rewritten, rewritten_flow, Driven::spawned, __cct_await);
functions!(written, written_flow, std::convert::identity);

/// A lock that is held across awaits.
struct Held(Option<MutexGuard<'static, ()>>);

// SAFETY: the shim's guard belongs to a worker and not to an OS thread, of which there is one.
unsafe impl Send for Held {}

fn notified(shared: &'static Shared) -> impl Future<Output = ()> {
    let mut waits = false;
    poll_fn(move |context| {
        let mut event = shared.event.lock().expect("no panic");
        if std::mem::take(&mut event.is_set) {
            return Poll::Ready(());
        }
        if !std::mem::replace(&mut waits, true) {
            event.waiting.push_back(context.waker().clone());
        }
        Poll::Pending
    })
}

fn notify(shared: &'static Shared) {
    let mut event = shared.event.lock().expect("no panic");
    event.is_set = true;
    let waker = event.waiting.pop_front();
    drop(event);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// Whether a task is over, and who waits for that.
type End = Hidden<(bool, Option<Waker>)>;

type Flow = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An executor. Its state is hidden from the engine, as it is where tasks never leave their thread; where
/// they do, there is a lock around it that the engine sees.
struct Pool {
    executor: Executor,
    queue: Hidden<VecDeque<Arc<Node>>>,
    lock: Mutex<()>,
    comes: Condvar,
    is_main_woken: Plain,
    thread: thread::Thread,
}

struct Node {
    pool: &'static Pool,
    /// None once it is over.
    future: Hidden<Option<Flow>>,
    lock: Mutex<()>,
    is_queued: Plain,
}

impl Pool {
    fn new(executor: Executor) -> Pool {
        Pool {
            executor,
            queue: Hidden::default(),
            lock: Mutex::default(),
            comes: Condvar::new(),
            is_main_woken: Plain::new(1),
            thread: thread::current(),
        }
    }

    /// Keeps others out, if there are any.
    fn enter<'a>(&self, lock: &'a Mutex<()>) -> Option<MutexGuard<'a, ()>> {
        let is_shared = self.executor == Executor::Pool;
        is_shared.then(|| lock.lock().expect("no panic"))
    }

    /// Takes a task to be polled.
    fn add(&'static self, future: impl Future<Output = ()> + Send + 'static) {
        Arc::new(Node {
            pool: self,
            future: Hidden::new(Some(Box::pin(future))),
            lock: Mutex::default(),
            is_queued: Plain::new(0),
        })
        .wake();
    }

    /// A task is over.
    fn tell_end(&self, end: &End) {
        let waker = {
            let _turn = self.enter(&self.lock);
            let mut end = end.lock().expect("no panic");
            end.0 = true;
            end.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Ready when the task is over.
    fn joined(&'static self, end: Arc<End>) -> impl Future<Output = ()> {
        poll_fn(move |context| {
            let _turn = self.enter(&self.lock);
            let mut end = end.lock().expect("no panic");
            if end.0 {
                return Poll::Ready(());
            }
            end.1 = Some(context.waker().clone());
            Poll::Pending
        })
    }

    /// Drives a future on this thread, and tasks too unless they have threads of their own.
    fn run_until(&'static self, main: impl Future<Output = ()>) {
        let mut main = pin!(main);
        let waker = Waker::from(Arc::new(Main(self)));
        loop {
            let is_woken = self.is_main_woken.swap(0, Relaxed) == 1;
            if is_woken
                && main
                    .as_mut()
                    .poll(&mut Context::from_waker(&waker))
                    .is_ready()
            {
                return;
            }
            let is_local = self.executor == Executor::Local;
            let node = is_local.then(|| self.queue.lock().expect("no panic").pop_front());
            match node.flatten() {
                Some(node) => node.poll(),
                None if is_woken => {}
                None => thread::park(),
            }
        }
    }

    /// Polls tasks for ever.
    fn work(&self) {
        loop {
            let mut turn = self.lock.lock().expect("no panic");
            let node = loop {
                let node = self.queue.lock().expect("no panic").pop_front();
                match node {
                    Some(node) => break node,
                    None => turn = self.comes.wait(turn).expect("no panic"),
                }
            };
            drop(turn);
            node.poll();
        }
    }
}

impl Node {
    fn poll(self: &Arc<Node>) {
        let _turn = self.pool.enter(&self.lock);
        self.is_queued.store(0, Relaxed);
        let mut place = self.future.lock().expect("no panic");
        let waker = Waker::from(Arc::clone(self));
        let context = &mut Context::from_waker(&waker);
        if let Some(future) = place.as_mut()
            && future.as_mut().poll(context).is_ready()
        {
            *place = None;
        }
    }
}

impl Wake for Node {
    fn wake(self: Arc<Node>) {
        let pool = self.pool;
        let _turn = pool.enter(&pool.lock);
        if self.is_queued.swap(1, Relaxed) == 0 {
            pool.queue.lock().expect("no panic").push_back(self);
        }
        match pool.executor {
            Executor::Pool => pool.comes.notify_one(),
            Executor::Local => pool.unpark(),
        }
    }
}

/// Wakes what the executor blocks on.
struct Main(&'static Pool);

impl Wake for Main {
    fn wake(self: Arc<Main>) {
        self.0.is_main_woken.store(1, Relaxed);
        self.0.unpark();
    }
}

impl Pool {
    fn unpark(&self) {
        if thread::current().id() != self.thread.id() {
            self.thread.unpark();
        }
    }
}
