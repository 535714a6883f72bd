//! Strategies that enumerate make exactly the schedules there are.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use cct::config::Settings;
use cct::harness::{Exploration, Explorer};
use cct::strategy::{Rng, Spec};
use cct_shims::std::sync::atomic::{AtomicU32, Ordering};
use cct_shims::std::thread;

use crate::Claim;
use crate::model::{Schedule, schedules};
use crate::program::{self, Op, Program};
use crate::spy::{Made, Spy};

pub(crate) const CLAIMS: &[Claim] = &[
    ("two workers interleave in binomially many ways", binomial),
    (
        "three workers interleave in as many ways as there are",
        multinomial,
    ),
    ("the schedules made are those of the model", as_the_model),
    (
        "the same for programs drawn at random",
        as_the_model_at_random,
    ),
    ("weights make schedules nearly equal", weights),
    ("a search that is resumed makes what is left", resumed),
    ("a resumed search that is through does nothing", through),
    ("who spins is explored to an end, which says so", spinning),
    ("time-outs come in one order, which is said", time_outs),
    (
        "a program that does not repeat itself is no proof",
        not_repeating,
    ),
    ("periods find what needs one switch at once", periods),
];

const GRAPHS: [&str; 3] = ["dfs", "graph-random", "graph-weighted"];

/// Explores until the strategy is exhausted; returns what was made, in order.
fn explore(
    explorer: &mut Explorer,
    strategy: &str,
    program: &Program,
) -> (Vec<Vec<u32>>, Exploration) {
    let settings = Settings::default();
    explore_some(explorer, strategy, u64::MAX, settings, program)
}

/// Explores up to a number of schedules.
fn explore_some(
    explorer: &mut Explorer,
    strategy: &str,
    most: u64,
    settings: Settings,
    program: &Program,
) -> (Vec<Vec<u32>>, Exploration) {
    let made = Made::default();
    let spied = Spec::parse(strategy).expect("a strategy").build();
    let spied = spied
        .into_iter()
        .map(|(name, strategy)| (name, Box::new(Spy::on(strategy, &made)) as _))
        .collect();
    let settings = Settings {
        iterations: Some(most),
        ..settings
    };
    let exploration = explorer.explore_with(settings.resolve(), spied, || program::run(program));
    assert_eq!(exploration.found, None, "{strategy}: {program:?}");
    (made.take(), exploration)
}

/// Explores a body of its own with a strategy.
fn explore_body(
    explorer: &mut Explorer,
    strategy: &str,
    most: u64,
    body: impl Fn(),
) -> Exploration {
    let settings = Settings {
        iterations: Some(most),
        strategy: Some(Spec::parse(strategy).expect("a strategy")),
        ..Settings::default()
    };
    explorer.explore(&settings, body)
}

/// The cost of a schedule.
type Cost = fn(&Schedule) -> u32;

/// Each strategy makes the schedules that the model has, once each.
fn compare(explorer: &mut Explorer, program: &Program) {
    let all = schedules(program);
    let labels = |schedules: &[&Schedule]| {
        let labels = schedules.iter().map(|schedule| schedule.labels.clone());
        labels.collect::<Vec<_>>()
    };
    for strategy in GRAPHS {
        let (mut made, exploration) = explore(explorer, strategy, program);
        made.sort_unstable();
        assert_eq!(
            made,
            labels(&all.iter().collect::<Vec<_>>()),
            "{strategy}: {program:?}"
        );
        assert_eq!(exploration.counters.distinct, all.len() as u64);
        assert!(
            exploration.counters.is_proof() || all.len() == 1,
            "{strategy}: {program:?}"
        );
    }
    let cost_of: [(&str, Cost); 2] = [
        ("preemption", |schedule| schedule.preemptions),
        ("delay-iterative", |schedule| schedule.delays),
    ];
    for (strategy, cost) in cost_of {
        for bound in 1..=3 {
            let spec = format!("{strategy}:{bound}");
            let (made, exploration) = explore(explorer, &spec, program);
            // In the order of their costs, each once.
            let mut at = 0;
            for exact in 0..=bound {
                let expected: Vec<&Schedule> =
                    all.iter().filter(|one| cost(one) == exact).collect();
                let mut batch = made[at..at + expected.len()].to_vec();
                batch.sort_unstable();
                assert_eq!(batch, labels(&expected), "{spec}, {exact}: {program:?}");
                at += expected.len();
            }
            assert_eq!(at, made.len(), "{spec}: {program:?}");
            let is_whole = made.len() == all.len();
            assert_eq!(
                exploration.counters.is_proof(),
                is_whole,
                "{spec}: {program:?}"
            );
        }
    }
}

