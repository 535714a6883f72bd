//! Programs without a bug that use what strategies look at: atomics, locks, channels, values, spawns,
//! spinning and time.

use std::sync::Arc;
use std::time::Duration;

use cct_shims::std::hint;
use cct_shims::std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use cct_shims::std::sync::{Condvar, Mutex, RwLock, mpsc};
use cct_shims::std::thread;

/// All of them, by name.
pub(crate) const ALL: [(&str, fn()); 6] = [
    ("atomics", atomics),
    ("locks", locks),
    ("channels", channels),
    ("values", values),
    ("spawns", spawns),
    ("time", time),
];

fn atomics() {
    let shared = Arc::new([const { AtomicU32::new(0) }; 3]);
    let work = |index: usize| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            for _ in 0..4 {
                let seen = shared[index].fetch_add(1, Ordering::SeqCst);
                shared[(index + 1) % 3].store(seen, Ordering::SeqCst);
                let next = &shared[(index + 2) % 3];
                _ = next.compare_exchange(seen, 7, Ordering::SeqCst, Ordering::SeqCst);
            }
        })
    };
    for thread in [0, 1, 2].map(work) {
        thread.join().expect("no panic");
    }
}

fn locks() {
    let shared = Arc::new((Mutex::new(0), Condvar::new(), RwLock::new(0)));
    let work = |index: u32| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (turn, changed, total) = &*shared;
            let mut turn = turn.lock().expect("not poisoned");
            while *turn != index {
                turn = changed.wait(turn).expect("not poisoned");
            }
            *turn += 1;
            changed.notify_all();
            drop(turn);
            let seen = *total.read().expect("not poisoned");
            *total.write().expect("not poisoned") = seen + 1;
        })
    };
    for thread in [0, 1, 2].map(work) {
        thread.join().expect("no panic");
    }
}

fn channels() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let send = |first: u32| {
        let sender = sender.clone();
        thread::spawn(move || {
            for value in first..first + 3 {
                sender.send(value).expect("somebody receives");
            }
        })
    };
    let threads = [0, 10].map(send);
    drop(sender);
    assert_eq!(receiver.iter().count(), 6);
    for thread in threads {
        thread.join().expect("no panic");
    }
}

fn values() {
    let total = Arc::new(AtomicU32::new(0));
    let work = |count: usize| {
        let total = Arc::clone(&total);
        thread::spawn(move || {
            for _ in 0..3 {
                let value = cct::nondet_index(count) as u32;
                total.fetch_add(value, Ordering::SeqCst);
                if cct::nondet_bool() {
                    thread::yield_now();
                }
            }
        })
    };
    for thread in [2, 3, 20].map(work) {
        thread.join().expect("no panic");
    }
}

fn spawns() {
    let ready = Arc::new(AtomicBool::new(false));
    let spins = {
        let ready = Arc::clone(&ready);
        thread::spawn(move || {
            while !ready.load(Ordering::SeqCst) {
                hint::spin_loop();
            }
        })
    };
    let parked = thread::spawn(thread::park);
    let parent = {
        let unparks = parked.thread().clone();
        thread::spawn(move || {
            let child = thread::spawn(move || unparks.unpark());
            ready.store(true, Ordering::SeqCst);
            child.join().expect("no panic");
        })
    };
    for thread in [spins, parked, parent] {
        thread.join().expect("no panic");
    }
}

fn time() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let waits = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (done, changed) = &*shared;
            let mut done = done.lock().expect("not poisoned");
            while !*done {
                let limit = Duration::from_millis(5);
                done = changed.wait_timeout(done, limit).expect("not poisoned").0;
            }
        })
    };
    // Both at one moment.
    thread::sleep(Duration::from_millis(5));
    *shared.0.lock().expect("not poisoned") = true;
    shared.1.notify_one();
    waits.join().expect("no panic");
}
