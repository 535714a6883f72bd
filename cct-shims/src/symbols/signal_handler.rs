//! The handlers of a program, and how they run.
//!
//! Of a signal that a thread sends to itself, or that has waited for it, the handler runs as code of that
//! thread ([`Handler::run`]); of others where the kernel calls [`arrive`], which the engine has it do.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, AtomicUsize};

use cct::engine::{self, set_of, signals_of};
use cct::harness::have_to_wait;
use libc::{c_int, c_void, sighandler_t, siginfo_t, ucontext_t};

use super::real::system_call;
use super::signal_mask::set_mask;

/// The handler of a worker for a signal; the kernel has [`arrive`] in its place.
pub(super) struct Handler {
    function: AtomicUsize,
    flags: AtomicI32,
    /// The signals that are blocked while it runs, its own aside.
    mask: AtomicU64,
    told: Told,
}

static HANDLERS: [Handler; 64] = [const {
    Handler {
        function: AtomicUsize::new(0),
        flags: AtomicI32::new(0),
        mask: AtomicU64::new(0),
        told: Told {
            state: AtomicU8::new(EMPTY),
            place: UnsafeCell::new(MaybeUninit::uninit()),
        },
    }
}; 64];

/// That of a signal.
pub(super) fn handler_of(signal: c_int) -> &'static Handler {
    let number = usize::try_from(signal).unwrap_or_default();
    &HANDLERS[number]
}

impl Handler {
    /// The program has this action for its signal.
    pub(super) fn set(&self, action: &libc::sigaction) {
        self.function.store(action.sa_sigaction, Relaxed);
        self.flags.store(action.sa_flags, Relaxed);
        // SAFETY: it is a set.
        let mask = unsafe { signals_of(&raw const action.sa_mask) };
        self.mask.store(mask, Relaxed);
    }

    pub(super) fn function_and_flags(&self) -> (sighandler_t, c_int) {
        (self.function.load(Relaxed), self.flags.load(Relaxed))
    }

    /// # Safety
    ///
    /// It is that of the program, and the places are valid.
    unsafe fn call(&self, signal: c_int, about: *mut siginfo_t, context: *mut c_void) {
        let function = self.function.load(Relaxed);
        // SAFETY: the caller's; the function is what the program said it is.
        unsafe {
            if self.flags.load(Relaxed) & libc::SA_SIGINFO == 0 {
                let function: unsafe extern "C" fn(c_int) = std::mem::transmute(function);
                function(signal);
            } else {
                let function: unsafe extern "C" fn(c_int, *mut siginfo_t, *mut c_void) =
                    std::mem::transmute(function);
                function(signal, about, context);
            }
        }
    }

    /// Runs it as a part of the current worker, which can be preempted in it. Meanwhile its mask holds, and
    /// afterwards the one that it has put into its context.
    pub(super) fn run(&self, signal: c_int, information: &siginfo_t) {
        let before = engine::signal_mask().0;
        let is_deferred = self.flags.load(Relaxed) & libc::SA_NODEFER == 0;
        let own = if is_deferred { 1 << (signal - 1) } else { 0 };
        let during = before | self.mask.load(Relaxed) | own;
        set_mask(during);
        engine::tell_handler(signal);
        let mut information = *information;
        // SAFETY: the places are ours; all zeros is a context, which is filled in. The handler is made for
        // signals.
        let after = unsafe {
            let mut context: ucontext_t = std::mem::zeroed();
            libc::getcontext(&raw mut context);
            context.uc_sigmask = set_of(before);
            self.call(signal, &raw mut information, (&raw mut context).cast());
            signals_of(&raw const context.uc_sigmask)
        };
        set_mask(after);
    }
}

/// Runs the program's handler, on the thread of the workers.
///
/// # Safety
///
/// The arguments are the kernel's.
pub(super) unsafe extern "C" fn arrive(signal: c_int, about: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel's arguments; the function is what the program said it is.
    unsafe {
        if !engine::is_thread_of_workers() || have_to_wait() {
            // From here on it waits for that thread, or until that blocks it again, and so does the next one.
            let context = &mut *context.cast::<ucontext_t>();
            libc::sigaddset(&raw mut context.uc_sigmask, signal);
            let [process, number] = [super::argument(libc::getpid()), super::argument(signal)];
            let again = [process, number, about as usize, 0, 0, 0];
            // Only the first thread may say who has sent it.
            if system_call(libc::SYS_rt_sigqueueinfo, again) < 0 {
                handler_of(signal).told.note(&*about);
                system_call(libc::SYS_kill, again);
            }
            return;
        }
        let is_passed_on = (*about).si_code == libc::SI_USER && (*about).si_pid() == libc::getpid();
        let handler = handler_of(signal);
        if let Some(told) = handler.told.take().filter(|_| is_passed_on) {
            *about = told;
        }
        handler.call(signal, about, context);
    }
}

/// The information that came with a signal to another thread, which has passed the signal on.
struct Told {
    state: AtomicU8,
    place: UnsafeCell<MaybeUninit<siginfo_t>>,
}

const EMPTY: u8 = 0;
const IN_USE: u8 = 1;
const FULL: u8 = 2;

// SAFETY: the place belongs to the thread that has made the state `IN_USE`.
unsafe impl Sync for Told {}

impl Told {
    /// The latest counts, as the kernel has one of each.
    fn note(&self, about: &siginfo_t) {
        if self.state.swap(IN_USE, Acquire) != IN_USE {
            // SAFETY: the place is this thread's.
            unsafe { (*self.place.get()).write(*about) };
            self.state.store(FULL, Release);
        }
    }

    fn take(&self) -> Option<siginfo_t> {
        let taken = self.state.compare_exchange(FULL, IN_USE, Acquire, Relaxed);
        taken.ok()?;
        // SAFETY: the place is this thread's, and full.
        let about = unsafe { (*self.place.get()).assume_init() };
        self.state.store(EMPTY, Release);
        Some(about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_has_a_place() {
        let places = (1..=63).map(|signal| std::ptr::from_ref(handler_of(signal)));
        let expected = HANDLERS[1..].iter().map(std::ptr::from_ref);
        assert!(places.eq(expected));
    }
}
