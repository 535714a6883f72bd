//! One controlled flow: its stack, its pending operation and what it waits for.

use std::borrow::Cow;
use std::panic::Location;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::driven::{Driven, Stage};
use super::enabled::Position;
use super::locals::Locals;
use super::panics::{PanicId, Told};
use super::tasks::Counts;
use super::turn::Turn;
use crate::engine::switch::{Context, FloatControl, SignalMask, Stack};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::race::ThreadNumber;
use crate::strategy::{Action, ChainId, WorkerId};

/// A worker; kept and used again by the next iteration.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Worker {
    // The pending operation, or the last one while the worker runs.
    pub(crate) operation: Operation,
    pub(crate) object: ObjectId,
    /// A second object that the operation changes.
    pub(crate) also: ObjectId,
    pub(crate) site: &'static Location<'static>,

    pub(crate) id: WorkerId,
    pub(crate) chain: ChainId,
    /// The next event that it sends goes on with its chain.
    pub(crate) hands_on: bool,
    pub(super) position: Position,
    pub(crate) context: Context,
    pub(crate) stack: Stack,
    /// Only [`super::roster`] changes it.
    state: State,
    pub(crate) spawned_at: &'static Location<'static>,
    pub(crate) name: Option<Cow<'static, str>>,
    pub(crate) body: Option<BodyBox>,

    /// While it waits: when to stop, who holds what it waits for, and the next in its bucket.
    pub(crate) deadline: u64,
    pub(crate) holder: Option<WorkerId>,
    pub(super) next_waiter: *mut Worker,
    /// A mark by which its waker knows it, if its object is not enough.
    pub(crate) mark: u64,
    /// The lock that it takes when the wait is over.
    pub(crate) takes_next: Option<TakesNext>,
    /// The look that says that it need not wait any longer, if nobody wakes its object.
    pub(crate) ready: Option<ReadyPredicate>,
    /// True when the last wait ended because of its deadline.
    pub(crate) timed_out: bool,
    /// Its last wait was ended by a signal, which its thread is about to take.
    pub(crate) is_interrupted: bool,
    /// It is a candidate although it waits: its time-out may come.
    pub(crate) is_early: bool,
    /// It is a candidate that will take a lock, and has not run since it became one.
    pub(crate) contends: bool,
    /// It has been picked after a wait, and that has not been recorded yet.
    pub(crate) resumes_wait: bool,
    /// Its next wait stands instead of the scheduling point of an operation.
    pub(crate) declares_wait: bool,
    /// It waits, or has been picked after a wait and that has not been looked at yet.
    pub(crate) was_waiting: bool,
    pub(crate) park_token: bool,

    /// The steps there were when its closure was over; none before, and once others know of it.
    pub(crate) over_since: Option<u32>,
    /// How often somebody has heard that it is not over since then.
    pub(crate) denials: u32,
    /// The steps there were when others were switched to.
    pub(crate) left_at: u32,
    /// How often it was switched to.
    pub(crate) turns: u32,
    /// How often it gave way, for the yield budget.
    pub(crate) yields: u32,
    /// Its turn, while nobody changes anything.
    pub(crate) turn: Turn,

    pub(crate) locals: Locals,
    /// How many panics it is unwinding from.
    pub(crate) panics: usize,
    /// It runs the test's panic hook.
    pub(crate) is_in_hook: bool,
    /// How it computed with floating-point numbers when others were switched to.
    pub(crate) floats: FloatControl,
    /// The signals that it has blocked, and those that were sent to it alone and wait, if it is a thread.
    pub(crate) mask: SignalMask,
    pub(crate) signals: AtomicU64,
    /// The mark that std had of its panic hook, or of the text of its panic, when others were switched to.
    pub(crate) hook_mark: bool,
    pub(crate) last_panic: Option<PanicId>,
    /// The last news that it had of another one's panic.
    pub(crate) told: Option<Told>,
    /// Its closure unwound, and nobody has asked for its result yet.
    pub(crate) panic_unobserved: bool,
    /// Set once others do not hear of it any more, if it is known to be possible.
    pub(crate) severed: *const AtomicBool,
    /// The thread whose stack it runs on: itself, unless it is a task. Null for a task that nobody polls.
    pub(crate) thread: *mut Worker,
    /// Its number among those whose clocks are kept, if it is a thread and races are looked for.
    pub(crate) clock: ThreadNumber,
    /// How many calls are under way in which its races are meant, if it is a thread.
    pub(crate) benign: u32,
    /// How many futures it drives until they are ready, one within the other.
    pub(crate) roots: u32,
    /// How often it has handed a future to a call, or such a call was over.
    pub(crate) calls: u32,
    /// The worker that waits on this thread, an executor's, for one of its tasks to be picked.
    pub(crate) executor_waits: *mut Worker,
    /// The tasks of that executor.
    pub(crate) tasks: Counts,
    /// Its part as a task, if it is one.
    pub(crate) task: Option<Driven>,

    /// The calls by which it came to its pending operation, by their number in the record.
    pub(crate) called_by: Option<u32>,
    /// Its last operation was in an atomic crate, see [`super::granularity`].
    pub(crate) in_atomic_call: bool,
    /// A site at which no operation of its is part of a call into an atomic crate; null if it knows of none.
    pub(crate) interleaved_site: *const Location<'static>,
    /// How often in a row it has looked at the same count of references again.
    pub(crate) looks: u32,
}

