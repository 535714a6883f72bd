//! The machine of `Once`, `OnceLock` and `LazyLock`.
//!
//! A completed one never changes again (but through `&mut`), so a read of it commutes with every later
//! operation: it is no scheduling point and costs one load. Only a call that finds it incomplete declares an
//! operation, and then reads again. Observers are told of [each read](engine::read) as of a step.

use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

use super::update::Update as _;
use super::{futex, owner};
use crate::engine::{self, NEVER, WorkerId};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// Whether an initialiser has run, and who runs it.
#[derive(Debug)]
pub struct OnceMachine {
    /// One of the codes below or the code of who runs it, and two flags.
    state: AtomicU32,
}

const INCOMPLETE: u32 = 0;
// 1 is `owner::NATIVE`: it runs outside the engine.
const POISONED: u32 = 2;
const COMPLETE: u32 = 3;
/// A worker waits.
const WORKER_WAITS: u32 = 1 << 31;
/// A native thread waits.
const NATIVE_WAITS: u32 = 1 << 30;
const WAITS: u32 = WORKER_WAITS | NATIVE_WAITS;
/// The mark of workers that a panic does not concern.
const UNTIL_COMPLETE: u64 = 1;

/// The ways to treat an initialiser that panicked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnPoison {
    /// Panic too, and say that an instance of this is poisoned.
    Panic(&'static str),
    /// Go on as if it had not been run.
    Ignore,
}