/// Worker 0 makes k steps beside a worker that makes k and starts: it joins that one then.
fn binomial(explorer: &mut Explorer) {
    for (steps, count) in [(1, 3), (3, 35), (5, 462), (7, 6435)] {
        let mut body = vec![Op::Spawn(1)];
        body.extend([Op::Touch].repeat(steps));
        body.push(Op::Join(1));
        let program = vec![body, [Op::Touch].repeat(steps)];
        let (made, exploration) = explore(explorer, "dfs", &program);
        assert_eq!(made.len(), count);
        assert!(exploration.counters.is_proof());
        assert_eq!(exploration.counters.schedules, count as u64);
    }
}

/// Worker 1 has made i of its a steps when worker 2 is created. Then a-i steps interleave with m of worker
/// 0, which joins worker 1 after all of these; and the b steps of worker 2 with all that.
fn multinomial(explorer: &mut Explorer) {
    let choose = |n: u64, k: u64| (1..=k).fold(1, |count, i| count * (n - k + i) / i);
    let (a, b, m) = (3_u64, 2, 2);
    let count = |i: u64| choose(a - i + m, m) * choose(a - i + m + 1 + b, b);
    let program = vec![
        vec![
            Op::Spawn(1),
            Op::Spawn(2),
            Op::Touch,
            Op::Touch,
            Op::Join(1),
            Op::Join(2),
        ],
        vec![Op::Touch, Op::Touch],
        vec![Op::Touch],
    ];
    for strategy in GRAPHS {
        let (made, _) = explore(explorer, strategy, &program);
        assert_eq!(
            made.len() as u64,
            (0..=a).map(count).sum::<u64>(),
            "{strategy}"
        );
    }
}

fn as_the_model(explorer: &mut Explorer) {
    use Op::{
        Await, Choose, Join, Lock, NotifyAll, NotifyOne, Recv, Send, Set, Spawn, Touch, Unlock,
    };
    let programs: [Program; 8] = [
        vec![vec![Choose(3), Choose(4)]],
        vec![
            vec![Spawn(1), Touch, Choose(2), Touch, Join(1)],
            vec![Choose(3), Touch],
        ],
        vec![
            vec![Spawn(1), Spawn(2), Join(1), Join(2)],
            vec![Lock(0), Touch, Unlock(0)],
            vec![Lock(0), Unlock(0)],
        ],
        vec![
            vec![Spawn(1), Lock(0), Lock(1), Unlock(1), Unlock(0), Join(1)],
            vec![Lock(0), Lock(1), Unlock(0), Unlock(1)],
        ],
        vec![
            vec![Spawn(1), Lock(0), Set(0), NotifyOne(0), Unlock(0), Join(1)],
            vec![Lock(0), Await(0), Unlock(0), Touch],
        ],
        vec![
            vec![
                Spawn(1),
                Spawn(2),
                Lock(0),
                Set(0),
                NotifyAll(0),
                Unlock(0),
                Join(1),
                Join(2),
            ],
            vec![Lock(0), Await(0), Unlock(0)],
            vec![Lock(0), Await(0), Unlock(0)],
        ],
        vec![
            vec![
                Spawn(1),
                Spawn(2),
                Lock(0),
                Set(0),
                Unlock(0),
                NotifyOne(0),
                NotifyOne(0),
                Join(1),
                Join(2),
            ],
            vec![Lock(0), Await(0), Unlock(0)],
            vec![Lock(0), Await(0), Unlock(0)],
        ],
        vec![
            vec![Spawn(1), Spawn(2), Recv(0), Recv(0), Join(2), Join(1)],
            vec![Touch, Send(0)],
            vec![Send(0), Touch],
        ],
    ];
    for program in &programs {
        compare(explorer, program);
    }
}

