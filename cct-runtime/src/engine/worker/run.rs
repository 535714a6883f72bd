//! One iteration: one execution of a test's body under the engine.

use std::borrow::Cow;
use std::panic::Location;

use super::ending::worker_main;
use super::signal::end_waiting;
use super::{controlled, hand_over, outside};
use crate::engine::decide::Engine;
use crate::engine::decide::driver::Driver;
use crate::engine::decide::engine::set_engine;
use crate::engine::decide::next;
use crate::engine::decide::outside::uncontrolled_threads_exist;
use crate::engine::decide::replay::Replay;
use crate::engine::observe::record::Recorder;
use crate::engine::state::iteration::End;
use crate::engine::switch::{FloatControl, SignalMask, switch};
use crate::memory::arena;
use crate::strategy::{Ending, IterationResult, Strategy, WorkerId};
use crate::trace::{Schedule, WorkerKind};
use crate::verdict::{Bug, Verdict};

/// The parameters of an iteration.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    /// Its number in this process, from 1.
    pub(crate) iteration: u64,
    /// Its seed, bounds and clock; runs and choices are not looked at.
    pub(crate) head: &'a Schedule,
    /// The driver that decides.
    pub(crate) order: Order<'a>,
    /// Whether each step is recorded, and with it the calls that led there.
    pub(crate) record: Record,
    /// Whether its happens-before hash is computed.
    pub(crate) classify: bool,
    /// The name of the test's thread.
    pub(crate) name: &'static str,
}

/// How much is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Record {
    /// The schedule.
    Schedule,
    /// Each step.
    Steps,
    /// Each step, and the calls that led to those in other code than the user's.
    Calls,
}

/// The driver of an iteration.
pub(crate) enum Order<'a> {
    /// A strategy, which has been told that the iteration begins.
    Search(&'a mut dyn Strategy),
    /// A schedule that is to be repeated.
    Replay(Replay),
}

impl std::fmt::Debug for Order<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if matches!(self, Order::Search(_)) {
            "Search"
        } else {
            "Replay"
        })
    }
}

impl Engine {
    /// Runs one iteration. `body` runs the test on the first worker; it returns the bug, if there is one.
    ///
    /// Workers that are still there at the end are cut off: their stacks are left as they are, nothing is
    /// unwound and no destructor runs.
    pub(crate) fn run(&mut self, plan: Plan<'_>, body: &dyn Fn() -> Option<Bug>) -> End {
        self.begin(plan.iteration, plan.head, worker_main);
        let with_calls = plan.record == Record::Calls;
        let records = plan.record != Record::Schedule;
        let recorder =
            records.then(|| Box::new(Recorder::with_capacity(plan.head.max_steps, with_calls)));
        arena::tell_blocks(with_calls);
        self.decision.driver = match plan.order {
            Order::Search(strategy) => {
                #[expect(
                    clippy::transmute_ptr_to_ptr,
                    reason = "a cast cannot extend the lifetime of a trait object"
                )]
                // SAFETY: only the lifetime changes; the driver is used during this call only.
                let strategy = unsafe {
                    std::mem::transmute::<*mut (dyn Strategy + '_), *mut dyn Strategy>(strategy)
                };
                Driver::Search(strategy)
            }
            Order::Replay(replay) => Driver::Replay(replay),
        };
        if let Some(races) = &mut self.observers.races {
            let makes_all = self.decision.driver.makes_every_order();
            races.begin(plan.head, makes_all);
            // Threads that nobody controls are made seldom, and stay.
            if plan.iteration.is_power_of_two() {
                races.has_outsiders = uncontrolled_threads_exist();
            }
        }
        self.decision.heeds_chains = self.decision.driver.heeds_chains();
        let asks = self.decision.driver.observes();
        self.observers.begin(recorder, asks, plan.classify);
        self.observers.tape.begin(plan.iteration, plan.head);
        let engine: *mut Engine = self;
        // SAFETY: only the lifetime changes; the first worker runs during this call only.
        let body: &'static dyn Fn() -> Option<Bug> = unsafe { std::mem::transmute(body) };
        self.iteration.body = Some(body);
        // SAFETY: `self` is not touched but through `engine` until the switch returns.
        unsafe {
            let name = Some(Cow::Borrowed(plan.name));
            // A function has no size, so the box takes no memory, which a worker could not give back.
            let first = Box::new(run_body);
            let worker = (*engine).add_thread(name, None, Location::caller(), first);
            let worker = worker.expect("there is a stack for the test's body");
            (*engine).roster.run(worker);
            (*engine).introduce(WorkerId(0), None, WorkerKind::Thread);
            (*engine).start(worker);
            let (floats, mask) = (FloatControl::now(), SignalMask::now());
            switch(engine, next::begin);
            floats.set();
            end_waiting(mask);
            set_engine(std::ptr::null_mut());
        }
        self.record_whereabouts(None);
        self.end_alone();
        self.end_overtime();
        let steps = self.steps();
        self.observers.tape.end(steps);
        self.tell_step();
        let end = self
            .iteration
            .end
            .take()
            .expect("an iteration ends for a reason");
        let result = match end.verdict {
            _ if end.abandoned => IterationResult::Abandoned,
            Verdict::Passed => IterationResult::Passed,
            Verdict::Failed(_) => IterationResult::Failed,
            Verdict::CutOff => IterationResult::CutOff,
        };
        self.decision.driver.tell_end(&Ending {
            result,
            steps,
            limits: self.decision.limits,
        });
        end
    }
}

/// The function of the first worker: runs the test's body, and ends the iteration if that found a bug.
fn run_body() {
    let (engine, on) = controlled();
    // SAFETY: the first worker is the current one, and the engine outlives the iteration.
    unsafe {
        let body = (*engine).iteration.body.expect("an iteration has a body");
        if let Some(bug) = body() {
            outside(|| (*engine).finish(End::failed(bug)));
            hand_over(engine, on);
        }
    }
}
