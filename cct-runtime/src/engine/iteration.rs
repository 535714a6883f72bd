//! One iteration: one execution of a test's body under the engine.

use std::panic::Location;

use super::alone::Alone;
use super::clock;
use super::driver::Driver;
use super::fiber::{enter, hand_over};
use super::glances::Glances;
use super::panic::PanicId;
use super::prints;
use super::record::Recorder;
use super::replay::Replay;
use super::stall::Stall;
use super::state::{Engine, Request, engine, outside, set_engine};
use super::vain::Vain;
use crate::claim::{Exception, Exceptions};
use crate::strategy::{Ending, IterationResult, Limits, Rng, Strategy, WorkerId};
use crate::trace::{Schedule, WorkerKind};
use crate::verdict::{Bug, Verdict};
use crate::wire::{Divergence, Panic};

/// What an iteration is to be.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    /// Its number in this process, from 1.
    pub(crate) iteration: u64,
    /// Its seed, bounds and clock; runs and choices are not looked at.
    pub(crate) head: &'a Schedule,
    /// Who decides.
    pub(crate) order: Order<'a>,
    /// Whether each step is recorded, and with it the calls that led there.
    pub(crate) record: Record,
    /// Whether its behaviour is found out.
    pub(crate) classify: bool,
    /// The name of the test's thread.
    pub(crate) name: &'a str,
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

/// Who decides.
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

/// How an iteration ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct End {
    pub(crate) verdict: Verdict,
    /// Set when it left the schedule that it should repeat; the verdict then means nothing.
    pub(crate) divergence: Option<Divergence>,
    /// True when the strategy gave it up; the verdict then means nothing.
    pub(crate) abandoned: bool,
}

impl End {
    pub(super) fn of(verdict: Verdict) -> End {
        End {
            verdict,
            divergence: None,
            abandoned: false,
        }
    }

    pub(super) fn diverged(divergence: Divergence) -> End {
        End {
            verdict: Verdict::CutOff,
            divergence: Some(divergence),
            abandoned: false,
        }
    }

    pub(super) fn abandoned() -> End {
        End {
            abandoned: true,
            ..End::of(Verdict::CutOff)
        }
    }
}

