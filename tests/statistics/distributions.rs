//! Small spaces of which the probability of each schedule is known.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::Kind;
use cct_shims::std::sync::Mutex;
use cct_shims::std::sync::atomic::{AtomicU32, Ordering};
use cct_shims::std::thread;

use crate::Claim;
use crate::model;
use crate::program::{self, Op, Program};
use crate::spy::{Made, Spy};
use crate::tally::{
    Order, assert_at_least, assert_distribution, assert_probability, assert_uniform, tally,
};

pub(crate) const CLAIMS: &[Claim] = &[
    ("random makes each schedule as often as it should", random),
    ("a biased coin switches as often as it should", coin),
    ("pos gives what does not conflict one chance", pos_chances),
    ("pos draws anew after a conflict", pos_redraws),
    (
        "surw is uniform for workers of different lengths",
        surw_lengths,
    ),
    ("surw is uniform for three workers", surw_three),
    (
        "surw is uniform when workers create workers",
        surw_descendants,
    ),
    ("surw is uniform over critical sections", surw_sections),
    ("surw makes orders of each object uniform", surw_objects),
];

/// At each choice point each candidate has the same probability: a schedule has the product of these.
fn random(explorer: &mut Explorer) {
    use Op::{Join, Lock, Spawn, Touch, Unlock};
    let free: Program = vec![vec![Spawn(1), Touch, Touch, Join(1)], vec![Touch]];
    let locked: Program = vec![
        vec![Spawn(1), Lock(0), Unlock(0), Touch, Join(1)],
        vec![Lock(0), Touch, Unlock(0)],
    ];
    for program in [free, locked] {
        let made = Made::default();
        let spy = Spy::on(Kind::Random.build(0), &made);
        let settings = Settings {
            iterations: Some(100_000),
            seed: Some(7),
            watch: Some(0),
            ..Settings::default()
        };
        let strategies: Vec<(String, Box<dyn cct::strategy::Strategy>)> =
            vec![("random".to_owned(), Box::new(spy))];
        explorer.explore_with(settings.resolve(), strategies, || program::run(&program));
        let known = model::schedules(&program);
        let number = |labels: &Vec<u32>| {
            let found = known.binary_search_by(|schedule| schedule.labels.cmp(labels));
            found.expect("a schedule of the model") as u64
        };
        let made = Rc::try_unwrap(made).expect("the spy is gone").into_inner();
        let mut tally = BTreeMap::new();
        for labels in &made {
            *tally.entry(number(labels)).or_default() += 1;
        }
        let odds = known.iter().map(|schedule| 1.0 / schedule.odds as f64);
        assert_distribution(&tally, &(0..).zip(odds).collect());
    }
}

/// The body creates a worker and touches twice; that worker starts in between if a switch comes there.
/// Two points, at each of which the walk picks anew with probability 1/4, and then the other with 1/2: it
/// stays twice with probability (1 - 1/8)^2.
fn coin(explorer: &mut Explorer) {
    const SCHEDULES: u64 = 20_000;
    let (tally, _) = tally(explorer, "probabilistic:2", SCHEDULES, || {
        let has_begun = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let begins = Arc::clone(&has_begun);
        let atomic = AtomicU32::new(0);
        let worker = thread::spawn(move || begins.store(true, Ordering::SeqCst));
        atomic.store(1, Ordering::SeqCst);
        atomic.store(2, Ordering::SeqCst);
        let begun = has_begun.load(Ordering::SeqCst);
        worker.join().expect("nobody panics");
        begun.into()
    });
    assert_probability(tally[&0], SCHEDULES, (7.0_f64 / 8.0).powi(2));
}

/// The body creates a worker that touches X; it makes L-1 steps of its own, and touches X as its L-th.
///
/// Let q be the priority of the worker's start and p that of its touch; those of the body's steps are drawn
/// as they become pending. The body comes first if all of them are above q; or if for some j the worker
/// starts before step j, so that those before are above q and that of step j, u, is below, and then p is
/// below u and below all later ones. Integrated over p, u and q, with r = L-j+1, the j-th of these has the
/// probability (1/r) (1/(j(j+1)) - (1/j - 1/(j+r+1)) / (r+1)), and the first one has 1/(L+1). Under the
/// random walk it would be close to 2^-L.
fn pos_chances(explorer: &mut Explorer) {
    const SCHEDULES: u64 = 40_000;
    for steps in [1_u32, 2, 5, 20] {
        let (tally, _) = tally(explorer, "pos", SCHEDULES, || {
            let order = Order::new();
            let own = AtomicU32::new(0);
            let worker = {
                let order = Arc::clone(&order);
                thread::spawn(move || order.touch(2))
            };
            for value in 1..steps {
                own.store(value, Ordering::SeqCst);
            }
            order.touch(1);
            worker.join().expect("nobody panics");
            order.code()
        });
        let length = f64::from(steps);
        let started_before = |j: u32| {
            let (j, r) = (f64::from(j), f64::from(steps - j + 1));
            (1.0 / (j * (j + 1.0)) - (1.0 / j - 1.0 / (j + r + 1.0)) / (r + 1.0)) / r
        };
        let probability = 1.0 / (length + 1.0) + (1..=steps).map(started_before).sum::<f64>();
        assert_probability(tally[&0o12], SCHEDULES, probability);
    }
}

