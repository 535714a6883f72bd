//! The engine's state, and the one thread-local that leads to it.
//!
//! The engine is reached by raw pointer: its owner is suspended inside it while workers run, so a
//! reference to it must never live across a switch.

use std::cell::Cell;
use std::ptr::null_mut;

use super::enabled::Enabled;
use super::external;
use super::fiber::Context;
use super::iteration::End;
use super::panic::Hook;
use super::record::Recorder;
use super::replay::Replay;
use super::stack::Stacks;
use super::stall::Stall;
use super::tape::Tape;
use super::waiters::Waiters;
use super::worker::Worker;
use crate::strategy::{Rng, Strategy, WorkerId};
use crate::verdict::Bug;

thread_local! {
    /// The engine while a controlled worker runs on this OS thread, else null.
    static ENGINE: Cell<*mut Engine> = const { Cell::new(null_mut()) };
}

/// The engine, if the caller is a controlled worker.
#[inline]
pub(crate) fn engine() -> *mut Engine {
    ENGINE.get()
}

/// Says that the code from here on is, or is not (null), that of a controlled worker.
#[inline]
pub(super) fn set_engine(engine: *mut Engine) {
    ENGINE.set(engine);
}

/// The address of the thread-local, which the restore of thread-locals must leave alone.
pub(crate) fn engine_cell() -> (usize, usize) {
    ENGINE.with(|cell| (std::ptr::from_ref(cell) as usize, size_of_val(cell)))
}

/// True on a controlled worker.
///
/// There a shim must not block the OS thread, and must declare its operations.
#[inline]
pub fn is_controlled() -> bool {
    !engine().is_null()
}

/// The worker that calls, if it is controlled.
pub fn current() -> Option<WorkerId> {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker.
    (!engine.is_null()).then(|| unsafe { (*(*engine).current).id })
}

/// The number of the iteration under way, from 1; 0 outside a controlled worker.
///
/// Handles made in another iteration are stale.
pub fn iteration() -> u64 {
    let engine = engine();
    if engine.is_null() {
        return 0;
    }
    // SAFETY: a set engine is live.
    unsafe { (*engine).iteration }
}

/// Runs `f` as if the caller were not controlled: what it allocates outlives the iteration, and nothing
/// in it is a scheduling point. `f` must not wait for a controlled worker.
pub fn outside<R>(f: impl FnOnce() -> R) -> R {
    /// Puts the engine back also when `f` unwinds.
    struct Back(*mut Engine);
    impl Drop for Back {
        fn drop(&mut self) {
            set_engine(self.0);
        }
    }
    let _back = Back(engine());
    set_engine(null_mut());
    f()
}

/// Everything about the iteration under way, and what is kept from one to the next.
pub(crate) struct Engine {
    // The fast path of a scheduling point touches the first few fields only.
    /// How many scheduling points may pass before a decision is due.
    pub(super) fuse: u32,
    /// How many steps in a row changed nothing that others can see.
    pub(super) idle: u32,
    pub(super) current: *mut Worker,
    /// The number of the step at which the fuse will have burnt down.
    pub(super) horizon: u32,
    /// How many points the strategy's last answer still covers, beyond the fuse.
    pub(super) quantum: u32,
    pub(super) recorder: Option<Box<Recorder>>,

    pub(super) enabled: Enabled,
    pub(super) waiters: Waiters,
    /// How many workers contend.
    pub(super) contenders: u32,
    /// Those of the iteration under way come first; the rest wait to be used again.
    pub(super) workers: Vec<*mut Worker>,
    pub(super) worker_count: usize,
    pub(super) stacks: Stacks,
    pub(super) root: Context,

    pub(super) driver: Driver,
    pub(super) tape: Tape,
    pub(super) stall: Stall,