impl Engine {
    /// Runs one iteration. `body` runs the test on the first worker; it returns the bug, if there is one.
    ///
    /// Workers that are still there at the end are cut off: their stacks are left as they are, nothing is
    /// unwound and no destructor runs.
    pub(crate) fn run(&mut self, plan: Plan<'_>, body: &dyn Fn() -> Option<Bug>) -> End {
        self.reset(plan.iteration, plan.head);
        let with_calls = plan.record == Record::Calls;
        let records = plan.record != Record::Schedule;
        self.recorder =
            records.then(|| Box::new(Recorder::with_capacity(plan.head.max_steps, with_calls)));
        self.driver = match plan.order {
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
        let asks = self.driver.observes();
        self.watch.begin(asks, plan.classify);
        self.keeps_values = records || self.watch.is_on;
        self.tape.begin(plan.iteration, plan.head);
        let engine: *mut Engine = self;
        // SAFETY: only the lifetime changes; the first worker runs during this call only.
        let body: &'static dyn Fn() -> Option<Bug> = unsafe { std::mem::transmute(body) };
        self.body = Some(body);
        // SAFETY: `self` is not touched but through `engine` until `enter` returns.
        unsafe {
            let name = Some(plan.name.to_owned());
            // A function has no size, so the box takes no memory, which a worker could not give back.
            let first = Box::new(run_body);
            let worker = (*engine).add_worker(name, None, Location::caller(), first);
            let worker = worker.expect("there is a stack for the test's body");
            (*engine).current = worker;
            (*engine).record_spawn(WorkerId(0), WorkerKind::Thread);
            (*engine).announce_created(WorkerId(0), None);
            enter(engine);
            set_engine(std::ptr::null_mut());
        }
        self.end_alone();
        self.end_overtime();
        let steps = self.steps();
        self.tape.end(steps);
        self.tell_step();
        let end = self.end.take().expect("an iteration ends for a reason");
        let result = match end.verdict {
            _ if end.abandoned => IterationResult::Abandoned,
            Verdict::Passed => IterationResult::Passed,
            Verdict::Failed(_) => IterationResult::Failed,
            Verdict::CutOff => IterationResult::CutOff,
        };
        self.driver.tell_end(&Ending {
            result,
            steps,
            limits: self.limits,
        });
        end
    }

    /// Prepares for the next iteration; what the last one left in the arena is forgotten, not dropped.
    fn reset(&mut self, iteration: u64, head: &Schedule) {
        self.fuse = 0;
        self.idle = 0;
        self.horizon = 0;
        self.quantum = 0;
        // SAFETY: workers live as long as the engine, whichever iteration they were of.
        unsafe { self.enabled.clear() };
        self.waiters.clear();
        self.contenders = 0;
        self.looks.clear();
        self.children.clear();
        self.glances = Glances::default();
        self.worker_count = 0;
        self.thread_count = 0;
        self.executors_have_clocks = false;
        self.last_queued = WorkerId(u32::MAX);
        self.tasks_in_queue = 0;
        self.released_tasks = 0;
        self.relays.clear();
        self.undisturbed = std::ptr::null_mut();
        self.idle_wakers.clear();
        self.stall = Stall::default();
        self.vain = Vain::default();
        self.request = Request::Point;
        self.onlooker = None;
        self.monitors.drain(..).for_each(std::mem::forget);
        self.granularity.begin(head.coarse);
        self.conditions.reset();
        self.heats.reset(head.fair_from, head.temperature);
        self.time = clock::start(head.seed);
        self.patience_ends = 0;
        self.next_deadline = u64::MAX;
        self.early.begin(head);
        self.wall_clock = head.wall_clock;
        self.iteration = iteration;
        self.runs += 1;
        self.limit = head.max_steps;
        self.bound = head.max_steps;
        self.alone = Alone::default();
        self.detached_steps = head.detached_steps;
        self.contested = false;
        self.yield_budget = head.yield_budget.max(1);
        self.body_done = false;
        self.end = None;
        self.value_rng = Rng::new(head.seed);
        std::mem::forget(self.hook.take());
        self.panics.clear();
        self.local_slots.clear();
        self.c_locals.begin();
        self.switches = 0;
        self.contested_steps = 0;
        self.counted = 0;
        self.widest = 0;
        self.chain_count = 0;
        self.limits = Limits::default();
        self.quiet_at = 0;
        self.left_out = Exceptions::NONE;
        self.prints_are_steps = prints::with_seed(head.seed);
        self.printing = [0; 2];
        self.state_hash = 0;
    }

    /// The number of steps of the iteration that ended.
    pub(crate) fn step_count(&self) -> u32 {
        self.steps()
    }

    /// The number of switches of the iteration that ended.
    pub(crate) fn switch_count(&self) -> u64 {
        self.switches
    }

    /// The number of steps with more than one candidate in the iteration that ended.
    pub(crate) fn contested_count(&self) -> u64 {
        self.contested_steps
    }

    /// The most candidates of one decision in the iteration that ended.
    pub(crate) fn width(&self) -> u32 {
        self.widest
    }

    /// What besides the strategy decided in the iteration that ended.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns what the iteration that ended could not see.
    pub(crate) fn left_out(&self) -> Exceptions {
        let mut left_out = self.left_out;
        if self.limits.yields || self.limits.stalls {
            left_out.add(Exception::Spinning);
        }
        if self.granularity.has_merged() {
            left_out.add(Exception::AtomicDependencies);
        }
        left_out
    }

    /// All up to here was done by a single worker.
    pub(super) fn forget_order(&mut self) {
        self.left_out = self.left_out.of_inputs();
        self.granularity.forget_merged();
    }

    /// The number of workers of the iteration that ended.
    pub(crate) fn worker_total(&self) -> u32 {
        self.worker_count as u32
    }

    /// The schedule of the iteration that ended.
    pub(crate) fn tape(&self) -> &super::tape::Tape {
        &self.tape
    }

    /// What was recorded of the iteration that ended.
    pub(crate) fn take_recorder(&mut self) -> Option<Box<Recorder>> {
        self.recorder.take()
    }

    /// The panics of the iteration that ended that no `join` noticed.
    pub(crate) fn unobserved_panics(&self) -> Vec<Panic> {
        // SAFETY: the engine's workers are live.
        let workers = self
            .live_workers()
            .iter()
            .map(|&worker| unsafe { &*worker });
        let unobserved = workers.filter(|worker| worker.panic_unobserved);
        unobserved
            .map(|worker| {
                let last = worker.last_panic.and_then(|id| self.panics.get(id));
                Panic {
                    worker: worker.id.0,
                    name: worker.name.clone(),
                    message: last.map_or_else(String::new, |panic| panic.message.clone()),
                    site: last.and_then(|panic| panic.site.clone()),
                }
            })
            .collect()
    }

    /// The first panic that no `join` noticed.
    pub(crate) fn unobserved_panic(&self) -> Option<PanicId> {
        // SAFETY: the engine's workers are live.
        let workers = self
            .live_workers()
            .iter()
            .map(|&worker| unsafe { &*worker });
        let mut unobserved = workers.filter(|worker| worker.panic_unobserved);
        unobserved.next()?.last_panic
    }

    /// What the current worker's last panic said.
    pub(crate) fn last_panic_message(&self) -> Option<String> {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let worker = unsafe { &*self.current };
        let panic = worker.last_panic.and_then(|id| self.panics.get(id));
        panic.map(|panic| panic.message.clone())
    }

    /// The worker whose stack's guard page contains this address: its stack is exhausted.
    pub(crate) fn worker_with_guard(&self, address: usize) -> Option<u32> {
        // SAFETY: the engine's workers are live.
        let workers = self
            .live_workers()
            .iter()
            .map(|&worker| unsafe { &*worker });
        let mut workers = workers.filter(|worker| worker.stack.guards(address));
        workers.next().map(|worker| worker.id.0)
    }

    /// The current worker, its name and the place of its last scheduling point.
    pub(crate) fn whereabouts(&self) -> (u32, Option<String>, crate::trace::Site) {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let worker = unsafe { &*self.current };
        (worker.id.0, worker.name.clone(), worker.site.into())
    }
}

/// What the first worker does: runs the test's body, and ends the iteration if that found a bug.
fn run_body() {
    let engine = engine();
    // SAFETY: the first worker is the current one, and the engine outlives the iteration.
    unsafe {
        let body = (*engine).body.expect("an iteration has a body");
        if let Some(bug) = body() {
            outside(|| (*engine).finish(End::of(Verdict::Failed(bug))));
            hand_over(engine);
        }
    }
}
