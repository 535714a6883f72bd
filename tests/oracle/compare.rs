//! Compares what the engine's strategies see of a program with what the oracle says.

use std::collections::BTreeSet;
use std::fmt;

use cct::config::{self, Settings};
use cct::harness::{Explorer, Seen};
use cct::operation::Operation;
use cct::strategy::{Limits, Spec};
use cct::verdict::{BugKind, Verdict};
use cct::wire::Counters;

use crate::enumerate::{Timeouts, Traces, outcomes, traces};
use crate::execute;
use crate::outcome::Outcome;
use crate::program::{Op, Program, any};

/// Strategies that make every schedule, if they come to their end.
pub(crate) const ENUMERATING: [&str; 5] = [
    "dfs",
    "graph-random",
    "graph-weighted",
    "preemption:100",
    "delay-iterative:1000",
];
/// Strategies that make some.
pub(crate) const CHANCE: [&str; 7] = [
    "random",
    "sticky:5",
    "pct:3",
    "pos",
    "surw",
    "rff",
    "q-learning",
];
/// The default portfolio: strategies by chance, which end early when all has been seen.
pub(crate) const DEFAULT: &str = "portfolio";
/// How many states the oracle goes through, at most.
const STATES: usize = 60_000;
/// How many schedules strategies by chance have.
const TRIES: u64 = 30;
/// How many those have that may end early.
const TRIES_BY_DEFAULT: u64 = 200;

/// Where the engine and the oracle differ.
#[derive(Clone, Debug)]
pub(crate) struct Divergence {
    pub(crate) program: Program,
    pub(crate) strategy: &'static str,
    pub(crate) difference: Difference,
}

/// How they differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct Difference {
    pub(crate) missing: Vec<Outcome>,
    pub(crate) too_many: Vec<Outcome>,
    /// More schedules than there are traces; how many of each.
    pub(crate) repeated: Option<(usize, usize)>,
    pub(crate) says: Option<String>,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    pub(crate) executions: u64,
    pub(crate) outcomes: usize,
    pub(crate) traces: usize,
    /// Too large for the oracle, or for the engine.
    pub(crate) is_too_large: bool,
    pub(crate) divergences: Vec<Divergence>,
    /// Searches by default that said that nothing is left.
    pub(crate) ended_early: u64,
}

/// The outcomes that a strategy saw.
struct Space {
    outcomes: BTreeSet<Outcome>,
    /// How many schedules were made that were not given up, and how many are different ones.
    made: usize,
    different: usize,
    counters: Counters,
}

