//! The engine's state, and the one thread-local that leads to it.
//!
//! The engine is reached by raw pointer: its owner is suspended inside it while workers run, so a
//! reference to it must never live across a switch.

use std::cell::Cell;
use std::ptr::null_mut;

use super::alone::Alone;
use super::aside::Onlooker;
use super::children::Children;
use super::conditions::Conditions;
use super::driver::Driver;
use super::early::Early;
use super::enabled::Enabled;
use super::external::{self, Patience, forget_engine_thread};
use super::fiber::Context;
use super::glances::Glances;
use super::granularity::Granularity;
use super::heat::Heats;
use super::hush::Hush;
use super::iteration::End;
use super::look::Looks;
use super::monitors::Registered;
use super::overtime::Overtime;
use super::panic::{Hook, Panics};
use super::record::Recorder;
use super::stack::Stacks;
use super::stall::Stall;
use super::tape::Tape;
use super::vain::Vain;
use super::waiters::Waiters;
use super::wake::Relays;
use super::watch::Watch;
use super::worker::Worker;
use crate::claim::{Exception, Exceptions};
use crate::memory::c_locals::CLocals;
use crate::strategy::{Limits, Rng, WorkerId};
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

/// The thread that calls, if it is controlled: the worker itself, unless that is a task.
pub fn current_thread() -> Option<WorkerId> {
    let engine = engine();
    // SAFETY: a set engine is live and has a current worker, which runs on a thread.
    (!engine.is_null()).then(|| unsafe { (*(*(*engine).current).thread).id })
}

/// The worker that calls, if it is controlled: a thread, or the task that it polls.
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

/// How many iterations, replays included, this process has begun; 0 outside a controlled worker.
pub fn run_number() -> u64 {
    let engine = engine();
    if engine.is_null() {
        return 0;
    }
    // SAFETY: a set engine is live.
    unsafe { (*engine).runs }
}

/// The caller is not controlled any more, for good: it goes on in a process of its own.
pub fn leave() {
    set_engine(null_mut());
    forget_engine_thread();
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

/// The current worker does something that a claim about all schedules leaves out. Does nothing outside a
/// controlled worker.
pub fn leave_out(exception: Exception) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live; no reference is kept.
        unsafe { (*engine).left_out.add(exception) };
    }
}

/// Everything about the iteration under way, and what is kept from one to the next.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
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
    /// Whether somebody wants to know what each step read and wrote.
    pub(super) keeps_values: bool,
    pub(super) recorder: Option<Box<Recorder>>,
    pub(super) watch: Watch,

    pub(super) enabled: Enabled,
    pub(super) waiters: Waiters,
    /// How many workers contend.
    pub(super) contenders: u32,
    pub(super) looks: Looks,
    pub(super) children: Children,
    pub(super) glances: Glances,
    /// For the outside.
    pub(super) patience: Patience,
    /// Those of the iteration under way come first; the rest wait to be used again.
    pub(super) workers: Vec<*mut Worker>,
    pub(super) worker_count: usize,
    /// How many of them have stacks: all but tasks.
    pub(super) thread_count: usize,
    /// Executors of this iteration may let clocks of their own jump when there is nothing to do.
    pub(super) executors_have_clocks: bool,
    /// Tasks that their executors know they have to poll: new ones, those picked, and those woken.
    pub(super) tasks_in_queue: u32,
    /// The worker that goes on without being asked as long as it can, if there is one.
    pub(super) undisturbed: *mut Worker,
    /// Tasks that were picked while they were held back, and have not been polled since.
    pub(super) released_tasks: u32,
    pub(super) relays: Relays,
    /// The last of them to become one.
    pub(super) last_queued: WorkerId,
    /// Workers that wake tasks, with nothing to do.
    pub(super) idle_wakers: Vec<*mut Worker>,
    pub(super) stacks: Stacks,
    pub(super) root: Context,
    pub(super) c_locals: CLocals,

    pub(super) driver: Driver,
    pub(super) tape: Tape,
    pub(super) stall: Stall,
    pub(super) alone: Alone,
    pub(super) overtime: Overtime,
    pub(super) vain: Vain,
    /// Where the program's statics are, and their sizes in bytes.
    pub(super) statics: Vec<(usize, usize)>,

    /// Set while code runs on the current worker that is no part of the execution.
    pub(super) onlooker: Option<Onlooker>,
    /// Only meaningful while the onlooker is the program's allocator.
    pub(super) hush: Hush,
    pub(super) monitors: Vec<Registered>,
    pub(super) conditions: Conditions,
    pub(super) heats: Heats,

    /// Why the current worker hands over.
    pub(super) request: Request,
    /// The time, in virtual nanoseconds.
    pub(super) time: u64,
    /// The step at which the next deadline comes whatever the others do.
    pub(super) patience_ends: u32,
    /// No waiting worker has an earlier deadline than this.
    pub(super) next_deadline: u64,
    pub(super) early: Early,
    /// Nanoseconds between the Unix epoch and virtual time 0.
    pub(super) wall_clock: u64,

    pub(super) iteration: u64,
    /// How many iterations, replays included, this process has begun.
    pub(super) runs: u64,
    /// The step at which the iteration is over whatever happens.
    pub(super) limit: u32,
    /// How many steps there are from when the second worker is made.
    pub(super) bound: u32,
    /// How far the limit is from the step at which the body returned.
    pub(super) detached_steps: u32,
    /// Whether there is more than one candidate.
    pub(super) contested: bool,
    pub(super) yield_budget: u32,
    pub(super) body_done: bool,
    /// The test's body; only meaningful while its iteration runs.
    pub(super) body: Option<Body>,
    pub(super) end: Option<End>,
    /// For hash seeds and `getrandom`.
    pub(super) value_rng: Rng,
    pub(super) hook: Option<Hook>,
    pub(super) panics: Panics,
    /// The slots of worker-locals that the iteration has used, by number.
    pub(super) local_slots: Vec<usize>,
    pub(super) switches: u64,
    /// How many steps had more than one candidate.
    pub(super) contested_steps: u64,
    /// The last step that `contested_steps` takes into account.
    pub(super) counted: u32,
    /// The most candidates of one decision.
    pub(super) widest: u32,
    pub(super) chain_count: u32,
    /// What besides the strategy decided.
    pub(super) limits: Limits,
    /// The step at which nobody could run, last.
    pub(super) quiet_at: u32,
    /// The exceptions of the iteration: what it could not see.
    pub(super) left_out: Exceptions,
    /// The next print is a step, too.
    pub(super) prints_are_steps: bool,
    /// The streams that the step under way has taken for a print, and not given back; 0 for none.
    pub(super) printing: [usize; 2],
    /// What the program said last about its state.
    pub(super) state_hash: u64,
    /// Which operations are steps.
    pub(super) granularity: Granularity,
}

