//! Tasks: futures that an executor drives, as workers of their own.
//!
//! An executor polls a task on one of its threads. From the beginning of a poll to its end the task is
//! the worker that runs, in the thread's place and on its stack. A task needs no stack in between, so it
//! can be *held back*: it leaves its waker with the engine and returns `Pending`, which its executor
//! cannot tell from any other wait. It stays a candidate; when it is picked, its waker is called, and
//! whatever executor drives it polls it again. So each task that can run is a candidate of its own,
//! however few threads there are, and no executor needs to be known.
//!
//! A task is held back where it begins, where it goes on after a wait, and before an await: never where
//! somebody between the executor and the await could tell, see [`Gate`]. One that wakes itself, as those that
//! give way do, would be polled only to be asked where it goes on: it is asked at the end of that poll. Its
//! executor has been told by then, and is not told again when the task is picked: one that loses what it is
//! told loses it under control, too.

use std::panic::Location;
use std::ptr::null_mut;
use std::task::{Context, Poll, Waker};

use super::early::hear_of_await;
use super::fiber::hand_over;
use super::iteration::End;
use super::naps::Nap;
use super::point::point_at;
use super::record::Note;
use super::stack::Stack;
use super::state::{Engine, Request, engine, outside};
use super::wake::{Relay, give_back, told_of_wakes};
use super::watch::touch;
use super::worker::{State, Worker};
use crate::claim::Exception;
use crate::operation::{Access, Effect, Operation};
use crate::strategy::{ChainId, Next, TURNS, WORKERS, WorkerId};
use crate::trace::{Outcome, WorkerKind};
use crate::verdict::{BugKind, Unpolled, Verdict};

/// What the recorder notes at the end of a task whose future was dropped before it was ready.
const DROPPED: &str = "dropped";
/// The most tasks and threads of one iteration.
const MAX_TASKS: usize = 1 << 20;

/// A future that an executor drives, as a worker; made where it is handed to the executor.
///
/// Where no engine is it does nothing.
#[derive(Debug)]
pub struct Task {
    iteration: u64,
    id: WorkerId,
    /// Not decided yet: it is no task before its first poll.
    handed: Option<Handed>,
}

/// What is known of a future that was handed to a call which may drive it.
#[derive(Clone, Copy, Debug)]
struct Handed {
    iteration: u64,
    site: &'static Location<'static>,
    /// Who makes the call, and which of its calls that is.
    by: WorkerId,
    call: u32,
}

impl Task {
    /// A task that the caller spawns, with the scheduling point before it.
    #[track_caller]
    #[must_use]
    pub fn spawned() -> Task {
        let site = Location::caller();
        point_at(Operation::Spawn, 0, site).done();
        Task::new(site, Kind::Spawned)
    }

    /// What the caller's thread is going to drive until it is ready: the future of a `block_on`.
    #[track_caller]
    #[must_use]
    pub fn root() -> Task {
        Task::new(Location::caller(), Kind::Root)
    }

    /// What the caller hands to a call that may drive it, return a future that does, or do neither.
    ///
    /// Which it is shows at the first poll. It becomes a root if that is during the call, see
    /// [`handing_is_over`], or if what polls it is what the call made of it, and is driven itself: the
    /// future of an executor's `run`. Else somebody polls it by hand, and it stays as it is.
    #[track_caller]
    #[must_use]
    pub fn handed() -> Task {
        let engine = engine();
        // SAFETY: a set engine is live, and its current worker too.
        unsafe {
            if engine.is_null() || (*engine).onlooker.is_some() {
                return Task::none();
            }
            let worker = (*engine).current;
            (*worker).calls += 1;
            let handed = Handed {
                iteration: (*engine).iteration,
                site: Location::caller(),
                by: (*worker).id,
                call: (*worker).calls,
            };
            Task {
                handed: Some(handed),
                ..Task::none()
            }
        }
    }

    /// Nothing that the engine knows of: a future that is polled as it is.
    #[must_use]
    pub fn none() -> Task {
        Task {
            iteration: 0,
            id: WorkerId(0),
            handed: None,
        }
    }

    fn new(site: &'static Location<'static>, kind: Kind) -> Task {
        let engine = engine();
        // SAFETY: a set engine is live; no switch happens in here but that which ends the iteration.
        unsafe {
            if engine.is_null() || (*engine).onlooker.is_some() {
                return Task::none();
            }
            if (*engine).worker_count == MAX_TASKS {
                (*engine).finish(End::of(Verdict::CutOff));
                hand_over(engine);
            }
            let id = outside(|| (*engine).add_task(site, kind));
            let iteration = (*engine).iteration;
            Task {
                iteration,
                id,
                handed: None,
            }
        }
    }

    /// The task as a worker of the iteration under way, if the caller is controlled.
    #[inline]
    fn worker(&self) -> Option<(*mut Engine, *mut Worker)> {
        let engine = engine();
        // SAFETY: a set engine is live; no switch happens in here.
        unsafe {
            let is_its = !engine.is_null()
                && self.iteration == (*engine).iteration
                && (*engine).onlooker.is_none();
            is_its.then(|| (engine, (*engine).worker(self.id)))
        }
    }

