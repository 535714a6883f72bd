//! `Barrier`.

use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[test]
fn nobody_passes_before_all_are_there() {
    let (barrier, arrived) = (Barrier::new(3), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                arrived.fetch_add(1, Ordering::SeqCst);
                barrier.wait();
                assert_eq!(arrived.load(Ordering::SeqCst), 3);
            });
        }
    });
}

#[test]
fn each_round_has_exactly_one_leader() {
    let (barrier, leaders) = (Barrier::new(2), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for round in 1..=3 {
                    if barrier.wait().is_leader() {
                        leaders.fetch_add(1, Ordering::SeqCst);
                    }
                    barrier.wait();
                    assert_eq!(leaders.load(Ordering::SeqCst), round);
                    barrier.wait();
                }
            });
        }
    });
}

#[test]
fn a_barrier_of_one_or_none_never_waits() {
    assert!(Barrier::new(1).wait().is_leader());
    assert!(Barrier::new(0).wait().is_leader());
    let barrier = Barrier::new(1);
    assert!(barrier.wait().is_leader());
    assert!(barrier.wait().is_leader());
}

#[test]
fn formats() {
    let barrier = Barrier::new(1);
    assert_eq!(format!("{barrier:?}"), "Barrier { .. }");
    let result = barrier.wait();
    assert_eq!(
        format!("{result:?}"),
        "BarrierWaitResult { is_leader: true }"
    );
}
