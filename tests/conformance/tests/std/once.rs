//! `Once` and `OnceLock`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};
use std::thread;

use conformance::{Drops, message_of};

#[test]
fn call_once_runs_one_closure_and_everybody_sees_its_effect() {
    let (once, runs) = (Once::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                once.call_once(|| {
                    runs.fetch_add(1, Ordering::Relaxed);
                });
                assert!(once.is_completed());
                assert_eq!(runs.load(Ordering::Relaxed), 1);
            });
        }
    });
}

#[test]
fn a_once_is_completed_only_after_the_closure() {
    let once = Once::new();
    assert!(!once.is_completed());
    once.call_once(|| assert!(!once.is_completed()));
    assert!(once.is_completed());
    once.call_once_force(|_| panic!("it has run"));
}

#[test]
fn a_panic_poisons_a_once() {
    let once = Once::new();
    assert_eq!(message_of(|| once.call_once(|| panic!("first"))), "first");
    assert!(!once.is_completed());
    let text = message_of(|| once.call_once(|| ()));
    assert_eq!(text, "Once instance has previously been poisoned");
    let text = message_of(|| once.wait());
    assert!(text.contains("poisoned"), "{text}");
}

#[test]
fn force_heals_a_poisoned_once() {
    let once = Once::new();
    message_of(|| once.call_once(|| panic!("first")));
    let text = message_of(|| {
        once.call_once_force(|state| {
            assert!(state.is_poisoned());
            panic!("second");
        });
    });
    assert_eq!(text, "second");
    once.call_once_force(|state| assert!(state.is_poisoned()));
    assert!(once.is_completed());
    once.call_once(|| panic!("it has run"));
    once.wait();
    once.wait_force();
}

#[test]
fn a_fresh_once_is_not_poisoned() {
    Once::new().call_once_force(|state| {
        assert!(!state.is_poisoned());
        assert_eq!(format!("{state:?}"), "OnceState { poisoned: false }");
    });
}

#[test]
fn wait_blocks_until_completion() {
    let (once, value) = (Once::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            once.wait();
            value.load(Ordering::Relaxed)
        });
        once.call_once(|| value.store(1, Ordering::Relaxed));
        assert_eq!(waiter.join().unwrap(), 1);
    });
}

#[test]
fn wait_force_outlasts_poison() {
    let once = Once::new();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| once.wait_force());
        message_of(|| once.call_once(|| panic!("first")));
        once.call_once_force(|_| ());
        waiter.join().unwrap();
    });
}

#[test]
fn once_lock_holds_the_first_value() {
    let cell = OnceLock::new();
    assert_eq!(cell.get(), None);
    assert_eq!(cell.set(1), Ok(()));
    assert_eq!(cell.set(2), Err(2));
    assert_eq!(*cell.get_or_init(|| 3), 1);
    assert_eq!(cell.get(), Some(&1));
    assert_eq!(*cell.wait(), 1);
    assert_eq!(cell.into_inner(), Some(1));
    assert_eq!(OnceLock::<u8>::new().into_inner(), None);
}

#[test]
fn an_owner_changes_and_takes_the_value() {
    let mut cell = OnceLock::from(1);
    *cell.get_mut().unwrap() += 1;
    assert_eq!(cell.take(), Some(2));
    assert_eq!(cell.take(), None);
    assert_eq!(cell.get_mut(), None);
    assert_eq!(cell.set(5), Ok(()), "a taken cell is as new");
}

#[test]
fn racing_initializers_agree() {
    let (cell, runs) = (OnceLock::new(), AtomicUsize::new(0));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|index| {
                let (cell, runs) = (&cell, &runs);
                scope.spawn(move || {
                    *cell.get_or_init(|| {
                        runs.fetch_add(1, Ordering::Relaxed);
                        index
                    })
                })
            })
            .collect();
        let seen: Vec<usize> = threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect();
        assert!(
            seen.iter().all(|value| Some(value) == cell.get()),
            "{seen:?}"
        );
    });
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn racing_setters_have_one_winner() {
    let cell = OnceLock::new();
    let wins = thread::scope(|scope| {
        let threads = [1, 2].map(|value| {
            let cell = &cell;
            scope.spawn(move || cell.set(value).is_ok())
        });
        threads
            .map(|thread| thread.join().unwrap())
            .iter()
            .filter(|won| **won)
            .count()
    });
    assert_eq!(wins, 1);
    assert!(cell.get().is_some());
}

#[test]
fn a_waiter_gets_the_value() {
    let cell = OnceLock::new();
    thread::scope(|scope| {
        let waiter = scope.spawn(|| *cell.wait());
        cell.set(4).unwrap();
        assert_eq!(waiter.join().unwrap(), 4);
    });
}

#[test]
fn a_panicking_initializer_leaves_the_cell_empty() {
    let cell = OnceLock::new();
    assert_eq!(message_of(|| cell.get_or_init(|| panic!("first"))), "first");
    assert_eq!(cell.get(), None);
    assert_eq!(*cell.get_or_init(|| 2), 2);
}

#[test]
fn the_value_is_dropped_once() {
    let drops = Drops::new();
    let cell = OnceLock::new();
    cell.set(drops.token()).unwrap();
    drop(cell.set(drops.token()));
    assert_eq!(drops.count(), 1);
    drop(cell);
    assert_eq!(drops.count(), 2);
    drop(OnceLock::<conformance::Token<'_>>::new());
    assert_eq!(drops.count(), 2);
}

#[test]
fn cells_compare_clone_and_format() {
    let (empty, full) = (OnceLock::new(), OnceLock::from(1));
    assert_eq!(empty.clone(), empty);
    assert_eq!(full.clone(), full);
    assert_ne!(empty, full);
    assert_eq!(
        format!("{empty:?} {full:?}"),
        "OnceLock(<uninit>) OnceLock(1)"
    );
    assert_eq!(OnceLock::<u8>::default(), empty_cell());
    assert_eq!(format!("{:?}", Once::new()), "Once { .. }");
}

fn empty_cell() -> OnceLock<u8> {
    OnceLock::new()
}

static GLOBAL: OnceLock<String> = OnceLock::new();
static SETUP: Once = Once::new();

#[test]
fn statics_are_initialized_on_first_use() {
    assert_eq!(GLOBAL.get(), None);
    SETUP.call_once(|| GLOBAL.set("text".to_owned()).unwrap());
    assert_eq!(GLOBAL.get().unwrap(), "text");
}
