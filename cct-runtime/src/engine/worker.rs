//! One controlled flow: its stack, its pending operation and what it waits for.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::ptr::null_mut;

use super::enabled::Position;
use super::fiber::{Context, hand_over, prepare};
use super::local::Locals;
use super::look::Look;
use super::panic::{PanicId, Told};
use super::stack::Stack;
use super::stall::Turn;
use super::state::{Engine, Request, engine};
use super::task::Driven;
use super::wait::{TakesNext, wake_all_of};
use crate::operation::{Access, Operation};
use crate::strategy::{Action, ChainId, WorkerId};

/// A worker; kept and used again by the next iteration.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Worker {
    // The pending operation, or the last one while the worker runs.
    pub(super) operation: Operation,
    pub(super) object: usize,
    /// A second object that the operation changes, or 0.
    pub(super) also: usize,
    pub(super) site: &'static Location<'static>,

    pub(super) id: WorkerId,
    pub(super) chain: ChainId,
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
    /// A mark by which its waker knows it, if its object is not enough.
    pub(super) mark: u64,
    /// The lock that it takes when the wait is over.
    pub(super) takes_next: Option<TakesNext>,
    /// What says that it need not wait any longer, if nobody wakes its object.
    pub(super) look: Option<Look>,
    /// True when the last wait ended because of its deadline.
    pub(super) timed_out: bool,
    /// It is a candidate although it waits: its time-out may come.
    pub(super) is_early: bool,
    /// It is a candidate that will take a lock, and has not run since it became one.
    pub(super) contends: bool,
    /// It has been picked after a wait, and that has not been recorded yet.
    pub(super) resumes_wait: bool,
    /// It waits, or has been picked after a wait and that has not been looked at yet.
    pub(super) was_waiting: bool,
    pub(super) park_token: bool,

    /// The steps there were when its closure was over; none before, and once others know of it.
    pub(super) over_since: Option<u32>,
    /// The steps there were when others were switched to.
    pub(super) left_at: u32,
    /// How often it was switched to.
    pub(super) turns: u32,
    /// How often it gave way, for the yield budget.
    pub(super) yields: u32,
    /// What [`super::stall`] keeps about it.
    pub(super) turn: Turn,

    pub(super) locals: Locals,
    /// How many panics it is unwinding from.
    pub(super) panics: usize,
    pub(super) last_panic: Option<PanicId>,
    /// The last news that it had of another one's panic.
    pub(super) told: Option<Told>,
    /// Its closure unwound, and nobody has asked for its result yet.
    pub(super) panic_unobserved: bool,
    /// The thread whose stack it runs on: itself, unless it is a task. Null for a task that nobody polls.
    pub(super) thread: *mut Worker,
    /// How many futures it drives until they are ready, one within the other.
    pub(super) roots: u32,
    /// How often it has handed a future to a call, or such a call was over.
    pub(super) calls: u32,
    /// Who waits on this thread, which is an executor's, for one of its tasks to be picked.
    pub(super) executor_waits: *mut Worker,
    /// What is known of it as a task, if it is one.
    pub(super) task: Option<Driven>,

    /// The calls by which it came to its pending operation, by their number in the record.
    pub(super) called_by: Option<u32>,
    /// Its last operation was in an atomic crate, see [`super::granularity`].
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
    /// Neither: it is a task that nobody polls and that cannot be picked, or a thread that polls a task.
    Away,
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
        let worker = self.add_thread(name, stack_size, spawned_at, body)?;
        // SAFETY: the worker is live, and in no set yet.
        unsafe { self.enabled.insert(worker) };
        Some(worker)
    }

    /// [`Engine::add_worker`] of one that is no candidate.
    pub(super) fn add_thread(
        &mut self,
        name: Option<String>,
        stack_size: Option<usize>,
        spawned_at: &'static Location<'static>,
        body: Box<dyn FnOnce()>,
    ) -> Option<*mut Worker> {
        let stack = self.stacks.get(self.thread_count, stack_size)?;
        self.thread_count += 1;
        let worker = self.add_entry(stack, spawned_at);
        // SAFETY: the worker is live, and its stack is not in use.
        unsafe {
            (*worker).name = name;
            (*worker).body = Some(BodyBox(body));
            (*worker).context = prepare(stack.base);
            (*worker).thread = worker;
        }
        Some(worker)
    }

    /// The next worker, whatever it is going to be.
    pub(super) fn add_entry(
        &mut self,
        stack: Stack,
        spawned_at: &'static Location<'static>,
    ) -> *mut Worker {
        let index = self.worker_count;
        if index == 1 {
            self.gain_company();
        }
        let id = WorkerId(index as u32);
        if self.workers.len() == index {
            let fresh = Box::new(Worker::new(id, stack, spawned_at));
            self.workers.push(Box::into_raw(fresh));
        }
        let worker = self.workers[index];
        self.worker_count += 1;
        if index == 1 {
            // So far there was nobody whose order with the first one could matter.
            self.forget_order();
        }
        // SAFETY: the engine's workers are live; this one is not in use.
        unsafe { (*worker).reset(stack, spawned_at) };
        worker
    }
}

