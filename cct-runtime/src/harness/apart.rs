//! Executions in processes of their own, for those that may end theirs.

use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::copies;
use super::runner::Runner;
use crate::asleep::sleeps;
use crate::codec::Wire;
use crate::verdict::{Bug, BugKind, Verdict};
use crate::wire::Board;

/// How long an execution may make no decision.
const SILENCE: Duration = Duration::from_secs(1);
/// For how much of the processor's time it may do so at least; more if the first one took longer.
const LEAST_WORK: Duration = Duration::from_millis(20);
/// How often it is looked at.
const LOOK: Duration = Duration::from_micros(100);
/// So many looks there are at least before an execution is ended.
const PARTS: u32 = 8;

/// The memory that an execution's process shares with this one.
#[repr(C)]
struct Page {
    notes: Notes,
    /// The length of `bytes`; 0 before the execution is over.
    length: AtomicU64,
    /// The result, as bytes.
    bytes: [u8; Page::BYTES],
}

impl Page {
    const BYTES: usize = 1 << 24;
}

/// The facts that an execution tells while it goes on: they are known also where its process ends.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Notes {
    /// A number that counts something.
    pub(super) number: AtomicU64,
    /// How many words there are, or would be if there were room.
    count: AtomicU64,
    words: [AtomicU64; Notes::WORDS],
}

impl Notes {
    const WORDS: usize = 1 << 17;

    /// Notes without anything in them.
    pub(super) fn new() -> Box<Notes> {
        let layout = Layout::new::<Notes>();
        #[expect(clippy::cast_ptr_alignment, reason = "the layout is that of notes")]
        // SAFETY: notes have a size.
        let notes = unsafe { alloc_zeroed(layout) }.cast::<Notes>();
        if notes.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: notes are numbers throughout, and the memory is that of a box.
        unsafe { Box::from_raw(notes) }
    }

    /// Takes everything back.
    pub(super) fn clear(&self) {
        self.number.store(0, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
    }

    /// Adds a word.
    pub(super) fn add(&self, word: u64) {
        let index = self.count.fetch_add(1, Ordering::Relaxed) as usize;
        if let Some(place) = self.words.get(index) {
            place.store(word, Ordering::Relaxed);
        }
    }

    /// The words; none if there was no room for all.
    pub(super) fn words(&self) -> Option<Vec<u64>> {
        let count = self.count.load(Ordering::Relaxed) as usize;
        let words = self.words.get(..count)?.iter();
        Some(words.map(|word| word.load(Ordering::Relaxed)).collect())
    }
}

/// An execution that ended its process, or did not come back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Died {
    /// The end of the process as a bug; a cut-off if it did not come back.
    pub(super) verdict: Verdict,
    /// The steps that it had made.
    pub(super) steps: u64,
}

/// A place for executions that may end their process: each has one, a copy of this one.
#[derive(Debug)]
pub(super) struct Apart {
    page: *mut Page,
    board: *mut Board,
    /// For how much of the processor's time an execution may make no decision, once one is over.
    most_work: Option<Duration>,
}

