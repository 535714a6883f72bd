//! Signals that the program sends to itself: which of them wait, and for whom.
//!
//! One that all have blocked who could take it waits, as in the kernel, where it is pending for the one OS
//! thread: so a signalfd can be read as natively. For whom it is the kernel does not know.

use std::mem::zeroed;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{controlled, outside};
use crate::engine::decide::Engine;
use crate::engine::decide::signals::os_thread;
use crate::engine::state::worker::Worker;
use crate::engine::switch::{SignalMask, bit, held, hold, set_of, signals_of};
use crate::strategy::WorkerId;

/// The signals that wait for any thread.
static FOR_ANY: AtomicU64 = AtomicU64::new(0);

/// The signals that the thread of the current worker has blocked; the caller's, where no engine is.
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
        let (engine, _) = controlled();
        // SAFETY: a controlled worker's engine is live, and so are its workers; no switch happens in here.
        let waiting = unsafe { to.map_or(&FOR_ANY, |to| &(*(*engine).roster.worker(to)).signals) };
        waiting.fetch_or(bit(signal), Relaxed);
        outside(|| make_pending(signal));
    }
    waits
}

/// The kernel has this signal pending for the thread of the workers.
fn make_pending(signal: libc::c_int) {
    hold(held() | bit(signal));
    // SAFETY: the signal is blocked on this thread.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), os_thread(), signal) };
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
        let information = outside(|| taken(bit(signal)))?;
        // SAFETY: the worker is live.
        let own = unsafe { &*self.0 };
        let of = if own.load(Relaxed) & bit(signal) != 0 {
            own
        } else {
            &FOR_ANY
        };
        of.fetch_and(!bit(signal), Relaxed);
        is_taken(signal);
        Some((signal, information))
    }
}

/// The kernel has let go of a signal that may wait: it gets it again if so.
pub fn remind_of_signal(signal: libc::c_int) {
    if held() & bit(signal) != 0 {
        make_pending(signal);
    }
}

/// The kernel has had one of each signal: it gets it again if somebody else has one that waits.
fn is_taken(signal: libc::c_int) {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    let others = unsafe { (*engine).roster.iter() };
    let others = others.map(|worker| worker.signals.load(Relaxed));
    let waiting = others.fold(FOR_ANY.load(Relaxed), |all, signals| all | signals);
    outside(|| {
        if waiting & bit(signal) == 0 {
            hold(held() & !bit(signal));
        } else {
            make_pending(signal);
        }
    });
}

/// The signals that the kernel has for this thread.
fn pending() -> u64 {
    let mut set = set_of(0);
    // SAFETY: the set is a place of ours.
    unsafe {
        libc::sigpending(&raw mut set);
        signals_of(&raw const set)
    }
}

/// Takes one of these signals from the kernel.
fn taken(signals: u64) -> Option<libc::siginfo_t> {
    let set = set_of(signals);
    // SAFETY: the places are ours; all zeros is information, and no time.
    unsafe {
        let mut information: libc::siginfo_t = zeroed();
        let taken = libc::sigtimedwait(&raw const set, &raw mut information, &zeroed());
        (taken > 0).then_some(information)
    }
}

/// The iteration is over, and what waits is gone with it.
pub(crate) fn forget_waiting() {
    FOR_ANY.store(0, Relaxed);
    let waiting = held();
    if waiting != 0 {
        while taken(waiting).is_some() {}
        hold(0);
    }
}
