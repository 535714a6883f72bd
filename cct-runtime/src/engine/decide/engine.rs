//! The engine, and the one thread-local that leads to it.
//!
//! The engine is reached by raw pointer: its owner is suspended inside it while workers run, so a
//! reference to it must never live across a switch.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;

use super::alone::Alone;
use super::driver::Driver;
use super::onlooker::Aside;
use super::outside::{self, Allowance, Outside, begin_alone};
use super::overtime::Overtime;
use super::progress::Stall;
use super::vain::Vain;
use crate::claim::Exception;
use crate::config;
use crate::engine::observe::Observers;
use crate::engine::observe::debugged::Debugged;
use crate::engine::observe::races::{Aims, Races};
use crate::engine::observe::stops::Stops;
use crate::engine::observe::tape::Tape;
use crate::engine::state::budget::Budget;
use crate::engine::state::granularity::Granularity;
use crate::engine::state::iteration::{End, Iteration};
use crate::engine::state::process::Process;
use crate::engine::state::roster::Roster;
use crate::engine::state::tasks::Tasks;
use crate::engine::state::time::Time;
use crate::engine::switch::{Stack, on_stack};
use crate::memory::arena;
use crate::memory::c_locals::CLocals;
use crate::memory::hook_flag::HookFlag;
use crate::strategy::Limits;
use crate::trace::Schedule;
use crate::verdict::Verdict;

thread_local! {
    /// The engine while a controlled worker runs on this OS thread, else null.
    static ENGINE: Cell<*mut Engine> = const { Cell::new(null_mut()) };
}

/// The engine, if the caller is a controlled worker.
#[inline]
pub(crate) fn engine() -> *mut Engine {
    ENGINE.get()
}

/// Says that the code from here on is, or is not (null), that of a controlled worker.
#[inline]
pub(crate) fn set_engine(engine: *mut Engine) {
    ENGINE.set(engine);
}

/// The address of the thread-local, which the restore of thread-locals must leave alone.
pub(crate) fn engine_cell() -> (usize, usize) {
    ENGINE.with(|cell| (std::ptr::from_ref(cell) as usize, size_of_val(cell)))
}

/// Runs `f` as if the caller were not controlled: what it allocates outlives the iteration, and nothing
/// in it is a scheduling point. `f` must not wait for a controlled worker.
#[inline]
pub fn outside<R>(f: impl FnOnce() -> R) -> R {
    /// Puts the engine back also when `f` unwinds.
    struct Back(*mut Engine);
    impl Drop for Back {
        fn drop(&mut self) {
            set_engine(self.0);
        }
    }
    let engine = engine();
    let _back = Back(engine);
    set_engine(null_mut());
    // SAFETY: a set engine is live.
    if engine.is_null() || unsafe { !(*engine).process.has_other_stacks } {
        f()
    } else {
        // SAFETY: as above.
        unsafe { outside_of_any_stack(engine, f) }
    }
}

/// The rest of [`outside()`], in a program that may have stacks of its own.
///
/// # Safety
///
/// The engine is live, and has a current worker.
#[cold]
#[inline(never)]
unsafe fn outside_of_any_stack<R>(engine: *mut Engine, f: impl FnOnce() -> R) -> R {
    // SAFETY: the caller's.
    let (stack, spare) = unsafe {
        let engine = &*engine;
        ((*engine.roster.current).stack, engine.process.spare)
    };
    if stack.has_caller() {
        f()
    } else {
        on_spare_stack(spare, f)
    }
}

/// Runs `f` on the spare stack: the caller is on one of the program's own, with room for what the program
/// does.
#[cold]
#[inline(never)]
pub(crate) fn on_spare_stack<R>(spare: Stack, f: impl FnOnce() -> R) -> R {
    if spare.has_caller() {
        return f();
    }
    let (mut f, mut result) = (Some(f), None);
    let mut run = || {
        let f = f.take().expect("it runs once");
        result = Some(catch_unwind(AssertUnwindSafe(f)));
    };
    // SAFETY: nobody is on that stack, and `run` does not unwind.
    unsafe { on_stack(spare.base, &mut run) };
    let result = result.expect("it has run");
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Everything about the iteration under way, and what is kept from one to the next.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) budget: Budget,
    pub(crate) roster: Roster,
    pub(crate) granularity: Granularity,
    pub(crate) observers: Observers,
    pub(crate) decision: Decision,
    pub(crate) time: Time,
    pub(crate) progress: Progress,
    pub(crate) tasks: Tasks,
    pub(crate) aside: Aside,
    pub(crate) outside: Outside,
    pub(crate) iteration: Iteration,
    pub(crate) process: Process,
}

