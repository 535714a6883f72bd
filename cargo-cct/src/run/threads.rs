//! Threads of the tool. That the system has no more of them is an error.

use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Starts a thread.
pub(crate) fn start<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    Builder::new()
        .spawn(work)
        .map_err(|error| explained(&error))
}

/// Starts a thread that ends within the scope.
pub(crate) fn start_in<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    Builder::new()
        .spawn_scoped(scope, work)
        .map_err(|error| explained(&error))
}

fn explained(error: &io::Error) -> io::Error {
    let text = format!("cannot make a thread ({error}): there may be a limit, see `ulimit -u`");
    io::Error::new(error.kind(), text)
}
