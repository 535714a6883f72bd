//! Code that looks on: it runs on a worker, and is no part of the execution.
//!
//! Specifications run like this. Nothing in them is a scheduling point, so they are atomic, and
//! they leave no trace in the engine's record of the worker. Their allocations belong to the iteration, as
//! all others on workers do. The program's global allocator runs like this as well, but for where it has to
//! wait.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::conditions::Conditions;
use super::engine::{Engine, outside};
use super::heat::Heats;
use crate::claim::Exception;
use crate::engine::state::monitors::Registered;
use crate::strategy::Action;
use crate::trace::{Schedule, Site};

/// The kinds of code that looks on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Onlooker {
    /// A monitor's handler; having to wait is a mistake in it.
    Monitor,
    /// A condition; where it would have to wait it is not evaluated.
    Condition,
    /// The program's global allocator, which may have to wait.
    Allocator,
}

/// The code that looks on now, and all specifications.
#[derive(Debug, Default)]
pub(crate) struct Aside {
    /// Set while code runs on the current worker that is no part of the execution.
    onlooker: Option<Onlooker>,
    /// State that is put back when the allocator's section is over.
    before_allocator: Option<Before>,
    pub(crate) monitors: Vec<Registered>,
    pub(crate) conditions: Conditions,
    pub(crate) heats: Heats,
}

/// The engine's knowledge from before the program's allocator was entered.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Before {
    idle: u32,
    keeps_values: bool,
    is_coarse: bool,
    is_watched: bool,
    in_atomic_call: bool,
    action: Action,
}

impl Aside {
    /// A new iteration begins; what the last one left in the arena is forgotten, not dropped.
    pub(crate) fn begin(&mut self, head: &Schedule) {
        let Aside {
            onlooker,
            before_allocator,
            monitors,
            conditions,
            heats,
        } = self;
        *onlooker = None;
        *before_allocator = None;
        monitors.drain(..).for_each(std::mem::forget);
        conditions.begin();
        heats.begin(head.fair_from, head.temperature);
    }

    /// Returns the kind of code that looks on, if some does.
    #[inline]
    pub(crate) fn onlooker(&self) -> Option<Onlooker> {
        self.onlooker
    }
}

/// Why code that looked on did not come to its end.
#[derive(Debug)]
pub(crate) enum Interruption {
    /// It panicked, saying this, there.
    Panicked(String, Option<Site>),
    /// It would have had to wait.
    Waits,
}

/// The payload of a condition that would have to wait, and unwinds.
pub(crate) struct Waits;

/// Runs `f` on the current worker, aside.
///
/// # Safety
///
/// The engine is live and set, and the caller runs on its current worker's stack.
pub(crate) unsafe fn aside<R>(
    engine: *mut Engine,
    onlooker: Onlooker,
    f: impl FnOnce() -> R,
) -> Result<R, Interruption> {
    // SAFETY: the caller's; no reference is kept while `f` runs.
    unsafe {
        // Points in `f` now take the slow path, which knows of onlookers.
        (*engine).budget.burn();
        let worker = (*engine).roster.current;
        let thread = (*worker).thread;
        let (action, panics) = ((*worker).action(), (*thread).panics);
        let (idle, keeps_values) = ((*engine).budget.idle, (*engine).observers.keeps_values);
        let before = (*engine).aside.onlooker.replace(onlooker);
        (*engine).observers.keeps_values = false;
        let result = catch_unwind(AssertUnwindSafe(f));
        (*engine).aside.onlooker = before;
        (*engine).observers.keeps_values = keeps_values;
        (*engine).budget.idle = idle;
        (*worker).set_action(action);
        (*thread).panics = panics;
        result.map_err(|payload| {
            if payload.is::<Waits>() {
                return Interruption::Waits;
            }
            let panics = &(*engine).iteration.panics;
            let panic = (*thread).last_panic.and_then(|id| panics.get(id));
            let panic = panic.expect("the hook saw the panic");
            outside(|| Interruption::Panicked(panic.message.clone(), panic.site.clone()))
        })
    }
}

/// The section of the program's global allocator. Its operations are no steps, and leave no
/// trace in the engine's record of the worker.
impl Engine {
    /// The current worker, where nobody looks on, is in the allocator from here on.
    #[inline]
    pub(crate) fn enter_allocator(&mut self) {
        // SAFETY: the current worker is live.
        let worker = unsafe { &*self.roster.current };
        self.aside.before_allocator = Some(Before {
            idle: self.budget.idle,
            keeps_values: self.observers.keeps_values,
            is_coarse: self.granularity.is_on,
            is_watched: self.observers.watch.is_on,
            in_atomic_call: worker.in_atomic_call,
            action: worker.action(),
        });
        self.budget.withhold();
        self.observers.keeps_values = false;
        self.granularity.is_on = false;
        self.observers.watch.is_on = false;
        self.aside.onlooker = Some(Onlooker::Allocator);
        self.iteration.left_out.add(Exception::Allocators);
    }

    /// The current worker is not in the allocator any more, or others are going to run. False if it was not.
    #[inline]
    pub(crate) fn leave_allocator(&mut self) -> bool {
        if self.aside.onlooker != Some(Onlooker::Allocator) {
            return false;
        }
        let before = self.aside.before_allocator.take();
        let before = before.expect("an allocator that looks on was entered");
        self.aside.onlooker = None;
        self.budget.give_back();
        self.budget.idle = before.idle;
        self.observers.keeps_values = before.keeps_values;
        self.granularity.is_on = before.is_coarse;
        self.observers.watch.is_on = before.is_watched;
        // SAFETY: the current worker is live.
        let worker = unsafe { &mut *self.roster.current };
        worker.in_atomic_call = before.in_atomic_call;
        worker.set_action(before.action);
        true
    }
}