/// The body touches A and then X; a worker touches X, or both touch the same object. Given that the
/// worker started before A and A came before its touch: in the second case the conflict made the
/// worker's touch draw anew, and the body's second touch is first with probability 1/2. In the first
/// case its priority p is below that of A, u, which is below that of its start, so that u has the density
/// 6u(1-u), p is uniform below it, and the probability is 1 - E(u)/2 = 3/4.
fn pos_redraws(explorer: &mut Explorer) {
    for (conflicts, probability) in [(true, 0.5), (false, 0.75)] {
        let (tally, _) = tally(explorer, "pos", 40_000, || {
            let order = Order::new();
            let own = AtomicU32::new(0);
            let has_begun = Arc::new(std::sync::atomic::AtomicBool::new(false));
            let worker = {
                let (order, begins) = (Arc::clone(&order), Arc::clone(&has_begun));
                thread::spawn(move || {
                    begins.store(true, Ordering::SeqCst);
                    order.touch(2);
                })
            };
            if conflicts {
                order.touch(1);
            } else {
                own.store(1, Ordering::SeqCst);
            }
            // No step lies between that one and this.
            let is_given = has_begun.load(Ordering::SeqCst) && !order.has(2);
            order.touch(1);
            worker.join().expect("nobody panics");
            match (is_given, order.code() & 0o7) {
                (false, _) => 0,
                (true, last) => last,
            }
        });
        let (second_first, worker_first) = (tally[&2], tally[&1]);
        let given = second_first + worker_first;
        assert_probability(second_first, given, probability);
    }
}

/// Worker i touches so often.
fn touch_all(times: &[usize]) -> u64 {
    let order = Order::new();
    let spawn = |(who, &times): (u8, &usize)| {
        let order = Arc::clone(&order);
        thread::spawn(move || (0..times).for_each(|_| order.touch(who)))
    };
    let handles: Vec<_> = (1..).zip(times).map(spawn).collect();
    for handle in handles {
        handle.join().expect("nobody panics");
    }
    order.code()
}

/// 9 places for the one among the eight. The random walk would put it behind all with probability below
/// 2^-8.
fn surw_lengths(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "surw", 20_000, || touch_all(&[1, 8]));
    assert_uniform(&tally, 9);
}

/// 7! / (2! 2! 3!) orders.
fn surw_three(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "surw", 60_000, || touch_all(&[2, 3, 2]));
    assert_uniform(&tally, 210);
}

/// Worker 1 touches, creates worker 3 and touches again; 3 touches twice, and so does 2. Orders in which
/// each comes after what it needs: 6! divided by how many each touch has behind it, itself counted: 4
/// for the first of 1, and 2 for the first of 3 and of 2.
fn surw_descendants(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "surw", 40_000, || {
        let order = Order::new();
        let twice = |who| {
            let order = Arc::clone(&order);
            move || (0..2).for_each(|_| order.touch(who))
        };
        let (second, third) = (twice(2), twice(3));
        let first = {
            let order = Arc::clone(&order);
            thread::spawn(move || {
                order.touch(1);
                let child = thread::spawn(third);
                order.touch(1);
                child.join().expect("nobody panics");
            })
        };
        let second = thread::spawn(second);
        first.join().expect("nobody panics");
        second.join().expect("nobody panics");
        order.code()
    });
    assert_uniform(&tally, 720 / (4 * 2 * 2));
}

/// A critical section of worker 1 among five of worker 2.
fn surw_sections(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "surw", 20_000, || {
        let order = Order::new();
        let next = Arc::new(Mutex::new(0));
        let spawn = |who, times| {
            let (order, next) = (Arc::clone(&order), Arc::clone(&next));
            thread::spawn(move || {
                for _ in 0..times {
                    let mut time = next.lock().expect("nobody panics");
                    order.note(*time, who);
                    *time += 1;
                }
            })
        };
        let handles = [spawn(1, 1), spawn(2, 5)];
        for handle in handles {
            handle.join().expect("nobody panics");
        }
        order.code()
    });
    assert_uniform(&tally, 6);
}

/// Workers 1 and 2 touch X and Y by turns, 3 times each. When X is drawn, all orders on X are equally
/// probable, and when Y is, those on Y: each order of either has half of the probability 1/20 at least.
fn surw_objects(explorer: &mut Explorer) {
    const SCHEDULES: u64 = 20_000;
    for looks_at in 0..2 {
        let (tally, _) = tally(explorer, "surw", SCHEDULES, || {
            let orders = [Order::new(), Order::new()];
            let handles = [1, 2].map(|who| {
                let orders = orders.clone();
                thread::spawn(move || {
                    for _ in 0..3 {
                        for order in &orders {
                            order.touch(who);
                        }
                    }
                })
            });
            for handle in handles {
                handle.join().expect("nobody panics");
            }
            orders[looks_at].code()
        });
        assert_eq!(tally.len(), 20);
        for &found in tally.values() {
            assert_at_least(found, SCHEDULES, 0.5 / 20.0);
        }
    }
}
