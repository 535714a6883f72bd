//! Ends the processes that an iteration has made, and those that these have made, at its end.
//!
//! Children of this process are ended and waited for here. Others whose parents have ended are children of
//! the warden, which waits for them: the tool's process that is this one's parent. Without a warden nobody is
//! ended: then other threads of the process may have made them.

use std::fs;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use libc::{c_int, pid_t};

use super::kept::kept;

/// So many iterations pass between two thorough looks.
const THOROUGH_EVERY: u32 = 64;
/// How often it is looked whether there are more: one that makes others may have done so meanwhile.
const ROUNDS: u32 = 1000;
/// How long a process may take to end that was killed, in milliseconds.
const PATIENCE: c_int = 1000;

/// The warden; 0 if there is none.
static WARDEN: AtomicI32 = AtomicI32::new(0);

/// A process is about to be made.
pub fn note_process() {
    kept().any_process.store(true, Relaxed);
}

/// The parent of this process is its warden.
pub(crate) fn know_warden() {
    // SAFETY: asks for a number.
    WARDEN.store(unsafe { libc::getppid() }, Relaxed);
}

/// True if processes are ended with their iteration.
pub fn are_ended() -> bool {
    WARDEN.load(Relaxed) != 0
}

/// True if a process has been made since it was last asked: it may have done anything.
fn any_made() -> bool {
    let any = &kept().any_process;
    any.load(Relaxed) && any.swap(false, Relaxed)
}

/// The processes that were there before the first iteration.
#[derive(Debug)]
pub(crate) struct Processes {
    earlier: Vec<Process>,
    until_thorough: u32,
}

impl Processes {
    /// Remembers those that are there now, which stay.
    pub(crate) fn now() -> Processes {
        let mut earlier = Vec::new();
        if are_ended() {
            earlier.extend(own_children());
            let mut looks = Looks::default();
            for _ in 0..ROUNDS {
                let (children, is_whole) = looks.children_of_warden();
                earlier.extend(children);
                if is_whole {
                    break;
                }
            }
        }
        Processes {
            earlier,
            until_thorough: 0,
        }
    }

    /// Ends all others. True if there may have been some.
    ///
    /// It is looked for some after calls that make processes, and now and then for those that were made past
    /// all functions of the C library.
    pub(crate) fn end_new(&mut self) -> bool {
        if !are_ended() {
            return false;
        }
        if !any_made() && self.until_thorough > 0 {
            self.until_thorough -= 1;
            return false;
        }
        self.until_thorough = THOROUGH_EVERY;
        let (mut found, mut looks) = (false, Looks::default());
        for _ in 0..ROUNDS {
            let (any, is_whole) = self.end_round(&mut looks);
            if !any && is_whole {
                break;
            }
            found |= any;
        }
        if found {
            forget_ends();
        }
        found
    }

    /// Ends those that are there now. True if there were some; and true if all of them were seen.
    fn end_round(&self, looks: &mut Looks) -> (bool, bool) {
        let is_new = |process: &Process| !self.earlier.contains(process);
        let mut any = false;
        for process in own_children().into_iter().filter(is_new) {
            // SAFETY: it has not been waited for, so the number is still its own; nothing is written to null.
            unsafe {
                libc::kill(process.number, libc::SIGKILL);
                libc::waitpid(process.number, null_mut(), libc::__WALL);
            }
            any = true;
        }
        // A process that has lost its parent just now is among these.
        let (children, is_whole) = looks.children_of_warden();
        for process in children.into_iter().filter(is_new) {
            // One that has ended by itself meanwhile may have left its own.
            any |= process.end() || Process::with(process.number) != Some(process);
        }
        (any, is_whole)
    }
}

/// Looks at the processes that the warden waits for, one after the other.
#[derive(Debug, Default)]
struct Looks {
    /// The ended ones that the last look has named, and whether they were gone.
    ended: Vec<(pid_t, bool)>,
}

impl Looks {
    /// The others that the warden waits for, whose parents have ended, and that still go on; and true if the
    /// list has all of them. One that was taken leave of while the list was read may hide another one there,
    /// and one that has just ended may have left its own.
    fn children_of_warden(&mut self) -> (Vec<Process>, bool) {
        let warden = WARDEN.load(Relaxed);
        // SAFETY: asks for a number.
        let own = unsafe { libc::getpid() };
        let list = fs::read_to_string(format!("/proc/{warden}/task/{warden}/children"));
        let (mut going_on, mut ended) = (Vec::new(), Vec::new());
        for number in numbers(&list.unwrap_or_default()) {
            match Process::with(number).filter(|process| process.parent == warden) {
                Some(process) if !process.is_zombie => going_on.push(process),
                other => ended.push((number, other.is_none())),
            }
        }
        going_on.retain(|process| process.number != own);
        let is_whole = ended.iter().all(|it| self.ended.contains(it));
        self.ended = ended;
        (going_on, is_whole)
    }
}