    /// Polls the task: runs `inner` in its name, now or in a later poll.
    ///
    /// `own` is the name of the type that the task is part of, `future` that of its future's, and `context`
    /// that of its executor. The future lies at `place`, and has that size.
    pub fn poll<R>(
        &mut self,
        own: &'static str,
        future: &'static str,
        place: (*const u8, usize),
        context: &mut Context<'_>,
        inner: impl FnOnce(&mut Context<'_>) -> Poll<R>,
    ) -> Poll<R> {
        if let Some(handed) = self.handed.take()
            && handed.is_driven(own)
        {
            *self = Task::new(handed.site, Kind::Root);
        }
        let Some((engine, task)) = self.worker() else {
            return inner(context);
        };
        // SAFETY: the engine is live and set, and the task is one of its workers; no reference is kept.
        unsafe {
            if (*task).state == State::Ended || !driven(task).below.is_null() {
                return inner(context);
            }
            let began = take_place(engine, task);
            let is_released = match began {
                Beginning::Released => true,
                Beginning::Asks => false,
                Beginning::Waits => {
                    keep_busy(engine);
                    return Poll::Pending;
                }
            };
            let mut turn = Turn {
                engine,
                task,
                ends: TurnEnd::Unwinds,
            };
            if is_released {
                let note = Note::of((*task).operation, (*task).site);
                outside(|| (*engine).record_note(task, &note));
            } else if !driven(task).polls_executor {
                let (operation, site) = driven(task).goes_on_with((*task).spawned_at);
                if !may_go_on(engine, operation, site, context.waker()) {
                    return Poll::Pending;
                }
            }
            driven(task).awaits = None;
            driven(task).polls = future;
            let result = told_of_wakes(engine, task, context, inner);
            turn.ends = if result.is_ready() {
                TurnEnd::Over
            } else {
                let is_woken = std::mem::take(&mut driven(task).is_woken_in_poll);
                // One that was held back on the way is polled again in any case.
                if is_woken && !driven(task).below.is_null() {
                    gives_way(engine, context.waker());
                }
                if (*engine).overtime.is_on {
                    outside(|| (*engine).see_future((*task).id, future, place));
                } else if (*engine).looks_at_polls() {
                    outside(|| (*engine).note_poll((*task).id, place));
                }
                TurnEnd::Pending
            };
            result
        }
    }
}

impl Handed {
    /// Tells whether the current worker, which polls it for the first time, or whoever drives that one, goes
    /// on with it until it is ready.
    fn is_driven(&self, own: &str) -> bool {
        let engine = engine();
        // SAFETY: a set engine is live, and its workers too.
        unsafe {
            if engine.is_null()
                || self.iteration != (*engine).iteration
                || (*engine).onlooker.is_some()
            {
                return false;
            }
            if (*(*engine).worker(self.by)).calls == self.call {
                return true;
            }
            let Some(around) = &mut (*(*engine).current).task else {
                return false;
            };
            around.polls_executor = is_made_of(around.polls, own);
            around.polls_executor
        }
    }
}

/// The call is over that the current worker has handed a future to, see [`Task::handed`].
pub fn handing_is_over() {
    let engine = engine();
    // SAFETY: a set engine is live, and its current worker too.
    unsafe {
        if !engine.is_null() && (*engine).onlooker.is_none() {
            (*(*engine).current).calls += 1;
        }
    }
}

impl Drop for Task {
    /// The future is dropped: the task is over, and what the engine has of it goes.
    fn drop(&mut self) {
        let Some((engine, task)) = self.worker() else {
            return;
        };
        // SAFETY: as in `poll`.
        let waker = unsafe {
            if (*task).state == State::Ended {
                return;
            }
            outside(|| (*engine).end_task(task))
        };
        // Here, where it may be the last reference to the task.
        drop(waker);
    }
}

/// The task's turn on a thread; ends when the poll does, also by unwinding.
struct Turn {
    engine: *mut Engine,
    task: *mut Worker,
    ends: TurnEnd,
}

/// How a poll of a task begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Beginning {
    /// The task has been picked already.
    Released,
    /// The strategy is to say whether it goes on.
    Asks,
    /// It stays held back: another one has been picked, and is about to be polled.
    Waits,
}

/// How a task's turn ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TurnEnd {
    /// Its future is ready: so ends the task.
    Over,
    /// Its future is not ready.
    Pending,
    /// It panics.
    Unwinds,
}

/// How a task comes to be polled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// By the executor that it was spawned on.
    Spawned,
    /// By the thread that it was made on.
    Root,
}

impl Drop for Turn {
    fn drop(&mut self) {
        // SAFETY: the poll is on this stack, and the engine and its workers are live.
        unsafe {
            if !driven(self.task).below.is_null() {
                give_place_back(self.engine, self.ends);
            }
            keep_busy(self.engine);
        }
    }
}

/// An await point: where a task may be held back before it polls what it awaits.
///
/// It acts only if the await belongs to the task itself: between the task and this await are only async
/// bodies that await each other. Something in between that polls by itself (`select`, `join`, a timeout,
/// a test that polls by hand) could tell a task that was held back from one whose future is not ready;
/// there it is a scheduling point of the thread, and `inner` is polled at once.
#[derive(Debug, Default)]
pub struct Gate {
    is_passed: bool,
    nap: Nap,
}

impl Gate {
    /// One that nobody has come to yet.
    #[must_use]
    pub const fn new() -> Gate {
        Gate {
            is_passed: false,
            nap: Nap::none(),
        }
    }

