//! Loops of different lengths, none of which is left: all together they come round only after very long.

use std::hint;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

/// Waits for one of so many flags.
fn wait<const COUNT: usize>() {
    let flags = [const { AtomicBool::new(false) }; COUNT];
    while flags.iter().all(|flag| !flag.load(SeqCst)) {
        hint::spin_loop();
    }
}

#[test]
fn two() {
    thread::scope(|scope| {
        scope.spawn(wait::<9>);
        scope.spawn(wait::<11>);
    });
}

#[test]
fn three() {
    thread::scope(|scope| {
        scope.spawn(wait::<3>);
        scope.spawn(wait::<5>);
        wait::<7>();
    });
}

#[test]
fn two_long_ones() {
    thread::scope(|scope| {
        scope.spawn(wait::<61>);
        scope.spawn(wait::<83>);
    });
}

#[test]
fn one_alone() {
    wait::<67>();
}
