//! Shared objects.

use std::thread;

use cct::actor::{SharedCounter, SharedMap, SharedRegister};

#[test]
fn no_count_is_lost() {
    let counter = SharedCounter::new(0);
    let other = counter.clone();
    let thread = thread::spawn(move || other.increment());
    counter.add(2);
    thread.join().unwrap();
    assert_eq!(counter.get(), 3);
    assert_eq!(counter.compare_exchange(4, 9), Err(3));
    assert_eq!(counter.compare_exchange(3, 9), Ok(3));
    assert_eq!(counter.swap(1), 9);
    assert_eq!(counter.decrement(), 1);
    assert_eq!(counter.get(), 0);
}

#[test]
fn an_update_is_one_step() {
    let register = SharedRegister::new(vec![0]);
    let other = register.clone();
    let thread = thread::spawn(move || other.update(|all| all.push(1)));
    register.update(|all| all.push(2));
    thread.join().unwrap();
    assert_eq!(register.get().len(), 3);
    register.set(Vec::new());
    assert!(register.get().is_empty());
}

#[test]
fn a_key_is_inserted_by_one_of_two() {
    let map = SharedMap::new();
    let other = map.clone();
    let thread = thread::spawn(move || other.try_insert("key", 1).is_ok());
    let mine = map.try_insert("key", 2).is_ok();
    let theirs = thread.join().unwrap();
    assert!(mine != theirs);
    assert_eq!(map.get(&"key"), Some(if mine { 2 } else { 1 }));
    assert_eq!(
        map.update("key", |value| value.map(|value| value + 5))
            .map(|it| it > 5),
        Some(true)
    );
    assert_eq!(map.len(), 1);
    assert!(map.remove(&"key").is_some());
    assert!(map.is_empty() && map.entries().is_empty());
}

#[test]
#[should_panic(expected = "a change that panics")]
fn a_panic_in_a_change_leaves_the_object_free() {
    let register = SharedRegister::new(0);
    let other = register.clone();
    let panics = || other.update(|_| panic!("a change that panics"));
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics));
    if let Err(panic) = unwound {
        register.set(1);
        assert_eq!(register.get(), 1);
        std::panic::resume_unwind(panic);
    }
}
