//! Signals that the program sends to itself: which of them wait, and for whom.
//!
//! One that all have blocked who could take it waits, as in the kernel, where it is pending for the one OS
//! thread: so a signalfd can be read as natively. For whom it is the kernel does not know.

use std::iter;
use std::mem::zeroed;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::order::release;
use super::outside_use::stir;
use super::{controlled, outside};
use crate::engine::decide::Engine;
use crate::engine::decide::outside::Source;
use crate::engine::decide::signals::os_thread;
use crate::engine::state::worker::Worker;
use crate::engine::switch::{SignalMask, bit, held, hold, pending, set_of};
use crate::object::ObjectId;
use crate::strategy::WorkerId;

/// The signals that wait for any thread.
static FOR_ANY: AtomicU64 = AtomicU64::new(0);

/// The signals that the thread of the current worker has blocked; in a process that it has forked, too.
pub fn signal_mask() -> SignalMask {
    SignalMask::now()
}

/// The current worker's thread has these signals blocked from here on. Controlled workers only.
pub fn set_signal_mask(mask: SignalMask) {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live, and so is its thread; no switch happens in here.
    unsafe { (*thread_of_current(engine)).mask = mask };
    outside(|| mask.set());
}

/// # Safety
///
/// The engine is live.
unsafe fn thread_of_current(engine: *mut Engine) -> *mut Worker {
    // SAFETY: the caller's; it has a current worker, which runs on a thread.
    unsafe { (*(*engine).roster.current).thread }
}

/// True if a signal to a thread, or to any, waits: all that could take it have it blocked. Controlled
/// workers only.
pub fn is_signal_blocked(signal: libc::c_int, to: Option<WorkerId>) -> bool {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live, and so are its workers; no switch happens in here.
    let blocked = unsafe {
        match to {
            Some(to) => (*(*engine).roster.worker(to)).mask.0,
            None => (*engine).roster.signals_blocked_by_all(),
        }
    };
    blocked & bit(signal) != 0
}

/// A signal is sent to a thread, or to any, and waits if it is blocked; true if so. Controlled workers only.
pub fn hold_signal(signal: libc::c_int, to: Option<WorkerId>) -> bool {
    let waits = is_signal_blocked(signal, to);
    if waits {
        post(signal, to);
    }
    waits
}

/// A signal waits from here on for a thread, or for any, whether they have it blocked or not. Controlled
/// workers only.
pub(super) fn post(signal: libc::c_int, to: Option<WorkerId>) {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live, and so are its workers; no switch happens in here.
    let waiting = unsafe { to.map_or(&FOR_ANY, |to| &(*(*engine).roster.worker(to)).signals) };
    waiting.fetch_or(bit(signal), Relaxed);
    release(ObjectId::SIGNALS);
    let information = signal_information(signal, to.is_some());
    outside(|| make_pending(&information));
}

/// True if a signal waits for a thread of the engine's that does not have it blocked.
pub(super) fn anyone_has_open(engine: &Engine) -> bool {
    let sent = |thread: &Worker| thread.signals.load(Relaxed) & !thread.mask.0 != 0;
    let for_any = FOR_ANY.load(Relaxed) & !engine.roster.signals_blocked_by_all();
    for_any != 0 || engine.roster.iter().any(sent)
}

/// The information that comes with a signal of the program to one of its threads, or to itself.
pub fn signal_information(signal: libc::c_int, to_thread: bool) -> libc::siginfo_t {
    /// Begins as the kernel's; without what other kinds of senders say.
    #[repr(C)]
    struct Sent {
        signal: libc::c_int,
        error: libc::c_int,
        code: libc::c_int,
        _padding: libc::c_int,
        process: libc::pid_t,
        user: libc::uid_t,
    }
    let code = if to_thread {
        libc::SI_TKILL
    } else {
        libc::SI_USER
    };
    // SAFETY: asks for numbers; all zeros is information, which begins with what is written.
    unsafe {
        let mut information: libc::siginfo_t = zeroed();
        (&raw mut information).cast::<Sent>().write(Sent {
            signal,
            error: 0,
            code,
            _padding: 0,
            process: libc::getpid(),
            user: libc::getuid(),
        });
        information
    }
}

/// The kernel has this signal pending for the thread of the workers, which is the one that runs: the kernel
/// lets no other say who has sent it.
fn make_pending(information: &libc::siginfo_t) {
    let signal = information.si_signo;
    hold(held() | bit(signal));
    // SAFETY: the signal is blocked on this thread, and the information readable.
    unsafe {
        let place = std::ptr::from_ref(information);
        libc::syscall(
            libc::SYS_rt_tgsigqueueinfo,
            libc::getpid(),
            os_thread(),
            signal,
            place,
        )
    };
}

/// The same of a signal that waits still, of which the kernel had one.
fn make_pending_again(signal: libc::c_int) {
    let for_any = FOR_ANY.load(Relaxed) & bit(signal) != 0;
    make_pending(&signal_information(signal, !for_any));
}

/// The signals that wait for a thread.
#[derive(Clone, Copy, Debug)]
pub struct Waiting(*const AtomicU64);

impl Waiting {
    /// For that of the current worker; valid while the worker is. Controlled workers only.
    pub fn for_current() -> Waiting {
        let (engine, _) = controlled();
        // SAFETY: a controlled worker's engine is live, and so is its thread.
        Waiting(unsafe { &raw const (*thread_of_current(engine)).signals })
    }

