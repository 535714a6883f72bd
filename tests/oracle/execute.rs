//! A program on the engine: each operation by the shim that it names.

use std::sync::Mutex as Native;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicPtr, AtomicU32 as Plain};

use cct::engine;
use cct_shims::std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook};
use cct_shims::std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use cct_shims::std::sync::mpsc::{self, Receiver};
use cct_shims::std::sync::{Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use cct_shims::std::thread::{self, Thread};

use crate::block_on::Event;
use crate::flow::{Flow, Sender};
use crate::outcome::{End, Seen};
use crate::program::{OBJECTS, OnceWay, Op, Program};

/// The most threads, and what each sees at most.
const THREADS: usize = 6;
const ROOM: usize = 40;

/// The values that threads saw, plus one; statics are zero when a schedule begins.
static SEEN: [[Plain; ROOM]; THREADS] = [const { [const { Plain::new(0) }; ROOM] }; THREADS];
static COUNTS: [Plain; THREADS] = [const { Plain::new(0) }; THREADS];
static ENDS: [Plain; THREADS] = [const { Plain::new(0) }; THREADS];
/// The number of each thread's worker, plus one.
static WORKERS: [Plain; THREADS] = [const { Plain::new(0) }; THREADS];
static SHARED: AtomicPtr<Shared> = AtomicPtr::new(std::ptr::null_mut());

/// The objects that all threads share.
pub(crate) struct Shared {
    pub(crate) program: Program,
    pub(crate) atomics: [AtomicU32; OBJECTS],
    pub(crate) mutexes: [Mutex<u32>; OBJECTS],
    pub(crate) condvars: [Condvar; OBJECTS],
    pub(crate) rwlocks: [RwLock<()>; OBJECTS],
    pub(crate) onces: [Once; OBJECTS],
    pub(crate) cells: [OnceLock<u32>; OBJECTS],
    pub(crate) lazy: LazyLock<u32, fn() -> u32>,
    pub(crate) barrier: Barrier,
    pub(crate) events: [Event; OBJECTS],
    /// The ends of channels that each thread begins with; native, since the engine must not see them.
    ends: Native<Vec<Ends>>,
    pub(crate) threads: Native<Vec<Option<Thread>>>,
}

/// The ends of channels that a thread has.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) senders: Vec<Option<Sender>>,
    pub(crate) receivers: Vec<Option<Receiver<u32>>>,
}

/// Runs the program; the test's body.
pub(crate) fn run(program: &Program) {
    set_hook(Box::new(|_| {}));
    let shared: &'static Shared = Box::leak(Box::new(Shared {
        program: program.clone(),
        atomics: Default::default(),
        mutexes: Default::default(),
        condvars: Default::default(),
        rwlocks: Default::default(),
        onces: [const { Once::new() }; OBJECTS],
        cells: Default::default(),
        lazy: LazyLock::new(initialise),
        barrier: Barrier::new(program.barrier),
        events: Default::default(),
        ends: Native::new(ends(program)),
        threads: Native::new(vec![None; program.threads.len()]),
    }));
    SHARED.store(std::ptr::from_ref(shared).cast_mut(), Relaxed);
    publish(shared, 0, thread::current());
    run_thread(shared, 0);
}

/// Lets others unpark the thread.
pub(crate) fn publish(shared: &Shared, thread: usize, handle: Thread) {
    shared.threads.lock().expect("nobody panics")[thread] = Some(handle);
}

/// The closure of a thread.
pub(crate) fn run_thread(shared: &'static Shared, thread: usize) {
    let worker = engine::current().map_or(0, |worker| worker.0);
    WORKERS[thread].store(worker + 1, Relaxed);
    let _ending = Ending(thread);
    let ends = std::mem::take(&mut shared.ends.lock().expect("nobody panics")[thread]);
    let mut flow = Flow::new(shared, thread, ends, 0);
    for op in &shared.program.threads[thread] {
        flow.carry_out(op);
    }
}

/// Notes that a task has come to its end.
pub(crate) fn note_end(task: usize) {
    ENDS[task].store(1, Relaxed);
}

/// Notes how the thread's closure ended, after all else that it does.
struct Ending(usize);

impl Drop for Ending {
    fn drop(&mut self) {
        let end = 1 + u32::from(thread::panicking());
        ENDS[self.0].store(end, Relaxed);
    }
}

cct_shims::thread_local! {
    pub(crate) static LOCAL: std::cell::RefCell<Option<Local>> = std::cell::RefCell::new(None);
}