impl OnceMachine {
    /// Nothing has run.
    #[expect(
        clippy::new_without_default,
        reason = "machines live in statics and need `const`"
    )]
    pub const fn new() -> OnceMachine {
        OnceMachine {
            state: AtomicU32::new(INCOMPLETE),
        }
    }

    /// An initialiser has run already.
    pub const fn completed() -> OnceMachine {
        OnceMachine {
            state: AtomicU32::new(COMPLETE),
        }
    }

    /// True when an initialiser has run; for who cannot be surprised by others.
    pub fn is_complete(&self) -> bool {
        let is_complete = self.state.load(Ordering::Acquire) == COMPLETE;
        if is_complete {
            engine::acquire(self.object());
        }
        is_complete
    }

    /// True when an initialiser has run; a scheduling point unless that is so already.
    #[track_caller]
    pub fn get(&self) -> bool {
        if self.is_complete() {
            engine::read(Operation::OnceGet, self.object(), Location::caller());
            return true;
        }
        if engine::is_controlled() {
            engine::point(Operation::OnceGet, self.object()).done();
        }
        self.is_complete()
    }

    /// Begins to run an initialiser, or waits for the one that runs; none when one has run.
    ///
    /// An initialiser that asks for itself waits forever.
    #[track_caller]
    pub fn begin(&self, on_poison: OnPoison) -> Option<Running<'_>> {
        let site = Location::caller();
        if self.is_complete() {
            engine::read(Operation::CallOnce, self.object(), site);
            None
        } else {
            self.begin_at(on_poison, site)
        }
    }

    /// Waits until an initialiser has run, whoever runs it.
    #[track_caller]
    pub fn wait(&self, on_poison: OnPoison) {
        let site = Location::caller();
        if self.is_complete() {
            engine::read(Operation::OnceWait, self.object(), site);
        }
        let mut is_declared = !engine::is_controlled();
        while !self.is_complete() {
            let is_poisoned = self.state.load(Ordering::Acquire) & !WAITS == POISONED;
            if let OnPoison::Panic(what) = on_poison
                && is_poisoned
            {
                if is_declared {
                    self.previously_poisoned(what);
                }
                // Another initialiser may come first, and complete it.
                engine::point_at(Operation::OnceWait, self.object(), site).done();
            } else {
                let mark = if on_poison == OnPoison::Ignore {
                    UNTIL_COMPLETE
                } else {
                    0
                };
                self.block(mark, site);
            }
            is_declared = true;
        }
    }

    #[track_caller]
    fn begin_at(
        &self,
        on_poison: OnPoison,
        site: &'static Location<'static>,
    ) -> Option<Running<'_>> {
        let me = engine::current();
        let mut is_declared = me.is_none();
        loop {
            let state = self.state.load(Ordering::Acquire);
            match state & !WAITS {
                COMPLETE => {
                    engine::acquire(self.object());
                    return None;
                }
                INCOMPLETE | POISONED if !is_declared => {
                    engine::point_at(Operation::CallOnce, self.object(), site).done();
                    is_declared = true;
                }
                before @ (INCOMPLETE | POISONED) => {
                    if let (POISONED, OnPoison::Panic(what)) = (before, on_poison) {
                        self.previously_poisoned(what);
                    }
                    let runner = me.map_or(owner::NATIVE, owner::code) | (state & WAITS);
                    let order = Ordering::Acquire;
                    if self
                        .state
                        .compare_exchange(state, runner, order, order)
                        .is_ok()
                    {
                        engine::touch(self.object(), Access::Writes);
                        engine::acquire(self.object());
                        if let Some(me) = me {
                            self.let_others_wait(me);
                        }
                        let was_poisoned = before == POISONED;
                        return Some(Running {
                            once: self,
                            site,
                            was_poisoned,
                            end: POISONED,
                        });
                    }
                }
                _ => {
                    self.block(0, site);
                    is_declared = true;
                }
            }
        }
    }

    /// Workers that were about to run an initialiser themselves wait for the one of this worker.
    fn let_others_wait(&self, me: WorkerId) {
        let call = engine::retract_those(Operation::CallOnce, self.object(), me);
        let wait = engine::retract_those(Operation::OnceWait, self.object(), me);
        engine::wait_for(Operation::OnceWait, self.object(), me);
        if call || wait {
            self.state.fetch_or(WORKER_WAITS, Ordering::Relaxed);
        }
    }

    /// Waits for the state to change from what it is now, unless it is complete.
    #[cold]
    fn block(&self, mark: u64, site: &'static Location<'static>) {
        let controlled = engine::is_controlled();
        let by_native = |state| state & !WAITS == owner::NATIVE;
        if controlled
            && by_native(self.state.load(Ordering::Relaxed))
            && futex::patience(&self.state, by_native)
        {
            return;
        }
        let flag = if controlled {
            WORKER_WAITS
        } else {
            NATIVE_WAITS
        };
        let order = Ordering::Acquire;
        let incomplete = |state| (state != COMPLETE).then_some(state | flag);
        let Ok(before) = self.state.replace_if(order, order, incomplete) else {
            return;
        };
        if controlled {
            let holder = owner::worker(before & !WAITS);
            let address = self.object();
            engine::wait_marked(Operation::OnceWait, address, NEVER, holder, mark, site);
        } else {
            futex::wait(&self.state, before | flag, None);
        }
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }

    #[cold]
    #[track_caller]
    fn previously_poisoned(&self, what: &str) -> ! {
        self.tell_of_panic();
        panic!("{what} instance has previously been poisoned")
    }

    /// The caller is going to panic since an initialiser did.
    #[cold]
    pub fn tell_of_panic(&self) {
        engine::told_at(self.object(), None);
    }
}

/// The right and the duty to run the initialiser; dropped without [`Running::complete`], it
/// poisons.
#[derive(Debug)]
#[must_use]
pub struct Running<'a> {
    once: &'a OnceMachine,
    site: &'static Location<'static>,
    was_poisoned: bool,
    /// The state that the end of the run leaves.
    end: u32,
}

