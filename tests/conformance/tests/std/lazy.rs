//! `LazyLock`.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use conformance::{Drops, message_of};

#[test]
fn the_closure_runs_on_first_use() {
    let runs = AtomicUsize::new(0);
    let lazy = LazyLock::new(|| runs.fetch_add(1, Ordering::Relaxed) + 10);
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    assert_eq!(*lazy, 10);
    assert_eq!(*LazyLock::force(&lazy), 10);
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn racing_users_see_one_value() {
    let runs = AtomicUsize::new(0);
    let lazy = LazyLock::new(|| runs.fetch_add(1, Ordering::Relaxed));
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(*lazy, 0));
        }
    });
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn get_never_runs_the_closure() {
    let mut lazy = LazyLock::new(|| 1);
    assert_eq!(LazyLock::get(&lazy), None);
    assert_eq!(LazyLock::get_mut(&mut lazy), None);
    assert_eq!(*LazyLock::force_mut(&mut lazy), 1);
    *LazyLock::get_mut(&mut lazy).unwrap() += 1;
    *lazy += 1;
    assert_eq!(LazyLock::get(&lazy), Some(&3));
}

#[test]
fn a_panicking_closure_poisons() {
    let lazy: LazyLock<u8> = LazyLock::new(|| panic!("first"));
    assert_eq!(message_of(|| *lazy), "first");
    let text = message_of(|| *lazy);
    assert!(
        text.contains("LazyLock instance has previously been poisoned"),
        "{text}"
    );
    assert_eq!(LazyLock::get(&lazy), None);
}

#[test]
fn the_closure_or_the_value_is_dropped() {
    let drops = Drops::new();
    let token = drops.token();
    let unused = LazyLock::new(move || {
        let _token = &token;
        1
    });
    drop(unused);
    assert_eq!(drops.count(), 1);
    let used = LazyLock::new(|| drops.token());
    LazyLock::force(&used);
    assert_eq!(drops.count(), 1);
    drop(used);
    assert_eq!(drops.count(), 2);
}

#[test]
fn formats() {
    let lazy = LazyLock::new(|| 1);
    assert_eq!(format!("{lazy:?}"), "LazyLock(<uninit>)");
    LazyLock::force(&lazy);
    assert_eq!(format!("{lazy:?}"), "LazyLock(1)");
    assert_eq!(*LazyLock::<String>::default(), "");
}

static GLOBAL: LazyLock<Vec<u8>> = LazyLock::new(|| vec![1, 2]);
static ABOVE: LazyLock<usize> = LazyLock::new(|| GLOBAL.len());

#[test]
fn statics_may_need_each_other() {
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(GLOBAL.len(), 2));
        scope.spawn(|| assert_eq!(*ABOVE, 2));
    });
}