/// A worker's closure; it does not implement `Debug`.
pub(crate) struct BodyBox(pub(crate) Box<dyn FnOnce()>);

impl std::fmt::Debug for BodyBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// Whether a worker can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// It can; it is in the set of candidates.
    Enabled,
    /// It waits; it is in the chain of its object.
    Waiting,
    /// Neither: it is a task that nobody polls and that cannot be picked, or a thread that polls a task.
    Away,
    /// It has ended.
    Ended,
}

/// A lock that a worker takes at the end of its wait.
#[derive(Clone, Copy, Debug)]
pub struct TakesNext {
    /// The lock; its address is the object that others wait for.
    pub machine: *const (),
    /// Says which worker holds it, if one does, and remembers that somebody waits for it.
    pub holder: unsafe fn(*const ()) -> Option<WorkerId>,
}

impl TakesNext {
    /// The lock, as those know it who wait for it.
    pub(crate) fn object(&self) -> ObjectId {
        ObjectId::at(self.machine.addr())
    }
}

/// Tells whether a waiting worker can go on.
#[derive(Clone, Copy, Debug)]
pub struct ReadyPredicate {
    /// The object of the predicate; it stays where it is while the worker waits.
    pub object: *const (),
    /// True if the worker can go on at this virtual time. It runs outside the engine, and changes nothing.
    pub holds: unsafe fn(*const (), u64) -> bool,
    /// Says who else can bring it about, besides the workers; it may change while the worker waits.
    pub awaits: unsafe fn(*const ()) -> Awaits,
}

/// The farthest party that can bring about what a worker waits for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Awaits {
    /// Controlled workers only.
    Workers,
    /// The kernel as well, at once or nearly so: both ends are in this process.
    Kernel,
    /// Anybody, at any time: another process, a signal.
    Outside,
}

impl Worker {
    /// True for a suspended worker that is not on a stack of the program's.
    pub(crate) fn is_on_own_stack(&self) -> bool {
        self.stack.has(self.context.addr())
    }

    /// How often in a row it may look at a count again, before it is one that spins.
    pub(crate) const LOOKS: u32 = 3;

    /// A worker without a body that is no candidate yet and is about to start.
    pub(crate) fn new(
        id: WorkerId,
        stack: Stack,
        spawned_at: &'static Location<'static>,
    ) -> Worker {
        Worker {
            operation: Operation::Start,
            object: ObjectId::NONE,
            also: ObjectId::NONE,
            site: spawned_at,
            id,
            chain: ChainId(0),
            hands_on: false,
            position: Position::NOWHERE,
            context: null_mut(),
            stack,
            state: State::Away,
            spawned_at,
            name: None,
            body: None,
            deadline: u64::MAX,
            holder: None,
            next_waiter: null_mut(),
            mark: 0,
            takes_next: None,
            ready: None,
            timed_out: false,
            is_interrupted: false,
            is_early: false,
            contends: false,
            resumes_wait: false,
            declares_wait: false,
            was_waiting: false,
            park_token: false,
            over_since: None,
            denials: 0,
            left_at: 0,
            turns: 0,
            yields: 0,
            turn: Turn::default(),
            locals: Locals::default(),
            panics: 0,
            is_in_hook: false,
            floats: FloatControl::now(),
            mask: SignalMask::now(),
            signals: AtomicU64::new(0),
            hook_mark: false,
            last_panic: None,
            told: None,
            panic_unobserved: false,
            severed: std::ptr::null(),
            thread: null_mut(),
            clock: 0,
            benign: 0,
            roots: 0,
            calls: 0,
            executor_waits: null_mut(),
            tasks: Counts::default(),
            task: None,
            called_by: None,
            in_atomic_call: false,
            interleaved_site: std::ptr::null(),
            looks: 0,
        }
    }