/// A process that is somebody's child.
#[derive(Clone, Copy, Debug)]
struct Process {
    number: pid_t,
    parent: pid_t,
    is_zombie: bool,
    /// When it began, in ticks since the machine did: numbers are used again.
    began: u64,
}

impl PartialEq for Process {
    fn eq(&self, other: &Process) -> bool {
        (self.number, self.began) == (other.number, other.began)
    }
}

impl Process {
    /// The process with this number, if there is one.
    fn with(number: pid_t) -> Option<Process> {
        let stat = fs::read(format!("/proc/{number}/stat")).ok()?;
        Process::parse(number, &String::from_utf8_lossy(&stat))
    }

    /// Reads its line in `/proc`: its number, its name in parentheses, its state, its parent, …
    fn parse(number: pid_t, stat: &str) -> Option<Process> {
        let (_, rest) = stat.rsplit_once(") ")?;
        let mut words = rest.split(' ');
        let is_zombie = ["Z", "X"].contains(&words.next()?);
        let parent = words.next()?.parse().ok()?;
        // The 22nd of all.
        let began = words.nth(17)?.parse().ok()?;
        Some(Process {
            number,
            parent,
            is_zombie,
            began,
        })
    }

    /// Ends a process that another one waits for. False if it is somebody else by now.
    fn end(self) -> bool {
        // SAFETY: system calls on numbers, and a place that is ours.
        unsafe {
            let descriptor = libc::syscall(libc::SYS_pidfd_open, self.number, 0) as c_int;
            if descriptor < 0 {
                return false;
            }
            // The descriptor is of this process, if the number still is.
            let is_it = Process::with(self.number)
                .is_some_and(|now| now == self && now.parent == self.parent);
            if is_it {
                let none = null_mut::<libc::siginfo_t>();
                libc::syscall(
                    libc::SYS_pidfd_send_signal,
                    descriptor,
                    libc::SIGKILL,
                    none,
                    0,
                );
                let mut ended = libc::pollfd {
                    fd: descriptor,
                    events: libc::POLLIN,
                    revents: 0,
                };
                libc::poll(&raw mut ended, 1, PATIENCE);
            }
            libc::close(descriptor);
            is_it
        }
    }
}

/// Nobody is to be told of the ends of processes that were ended here: the signal for that is blocked.
fn forget_ends() {
    // SAFETY: the set and the time are places of ours; all zeros is no time.
    unsafe {
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut only);
        libc::sigaddset(&raw mut only, libc::SIGCHLD);
        let at_once: libc::timespec = std::mem::zeroed();
        while libc::sigtimedwait(&raw const only, null_mut(), &raw const at_once) > 0 {}
    }
}

/// The children of all threads of this process.
fn own_children() -> Vec<Process> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = tasks.flatten().map(|task| task.path().join("children"));
    let lists = lists.map(|path| fs::read_to_string(path).unwrap_or_default());
    let children =
        lists.flat_map(|list| numbers(&list).filter_map(Process::with).collect::<Vec<_>>());
    children.collect()
}

fn numbers(list: &str) -> impl Iterator<Item = pid_t> {
    list.split_whitespace().filter_map(|it| it.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_process_is_read_whatever_its_name() {
        let stat = "7 (a) Z 1) S 3 7 7 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 2 3";
        let process = Process::parse(7, stat).expect("it is one");
        assert_eq!((process.parent, process.began), (3, 4711));
        assert!(!process.is_zombie);
        assert!(Process::parse(7, "7 (a) Z 3").is_none(), "it is cut off");
    }

    #[test]
    fn a_process_is_known_by_more_than_its_number() {
        let own = std::process::id().cast_signed();
        let process = Process::with(own).expect("it is there");
        assert_eq!(process, Process::with(own).expect("it is there"));
        let other = Process {
            began: process.began + 1,
            ..process
        };
        assert!(process != other);
        assert!(!other.end(), "it is another one");
    }

    #[test]
    fn nobody_is_ended_without_a_warden() {
        let child = std::process::Command::new("sleep").arg("86400").spawn();
        let mut child = child.expect("it can be run");
        note_process();
        assert!(!Processes::now().end_new());
        assert!(child.try_wait().expect("ours").is_none(), "it goes on");
        child.kill().expect("ours");
        child.wait().expect("ours");
    }
}
