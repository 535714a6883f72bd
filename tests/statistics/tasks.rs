//! DPOR where tasks are, against brute force and against chance: it sees the same ends.

use std::collections::BTreeSet;

use cct::harness::Explorer;
use cct::strategy::{Dpor, Limits, Random, Rng, Sticky, Strategy};

use crate::Claim;
use crate::dpor::{BruteForce, Space, space};
use crate::task_programs::{self, Executor, FAMILIES, Op, Program};

pub(crate) const CLAIMS: &[Claim] = &[
    (
        "dpor sees what brute force sees of tasks on one thread",
        on_one_thread,
    ),
    (
        "dpor sees what chance sees of tasks on two threads",
        on_two_threads,
    ),
    (
        "dpor finds each update that is lost across an await",
        lost_updates,
    ),
    (
        "rewriting removes nothing from what small tasks see",
        removes_nothing,
    ),
];

/// Brute force gives up beyond this many schedules, and the program is not looked at.
const FEASIBLE: u64 = 4_000;
/// How many programs of each family are drawn.
const PROGRAMS: u32 = 24;
/// DPOR is through before that where there is no brute force.
const MOST: u64 = 50_000;
/// The number of random schedules.
const TRIES: u64 = 1_000;

/// The ends of a program that these strategies see.
fn see(
    explorer: &mut Explorer,
    strategy: Box<dyn Strategy>,
    schedules: u64,
    (executor, program): (Executor, &Program),
) -> Space {
    let body = || task_programs::run(executor, program);
    space(explorer, strategy, schedules, body, task_programs::seen)
}

fn on_one_thread(explorer: &mut Explorer) {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (_, ops) in FAMILIES {
        let mut rng = Rng::new(5);
        for _ in 0..PROGRAMS {
            let program = task_programs::draw(&mut rng, ops);
            let subject = (Executor::Local, &program);
            let all = see(explorer, Box::new(BruteForce::default()), FEASIBLE, subject);
            // Where yields count, neither is all there is.
            if !all.counters.exhausted || all.counters.limits != Limits::default() {
                continue;
            }
            let few = see(explorer, Box::new(Dpor::new()), FEASIBLE, subject);
            compared += 1;
            if !few.counters.is_proof() || few.ends != all.ends {
                wrong.push(format!("{program:?}: {}", difference(&few, &all)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > PROGRAMS, "{compared} are small enough");
}

/// Brute force is never through with these.
fn on_two_threads(explorer: &mut Explorer) {
    let programs = [
        [Op::Load(0), Op::Store(0)],
        [Op::Get, Op::Set],
        [Op::Notified, Op::Notify],
    ];
    for program in programs.map(|ops| ops.map(|op| vec![op]).to_vec()) {
        let subject = (Executor::Pool, &program);
        let few = see(explorer, Box::new(Dpor::new()), MOST, subject);
        assert!(few.counters.is_proof(), "{program:?}: {:?}", few.counters);
        let chances: [Box<dyn Strategy>; 2] =
            [Box::new(Random::default()), Box::new(Sticky::new(20))];
        for chance in chances {
            let some = see(explorer, chance, TRIES, subject);
            let is_right = some.ends.is_subset(&few.ends);
            assert!(is_right, "{program:?}: {}", difference(&few, &some));
        }
    }
}

fn difference(few: &Space, all: &Space) -> String {
    let only = |one: &Space, other: &Space| {
        let ends: BTreeSet<_> = one.ends.difference(&other.ends).cloned().collect();
        format!("{ends:?}")
    };
    format!(
        "{} of {} schedules, a proof: {}; misses {}, adds {}",
        few.counters.schedules,
        all.counters.schedules,
        few.counters.is_proof(),
        only(all, few),
        only(few, all)
    )
}

/// Each of two tasks of one thread reads a variable, awaits, and writes it, and nothing of the variable is
/// seen by the engine. One comes after the other, or both read first, and either writes last.
fn lost_updates(explorer: &mut Explorer) {
    let program = vec![vec![Op::Get, Op::Await, Op::Set]; 2];
    let seen = see(
        explorer,
        Box::new(Dpor::new()),
        MOST,
        (Executor::Local, &program),
    );
    assert!(seen.counters.is_proof());
    assert_eq!(seen.ends.len(), 4, "{:?}", seen.ends);
}

/// Small programs are enumerated as they are written; rewritten ones are searched until all of that has come.
fn removes_nothing(explorer: &mut Explorer) {
    let (mut wrong, mut compared, mut several) = (Vec::new(), 0, 0);
    // As they are written, tasks of one thread have no choice.
    for (executor, programs) in [(Executor::Local, 4), (Executor::Pool, PROGRAMS)] {
        for (family, ops) in FAMILIES {
            let mut rng = Rng::new(7);
            for _ in 0..programs {
                let program = task_programs::draw(&mut rng, ops);
                let written = see_as_written(explorer, executor, &program);
                let subject = (executor, &program);
                let mut rewritten = BTreeSet::new();
                let mut missing = written.clone();
                for number in 0..ROUNDS {
                    let chance: Box<dyn Strategy> = match number % 3 {
                        0 => Box::new(BruteForce::default()),
                        1 => Box::new(Random::default()),
                        _ => Box::new(Sticky::new(20)),
                    };
                    rewritten.extend(see(explorer, chance, TRIES, subject).ends);
                    missing = written.difference(&rewritten).cloned().collect();
                    if missing.is_empty() {
                        break;
                    }
                }
                compared += 1;
                several += u32::from(written.len() > 1);
                if !missing.is_empty() {
                    wrong.push(format!("{executor:?}, {family}, {program:?}: {missing:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(several > 24, "{several} of {compared} have a choice");
}

/// How often what is missing is looked for.
const ROUNDS: u32 = 12;

/// The ends that brute force and chance see of a program as it is written.
fn see_as_written(
    explorer: &mut Explorer,
    executor: Executor,
    program: &Program,
) -> BTreeSet<(Vec<u32>, String)> {
    let strategies: [Box<dyn Strategy>; 3] = [
        Box::new(BruteForce::default()),
        Box::new(Random::default()),
        Box::new(Sticky::new(20)),
    ];
    let body = || task_programs::run_as_written(executor, program);
    let spaces =
        strategies.map(|strategy| space(explorer, strategy, TRIES / 2, body, task_programs::seen));
    spaces.into_iter().flat_map(|space| space.ends).collect()
}
