//! Watches one test process to its end, whatever that is.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use cct::verdict::{Bug, BugKind, too_much_memory};
use cct::wire::Event;

use super::board::BoardFile;
use super::events::{self, LAST_WORDS};
use super::memory::Watched;
use super::process::{self, Launch, Mode};
use super::silence::Silence;
use super::stop::Stop;

/// How often a silent process is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How long the engine's thread may sleep in the kernel: it never does so by itself.
const SLEEP: Duration = Duration::from_secs(2);
/// How many looks there are, five seconds' worth, before a schedule is judged by where they found it.
const LOOKS: u32 = 50;
/// For so many times the hang time-out a test may make decisions that are no steps: its one thread goes on
/// alone.
const ALONE: u32 = 10;
/// So many looks there are at least while a process may say its last words: a machine may stand still.
const LAST_LOOKS: u32 = 20;

/// How often something is begun whose process is killed from outside.
pub(super) const ATTEMPTS: u32 = 3;

/// A process that was stopped does not know it.
pub(super) const HALTED: &str = "a signal stopped the test process, and nobody had it go on";

/// How a test process ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// By itself.
    Exited(ExitStatus),
    /// It was silent for too long and was killed.
    Hung,
    /// Likewise, since a signal had stopped it.
    Halted,
    /// It took more memory than this limit and was killed.
    TooLarge(u64),
    /// It waited in the kernel for something that the engine does not control, and was killed.
    Blocked(String),
    /// The user wanted it to end.
    Stopped,
}

impl End {
    /// True if the process ended by a signal that somebody else has sent, unless the test kills itself: the
    /// system does for want of memory, a cluster when time is up.
    pub(super) fn was_killed(&self) -> bool {
        const FROM_OUTSIDE: [i32; 5] = [
            libc::SIGKILL,
            libc::SIGTERM,
            libc::SIGINT,
            libc::SIGHUP,
            libc::SIGXCPU,
        ];
        let signal = match self {
            End::Exited(status) => status.signal(),
            _ => None,
        };
        signal.is_some_and(|signal| FROM_OUTSIDE.contains(&signal))
    }
}

/// Runs a process to its end and hands on its events. One that was killed before the engine had come up says
/// nothing about its test, and is begun again.
pub(super) fn watch(
    launch: &Launch<'_>,
    board: &BoardFile,
    output: &Path,
    hang_timeout: Duration,
    stop: &Stop,
    mut on_event: impl FnMut(Event),
) -> io::Result<End> {
    let mut attempts = 0;
    loop {
        let end = watch_once(launch, board, output, hang_timeout, stop, &mut on_event)?;
        attempts += 1;
        let has_begun = board.pulse().is_up() || matches!(launch.mode, Mode::Native);
        if has_begun || !end.was_killed() || attempts == ATTEMPTS || stop.is_set() {
            return Ok(end);
        }
        crate::report::remark_line!(
            "{}: a test process was killed before the engine had come up, and is begun again",
            crate::report::warning_word()
        );
    }
}

