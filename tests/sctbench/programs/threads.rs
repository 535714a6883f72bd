//! Threads over one shared state.

use std::sync::Arc;

use cct_shims::std::thread::{self, JoinHandle};

/// Runs a thread for each body, in this order, and waits for all.
pub(super) fn run<S, const N: usize>(state: S, bodies: [fn(&S); N])
where
    S: Send + Sync + 'static,
{
    let state = Arc::new(state);
    join(bodies.map(|body| start(&state, body)));
}

/// Starts a thread that shares the state.
#[track_caller]
pub(super) fn start<S, T>(
    state: &Arc<S>,
    body: impl FnOnce(&S) -> T + Send + 'static,
) -> JoinHandle<T>
where
    S: Send + Sync + 'static,
    T: Send + 'static,
{
    let state = Arc::clone(state);
    thread::spawn(move || body(&state))
}

/// Waits for all of them, in this order.
#[track_caller]
pub(super) fn join<T>(threads: impl IntoIterator<Item = JoinHandle<T>>) {
    for thread in threads {
        thread.join().unwrap();
    }
}
