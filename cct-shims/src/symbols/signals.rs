//! Signals that the program sends itself, and what it has them do.
//!
//! Signals of others are blocked on the workers' thread until the engine takes them, see `cct::engine`: a
//! handler must not run in the middle of a worker's step, where it would be taken for the worker. Signals
//! that the kernel delivers to another thread are passed on to this one.

use cct::claim::Exception;
use cct::engine::{self, WaitingSignals, WorkerId};
use cct::harness::{default_action, is_default_handler, is_handled_by_programs};
use cct::memory::note_handler;
use cct::object::ObjectId;
use cct::operation::Operation;
use cct::tsvd::{self, Api};
use libc::{c_int, c_ulong, pid_t, sighandler_t, siginfo_t, sigset_t};

use super::caller::with_caller;
use super::identity::{carrier, worker_of};
use super::real::{Real, system_call};
use super::signal_handler::{arrive, handler_of};
use super::thread_unsafe::group::SIGNAL_ACTION;

type Action = unsafe extern "C" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
static SIGACTION: Real<Action> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"sigaction") };

with_caller!(
    sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int,
    "rcx", "x3", told_action
);
with_caller!(signal(signal: c_int, handler: sighandler_t) -> sighandler_t, "rdx", "x2", told_handler);

unsafe extern "C" fn told_action(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
    caller: usize,
) -> c_int {
    static READS: Api = Api {
        name: "sigaction",
        group: &SIGNAL_ACTION,
        writes: false,
    };
    static WRITES: Api = Api {
        writes: true,
        ..READS
    };
    tsvd::call_from(
        if new.is_null() { &READS } else { &WRITES },
        key_of(signal),
        caller,
    );
    // SAFETY: the caller's arguments.
    unsafe { set_action(signal, new, old) }
}

unsafe extern "C" fn told_handler(
    signal: c_int,
    handler: sighandler_t,
    caller: usize,
) -> sighandler_t {
    static API: Api = Api {
        name: "signal",
        group: &SIGNAL_ACTION,
        writes: true,
    };
    tsvd::call_from(&API, key_of(signal), caller);
    // SAFETY: the caller's handler.
    unsafe { set_handler(signal, handler) }
}

/// The object that delay injection knows a signal's action as.
fn key_of(signal: c_int) -> u64 {
    u64::from(signal.cast_unsigned())
}

/// `sigaction`, of a program or by number.
unsafe fn set_action(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    // SAFETY: the caller's places; all zeros is an action.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let is_ours = !new.is_null() && engine::is_controlled() && may_arrive(signal, &*new);
        let ours = is_ours.then(|| libc::sigaction {
            sa_sigaction: arrive as *const () as usize,
            sa_flags: (*new).sa_flags | libc::SA_SIGINFO,
            ..*new
        });
        let told = default_action(signal).filter(|_| {
            !new.is_null() && engine::is_controlled() && (*new).sa_sigaction == libc::SIG_DFL
        });
        let kernels = ours.as_ref().or(told.as_ref());
        let kernels = kernels.map_or(new, std::ptr::from_ref);
        let result = SIGACTION.get()(signal, kernels, &raw mut before);
        if result != 0 {
            return result;
        }
        if !new.is_null() && engine::is_controlled() {
            engine::leave_out(Exception::Signals);
            engine::outside(|| note_handler(signal, before));
            if is_ignored(signal, (*new).sa_sigaction) {
                engine::discard_signal(signal);
            }
        }
        let has_handler_natively = [libc::SIGSEGV, libc::SIGBUS].contains(&signal);
        if is_default_handler(before.sa_sigaction) && !has_handler_natively {
            before.sa_sigaction = libc::SIG_DFL;
            before.sa_flags = 0;
        }
        if before.sa_sigaction == arrive as *const () as usize {
            let handler = handler_of(signal);
            (before.sa_sigaction, before.sa_flags) = handler.function_and_flags();
        }
        if is_ours {
            let handler = handler_of(signal);
            handler.set(&*new);
            engine::note_handled_signal(signal);
        }
        if let Some(old) = old.as_mut() {
            *old = before;
        }
        result
    }
}

/// An action as the kernel has it.
#[repr(C)]
pub(super) struct KernelAction {
    handler: usize,
    flags: c_ulong,
    restorer: usize,
    mask: u64,
}

