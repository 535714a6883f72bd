//! A gate that threads wait at until it opens: the **missed notification**.
//!
//! [`HastyGate`] keeps its state in an atomic flag beside the lock. A thread that finds the flag down
//! takes the lock and goes to sleep; but the gate may have opened, and everybody may have been
//! notified, after it looked and before it slept. Nobody will notify again.
//!
//! [`Gate`] keeps the flag under the lock. A condition variable gives the lock back in the same step
//! in which it goes to sleep, so nobody can open the gate in between.
//!
//! ```text
//! cargo cct test -p wakeup
//! ```

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex};

/// A gate whose waiters may miss that it opens.
#[derive(Debug, Default)]
pub struct HastyGate {
    is_open: AtomicBool,
    lock: Mutex<()>,
    opened: Condvar,
}

impl HastyGate {
    /// Opens the gate.
    pub fn open(&self) {
        self.is_open.store(true, SeqCst);
        self.opened.notify_all();
    }

    /// Returns when the gate is open.
    ///
    /// The bug: the gate may open between the look and the sleep.
    pub fn pass(&self) {
        if !self.is_open.load(SeqCst) {
            let guard = self.lock.lock().unwrap();
            let guard = self.opened.wait(guard).unwrap();
            drop(guard);
        }
    }
}

/// A gate that all waiters get through.
///
/// ```
/// let gate = wakeup::Gate::default();
/// std::thread::scope(|scope| {
///     scope.spawn(|| gate.pass());
///     gate.open();
/// });
/// ```
#[derive(Debug, Default)]
pub struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    /// Opens the gate.
    pub fn open(&self) {
        *self.is_open.lock().unwrap() = true;
        self.opened.notify_all();
    }

    /// Returns when the gate is open.
    pub fn pass(&self) {
        let is_open = self.is_open.lock().unwrap();
        let is_open = self
            .opened
            .wait_while(is_open, |is_open| !*is_open)
            .unwrap();
        drop(is_open);
    }
}
