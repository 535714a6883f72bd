//! One task waits until another has said that it is ready, on a runtime with two threads.

use std::sync::Arc;

use readiness::{HastyReadiness, Readiness};

/// Deadlocks under some schedules: the notification comes between the look and the wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hasty_readiness_is_noticed() {
    let readiness = Arc::new(HastyReadiness::default());
    let waits = tokio::spawn({
        let readiness = Arc::clone(&readiness);
        async move { readiness.wait().await }
    });
    readiness.set();
    waits.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readiness_is_noticed() {
    let readiness = Arc::new(Readiness::default());
    let waits = tokio::spawn({
        let readiness = Arc::clone(&readiness);
        async move { readiness.wait().await }
    });
    readiness.set();
    waits.await.unwrap();
}
