//! DPOR against brute force: the same behaviours, each by one schedule, and the same ends.

use std::collections::BTreeSet;
use std::sync::Arc;

use cct::config::Settings;
use cct::harness::{Explorer, Seen};
use cct::strategy::{
    Beginning, Candidates, Dpor, Enumerator, Limits, Pick, Rng, Strategy, WorkerId,
};
use cct::verdict::Verdict;
use cct::wire::Counters;
use cct_shims::std::sync::Mutex;
use cct_shims::std::sync::atomic::{AtomicU32, Ordering};
use cct_shims::std::thread;

use crate::Claim;
use crate::programs::{self, FAMILIES, Program};

pub(crate) const CLAIMS: &[Claim] = &[
    (
        "dpor sees what brute force sees, and each behaviour once",
        random_programs,
    ),
    (
        "dpor finds the deadlock of two philosophers once",
        philosophers,
    ),
    ("dpor finds both lost updates", lost_updates),
    (
        "dpor does not tell the ends of scoped threads apart",
        scopes,
    ),
    ("dpor says that spinning limits it", spinning),
];

/// All schedules, one after the other.
#[derive(Debug, Default)]
pub(crate) struct BruteForce {
    /// The pick, and the number of candidates.
    path: Vec<(u32, u32)>,
    depth: usize,
    is_exhausted: bool,
}

impl BruteForce {
    fn next(&mut self, of: u32) -> u32 {
        if self.depth == self.path.len() {
            self.path.push((0, of));
        }
        let (picked, known) = self.path[self.depth];
        assert_eq!(known, of, "a schedule did not repeat");
        self.depth += 1;
        picked
    }
}

impl Strategy for BruteForce {
    fn begin(&mut self, _beginning: &Beginning) {
        self.depth = 0;
    }
    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let mut workers: Vec<WorkerId> = (0..candidates.len()).map(|n| candidates.nth(n)).collect();
        workers.sort_unstable();
        let picked = self.next(candidates.len());
        Pick {
            worker: workers[picked as usize],
            quantum: 0,
        }
    }
    fn choose_index(&mut self, n: u32) -> u32 {
        self.next(n)
    }
    fn fair_from(&self) -> u32 {
        u32::MAX
    }
    fn end(&mut self, _ending: &cct::strategy::Ending) {
        while let Some((picked, of)) = self.path.pop() {
            if picked + 1 < of {
                self.path.push((picked + 1, of));
                return;
            }
        }
        self.is_exhausted = true;
    }
    fn enumerator(&self) -> Option<&dyn Enumerator> {
        Some(self)
    }
}

impl Enumerator for BruteForce {
    fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

/// The result of all schedules of a program.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) counters: Counters,
    /// How often each behaviour came.
    pub(crate) behaviours: Vec<u64>,
    /// The values that workers saw, and how it ended.
    pub(crate) ends: BTreeSet<(Vec<u32>, String)>,
    failures: u64,
}

pub(crate) fn space(
    explorer: &mut Explorer,
    strategy: Box<dyn Strategy>,
    schedules: u64,
    body: impl Fn(),
    values: fn() -> Vec<u32>,
) -> Space {
    let settings = Settings {
        iterations: Some(schedules),
        seed: Some(1),
        ..Settings::default()
    };
    let (mut behaviours, mut ends, mut failures) = (Vec::new(), BTreeSet::new(), 0);
    let mut see = |seen: &Seen| {
        if let Some(verdict) = &seen.verdict {
            behaviours.push(seen.behaviour);
            ends.insert((values(), describe(verdict)));
            failures += u64::from(matches!(verdict, Verdict::Failed(_)));
        }
    };
    let strategies = vec![("it".to_owned(), strategy)];
    let counters = explorer.survey(settings.resolve(), strategies, body, &mut see);
    Space {
        counters,
        behaviours,
        ends,
        failures,
    }
}

fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Failed(bug) => format!("{:?}", bug.kind),
        other => format!("{other:?}"),
    }
}

/// Brute force gives up beyond this many schedules, and the program is not looked at.
const FEASIBLE: u64 = 4000;

