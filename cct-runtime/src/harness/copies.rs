//! Copies of the test process, each of which makes an execution of its own.

use std::io;
use std::mem::{ManuallyDrop, zeroed};
use std::ptr::null_mut;

use super::listener::refuse;
use super::runner::Runner;
use super::{crash, signals};
use crate::wire::Board;

/// Has this be done by a copy of this process, which ends after it. Returns the copy's number; negative if
/// none can be made.
pub(super) fn begin(
    board: *mut Board,
    runner: &mut Runner,
    run: impl FnOnce(&mut Runner),
) -> libc::pid_t {
    // It is the copy's, with everything in it.
    let run = ManuallyDrop::new(run);
    let parent = std::process::id();
    // SAFETY: the copy has this thread alone, which holds no lock of anybody else's.
    let copy = unsafe { libc::fork() };
    if copy == 0 {
        // SAFETY: it ends with this process, which may have ended by now.
        unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            if libc::getppid().cast_unsigned() != parent {
                libc::_exit(0);
            }
        }
        signals::block();
        crash::install(board, runner);
        runner.engine.begin_in_copy();
        ManuallyDrop::into_inner(run)(runner);
        // SAFETY: ends the process.
        unsafe { libc::_exit(0) }
    }
    copy
}

/// Has this be done by a copy of this process; if that ends before it is done, this process ends likewise.
///
/// A search whose schedules have processes of their own goes on in this one: the engine, its strategies and
/// all else that they allocate are in memory that copies share ([`memory::share`](crate::memory::share)). All
/// else of a copy is gone with it.
pub(super) fn isolate(runner: &mut Runner, run: &mut dyn FnMut(&mut Runner)) {
    // In the engine's heap, where the copy sees it as well.
    let is_done: *mut bool = Box::into_raw(Box::new(false));
    let copy = begin(crash::board(), runner, |runner| {
        run(runner);
        // SAFETY: this process waits meanwhile.
        unsafe { is_done.write_volatile(true) };
    });
    if copy < 0 {
        let error = io::Error::last_os_error();
        refuse(format!("cannot make a process for a schedule: {error}"));
    }
    let status = wait_for(copy);
    // SAFETY: the copy has ended, and the box is ours again. It was not this process that has written to it.
    unsafe {
        if !is_done.read_volatile() {
            end_as(status);
        }
        drop(Box::from_raw(is_done));
    }
}

/// Waits until a copy has ended; returns its status. A request of the watchdog is for the copy meanwhile.
fn wait_for(copy: libc::pid_t) -> libc::c_int {
    crash::pass_on_to(copy);
    let mut status = 0;
    // SAFETY: the status is ours, and so is the process. Signals interrupt the wait.
    while unsafe { libc::waitpid(copy, &raw mut status, 0) } != copy {}
    crash::pass_on_to(0);
    status
}

/// Ends this process as a copy has ended.
fn end_as(status: libc::c_int) -> ! {
    // SAFETY: system calls, on a place of ours.
    unsafe {
        if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            // The copy has left a dump, if there is to be one.
            libc::prctl(libc::PR_SET_DUMPABLE, 0);
            libc::signal(signal, libc::SIG_DFL);
            let mut only: libc::sigset_t = zeroed();
            libc::sigemptyset(&raw mut only);
            libc::sigaddset(&raw mut only, signal);
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const only, null_mut());
            libc::kill(libc::getpid(), signal);
        }
        libc::_exit(libc::WEXITSTATUS(status))
    }
}
