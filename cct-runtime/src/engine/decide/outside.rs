//! The outside: word from threads that the engine does not control, and answers of the kernel.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::children::Children;
use super::deadlines::NEVER;
use super::engine::Engine;
use super::signals;
use crate::claim::Exception;
use crate::config::Resolved;
use crate::engine::state::glances::Glances;
use crate::engine::state::worker::{Awaits, State};
use crate::engine::switch::stand_ins;
use crate::memory::kept::{KINDS, kept};
use crate::strategy::WorkerId;
use crate::wire;

/// The origin of changes of something that a controlled worker may wait for: these bits, or none.
static NEWS: AtomicU8 = AtomicU8::new(0);
const OF_THREADS: u8 = 1;
const OF_HANDLERS: u8 = 2;
/// True from the first engine of the process on; before, nobody can be waiting.
static ENGINE_EXISTS: AtomicBool = AtomicBool::new(false);
/// Workers that uncontrolled threads gave their park token: iteration and number.
static UNPARKED: Mutex<Vec<(u64, WorkerId)>> = Mutex::new(Vec::new());
static ARRIVED: Condvar = Condvar::new();

/// How often, and how long each time, the engine waits for news when only the outside can help.
const ATTEMPTS: u32 = 100;
const ATTEMPT: Duration = Duration::from_millis(10);

pub(crate) fn reset() {
    ENGINE_EXISTS.store(true, Ordering::Relaxed);
    NEWS.store(0, Ordering::Relaxed);
}

/// Called on an uncontrolled thread that changed something; who waits for it is found by looking.
pub(crate) fn notify() {
    if ENGINE_EXISTS.load(Ordering::Relaxed) && !is_engine_thread() {
        announce(&mut unparked());
    }
}

/// Called on an uncontrolled thread that unparks a worker of this iteration.
pub(crate) fn unpark(iteration: u64, worker: WorkerId) {
    let mut unparked = unparked();
    unparked.push((iteration, worker));
    announce(&mut unparked);
}

fn unparked() -> MutexGuard<'static, Vec<(u64, WorkerId)>> {
    UNPARKED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says that there is news; the lock is held, so that the engine cannot be about to sleep.
fn announce(_unparked: &mut MutexGuard<'static, Vec<(u64, WorkerId)>>) {
    let of = if ROLE.get() == Role::Handler {
        OF_HANDLERS
    } else {
        OF_THREADS
    };
    NEWS.fetch_or(of, Ordering::Release);
    ARRIVED.notify_all();
}

/// True if there is news.
#[inline]
pub(crate) fn is_news() -> bool {
    NEWS.load(Ordering::Relaxed) != 0
}

/// Makes everybody who waits look again if there is news.
#[inline]
pub(crate) fn drain(engine: &mut Engine) {
    if is_news() {
        take_news(engine);
    }
}

#[cold]
fn take_news(engine: &mut Engine) {
    let news = NEWS.swap(0, Ordering::Acquire);
    if news != 0 {
        // Handlers are an exception of their own.
        if news & OF_THREADS != 0 {
            let left_out = &mut engine.iteration.left_out;
            left_out.add(Exception::UncontrolledThreads);
        }
        for (iteration, worker) in unparked().drain(..) {
            if iteration == engine.iteration.number && (worker.0 as usize) < engine.roster.len() {
                // SAFETY: the engine's workers are live.
                unsafe { (*engine.roster.worker(worker)).park_token = true };
            }
        }
        engine.wake_everybody();
    }
}

/// How long the kernel may take to hand something from one end in this process to the other: moments, but
/// for a machine that is very busy, which a deadlock must not be taken for.
const KERNEL: Duration = Duration::from_millis(2);
pub(super) const BUSY_KERNEL: Duration = Duration::from_millis(200);
const SLICE: Duration = Duration::from_millis(1);
/// How long a replay waits, while others could go on, for an answer that had come by now when it was made:
/// it may come in another way this time, or not at all.
const REPEATED: Duration = Duration::from_secs(1);

/// The dealings of an iteration with the outside.
#[derive(Debug)]
pub(crate) struct Outside {
    /// Ready predicates may come to hold although no worker does anything.
    pub(crate) is_used: bool,
    /// Something has been done lately that the outside may answer.
    stirred: bool,
    pub(crate) children: Children,
    pub(crate) glances: Glances,
    pub(crate) allowance: Allowance,
}

impl Outside {
    /// That of a new engine, which waits like this.
    pub(crate) fn new(allowance: Allowance) -> Outside {
        Outside {
            is_used: false,
            stirred: false,
            children: Children::default(),
            glances: Glances::default(),
            allowance,
        }
    }

