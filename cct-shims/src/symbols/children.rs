//! Other processes: made as ever, and waited for without stopping the others.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cct::engine::{self, NEVER};
use cct::harness::with_own_mask;
use cct::memory::{ends_processes, note_process};
use cct::object::ObjectId;
use cct::operation::Operation;
use cct::primitive::Update as _;
use libc::{FILE, c_char, c_int, c_uint, c_void, id_t, idtype_t, pid_t, rusage, siginfo_t};

use super::caller::weak_with_caller;
use super::descriptors::{End, On, Waiting, begin_iteration, share_all};
use super::real::{Real, system_call};
use super::thread_unsafe::group::{CURRENT_DIRECTORY, VARIABLE};

/// Children that nobody has waited for yet.
static CHILDREN: AtomicU32 = AtomicU32::new(0);

type Spawn = unsafe extern "C" fn(
    *mut pid_t,
    *const c_char,
    *const c_void,
    *const c_void,
    *const *mut c_char,
    *const *mut c_char,
) -> c_int;

static FORK: Real<unsafe extern "C" fn() -> pid_t> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"fork") };
static POSIX_SPAWN: Real<Spawn> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"posix_spawn") };
static POSIX_SPAWNP: Real<Spawn> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"posix_spawnp") };

static POPEN: Real<unsafe extern "C" fn(*const c_char, *const c_char) -> *mut FILE> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"popen") };
static SYSTEM: Real<unsafe extern "C" fn(*const c_char) -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"system") };

weak_with_caller!(popen, "rdx", "x2", open_process);
weak_with_caller!(system, "rsi", "x1", run_by_shell);

/// `popen` makes a process by itself.
unsafe extern "C" fn open_process(
    command: *const c_char,
    kind: *const c_char,
    _caller: usize,
) -> *mut FILE {
    note_process();
    // SAFETY: the caller's arguments.
    with_own_mask(|| unsafe { POPEN.get()(command, kind) })
}

/// `system` does likewise.
unsafe extern "C" fn run_by_shell(command: *const c_char, _caller: usize) -> c_int {
    note_process();
    // SAFETY: the caller's argument.
    with_own_mask(|| unsafe { SYSTEM.get()(command) })
}

/// Takes over the C library's `fork`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn fork() -> pid_t {
    begin();
    let is_workers = engine::is_controlled();
    // SAFETY: the caller's.
    let child = unsafe { FORK.get()() };
    if child == 0 {
        // One worker of it is left, and nobody decides any more.
        engine::leave();
        cct::harness::take_signals_back(is_workers);
    } else {
        note_child(child);
    }
    child
}

/// Takes over the C library's `vfork`, whose child may do less than that of `fork`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn vfork() -> pid_t {
    fork()
}

/// `clone` by number: `fork` if it asks for no more than that does. `None` for all else.
pub(super) fn clone_by_number(flags: c_uint, stack: usize) -> Option<isize> {
    let is_fork = flags == libc::SIGCHLD.cast_unsigned() && stack == 0;
    (is_fork && engine::is_controlled()).then(|| fork() as isize)
}

/// Takes over the C library's `posix_spawn`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn posix_spawn(
    child: *mut pid_t,
    path: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: *const *mut c_char,
    environment: *const *mut c_char,
) -> c_int {
    // SAFETY: the caller's arguments.
    spawned(&POSIX_SPAWN, child, |spawn, child| unsafe {
        spawn(child, path, actions, attributes, arguments, environment)
    })
}

/// Takes over the C library's `posix_spawnp`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn posix_spawnp(
    child: *mut pid_t,
    file: *const c_char,
    actions: *const c_void,
    attributes: *const c_void,
    arguments: *const *mut c_char,
    environment: *const *mut c_char,
) -> c_int {
    // SAFETY: the caller's arguments.
    spawned(&POSIX_SPAWNP, child, |spawn, child| unsafe {
        spawn(child, file, actions, attributes, arguments, environment)
    })
}

/// Takes over the C library's `wait`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn wait(status: *mut c_int) -> pid_t {
    // SAFETY: the caller's place is writable, or null.
    unsafe { waitpid(-1, status, 0) }
}

/// Takes over the C library's `waitpid`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn waitpid(
    process: pid_t,
    status: *mut c_int,
    options: c_int,
) -> pid_t {
    // SAFETY: the caller's place is writable, or null.
    unsafe { wait4(process, status, options, std::ptr::null_mut()) }
}

/// Takes over the C library's `wait4`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn wait4(
    process: pid_t,
    status: *mut c_int,
    options: c_int,
    usage: *mut rusage,
) -> pid_t {
    let act = |options: c_int| {
        let arguments = [
            super::argument(process),
            status as usize,
            super::argument(options),
            usage as usize,
            0,
            0,
        ];
        // SAFETY: the caller's arguments are those of the system call.
        unsafe { super::result_of(system_call(libc::SYS_wait4, arguments)) }
    };
    let (kind, id) = match process {
        ..-1 => (libc::P_PGID, process.unsigned_abs()),
        -1 => (libc::P_ALL, 0),
        0 => (libc::P_PGID, 0),
        1.. => (libc::P_PID, process.unsigned_abs()),
    };
    let events = libc::WEXITED | (options & (libc::WUNTRACED | libc::WCONTINUED));
    let ended = carry_out(kind, id, events, options, act) as pid_t;
    note_end(ended > 0);
    ended
}

