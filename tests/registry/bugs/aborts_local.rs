//! A task that must stay with its thread is aborted by another thread.
//!
//! The other thread drops the task's future, and with it a counted pointer whose copy is here: both change
//! the count, which is not atomic.

use std::future::pending;
use std::rc::Rc;
use std::thread;

use tokio::runtime::Builder;
use tokio::task::{LocalSet, yield_now};

#[test]
fn test() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let local = LocalSet::new();
    let stays = Rc::new(7);
    let moves = stays.clone();
    let task = local.spawn_local(async move {
        pending::<()>().await;
        drop(moves);
    });
    runtime.block_on(local.run_until(yield_now()));
    let aborts = thread::spawn(move || task.abort());
    drop(stays);
    aborts.join().unwrap();
}
