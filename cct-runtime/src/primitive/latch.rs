//! A value that is set once, and somebody who waits for it.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::SeqCst;
use std::task::Waker;

use super::futex;
use super::raw_lock::Guarded;
use crate::engine::{self, NEVER};
use crate::object::ObjectId;
use crate::operation::Operation;

/// The latch without its value, which is kept by who calls.
pub struct LatchMachine {
    state: Guarded<State>,
    /// Native threads sleep on it.
    end: AtomicU32,
}

/// It is neither set nor given up.
const OPEN: u32 = 0;
/// The same, and a thread may sleep.
const AWAITED: u32 = 1;
/// It is set or given up.
const OVER: u32 = 2;

#[derive(Default)]
struct State {
    is_set: bool,
    is_given_up: bool,
    waker: Option<Waker>,
}

impl LatchMachine {
    /// A latch that is not set.
    #[expect(clippy::new_without_default, reason = "like the other machines")]
    pub fn new() -> LatchMachine {
        LatchMachine {
            state: Guarded::default(),
            end: AtomicU32::new(OPEN),
        }
    }

    /// Sets it, in a step of its own, and calls `store`; false if it was set or given up before, or others do
    /// not hear of who calls any more.
    pub fn set(&self, site: &'static Location<'static>, store: &mut dyn FnMut()) -> bool {
        engine::point_at(Operation::Send, self.object(), site).done();
        if engine::is_severed() {
            return false;
        }
        let (is_first, waker) = self.state.with(|state| {
            let is_first = !state.is_set && !state.is_given_up;
            if is_first {
                engine::unseen(store);
                state.is_set = true;
                engine::release(self.object());
            }
            (is_first, state.waker.take())
        });
        self.announce(waker);
        is_first
    }

    /// Nobody will set it from here on.
    pub fn give_up(&self, site: &'static Location<'static>) {
        if self.is_over() || self.state.with(|state| state.is_set || state.is_given_up) {
            return;
        }
        engine::point_at(Operation::Disconnect, self.object(), site).done();
        engine::release(self.object());
        let waker = self.state.with(|state| {
            state.is_given_up = true;
            state.waker.take()
        });
        self.announce(waker);
    }

    /// Calls `take` and returns true if it is set, returns false if it was given up, and none if neither has
    /// happened; then the waker is woken by it. A step of its own.
    pub fn poll(
        &self,
        site: &'static Location<'static>,
        waker: &Waker,
        take: &mut dyn FnMut(),
    ) -> Option<bool> {
        let step = engine::point_at(Operation::TryRecv, self.object(), site);
        engine::release_one(self.object(), WAKER);
        // Nobody needs the waker of one that has its answer.
        let end = (self.is_over())
            .then(|| self.state.with(|state| look(state, take)))
            .flatten();
        let end = end.or_else(|| {
            // It is cloned, and the one before dropped, where the lock is not held: that runs code of others.
            let waker = waker.clone();
            let (end, _last) = self.state.with(|state| match look(state, take) {
                None => (None, state.waker.replace(waker)),
                end => (end, Some(waker)),
            });
            end
        });
        match end {
            Some(_) => {
                engine::acquire(self.object());
                step.succeeded();
            }
            None => step.refused(None),
        }
        end
    }

    /// Waits until it is set or given up; calls `take` and returns true in the first case.
    pub fn wait(&self, site: &'static Location<'static>, take: &mut dyn FnMut()) -> bool {
        if self.is_over() {
            engine::point_at(Operation::Recv, self.object(), site).done();
        } else {
            engine::declare_wait();
        }
        loop {
            if let Some(is_set) = self.state.with(|state| look(state, take)) {
                engine::acquire(self.object());
                return is_set;
            }
            if engine::is_controlled() {
                engine::wait_at(Operation::Recv, self.object(), NEVER, None, site);
            } else {
                let slept = self.end.compare_exchange(OPEN, AWAITED, SeqCst, SeqCst);
                if slept != Err(OVER) {
                    futex::wait(&self.end, AWAITED, None);
                }
            }
        }
    }

    fn is_over(&self) -> bool {
        self.end.load(SeqCst) == OVER
    }

    fn announce(&self, waker: Option<Waker>) {
        let before = self.end.swap(OVER, SeqCst);
        if engine::is_controlled() {
            engine::wake_all(self.object());
        } else if before == AWAITED {
            futex::wake_all(&self.end);
        }
        if let Some(waker) = waker {
            engine::acquire_one(self.object(), WAKER);
            waker.wake();
        }
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }
}

/// The memory of a waker is ordered by this number.
const WAKER: u64 = 0;

/// How it ended, if it has.
fn look(state: &State, take: &mut dyn FnMut()) -> Option<bool> {
    if state.is_set {
        engine::unseen(take);
        Some(true)
    } else {
        state.is_given_up.then_some(false)
    }
}

impl fmt::Debug for LatchMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LatchMachine").finish_non_exhaustive()
    }
}