    /// Polls what is awaited.
    ///
    /// `body` is the name of the async body in which the await stands, and `future` that of the type that
    /// is awaited.
    pub fn poll<R>(
        &mut self,
        body: &'static str,
        future: &'static str,
        site: &'static Location<'static>,
        context: &mut Context<'_>,
        inner: impl FnOnce(&mut Context<'_>) -> Poll<R>,
    ) -> Poll<R> {
        let engine = engine();
        // SAFETY: a set engine is live, and its current worker too; no reference is kept across a switch.
        unsafe {
            if engine.is_null() || (*engine).onlooker.is_some() {
                return inner(context);
            }
            hear_of_await(&mut *engine);
            let task = (*engine).current;
            let before = match &(*task).task {
                Some(driven) => driven.polls,
                None => "",
            };
            let is_direct = leads_to(before, body);
            if !std::mem::replace(&mut self.is_passed, true) {
                if !is_direct {
                    if (*task).task.is_some() {
                        (*engine).left_out.add(Exception::NestedAwaits);
                    }
                    point_at(Operation::Await, 0, site).done();
                } else if !may_go_on(engine, Operation::Await, site, context.waker()) {
                    return Poll::Pending;
                }
            }
            self.nap.begin(engine, future);
            if (*task).task.is_none() {
                let result = inner(context);
                if result.is_ready() {
                    self.nap.end(true);
                }
                return result;
            }
            driven(task).polls = if is_direct { future } else { "" };
            let result = inner(context);
            if result.is_ready() {
                self.nap.end(true);
            }
            driven(task).polls = before;
            driven(task).polls_executor = false;
            if result.is_pending() && driven(task).awaits.is_none() {
                driven(task).awaits = Some(site);
            }
            result
        }
    }
}

/// True if polling a future of the type `future` is polling the async body `body`.
///
/// An async body's type is named as the function it is from; a box, or a reference, polls what it refers
/// to; what lies behind a `dyn` is taken for an async body, as it nearly always is.
fn leads_to(future: &str, body: &str) -> bool {
    let mut future = future;
    loop {
        if future == body {
            return !body.is_empty();
        }
        match unwrapped(future) {
            Some(inner) if inner.starts_with("dyn ") => return true,
            Some(inner) => future = inner,
            None => return false,
        }
    }
}

/// True if a future of the type `future` was made of one of the type `part`, and not of one that was made of
/// that: then the call that made it is the one that got the part.
fn is_made_of(future: &str, part: &str) -> bool {
    let mut future = future;
    while let Some(inner) = unwrapped(future) {
        future = inner;
    }
    let mut places = future.match_indices(part);
    places.any(|(at, _)| {
        let before = &future[..at];
        let arrows = before.matches("->").count();
        before.matches('<').count() + arrows == before.matches('>').count() + 1
    })
}

/// What a type refers to that polls just that.
fn unwrapped(future: &str) -> Option<&str> {
    WRAPPERS.iter().find_map(|(start, end)| {
        let inner = future.strip_prefix(start)?;
        inner.strip_suffix(end)
    })
}

/// Types of std that poll what they refer to, and nothing else.
const WRAPPERS: [(&str, &str); 3] = [
    ("core::pin::Pin<", ">"),
    ("alloc::boxed::Box<", ">"),
    ("&mut ", ""),
];

/// The worker as which a reader knows this one: the thread, if it is what that blocks on.
pub(super) unsafe fn shown_as(worker: *mut Worker) -> *mut Worker {
    // SAFETY: the caller's worker is live.
    match unsafe { &(*worker).task } {
        Some(driven) if !driven.root_of.is_null() => driven.root_of,
        _ => worker,
    }
}

/// What the engine knows of a worker that is a task.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Driven {
    /// The worker in whose place it runs, while it is polled.
    below: *mut Worker,
    /// The task that drives it, as part of its own future; null if an executor's thread does.
    outer: *mut Worker,
    /// It drives tasks itself.
    drives_others: bool,
    /// It is at a scheduling point where it may be held back.
    is_at_gate: bool,
    /// There the worker below is a candidate as well: it would go on with other tasks.
    offers_place: bool,
    /// It was picked while it was held back, and has not been polled since.
    is_released: bool,
    /// Its executor is being told to poll it, which may take some steps.
    is_being_woken: bool,
    /// Its executor has been told to poll it: it is new, it was picked, or somebody woke it.
    is_queued: bool,
    /// Its executor has been told by the waker that it was polled with last, and has not polled it since:
    /// that is enough, by the contract of wakers, for a poll to come.
    is_told: bool,
    /// Somebody woke it while it is polled.
    is_woken_in_poll: bool,
    /// The thread that drives it until it is ready, if it is what a `block_on` was given; else null.
    root_of: *mut Worker,
    /// The thread that polled it last.
    home: *mut Worker,
    /// The thread that made it.
    made_on: *mut Worker,
    /// It panicked: there will be no more of it.
    panicked: bool,
    /// What wakes it, while it is held back.
    waker: Option<Waker>,
    /// The relay that its futures have for its executor's waker ([`super::wake`]); null before its first
    /// poll.
    relay: *mut Relay,
    /// The name of the type of the future that it polls.
    polls: &'static str,
    /// That is an executor, and drives what it was handed.
    polls_executor: bool,
    /// The innermost await whose future was not ready in the last poll; none from when it goes on.
    awaits: Option<&'static Location<'static>>,
    /// Where it went on last, unless it has changed something since.
    went_on_at: Option<&'static Location<'static>>,
}

impl Driven {
    /// What the task does next when its executor polls it, and where.
    fn goes_on_with(
        &self,
        spawned_at: &'static Location<'static>,
    ) -> (Operation, &'static Location<'static>) {
        match self.awaits {
            Some(site) => (Operation::Await, site),
            None if self.polls.is_empty() => (Operation::Start, spawned_at),
            // What was spawned waits without an await.
            None => (Operation::Await, spawned_at),
        }
    }
}