    /// The signals that were sent by the program and wait for this thread, or for any.
    pub fn sent(self) -> u64 {
        // SAFETY: the worker is live.
        unsafe { (*self.0).load(Relaxed) | FOR_ANY.load(Relaxed) }
    }

    /// All signals that wait for this thread, or for any; those of others among them, which have nobody.
    pub fn all(self) -> u64 {
        let from_others = !held();
        outside(pending) & (self.sent() | from_others)
    }

    /// [`take`](Waiting::take) of those that the program has sent.
    pub fn take_sent(self, wanted: u64) -> Option<(libc::c_int, libc::siginfo_t)> {
        self.take(self.sent() & wanted)
    }

    /// Takes one of these signals, the lowest: its number, and what the kernel tells of it. None if none
    /// waits. The thread must be that of the current worker.
    pub fn take(self, wanted: u64) -> Option<(libc::c_int, libc::siginfo_t)> {
        if wanted == 0 {
            return None;
        }
        let wanted = self.all() & wanted;
        if wanted == 0 {
            return None;
        }
        let signal = wanted.trailing_zeros().cast_signed() + 1;
        if held() & bit(signal) == 0 {
            stir(Source::Signal);
        }
        let information = outside(|| taken(bit(signal)))?;
        // SAFETY: the worker is live.
        let own = unsafe { &*self.0 };
        let of = if own.load(Relaxed) & bit(signal) != 0 {
            own
        } else {
            &FOR_ANY
        };
        of.fetch_and(!bit(signal), Relaxed);
        let others_wait = wait_for_anybody() & bit(signal) != 0;
        let is_pending = outside(pending) & bit(signal) != 0;
        match (others_wait, is_pending) {
            // The kernel has one of each.
            (true, false) => outside(|| make_pending_again(signal)),
            (false, false) => outside(|| hold(held() & !bit(signal))),
            // Real-time signals queue: the next one waits for the same.
            (false, true) if held() & bit(signal) != 0 => {
                of.fetch_or(bit(signal), Relaxed);
            }
            (_, true) => {}
        }
        Some((signal, information))
    }
}

/// The signals that wait for some thread, or for any. Controlled workers only.
fn wait_for_anybody() -> u64 {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    let threads = unsafe { (*engine).roster.iter() };
    let signals = threads.map(|thread| thread.signals.load(Relaxed));
    signals.fold(FOR_ANY.load(Relaxed), |all, signals| all | signals)
}

/// Calls this while the kernel has nothing pending that waits for a thread: a process that is made meanwhile
/// can have any mask.
pub(crate) fn without_waiting<R>(act: impl FnOnce() -> R) -> R {
    let waiting = held() & outside(pending);
    if waiting == 0 {
        return act();
    }
    let waited = outside(|| {
        let waited: Vec<_> = iter::from_fn(|| taken(waiting)).collect();
        hold(held() & !waiting);
        waited
    });
    let result = act();
    outside(|| {
        waited.iter().for_each(make_pending);
        drop(waited);
    });
    result
}

/// The set of signals that are blocked while this one arrives, but for those that its handler has blocked.
pub fn mask_at_arrival(signal: libc::c_int) -> libc::sigset_t {
    set_of(outside(SignalMask::at_arrival) & !bit(signal))
}

/// A signal has arrived, and with it those of its number that the kernel had: what waits still is pending
/// again. Controlled workers only.
pub fn signal_has_arrived(signal: libc::c_int) {
    if held() & bit(signal) == 0 || outside(pending) & bit(signal) != 0 {
        return;
    }
    if signal < FIRST_OF_REAL_TIME {
        // Of others: the kernel has one of each.
        outside(|| make_pending_again(signal));
        return;
    }
    wait_for_nobody(signal);
}

/// A signal is ignored from here on: what waits of it is gone. Controlled workers only.
pub fn discard_signal(signal: libc::c_int) {
    if held() & bit(signal) != 0 {
        wait_for_nobody(signal);
    }
}

fn wait_for_nobody(signal: libc::c_int) {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    let threads = unsafe { (*engine).roster.iter() };
    let waiting = threads.map(|thread| &thread.signals).chain([&FOR_ANY]);
    for signals in waiting {
        signals.fetch_and(!bit(signal), Relaxed);
    }
    outside(|| {
        while taken(bit(signal)).is_some() {}
        hold(held() & !bit(signal));
    });
}

/// From here on signals queue, behind two that are the C library's own.
const FIRST_OF_REAL_TIME: libc::c_int = 34;

/// Takes one of these signals from the kernel: the C library's function changes what is told of it.
fn taken(signals: u64) -> Option<libc::siginfo_t> {
    // SAFETY: the places are ours; all zeros is information, and no time.
    unsafe {
        let mut information: libc::siginfo_t = zeroed();
        let at_once: libc::timespec = zeroed();
        let taken = libc::syscall(
            libc::SYS_rt_sigtimedwait,
            &raw const signals,
            &raw mut information,
            &raw const at_once,
            size_of::<u64>(),
        );
        (taken > 0).then_some(information)
    }
}

/// The iteration is over, and what waits is gone with it, sent by whichever call; the mask of before is put
/// back, with which it would come.
pub(super) fn end_waiting(before: SignalMask) {
    if held() == 0 && SignalMask::now() == before {
        return;
    }
    FOR_ANY.store(0, Relaxed);
    let waiting = held() | SignalMask::pending_of_program();
    if waiting != 0 {
        while taken(waiting).is_some() {}
        hold(0);
    }
    before.set();
}