fn watch_once(
    launch: &Launch<'_>,
    board: &BoardFile,
    output: &Path,
    hang_timeout: Duration,
    stop: &Stop,
    mut on_event: impl FnMut(Event),
) -> io::Result<End> {
    let (mut child, pipe) = launch.spawn(board, output)?;
    let events = events::receive(pipe)?;
    let mut pulse = board.pulse();
    let mut silence = Silence::default();
    let mut sleep = Silence::default();
    let mut stay = Silence::default();
    let mut doze = Doze::default();
    let mut closed = false;
    let mut memory = Watched::new(child.id(), launch.max_memory());
    loop {
        if let Some(limit) = memory.exceeded() {
            board.say_exceeded(limit)?;
            let is_up = board.pulse().is_up();
            let events = (&events, closed);
            end_with_last_words(&mut child, is_up, None, events, &mut on_event)?;
            return Ok(End::TooLarge(limit));
        }
        match next(&events, closed) {
            Ok(event) => {
                on_event(event);
                silence.end();
                sleep.end();
                continue;
            }
            // The last event is followed by the end of the process; a moment later, at most.
            Err(RecvTimeoutError::Disconnected) => closed = true,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait()? {
            events::rest(&events, LAST_WORDS).for_each(&mut on_event);
            return Ok(End::Exited(status));
        }
        let now = board.pulse();
        if now != pulse {
            silence.end();
            sleep.end();
            if now.place() != pulse.place() {
                stay.end();
            }
            pulse = now;
        }
        if stop.is_set() {
            process::end(&mut child)?;
            return Ok(End::Stopped);
        }
        let thread = pulse.is_up().then(|| Thread::of(board.thread()));
        let call = thread.as_ref().and_then(Thread::asleep_in);
        let used = thread.as_ref().and_then(Thread::processor_time);
        // One that is stopped needs no processor.
        let runs = call.is_none() && !thread.as_ref().is_some_and(Thread::is_stopped);
        let used = used.filter(|_| runs);
        let at = Instant::now();
        silence.look(at, used);
        stay.look(at, used);
        if stay.lasts() > hang_timeout.saturating_mul(ALONE) {
            board.say_enough()?;
        }
        if !board.waits() {
            doze.look(board.iteration(), call.is_some());
        }
        if call.is_none() {
            sleep.end();
        }
        sleep.look(at, None);
        if let Some(call) = call {
            if doze.is_deep() || sleep.is_longer_than(SLEEP.min(hang_timeout)) {
                process::end(&mut child)?;
                return Ok(End::Blocked(call));
            }
            // Until then it does not hang.
            continue;
        }
        // A test that runs natively, or has not come as far as the engine, may take its time.
        let patience = patience(hang_timeout, memory.used());
        if pulse.is_up() && silence.is_longer_than(patience) {
            let stopped = thread.filter(Thread::is_stopped);
            let end = stopped.as_ref().map_or(End::Hung, |_| End::Halted);
            let events = (&events, closed);
            end_with_last_words(&mut child, true, stopped.as_ref(), events, &mut on_event)?;
            return Ok(end);
        }
    }
}

/// How long a process may be silent that takes so much memory: to fill, copy and clear memory takes time in
/// proportion to it, without any step.
fn patience(hang_timeout: Duration, memory: u64) -> Duration {
    let giga = u32::try_from(memory >> 30).unwrap_or(u32::MAX);
    hang_timeout.saturating_mul(giga.saturating_add(1))
}

/// Asks a process where it is, if its engine is up, and ends it. This thread of it is stopped.
fn end_with_last_words(
    child: &mut Child,
    is_up: bool,
    stopped: Option<&Thread>,
    (events, closed): (&Receiver<Event>, bool),
    on_event: &mut impl FnMut(Event),
) -> io::Result<()> {
    if is_up {
        match stopped {
            Some(thread) => process::ask_stopped(thread.number),
            None => process::ask(child),
        }
        let deadline = Instant::now() + LAST_WORDS;
        let mut looks = 0;
        while child.try_wait()?.is_none() && (looks < LAST_LOOKS || Instant::now() < deadline) {
            // A replay tells what happened up to here.
            if let Ok(event) = next(events, closed) {
                on_event(event);
            }
            looks += 1;
        }
    }
    process::end(child)?;
    while let Ok(event) = events.try_recv() {
        on_event(event);
    }
    Ok(())
}

/// Where the looks found the engine's thread in the schedule under way.
///
/// One that polls sleeps a little at each step: it makes progress, but a schedule takes minutes.
#[derive(Debug, Default)]
struct Doze {
    iteration: u64,
    looks: u32,
    asleep: u32,
}

impl Doze {
    fn look(&mut self, iteration: u64, is_asleep: bool) {
        if iteration != self.iteration {
            *self = Doze {
                iteration,
                ..Doze::default()
            };
        }
        self.looks += 1;
        self.asleep += u32::from(is_asleep);
    }

    /// True when the schedule has mostly slept.
    fn is_deep(&self) -> bool {
        self.looks >= LOOKS && self.asleep * 10 >= self.looks * 9
    }
}

/// A thread of a process, as the kernel tells of it.
struct Thread {
    number: u32,
    folder: PathBuf,
}

impl Thread {
    fn of(thread: u32) -> Thread {
        Thread {
            number: thread,
            // A process can be named by any of its threads.
            folder: PathBuf::from(format!("/proc/{thread}/task/{thread}")),
        }
    }

    /// How long it has been on a processor; `None` where the kernel does not tell.
    fn processor_time(&self) -> Option<Duration> {
        let times = fs::read_to_string(self.folder.join("schedstat")).ok()?;
        let nanoseconds = times.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    }

    /// True if a signal has stopped it.
    fn is_stopped(&self) -> bool {
        self.state() == Some('T')
    }

    /// Its state, as a letter.
    fn state(&self) -> Option<char> {
        let status = fs::read_to_string(self.folder.join("stat")).ok()?;
        // The state is the first word after the name, which is in parentheses and may contain anything.
        let (_, after_name) = status.rsplit_once(") ")?;
        after_name.chars().next()
    }

    /// The system call that it sleeps in; `None` while it runs, or has woken since its state was read.
    fn asleep_in(&self) -> Option<String> {
        if self.state()? != 'S' {
            return None;
        }
        match fs::read_to_string(self.folder.join("syscall")) {
            Ok(told) => call_of(&told),
            // The kernel does not tell of every thread, nor of one that has ended.
            Err(_) => (self.state()? == 'S').then(|| "a system call".to_owned()),
        }
    }
}

/// The system call that a sleeping thread's `syscall` names first; `None` if it says that the thread runs.
fn call_of(told: &str) -> Option<String> {
    let number = told.split_whitespace().next()?.parse().ok()?;
    Some(call_name(number))
}

/// The names of the calls that tests wait in most.
fn call_name(number: libc::c_long) -> String {
    let name = match number {
        libc::SYS_read | libc::SYS_readv => "read",
        libc::SYS_write | libc::SYS_writev => "write",
        libc::SYS_accept | libc::SYS_accept4 => "accept",
        libc::SYS_connect => "connect",
        libc::SYS_recvfrom | libc::SYS_recvmsg => "recv",
        libc::SYS_sendto | libc::SYS_sendmsg => "send",
        libc::SYS_wait4 | libc::SYS_waitid => "wait for a process",
        libc::SYS_futex => "futex of an uncontrolled thread",
        libc::SYS_epoll_pwait => "epoll_wait",
        libc::SYS_ppoll => "poll",
        libc::SYS_flock | libc::SYS_fcntl => "file lock",
        ..0 => "memory that is not there",
        other => return format!("system call {other}"),
    };
    name.to_owned()
}

fn next(events: &Receiver<Event>, closed: bool) -> Result<Event, RecvTimeoutError> {
    if closed {
        thread::sleep(Duration::from_millis(2));
        return Err(RecvTimeoutError::Disconnected);
    }
    events.recv_timeout(LOOK)
}

/// The bug as which a process that ended without a word has to be reported.
pub(super) fn bug_of(end: &End, board: &BoardFile) -> Option<Bug> {
    let words = board.last_words();
    let (kind, message) = match end {
        End::Stopped | End::Blocked(_) => return None,
        End::Hung => (
            BugKind::Hang,
            "code without scheduling points did not come back".to_owned(),
        ),
        End::Halted => (BugKind::Hang, HALTED.to_owned()),
        End::TooLarge(limit) => (BugKind::OutOfMemory, too_much_memory(*limit)),
        End::Exited(status) => match (status.code(), status.signal()) {
            (_, Some(libc::SIGABRT)) => (BugKind::Abort, "the test process aborted".to_owned()),
            (_, Some(signal)) => (
                BugKind::Signal,
                format!("killed by {}", signal_name(signal)),
            ),
            (Some(code), _) => (
                BugKind::Exit,
                format!("the test process exited with code {code}"),
            ),
            (None, None) => return None,
        },
    };
    match words {
        // Events while a process is asked for its last words are not the reason why it is asked.
        Some(bug) if kind == BugKind::OutOfMemory && bug.kind != kind => Some(Bug {
            kind,
            message,
            ..bug
        }),
        Some(bug) if *end == End::Halted || kind == BugKind::Hang && !says_where(bug.kind) => {
            Some(Bug {
                kind,
                message,
                ..bug
            })
        }
        Some(bug) => Some(bug),
        None => Some(Bug::new(kind, message, None, None)),
    }
}

/// True for what a process says when it is asked where it is.
fn says_where(kind: BugKind) -> bool {
    matches!(
        kind,
        BugKind::Hang | BugKind::Silence | BugKind::OutOfMemory
    )
}

/// Its number, with what it means.
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV: an access to memory that is not mapped",
        libc::SIGBUS => "SIGBUS: an access to memory that is not backed",
        libc::SIGILL => "SIGILL: an instruction that does not exist, or a trap",
        libc::SIGFPE => "SIGFPE: an arithmetic error",
        libc::SIGTRAP => "SIGTRAP: a trap",
        libc::SIGKILL => "SIGKILL: sent to it, as for lack of memory",
        libc::SIGTERM => "SIGTERM: sent to it",
        libc::SIGPIPE => "SIGPIPE: a write to a closed pipe",
        libc::SIGSYS => "SIGSYS: a forbidden system call",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_memory_takes_its_time() {
        let second = Duration::from_secs(1);
        assert_eq!(patience(second, 1 << 29), second);
        assert_eq!(patience(second, 4 << 30), 5 * second);
    }

    #[test]
    fn a_thread_that_woke_while_it_was_looked_at_sleeps_in_no_call() {
        assert_eq!(call_of("running\n"), None);
        let memory = call_of("-1 0x7ffc0 0x7f3a1\n");
        assert_eq!(memory, Some("memory that is not there".to_owned()));
        assert_eq!(call_of(""), None);
        let flock = format!(
            "{} 0x3 0x2 0x0 0x0 0x0 0x0 0x7ffc0 0x7f3a1\n",
            libc::SYS_flock
        );
        assert_eq!(call_of(&flock), Some("file lock".to_owned()));
    }

    #[test]
    fn only_a_schedule_that_mostly_sleeps_is_given_up() {
        let looks = |asleep_of_ten: u32| {
            let mut doze = Doze::default();
            (0..LOOKS).for_each(|look| doze.look(7, look % 10 < asleep_of_ten));
            doze
        };
        assert!(looks(10).is_deep() && looks(9).is_deep());
        assert!(!looks(8).is_deep());
        let mut next = looks(10);
        next.look(8, true);
        assert!(!next.is_deep(), "the next schedule begins anew");
    }
}