/// The part of a worker that makes it a task.
#[inline]
#[track_caller]
unsafe fn driven<'a>(task: *mut Worker) -> &'a mut Driven {
    // SAFETY: the caller's worker is live, and it does not keep the reference across a switch.
    unsafe {
        (*task)
            .task
            .as_mut()
            .expect("only a task is asked for what it drives")
    }
}

/// The task, which its executor polls, takes the place of the current worker, if it may begin.
unsafe fn take_place(engine: *mut Engine, task: *mut Worker) -> Beginning {
    // SAFETY: the caller's engine and task are live; no switch happens in here.
    outside(|| unsafe {
        let below = (*engine).current;
        let part = driven(task);
        (*engine).forget_queued(part);
        let home = std::mem::replace(&mut part.home, (*below).thread);
        if !home.is_null() && home != part.home {
            // It has one task less to wait for.
            (*engine).resume_waiting_executor(home);
        }
        let was_told = std::mem::take(&mut part.is_told);
        if was_told && (*task).state == State::Enabled && (*engine).released_tasks > 0 {
            // Polled since it was woken before it was held back.
            return Beginning::Waits;
        }
        // For whoever asks what it is about.
        (*below).set_operation(Operation::Poll, (*below).site);
        (*engine).end_turn(Next::Waits((*below).action()));
        (*engine).remove(below, State::Away);
        if (*task).state == State::Away {
            (*engine).add(task);
        } else {
            // Held back, and polled all the same: for another reason than that it was picked.
            drop(part.waker.take());
        }
        part.is_woken_in_poll = false;
        part.outer = null_mut();
        if let Some(outer) = &mut (*below).task {
            outer.drives_others = true;
            part.outer = below;
        }
        part.below = below;
        (*task).thread = (*below).thread;
        (*task).stack = (*below).stack;
        (*engine).run_as(task);
        if (*engine).forget_released(part) {
            (*engine).watch_turn(task);
            Beginning::Released
        } else {
            Beginning::Asks
        }
    })
}

/// The poll is over: the worker below the current task takes its place back.
unsafe fn give_place_back(engine: *mut Engine, ends: TurnEnd) {
    // SAFETY: the caller's engine is live, and its current worker is a task; no switch happens in here.
    outside(|| unsafe {
        let task = (*engine).current;
        let is_over = ends == TurnEnd::Over;
        (*engine).record_end_of_turn(task, ends);
        let (operation, site) = driven(task).goes_on_with((*task).spawned_at);
        (*task).set_operation(operation, site);
        (*engine).end_turn(if is_over {
            Next::Ends
        } else {
            Next::Waits((*task).action())
        });
        let below = (*engine).lay_off(task, is_over);
        (*engine).add(below);
        (*engine).run_as(below);
        (*engine).watch_turn(below);
    });
}

/// Asks the strategy whether the current worker, a task, goes on. If not it is held back: the caller
/// returns `Pending` at once, in the name of the worker below.
unsafe fn may_go_on(
    engine: *mut Engine,
    operation: Operation,
    site: &'static Location<'static>,
    waker: &Waker,
) -> bool {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let task = (*engine).current;
        ask_at_gate(engine, operation, site);
        let goes_on = (*engine).current == task;
        if !goes_on {
            hold_back(engine, task, waker);
        }
        goes_on
    }
}

/// The current worker, a task, was woken in the poll that ends now, and is held back until it is picked,
/// which it may be at once. The caller returns `Pending`, in the name of the worker below.
unsafe fn gives_way(engine: *mut Engine, waker: &Waker) {
    // SAFETY: the caller's; no reference is kept across the switch.
    unsafe {
        let task = (*engine).current;
        let (operation, site) = driven(task).goes_on_with((*task).spawned_at);
        ask_at_gate(engine, operation, site);
        hold_back(engine, task, waker);
    }
}

/// Asks the strategy who goes on at this point of the current worker, a task.
unsafe fn ask_at_gate(engine: *mut Engine, operation: Operation, site: &'static Location<'static>) {
    // SAFETY: the caller's engine is live; no reference is kept across the switch.
    unsafe {
        let task = (*engine).current;
        let below = driven(task).below;
        // Going on where it went on before, and nothing done in between, may be waiting for others.
        if has_changed_something(task) {
            driven(task).went_on_at = None;
        }
        let resumes = driven(task).awaits.is_some();
        let again = resumes && driven(task).went_on_at == Some(site);
        if resumes {
            driven(task).went_on_at = Some(site);
        }
        (*task).set_operation(operation, site);
        (*engine).idle = 0;
        (*engine).request = if again {
            Request::Yield
        } else {
            Request::Point
        };
        driven(task).is_at_gate = true;
        let offers = (*engine).tasks_in_queue > u32::from(driven(task).is_queued);
        if offers {
            driven(task).offers_place = true;
            (*below).set_operation(Operation::Poll, site);
            outside(|| {
                (*engine).go_on_in_chain(below);
                (*engine).add(below);
            });
        }
        touch(TURNS, Access::Writes);
        hand_over(engine);
        touch(TURNS, Access::Writes);
        driven(task).is_at_gate = false;
        driven(task).offers_place = false;
        if offers && (*engine).current != below {
            outside(|| (*engine).remove(below, State::Away));
        }
    }
}