/// The decision: who makes it, why, and among how many.
#[derive(Debug)]
pub(crate) struct Decision {
    pub(crate) driver: Driver,
    /// All that the next decision has to do is to pick somebody, if nobody else says otherwise.
    pub(crate) is_plain: bool,
    /// Why the current worker hands over.
    pub(crate) request: Request,
    pub(crate) yield_budget: u32,
    pub(crate) chain_count: u32,
    /// The strategy wants to know the chains of events.
    pub(crate) heeds_chains: bool,
    pub(crate) switches: u64,
    /// The worker that was left last could have gone on; kept where steps are recorded.
    pub(crate) preempts: bool,
    pub(crate) width: Width,
    /// All that decided besides the strategy.
    pub(crate) limits: Limits,
}

/// Why the current worker hands over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// It is at a scheduling point and could go on.
    Point,
    /// It is at a scheduling point and says, or shows, that it waits for others.
    Yield,
    /// It waits.
    Wait,
    /// It has nothing to do, and is no candidate: see [`crate::engine::task`].
    Idle,
    /// It has ended.
    End,
    /// The iteration is over: its end is set.
    Finish,
}

impl Decision {
    fn new() -> Decision {
        Decision {
            driver: Driver::Nobody,
            is_plain: false,
            request: Request::Point,
            yield_budget: 1,
            chain_count: 0,
            heeds_chains: false,
            switches: 0,
            preempts: false,
            width: Width::default(),
            limits: Limits::default(),
        }
    }

    fn begin(&mut self, head: &Schedule) {
        *self = Decision {
            yield_budget: head.yield_budget.max(1),
            ..Decision::new()
        };
    }
}

/// How many candidates there are, and how often there was more than one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Width {
    /// Whether there is more than one.
    pub(crate) is_choice_point: bool,
    /// The most candidates of one decision.
    pub(crate) widest: u32,
    /// How many steps had more than one candidate.
    pub(crate) choice_points: u64,
    /// The last step that this takes into account.
    counted: u32,
}

impl Width {
    /// So many steps have been made; those not counted yet had as many candidates as were noted last.
    #[inline]
    pub(crate) fn count_to(&mut self, steps: u32) {
        if self.is_choice_point {
            self.choice_points += u64::from(steps - self.counted);
        }
        self.counted = steps;
    }

    /// Steps up to this one are counted, whatever they were.
    #[inline]
    pub(crate) fn skip_to(&mut self, steps: u32) {
        self.counted = steps;
    }

    /// From here on there are so many candidates.
    #[inline]
    pub(crate) fn note(&mut self, candidates: usize) {
        self.is_choice_point = candidates > 1;
        self.widest = self.widest.max(candidates as u32);
    }
}

/// Whether anything happens, and what is done where nothing does.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    pub(crate) stall: Stall,
    pub(crate) alone: Alone,
    pub(crate) vain: Vain,
    pub(crate) overtime: Overtime,
    /// The descriptors of files that were read in the iteration are below this one.
    pub(crate) files: i32,
    /// The step at which nobody could run, last.
    pub(crate) quiet_at: u32,
}

impl Progress {
    /// Something has changed that no look at workers and memory shows.
    pub(crate) fn forget(&mut self) {
        self.stall.forget();
        self.overtime.is_broken = true;
    }

    fn begin(&mut self) {
        let Progress {
            stall,
            alone,
            vain,
            overtime,
            files,
            quiet_at,
        } = self;
        *stall = Stall::default();
        *alone = Alone::default();
        vain.begin();
        overtime.begin();
        *files = 0;
        *quiet_at = 0;
    }
}

impl Engine {
    /// An engine that records to the given tape; about 2 MB, for the rest of the process.
    pub(crate) fn new(tape: Tape, granularity: Granularity, allowance: Allowance) -> Box<Engine> {
        outside::reset();
        Box::new(Engine {
            budget: Budget::default(),
            roster: Roster::default(),
            granularity,
            observers: Observers::new(tape),
            decision: Decision::new(),
            time: Time::default(),
            progress: Progress::default(),
            tasks: Tasks::default(),
            aside: Aside::default(),
            outside: Outside::new(allowance),
            iteration: Iteration::default(),
            process: Process::new(),
        })
    }

