//! The last words of a test process that dies or hangs, told by a signal handler.

use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use super::listener::send;
use super::runner::Runner;
use crate::codec::Wire as _;
use crate::engine::os_thread;
use crate::frames::Frames;
use crate::memory::{limit, mappings};
use crate::verdict::{Bug, BugKind, Verdict, too_much_memory};
use crate::wire::{Board, Event, Replayed, WATCHDOG_SIGNAL};

static BOARD: AtomicPtr<Board> = AtomicPtr::new(null_mut());
static RUNNER: AtomicPtr<Runner> = AtomicPtr::new(null_mut());
/// True in a replay, which also tells the trace up to the signal.
static TELLS_TRACE: AtomicBool = AtomicBool::new(false);
/// The OS thread that runs the engine.
static THREAD: AtomicI32 = AtomicI32::new(0);

/// A copy of this process for which the watchdog's signal is; 0 if there is none.
static COPY: AtomicI32 = AtomicI32::new(0);

const ALTERNATE_STACK: usize = 1 << 20;
const FATAL: [libc::c_int; 6] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGTRAP,
    libc::SIGABRT,
];

/// Installs a handler of fatal signals, and of the watchdog's, which leaves a bug on the board and ends the
/// process. The runner must stay where it is for the rest of the process.
pub(super) fn install(board: *mut Board, runner: *mut Runner) {
    BOARD.store(board, Ordering::Relaxed);
    RUNNER.store(runner, Ordering::Relaxed);
    let thread = os_thread();
    THREAD.store(thread, Ordering::Relaxed);
    // SAFETY: the board was mapped for us.
    unsafe { (*board).thread = thread.cast_unsigned() };
    // SAFETY: the stack is a fresh mapping; the handler ends the process.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let stack = libc::mmap(null_mut(), ALTERNATE_STACK, protection, flags, -1, 0);
        let alternate = libc::stack_t {
            ss_sp: stack,
            ss_flags: 0,
            ss_size: ALTERNATE_STACK,
        };
        libc::sigaltstack(&raw const alternate, null_mut());
        for signal in FATAL.into_iter().chain([WATCHDOG_SIGNAL]) {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
            if signal != WATCHDOG_SIGNAL {
                action.sa_flags |= libc::SA_RESETHAND;
            }
            libc::sigaction(signal, &raw const action, null_mut());
        }
    }
}

/// The board of the process.
pub(super) fn board() -> *mut Board {
    BOARD.load(Ordering::Relaxed)
}

/// From here on the watchdog's signal is for this copy of the process, or with 0 for this process.
pub(super) fn pass_on_to(copy: libc::pid_t) {
    COPY.store(copy, Ordering::Relaxed);
}

/// From here on the handler tells the trace, too.
pub(super) fn tell_trace() {
    TELLS_TRACE.store(true, Ordering::Relaxed);
}

/// Handles a signal: leaves a bug and the calls that led here on the board, and ends the process.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let copy = COPY.load(Ordering::Relaxed);
    if signal == WATCHDOG_SIGNAL && copy != 0 {
        // SAFETY: sends a signal to a child, which has not been waited for.
        unsafe { libc::kill(copy, signal) };
        return;
    }
    let on_engine_thread = os_thread() == THREAD.load(Ordering::Relaxed);
    if signal == WATCHDOG_SIGNAL && !on_engine_thread {
        // The kernel has picked some thread; the one that hangs has to say where it is.
        // SAFETY: sends a signal to this process.
        unsafe {
            let thread = THREAD.load(Ordering::Relaxed);
            libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, signal);
        }
        return;
    }
    // SAFETY: the kernel's information is valid in the handler.
    let address = unsafe { (*info).si_addr() } as usize;
    if signal == libc::SIGBUS && is_of_board(address) {
        super::listener::refuse(
            "no space for the schedule: it is written to memory that processes share, `/dev/shm`, or \
             where that is full, to the target folder"
                .to_owned(),
        );
    }
    // SAFETY: the kernel's information is valid in the handler.
    let bug = describe(signal, address, unsafe { stack_pointer(context) });
    leave(&bug);
    if on_engine_thread {
        // SAFETY: the runner lives as long as the process; the interrupted code does not go on.
        unsafe { (*(*RUNNER.load(Ordering::Relaxed)).engine).end_tape() };
    }
    // Another thread's alternate stack is too small for a walk.
    if on_engine_thread {
        leave_frames();
    }
    tell(bug);
    // SAFETY: ends the process.
    unsafe { libc::_exit(128 + signal) }
}