/// The task, at whose gate somebody has been picked, leaves its place to that one: to the worker below, or
/// to a task that was held back, which the worker below wakes. That may be the task itself.
unsafe fn hold_back(engine: *mut Engine, task: *mut Worker, waker: &Waker) {
    // SAFETY: the caller's engine and task are live; no reference is kept across a switch.
    unsafe {
        let below = std::mem::replace(&mut driven(task).below, null_mut());
        (*task).thread = null_mut();
        if (*task).operation == Operation::Await {
            // Awaits around this one need not be noted.
            driven(task).awaits = Some((*task).site);
        }
        outside(|| {
            driven(task).waker = Some(waker.clone());
            if driven(task).is_told {
                // It counts as one that is held back, and not as one that its executor is going to poll.
                (*engine).forget_queued(driven(task));
            }
        });
        let current = (*engine).current;
        if current != below {
            wake(engine, current, below);
        }
    }
}

/// The task that is going to drive one which `maker` makes: a future that is driven on the spot is part of
/// its maker, and others are most often polled by whoever polls tasks there already.
unsafe fn expected_outer(maker: *mut Worker, kind: Kind) -> *mut Worker {
    // SAFETY: the caller's worker is live.
    match unsafe { &(*maker).task } {
        Some(part) if kind == Kind::Root || part.drives_others => maker,
        Some(part) => part.outer,
        None => null_mut(),
    }
}

/// True if the task that drives this one, or one that drives that, is held back: nobody can poll it now.
unsafe fn is_out_of_reach(part: &Driven) -> bool {
    let mut outer = part.outer;
    // SAFETY: workers of the iteration stay where they are.
    while let Some(worker) = unsafe { outer.as_ref() } {
        let Some(part) = &worker.task else {
            return false;
        };
        if part.is_being_woken || worker.state == State::Enabled && worker.is_held_back() {
            return true;
        }
        outer = part.outer;
    }
    false
}

/// The task is over: its thread no longer drives it.
unsafe fn forget_root(task: *mut Worker) {
    // SAFETY: the caller's task is live, and so are threads.
    unsafe {
        let thread = std::mem::replace(&mut driven(task).root_of, null_mut());
        if !thread.is_null() {
            (*thread).roots -= 1;
        }
    }
}

/// There is an executor with a clock of its own, which jumps when there is nothing to do: from here on none
/// goes on while what it could do is held back.
pub fn own_clock() {
    let engine = engine();
    // SAFETY: a set engine is live.
    unsafe {
        if !engine.is_null() {
            (*engine).executors_have_clocks = true;
        }
    }
}

/// True if the last operation of the task changed what others see.
unsafe fn has_changed_something(task: *const Worker) -> bool {
    // SAFETY: the caller's task is live.
    let (operation, object) = unsafe { ((*task).operation, (*task).object) };
    match operation.effect() {
        Effect::Writes => !matches!(operation, Operation::Await | Operation::Start),
        // What has succeeded is about no object any more, see `Step`.
        Effect::MayWrite => object == usize::MAX,
        Effect::Reads | Effect::Yields => false,
    }
}

/// A poll is over. If the executor knows of no other task, but has some that are held back, it goes on when
/// one of these is picked, and not before: natively it would not find that there is nothing to do.
unsafe fn keep_busy(engine: *mut Engine) {
    // SAFETY: the caller's engine is live; no reference is kept across a switch.
    unsafe {
        let worker = (*engine).current;
        let thread = (*worker).thread;
        while !(*engine).executor_waits_in_vain() && (*engine).has_only_held_back(worker) {
            outside(|| {
                (*worker).set_operation(Operation::Poll, (*worker).site);
                (*engine).end_turn(Next::Waits((*worker).action()));
                (*engine).remove(worker, State::Away);
                (*engine).change_width();
            });
            (*thread).executor_waits = worker;
            (*engine).request = Request::Idle;
            hand_over(engine);
            touch(TURNS, Access::Writes);
            let current = (*engine).current;
            if current != worker {
                (*thread).executor_waits = null_mut();
                wake(engine, current, worker);
            }
        }
    }
}

/// The task was held back and picked, or chosen: `waker` is the current worker, or takes its place, and
/// calls the task's executor.
///
/// That goes undisturbed until it has to wait: the task is to run, and not those who come in between.
unsafe fn wake(engine: *mut Engine, task: *mut Worker, waker: *mut Worker) {
    // SAFETY: the caller's engine is live; no reference is kept while the executor's code runs.
    unsafe {
        let was_told = std::mem::take(&mut driven(task).is_told);
        let handle = outside(|| {
            (*engine).end_turn(Next::Waits((*task).action()));
            (*engine).remove(task, State::Away);
            (*engine).queue_up_task(driven(task));
            (*engine).last_queued = (*task).id;
            (*task).thread = null_mut();
            (*engine).release_task(driven(task));
            if (*engine).current == task {
                (*engine).add(waker);
                (*engine).run_as(waker);
                (*engine).watch_turn(waker);
            }
            (*engine).change_width();
            driven(task).waker.take()
        });
        let before = std::mem::replace(&mut (*engine).undisturbed, waker);
        if let Some(handle) = handle {
            if was_told {
                drop(handle);
            } else {
                driven(task).is_being_woken = true;
                handle.wake();
                driven(task).is_being_woken = false;
            }
            let home = driven(task).home;
            if !home.is_null() {
                outside(|| (*engine).resume_waiting_executor(home));
            }
        }
        (*engine).undisturbed = before;
    }
}

