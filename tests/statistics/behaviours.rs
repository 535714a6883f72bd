//! The count of behaviours, on programs whose number of behaviours is known.

use std::sync::Arc;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::Spec;
use cct::wire::Counters;
use cct_shims::std::sync::Mutex;
use cct_shims::std::sync::atomic::{AtomicU32, Ordering};
use cct_shims::std::thread;

use crate::Claim;

pub(crate) const CLAIMS: &[Claim] = &[
    (
        "the order of independent steps is no behaviour",
        independent,
    ),
    ("additions have as many behaviours as orders", additions),
    ("readers are told apart by what they read", readers),
    (
        "critical sections have as many behaviours as orders",
        sections,
    ),
    ("values chosen are behaviours", values),
    ("watching changes no schedule", watching),
];

fn settings(strategy: &str, iterations: u64, watch: u32) -> Settings {
    Settings {
        iterations: Some(iterations),
        strategy: Some(Spec::parse(strategy).expect("a strategy of ours")),
        seed: Some(7),
        watch: Some(watch),
        ..Settings::default()
    }
}

/// With at most 120 behaviours, none of them rarer than one in 2,000, each is missed by 20,000 schedules
/// with a probability below 120 e^-10, which is 0.6 %; the seed is fixed.
fn explore(explorer: &mut Explorer, body: fn()) -> Counters {
    let exploration = explorer.explore(&settings("random", 20_000, 1), body);
    assert_eq!(exploration.found, None);
    let counters = exploration.counters;
    assert_eq!(counters.watched, counters.schedules);
    assert!(counters.behaviours <= counters.distinct);
    assert!(0 < counters.last_new && counters.last_new < counters.schedules);
    counters
}

fn each(workers: usize, work: fn(&[AtomicU32], usize)) {
    let atomics: Arc<Vec<AtomicU32>> = Arc::new((0..workers).map(|_| AtomicU32::new(0)).collect());
    let threads = (0..workers).map(|index| {
        let atomics = Arc::clone(&atomics);
        thread::spawn(move || work(&atomics, index))
    });
    for thread in threads.collect::<Vec<_>>() {
        thread.join().expect("no panic");
    }
}

fn independent(explorer: &mut Explorer) {
    let counters = explore(explorer, || {
        each(3, |atomics, index| {
            for value in 0..3 {
                atomics[index].store(value, Ordering::SeqCst);
            }
        });
    });
    assert_eq!((counters.behaviours, counters.last_new), (1, 1));
    assert!(counters.distinct > 1000);
}

/// 2 workers with 3 each can be put in 6!/(3! 3!) orders, and the 3! orders of 3 workers with 1 each.
fn additions(explorer: &mut Explorer) {
    let two = explore(explorer, || {
        each(2, |atomics, _| {
            for _ in 0..3 {
                atomics[0].fetch_add(1, Ordering::SeqCst);
            }
        });
    });
    assert_eq!(two.behaviours, 20);
    let three = explore(explorer, || {
        each(3, |atomics, _| {
            atomics[0].fetch_add(1, Ordering::SeqCst);
        });
    });
    assert_eq!(three.behaviours, 6);
}

/// Each of 3 readers comes before the writer or after it.
fn readers(explorer: &mut Explorer) {
    let counters = explore(explorer, || {
        each(4, |atomics, index| {
            if index == 0 {
                atomics[0].store(1, Ordering::SeqCst);
            } else {
                atomics[0].load(Ordering::SeqCst);
            }
        });
    });
    assert_eq!(counters.behaviours, 8);
}

/// 3 workers that each take a lock twice can do so in 6!/(2! 2! 2!) orders.
fn sections(explorer: &mut Explorer) {
    let counters = explore(explorer, || {
        let mutex = Arc::new(Mutex::new(0));
        let threads = [0; 3].map(|_| {
            let mutex = Arc::clone(&mutex);
            thread::spawn(move || {
                for _ in 0..2 {
                    *mutex.lock().expect("no panic") += 1;
                }
            })
        });
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
    assert_eq!(counters.behaviours, 90);
}

fn values(explorer: &mut Explorer) {
    let counters = explore(explorer, || {
        let thread = thread::spawn(|| {
            cct::engine::choose_index(3);
        });
        cct::engine::choose_index(5);
        thread.join().expect("no panic");
    });
    assert_eq!(counters.behaviours, 15);
}

/// The same counts, of schedules that are told apart by their every switch, whether all are watched or
/// one in a million.
fn watching(explorer: &mut Explorer) {
    let body = || {
        each(3, |atomics, index| {
            for _ in 0..5 {
                atomics[0].fetch_add(1, Ordering::SeqCst);
                atomics[index].store(0, Ordering::SeqCst);
                thread::yield_now();
            }
        });
    };
    for strategy in ["random", "sticky:5", "pct:3", "sticky:20,pct:2"] {
        let [mut all, mut few] = [1, 1_000_000].map(|watch| {
            explorer
                .explore(&settings(strategy, 3000, watch), body)
                .counters
        });
        assert_eq!((all.watched, few.watched), (3000, 64));
        assert!(few.behaviours <= all.behaviours);
        for counters in [&mut all, &mut few] {
            (counters.watched, counters.behaviours) = (0, 0);
            (counters.last_new, counters.nanos) = (0, 0);
        }
        assert_eq!(all, few, "{strategy}");
    }
}
