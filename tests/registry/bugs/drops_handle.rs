//! A task ends on one thread while another drops the handle to its result.
//!
//! Which of the two comes first is seen by an operation that is too weak: nothing orders the accesses of the
//! one before the other drops the result and frees the task.

use tokio::runtime::Builder;

#[test]
fn test() {
    let mut runtime = Builder::new()
        .threaded_scheduler()
        .core_threads(1)
        .build()
        .unwrap();
    runtime.block_on(async {
        drop(tokio::spawn(async { Box::new(7) }));
    });
}