/// The task is being woken, by the current worker and this relay. The caller is outside.
pub(super) unsafe fn note_wake(engine: *mut Engine, task: WorkerId, relay: *mut Relay) {
    // SAFETY: the caller's engine is live, and it is the task's iteration; no switch happens in here.
    unsafe {
        let task = (*engine).worker(task);
        if (*task).state == State::Ended {
            return;
        }
        (*engine).note_touched(TURNS);
        let part = driven(task);
        part.is_woken_in_poll |= !part.below.is_null() && !part.polls_executor;
        part.is_told |= part.relay == relay;
        (*engine).queue_up_task(part);
        (*engine).last_queued = (*task).id;
        if !part.home.is_null() {
            (*engine).resume_waiting_executor(part.home);
        }
        // Who is woken goes on with what the one who wakes it has done; a timer has done nothing.
        let waker = (*engine).current;
        let goes_on = (*task).state == State::Away && !part.is_being_woken;
        if goes_on && waker != task && (*waker).task.is_some() {
            (*task).chain = (*waker).chain;
            (*engine).tell_chain((*task).id, (*waker).chain);
        }
    }
}

/// The relay of the waker that the task was polled with last.
pub(super) unsafe fn relay_of<'a>(task: *mut Worker) -> &'a mut *mut Relay {
    // SAFETY: the caller's task is live, and it does not keep the reference.
    unsafe { &mut driven(task).relay }
}

/// True while the task is polled.
pub(super) unsafe fn is_polled(task: *mut Worker) -> bool {
    // SAFETY: the caller's task is live.
    unsafe { !driven(task).below.is_null() }
}

/// True if there will be no more polls of the task.
pub(super) unsafe fn has_ended(task: *const Worker) -> bool {
    // SAFETY: the caller's task is live.
    unsafe { (*task).state == State::Ended }
}

/// What runs on a worker that wakes tasks.
fn wake_for_ever() {
    let engine = engine();
    loop {
        // SAFETY: a worker runs only while its engine is live; no reference is kept across a switch.
        unsafe {
            let task = (*engine).current;
            let waker = (*task).thread;
            // Perhaps it was made for this.
            touch(WORKERS, Access::Writes);
            wake(engine, task, waker);
            outside(|| {
                (*waker).set_operation(Operation::Poll, (*waker).site);
                (*engine).end_turn(Next::Waits((*waker).action()));
                (*engine).remove(waker, State::Away);
                (*engine).idle_wakers.push(waker);
            });
            (*engine).request = Request::Idle;
            hand_over(engine);
        }
    }
}

impl Engine {
    fn add_task(&mut self, site: &'static Location<'static>, kind: Kind) -> WorkerId {
        let nowhere = Stack {
            base: null_mut(),
            limit: null_mut(),
        };
        self.overtime.is_broken = true;
        let task = self.add_entry(nowhere, site);
        // SAFETY: the current worker is live, and runs on a thread.
        let (made_on, outer) = unsafe {
            let maker = self.current;
            ((*maker).thread, expected_outer(maker, kind))
        };
        let mut root_of = null_mut();
        if kind == Kind::Root {
            root_of = made_on;
            // SAFETY: as above.
            unsafe { (*root_of).roots += 1 };
        }
        // SAFETY: the worker was just made.
        let id = unsafe {
            (*task).state = State::Away;
            (*task).task = Some(Driven {
                below: null_mut(),
                outer,
                drives_others: false,
                is_at_gate: false,
                offers_place: false,
                is_released: false,
                is_being_woken: false,
                is_queued: true,
                is_told: false,
                is_woken_in_poll: false,
                root_of,
                home: null_mut(),
                made_on,
                panicked: false,
                waker: None,
                relay: null_mut(),
                polls: "",
                polls_executor: false,
                awaits: None,
                went_on_at: None,
            });
            (*task).id
        };
        self.tasks_in_queue += 1;
        self.note_touched(TURNS);
        // Roots and threads are numbered alike.
        self.note_touched(WORKERS);
        self.last_queued = id;
        let kind = match kind {
            Kind::Spawned => WorkerKind::Task,
            // SAFETY: the current worker is live, and runs on a thread.
            Kind::Root => WorkerKind::Root(unsafe { (*(*self.current).thread).id.0 }),
        };
        self.record_spawn(id, kind);
        self.introduce(id, None, kind);
        id
    }

    /// The task is over. Returns what the engine had to wake it.
    fn end_task(&mut self, task: *mut Worker) -> Option<Waker> {
        // SAFETY: the caller's task is live, and has not ended.
        unsafe {
            if !driven(task).panicked {
                let note = Note::of(Operation::End, (*task).spawned_at).saying(DROPPED);
                self.record_note(task, &note);
            }
            if (*task).state == State::Away {
                (*task).state = State::Ended;
            } else {
                self.remove(task, State::Ended);
                self.change_width();
            }
            self.note_touched(TURNS);
            self.forget_queued(driven(task));
            self.forget_released(driven(task));
            give_back(self, task);
            forget_root(task);
            let home = driven(task).home;
            if !home.is_null() {
                self.resume_waiting_executor(home);
            }
            driven(task).waker.take()
        }
    }

    /// A thread that goes on with other tasks does so in the chain of one that it is going to poll.
    unsafe fn go_on_in_chain(&mut self, thread: *mut Worker) {
        let Some(&task) = self.live_workers().get(self.last_queued.0 as usize) else {
            return;
        };
        // SAFETY: the engine's workers are live; the thread is no candidate.
        unsafe {
            if (*task).task.as_ref().is_some_and(|part| part.is_queued) {
                (*thread).chain = (*task).chain;
                self.tell_chain((*thread).id, (*task).chain);
            }
        }
    }

    /// The task's executor knows that it is to be polled.
    fn queue_up_task(&mut self, part: &mut Driven) {
        self.tasks_in_queue += u32::from(!part.is_queued);
        part.is_queued = true;
    }

