//! Work stealing: the global pool, which a static holds, and pools of one's own.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

#[test]
fn join_runs_both() {
    let (a, b) = rayon::join(|| 20, || 22);
    assert_eq!(a + b, 42);
}

#[test]
fn joins_nest() {
    fn sum(numbers: &[u32]) -> u32 {
        match numbers {
            [] => 0,
            [one] => *one,
            _ => {
                let (left, right) = numbers.split_at(numbers.len() / 2);
                let (left, right) = rayon::join(|| sum(left), || sum(right));
                left + right
            }
        }
    }
    assert_eq!(sum(&[1, 2, 3, 4, 5, 6]), 21);
}

#[test]
fn a_scope_waits_for_what_it_spawned() {
    let count = AtomicUsize::new(0);
    rayon::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|scope| {
                count.fetch_add(1, Ordering::Relaxed);
                scope.spawn(|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            });
        }
    });
    assert_eq!(count.into_inner(), 6);
}

#[test]
fn iterators_keep_their_order() {
    let squares: Vec<u32> = (0..8_u32).into_par_iter().map(|n| n * n).collect();
    assert_eq!(squares, [0, 1, 4, 9, 16, 25, 36, 49]);
}

#[test]
fn a_parallel_sort_sorts() {
    let mut numbers = [5, 3, 8, 1, 9, 2];
    numbers.par_sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 5, 8, 9]);
}

#[test]
fn a_pool_of_ones_own_ends() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    let sum: u32 = pool.install(|| (1..=4_u32).into_par_iter().sum());
    assert_eq!(sum, 10);
}

#[test]
fn what_is_spawned_runs() {
    let (sender, receiver) = std::sync::mpsc::channel();
    rayon::spawn(move || sender.send(7).unwrap());
    assert_eq!(receiver.recv(), Ok(7));
}

#[test]
fn a_panic_comes_out_of_join() {
    let caught = std::panic::catch_unwind(|| rayon::join(|| 1, || panic!("meant to")));
    assert!(caught.is_err());
}
