//! The last words of a test process that dies or hangs, told by a signal handler.

use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use super::fault::Arrived;
use super::listener::send;
use super::runner::Runner;
use crate::codec::Wire as _;
use crate::engine::{on_stack, os_thread, outside};
use crate::frames::Frames;
use crate::memory::{handlers, limit};
use crate::verdict::{Bug, BugKind, Verdict, too_much_memory};
use crate::wire::{Board, Event, Replayed, WATCHDOG_SIGNAL};

static BOARD: AtomicPtr<Board> = AtomicPtr::new(null_mut());
static RUNNER: AtomicPtr<Runner> = AtomicPtr::new(null_mut());
/// True in a replay, which also tells the trace up to the signal.
static TELLS_TRACE: AtomicBool = AtomicBool::new(false);
/// The actions before.
static BEFORE: OnceLock<Vec<(libc::c_int, libc::sigaction)>> = OnceLock::new();
/// The OS thread that runs the engine.
static THREAD: AtomicI32 = AtomicI32::new(0);

/// A copy of this process for which the watchdog's signal is; 0 if there is none.
static COPY: AtomicI32 = AtomicI32::new(0);
/// The stacks on which handlers do their work, one behind the other: the program may have exchanged the one
/// that they begin on for one that is too small. The engine's thread has the first, any other the second.
static WORK_STACK: AtomicPtr<u8> = AtomicPtr::new(null_mut());
/// The process that is to tell of its end.
static PROCESS: AtomicI32 = AtomicI32::new(0);
/// The OS thread that a fatal signal has come to first; 0 before one has.
static DYING: AtomicI32 = AtomicI32::new(0);

/// The size of each.
const STACK: usize = 1 << 20;

/// Installs a handler of fatal signals, and of the watchdog's, which leaves a bug on the board and ends the
/// process. The runner must stay where it is for the rest of the process.
pub(super) fn install(board: *mut Board, runner: *mut Runner) {
    BOARD.store(board, Ordering::Relaxed);
    RUNNER.store(runner, Ordering::Relaxed);
    let thread = os_thread();
    THREAD.store(thread, Ordering::Relaxed);
    // SAFETY: asks for a number.
    PROCESS.store(unsafe { libc::getpid() }, Ordering::Relaxed);
    // SAFETY: the board was mapped for us.
    unsafe { (*board).thread = thread.cast_unsigned() };
    // SAFETY: the stack is a fresh mapping; the handler ends the process.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let stacks = libc::mmap(null_mut(), 3 * STACK, protection, flags, -1, 0);
        WORK_STACK.store(stacks.cast(), Ordering::Relaxed);
        DYING.store(0, Ordering::Relaxed);
        handlers::run_on(stacks.cast::<u8>().add(2 * STACK), STACK);
        let mut all = Vec::new();
        for signal in handlers::FATAL.into_iter().chain([WATCHDOG_SIGNAL]) {
            let action = action();
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, &raw const action, &raw mut before);
            all.push((signal, before));
        }
        let _ = BEFORE.set(all);
    }
}

/// Takes the handlers away that [`install`] has set and that are still there, in a process that a worker has
/// forked: it has no last words for the board, and its end is the program's matter.
pub(super) fn uninstall() {
    for (signal, before) in BEFORE.get().into_iter().flatten() {
        // SAFETY: the places are ours; all zeros is an action.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            libc::sigaction(*signal, std::ptr::null(), &raw mut now);
            if now.sa_sigaction == handle as *const () as usize {
                libc::sigaction(*signal, before, null_mut());
            }
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

fn action() -> libc::sigaction {
    // SAFETY: all zeros is an action.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handle as *const () as usize;
    action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO | libc::SA_NODEFER;
    action
}

/// The action in the place of the kernel's default for this signal, which would end the process without a
/// word.
pub fn default_action(signal: libc::c_int) -> Option<libc::sigaction> {
    let is_installed = !BOARD.load(Ordering::Relaxed).is_null();
    (is_installed && handlers::FATAL.contains(&signal)).then(action)
}

/// True for the function of that action.
pub fn is_default_handler(function: usize) -> bool {
    function == handle as *const () as usize
}

/// From here on the handler tells the trace, too.
pub(super) fn tell_trace() {
    TELLS_TRACE.store(true, Ordering::Relaxed);
}

/// True in a process that the test has made: it ends as it does natively.
fn is_child() -> bool {
    // SAFETY: asks for a number.
    unsafe { libc::getpid() != PROCESS.load(Ordering::Relaxed) }
}

/// Handles a signal: leaves a bug and the calls that led here on the board, and ends the process.
extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    outside(|| arrive(signal, info, context.cast()));
}

fn arrive(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    let copy = COPY.load(Ordering::Relaxed);
    if signal == WATCHDOG_SIGNAL && copy != 0 {
        // SAFETY: sends a signal to a child, which has not been waited for.
        unsafe { libc::kill(copy, signal) };
        return;
    }
    if is_child() {
        give_up(signal);
    }
    let own = os_thread();
    let engines = THREAD.load(Ordering::Relaxed);
    if signal == WATCHDOG_SIGNAL && own != engines {
        // The kernel has picked some thread; the one that hangs has to say where it is.
        ask_engines_thread();
        return;
    }
    match DYING.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed) {
        // Nothing more can be told than has been.
        Err(dying) if dying == own => give_up(signal),
        // Another thread tells why the process ends, and needs this one for the trace at most.
        Err(_) if own != engines => rest(),
        Ok(_) | Err(_) => {}
    }
    // SAFETY: the stack is of a mapping that nobody else uses: one thread is dying, or the engine's as well,
    // which has the other half.
    unsafe {
        let half = if own == engines { 1 } else { 2 };
        let top = WORK_STACK.load(Ordering::Relaxed).add(half * STACK);
        on_stack(top, &mut || end(signal, info, context));
    }
    end_with(signal)
}