/// Takes over the C library's `waitid`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn waitid(
    kind: idtype_t,
    id: id_t,
    information: *mut siginfo_t,
    options: c_int,
) -> c_int {
    // SAFETY: the caller's arguments; nothing is written to null.
    unsafe { waitid_by_number(kind, id, information, options, std::ptr::null_mut()) }
}

/// `waitid` by number, which also tells what the child has used.
///
/// # Safety
///
/// As the C library's `waitid`; `usage` must be writable, or null.
pub(super) unsafe fn waitid_by_number(
    kind: idtype_t,
    id: id_t,
    information: *mut siginfo_t,
    options: c_int,
    usage: *mut rusage,
) -> c_int {
    let act = |options: c_int| {
        let arguments = [
            kind as usize,
            id as usize,
            information as usize,
            super::argument(options),
            usage as usize,
            0,
        ];
        // SAFETY: the caller's arguments are those of the system call.
        unsafe { super::result_of(system_call(libc::SYS_waitid, arguments)) }
    };
    let events = options & (libc::WEXITED | libc::WSTOPPED | libc::WCONTINUED);
    let result = carry_out(kind, id, events, options, act) as c_int;
    note_end(result == 0 && options & (libc::WNOHANG | libc::WNOWAIT) == 0);
    result
}

/// Waits for a child in the engine, unless the caller does not want to wait, and makes the call.
fn carry_out(
    kind: idtype_t,
    id: id_t,
    events: c_int,
    options: c_int,
    act: impl Fn(c_int) -> isize,
) -> isize {
    if !engine::is_controlled() {
        return act(options);
    }
    let waiting = Waiting {
        operation: Operation::WaitProcess,
        object: ObjectId::CHILDREN,
        deadline: NEVER,
        on: On::Process,
        has_part: false,
    };
    if options & libc::WNOHANG != 0 {
        waiting.point().done();
        return act(options);
    }
    let is_over = || {
        // SAFETY: all zeros is information about nothing.
        let mut found: siginfo_t = unsafe { std::mem::zeroed() };
        let options = events | libc::WNOHANG | libc::WNOWAIT;
        let place = (&raw mut found) as usize;
        let arguments = [
            kind as usize,
            id as usize,
            place,
            super::argument(options),
            0,
            0,
        ];
        // SAFETY: the place is writable; an error is an answer, too.
        unsafe { system_call(libc::SYS_waitid, arguments) != 0 || found.si_pid() != 0 }
    };
    let mut end = waiting.until(is_over);
    while !is_over() {
        if end == End::Interrupted {
            return super::fail(libc::EINTR);
        }
        end = waiting.again(is_over);
    }
    act(options)
}

/// True if a process that a controlled worker has made may still be there.
pub(super) fn are_there() -> bool {
    CHILDREN.load(Relaxed) > 0
}

/// An iteration has begun. Children that the last one left and that have ended are forgotten for good, unless
/// they were ended with it.
pub(super) fn forget_all() {
    if CHILDREN.swap(0, Relaxed) > 0 && !ends_processes() {
        let anyone = [usize::MAX, 0, super::argument(libc::WNOHANG), 0, 0, 0];
        // SAFETY: nothing is written to null.
        while unsafe { system_call(libc::SYS_wait4, anyone) } > 0 {}
    }
}

/// The rest of the last iteration's is forgotten before there are new ones.
fn begin() {
    note_process();
    if engine::is_controlled() {
        begin_iteration();
        // It inherits them. std holds its lock of the environment.
        engine::note_shared(VARIABLE.name, "*");
        engine::note_shared(CURRENT_DIRECTORY.name, "");
    }
}

/// A child that the real function makes, called by `make`; its number is told at `place`, unless it is null.
fn spawned(
    real: &Real<Spawn>,
    place: *mut pid_t,
    make: impl FnOnce(Spawn, *mut pid_t) -> c_int,
) -> c_int {
    begin();
    let mut child = 0;
    let result = with_own_mask(|| make(real.get(), &raw mut child));
    if result == 0 {
        if !place.is_null() {
            // SAFETY: the caller's place is writable, or null.
            unsafe { place.write(child) };
        }
        note_child(child);
    }
    result
}

/// A process has been made, if this is its number.
fn note_child(child: pid_t) {
    if child > 0 && engine::is_controlled() {
        CHILDREN.fetch_add(1, Relaxed);
        share_all();
        engine::note_child(child);
    }
}

fn note_end(is_over: bool) {
    if is_over {
        let one_less = |children: u32| children.checked_sub(1);
        let _ = CHILDREN.replace_if(Relaxed, Relaxed, one_less);
    }
}
