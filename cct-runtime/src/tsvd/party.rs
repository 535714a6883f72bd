//! Who accesses: threads, tasks, and the tests that made them.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::planner::Party;

/// Of no party is this number.
static LAST: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static PARTY: Cell<Party> = const { Cell::new(0) };
    static IS_TASK: Cell<bool> = const { Cell::new(false) };
    static THREAD: Cell<u32> = const { Cell::new(0) };
    static TEST: Cell<Option<&'static Test>> = const { Cell::new(None) };
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// A test that runs, or has run. Never freed.
#[derive(Debug)]
pub(super) struct Test {
    pub(super) name: String,
    /// From 1.
    pub(super) number: u32,
}

/// The running party, whatever its test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Who {
    pub(super) party: Party,
    pub(super) is_task: bool,
    /// The thread, if the party is a task that it polls; else the party.
    pub(super) thread: Party,
    pub(super) test: Option<&'static Test>,
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
        test: TEST.get(),
    }
}

/// Begins a test on this thread.
pub(super) fn begin_test(name: &str) {
    static TESTS: AtomicU32 = AtomicU32::new(0);
    let test = Test {
        name: name.to_owned(),
        number: TESTS.fetch_add(1, Relaxed) + 1,
    };
    TEST.set(Some(Box::leak(Box::new(test))));
    // A thread of the harness may run several tests.
    PARTY.set(0);
}

/// What a thread has of the one that makes it.
#[derive(Clone, Copy, Debug)]
pub struct Heritage(Option<&'static Test>);

/// What threads that the caller makes have of it.
#[must_use]
pub fn heritage() -> Heritage {
    Heritage(TEST.get())
}

impl Heritage {
    /// The calling thread has it.
    pub fn adopt(self) {
        TEST.set(self.0);
        super::memory::forget_stack();
    }
}

/// The identity of a task, with the first poll.
#[derive(Clone, Copy, Debug, Default)]
pub struct TaskParty(Party, Option<&'static Test>);

impl TaskParty {
    /// Polls in the name of the task.
    #[inline]
    pub fn poll<R>(&mut self, poll: impl FnOnce() -> R) -> R {
        if super::is_on() { self.poll_as(poll) } else { poll() }
    }

    fn poll_as<R>(&mut self, poll: impl FnOnce() -> R) -> R {
        /// Puts back who the thread was.
        struct Back(Party, bool, Option<&'static Test>);
        impl Drop for Back {
            fn drop(&mut self) {
                PARTY.set(self.0);
                IS_TASK.set(self.1);
                TEST.set(self.2);
            }
        }
        party();
        if self.0 == 0 {
            *self = TaskParty(LAST.fetch_add(1, Relaxed) + 1, TEST.get());
        }
        let _back = Back(
            PARTY.replace(self.0),
            IS_TASK.replace(true),
            TEST.replace(self.1.or(TEST.get())),
        );
        poll()
    }
}

/// Runs this unless it is called from within itself, on this thread: what looks at accesses makes some.
#[inline]
pub(super) fn once_within<R>(run: impl FnOnce() -> R) -> Option<R> {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            WITHIN.set(false);
        }
    }
    if WITHIN.replace(true) {
        return None;
    }
    let _leave = Leave;
    Some(run())
}
