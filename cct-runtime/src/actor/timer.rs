//! Timers of actors: a worker each under the engine, a thread for all of a runtime elsewhere.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::due::Due;
use super::looks::{act, changes, look};
use super::runtime::Runtime;
use super::unwinding::catch;
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
    /// Where it is kept outside of the engine.
    shelf: Weak<Shelf>,
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
        let counts = engine::is_controlled() || period.is_none();
        let shelf = if engine::is_controlled() {
            Weak::new()
        } else {
            Arc::downgrade(&runtime.clock().0)
        };
        let timer = Timer(Arc::new(State {
            is_over: AtomicBool::new(false),
            due: Arc::clone(due),
            next: AtomicU64::new(NEVER),
            runtime: counts.then(|| runtime.clone()),
            shelf,
        }));
        if counts {
            runtime.begin_work();
        }
        if engine::is_controlled() {
            let mut deliver = deliver;
            let mine = timer.clone();
            let (runtime, told) = (runtime.clone(), name.to_owned());
            // Time counts from here, whenever the worker begins.
            let first = engine::deadline_after(first);
            timer.expect(first);
            let body = move || {
                let run = || mine.run((first, period), &mut *deliver, site);
                if let Err(panic) = catch(run) {
                    runtime.fail_by_panic(&told, &*panic);
                    mine.end();
                }
            };
            let worker = engine::spawn_at(Some(name), None, None, site, Box::new(body));
            assert!(
                worker.is_some(),
                "there is no memory for the stack of a {name}"
            );
        } else {
            runtime.clock().add(Alarm {
                at: later(real_now(), first),
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
    #[track_caller]
    pub fn stop(&self) {
        act(self.object(), "stop", Location::caller());
        self.end();
        changes(self.object());
    }

    /// The same within a step.
    pub(super) fn end(&self) {
        if !self.0.is_over.swap(true, Ordering::SeqCst) {
            if engine::is_controlled() {
                changes(self.object());
                engine::wake_all(self.object());
            }
            self.expect(NEVER);
            if let Some(shelf) = self.0.shelf.upgrade() {
                shelf.note_stopped();
            }
            if let Some(runtime) = &self.0.runtime {
                runtime.end_work();
            }
        }
    }

    /// True until it has run out for good, or was stopped.
    #[track_caller]
    pub fn is_running(&self) -> bool {
        look(self.object(), "is_running", Location::caller());
        self.runs()
    }

    /// The same within a step.
    pub(super) fn runs(&self) -> bool {
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
                has_come = self.runs() && self.0.due.is_next(deadline) && engine::leap(deadline);
            }
            while !has_come && self.runs() {
                let wakeup = engine::wait_at(Operation::Tick, self.object(), deadline, None, site);
                has_come = wakeup == engine::Wakeup::TimedOut;
            }
            // Another one may be about to tick that was due before.
            while self.runs() && !self.0.due.is_next(deadline) {
                let changes = self.0.due.object();
                engine::wait_at(Operation::Tick, changes, NEVER, None, site);
            }
            if !self.runs() {
                return;
            }
            deliver(Tick::Deliver);
            let Some(period) = period else {
                self.end();
                return;
            };
            let nanos = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX);
            deadline = engine::deadline_at(deadline.max(engine::now()).saturating_add(nanos));
            if self.runs() {
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
            .field("is_running", &self.runs())
            .finish()
    }
}

/// The thread that keeps the time of a runtime outside of the engine; it begins with the first timer.
pub(super) struct Clock(Arc<Shelf>);

/// All timers of a runtime outside of the engine.
#[derive(Default)]
struct Shelf {
    alarms: Mutex<Alarms>,
    /// The thread is told of an earlier alarm, or of the end.
    is_changed: Condvar,
}

#[derive(Default)]
struct Alarms {
    next: BinaryHeap<Reverse<Alarm>>,
    /// How many of them were stopped, at most.
    stopped: usize,
    has_thread: bool,
    is_stopped: bool,
}

impl Alarms {
    /// Most of them were stopped, and hold on to their events for nothing.
    fn is_littered(&self) -> bool {
        self.stopped > LITTER && self.stopped > self.next.len() / 2
    }

    /// Takes those that were stopped.
    fn clear(&mut self) -> Vec<Alarm> {
        self.stopped = 0;
        let all = std::mem::take(&mut self.next).into_iter();
        let (runs, stopped): (Vec<_>, Vec<_>) = all.partition(|it| it.0.timer.runs());
        self.next = runs.into();
        stopped.into_iter().map(|Reverse(alarm)| alarm).collect()
    }
}

impl Shelf {
    fn alarms(&self) -> MutexGuard<'_, Alarms> {
        self.alarms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_stopped(&self) {
        let mut alarms = self.alarms();
        alarms.stopped += 1;
        if alarms.is_littered() {
            drop(alarms);
            self.is_changed.notify_all();
        }
    }
}

/// So many timers that were stopped are of no concern.
const LITTER: usize = 64;

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
        let mut alarms = self.0.alarms();
        if alarms.is_stopped {
            drop(alarms);
            alarm.timer.end();
            return;
        }
        let first = alarms.next.peek();
        let is_first = first.is_none_or(|Reverse(first)| alarm.at < first.at);
        alarms.next.push(Reverse(alarm));
        if !std::mem::replace(&mut alarms.has_thread, true) {
            let mine = Arc::clone(&self.0);
            let run = move || keep_time(&mine);
            let thread = thread::Builder::new().name("timers of actors".to_owned());
            thread.spawn(run).expect("a thread for timers can be made");
        } else if is_first {
            drop(alarms);
            self.0.is_changed.notify_all();
        }
    }

    pub(super) fn stop(&self) {
        let left = {
            let mut alarms = self.0.alarms();
            alarms.is_stopped = true;
            if !alarms.has_thread {
                return;
            }
            std::mem::take(&mut alarms.next)
        };
        self.0.is_changed.notify_all();
        for Reverse(alarm) in left {
            alarm.timer.end();
        }
    }
}