    /// A new iteration begins.
    pub(crate) fn begin(&mut self) {
        let Outside {
            is_used,
            stirred,
            children,
            glances,
            allowance: _,
        } = self;
        *is_used = false;
        *stirred = false;
        children.clear();
        *glances = Glances::default();
    }
}

impl Engine {
    /// True if somebody waits whom the outside may wake.
    #[inline]
    pub(crate) fn awaits_outside(&self) -> bool {
        self.outside.is_used && !self.roster.with_predicates().is_empty()
    }

    /// The farthest party that a worker with a ready predicate waits for.
    fn farthest_awaited(&self) -> Awaits {
        let awaited = self.roster.with_predicates().iter().filter_map(|&worker| {
            // SAFETY: members are live, and the object of a predicate is there while its worker waits.
            unsafe { (*worker).ready.map(|ready| (ready.awaits)(ready.object)) }
        });
        awaited.max().unwrap_or(Awaits::Workers)
    }
}

/// How the engine goes about what it does not control: as the settings of the same names say, and what is
/// left when they are used up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
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

impl Allowance {
    /// As these settings say.
    pub(crate) fn of(settings: &Resolved, give_up: fn(&str)) -> Allowance {
        Allowance {
            give_up,
            attempts: settings.uncontrolled_attempts,
            delay: settings.uncontrolled_delay,
            timeout: settings.uncontrolled_timeout,
        }
    }
}

/// The uncontrolled things that a worker uses.
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
    const ALL: [(Source, &str); KINDS] = [
        (Source::Tcp, "tcp socket"),
        (Source::Udp, "udp socket"),
        (Source::Unix, "unix socket"),
        (Source::Pipe, "pipe to another process"),
        (Source::Process, "child process"),
        (Source::Signal, "signal"),
        (Source::Descriptor, "descriptor of an unknown kind"),
    ];
}

/// The outside is used.
pub(crate) fn note_use(engine: &mut Engine, source: Source) {
    kept().outside[source as usize].fetch_add(1, Ordering::Relaxed);
    engine.iteration.left_out.add(Exception::Outside);
    engine.attend();
    engine.outside.is_used = true;
    engine.outside.stirred = true;
}

/// The uncontrolled things that the iterations so far have used, and how often.
pub(crate) fn uses() -> Vec<wire::Outside> {
    let used = Source::ALL.iter().map(|&(source, name)| wire::Outside {
        what: name.to_owned(),
        times: kept().outside[source as usize].load(Ordering::Relaxed),
    });
    used.filter(|used| used.times > 0).collect()
}

/// Some wait for the outside: lets it finish what it is at, so that it does so at the same step each time.
#[cold]
pub(crate) fn let_finish(engine: &mut Engine) {
    let looks = if std::mem::take(&mut engine.outside.stirred) {
        engine.outside.allowance.attempts
    } else {
        1
    };
    for look in 0..looks {
        if engine.wake_ready() {
            return;
        }
        if look + 1 < looks {
            (0..engine.outside.allowance.delay).for_each(|_| std::hint::spin_loop());
        }
    }
}

/// Nobody can run, and some wait for the outside: waits in real time until it has answered, at most until
/// the next deadline has come on a real clock too. False if in vain.
///
/// Where both ends are in this process, the kernel is given a moment: then nobody has sent anything. A
/// wait for longer than the timeout is beyond control, and the test is run natively: it might be a deadlock,
/// or the deadline that comes first, and nobody can tell.
pub(crate) fn await_outside(engine: &mut Engine) -> bool {
    if !engine.awaits_outside() {
        return false;
    }
    engine.find_next_deadline();
    let left = match engine.time.next_deadline {
        NEVER => Duration::MAX,
        deadline => Duration::from_nanos(deadline.saturating_sub(engine.time.now)),
    };
    let is_far = engine.farthest_awaited() == Awaits::Outside;
    let bound = match left {
        _ if is_far => engine.outside.allowance.timeout,
        Duration::MAX => BUSY_KERNEL.min(engine.outside.allowance.timeout),
        _ => KERNEL,
    };
    if await_word(engine, left.min(bound)) {
        return true;
    }
    if is_far && left > bound {
        (engine.outside.allowance.give_up)("an answer of another process");
    }
    false
}

/// In a replay: the outside had woken this worker by now; waits until it has done so again, not for ever.
pub(crate) fn await_worker(engine: &mut Engine, expected: WorkerId) {
    let Some(&worker) = engine.roster.live().get(expected.0 as usize) else {
        return;
    };
    let bound = match engine.farthest_awaited() {
        Awaits::Outside => REPEATED.min(engine.outside.allowance.timeout),
        _ => BUSY_KERNEL,
    };
    // SAFETY: the engine's workers are live.
    let waits = || unsafe { (*worker).state() == State::Waiting && (*worker).ready.is_some() };
    await_until(engine, bound, |_| !waits());
}

