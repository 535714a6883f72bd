//! Timers of actors: a worker each under the engine, a thread for all of a runtime elsewhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::due::Due;
use super::runtime::Runtime;
use crate::engine::{self, NEVER, message_of};
use crate::object::ObjectId;
use crate::operation::Operation;

/// A timer that was started. It goes on if this is dropped, as long as its actor lives.
#[derive(Clone)]
pub struct Timer(Arc<State>);

struct State {
    is_over: AtomicBool,
    /// When the ticks of its actor are due, and the next of its own, which is one of them.
    due: Arc<Due>,
    next: AtomicU64,
    /// It counts as work that is left to do.
    runtime: Option<Runtime>,
}

/// A request to the owner of a timer.
pub(super) enum Tick {
    /// Deliver the event; the answer is of no interest.
    Deliver,
    /// Has the last event been taken?
    IsTaken,
}

/// How a timer reaches its actor.
pub(super) type Deliver = Box<dyn FnMut(Tick) -> bool + Send>;

impl Timer {
    pub(super) fn start(
        (runtime, due): (&Runtime, &Arc<Due>),
        name: &str,
        (first, period): (Duration, Option<Duration>),
        deliver: Deliver,
        site: &'static Location<'static>,
    ) -> Timer {
        let counts = runtime.has_workers() || period.is_none();
        let timer = Timer(Arc::new(State {
            is_over: AtomicBool::new(false),
            due: Arc::clone(due),
            next: AtomicU64::new(NEVER),
            runtime: counts.then(|| runtime.clone()),
        }));
        if counts {
            runtime.begin_work();
        }
        if runtime.has_workers() {
            let mut deliver = deliver;
            let mine = timer.clone();
            let (runtime, told) = (runtime.clone(), name.to_owned());
            // Time counts from here, whenever the worker begins.
            let first = engine::deadline_after(first);
            timer.expect(first);
            let body = move || {
                let run = || mine.run((first, period), &mut *deliver, site);
                if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
                    runtime.fail_by_panic(&told, &*panic);
                    mine.stop();
                }
            };
            let worker = engine::spawn_at(Some(name), None, None, site, Box::new(body));
            assert!(
                worker.is_some(),
                "there is no memory for the stack of a {name}"
            );
        } else {
            runtime.clock().add(Alarm {
                at: real_now() + first,
                period,
                deliver,
                timer: timer.clone(),
                runtime: runtime.clone(),
                name: name.to_owned(),
            });
        }
        timer
    }

    /// The timer does not run out any more. An event of it that was sent, or is on its way, still comes.
    pub fn stop(&self) {
        if !self.0.is_over.swap(true, Ordering::SeqCst) {
            if engine::is_controlled() {
                engine::release(self.object());
                engine::wake_all(self.object());
            }
            self.expect(NEVER);
            if let Some(runtime) = &self.0.runtime {
                runtime.end_work();
            }
        }
    }

    /// True until it has run out for good, or was stopped.
    pub fn is_running(&self) -> bool {
        !self.0.is_over.load(Ordering::SeqCst)
    }

    /// The life of a timer under the engine.
    ///
    /// The strategy chooses for each tick whether it comes as soon as the timer is picked, and time leaps, or
    /// when nobody else can run. It is not before another timer of its actor that is due before it, and an
    /// early one is not followed by another before its actor has taken it.
    fn run(
        &self,
        (mut deadline, period): (u64, Option<Duration>),
        deliver: &mut dyn FnMut(Tick) -> bool,
        site: &'static Location<'static>,
    ) {
        loop {
            let may_be_early = deliver(Tick::IsTaken);
            let mut has_come = false;
            if may_be_early && engine::choose_index(2) == 1 {
                engine::point_at(Operation::Tick, self.object(), site).done();
                has_come =
                    self.is_running() && self.0.due.is_next(deadline) && engine::leap(deadline);
            }
            while !has_come && self.is_running() {
                let wakeup = engine::wait_at(Operation::Tick, self.object(), deadline, None, site);
                has_come = wakeup == engine::Wakeup::TimedOut;
            }
            // Another one may be about to tick that was due before.
            while self.is_running() && !self.0.due.is_next(deadline) {
                let changes = self.0.due.object();
                engine::wait_at(Operation::Tick, changes, NEVER, None, site);
            }
            if !self.is_running() {
                return;
            }
            deliver(Tick::Deliver);
            let Some(period) = period else {
                self.stop();
                return;
            };
            let nanos = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
            deadline = engine::deadline_at(deadline.max(engine::now()).saturating_add(nanos));
            if self.is_running() {
                self.expect(deadline);
            }
        }
    }

    /// The next tick is due then, in place of the one before.
    fn expect(&self, next: u64) {
        let before = self.0.next.swap(next, Ordering::SeqCst);
        self.0.due.replace(before, next);
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(&self.0.is_over)
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer")
            .field("is_running", &self.is_running())
            .finish()
    }
}