    /// Why the current worker hands over.
    pub(super) request: Request,
    /// The time, in virtual nanoseconds.
    pub(super) time: u64,
    /// The step from which on there has been a deadline, or at which the last one came.
    pub(super) deadline_since: u32,
    /// For how many steps of others a deadline is waited for.
    pub(super) patience: u32,
    /// No waiting worker has an earlier deadline than this.
    pub(super) next_deadline: u64,
    /// Nanoseconds between the Unix epoch and virtual time 0.
    pub(super) wall_clock: u64,

    pub(super) iteration: u64,
    /// The step at which the iteration is over whatever happens.
    pub(super) limit: u32,
    /// How far the limit is from the step at which the body returned.
    pub(super) detached_steps: u32,
    /// Whether there was anything to decide at the last decision.
    pub(super) contested: bool,
    pub(super) yield_budget: u32,
    pub(super) body_done: bool,
    /// The test's body; only meaningful while its iteration runs.
    pub(super) body: Option<Body>,
    pub(super) end: Option<End>,
    /// For hash seeds and `getrandom`.
    pub(super) value_rng: Rng,
    pub(super) hook: Option<Hook>,
    pub(super) local_slots: u32,
    pub(super) switches: u64,
    /// Crates whose operations are no scheduling points.
    pub(super) atomic: super::point::AtomicCrates,
}

/// Runs a test's body and returns the bug, if there is one.
pub(super) type Body = &'static dyn Fn() -> Option<Bug>;

/// Who decides.
pub(super) enum Driver {
    /// A strategy, owned by whoever explores.
    Search(*mut dyn Strategy),
    /// A schedule that is to be repeated.
    Replay(Replay),
}

/// Why the current worker hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// It is at a scheduling point and could go on.
    Point,
    /// It is at a scheduling point and says, or shows, that it waits for others.
    Yield,
    /// It waits.
    Wait,
    /// It has ended.
    End,
    /// The iteration is over: `end` is set.
    Finish,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("iteration", &self.iteration)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that records to the given tape; about 2 MB, for the rest of the process.
    pub(crate) fn new(tape: Tape, atomic: &[String]) -> Box<Engine> {
        external::reset();
        Box::new(Engine {
            fuse: 0,
            idle: 0,
            current: null_mut(),
            horizon: 0,
            quantum: 0,
            recorder: None,
            enabled: Enabled::default(),
            waiters: Waiters::default(),
            contenders: 0,
            workers: Vec::with_capacity(64),
            worker_count: 0,
            stacks: Stacks::reserve(),
            root: null_mut(),
            driver: Driver::Replay(Replay::default()),
            tape,
            stall: Stall::default(),
            request: Request::Point,
            time: 0,
            deadline_since: 0,
            patience: 0,
            next_deadline: u64::MAX,
            wall_clock: 0,
            iteration: 0,
            limit: 0,
            detached_steps: 0,
            contested: false,
            yield_budget: 1,
            body_done: false,
            body: None,
            end: None,
            value_rng: Rng::new(0),
            hook: None,
            local_slots: 0,
            switches: 0,
            atomic: super::point::AtomicCrates::new(atomic),
        })
    }

    /// The number of steps so far.
    #[inline]
    pub(super) fn steps(&self) -> u32 {
        self.horizon - self.fuse
    }

    /// Makes a decision due at the next scheduling point.
    pub(super) fn interrupt(&mut self) {
        self.horizon -= self.fuse;
        self.fuse = 0;
        self.quantum = 0;
    }

    /// The worker with this number; it must be of this iteration.
    pub(super) fn worker(&self, id: WorkerId) -> *mut Worker {
        assert!(
            (id.0 as usize) < self.worker_count,
            "worker {} is not of this iteration",
            id.0
        );
        self.workers[id.0 as usize]
    }

    /// The workers of this iteration.
    pub(super) fn live_workers(&self) -> &[*mut Worker] {
        &self.workers[..self.worker_count]
    }

    /// Ends the iteration at the next hand-over.
    pub(super) fn finish(&mut self, end: End) {
        self.end.get_or_insert(end);
        self.request = Request::Finish;
    }
}
