//! The workloads: one body for all engines, written against the part of std that they share.

#[macro_use]
#[path = "bodies.rs"]
mod bodies;

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

bodies!(on_cct, cct_shims::std);
bodies!(on_shuttle, shuttle);
bodies!(on_loom, loom);