/// Sends the trace up to the signal, in a replay.
fn tell(bug: Bug) {
    if !TELLS_TRACE.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: the runner lives as long as the process; the interrupted code does not go on.
    let runner = unsafe { &mut *RUNNER.load(Ordering::Relaxed) };
    send(&Event::Replayed(Replayed {
        verdict: Verdict::failed(bug),
        trace: runner.trace(),
        divergence: None,
        unobserved_panics: Vec::new(),
        stopped: None,
    }));
}

fn describe(signal: libc::c_int, address: usize, stack_pointer: usize) -> Bug {
    // SAFETY: the runner lives as long as the process; the interrupted code does not go on.
    let engine = unsafe { &*(*RUNNER.load(Ordering::Relaxed)).engine };
    let (worker, name, site) = engine.whereabouts();
    let name = name.map_or_else(
        || format!("worker {worker}"),
        |name| format!("thread '{name}'"),
    );
    let (kind, message) = match signal {
        WATCHDOG_SIGNAL => match limit::exceeded().or_else(told_limit) {
            Some(limit) => (BugKind::OutOfMemory, too_much_memory(limit)),
            None => engine.why_silent(&name),
        },
        libc::SIGABRT => {
            let reason = engine.last_panic();
            let reason = reason.map_or_else(String::new, |(panic, _)| format!(": {panic}"));
            (
                BugKind::Abort,
                format!("{name} aborted the process{reason}"),
            )
        }
        libc::SIGSEGV | libc::SIGBUS if engine.worker_with_guard(address).is_some() => (
            BugKind::StackOverflow,
            format!("{name} has overflowed its stack"),
        ),
        libc::SIGSEGV | libc::SIGBUS if is_beyond_mapped_stack(address, stack_pointer) => (
            BugKind::StackOverflow,
            format!("{name} has overflowed a stack that the program made"),
        ),
        libc::SIGSEGV => (
            BugKind::Signal,
            format!("{name} accessed {address:#x} (SIGSEGV)"),
        ),
        other => (
            BugKind::Signal,
            format!("{name} was ended by signal {other}"),
        ),
    };
    Bug::new(kind, message, Some(site), Some(worker))
}

/// True if memory that the program has mapped, and may not access, is at the end of the stack in use.
fn is_beyond_mapped_stack(address: usize, stack_pointer: usize) -> bool {
    mappings::contains(address)
        && mappings::contains(stack_pointer)
        && address.abs_diff(stack_pointer) < mappings::GAP
}

/// The stack pointer of the code that a signal interrupted.
///
/// # Safety
///
/// The kernel gave the context to a handler, which is not over.
unsafe fn stack_pointer(context: *const libc::c_void) -> usize {
    // SAFETY: the caller's.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    return registers.gregs[libc::REG_RSP as usize].cast_unsigned() as usize;
    #[cfg(target_arch = "aarch64")]
    return registers.sp as usize;
}

/// Leaves the calls that led to the signal on the board.
fn leave_frames() {
    let frames = Frames::here();
    let places = frames.places();
    // SAFETY: the board stays mapped; the interrupted code does not go on.
    let board = unsafe { &mut *BOARD.load(Ordering::Relaxed) };
    board.frames[..places.len()].copy_from_slice(places);
    board.frame_count = places.len() as u32;
}

/// The limit of memory, if the tool has seen that it is exceeded.
fn told_limit() -> Option<u64> {
    // SAFETY: the board stays mapped; the tool writes before it sends the signal.
    let limit = unsafe { (&raw const (*BOARD.load(Ordering::Relaxed)).exceeded).read_volatile() };
    (limit != 0).then_some(limit)
}

/// True for memory of the board, which may have no pages left behind it.
fn is_of_board(address: usize) -> bool {
    let start = BOARD.load(Ordering::Relaxed) as usize;
    address.wrapping_sub(start) < size_of::<Board>()
}

fn leave(bug: &Bug) {
    let bytes = bug.to_bytes();
    // SAFETY: the board stays mapped; the interrupted code does not go on.
    let board = unsafe { &mut *BOARD.load(Ordering::Relaxed) };
    if let Some(words) = board.last_words.get_mut(..bytes.len()) {
        words.copy_from_slice(&bytes);
        board.last_words_length = bytes.len() as u32;
    }
}