/// Programs of up to 3 workers with up to 4 operations each, none of which can deadlock: mutexes are taken
/// one at a time. Programs with too many schedules are passed over.
fn as_the_model_at_random(explorer: &mut Explorer) {
    let mut rng = Rng::new(7);
    for _ in 0..60 {
        let count = 2 + rng.below(2) as usize;
        let mut program: Program = Vec::new();
        for _ in 0..count {
            let mut ops = Vec::new();
            for _ in 0..=rng.below(2) {
                match rng.below(4) {
                    0 => ops.extend([Op::Lock(0), Op::Unlock(0)]),
                    1 => ops.push(Op::Choose(1 + rng.below(3) as usize)),
                    2 => ops.extend([Op::Lock(1), Op::Touch, Op::Unlock(1)]),
                    _ => ops.push(Op::Touch),
                }
            }
            program.push(ops);
        }
        let body = std::mem::take(&mut program[0]);
        program[0].extend((1..count).map(Op::Spawn));
        program[0].extend(body);
        program[0].extend((1..count).map(Op::Join));
        if schedules(&program).len() < 20_000 {
            compare(explorer, &program);
        }
    }
}

/// A quarter of the 84 schedules, 400 times: each is among them 100 times on the average. Told is by how
/// much these numbers deviate, as a part of their mean; if each schedule had the same chance that would be
/// √(3/400) = 0.09. Uniform picks prefer the schedules that are near the root. So do weights as long as
/// they know little, and much less: first schedules are drawn without knowing anything.
fn weights(explorer: &mut Explorer) {
    const TIMES: u64 = 400;
    let mut body = vec![Op::Spawn(1)];
    body.extend([Op::Touch].repeat(6));
    body.push(Op::Join(1));
    let program = vec![body, [Op::Touch].repeat(2)];
    let all = schedules(&program);
    assert_eq!(all.len(), 84);
    let mut unevenness = |strategy| {
        let mut counts = vec![0_u32; all.len()];
        for seed in 0..TIMES {
            let settings = Settings {
                seed: Some(seed),
                ..Settings::default()
            };
            let (made, _) = explore_some(explorer, strategy, 21, settings, &program);
            for labels in made {
                let place = all.binary_search_by(|one| one.labels.cmp(&labels));
                counts[place.expect("a schedule of the model")] += 1;
            }
        }
        let mean = TIMES as f64 / 4.0;
        let parts = counts.iter().map(|&count| f64::from(count) / mean - 1.0);
        (parts.map(|part| part.powi(2)).sum::<f64>() / all.len() as f64).sqrt()
    };
    let (random, weighted) = (unevenness("graph-random"), unevenness("graph-weighted"));
    assert!(random > 0.7 && weighted < 0.4, "{random} and {weighted}");
}