/// `sigaction` by number; `None` for what is left to the kernel.
///
/// # Safety
///
/// The arguments must be those of the system call.
pub(super) unsafe fn action_by_number(
    signal: c_int,
    new: *const KernelAction,
    old: *mut KernelAction,
    size: usize,
) -> Option<isize> {
    if !engine::is_controlled() || size != size_of::<u64>() {
        return None;
    }
    // SAFETY: the caller's places are readable and writable, or null; all zeros is an action, and a set of
    // signals begins with the kernel's.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        let wanted = new.as_ref().map(|new| {
            let mut wanted: libc::sigaction = std::mem::zeroed();
            wanted.sa_sigaction = new.handler;
            wanted.sa_flags = new.flags as c_int;
            (&raw mut wanted.sa_mask).cast::<u64>().write(new.mask);
            wanted
        });
        let wanted = wanted.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let result = set_action(signal, wanted, &raw mut before);
        if let Some(old) = old.as_mut().filter(|_| result == 0) {
            *old = KernelAction {
                handler: before.sa_sigaction,
                flags: c_ulong::from(before.sa_flags.cast_unsigned()),
                restorer: before.sa_restorer.map_or(0, |restorer| restorer as usize),
                mask: (&raw const before.sa_mask).cast::<u64>().read(),
            };
        }
        Some(result as isize)
    }
}

/// True if nothing comes of a signal with this handler.
fn is_ignored(signal: c_int, handler: sighandler_t) -> bool {
    let by_default = [libc::SIGCHLD, libc::SIGURG, libc::SIGWINCH];
    handler == libc::SIG_IGN || handler == libc::SIG_DFL && by_default.contains(&signal)
}

/// True if a worker's handler is to run when the engine looks. Handlers that are for one time only are the
/// kernel's to forget.
fn may_arrive(signal: c_int, new: &libc::sigaction) -> bool {
    is_handled_by_programs(signal)
        && ![libc::SIG_DFL, libc::SIG_IGN].contains(&new.sa_sigaction)
        && new.sa_flags & libc::SA_RESETHAND == 0
}

unsafe fn set_handler(signal: c_int, handler: sighandler_t) -> sighandler_t {
    // SAFETY: all zeros is an action; the handler is the caller's.
    unsafe {
        let mut new: libc::sigaction = std::mem::zeroed();
        let mut old: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = handler;
        new.sa_flags = libc::SA_RESTART;
        if set_action(signal, &raw const new, &raw mut old) != 0 {
            return libc::SIG_ERR;
        }
        old.sa_sigaction
    }
}

/// The action that the kernel has for a signal; none if that is no signal.
fn kernels_action(signal: c_int) -> Option<libc::sigaction> {
    // SAFETY: all zeros is an action, and the kernel fills it in; for a number that is no signal it fails.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let is_known = SIGACTION.get()(signal, std::ptr::null(), &raw mut action) == 0;
        is_known.then_some(action)
    }
}

/// The handler of that action.
fn kernels_handler(signal: c_int) -> Option<sighandler_t> {
    kernels_action(signal).map(|action| action.sa_sigaction)
}

/// True if the process has no handler for this signal, and ends by it without a word.
fn ends_by_default(signal: c_int, handler: Option<sighandler_t>) -> bool {
    const HARMLESS: [c_int; 9] = [
        libc::SIGCHLD,
        libc::SIGURG,
        libc::SIGWINCH,
        libc::SIGCONT,
        libc::SIGSTOP,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
        libc::SIGPWR,
    ];
    handler == Some(libc::SIG_DFL) && !HARMLESS.contains(&signal)
}

/// Takes over the C library's `raise`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn raise(signal: c_int) -> c_int {
    match engine::current_thread() {
        Some(me) => send(signal, Some(me)),
        None => send_to_thread(carrier(), signal),
    }
}

/// Takes over the C library's `kill`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn kill(process: pid_t, signal: c_int) -> c_int {
    // SAFETY: asks for a number.
    if engine::is_controlled() && process == unsafe { libc::getpid() } {
        return send(signal, None);
    }
    let [process, signal] = [process, signal].map(super::argument);
    // SAFETY: touches no memory of this process.
    unsafe { super::result_of(system_call(libc::SYS_kill, [process, signal, 0, 0, 0, 0])) as c_int }
}

/// Takes over the C library's `tgkill`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn tgkill(process: pid_t, thread: pid_t, signal: c_int) -> c_int {
    // SAFETY: asks for a number.
    if process == unsafe { libc::getpid() }
        && let Some(worker) = worker_of(thread)
    {
        return send_to_worker(worker, signal);
    }
    let [process, thread, signal] = [process, thread, signal].map(super::argument);
    // SAFETY: touches no memory of this process.
    unsafe {
        let arguments = [process, thread, signal, 0, 0, 0];
        super::result_of(system_call(libc::SYS_tgkill, arguments)) as c_int
    }
}

/// `tkill`, which has a number only.
pub(super) fn tkill(thread: pid_t, signal: c_int) -> c_int {
    match worker_of(thread) {
        Some(worker) => send_to_worker(worker, signal),
        None => send_to_thread(thread, signal),
    }
}

/// By its number, which nobody has once it has ended.
fn send_to_worker(worker: WorkerId, signal: c_int) -> c_int {
    if engine::is_finished(worker) {
        return super::fail(libc::ESRCH) as c_int;
    }
    send(signal, Some(worker))
}

