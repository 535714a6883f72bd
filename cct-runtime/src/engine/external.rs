//! Word from threads that the engine does not control.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::NEVER;
use super::look::Awaits;
use super::signals;
use super::state::{Engine, engine};
use super::worker::State;
use crate::claim::Exception;
use crate::config::Resolved;
use crate::strategy::WorkerId;
use crate::wire::Outside;

/// Set when an uncontrolled thread changed something that a controlled worker may wait for.
static NEWS: AtomicBool = AtomicBool::new(false);
/// True from the first engine of the process on; before, nobody can be waiting.
static ENGINE_EXISTS: AtomicBool = AtomicBool::new(false);
/// Workers that uncontrolled threads gave their park token: iteration and number.
static UNPARKED: Mutex<Vec<(u64, WorkerId)>> = Mutex::new(Vec::new());
static ARRIVED: Condvar = Condvar::new();

/// How often, and how long each time, the engine waits for news when only the outside can help.
const ATTEMPTS: u32 = 100;
const PATIENCE: Duration = Duration::from_millis(10);

pub(super) fn reset() {
    ENGINE_EXISTS.store(true, Ordering::Relaxed);
    NEWS.store(false, Ordering::Relaxed);
}

/// Called on an uncontrolled thread that changed something; who waits for it is found by looking.
pub(super) fn notify() {
    if ENGINE_EXISTS.load(Ordering::Relaxed) && !is_engine_thread() {
        announce(&mut unparked());
    }
}

/// Called on an uncontrolled thread that unparks a worker of this iteration.
pub(super) fn unpark(iteration: u64, worker: WorkerId) {
    let mut unparked = unparked();
    unparked.push((iteration, worker));
    announce(&mut unparked);
}

fn unparked() -> MutexGuard<'static, Vec<(u64, WorkerId)>> {
    UNPARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that there is news; the lock is held, so that the engine cannot be about to sleep.
fn announce(_unparked: &mut MutexGuard<'static, Vec<(u64, WorkerId)>>) {
    NEWS.store(true, Ordering::Release);
    ARRIVED.notify_all();
}

/// Makes everybody who waits look again if there is news.
#[inline]
pub(super) fn drain(engine: &mut Engine) {
    if NEWS.load(Ordering::Relaxed) {
        take_news(engine);
    }
}

#[cold]
fn take_news(engine: &mut Engine) {
    if NEWS.swap(false, Ordering::Acquire) {
        engine.left_out.add(Exception::UncontrolledThreads);
        for (iteration, worker) in unparked().drain(..) {
            if iteration == engine.iteration && (worker.0 as usize) < engine.worker_count {
                // SAFETY: the engine's workers are live.
                unsafe { (*engine.worker(worker)).park_token = true };
            }
        }
        engine.wake_everybody();
    }
}

/// How long the kernel may take to hand something from one end in this process to the other: moments, but
/// for a machine that is very busy, which a deadlock must not be taken for.
const KERNEL: Duration = Duration::from_millis(2);
const BUSY_KERNEL: Duration = Duration::from_millis(200);
const SLICE: Duration = Duration::from_millis(1);

/// How the engine goes about what it does not control: as the settings of the same names say, and what is
/// left when they are used up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// How often the outside is looked at before a decision, when it may be about to answer.
    pub(crate) attempts: u32,
    /// How long the engine spins between two looks, in rounds.
    pub(crate) delay: u32,
    /// How long it waits when nobody else can run.
    pub(crate) timeout: Duration,
    /// Is told what is beyond control, after a wait of that time in vain. It may end the process; if it
    /// returns, the iteration goes on as if there were nothing to wait for.
    pub(crate) give_up: fn(&str),
}

impl Patience {
    /// As these settings say.
    pub(crate) fn of(settings: &Resolved, give_up: fn(&str)) -> Patience {
        Patience {
            give_up,
            attempts: settings.uncontrolled_attempts,
            delay: settings.uncontrolled_delay,
            timeout: settings.uncontrolled_timeout,
        }
    }
}

/// What a worker uses that the engine does not control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A TCP socket.
    Tcp,
    /// A UDP socket.
    Udp,
    /// A socket of the file system, or a pair of which another process has an end.
    Unix,
    /// A pipe of which another process may have an end.
    Pipe,
    /// Another process.
    Process,
    /// A signal that somebody else has sent.
    Signal,
    /// A descriptor of another kind.
    Descriptor,
}

impl Source {
    const ALL: [(Source, &str); 7] = [
        (Source::Tcp, "tcp socket"),
        (Source::Udp, "udp socket"),
        (Source::Unix, "unix socket"),
        (Source::Pipe, "pipe to another process"),
        (Source::Process, "child process"),
        (Source::Signal, "signal"),
        (Source::Descriptor, "descriptor of an unknown kind"),
    ];
}

/// How often each has been used, in all iterations of this process.
static USES: [AtomicU64; Source::ALL.len()] = [const { AtomicU64::new(0) }; Source::ALL.len()];

/// The current worker does something that the outside may answer: it is counted, and the next decision
/// waits a little for the answer. Does nothing where no engine is.
pub fn stir(source: Source) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live.
        unsafe { note_use(&mut *engine, source) };
    }
}