    /// The task is polled, or over.
    fn forget_queued(&mut self, part: &mut Driven) {
        self.tasks_in_queue -= u32::from(part.is_queued);
        part.is_queued = false;
    }

    /// The task was picked while it was held back.
    fn release_task(&mut self, part: &mut Driven) {
        self.released_tasks += u32::from(!part.is_released);
        part.is_released = true;
    }

    /// The task is polled, or over. True if it had been picked for that.
    fn forget_released(&mut self, part: &mut Driven) -> bool {
        self.released_tasks -= u32::from(part.is_released);
        std::mem::take(&mut part.is_released)
    }

    /// True if the current worker's executor goes on whatever its tasks return: a thread was made for it, or
    /// it drives a future until that is ready. Another one may tell its caller that nothing can be done, or
    /// let its own clock jump, which must not be so because of tasks that are held back. So may one that a
    /// task polls by hand.
    unsafe fn executor_waits_in_vain(&self) -> bool {
        // SAFETY: the engine's workers are live.
        unsafe {
            let worker = self.current;
            let thread = (*worker).thread;
            if let Some(task) = &(*worker).task
                && !task.polls_executor
            {
                return false;
            }
            let was_made = (*thread).id.0 > 0 && (*thread).spawned_at.file().starts_with('/');
            (was_made || (*thread).roots > 0) && !self.executors_have_clocks
        }
    }

    /// True if some tasks of the executor that runs on this worker are held back, or are yet to be put into
    /// its queue, and it is not about to poll another.
    unsafe fn has_only_held_back(&self, executor: *mut Worker) -> bool {
        // SAFETY: the engine's workers are live.
        let (thread, is_polled_by_hand) = unsafe {
            let task = (*executor).task.as_ref();
            let by_hand = task.is_some_and(|task| !task.polls_executor);
            ((*executor).thread, by_hand)
        };
        let is_its = |part: &Driven| {
            if is_polled_by_hand {
                // Whoever polls it is told what its own tasks did, and not what comes next elsewhere.
                part.outer == executor
            } else {
                // One that nobody has polled is taken for this executor's if it was made on its thread.
                part.home == thread || part.home.is_null() && part.made_on == thread
            }
        };
        // SAFETY: as above.
        let is_next = |part: &Driven| unsafe {
            part.is_queued && !part.is_being_woken && is_its(part) && !is_out_of_reach(part)
        };
        // Most often it is about to poll the one that was woken last.
        let last = self.live_workers().get(self.last_queued.0 as usize);
        // SAFETY: as above.
        let last = last.and_then(|&last| unsafe { (*last).task.as_ref() });
        if last.is_some_and(is_next) {
            return false;
        }
        let mut is_any_held_back = false;
        for &worker in self.live_workers() {
            // SAFETY: as above.
            let worker = unsafe { &*worker };
            let Some(part) = &worker.task else {
                continue;
            };
            if self.tasks_in_queue > 0 && is_next(part) {
                return false;
            }
            let is_held_back = worker.state == State::Enabled && worker.is_held_back();
            is_any_held_back |= (is_held_back || part.is_being_woken) && is_its(part);
            if is_any_held_back && self.tasks_in_queue == 0 {
                break;
            }
        }
        is_any_held_back
    }

    /// The executor that waits on this thread for one of its tasks to be picked has something else to do.
    unsafe fn resume_waiting_executor(&mut self, thread: *mut Worker) {
        // SAFETY: the caller's thread is live, and so is who waits on it.
        unsafe {
            let waits = std::mem::replace(&mut (*thread).executor_waits, null_mut());
            if !waits.is_null() {
                self.add(waits);
            }
        }
    }

    /// The poll of the task is over; the recorder makes a note of why.
    unsafe fn record_end_of_turn(&mut self, task: *mut Worker, ends: TurnEnd) {
        // SAFETY: the caller's task is live and is the current worker.
        let (_, site) = unsafe { driven(task).goes_on_with((*task).spawned_at) };
        match ends {
            TurnEnd::Over => self.record_note(task, &Note::of(Operation::End, site)),
            TurnEnd::Pending => {
                let note = Note {
                    outcome: Outcome::Waits,
                    ..Note::of(Operation::Await, site)
                };
                self.record_note(task, &note);
            }
            // The panic has a note of its own.
            // SAFETY: as above.
            TurnEnd::Unwinds => unsafe { driven(task).panicked = true },
        }
    }

    /// The task leaves its thread and is no candidate any more. Returns the worker below.
    unsafe fn lay_off(&mut self, task: *mut Worker, is_over: bool) -> *mut Worker {
        // SAFETY: the caller's task is live and is the current worker.
        unsafe {
            let state = if is_over { State::Ended } else { State::Away };
            if is_over {
                self.forget_queued(driven(task));
                give_back(self, task);
                forget_root(task);
            }
            self.remove(task, state);
            (*task).thread = null_mut();
            std::mem::replace(&mut driven(task).below, null_mut())
        }
    }

    fn tell_chain(&mut self, task: WorkerId, chain: ChainId) {
        self.driver.tell_continued(task, chain);
    }

    /// The worker becomes a candidate.
    unsafe fn add(&mut self, worker: *mut Worker) {
        // SAFETY: the caller's worker is live and in no set.
        let id = unsafe {
            (*worker).state = State::Enabled;
            self.enabled.insert(worker);
            (*worker).id
        };
        self.announce(id);
        self.change_width();
    }

    /// The worker is no candidate any more.
    unsafe fn remove(&mut self, worker: *mut Worker, state: State) {
        // SAFETY: the caller's worker is live and in the set.
        let id = unsafe {
            (*worker).state = state;
            self.enabled.remove(worker);
            (*worker).id
        };
        self.announce_absent(id);
    }