fn send_to_thread(thread: pid_t, signal: c_int) -> c_int {
    let [thread, signal] = [thread, signal].map(super::argument);
    // SAFETY: touches no memory of this process.
    unsafe { super::result_of(system_call(libc::SYS_tkill, [thread, signal, 0, 0, 0, 0])) as c_int }
}

/// The current worker sends a signal to a worker, or to the process: it acts at once, or waits where all
/// that could take it have it blocked. One to a worker that has ended is nobody's.
pub(super) fn send(signal: c_int, to: Option<WorkerId>) -> c_int {
    if !(0..=64).contains(&signal) {
        return super::fail(libc::EINVAL) as c_int;
    }
    if signal == 0 {
        return 0;
    }
    engine::leave_out(Exception::Signals);
    if engine::heeds_shares() {
        let name = engine::outside(|| signal.to_string());
        engine::use_shared(SIGNAL_ACTION.name, &name, false, None);
        engine::outside(|| drop(name));
    }
    let is_for_me = || {
        let is_open = engine::signal_mask().0 & 1 << (signal - 1) == 0;
        is_open && to.is_none_or(|to| Some(to) == engine::current_thread())
    };
    if !is_for_me() {
        let site = engine::last_site();
        engine::point_at(Operation::SendSignal, ObjectId::SIGNALS, site).done();
        if to.is_some_and(engine::is_finished) {
            return 0;
        }
        if engine::hold_signal(signal, to)
            || is_ours(kernels_handler(signal)) && engine::interrupt(signal, to, take_all)
        {
            engine::evaluate_predicates();
            return 0;
        }
    }
    let information = engine::signal_information(signal, to.is_some());
    let result = act(signal, &information, is_for_me());
    // A handler may have written into a pipe.
    engine::evaluate_predicates();
    take_all();
    result
}

/// The current thread takes the signals that wait for it and that it does not have blocked any more. False if
/// one of their handlers ends a call that waits.
pub(super) fn take_all() -> bool {
    let waiting = WaitingSignals::for_current();
    let mut restarts = true;
    while let Some((signal, information)) = waiting.take_sent(!engine::signal_mask().0) {
        // `siginterrupt` changes it past us.
        let action = kernels_action(signal);
        restarts &= action.is_none_or(|action| action.sa_flags & libc::SA_RESTART != 0);
        act(signal, &information, true);
        engine::evaluate_predicates();
    }
    restarts
}

/// True if the kernel has ours in the place of the program's handler.
fn is_ours(handler: Option<sighandler_t>) -> bool {
    handler == Some(arrive as *const () as usize)
}

/// A signal comes, with what is known of it: the process ends, or a handler runs, as a part of the thread
/// that it is for; one for another thread runs here at once, and none of it is a step.
fn act(signal: c_int, information: &siginfo_t, is_for_me: bool) -> c_int {
    let handler = kernels_handler(signal);
    if ends_by_default(signal, handler) {
        engine::end_by_signal(signal);
    }
    if is_for_me && is_ours(handler) {
        handler_of(signal).run(signal, information);
        return 0;
    }
    let open = engine::mask_at_arrival(signal);
    let result = engine::outside(|| {
        // SAFETY: the sets are places of ours. The handler, if any, is made for signals.
        unsafe {
            let mut before: sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const open, &raw mut before);
            let process = super::argument(libc::getpid());
            let [thread, number] = [carrier(), signal].map(super::argument);
            let place = std::ptr::from_ref(information) as usize;
            let arguments = [process, thread, number, place, 0, 0];
            let result =
                engine::with_handler(|| system_call(libc::SYS_rt_tgsigqueueinfo, arguments));
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            super::result_of(result) as c_int
        }
    });
    engine::signal_has_arrived(signal);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(handler: usize, flags: c_int) -> libc::sigaction {
        // SAFETY: all zeros is an action.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        action
    }

    #[test]
    fn a_handler_of_the_program_waits_for_the_engine() {
        let handler = arrive as *const () as usize;
        assert!(may_arrive(libc::SIGUSR1, &action(handler, 0)));
        assert!(may_arrive(
            libc::SIGCHLD,
            &action(handler, libc::SA_SIGINFO | libc::SA_RESTART)
        ));
        // It says that something is wrong with the step under way.
        assert!(!may_arrive(libc::SIGSEGV, &action(handler, 0)));
        for ignored in [libc::SIG_DFL, libc::SIG_IGN] {
            assert!(!may_arrive(libc::SIGUSR1, &action(ignored, 0)));
        }
        let once = action(handler, libc::SA_RESETHAND);
        assert!(!may_arrive(libc::SIGUSR1, &once), "the kernel forgets it");
    }
}