/// A file in a folder for temporary ones, which is not there yet.
fn file(name: &str) -> String {
    let file = std::env::temp_dir().join(format!("cct-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    file.into_os_string().into_string().expect("in Unicode")
}

const TWO_LOCKS: [&[Op]; 3] = [
    &[
        Op::Spawn(1),
        Op::Spawn(2),
        Op::Touch,
        Op::Join(1),
        Op::Join(2),
    ],
    &[Op::Lock(0), Op::Touch, Op::Unlock(0)],
    &[Op::Lock(0), Op::Unlock(0)],
];

/// Three searches, each of which is given up halfway, and one that comes to the end.
fn resumed(explorer: &mut Explorer) {
    let program: Program = TWO_LOCKS.map(<[Op]>::to_vec).to_vec();
    for strategy in [
        "dfs",
        "graph-random",
        "graph-weighted",
        "preemption:2",
        "delay-iterative:2",
    ] {
        let (at_once, whole) = explore(explorer, strategy, &program);
        let path = file("resume");
        let part = at_once.len() as u64 / 4;
        let mut made = Vec::new();
        let mut last = None;
        for most in [part, part, part, u64::MAX] {
            let settings = Settings {
                resume: Some(path.clone()),
                ..Settings::default()
            };
            let (some, exploration) = explore_some(explorer, strategy, most, settings, &program);
            made.extend(some);
            assert_eq!(exploration.counters.resume_error, None);
            assert_eq!(
                exploration.counters.progress.expect("it counts").made,
                made.len() as u64
            );
            last = Some(exploration);
        }
        // Not only the same schedules: in the same order.
        assert_eq!(made, at_once, "{strategy}");
        let counters = last.expect("four searches").counters;
        assert_eq!(counters.progress, whole.counters.progress);
        assert_eq!(counters.is_proof(), whole.counters.is_proof());
        std::fs::remove_file(path).expect("removable");
    }
}

fn through(explorer: &mut Explorer) {
    let program: Program = TWO_LOCKS.map(<[Op]>::to_vec).to_vec();
    let path = file("through");
    let mut search = || {
        let settings = Settings {
            resume: Some(path.clone()),
            ..Settings::default()
        };
        explore_some(explorer, "dfs", u64::MAX, settings, &program)
            .1
            .counters
    };
    let (first, second) = (search(), search());
    assert!(first.is_proof() && second.is_proof());
    assert_eq!((second.schedules, second.progress), (0, first.progress));
    std::fs::remove_file(path).expect("removable");
}

/// One or two workers spin until the body has set a flag; what they do is up to the yield budget.
fn spinning(explorer: &mut Explorer) {
    for spinners in 1..=2 {
        let exploration = explore_body(explorer, "dfs", 200_000, || {
            let flag = Arc::new(AtomicU32::new(0));
            let spinners = (0..spinners).map(|_| {
                let flag = Arc::clone(&flag);
                thread::spawn(move || while flag.load(Ordering::SeqCst) == 0 {})
            });
            let spinners: Vec<_> = spinners.collect();
            flag.store(1, Ordering::SeqCst);
            for spinner in spinners {
                spinner.join().expect("nobody panics");
            }
        });
        let counters = exploration.counters;
        assert_eq!(exploration.found, None);
        assert!(counters.exhausted, "{counters:?}");
        assert!(counters.limits.yields && !counters.limits.steps && !counters.is_proof());
    }
}

fn time_outs(explorer: &mut Explorer) {
    let exploration = explore_body(explorer, "dfs", 10_000, || {
        let sleeper = thread::spawn(|| thread::sleep(Duration::from_millis(1)));
        thread::sleep(Duration::from_millis(2));
        sleeper.join().expect("nobody panics");
    });
    let counters = exploration.counters;
    assert!(counters.exhausted && counters.limits.time && !counters.is_proof());
}

/// Each execution makes one step more than the one before, up to 7, and then fewer.
fn not_repeating(explorer: &mut Explorer) {
    for strategy in GRAPHS {
        let times = Cell::new(0);
        let exploration = explore_body(explorer, strategy, 500, || {
            times.set((times.get() + 1) % 7);
            let steps = times.get();
            let atomic = Arc::new(AtomicU32::new(0));
            let other = Arc::clone(&atomic);
            let worker = thread::spawn(move || other.fetch_add(1, Ordering::SeqCst));
            for _ in 0..steps {
                atomic.fetch_add(1, Ordering::SeqCst);
            }
            worker.join().expect("nobody panics");
        });
        let counters = exploration.counters;
        assert!(
            counters
                .progress
                .is_some_and(|progress| progress.astray > 0),
            "{strategy}: {counters:?}"
        );
        assert!(
            !counters.exhausted && counters.schedules == 500,
            "{strategy}"
        );
    }
}

/// An update that is lost if a worker is stopped between its load and its store: one execution shows the
/// key points, two plans let each worker go first, and the next stops the body after its load.
fn periods(explorer: &mut Explorer) {
    let exploration = explore_body(explorer, "period:3", 100, || {
        let count = Arc::new(AtomicU32::new(0));
        let add = |count: &AtomicU32| {
            let seen = count.load(Ordering::SeqCst);
            count.store(seen + 1, Ordering::SeqCst);
        };
        let other = Arc::clone(&count);
        let worker = thread::spawn(move || add(&other));
        add(&count);
        worker.join().expect("nobody panics");
        assert_eq!(count.load(Ordering::SeqCst), 2);
    });
    let found = exploration.found.expect("it is lost");
    assert!(found.iteration <= 4, "{}", found.iteration);
}
