//! Explores: iteration after iteration, until a bug or the budget's end.

use std::time::{Duration, Instant};

use super::distinct::Distinct;
use super::process::private_board;
use super::replay::{self, head_of};
use super::surroundings::Surroundings;
use crate::config::{Resolved, Settings};
use crate::engine::{Engine, Order, Plan, Replay, Tape};
use crate::operation::Operation;
use crate::strategy::{self, Beginning, Rng, Strategy};
use crate::trace::{Schedule, Step, Trace};
use crate::verdict::{Bug, BugKind, Verdict};
use crate::wire::{Counters, Divergence, Event, Found, Started};

/// What the wall clock shows when an iteration begins: the same in every process, and later than the times
/// of files. The first second of 2030, in nanoseconds since the Unix epoch.
const WALL_CLOCK: u64 = 1_893_456_000_000_000_000;
/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Explores in this process, for benchmarks and for custom harnesses; panics when a bug is found.
///
/// The body runs on controlled workers. Threads and locks must be those of cct-shims, since nothing was
/// rebuilt.
pub fn explore(settings: &Settings, body: impl Fn()) -> Counters {
    // SAFETY: the board is private and stays mapped.
    let tape = unsafe { Tape::on(private_board()) };
    let mut explorer = Explorer::new("main", settings.clone().resolve(), tape);
    let judged = || super::judge::judge(super::ShouldPanic::No, &body);
    let mut bug = None;
    let counters = explorer.explore(&judged, &mut |event| {
        if let Event::Found(found) = event {
            bug = Some(found);
        }
    });
    match bug {
        Some(found) => panic!("schedule {}: {:?}", found.iteration, found.bug),
        None => counters,
    }
}

/// Explores one test.
pub(super) struct Explorer {
    name: &'static str,
    settings: Resolved,
    surroundings: Surroundings,
    engine: Box<Engine>,
    portfolio: Vec<Member>,
    distinct: Distinct,
    counters: Counters,
    began: Instant,
}

/// A strategy of the portfolio, and what its schedules begin with.
struct Member {
    strategy: Box<dyn Strategy>,
    head: Schedule,
}

impl Explorer {
    /// An explorer of the test with this name.
    pub(super) fn new(name: &'static str, settings: Resolved, tape: Tape) -> Explorer {
        let surroundings = Surroundings::new();
        let members = settings.strategy.members().iter().map(|&member| Member {
            strategy: strategy::build(member),
            head: Schedule {
                max_steps: settings.max_steps,
                detached_steps: settings.detached_steps,
                wall_clock: WALL_CLOCK,
                strategy: member.to_string(),
                ..Schedule::default()
            },
        });
        Explorer {
            name,
            surroundings,
            engine: Engine::new(tape, &settings.atomic),
            portfolio: members.collect(),
            distinct: Distinct::new(),
            counters: Counters::default(),
            began: budget_clock(),
            settings,
        }
    }

    /// Where the engine is, for signal handlers.
    pub(super) fn engine(&mut self) -> *mut Engine {
        &raw mut *self.engine
    }

    /// Explores until a bug is found or the budget is used up; tells what happens as it goes.
    pub(super) fn explore(
        &mut self,
        body: &dyn Fn() -> Option<Bug>,
        tell: &mut dyn FnMut(Event),
    ) -> Counters {
        self.began = budget_clock();
        tell(Event::Started(self.started()));
        let mut told = Duration::ZERO;
        for iteration in 1..=self.settings.iterations {
            if iteration > 1 {
                // Before the next and not after the last, whose output may be asked for.
                self.surroundings.clean_up();
            }
            let verdict = self.iterate(iteration, body, tell);
            if let Verdict::Failed(bug) = verdict {
                let schedule = self.engine.tape().schedule();
                tell(Event::Found(Found {
                    iteration,
                    bug,
                    schedule,
                }));
                break;
            }
            if self.counters.sequential {
                break;
            }
            if iteration % 16 == 0 || self.counters.nanos < 1_000_000 {
                let elapsed = self.elapsed();
                if self.settings.time.is_some_and(|time| elapsed >= time) {
                    break;
                }
                if elapsed > told + TELL_EVERY {
                    told = elapsed;
                    tell(Event::Progress(self.counters.clone()));
                }
            }
        }
        self.elapsed();
        tell(Event::Finished(self.counters.clone()));
        self.counters.clone()
    }