    /// Prepares for the next iteration, whose stacks begin with `main`; what the last one left in the arena
    /// is forgotten, not dropped.
    pub(crate) fn begin(&mut self, number: u64, head: &Schedule, main: extern "C" fn() -> !) {
        let Engine {
            budget,
            roster,
            granularity,
            // Observers begin when it is known which there are.
            observers: _,
            decision,
            time,
            progress,
            tasks,
            aside,
            outside,
            iteration,
            process,
        } = self;
        *budget = Budget::of(head.max_steps, head.detached_steps);
        roster.begin();
        granularity.begin(head.coarse);
        decision.begin(head);
        time.begin(head);
        progress.begin();
        tasks.begin();
        aside.begin(head);
        outside.begin();
        iteration.begin(number, head);
        process.begin(main);
    }

    /// From here on the outside is waited for like this.
    pub(crate) fn set_allowance(&mut self, allowance: Allowance) {
        self.outside.allowance = allowance;
    }

    /// From here on these operations on counts of references are steps.
    pub(crate) fn set_counts(&mut self, which: config::Counts) {
        self.granularity.counts.which = which;
    }

    /// From here on these accesses to memory are looked at, also to these statics; and memory may be weak, or
    /// not.
    pub(crate) fn keep_order(
        &mut self,
        aims: Aims,
        statics: impl FnOnce() -> Vec<(usize, usize)>,
        may_be_weak: bool,
    ) {
        let wanted = (aims.at_memory || may_be_weak).then_some(aims);
        let had = self.observers.races.as_ref().map(|races| races.aims);
        if had != wanted {
            let statics = if aims.at_memory {
                statics()
            } else {
                Vec::new()
            };
            let stacks = self.process.stacks.extent();
            let races = wanted.and_then(|aims| Races::new(statics, stacks, aims));
            self.observers.races = races.map(Box::new);
        }
    }

    /// The engine goes on in a copy of its process, which has one thread, and has made no iteration.
    pub(crate) fn begin_in_copy(&mut self) {
        begin_alone();
        self.process.stacks.begin_unused();
    }

    /// The process is under a debugger, which is to see the workers.
    pub(crate) fn be_debugged(&mut self) {
        let (cell, _) = engine_cell();
        self.observers.debugged = Some(Box::new(Debugged::new(cell)));
    }

    /// The next iterations, which are recorded, stop before the steps with these numbers.
    pub(crate) fn stop_before(&mut self, steps: Vec<u32>) {
        self.observers.stops = (!steps.is_empty()).then(|| Box::new(Stops::new(steps)));
    }

    /// Statics are at these places, with these sizes.
    pub(crate) fn look_at(&mut self, statics: Vec<(usize, usize)>) {
        self.process.statics = statics;
    }

    /// Gives each worker thread-locals of its own where C code has some.
    pub(crate) fn exchange(&mut self, c_locals: CLocals) {
        self.process.c_locals = c_locals;
    }

    /// Where std marks that a panic hook runs, if that is known.
    pub(crate) fn know_hook_flag(&mut self, flag: Option<HookFlag>) {
        self.process.hook_flag = flag;
    }

    /// The number of steps so far.
    #[inline]
    pub(crate) fn steps(&self) -> u32 {
        self.budget.steps()
    }

    /// Ends the iteration at the next hand-over.
    pub(crate) fn finish(&mut self, end: End) {
        self.leave_allocator();
        self.attend();
        if let Verdict::Failed(bug) = &end.verdict {
            let message = bug.message.as_ptr().cast_mut();
            debug_assert!(!arena::contains(message), "a bug outlives its iteration");
            if let Some(race) = &bug.race {
                self.observers.tape.note_race(race.address);
            }
        }
        self.iteration.end.get_or_insert(end);
        self.decision.request = Request::Finish;
    }

    /// A claim about all schedules leaves this out.
    #[inline]
    pub(crate) fn leave_out(&mut self, exception: Exception) {
        self.iteration.left_out.add(exception);
    }
}