/// Says what there is to say.
fn end(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::ucontext_t) {
    // SAFETY: the runner lives as long as the process; the interrupted code does not go on.
    let engine = unsafe { &mut *(*RUNNER.load(Ordering::Relaxed)).engine };
    // SAFETY: the kernel's.
    let mut arrived = unsafe { Arrived::of(signal, info, context) };
    if os_thread() != THREAD.load(Ordering::Relaxed) {
        leave_frames(&Frames::interrupted());
        leave(&arrived.bug_of_another_thread());
        // It tells the trace, since nobody else can look at it.
        ask_engines_thread();
        rest();
    }
    if signal == libc::SIGBUS && arrived.address().is_some_and(is_of_board) {
        super::listener::refuse(
            "no space for the schedule: it is written to memory that processes share, `/dev/shm`, or \
             where that is full, to the target folder"
                .to_owned(),
        );
    }
    engine.end_tape();
    arrived.go_back_from_call(engine);
    let frames = Frames::interrupted();
    let bug = told_by_another_thread(signal).unwrap_or_else(|| {
        let bug = describe(signal, &arrived);
        leave(&bug);
        // A panic knows its place best.
        if bug.kind != BugKind::Abort || engine.panics_under_way().is_none() {
            leave_frames(&frames);
        }
        bug
    });
    if TELLS_TRACE.load(Ordering::Relaxed) {
        engine.record_whereabouts(Some(&frames));
        tell(bug);
    }
}

/// The bug that another thread has left, if one has.
fn told_by_another_thread(signal: libc::c_int) -> Option<Bug> {
    if signal != WATCHDOG_SIGNAL || DYING.load(Ordering::Relaxed) == os_thread() {
        return None;
    }
    // SAFETY: the board stays mapped, and the other thread rests.
    unsafe { (*BOARD.load(Ordering::Relaxed)).last_words() }
}

/// Has the engine's thread come here.
fn ask_engines_thread() {
    // SAFETY: sends a signal to this process.
    unsafe {
        let thread = THREAD.load(Ordering::Relaxed);
        libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, WATCHDOG_SIGNAL);
    }
}

/// Waits for the end of the process.
fn rest() -> ! {
    loop {
        // SAFETY: takes nothing.
        unsafe { libc::pause() };
    }
}

/// Ends the process as the kernel does.
fn give_up(signal: libc::c_int) -> ! {
    // SAFETY: sends a signal to this thread, which does not go on.
    unsafe {
        libc::syscall(libc::SYS_rt_sigaction, signal, [0_usize; 4].as_ptr(), 0, 8);
        libc::syscall(libc::SYS_tgkill, libc::getpid(), os_thread(), signal);
    }
    end_with(signal)
}

fn end_with(signal: libc::c_int) -> ! {
    // SAFETY: ends the process, without another function of the C library.
    unsafe {
        libc::syscall(libc::SYS_exit_group, 128 + signal);
        std::process::abort()
    }
}

/// Sends the trace up to the signal.
fn tell(bug: Bug) {
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

fn describe(signal: libc::c_int, arrived: &Arrived<'_>) -> Bug {
    // SAFETY: the runner lives as long as the process; the interrupted code does not go on.
    let engine = unsafe { &*(*RUNNER.load(Ordering::Relaxed)).engine };
    let (worker, name, site) = engine.whereabouts();
    let name = name.map_or_else(
        || format!("worker {worker}"),
        |name| format!("thread '{name}'"),
    );
    let bug = match signal {
        WATCHDOG_SIGNAL => {
            let (kind, message) = match limit::exceeded().or_else(told_limit) {
                Some(limit) => (BugKind::OutOfMemory, too_much_memory(limit)),
                None => engine.why_silent(&name),
            };
            Bug::new(kind, message, None, None)
        }
        _ => arrived.bug(engine, &name),
    };
    let panic = engine.panics_under_way();
    let panic = panic.map(|(last, before)| before.unwrap_or(last));
    let of_panic = panic.and_then(|panic| panic.site.clone());
    Bug {
        site: of_panic
            .filter(|_| bug.kind == BugKind::Abort)
            .or(Some(site)),
        worker: Some(worker),
        ..bug
    }
}

/// Leaves the calls that led to the signal on the board.
fn leave_frames(frames: &Frames) {
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