/// The thread that keeps the time of a runtime outside of the engine; it begins with the first timer.
pub(super) struct Clock(Arc<(Mutex<Alarms>, Condvar)>);

#[derive(Default)]
struct Alarms {
    next: BinaryHeap<Reverse<Alarm>>,
    has_thread: bool,
    is_stopped: bool,
}

struct Alarm {
    at: Instant,
    period: Option<Duration>,
    deliver: Deliver,
    timer: Timer,
    runtime: Runtime,
    name: String,
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock(Arc::default())
    }

    fn add(&self, alarm: Alarm) {
        let mut alarms = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if alarms.is_stopped {
            drop(alarms);
            alarm.timer.stop();
            return;
        }
        alarms.next.push(Reverse(alarm));
        if !std::mem::replace(&mut alarms.has_thread, true) {
            let shared = Arc::clone(&self.0);
            let run = move || keep_time(&shared);
            let thread = thread::Builder::new().name("timers of actors".to_owned());
            thread.spawn(run).expect("a thread for timers can be made");
        }
        self.0.1.notify_all();
    }

    pub(super) fn stop(&self) {
        let left = {
            let mut alarms = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
            alarms.is_stopped = true;
            if !alarms.has_thread {
                return;
            }
            std::mem::take(&mut alarms.next)
        };
        self.0.1.notify_all();
        for Reverse(alarm) in left {
            alarm.timer.stop();
        }
    }
}

/// A thread without timers ends after this; the next timer makes a new one.
const PATIENCE: Duration = Duration::from_secs(1);

fn keep_time(shared: &(Mutex<Alarms>, Condvar)) {
    let mut alarms = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if alarms.is_stopped {
            return;
        }
        let now = real_now();
        let Some(Reverse(next)) = alarms.next.peek() else {
            let waited = shared.1.wait_timeout(alarms, PATIENCE);
            let (guard, time) = waited.unwrap_or_else(PoisonError::into_inner);
            alarms = guard;
            if time.timed_out() && alarms.next.is_empty() {
                alarms.has_thread = false;
                return;
            }
            continue;
        };
        if next.timer.is_running() && next.at > now {
            let left = next.at - now;
            let waited = shared.1.wait_timeout(alarms, left);
            alarms = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        let Some(Reverse(mut alarm)) = alarms.next.pop() else {
            continue;
        };
        drop(alarms);
        let again = ring(&mut alarm);
        alarms = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        if again && !alarms.is_stopped {
            alarms.next.push(Reverse(alarm));
        }
    }
}

/// True if the alarm rings again.
fn ring(alarm: &mut Alarm) -> bool {
    if !alarm.timer.is_running() {
        return false;
    }
    // The clone of an event may panic, and so may the runtime's hooks.
    let delivered = catch_unwind(AssertUnwindSafe(|| (alarm.deliver)(Tick::Deliver)));
    if let Err(panic) = &delivered {
        (alarm.runtime).note_failure(&alarm.name, message_of(&**panic));
    }
    match alarm.period {
        Some(period) if delivered.is_ok() => {
            alarm.at += period;
            true
        }
        _ => {
            alarm.timer.stop();
            false
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "outside of the engine time is real"
)]
fn real_now() -> Instant {
    Instant::now()
}

impl PartialEq for Alarm {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}

impl Eq for Alarm {}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}