impl Apart {
    /// The board is that of the runner, in memory that processes share; none if there is no memory.
    pub(super) fn new(board: *mut Board) -> Option<Apart> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping touches nobody's memory.
        let page = unsafe { libc::mmap(null_mut(), size_of::<Page>(), protection, flags, -1, 0) };
        (page != libc::MAP_FAILED).then(|| Apart {
            page: page.cast(),
            board,
            most_work: None,
        })
    }

    /// The notes of the last execution.
    pub(super) fn notes(&self) -> &Notes {
        // SAFETY: the mapping is never unmapped, and all of it are numbers.
        unsafe { &(*self.page).notes }
    }

    /// Has the execution made by a copy of this process, which tells what it came to; an error if that ends
    /// before it can tell.
    pub(super) fn execute<T: Wire>(
        &mut self,
        runner: &mut Runner,
        run: impl FnOnce(&mut Runner, &Notes) -> T,
    ) -> Result<T, Died> {
        // SAFETY: both mappings are never unmapped, and nobody else writes before there is a copy.
        let (page, board) = unsafe { (&mut *self.page, &mut *self.board) };
        page.notes.clear();
        page.length.store(0, Ordering::Relaxed);
        board.last_words_length = 0;
        let copy = copies::begin(self.board, runner, |runner| {
            let bytes = run(runner, &page.notes).to_bytes();
            if let Some(room) = page.bytes.get_mut(..bytes.len()) {
                room.copy_from_slice(&bytes);
                page.length.store(bytes.len() as u64, Ordering::Release);
            }
        });
        let ended = if copy < 0 {
            None
        } else {
            self.wait_for(copy, board)
        };
        runner.surroundings.clean_up_after_copy();
        let length = page.length.load(Ordering::Acquire) as usize;
        T::from_bytes(&page.bytes[..length]).ok_or_else(|| Died {
            verdict: ended.map_or(Verdict::CutOff, |status| bug_of(status, board)),
            steps: board.steps,
        })
    }

    /// Waits for the process to end; returns how it did, and none if it did not come back and was ended. It
    /// need not be late where the machine has much else to do, so its work counts.
    fn wait_for(&mut self, process: libc::pid_t, board: &Board) -> Option<libc::c_int> {
        let mut beats = 0;
        let (mut work, mut looked) = (Duration::ZERO, clock());
        let (mut silence, mut worked) = (Duration::ZERO, Duration::ZERO);
        loop {
            let mut status = 0;
            // SAFETY: the status is ours, and so is the process.
            let ended = unsafe { libc::waitpid(process, &raw mut status, libc::WNOHANG) };
            if ended == process {
                self.most_work.get_or_insert(LEAST_WORK.max(4 * work));
                return Some(status);
            }
            let (work_before, looked_before) = (work, looked);
            (work, looked) = (work_of(process).unwrap_or(work), clock());
            // A machine that stands still takes the time of both, and is one look.
            let most_work = self.most_work.unwrap_or(Duration::MAX);
            worked += work.saturating_sub(work_before).min(most_work / PARTS);
            silence += looked.duration_since(looked_before).min(SILENCE / PARTS);
            // SAFETY: the board stays mapped; the other process writes to it.
            let now = unsafe { (&raw const board.beats).read_volatile() };
            if now != beats {
                beats = now;
                (silence, worked) = (Duration::ZERO, Duration::ZERO);
            } else if ended < 0
                || worked > most_work
                || silence > SILENCE && sleeps(format!("/proc/{process}"))
            {
                // SAFETY: the process is ours, and has not been waited for.
                let waited = unsafe {
                    libc::kill(process, libc::SIGKILL);
                    libc::waitpid(process, &raw mut status, 0)
                };
                // It may have ended just before.
                let by_this = libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGKILL;
                return (waited == process && !by_this).then_some(status);
            }
            pause();
        }
    }
}

/// Real time: what is given to a search, and what another process takes.
#[expect(
    clippy::disallowed_methods,
    reason = "no iteration is under way that could see it"
)]
pub(super) fn clock() -> Instant {
    Instant::now()
}

/// How much of the processor's time the process has had; none if it is gone.
fn work_of(process: libc::pid_t) -> Option<Duration> {
    let mut clock = 0;
    // SAFETY: all zeroes are a time.
    let mut time: libc::timespec = unsafe { std::mem::zeroed() };
    // SAFETY: both are ours to write to.
    let is_known = unsafe {
        libc::clock_getcpuclockid(process, &raw mut clock) == 0
            && libc::clock_gettime(clock, &raw mut time) == 0
    };
    let seconds = Duration::from_secs(time.tv_sec.cast_unsigned());
    is_known.then(|| seconds + Duration::from_nanos(time.tv_nsec.cast_unsigned()))
}

#[expect(
    clippy::disallowed_methods,
    reason = "no iteration is under way, and the other process takes real time"
)]
fn pause() {
    std::thread::sleep(LOOK);
}

/// The bug as which the process ended that says no more than its status, and perhaps last words.
fn bug_of(status: libc::c_int, board: &Board) -> Verdict {
    let words = board.last_words.get(..board.last_words_length as usize);
    let bug = words
        .filter(|words| !words.is_empty())
        .and_then(Bug::from_bytes);
    Verdict::failed(bug.unwrap_or_else(|| {
        let (kind, message) = if libc::WIFSIGNALED(status) {
            let signal = libc::WTERMSIG(status);
            (BugKind::Signal, format!("killed by signal {signal}"))
        } else {
            let code = libc::WEXITSTATUS(status);
            let message = format!("the test process exited with code {code}");
            (BugKind::Exit, message)
        };
        Bug::new(kind, message, None, None)
    }))
}