/// The outside is used.
pub(super) fn note_use(engine: &mut Engine, source: Source) {
    USES[source as usize].fetch_add(1, Ordering::Relaxed);
    engine.left_out.add(Exception::Outside);
    engine.looks.has_outside = true;
    engine.looks.stirred = true;
}

/// What the iterations so far have used that is not under control, and how often.
pub(crate) fn uses() -> Vec<Outside> {
    let used = Source::ALL.iter().map(|&(source, name)| Outside {
        what: name.to_owned(),
        times: USES[source as usize].load(Ordering::Relaxed),
    });
    used.filter(|used| used.times > 0).collect()
}

/// Some wait for the outside: lets it finish what it is at, so that it does so at the same step each time.
#[cold]
pub(super) fn let_finish(engine: &mut Engine) {
    let looks = if std::mem::take(&mut engine.looks.stirred) {
        engine.patience.attempts
    } else {
        1
    };
    for look in 0..looks {
        if engine.wake_ready() {
            return;
        }
        if look + 1 < looks {
            (0..engine.patience.delay).for_each(|_| std::hint::spin_loop());
        }
    }
}

/// Nobody can run, and some wait for the outside: waits in real time until it has answered, at most until
/// the next deadline has come on a real clock too. False if in vain.
///
/// Where both ends are in this process, the kernel is given a moment: then nobody has sent anything. What
/// takes longer than the timeout is beyond control, and the test is run natively: it might be a deadlock, or
/// the deadline that comes first, and nobody can tell.
pub(super) fn await_outside(engine: &mut Engine) -> bool {
    if !engine.looks.await_outside() {
        return false;
    }
    engine.find_next_deadline();
    let left = match engine.next_deadline {
        NEVER => Duration::MAX,
        deadline => Duration::from_nanos(deadline.saturating_sub(engine.time)),
    };
    let is_far = engine.farthest_awaited() == Awaits::Outside;
    let bound = match left {
        _ if is_far => engine.patience.timeout,
        Duration::MAX => BUSY_KERNEL.min(engine.patience.timeout),
        _ => KERNEL,
    };
    if await_word(engine, left.min(bound)) {
        return true;
    }
    if is_far && left > bound {
        (engine.patience.give_up)("what another process brings");
    }
    false
}

/// In a replay: the outside had woken this worker by now; waits until it has done so again.
pub(super) fn await_worker(engine: &mut Engine, expected: WorkerId) {
    let Some(&worker) = engine.live_workers().get(expected.0 as usize) else {
        return;
    };
    let bound = match engine.farthest_awaited() {
        Awaits::Outside => engine.patience.timeout,
        _ => BUSY_KERNEL,
    };
    // SAFETY: the engine's workers are live.
    let waits = || unsafe { (*worker).state == State::Waiting && (*worker).look.is_some() };
    await_until(engine, bound, |_| !waits());
}

/// Waits in real time until somebody can run, at most so long.
fn await_word(engine: &mut Engine, bound: Duration) -> bool {
    await_until(engine, bound, |engine| engine.enabled.len() > 0)
}

/// Waits for the outside in real time until this is so, at most so long.
pub(super) fn await_until(
    engine: &mut Engine,
    bound: Duration,
    is_so: impl Fn(&Engine) -> bool,
) -> bool {
    let mut waited = Duration::ZERO;
    loop {
        if is_so(engine) {
            return true;
        }
        engine.looks.stirred = true;
        let_finish(engine);
        drain(engine);
        signals::take(engine);
        if is_so(engine) {
            return true;
        }
        if waited >= bound {
            return false;
        }
        let guard = unparked();
        if !NEWS.load(Ordering::Acquire) {
            drop(ARRIVED.wait_timeout(guard, SLICE));
        }
        waited += SLICE;
    }
}

/// Nobody can run: waits for news, if there are threads that could bring some. False if in vain.
pub(super) fn wait(engine: &mut Engine) -> bool {
    if !uncontrolled_threads_exist() {
        return false;
    }
    let mut guard = unparked();
    for _ in 0..ATTEMPTS {
        signals::take(engine);
        if NEWS.load(Ordering::Acquire) || engine.wake_ready() {
            break;
        }
        guard = ARRIVED
            .wait_timeout(guard, PATIENCE)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
    }
    drop(guard);
    let news = NEWS.load(Ordering::Acquire);
    drain(engine);
    news || engine.enabled.len() > 0
}

thread_local! {
    static IS_ENGINE_THREAD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Marks the OS thread that runs controlled workers.
pub(crate) fn mark_engine_thread() {
    IS_ENGINE_THREAD.set(true);
    signals::mark_thread();
}

/// The calling thread runs no workers any more: it goes on in a process of its own.
pub(super) fn forget_engine_thread() {
    IS_ENGINE_THREAD.set(false);
}

/// True on the OS thread that runs controlled workers, once their surroundings are known.
#[inline]
pub(super) fn is_engine_thread() -> bool {
    IS_ENGINE_THREAD.get()
}

/// True if the process has more threads than libtest's two.
pub(crate) fn uncontrolled_threads_exist() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 2)
}