/// Runs a test's body and returns the bug, if there is one.
pub(super) type Body = &'static dyn Fn() -> Option<Bug>;

/// Why the current worker hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Request {
    /// It is at a scheduling point and could go on.
    Point,
    /// It is at a scheduling point and says, or shows, that it waits for others.
    Yield,
    /// It waits.
    Wait,
    /// It has nothing to do, and is no candidate: see [`super::task`].
    Idle,
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
    pub(crate) fn new(tape: Tape, granularity: Granularity, patience: Patience) -> Box<Engine> {
        external::reset();
        Box::new(Engine {
            fuse: 0,
            idle: 0,
            current: null_mut(),
            horizon: 0,
            quantum: 0,
            keeps_values: false,
            recorder: None,
            watch: Watch::default(),
            enabled: Enabled::default(),
            waiters: Waiters::default(),
            contenders: 0,
            looks: Looks::default(),
            children: Children::default(),
            glances: Glances::default(),
            patience,
            workers: Vec::with_capacity(64),
            worker_count: 0,
            thread_count: 0,
            executors_have_clocks: false,
            last_queued: WorkerId(u32::MAX),
            tasks_in_queue: 0,
            released_tasks: 0,
            relays: Relays::default(),
            undisturbed: null_mut(),
            idle_wakers: Vec::new(),
            stacks: Stacks::reserve(),
            root: null_mut(),
            c_locals: CLocals::default(),
            driver: Driver::Nobody,
            tape,
            stall: Stall::default(),
            alone: Alone::default(),
            overtime: Overtime::default(),
            vain: Vain::default(),
            statics: Vec::new(),
            onlooker: None,
            hush: Hush::default(),
            monitors: Vec::new(),
            conditions: Conditions::default(),
            heats: Heats::default(),
            request: Request::Point,
            time: 0,
            patience_ends: 0,
            next_deadline: u64::MAX,
            early: Early::default(),
            wall_clock: 0,
            iteration: 0,
            runs: 0,
            limit: 0,
            bound: 0,
            detached_steps: 0,
            contested: false,
            yield_budget: 1,
            body_done: false,
            body: None,
            end: None,
            value_rng: Rng::new(0),
            hook: None,
            panics: Panics::default(),
            local_slots: Vec::new(),
            switches: 0,
            contested_steps: 0,
            counted: 0,
            widest: 0,
            chain_count: 0,
            limits: Limits::default(),
            quiet_at: 0,
            left_out: Exceptions::NONE,
            prints_are_steps: false,
            printing: [0; 2],
            state_hash: 0,
            granularity,
        })
    }

    /// An engine for tests of its parts: nobody listens to it.
    #[cfg(test)]
    pub(super) fn private() -> Box<Engine> {
        let settings = crate::config::Settings::default().resolve();
        Engine::new(
            Tape::private(),
            Granularity::new(&[], &[]),
            Patience::of(&settings, |_| {}),
        )
    }

    /// From here on the outside is waited for like this.
    pub(crate) fn set_patience(&mut self, patience: Patience) {
        self.patience = patience;
    }

    /// Statics are at these places, with these sizes.
    pub(crate) fn look_at(&mut self, statics: Vec<(usize, usize)>) {
        self.statics = statics;
    }

    /// Gives each worker thread-locals of its own where C code has some.
    pub(crate) fn exchange(&mut self, c_locals: CLocals) {
        self.c_locals = c_locals;
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
        self.hush.fuse = 0;
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
        self.end_hush();
        self.end.get_or_insert(end);
        self.request = Request::Finish;
    }
}
