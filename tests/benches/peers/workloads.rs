//! What is measured: one body for all engines, written against the part of std that they share.

/// A body, compiled for each engine.
#[derive(Debug)]
pub(crate) struct Workload {
    /// Its name in tables.
    pub(crate) name: &'static str,
    /// How many operations on threads, locks, atomics and channels one execution has to make.
    pub(crate) operations: u64,
    /// For this engine.
    pub(crate) cct: fn(),
    /// For Shuttle.
    pub(crate) shuttle: fn(),
    /// For Loom.
    pub(crate) loom: fn(),
}

macro_rules! workload {
    ($name:ident, $($body:ident)::+ $(($($size:literal),+))?, $operations:expr) => {
        Workload {
            name: stringify!($name),
            operations: $operations,
            cct: || on_cct::$($body)::+($($($size),+)?),
            shuttle: || on_shuttle::$($body)::+($($($size),+)?),
            loom: || on_loom::$($body)::+($($($size),+)?),
        }
    };
}

/// All workloads, from the smallest.
pub(crate) static ALL: [Workload; 11] = [
    workload!(empty, empty, 1),
    workload!(spawn_join_1, spawn_join(1), 2),
    workload!(spawn_join_4, spawn_join(4), 2 * 4),
    workload!(spawn_join_50, spawn_join(50), 2 * 50),
    workload!(mutex_2x100, mutex(2, 100), 2 * (2 + 2 * 100)),
    workload!(mpsc_100, mpsc(100), 2 + 2 * 100),
    workload!(condvar_100, condvar(100), 2 * (2 + 3 * 100)),
    workload!(atomic_4x100, atomic(4, 100), 4 * (2 + 100)),
    workload!(atomic_8x100, atomic(8, 100), 8 * (2 + 100)),
    workload!(atomic_64x100, atomic(64, 100), 64 * (2 + 100)),
    workload!(atomic_512x10, atomic(512, 10), 512 * (2 + 10)),
];

/// The bodies, against the module that stands in for `std`.
macro_rules! bodies {
    ($module:ident, $($std:ident)::+) => {
        mod $module {
            use std::sync::Arc;

            use $($std)::+::sync::atomic::{AtomicUsize, Ordering};
            use $($std)::+::sync::{Condvar, Mutex, mpsc};
            use $($std)::+::thread;

            pub(super) fn empty() {}

            pub(super) fn spawn_join(threads: usize) {
                let handles: Vec<_> = (0..threads).map(|_| thread::spawn(|| ())).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            pub(super) fn mutex(threads: usize, times: usize) {
                let count = Arc::new(Mutex::new(0));
                let work = |count: Arc<Mutex<usize>>| {
                    move || {
                        for _ in 0..times {
                            *count.lock().unwrap() += 1;
                        }
                    }
                };
                let spawn = |_| thread::spawn(work(Arc::clone(&count)));
                let handles: Vec<_> = (0..threads).map(spawn).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            pub(super) fn atomic(threads: usize, times: usize) {
                let count = Arc::new(AtomicUsize::new(0));
                let work = |count: Arc<AtomicUsize>| {
                    move || {
                        for _ in 0..times {
                            count.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                };
                let spawn = |_| thread::spawn(work(Arc::clone(&count)));
                let handles: Vec<_> = (0..threads).map(spawn).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            pub(super) fn mpsc(times: usize) {
                let (sender, receiver) = mpsc::channel();
                let handle = thread::spawn(move || {
                    for number in 0..times {
                        sender.send(number).unwrap();
                    }
                });
                for number in 0..times {
                    assert_eq!(receiver.recv().unwrap(), number);
                }
                handle.join().unwrap();
            }

            /// Two threads take turns: each waits for its turn and gives it to the other.
            pub(super) fn condvar(times: usize) {
                let table = Arc::new((Mutex::new(0), Condvar::new()));
                let play = |me: usize, table: Arc<(Mutex<usize>, Condvar)>| {
                    move || {
                        for _ in 0..times {
                            let mut turn = table.0.lock().unwrap();
                            while *turn != me {
                                turn = table.1.wait(turn).unwrap();
                            }
                            *turn = 1 - me;
                            table.1.notify_one();
                        }
                    }
                };
                let spawn = |me| thread::spawn(play(me, Arc::clone(&table)));
                let handles: Vec<_> = (0..2).map(spawn).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }
        }
    };
}

bodies!(on_cct, cct_shims::std);
bodies!(on_shuttle, shuttle);
bodies!(on_loom, loom);