/// Waits in real time until somebody can run, at most so long.
fn await_word(engine: &mut Engine, bound: Duration) -> bool {
    await_until(engine, bound, |engine| engine.roster.anyone_can_run())
}

/// Waits for the outside in real time until this is so, at most so long.
pub(crate) fn await_until(
    engine: &mut Engine,
    bound: Duration,
    is_so: impl Fn(&Engine) -> bool,
) -> bool {
    engine.observers.tape.wait(true);
    let has_come = wait_until(engine, bound, is_so);
    engine.observers.tape.wait(false);
    has_come
}

fn wait_until(engine: &mut Engine, bound: Duration, is_so: impl Fn(&Engine) -> bool) -> bool {
    let mut waited = Duration::ZERO;
    loop {
        if is_so(engine) {
            return true;
        }
        look(engine);
        if is_so(engine) {
            return true;
        }
        if waited >= bound {
            return false;
        }
        // The wait has an end of its own: it is no silence.
        let steps = engine.budget.steps();
        engine.observers.tape.beat(steps);
        let guard = unparked();
        if NEWS.load(Ordering::Acquire) == 0 {
            drop(ARRIVED.wait_timeout(guard, SLICE));
        }
        waited += SLICE;
    }
}

/// Takes what has come from the outside.
///
/// Word may come between a look and the end of its sender: whoever finds that nobody is there who may send
/// any looks once more.
pub(super) fn look(engine: &mut Engine) {
    engine.outside.stirred = true;
    let_finish(engine);
    signals::take(engine);
    drain(engine);
}

/// Nobody can run: waits for news, if there are threads that could bring some. False if in vain.
pub(crate) fn wait(engine: &mut Engine) -> bool {
    let attempts = if uncontrolled_threads_exist() {
        ATTEMPTS
    } else {
        0
    };
    for _ in 0..attempts {
        // The wait has an end of its own: it is no silence.
        let steps = engine.budget.steps();
        engine.observers.tape.beat(steps);
        // Handlers may bring news.
        signals::take(engine);
        let guard = unparked();
        if NEWS.load(Ordering::Acquire) != 0 || engine.wake_ready() {
            break;
        }
        drop(ARRIVED.wait_timeout(guard, ATTEMPT));
    }
    let news = is_news();
    look(engine);
    news || engine.roster.anyone_can_run()
}

/// Nobody changes anything: gives those time, in real time, who may do so from outside, whether they tell or
/// not. False if there are none.
pub(super) fn hear_out(engine: &mut Engine) -> bool {
    let threads_exist = uncontrolled_threads_exist();
    if threads_exist {
        wait(engine);
    }
    let are_handled = signals::are_handled();
    if are_handled {
        signals::await_last(engine, |engine| engine.budget.idle == 0);
    }
    threads_exist || are_handled
}

/// The part of an OS thread, as the engine sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// It runs controlled workers.
    Engine,
    /// It does as well, and runs a handler of a signal that is none of their code.
    Handler,
    /// It is not under control.
    Other,
}

thread_local! {
    static ROLE: std::cell::Cell<Role> = const { std::cell::Cell::new(Role::Other) };
}

/// Marks the OS thread that runs controlled workers.
pub(crate) fn mark_engine_thread() {
    ROLE.set(Role::Engine);
    signals::mark_thread();
}

/// Calls this, which has a handler run that is none of a worker's code: what it changes is news, as from a
/// thread that is not under control. A worker must not be the caller, unless [`outside`](super::outside()).
pub fn with_handler<R>(act: impl FnOnce() -> R) -> R {
    let role = ROLE.replace(Role::Handler);
    let result = act();
    ROLE.set(role);
    result
}

/// The calling thread runs no workers any more: it goes on in a process of its own.
pub(crate) fn forget_engine_thread() {
    ROLE.set(Role::Other);
}

/// True on the OS thread that runs controlled workers, once their surroundings are known.
#[inline]
pub(crate) fn is_engine_thread() -> bool {
    ROLE.get() == Role::Engine
}

/// The threads of the process that are none of the test's: libtest's two.
static OTHERS: AtomicUsize = AtomicUsize::new(2);

/// The process has this one thread alone: it is a copy of another, in which workers go on.
pub(crate) fn begin_alone() {
    OTHERS.store(1, Ordering::Relaxed);
    mark_engine_thread();
}

/// True if the process has more threads than those that are none of the test's, and those for a debugger.
pub(crate) fn uncontrolled_threads_exist() -> bool {
    let others = OTHERS.load(Ordering::Relaxed) + stand_ins();
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > others)
}
