//! One thread waits at the gate that another opens.

use std::thread;

use wakeup::{Gate, HastyGate};

/// Deadlocks under some schedules: the gate opens after the waiter looked and before it sleeps.
#[test]
fn a_hasty_gate_lets_everybody_pass() {
    let gate = HastyGate::default();
    thread::scope(|scope| {
        scope.spawn(|| gate.pass());
        gate.open();
    });
}

#[test]
fn a_gate_lets_everybody_pass() {
    let gate = Gate::default();
    thread::scope(|scope| {
        scope.spawn(|| gate.pass());
        scope.spawn(|| gate.pass());
        gate.open();
    });
}