/// A thread without timers ends after this; the next timer makes a new one.
const PATIENCE: Duration = Duration::from_secs(1);

fn keep_time(shelf: &Shelf) {
    let mut alarms = shelf.alarms();
    loop {
        if alarms.is_stopped {
            return;
        }
        if alarms.is_littered() {
            let litter = alarms.clear();
            drop(alarms);
            litter.into_iter().for_each(Alarm::end);
            alarms = shelf.alarms();
            continue;
        }
        let now = real_now();
        let Some(Reverse(next)) = alarms.next.peek() else {
            let waited = shelf.is_changed.wait_timeout(alarms, PATIENCE);
            let (guard, time) = waited.unwrap_or_else(PoisonError::into_inner);
            alarms = guard;
            if time.timed_out() && alarms.next.is_empty() {
                alarms.has_thread = false;
                return;
            }
            continue;
        };
        let is_running = next.timer.runs();
        if is_running && next.at > now {
            let left = next.at - now;
            let waited = shelf.is_changed.wait_timeout(alarms, left);
            alarms = waited.unwrap_or_else(PoisonError::into_inner).0;
            continue;
        }
        if !is_running {
            alarms.stopped = alarms.stopped.saturating_sub(1);
        }
        let Some(Reverse(alarm)) = alarms.next.pop() else {
            continue;
        };
        drop(alarms);
        let again = alarm.ring();
        alarms = shelf.alarms();
        if let Some(alarm) = again {
            if alarms.is_stopped {
                drop(alarms);
                alarm.end();
                return;
            }
            alarms.next.push(Reverse(alarm));
        }
    }
}

impl Alarm {
    /// Returns it if it rings again.
    fn ring(mut self) -> Option<Alarm> {
        if !self.timer.runs() {
            self.end();
            return None;
        }
        // The clone of an event may panic, and so may the runtime's hooks.
        let delivered = catch(|| (self.deliver)(Tick::Deliver));
        if let Err(panic) = &delivered {
            (self.runtime).note_failure(&self.name, message_of(&**panic));
        }
        match self.period {
            Some(period) if delivered.is_ok() => {
                self.at = later(self.at, period);
                Some(self)
            }
            _ => {
                self.end();
                None
            }
        }
    }

    /// The end of the timer, and of the event that it has.
    fn end(self) {
        self.timer.end();
        let Alarm {
            deliver,
            runtime,
            name,
            ..
        } = self;
        // The event's drop may panic.
        if let Err(panic) = catch(|| drop(deliver)) {
            runtime.note_failure(&name, message_of(&*panic));
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

/// A time after this one; a century, if it cannot be said.
fn later(time: Instant, duration: Duration) -> Instant {
    (time.checked_add(duration)).unwrap_or_else(|| time + CENTURY)
}

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

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