/// None if there are too many schedules; else what is wrong, if anything is.
fn compare(explorer: &mut Explorer, program: &Program) -> Option<Result<(), String>> {
    let (body, seen) = (|| programs::run(program), programs::seen);
    let all = space(
        explorer,
        Box::new(BruteForce::default()),
        FEASIBLE,
        body,
        seen,
    );
    // Where yields count, neither is all there is.
    if !all.counters.exhausted || all.counters.limits != Limits::default() {
        return None;
    }
    let few = space(explorer, Box::new(Dpor::new()), 4 * FEASIBLE, body, seen);
    let distinct = |behaviours: &[u64]| behaviours.iter().copied().collect::<BTreeSet<u64>>();
    let (wanted, found) = (distinct(&all.behaviours), distinct(&few.behaviours));
    let made = few.behaviours.len();
    let mut wrong = Vec::new();
    if !few.counters.exhausted {
        wrong.push("does not end".to_owned());
    }
    // A lock cycle ends a schedule while others could go on, or is part of a deadlock: one is as good.
    let is_cut = |(_, end): &&(Vec<u32>, String)| end == "LockCycle";
    let has_cycles = all.ends.iter().any(|end| is_cut(&end));
    let uncut = |space: &Space| -> BTreeSet<_> {
        let ends = space.ends.iter().filter(|end| !is_cut(end));
        ends.cloned().collect()
    };
    if uncut(&all) != uncut(&few) {
        let missed: Vec<_> = all.ends.difference(&few.ends).collect();
        wrong.push(format!("misses {missed:?}"));
    }
    if wanted != found && !has_cycles || found.len() != made {
        let (missed, new) = (
            wanted.difference(&found).count(),
            found.difference(&wanted).count(),
        );
        wrong.push(format!(
            "{} behaviours, {} made by {made} schedules, {missed} missed, {new} that are none",
            wanted.len(),
            found.len()
        ));
    }
    Some(if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{} schedules; {}",
            all.counters.schedules,
            wrong.join("; ")
        ))
    })
}

/// How many programs of each family are looked at.
const PROGRAMS: u32 = 40;

fn random_programs(explorer: &mut Explorer) {
    let mut wrong = Vec::new();
    for (family, ops) in FAMILIES {
        let mut rng = Rng::new(5);
        let mut compared = 0;
        for _ in 0..PROGRAMS {
            let program = programs::draw(&mut rng, ops);
            match compare(explorer, &program) {
                None => {}
                Some(Ok(())) => compared += 1,
                Some(Err(difference)) => wrong.push(format!("{program:?}: {difference}")),
            }
        }
        assert!(
            compared > PROGRAMS / 2,
            "{family}: {compared} are small enough"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Everything that can be said of a program whose numbers are known: behaviours, and those among them that
/// fail.
fn prove(explorer: &mut Explorer, body: fn()) -> (u64, u64) {
    let few = space(
        explorer,
        Box::new(Dpor::new()),
        100_000,
        body,
        programs::seen,
    );
    let distinct: BTreeSet<u64> = few.behaviours.iter().copied().collect();
    assert!(few.counters.exhausted && few.counters.limits == Limits::default());
    assert_eq!(distinct.len(), few.behaviours.len());
    (few.behaviours.len() as u64, few.failures)
}

/// Both philosophers eat in two orders; or each holds a fork, one deadlock however it comes about.
fn philosophers(explorer: &mut Explorer) {
    let numbers = prove(explorer, || {
        let forks = Arc::new([Mutex::new(()), Mutex::new(())]);
        let threads = [0, 1].map(|left| {
            let forks = Arc::clone(&forks);
            thread::spawn(move || {
                let _left = forks[left].lock().expect("no panic");
                let _right = forks[1 - left].lock().expect("no panic");
            })
        });
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
    assert_eq!(numbers, (3, 1));
}

/// The load of either comes between the two steps of the other, or after; 4 of 6 orders of reads and
/// writes of which 4 lose an update.
fn lost_updates(explorer: &mut Explorer) {
    let numbers = prove(explorer, || {
        let count = Arc::new(AtomicU32::new(0));
        let threads = [(); 2].map(|()| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                let seen = count.load(Ordering::SeqCst);
                count.store(seen + 1, Ordering::SeqCst);
            })
        });
        for thread in threads {
            thread.join().expect("no panic");
        }
        assert_eq!(count.load(Ordering::SeqCst), 2);
    });
    // Loads commute: l1 s1 l2 s2, l2 s2 l1 s1, and two in which both load first.
    assert_eq!(numbers, (4, 2));
}

/// The threads of a scope end in any order, and no behaviour tells which.
fn scopes(explorer: &mut Explorer) {
    let numbers = prove(explorer, || {
        let (first, second) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            scope.spawn(|| first.store(1, Ordering::SeqCst));
            scope.spawn(|| second.store(1, Ordering::SeqCst));
            scope.spawn(|| ());
        });
        assert_eq!(
            first.load(Ordering::SeqCst) + second.load(Ordering::SeqCst),
            2
        );
    });
    assert_eq!(numbers, (1, 0));
}

/// Where a worker spins, the engine decides as well, and that is said.
fn spinning(explorer: &mut Explorer) {
    let body = || {
        let flag = Arc::new(AtomicU32::new(0));
        let thread = {
            let flag = Arc::clone(&flag);
            thread::spawn(move || flag.store(1, Ordering::SeqCst))
        };
        while flag.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        thread.join().expect("no panic");
    };
    let few = space(
        explorer,
        Box::new(Dpor::new()),
        10_000,
        body,
        programs::seen,
    );
    assert!(few.counters.exhausted && few.counters.limits.yields);
    assert_eq!(few.failures, 0);
}
