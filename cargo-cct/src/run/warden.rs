//! The process between the tool and a test process: it ends what the test leaves behind.
//!
//! Processes whose parents have ended are its children, in whatever session or group they are. So it can end
//! them all when the test process has ended, however that came about, and when the tool has. Then it ends as
//! the test process did. Between two iterations the test process ends them itself.
//!
//! It is this executable again, and not just a copy of the process: a copy would keep the tool's memory as it
//! was.

#![expect(
    unsafe_code,
    reason = "std has no words for processes that are not its own children, and for signals"
)]

use std::ffi::{CStr, OsStr};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, io, mem, ptr, thread};

use cct::wire::WATCHDOG_SIGNAL;
use libc::{c_char, c_int, pid_t};

/// The name that it is started as.
const NAME: &CStr = c"cct-warden";
/// This executable, also if its file has been replaced by now.
const EXECUTABLE: &CStr = c"/proc/self/exe";
/// It is asked by this signal to end everything, also when the tool ends.
pub(super) const END: c_int = libc::SIGTERM;
/// How long processes may take to end that were killed.
const PATIENCE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(1);

/// The processes that a warden ends beside its child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Others {
    /// All that the child has left, however it ended.
    All,
    /// If the child has not ended by itself, those that it left in its process group. Others go on.
    OfTheGroup,
}

impl Others {
    const fn word(self) -> &'static CStr {
        match self {
            Others::All => c"all",
            Others::OfTheGroup => c"group",
        }
    }

    fn parse(word: &OsStr) -> Option<Others> {
        let mut all = [Others::All, Others::OfTheGroup].into_iter();
        all.find(|others| word.as_encoded_bytes() == others.word().to_bytes())
    }
}

/// Called between `fork` and `exec` in the process that the tool has made: that becomes the warden, and a
/// child of it goes on as the calling process. The `tool` is the process that has made it.
///
/// Makes system calls only, allocates nothing and takes no lock.
pub(super) fn stand_between(tool: u32, others: Others) -> io::Result<()> {
    // SAFETY: system calls, on places of ours.
    unsafe {
        let (mut all, mut before) = (mem::zeroed(), mem::zeroed());
        libc::sigfillset(&raw mut all);
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const all,
            &raw mut before,
        ))?;
        let leads = libc::getpgrp() == libc::getpid();
        check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1))?;
        let child = check(libc::fork())?;
        if child != 0 {
            become_warden(tool, child, others);
        }
        if leads {
            check(libc::setpgid(0, 0))?;
        }
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            &raw const before,
            ptr::null_mut(),
        ))?;
    }
    Ok(())
}

/// Goes on as the warden of this child.
///
/// # Safety
///
/// The process has this thread only, or is one between `fork` and `exec`.
unsafe fn become_warden(tool: u32, child: pid_t, others: Others) -> ! {
    let mut digits = [0_u8; 12];
    let mut place = digits.len() - 1;
    let mut rest = child.unsigned_abs();
    while rest > 0 {
        place -= 1;
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    let number = digits[place..].as_ptr().cast::<c_char>();
    let words = [NAME.as_ptr(), number, others.word().as_ptr(), ptr::null()];
    // SAFETY: the words end with zeros, and their list with null. The child ends with this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, END);
        if libc::getppid().cast_unsigned() == tool {
            libc::execv(EXECUTABLE.as_ptr(), words.as_ptr());
        }
        libc::kill(child, libc::SIGKILL);
        libc::_exit(127)
    }
}

/// Does the warden's work, if this process is one.
pub(crate) fn run_if_this_is_one() -> Option<ExitCode> {
    let mut words = env::args_os();
    let name = words.next()?;
    let name = Path::new(&name).file_name()?.to_str()?;
    if name.as_bytes() != NAME.to_bytes() {
        return None;
    }
    let child = words.next().as_deref().and_then(OsStr::to_str)?.parse();
    let others = Others::parse(&words.next()?)?;
    Some(watch_over(child.ok()?, others))
}

/// Waits until this child has ended, ends others, and ends as it did.
fn watch_over(child: pid_t, others: Others) -> ExitCode {
    let status = wait_for(child);
    // Asked to end everything, this process kills the child.
    if others == Others::All || libc::WIFSIGNALED(status) {
        end_others(others);
    }
    if libc::WIFSIGNALED(status) {
        die_by(libc::WTERMSIG(status));
    }
    let code = u8::try_from(libc::WEXITSTATUS(status));
    ExitCode::from(code.unwrap_or(u8::MAX))
}

/// Waits for the child, and for orphans until then; returns how it ended. Signals to this process are to it.
fn wait_for(child: pid_t) -> c_int {
    // SAFETY: system calls, on places of ours. All signals are blocked, by whoever has made this process. The
    // child has not been waited for when it is sent a signal.
    unsafe {
        // One that is ignored has children that nobody can wait for.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        let mut heeded = mem::zeroed();
        libc::sigemptyset(&raw mut heeded);
        for signal in [libc::SIGCHLD, END, WATCHDOG_SIGNAL] {
            libc::sigaddset(&raw mut heeded, signal);
        }
        loop {
            let mut status = 0;
            match libc::waitpid(-1, &raw mut status, libc::WNOHANG | libc::__WALL) {
                0 => {}
                ended if ended == child => return status,
                ended if ended > 0 => continue,
                // It cannot be: the child is there until it is waited for.
                _ => return libc::SIGKILL,
            }
            match libc::sigwaitinfo(&raw const heeded, ptr::null_mut()) {
                END => {
                    libc::kill(child, libc::SIGKILL);
                }
                WATCHDOG_SIGNAL => {
                    libc::kill(child, WATCHDOG_SIGNAL);
                    // If something has stopped it, it goes on with the handler.
                    libc::kill(child, libc::SIGCONT);
                }
                _ => {}
            }
        }
    }
}

/// Ends children; children of theirs then are ones of this process.
fn end_others(others: Others) {
    let own = std::process::id();
    let list = format!("/proc/{own}/task/{own}/children");
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let children = fs::read_to_string(&list).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|it| it.parse().ok());
        let children: Vec<pid_t> = children
            .filter(|&child| others == Others::All || is_of_the_group(child))
            .collect();
        if children.is_empty() && others == Others::OfTheGroup {
            return;
        }
        for child in children {
            // SAFETY: it has not been waited for, so the number is its own.
            unsafe { libc::kill(child, libc::SIGKILL) };
        }
        loop {
            let options = libc::WNOHANG | libc::__WALL;
            // SAFETY: nothing is written to null.
            match unsafe { libc::waitpid(-1, ptr::null_mut(), options) } {
                0 => break,
                1.. => {}
                _ => return,
            }
        }
        thread::sleep(LOOK);
    }
}

fn is_of_the_group(process: pid_t) -> bool {
    // SAFETY: system calls without memory.
    unsafe { libc::getpgid(process) == libc::getpgrp() }
}

/// Ends this process by a signal, without a dump of its own.
fn die_by(signal: c_int) {
    // SAFETY: system calls, on a place of ours.
    unsafe {
        libc::prctl(libc::PR_SET_DUMPABLE, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut only = mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const only, ptr::null_mut());
        libc::kill(libc::getpid(), signal);
    }
}

fn check(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