    /// Runs one iteration; the first one twice, to see whether it does the same again.
    fn iterate(
        &mut self,
        iteration: u64,
        body: &dyn Fn() -> Option<Bug>,
        tell: &mut dyn FnMut(Event),
    ) -> Verdict {
        let index = iteration - 1;
        let count = self.portfolio.len() as u64;
        let member = &mut self.portfolio[(index % count) as usize];
        member.head.seed = strategy::derive(self.settings.seed, index);
        let mut rng = Rng::new(member.head.seed);
        member.head.yield_budget = 1 << (2 * rng.below(5));
        member.strategy.begin(&Beginning {
            seed: rng.bits(),
            longest: self.counters.longest as u32,
            fair_after: self.settings.max_steps / 2,
        });
        self.surroundings.restore(member.head.seed);
        let plan = Plan {
            iteration,
            head: &member.head,
            order: Order::Search(&mut *member.strategy),
            record: iteration == 1,
            name: self.name,
        };
        let end = self.engine.run(plan, body);
        let verdict = fail_on_unobserved(end.verdict, &self.engine, &self.settings);
        self.count(&verdict);
        if iteration == 1 {
            self.counters.sequential =
                self.engine.worker_total() == 1 && !self.engine.tape().has_choices();
            if !self.counters.sequential && !matches!(verdict, Verdict::Failed(_)) {
                self.check_first(body, tell);
            }
        }
        verdict
    }

    /// Repeats the schedule just run, and tells where it differs.
    fn check_first(&mut self, body: &dyn Fn() -> Option<Bug>, tell: &mut dyn FnMut(Event)) {
        let first = replay::trace_of(&mut self.engine, &self.surroundings);
        self.surroundings.clean_up();
        self.surroundings.restore(first.schedule.seed);
        let head = head_of(&first.schedule);
        let plan = Plan {
            iteration: 1,
            head: &head,
            order: Order::Replay(Replay::new(first.schedule.clone())),
            record: true,
            name: self.name,
        };
        let end = self.engine.run(plan, body);
        let second = replay::trace_of(&mut self.engine, &self.surroundings);
        let mut difference = first_difference(&first, &second);
        if let (Some(difference), Some(divergence)) = (&mut difference, end.divergence)
            && difference.step as usize == second.steps.len()
        {
            // It ended because it left the schedule: say how.
            difference.found = divergence.found;
        }
        if let Some(difference) = difference {
            tell(Event::Diverged(difference));
        }
    }

    fn count(&mut self, verdict: &Verdict) {
        let steps = u64::from(self.engine.step_count());
        let counters = &mut self.counters;
        counters.schedules += 1;
        counters.steps += steps;
        counters.switches += self.engine.switch_count();
        counters.cut_offs += u64::from(*verdict == Verdict::CutOff);
        counters.longest = counters.longest.max(steps);
        counters.workers = counters.workers.max(self.engine.worker_total());
        if self.engine.has_unobserved_panics() {
            for panic in self.engine.unobserved_panics() {
                let known = counters
                    .unobserved_panics
                    .iter()
                    .any(|other| other.site == panic.site);
                if !known && counters.unobserved_panics.len() < 10 {
                    counters.unobserved_panics.push(panic);
                }
            }
        }
        self.distinct.insert(self.engine.tape().fingerprint());
        counters.distinct = self.distinct.count();
    }

    fn elapsed(&mut self) -> Duration {
        let elapsed = self.began.elapsed();
        self.counters.nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        elapsed
    }

    fn started(&self) -> Started {
        let (statics, bytes) = self.surroundings.statics_extent();
        Started {
            seed: self.settings.seed,
            strategy: self.settings.strategy.to_string(),
            iterations: self.settings.iterations,
            statics: statics as u32,
            static_bytes: bytes as u64,
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the budget is spent in real time"
)]
fn budget_clock() -> Instant {
    Instant::now()
}

/// With the setting, a panic that nobody noticed makes a passed iteration a failed one.
pub(super) fn fail_on_unobserved(
    verdict: Verdict,
    engine: &Engine,
    settings: &Resolved,
) -> Verdict {
    if verdict != Verdict::Passed
        || !settings.fail_on_unobserved_panic
        || !engine.has_unobserved_panics()
    {
        return verdict;
    }
    let panic = engine.unobserved_panics().swap_remove(0);
    Verdict::Failed(Bug {
        kind: BugKind::UnobservedPanic,
        message: panic.message,
        site: panic.site,
        worker: Some(panic.worker),
        waits: Vec::new(),
    })
}

/// Where two executions of one schedule first differ.
fn first_difference(first: &Trace, second: &Trace) -> Option<Divergence> {
    let length = first.steps.len().max(second.steps.len());
    (0..length).find_map(|index| {
        let [expected, found] =
            [first, second].map(|trace| describe(trace, trace.steps.get(index)));
        (expected != found).then_some(Divergence {
            step: index as u32,
            expected,
            found,
        })
    })
}

fn describe(trace: &Trace, step: Option<&Step>) -> String {
    let Some(step) = step else {
        return "the end of the execution".to_owned();
    };
    let operation = Operation::from_code(step.operation).map_or("?", Operation::name);
    let object = step
        .object
        .map_or(String::new(), |object| format!(" of object {object}"));
    let site = &trace.sites[step.site as usize];
    format!("worker {}: {operation}{object} at {site}", step.worker)
}
