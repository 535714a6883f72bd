//! PCT keeps its promise on bugs of known depth, and delay bounding keeps its own.
//!
//! The bugs are orders of a few steps of each of two or three workers: what a constraint "this step comes
//! before that one" is needed for. Two workers in blocks, as in `11222211`, have as many constraints as
//! there are boundaries between blocks; a body that creates two workers makes it three workers.

use std::sync::Arc;

use cct::harness::Explorer;
use cct_shims::std::sync::atomic::{AtomicU32, Ordering};
use cct_shims::std::thread;

use crate::Claim;
use crate::tally::{Order, assert_at_least, code, tally};

pub(crate) const CLAIMS: &[Claim] = &[
    ("pct:1 finds each order of two workers", depth_1),
    ("pct:2 finds each place of a lost update", depth_2),
    ("pct:3 finds each pair of places", depth_3),
    ("pct:4 finds a triple of places", depth_4),
    ("pct lets the one stopped first go on last", nested),
    ("pct is not diluted by what one worker does alone", alone),
    ("delay:1 stops each worker at each place", delay),
];

const STEPS: usize = 6;

/// Workers 1, 2, … make so many steps each; the order is the outcome.
fn race(workers: u8, steps: usize) -> u64 {
    let order = Order::new();
    let spawn = |who| {
        let order = Arc::clone(&order);
        thread::spawn(move || (0..steps).for_each(|_| order.touch(who)))
    };
    let handles: Vec<_> = (1..=workers).map(spawn).collect();
    for handle in handles {
        handle.join().expect("nobody panics");
    }
    order.code()
}

/// Each of the orders has at least the probability 1/(n k^(d-1)), n being 3 with the body, and k the
/// length of the longest schedule.
fn assert_bound(explorer: &mut Explorer, depth: i32, steps: usize, schedules: u64, orders: &[u64]) {
    let strategy = format!("pct:{depth}");
    let (tally, counters) = tally(explorer, &strategy, schedules, || race(2, steps));
    let k = counters.longest as f64;
    let bound = 1.0 / (3.0 * k.powi(depth - 1));
    for order in orders {
        let found = tally.get(order).copied().unwrap_or(0);
        assert_at_least(found, schedules, bound);
    }
}

fn depth_1(explorer: &mut Explorer) {
    let orders = [[1, 2], [2, 1]].map(|[one, other]| code(&[(one, STEPS), (other, STEPS)]));
    assert_bound(explorer, 1, STEPS, 2_000, &orders);
}

fn depth_2(explorer: &mut Explorer) {
    let stopped_after = |steps| code(&[(1, steps), (2, STEPS), (1, STEPS - steps)]);
    let orders: Vec<u64> = (1..STEPS).map(stopped_after).collect();
    assert_bound(explorer, 2, STEPS, 20_000, &orders);
}

fn depth_3(explorer: &mut Explorer) {
    let stopped_after = |first, second| {
        let rest = |steps| STEPS - steps;
        code(&[(1, first), (2, second), (1, rest(first)), (2, rest(second))])
    };
    let orders = [(1, 1), (3, 3), (5, 1), (1, 5), (5, 5)];
    let orders = orders.map(|(first, second)| stopped_after(first, second));
    assert_bound(explorer, 3, STEPS, 100_000, &orders);
}

fn depth_4(explorer: &mut Explorer) {
    let orders = [
        code(&[(1, 1), (2, 1), (1, 2), (2, 3), (1, 1)]),
        code(&[(2, 2), (1, 2), (2, 1), (1, 2), (2, 1)]),
    ];
    assert_bound(explorer, 4, 4, 900_000, &orders);
}

/// Worker 1 is stopped, then worker 2; worker 3 runs, and then 2 goes on before 1. So the drop that comes
/// first in time must be to the lower priority. Of the 4! permutations of 1, 2, 3 and the body, those with
/// 1 above 2 above 3 are 4, and in each the body comes to spawn all of them or is passed by one that has
/// been spawned; the one with the body on top always allows it: 1/24. Each change point has 1/k.
fn nested(explorer: &mut Explorer) {
    const SCHEDULES: u64 = 600_000;
    let nested = code(&[(1, 1), (2, 1), (3, 2), (2, 1), (1, 1)]);
    let (tally, counters) = tally(explorer, "pct:3", SCHEDULES, || race(3, 2));
    let k = counters.longest as f64;
    let found = tally.get(&nested).copied().unwrap_or(0);
    assert_at_least(found, SCHEDULES, 1.0 / (24.0 * k * k));
}

/// The body touches an atomic of its own 300 times before and 300 times after. Each such stretch is one
/// step for PCT, so that k is what it is without them, and the bound is that of the short program.
fn alone(explorer: &mut Explorer) {
    const SCHEDULES: u64 = 20_000;
    let (_, short) = tally(explorer, "pct:2", 100, || race(2, STEPS));
    let by_itself = || {
        let own = AtomicU32::new(0);
        (0..300).for_each(|value| own.store(value, Ordering::SeqCst));
    };
    let (tally, long) = tally(explorer, "pct:2", SCHEDULES, || {
        by_itself();
        let order = race(2, STEPS);
        by_itself();
        order
    });
    assert!(long.longest > short.longest + 500);
    let lost_update = code(&[(1, 3), (2, STEPS), (1, 3)]);
    let found = tally.get(&lost_update).copied().unwrap_or(0);
    assert_at_least(found, SCHEDULES, 1.0 / (3.0 * short.longest as f64));
}

/// With one delay, worker 1 is passed over at one of k steps, and goes on when 2 has ended.
fn delay(explorer: &mut Explorer) {
    const SCHEDULES: u64 = 10_000;
    let (tally, counters) = tally(explorer, "delay:1", SCHEDULES, || race(2, STEPS));
    for steps in 1..STEPS {
        let order = code(&[(1, steps), (2, STEPS), (1, STEPS - steps)]);
        let found = tally.get(&order).copied().unwrap_or(0);
        assert_at_least(found, SCHEDULES, 1.0 / counters.longest as f64);
    }
}