/// Its destructor does what the program says.
pub(crate) struct Local {
    pub(crate) shared: &'static Shared,
    pub(crate) thread: usize,
}

impl Drop for Local {
    fn drop(&mut self) {
        let program = &self.shared.program;
        let site = width(&program.threads[self.thread], program);
        let mut flow = Flow::new(self.shared, self.thread, Ends::default(), site);
        for op in &program.local {
            flow.carry_out(op);
        }
    }
}

/// How many numbers these operations have.
pub(crate) fn width(ops: &[Op], program: &Program) -> usize {
    ops.iter()
        .map(|op| {
            let inner = match op {
                Op::Once(OnceWay::Lazy, ..) => Some(&program.lazy[..]),
                other => other.inner(),
            };
            1 + inner.map_or(0, |inner| width(inner, program))
        })
        .sum()
}

/// Initialises the `LazyLock`, on the thread that runs.
fn initialise() -> u32 {
    // SAFETY: the iteration's shared objects are leaked into its memory.
    let shared: &'static Shared = unsafe { &*SHARED.load(Relaxed) };
    let worker = engine::current().map_or(0, |worker| worker.0) + 1;
    let mut workers = WORKERS.iter();
    let thread = workers.position(|known| known.load(Relaxed) == worker);
    let thread = thread.expect("threads say which worker they are");
    let site = LAZY_SITES[thread].load(Relaxed);
    let mut flow = Flow::new(shared, thread, Ends::default(), site as usize + 1);
    for op in &shared.program.lazy {
        flow.carry_out(op);
    }
    crate::code::mark(thread, site as usize)
}

/// The number of the operation by which each thread asks for the `LazyLock`.
pub(crate) static LAZY_SITES: [Plain; THREADS] = [const { Plain::new(0) }; THREADS];

fn ends(program: &Program) -> Vec<Ends> {
    let count = program.threads.len();
    let mut all: Vec<Ends> = (0..count).map(|_| Ends::default()).collect();
    for (number, channel) in program.channels.iter().enumerate() {
        let (sender, receiver) = match channel.bound {
            None => {
                let (sender, receiver) = mpsc::channel();
                (Sender::Free(sender), receiver)
            }
            Some(bound) => {
                let (sender, receiver) = mpsc::sync_channel(bound);
                (Sender::Bounded(sender), receiver)
            }
        };
        for (thread, ends) in all.iter_mut().enumerate() {
            let sends = program.sends(thread, number);
            ends.senders.push(sends.then(|| sender.clone()));
            ends.receivers.push(None);
        }
        if let Some(ends) = all.get_mut(channel.receiver) {
            ends.receivers[number] = Some(receiver);
        }
    }
    all
}

/// Notes what a thread saw.
pub(crate) fn see(thread: usize, value: u32) {
    let place = COUNTS[thread].fetch_add(1, Relaxed);
    SEEN[thread][place as usize].store(value, Relaxed);
}

/// The outcome of the schedule that ran last.
pub(crate) fn seen(program: &Program) -> Vec<Seen> {
    let threads = 0..program.threads.len();
    let seen = threads.map(|thread| {
        let count = COUNTS[thread].load(Relaxed) as usize;
        Seen {
            end: match ENDS[thread].load(Relaxed) {
                0 => End::Open,
                1 => End::Returned,
                _ => End::Panicked,
            },
            log: SEEN[thread][..count]
                .iter()
                .map(|value| value.load(Relaxed))
                .collect(),
        }
    });
    seen.collect()
}

/// The atomics at the end of the schedule that ran last.
pub(crate) fn atomics() -> Vec<u32> {
    // SAFETY: the iteration's memory is there until the next one begins.
    let shared = unsafe { SHARED.load(Relaxed).as_ref() };
    shared.map_or_else(Vec::new, |shared| {
        let atomics = shared.atomics.iter();
        atomics.map(|atomic| atomic.load(SeqCst)).collect()
    })
}

/// The thread that is this worker, if one is.
pub(crate) fn thread_of(worker: u32) -> Option<usize> {
    let mut workers = WORKERS.iter();
    workers.position(|known| known.load(Relaxed) == worker + 1)
}

/// Whether what this does panics; the panic is caught.
#[track_caller]
pub(crate) fn panics(does: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(does)).is_err()
}

/// Panics with nothing to say.
pub(crate) fn panic_now() -> ! {
    resume_unwind(Box::new(()))
}
