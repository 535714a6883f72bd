//! One controlled flow: its stack, its pending operation and what it waits for.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use super::enabled::Position;
use super::fiber::{Context, hand_over, prepare};
use super::local::Locals;
use super::panic::PanicRecord;
use super::stack::Stack;
use super::stall::Turn;
use super::state::{Engine, Request, engine};
use super::wait::wake_all_of;
use crate::operation::Operation;
use crate::strategy::WorkerId;

/// A worker; kept and used again by the next iteration.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Worker {
    // The pending operation, or the last one while the worker runs.
    pub(super) operation: Operation,
    pub(super) object: usize,
    pub(super) site: &'static Location<'static>,

    pub(super) id: WorkerId,
    pub(super) position: Position,
    pub(super) context: Context,
    pub(super) stack: Stack,
    pub(super) state: State,
    pub(super) spawned_at: &'static Location<'static>,
    pub(super) name: Option<String>,
    pub(super) body: Option<BodyBox>,

    /// While it waits: when to stop, who holds what it waits for, and the next in its bucket.
    pub(super) deadline: u64,
    pub(super) holder: Option<WorkerId>,
    pub(super) next_waiter: *mut Worker,
    /// True when the last wait ended because of its deadline.
    pub(super) timed_out: bool,
    /// It is a candidate that will take a lock, and has not run since it became one.
    pub(super) contends: bool,
    /// It has been picked after a wait, and that has not been recorded yet.
    pub(super) resumes_wait: bool,
    pub(super) park_token: bool,

    /// How often it gave way, for the yield budget.
    pub(super) yields: u32,
    /// What [`super::stall`] keeps about it.
    pub(super) turn: Turn,

    pub(super) locals: Locals,
    /// How many panics it is unwinding from.
    pub(super) panics: usize,
    pub(super) last_panic: Option<PanicRecord>,
    /// Its closure unwound, and nobody has asked for its result yet.
    pub(super) panic_unobserved: bool,
    /// Its last operation was in an atomic crate, see [`super::point::AtomicCrates`].
    pub(super) in_atomic_call: bool,
}

/// A worker's closure; it does not implement `Debug`.
pub(super) struct BodyBox(pub(super) Box<dyn FnOnce()>);

impl std::fmt::Debug for BodyBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// Whether a worker can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// It can; it is in the enabled set.
    Enabled,
    /// It waits; it is in the waiters' table.
    Waiting,
    /// It has ended.
    Ended,
}

impl Engine {
    /// Adds a worker, which begins when it is picked for the first time; none if there is no stack for it.
    ///
    /// The caller is outside: what is allocated here is kept for later iterations.
    pub(super) fn add_worker(
        &mut self,
        name: Option<String>,
        stack_size: Option<usize>,
        spawned_at: &'static Location<'static>,
        body: Box<dyn FnOnce()>,
    ) -> Option<*mut Worker> {
        let index = self.worker_count;
        let stack = self.stacks.get(index, stack_size)?;
        let id = WorkerId(index as u32);
        if self.workers.len() == index {
            let fresh = Box::new(Worker::new(id, stack, spawned_at));
            self.workers.push(Box::into_raw(fresh));
        }
        let worker = self.workers[index];
        self.worker_count += 1;
        // SAFETY: the engine's workers are live; this one is not in use, and neither is its stack.
        unsafe {
            (*worker).reset(stack, spawned_at);
            (*worker).name = name;
            (*worker).body = Some(BodyBox(body));
            (*worker).context = prepare(stack.base);
            self.enabled.insert(worker);
        }
        Some(worker)
    }
}

impl Worker {
    fn new(id: WorkerId, stack: Stack, spawned_at: &'static Location<'static>) -> Worker {
        Worker {
            operation: Operation::Start,
            object: 0,
            site: spawned_at,
            id,
            position: Position::NOWHERE,
            context: std::ptr::null_mut(),
            stack,
            state: State::Enabled,
            spawned_at,
            name: None,
            body: None,
            deadline: u64::MAX,
            holder: None,
            next_waiter: std::ptr::null_mut(),
            timed_out: false,
            contends: false,
            resumes_wait: false,
            park_token: false,
            yields: 0,
            turn: Turn::default(),
            locals: Locals::default(),
            panics: 0,
            last_panic: None,
            panic_unobserved: false,
            in_atomic_call: false,
        }
    }

    /// Makes it a new worker with the same number. What the last iteration left in it (a closure in the
    /// arena, say) is forgotten, not dropped.
    fn reset(&mut self, stack: Stack, spawned_at: &'static Location<'static>) {
        std::mem::forget(self.body.take());
        self.operation = Operation::Start;
        self.object = 0;
        self.site = spawned_at;
        self.position = Position::NOWHERE;
        self.stack = stack;
        self.state = State::Enabled;
        self.spawned_at = spawned_at;
        self.deadline = u64::MAX;
        self.holder = None;
        self.timed_out = false;
        self.contends = false;
        self.resumes_wait = false;
        self.park_token = false;
        self.yields = 0;
        self.turn.forget();
        self.locals.clear();
        self.panics = 0;
        self.last_panic = None;
        self.panic_unobserved = false;
        self.in_atomic_call = false;
    }

    /// The object that those wait for who wait for this worker's end.
    pub(super) fn end_object(worker: *mut Worker) -> usize {
        worker as usize
    }

    /// The object that the worker waits for while it is parked.
    pub(super) fn park_object(worker: *mut Worker) -> usize {
        worker as usize + 1
    }
}

/// What runs on a worker's stack, from its first pick to its end.
pub(super) extern "C" fn worker_main() -> ! {
    let engine = engine();
    // SAFETY: a worker runs only while its engine is live, and it is the current one.
    unsafe {
        let worker = (*engine).current;
        let body = (*worker).body.take().expect("a worker begins once");
        // A shim's closure catches the user's panics; what comes through is a destructor's, as in std.
        let finished = catch_unwind(AssertUnwindSafe(body.0))
            .and_then(|()| catch_unwind(AssertUnwindSafe(|| super::local::destroy_all(worker))));
        if finished.is_err() {
            super::thread::abort();
        }
        (*worker).operation = Operation::End;
        (*worker).object = Worker::end_object(worker);
        (*worker).site = (*worker).spawned_at;
        if (*worker).id.0 == 0 {
            (*engine).body_done = true;
            let last = (*engine).steps().saturating_add((*engine).detached_steps);
            (*engine).limit = (*engine).limit.min(last);
        }
        wake_all_of(engine, Worker::end_object(worker));
        (*engine).idle = 0;
        (*engine).request = Request::End;
        hand_over(engine);
    }
    unreachable!("an ended worker is never picked")
}