    /// Makes it `fresh`, which has its number. The rest of the last iteration in it, a closure in the arena
    /// for example, is forgotten, not dropped.
    #[inline]
    pub(super) fn renew(&mut self, fresh: Worker) {
        self.name = None;
        let mut locals = std::mem::take(&mut self.locals);
        locals.clear();
        std::mem::forget(std::mem::replace(self, Worker { locals, ..fresh }));
    }

    /// Whether it can run.
    #[inline]
    pub(crate) fn state(&self) -> State {
        self.state
    }

    #[inline]
    pub(super) fn set_state(&mut self, state: State) {
        self.state = state;
    }

    /// True if it is one of the candidates.
    #[inline]
    pub(crate) fn is_candidate(&self) -> bool {
        self.position.is_enabled()
    }

    /// Puts back what [`Worker::action`] said.
    pub(crate) fn set_action(&mut self, action: Action) {
        self.operation = action.operation;
        self.object = action.object;
        self.also = action.also;
        self.site = action.site;
    }

    /// Its next operation is this one, which is about no object.
    pub(crate) fn set_operation(&mut self, operation: Operation, site: &'static Location<'static>) {
        self.set_action(Action {
            operation,
            object: ObjectId::NONE,
            also: ObjectId::NONE,
            site,
        });
    }

    /// The pending operation, or the last one while the worker runs.
    #[inline]
    pub(crate) fn action(&self) -> Action {
        Action {
            operation: self.operation,
            object: self.object,
            also: self.also,
            site: self.site,
        }
    }

    /// True if its closure is over, and it may be that it is so only from now on: it has made no step
    /// since, and not all others have had their turn, as they last had at the step `quiet_at`.
    pub(crate) fn may_be_at_its_end(&self, quiet_at: u32) -> bool {
        let is_last = |since: u32| since + 1 == self.left_at && since >= quiet_at;
        self.over_since.is_some_and(is_last)
    }

    /// True for a task that is held back: it has no stack.
    #[inline]
    pub(crate) fn is_held_back(&self) -> bool {
        self.thread.is_null()
    }

    /// True for a task that was held back and is being woken.
    pub(crate) fn was_held_back(&self) -> bool {
        self.task.as_ref().is_some_and(Driven::is_held_back)
    }

    /// The pending operation and its site; for a task that waits, those that it goes on with.
    pub(crate) fn pending(&self) -> (Operation, &'static Location<'static>) {
        match &self.task {
            Some(task) if self.state == State::Away && !matches!(task.stage(), Stage::Released) => {
                task.goes_on_with(self.spawned_at)
            }
            _ => (self.operation, self.site),
        }
    }

    /// The worker as which a reader knows this one: the thread, if it is what that blocks on.
    ///
    /// # Safety
    ///
    /// The worker is live.
    pub(crate) unsafe fn shown_as(worker: *mut Worker) -> *mut Worker {
        // SAFETY: the caller's.
        match unsafe { &(*worker).task } {
            Some(driven) if !driven.root_of.is_null() => driven.root_of,
            _ => worker,
        }
    }

    /// The worker goes on where `other` is suspended, on its stack and on this thread.
    ///
    /// # Safety
    ///
    /// Both are live.
    pub(crate) unsafe fn share_stack(worker: *mut Worker, other: *mut Worker, thread: *mut Worker) {
        // SAFETY: the caller's.
        unsafe {
            (*worker).context = (*other).context;
            (*worker).stack = (*other).stack;
            (*worker).thread = thread;
        }
    }
}
