//! The workloads: the programs of the benchmarks, each for a fixed number of schedules.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use cct_shims::future::{AwaitPoint as _, Driven};
use futures::executor::LocalPool;
use futures::task::LocalSpawnExt as _;

#[macro_use]
#[path = "../benches/peers/bodies.rs"]
mod bodies;

/// A program and how much of it is measured.
pub(crate) struct Program {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// How many schedules are measured.
    pub(crate) schedules: u64,
    pub(crate) body: fn(),
}

/// All programs, from the smallest.
pub(crate) const ALL: [Program; 9] = [
    program("empty", 40, on_cct::empty),
    program("spawn_join_4", 40, || on_cct::spawn_join(4)),
    program("mutex_2x100", 20, || on_cct::mutex(2, 100)),
    program("mpsc_100", 20, || on_cct::mpsc(100)),
    program("condvar_100", 20, || on_cct::condvar(100)),
    program("atomic_8x100", 10, || on_cct::atomic(8, 100)),
    program("atomic_64x100", 2, || on_cct::atomic(64, 100)),
    program("atomic_100x100", 1, || on_cct::atomic(100, 100)),
    program("tasks_10x50", 5, tasks),
];

const fn program(name: &'static str, schedules: u64, body: fn()) -> Program {
    Program {
        name,
        schedules,
        body,
    }
}

bodies!(on_cct, cct_shims::std);

/// Ten tasks that give way fifty times each, on the executor of `futures`; what the source layer adds is
/// written by hand, since nothing rebuilds this crate.
fn tasks() {
    let mut pool = LocalPool::new();
    let spawner = pool.spawner();
    for _ in 0..10 {
        let task = Driven::spawned(give_way());
        spawner.spawn_local(task).expect("it runs");
    }
    pool.run();
}

async fn give_way() {
    for _ in 0..50 {
        Yield::default().__cct_await(|| ()).await;
    }
}

/// Gives way once: wakes its task and is not ready.
#[derive(Default)]
struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
