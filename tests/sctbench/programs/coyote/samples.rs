//! Smaller samples: a bounded buffer, accounts in a database, and a chain of tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use cct::engine;
use cct_shims::std::sync::atomic::{AtomicUsize, Ordering};
use cct_shims::std::sync::{Condvar, Mutex};

use crate::program::require;
use crate::programs::flavour::Flavour;
use crate::programs::threads::{join, start};

/// A buffer of one place with one condition for those that put and those that take, and one of them woken
/// at a time: a taker may wake a taker, and then all wait.
///
/// Two writers with two items each and two readers. Mended: all are woken.
pub(super) fn bounded_buffer(flavour: Flavour) {
    const ITEMS: usize = 2;
    struct Buffer {
        flavour: Flavour,
        place: Mutex<Option<usize>>,
        changed: Condvar,
    }
    impl Buffer {
        /// Does this as soon as it can be done.
        fn update<T>(&self, mut change: impl FnMut(&mut Option<usize>) -> Option<T>) -> T {
            let mut place = self.place.lock().unwrap();
            loop {
                if let Some(done) = change(&mut place) {
                    match self.flavour {
                        Flavour::Buggy => self.changed.notify_one(),
                        Flavour::Fixed => self.changed.notify_all(),
                    }
                    return done;
                }
                place = self.changed.wait(place).unwrap();
            }
        }
    }
    fn write(buffer: &Buffer) {
        for item in 0..ITEMS {
            buffer.update(|place| place.is_none().then(|| *place = Some(item)));
        }
    }
    fn read(buffer: &Buffer) {
        for _ in 0..ITEMS {
            buffer.update(Option::take);
        }
    }
    let buffer = Arc::new(Buffer {
        flavour,
        place: Mutex::new(None),
        changed: Condvar::new(),
    });
    join([read, read, write, write].map(|body| start(&buffer, body)));
}

/// Two requests create the same account: each looks whether it exists, and then makes a row, which must
/// not exist.
///
/// Mended: looked at and made in one operation of the database.
pub(super) fn create_account(flavour: Flavour) {
    struct Database {
        flavour: Flavour,
        rows: Mutex<BTreeMap<&'static str, u32>>,
    }
    fn create(database: &Database) {
        if database.flavour.is_fixed() {
            database.rows.lock().unwrap().entry("account").or_insert(0);
            return;
        }
        let exists = database.rows.lock().unwrap().contains_key("account");
        if !exists {
            let existing = database.rows.lock().unwrap().insert("account", 0);
            require(existing.is_none());
        }
    }
    let database = Arc::new(Database {
        flavour,
        rows: Mutex::new(BTreeMap::new()),
    });
    join([create, create].map(|body| start(&database, body)));
}

/// Two requests, each a long chain of short tasks of which one is the continuation of the one before; the
/// first fails if it begins when the second is through.
///
/// Of two orders of two requests PCT should find each often, and over chains it does: in half of the
/// schedules at depth 1, when there are no change points. If each task has a priority of its own, all of
/// the second request's must be higher than that of the first one's first. Mended: the last task waits for
/// the first request to begin.
pub(super) fn task_chain(flavour: Flavour) {
    const LENGTH: usize = 100;
    struct Requests {
        flavour: Flavour,
        /// Closed until both are there, so that it does not matter which was made first.
        gate: Mutex<()>,
        has_begun: Mutex<bool>,
        begun: Condvar,
        /// How many tasks of the second are through.
        progress: AtomicUsize,
    }
    fn first(requests: &Arc<Requests>, task: usize) {
        if task == 0 {
            drop(requests.gate.lock().unwrap());
            require(requests.progress.load(Ordering::SeqCst) < LENGTH);
            *requests.has_begun.lock().unwrap() = true;
            requests.begun.notify_one();
        }
        if task + 1 < LENGTH {
            go_on(requests, move |requests| first(requests, task + 1));
        }
    }
    fn second(requests: &Arc<Requests>, task: usize) {
        if task == 0 {
            drop(requests.gate.lock().unwrap());
        }
        if task + 1 < LENGTH {
            requests.progress.fetch_add(1, Ordering::SeqCst);
            return go_on(requests, move |requests| second(requests, task + 1));
        }
        if requests.flavour.is_fixed() {
            let mut has_begun = requests.has_begun.lock().unwrap();
            while !*has_begun {
                has_begun = requests.begun.wait(has_begun).unwrap();
            }
        }
        requests.progress.fetch_add(1, Ordering::SeqCst);
    }
    /// Makes the continuation of the current task runnable.
    fn go_on(requests: &Arc<Requests>, task: impl FnOnce(&Arc<Requests>) + 'static) {
        let chain = engine::current().map(engine::chain_of);
        let requests = Arc::clone(requests);
        let worker = engine::spawn_in(None, None, chain, Box::new(move || task(&requests)));
        require(worker.is_some());
    }
    let requests = Arc::new(Requests {
        flavour,
        gate: Mutex::new(()),
        has_begun: Mutex::new(false),
        begun: Condvar::new(),
        progress: AtomicUsize::new(0),
    });
    let closed = requests.gate.lock().unwrap();
    for request in [first, second] {
        let requests = Arc::clone(&requests);
        let root = engine::spawn(None, None, Box::new(move || request(&requests, 0)));
        require(root.is_some());
    }
    drop(closed);
}