/// Compares the program by these strategies; `most` is how many schedules each may make.
pub(crate) fn compare(
    explorer: &mut Explorer,
    program: &Program,
    rule: Timeouts,
    strategies: &[&'static str],
    most: u64,
) -> Compared {
    let mut compared = Compared::default();
    let Some(wanted) = outcomes(program, rule, STATES) else {
        compared.is_too_large = true;
        return compared;
    };
    compared.outcomes = wanted.len();
    for &strategy in strategies {
        let is_default = strategy == DEFAULT;
        let is_chance = is_default || CHANCE.contains(&strategy);
        let budget = match (is_default, is_chance) {
            (true, _) => TRIES_BY_DEFAULT,
            (_, true) => TRIES,
            _ => most,
        };
        let space = survey(explorer, program, rule, strategy, budget);
        compared.ended_early += u64::from(is_default && space.counters.exhausted);
        compared.executions += space.counters.schedules;
        let mut difference = Difference {
            too_many: space.outcomes.difference(&wanted).cloned().collect(),
            ..Difference::default()
        };
        let limits = space.counters.limits;
        if !is_chance {
            compared.is_too_large |= !space.counters.exhausted;
        }
        let is_dpor = strategy == "dpor";
        let only_time = Limits {
            time: false,
            ..limits
        };
        let claims_all =
            space.counters.exhausted && only_time == Limits::default() && !(is_dpor && limits.time);
        if is_default && space.counters.exhausted && only_time != Limits::default() {
            difference.says = Some(format!("ends early with limits: {only_time:?}"));
        }
        if (is_default || !is_chance) && claims_all {
            difference.missing = wanted.difference(&space.outcomes).cloned().collect();
        }
        // A task that wakes itself gives way, and so does a future that is polled again in vain.
        let yields = |op: &Op| matches!(op, Op::Yield | Op::BlockOn(_));
        let yields = program.threads.iter().any(|ops| any(ops, &yields));
        if !is_chance && !yields && space.counters.exhausted && only_time != Limits::default() {
            difference.says = Some(format!("limits of its own: {only_time:?}"));
        }
        if is_dpor && !limits.time {
            let count = traces(program, rule, STATES);
            // Which step closes a circle is a behaviour, and what it cuts short has no place in it.
            if count != Traces::Circle && space.made != space.different {
                difference.repeated = Some((space.made, space.different));
            }
            // Tasks give each other turns, and all that wait for time look at the clock: the order of these
            // is a behaviour although it makes no difference here.
            let has_tasks = |op: &Op| matches!(op, Op::BlockOn(_) | Op::RunTasks(_));
            let has_tasks = program.threads.iter().any(|ops| any(ops, &has_tasks));
            let is_exact = !has_tasks && rule == Timeouts::Late;
            if let Traces::Are(count) = count
                && is_exact
            {
                compared.traces += count;
                if space.made > count {
                    difference.repeated = Some((space.made, count));
                }
            }
        }
        if difference.is_none() {
            continue;
        }
        compared.divergences.push(Divergence {
            program: program.clone(),
            strategy,
            difference,
        });
    }
    compared
}

/// The smallest program found by leaving out operations for which the strategy still differs.
pub(crate) fn minimise(
    explorer: &mut Explorer,
    divergence: Divergence,
    rule: Timeouts,
    most: u64,
) -> Divergence {
    let mut smallest = divergence;
    loop {
        let smaller = crate::minimise::smaller(&smallest.program);
        let found = smaller.into_iter().find_map(|program| {
            let strategies = [smallest.strategy];
            let compared = compare(explorer, &program, rule, &strategies, most);
            compared
                .divergences
                .into_iter()
                .find(|other| other.difference.is_like(&smallest.difference))
        });
        match found {
            Some(other) => smallest = other,
            None => return smallest,
        }
    }
}

fn survey(
    explorer: &mut Explorer,
    program: &Program,
    rule: Timeouts,
    strategy: &'static str,
    most: u64,
) -> Space {
    let settings = settings(rule, most);
    let mut outcomes = BTreeSet::new();
    let mut behaviours = Vec::new();
    let mut see = |seen: &Seen| {
        if let Some(verdict) = &seen.verdict {
            outcomes.insert(outcome(program, verdict));
            behaviours.push(seen.behaviour);
        }
    };
    let spec = Spec::parse(strategy).expect("a strategy of ours");
    let body = || execute::run(program);
    let counters = if strategy == DEFAULT {
        explorer.survey_as_set(settings.resolve(), body, &mut see)
    } else {
        explorer.survey(settings.resolve(), spec.build(), body, &mut see)
    };
    let different: BTreeSet<u64> = behaviours.iter().copied().collect();
    Space {
        outcomes,
        made: behaviours.len(),
        different: different.len(),
        counters,
    }
}

/// The settings of a search of so many iterations.
pub(crate) fn settings(rule: Timeouts, iterations: u64) -> Settings {
    Settings {
        iterations: Some(iterations),
        seed: Some(1),
        timeouts: Some(match rule {
            Timeouts::Late => config::Timeouts::Late,
            Timeouts::Race => config::Timeouts::Race,
        }),
        ..Settings::default()
    }
}

fn outcome(program: &Program, verdict: &Verdict) -> Outcome {
    let threads = execute::seen(program);
    let atomics = execute::atomics();
    let thread_of = |worker: u32| execute::thread_of(worker).unwrap_or(usize::MAX);
    match verdict {
        Verdict::Passed => Outcome::Passed { threads, atomics },
        Verdict::Failed(bug) if bug.kind == BugKind::Panic => {
            Outcome::Panicked(threads[0].log.clone())
        }
        Verdict::Failed(bug) if bug.kind == BugKind::Deadlock => {
            // A future that a thread blocks on is the same one as the thread.
            let waits = bug.waits.iter().filter(|wait| wait.task.is_none());
            Outcome::Deadlock {
                waits: waits
                    .map(|wait| (thread_of(wait.worker), name_of(wait.operation)))
                    .collect(),
                threads,
                atomics,
            }
        }
        Verdict::Failed(bug) if bug.kind == BugKind::LockCycle => {
            let circle = bug.waits.iter().filter(|wait| wait.in_cycle);
            let members = circle.map(|wait| {
                let thread = thread_of(wait.worker);
                (thread, threads[thread].log.clone())
            });
            Outcome::Cycle(members.collect())
        }
        other => Outcome::Other(format!("{other:?}")),
    }
}

/// The oracle's name for an operation that waits.
fn name_of(operation: u8) -> &'static str {
    match Operation::from_code(operation) {
        Some(Operation::Lock) => "lock",
        Some(Operation::Read) => "read",
        Some(Operation::Write) => "write",
        Some(Operation::Wait | Operation::WaitTimeout) => "wait",
        Some(Operation::Park) => "park",
        Some(Operation::Send) => "send",
        Some(Operation::Recv | Operation::RecvTimeout) => "receive",
        Some(Operation::CallOnce | Operation::OnceWait) => "once",
        Some(Operation::BarrierWait) => "barrier",
        Some(Operation::Join) => "join",
        Some(Operation::ScopeEnd) => "scope",
        Some(Operation::Sleep) => "sleep",
        other => other.map_or("?", Operation::name),
    }
}

impl Difference {
    fn is_none(&self) -> bool {
        self.missing.is_empty()
            && self.too_many.is_empty()
            && self.repeated.is_none()
            && self.says.is_none()
    }

    /// True if it is of the same sort, so that one is not minimised into another.
    fn is_like(&self, other: &Difference) -> bool {
        (other.missing.is_empty() || !self.missing.is_empty())
            && (other.too_many.is_empty() || !self.too_many.is_empty())
            && (other.repeated.is_none() || self.repeated.is_some())
            && (other.says.is_none() || self.says.is_some())
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program)?;
        let Difference {
            missing,
            too_many,
            repeated,
            says,
        } = &self.difference;
        for (word, outcomes) in [("misses", missing), ("adds", too_many)] {
            for outcome in outcomes.iter().take(4) {
                writeln!(f, "  {} {word} {outcome}", self.strategy)?;
            }
            if outcomes.len() > 4 {
                writeln!(f, "  {} {word} {} more", self.strategy, outcomes.len() - 4)?;
            }
        }
        if let Some((made, count)) = repeated {
            writeln!(f, "  {} makes {made} schedules of {count}", self.strategy)?;
        }
        if let Some(says) = says {
            writeln!(f, "  {}: {says}", self.strategy)?;
        }
        Ok(())
    }
}