impl Worker {
    fn new(id: WorkerId, stack: Stack, spawned_at: &'static Location<'static>) -> Worker {
        Worker {
            operation: Operation::Start,
            object: 0,
            also: 0,
            site: spawned_at,
            id,
            chain: ChainId(0),
            position: Position::NOWHERE,
            context: null_mut(),
            stack,
            state: State::Enabled,
            spawned_at,
            name: None,
            body: None,
            deadline: u64::MAX,
            holder: None,
            next_waiter: null_mut(),
            mark: 0,
            takes_next: None,
            look: None,
            timed_out: false,
            is_early: false,
            contends: false,
            resumes_wait: false,
            was_waiting: false,
            park_token: false,
            over_since: None,
            left_at: 0,
            turns: 0,
            yields: 0,
            turn: Turn::default(),
            locals: Locals::default(),
            panics: 0,
            last_panic: None,
            told: None,
            panic_unobserved: false,
            thread: null_mut(),
            roots: 0,
            calls: 0,
            executor_waits: null_mut(),
            task: None,
            called_by: None,
            in_atomic_call: false,
        }
    }

    /// Makes it a new worker with the same number. What the last iteration left in it (a closure in the
    /// arena, say) is forgotten, not dropped.
    fn reset(&mut self, stack: Stack, spawned_at: &'static Location<'static>) {
        std::mem::forget(self.body.take());
        std::mem::forget(self.task.take());
        self.name = None;
        self.thread = null_mut();
        self.roots = 0;
        self.calls = 0;
        self.executor_waits = null_mut();
        self.operation = Operation::Start;
        self.object = 0;
        self.also = 0;
        self.site = spawned_at;
        self.position = Position::NOWHERE;
        self.stack = stack;
        self.state = State::Enabled;
        self.spawned_at = spawned_at;
        self.deadline = u64::MAX;
        self.holder = None;
        self.mark = 0;
        self.takes_next = None;
        self.look = None;
        self.timed_out = false;
        self.is_early = false;
        self.contends = false;
        self.resumes_wait = false;
        self.was_waiting = false;
        self.park_token = false;
        self.over_since = None;
        self.left_at = 0;
        self.turns = 0;
        self.yields = 0;
        self.turn.forget();
        self.locals.clear();
        self.panics = 0;
        self.last_panic = None;
        self.told = None;
        self.panic_unobserved = false;
        self.called_by = None;
        self.in_atomic_call = false;
    }

    /// Puts back what [`Worker::action`] said.
    pub(super) fn set_action(&mut self, action: Action) {
        self.operation = action.operation;
        self.object = action.object;
        self.also = action.also;
        self.site = action.site;
    }

    /// Its next operation is this one, which is about no object.
    pub(super) fn set_operation(&mut self, operation: Operation, site: &'static Location<'static>) {
        self.set_action(Action {
            operation,
            object: 0,
            also: 0,
            site,
        });
    }

    /// The pending operation, or the last one while the worker runs.
    #[inline]
    pub(super) fn action(&self) -> Action {
        Action {
            operation: self.operation,
            object: self.object,
            also: self.also,
            site: self.site,
        }
    }

    /// True if its closure is over, and it may be that it is so only from now on: it has made no step
    /// since, and not all others have had their turn, as they last had at the step `quiet_at`.
    pub(super) fn may_be_at_its_end(&self, quiet_at: u32) -> bool {
        let is_last = |since: u32| since + 1 == self.left_at && since >= quiet_at;
        self.over_since.is_some_and(is_last)
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
        if catch_unwind(AssertUnwindSafe(body.0)).is_err() {
            super::thread::abort();
        }
    }
    end_worker()
}

/// Ends the current worker, after its locals; its stack is left as it is. Controlled workers only.
pub fn end_worker() -> ! {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live, and it is the current one.
    unsafe {
        let worker = (*engine).current;
        if catch_unwind(AssertUnwindSafe(|| super::local::destroy_all(worker))).is_err() {
            super::thread::abort();
        }
        (*worker).operation = Operation::End;
        (*worker).object = Worker::end_object(worker);
        (*worker).also = 0;
        (*worker).site = (*worker).spawned_at;
        if (*worker).id.0 == 0 {
            (*engine).body_done = true;
            let last = (*engine).steps().saturating_add((*engine).detached_steps);
            (*engine).limit = (*engine).limit.min(last);
        }
        if (*worker).id.0 == 0 {
            super::early::touch_clock(Access::Writes);
        }
        wake_all_of(engine, Worker::end_object(worker));
        (*engine).idle = 0;
        (*engine).request = Request::End;
        hand_over(engine);
    }
    unreachable!("an ended worker is never picked")
}