    /// The current worker is another one from here on, on the same stack.
    unsafe fn run_as(&mut self, worker: *mut Worker) {
        self.current = worker;
        self.interrupt();
        self.change_width();
        // SAFETY: the caller's worker is live.
        let id = unsafe { (*worker).id };
        if !self.overtime.is_on {
            self.tape.rename(self.steps() + 1, id);
        }
    }

    /// Saves where the current worker goes on; at a gate two candidates share a stack.
    #[inline]
    pub(super) fn save_context(&mut self, context: super::fiber::Context) {
        // SAFETY: the current worker is live, and so is the one below it.
        unsafe {
            let current = self.current;
            (*current).context = context;
            if let Some(part) = &(*current).task
                && part.offers_place
            {
                (*part.below).context = context;
            }
        }
    }

    /// The worker, which has been picked, is a task that was held back: gives it a stack to be woken on.
    /// `current` is the worker that hands over.
    #[cold]
    pub(super) fn provide_stack(&mut self, task: *mut Worker, current: &Worker) {
        // SAFETY: the engine's workers are live.
        unsafe {
            let home = driven(task).home;
            let waits = (*home).executor_waits;
            if !waits.is_null() {
                (*task).context = (*waits).context;
                (*task).stack = (*waits).stack;
                (*task).thread = home;
                return;
            }
            if let Some(part) = &current.task
                && part.is_at_gate
                && (home == current.thread || self.executor_waits_in_vain())
            {
                (*task).context = current.context;
                (*task).stack = current.stack;
                (*task).thread = current.thread;
                return;
            }
            let waker = match self.idle_wakers.pop() {
                Some(waker) => waker,
                None => self.add_waker(task),
            };
            (*task).context = (*waker).context;
            (*task).stack = (*waker).stack;
            (*task).thread = waker;
        }
    }

    /// A new worker that wakes tasks, `task` first.
    unsafe fn add_waker(&mut self, task: *mut Worker) -> *mut Worker {
        let site = Location::caller();
        let name = Some("executor's wake-up".to_owned());
        let waker = self.add_thread(name, None, site, Box::new(wake_for_ever));
        let waker = waker.expect("there is a stack for one more worker");
        // SAFETY: the worker was just made, and the caller's task is live.
        unsafe {
            (*waker).state = State::Away;
            // It begins in the task's name.
            (*task).body = (*waker).body.take();
            let id = (*waker).id;
            self.record_spawn(id, WorkerKind::WakeUp);
            self.introduce(id, None, WorkerKind::WakeUp);
        }
        waker
    }
}

impl Worker {
    /// True for a task that is held back: it has no stack.
    #[inline]
    pub(super) fn is_held_back(&self) -> bool {
        self.thread.is_null()
    }

    /// True for a task that was held back and is being woken.
    pub(super) fn was_held_back(&self) -> bool {
        let waker = self.task.as_ref().map(|task| &task.waker);
        waker.is_some_and(Option::is_some)
    }

    /// The pending operation and its site; for a task that waits, those that it goes on with.
    pub(super) fn pending(&self) -> (Operation, &'static Location<'static>) {
        match &self.task {
            Some(task) if self.state == State::Away && !task.is_released => {
                task.goes_on_with(self.spawned_at)
            }
            _ => (self.operation, self.site),
        }
    }

    /// Why the worker, if it is a task that nobody polls, does not go on. One that could is of interest only
    /// when the question is why nothing happens.
    pub(super) fn unpolled(&self, kind: BugKind) -> Option<Unpolled> {
        let task = self.task.as_ref().filter(|task| task.below.is_null())?;
        match self.state {
            State::Away if task.is_released => Some(Unpolled::Woken),
            State::Away if task.polls.is_empty() => Some(Unpolled::Never),
            State::Away => Some(Unpolled::Awaits),
            State::Enabled if matches!(kind, BugKind::NoProgress | BugKind::Liveness) => {
                Some(Unpolled::HeldBack)
            }
            State::Enabled | State::Waiting | State::Ended => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_made_of, leads_to};

    #[test]
    fn what_a_call_made_of_its_argument_names_that_first() {
        let part = "Driven<app::serve::{{closure}}>";
        let run = format!("exec::Executor<fn() -> u8>::run<(), {part}>::{{{{closure}}}}");
        assert!(is_made_of(&run, part));
        assert!(is_made_of(&format!("core::pin::Pin<&mut {run}>"), part));
        assert!(!is_made_of(&format!("timeout::Timeout<{run}>"), part));
        assert!(!is_made_of(part, part));
        assert!(!is_made_of("exec::Executor::run<()>::{{closure}}", part));
    }

    #[test]
    fn a_body_is_polled_by_who_awaits_it_and_by_nobody_else() {
        let body = "app::serve::{{closure}}";
        assert!(leads_to(body, body));
        assert!(leads_to("&mut app::serve::{{closure}}", body));
        assert!(leads_to(
            "core::pin::Pin<alloc::boxed::Box<app::serve::{{closure}}>>",
            body
        ));
        assert!(leads_to(
            "core::pin::Pin<alloc::boxed::Box<dyn core::future::Future<Output = ()>>>",
            body
        ));
        assert!(!leads_to("timeout::Timeout<app::serve::{{closure}}>", body));
        assert!(!leads_to("app::other::{{closure}}", body));
        assert!(!leads_to("", body));
        assert!(!leads_to("", ""));
    }
}
