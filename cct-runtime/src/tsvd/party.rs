//! The parties that access objects: threads, tasks, and the tests that made them.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use super::order::{self, Clock};
use super::planner::Party;

/// Of no party is this number.
static LAST: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static PARTY: Cell<Party> = const { Cell::new(0) };
    static IS_TASK: Cell<bool> = const { Cell::new(false) };
    static THREAD: Cell<u32> = const { Cell::new(0) };
    static TEST: Cell<Option<&'static Test>> = const { Cell::new(None) };
    static IS_TESTS: Cell<bool> = const { Cell::new(false) };
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// A test that runs, or has run. Never freed.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) name: String,
    /// From 1.
    pub(super) number: u32,
    has_ended: AtomicBool,
}

/// The running party, whatever its test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub(super) party: Party,
    pub(super) is_task: bool,
    /// The thread, if the party is a task that it polls; else the party.
    pub(super) thread: Party,
    /// The test that made the thread, or whose own it is, while it runs: a pool may outlive it.
    pub(super) test: Option<&'static Test>,
    /// The thread is the test's own.
    pub(super) is_tests: bool,
}

/// The party that calls.
#[inline]
pub(super) fn party() -> Party {
    let party = PARTY.get();
    if party == 0 { name_thread() } else { party }
}

#[cold]
fn name_thread() -> Party {
    let party = LAST.fetch_add(1, Relaxed) + 1;
    PARTY.set(party);
    THREAD.set(party);
    party
}

pub(super) fn who() -> Who {
    Who {
        party: party(),
        is_task: IS_TASK.get(),
        thread: THREAD.get(),
        test: TEST.get().filter(|test| !test.has_ended.load(Relaxed)),
        is_tests: IS_TESTS.get(),
    }
}

/// A test that runs on this thread, until this is dropped.
#[derive(Debug)]
pub(super) struct Runs(&'static Test);

impl Drop for Runs {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Relaxed);
        IS_TESTS.set(false);
    }
}

/// Begins a test on this thread.
pub(super) fn begin_test(name: &str) -> Runs {
    static TESTS: AtomicU32 = AtomicU32::new(0);
    let test = Test {
        name: name.to_owned(),
        number: TESTS.fetch_add(1, Relaxed) + 1,
        has_ended: AtomicBool::new(false),
    };
    let test: &'static Test = Box::leak(Box::new(test));
    TEST.set(Some(test));
    IS_TESTS.set(true);
    // A thread of the harness may run several tests.
    PARTY.set(0);
    Runs(test)
}

/// The things that a thread has of the one that makes it.
#[derive(Clone, Debug)]
pub struct Heritage {
    test: Option<&'static Test>,
    clock: Clock,
}

/// The heritage of a thread that the caller is about to make.
#[must_use]
pub fn heritage() -> Heritage {
    Heritage {
        test: TEST.get(),
        clock: order::told_to_child(),
    }
}

/// The caller has made that thread.
#[inline]
pub fn has_made_thread() {
    order::begin_epoch();
}

impl Heritage {
    /// The calling thread has it.
    pub fn adopt(self) {
        TEST.set(self.test);
        order::learn(&self.clock);
        super::memory::forget_stack();
    }
}

/// The identity of a task, where nobody controls it.
#[derive(Clone, Debug, Default)]
pub struct TaskParty(Option<Box<Identity>>);

/// A party that is a task.
#[derive(Clone, Debug)]
struct Identity {
    party: Party,
    test: Option<&'static Test>,
    clock: Clock,
    epoch: u32,
}

impl TaskParty {
    /// A task that the caller makes.
    #[inline]
    #[must_use]
    pub fn made() -> TaskParty {
        TaskParty(super::is_on().then(|| Box::new(Identity::made())))
    }

    /// Polls in the name of the task.
    #[inline]
    pub fn poll<R>(&mut self, poll: impl FnOnce() -> R) -> R {
        match &mut self.0 {
            Some(identity) if super::is_on() => identity.poll(poll),
            _ => poll(),
        }
    }
}

impl Identity {
    fn made() -> Identity {
        Identity {
            party: LAST.fetch_add(1, Relaxed) + 1,
            test: TEST.get(),
            clock: order::told(),
            epoch: 1,
        }
    }

    fn poll<R>(&mut self, poll: impl FnOnce() -> R) -> R {
        /// Has the thread be who it was, and keeps who the task is.
        struct Back<'a> {
            task: &'a mut Identity,
            thread: Identity,
            was_task: bool,
        }
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                let clock = std::mem::take(&mut self.thread.clock);
                (self.task.clock, self.task.epoch) = order::exchange(clock, self.thread.epoch);
                PARTY.set(self.thread.party);
                IS_TASK.set(self.was_task);
                TEST.set(self.thread.test);
            }
        }
        let thread = party();
        let (clock, epoch) = order::exchange(std::mem::take(&mut self.clock), self.epoch);
        let back = Back {
            thread: Identity {
                party: thread,
                test: TEST.get(),
                clock,
                epoch,
            },
            was_task: IS_TASK.replace(true),
            task: self,
        };
        PARTY.set(back.task.party);
        if back.task.test.is_some() {
            TEST.set(back.task.test);
        }
        poll()
    }
}

/// As long as it lives, accesses of the calling thread are nobody's: they are ours, or those of the program's
/// allocator, which we may need.
#[derive(Debug)]
pub(super) struct Within(());

impl Drop for Within {
    fn drop(&mut self) {
        WITHIN.set(false);
    }
}

/// Begins it; none if it has begun already.
#[inline]
pub(super) fn within() -> Option<Within> {
    (!WITHIN.replace(true)).then(|| Within(()))
}

/// True if it has begun.
#[inline]
pub(super) fn is_within() -> bool {
    WITHIN.get()
}

/// Runs a part of the program of which nobody is to hear: its allocator.
#[inline]
pub fn unheard<R>(run: impl FnOnce() -> R) -> R {
    let _within = within();
    run()
}