impl Running<'_> {
    /// True when an earlier initialiser panicked.
    pub fn was_poisoned(&self) -> bool {
        self.was_poisoned
    }

    /// The initialiser has done its work.
    pub fn complete(mut self) {
        self.end = COMPLETE;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let once = self.once;
        if engine::is_controlled() {
            engine::point_at(Operation::OnceDone, once.object(), self.site).done();
            if self.end == POISONED {
                engine::leave_panic(once.object());
            }
        }
        engine::release(once.object());
        // A panic leaves those asleep whom it does not concern.
        let end = self.end;
        let next = |state| {
            Some(if end == COMPLETE {
                end
            } else {
                end | (state & WORKER_WAITS)
            })
        };
        let (order, read) = (Ordering::AcqRel, Ordering::Acquire);
        let before = once.state.replace_if(order, read, next).unwrap_or(end);
        if before & WORKER_WAITS != 0 {
            let is_complete = self.end == COMPLETE;
            let goes_on = |_, mark| is_complete || mark != UNTIL_COMPLETE;
            engine::wake_if(once.object(), goes_on);
            engine::wait_for(Operation::OnceWait, once.object(), None);
        }
        if before & NATIVE_WAITS != 0 {
            futex::wake_all(&once.state);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    use super::*;

    const PANIC: OnPoison = OnPoison::Panic("Once");

    fn state(once: &OnceMachine) -> u32 {
        once.state.load(Ordering::Relaxed)
    }

    #[test]
    fn one_initialiser_runs_and_no_other() {
        let once = OnceMachine::new();
        assert!(!once.get());
        let running = once.begin(PANIC).expect("nothing has run");
        assert_eq!(state(&once), owner::NATIVE);
        assert!(!running.was_poisoned() && !once.is_complete());
        running.complete();
        assert!(once.get() && once.begin(PANIC).is_none());
        once.wait(PANIC);
        assert!(OnceMachine::completed().get());
    }

    #[test]
    fn an_initialiser_that_panics_poisons() {
        let once = OnceMachine::new();
        drop(once.begin(PANIC));
        assert_eq!(state(&once), POISONED);
        let told = catch_unwind(AssertUnwindSafe(|| drop(once.begin(PANIC))));
        let told = told.expect_err("it is told");
        let told = told.downcast_ref::<String>().expect("a message");
        assert_eq!(told, "Once instance has previously been poisoned");
        assert!(catch_unwind(AssertUnwindSafe(|| once.wait(PANIC))).is_err());
        let again = once.begin(OnPoison::Ignore).expect("it runs again");
        assert!(again.was_poisoned());
        again.complete();
        assert_eq!(state(&once), COMPLETE);
        once.wait(PANIC);
    }

    #[test]
    fn the_flags_of_those_who_wait_outlive_the_beginning_and_not_the_end() {
        let once = OnceMachine::new();
        once.state.store(POISONED | WAITS, Ordering::Relaxed);
        let running = once.begin(OnPoison::Ignore).expect("it runs again");
        assert_eq!(state(&once), owner::NATIVE | WAITS);
        // A panic leaves those workers asleep whom it does not concern; threads look again.
        drop(running);
        assert_eq!(state(&once), POISONED | WORKER_WAITS);
        once.begin(OnPoison::Ignore)
            .expect("it runs again")
            .complete();
        assert_eq!(state(&once), COMPLETE);
    }

    #[test]
    fn a_thread_waits_for_the_one_that_runs() {
        let once = OnceMachine::new();
        let running = once.begin(PANIC).expect("nothing has run");
        thread::scope(|scope| {
            let caller = scope.spawn(|| once.begin(PANIC).is_none());
            let waiter = scope.spawn(|| once.wait(OnPoison::Ignore));
            while state(&once) & NATIVE_WAITS == 0 {
                thread::yield_now();
            }
            running.complete();
            assert!(caller.join().expect("no panic"), "there is nothing to run");
            waiter.join().expect("no panic");
        });
    }

    #[test]
    fn of_threads_that_begin_at_once_one_runs() {
        let once = OnceMachine::new();
        let runs = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    if let Some(running) = once.begin(PANIC) {
                        runs.fetch_add(1, Ordering::Relaxed);
                        thread::yield_now();
                        running.complete();
                    }
                    assert!(once.is_complete());
                });
            }
        });
        assert_eq!(runs.into_inner(), 1);
    }
}
