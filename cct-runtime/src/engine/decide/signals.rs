//! Signals from elsewhere: their handlers run where the engine looks at the outside, never beside a worker.
//!
//! On another thread a handler would use what the program shares with it, such as its end of a pipe or a
//! count of readers, while an iteration ends and all of that is put back.

use std::mem::zeroed;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use super::engine::{Engine, outside};
use super::outside::{BUSY_KERNEL, Source, await_until, look, note_use, with_handler};
use crate::asleep::sleeps;
use crate::engine::switch::{bit, held, pending, set_of};

/// The signals that the iteration has handlers for, as bits.
static HANDLED: AtomicU64 = AtomicU64::new(0);
/// The thread of the workers, where they are blocked; 0 before there is one.
static THREAD: AtomicI32 = AtomicI32::new(0);

/// A worker has a handler for this signal, which it wants to run on the workers' thread.
pub fn note_handled_signal(signal: libc::c_int) {
    HANDLED.fetch_or(bit(signal), Relaxed);
}

/// True on the OS thread of the workers, and where there is none.
pub fn is_thread_of_workers() -> bool {
    let thread = THREAD.load(Relaxed);
    thread == 0 || thread == os_thread()
}

/// The kernel's number of the calling thread; on a worker `gettid` has one of the worker's.
pub(crate) fn os_thread() -> libc::pid_t {
    // SAFETY: asks for a number.
    outside(|| unsafe { libc::gettid() })
}

/// The calling thread is the workers'.
pub(crate) fn mark_thread() {
    THREAD.store(os_thread(), Relaxed);
}

/// In a process that a worker has forked: there are no workers.
pub(crate) fn forget_thread() {
    THREAD.store(0, Relaxed);
}

/// The iteration is over: what has come for it is gone, before its handlers are.
pub(crate) fn forget() {
    let handled = HANDLED.swap(0, Relaxed);
    if handled == 0 {
        return;
    }
    // SAFETY: the set and the time are places of ours; all zeros is no time.
    unsafe {
        let signals = set_of(handled);
        while libc::sigtimedwait(&raw const signals, null_mut(), &zeroed()) > 0 {}
    }
}

/// True if the iteration has handlers for some signals.
#[inline]
pub(crate) fn are_handled() -> bool {
    HANDLED.load(Relaxed) != 0
}

/// Has the handlers run of signals that have come. The engine decides, so to them there is none: what they
/// do is no step, and whom they wake is told as [news](super::outside::drain).
#[inline]
pub(crate) fn take(engine: &mut Engine) {
    let handled = HANDLED.load(Relaxed);
    if handled != 0 {
        take_pending(engine, handled);
    }
}

#[cold]
fn take_pending(engine: &mut Engine, handled: u64) {
    let mut come = pending() & handled & !held();
    if come != 0 {
        // They wait for a thread that takes them.
        come &= !engine.roster.signals_blocked_by_all();
    }
    if come == 0 {
        return;
    }
    let come = set_of(come);
    // SAFETY: the sets are places of ours; handlers run as they would at any instruction.
    with_handler(|| unsafe {
        let mut before = set_of(0);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const come, &raw mut before);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, null_mut());
    });
    note_use(engine, Source::Signal);
    engine.budget.idle = 0;
    engine.wake_ready();
}

/// Nobody can run: waits in real time for a signal that the iteration has a handler for, if a child or a
/// timer of the kernel's may send one. False if in vain.
pub(crate) fn await_one(engine: &mut Engine) -> bool {
    let is_enough = |engine: &Engine| engine.roster.anyone_can_run();
    if are_handled() {
        await_last(engine, is_enough);
    }
    is_enough(engine)
}

/// Waits in real time until this is so, or no signal that the iteration has a handler for will come any more
/// from a child or a timer of the kernel's.
///
/// A timer that is set for later is beyond control, since its signal will come; a child need not send any.
pub(super) fn await_last(engine: &mut Engine, is_enough: impl Fn(&Engine) -> bool) {
    let bound = engine.outside.allowance.timeout;
    let is_over = |engine: &Engine| is_enough(engine) || !may_come(engine);
    if !await_until(engine, bound, is_over) && is_timer_set() {
        (engine.outside.allowance.give_up)("a signal of a timer");
    }
    take_last(engine, is_enough);
}

/// All who could send anything have ended: takes what has come, once no other thread has a signal in hand.
pub(super) fn take_last(engine: &mut Engine, is_enough: impl Fn(&Engine) -> bool) {
    if are_handled() {
        await_until(engine, BUSY_KERNEL, |engine| {
            is_enough(engine) || others_sleep()
        });
    }
    look(engine);
}

/// True if somebody is there who may send a signal that the iteration has a handler for.
pub(super) fn may_come(engine: &Engine) -> bool {
    if !are_handled() {
        return false;
    }
    engine.outside.children.any_lives() || is_timer_set()
}

/// True if a timer is set that goes by real time, as far as the kernel tells.
fn is_timer_set() -> bool {
    // SAFETY: all zeros is a time; the places are ours, and a timer that is gone by now is an error.
    let is_set = |timer: usize| unsafe {
        let mut left: libc::itimerspec = zeroed();
        libc::syscall(libc::SYS_timer_gettime, timer, &raw mut left) == 0
            && (left.it_value.tv_sec, left.it_value.tv_nsec) != (0, 0)
    };
    // SAFETY: as above.
    let is_alarm_set = unsafe {
        let mut left: libc::itimerval = zeroed();
        libc::getitimer(libc::ITIMER_REAL, &raw mut left) == 0
            && (left.it_value.tv_sec, left.it_value.tv_usec) != (0, 0)
    };
    let timers = std::fs::read_to_string("/proc/self/timers").unwrap_or_default();
    let numbers = timers.lines().filter_map(|line| line.strip_prefix("ID: "));
    is_alarm_set || numbers.filter_map(|number| number.parse().ok()).any(is_set)
}

/// True if no other thread of the process runs, as one does between the kernel's handing it a signal and its
/// passing that on to the thread of the workers.
fn others_sleep() -> bool {
    let own = os_thread().to_string();
    // One may get it when it has been looked at, from one that has not.
    (0..2).all(|_| {
        let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
        let mut others = tasks.flatten().filter(|task| task.file_name() != *own);
        others.all(|task| sleeps(task.path()))
    })
}

/// The name of a signal, as programs have it.
pub(crate) fn name_of(signal: libc::c_int) -> &'static str {
    match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGCHLD => "SIGCHLD",
        libc::SIGCONT => "SIGCONT",
        libc::SIGURG => "SIGURG",
        libc::SIGWINCH => "SIGWINCH",
        libc::SIGIO => "SIGIO",
        libc::SIGSYS => "SIGSYS",
        _ => "a signal",
    }
}
