//! async-std, which hides its executor behind functions like std's.

use std::time::Duration;

use async_std::channel;
use async_std::future::timeout;
use async_std::sync::{Arc, Barrier, Condvar, Mutex, RwLock};
use async_std::task;

#[async_std::test]
async fn a_spawned_task_runs() {
    assert_eq!(task::spawn(async { 3 }).await, 3);
}

#[async_std::test]
async fn a_mutex_excludes() {
    let count = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let count = Arc::clone(&count);
            task::spawn(async move {
                let mut count = count.lock().await;
                let before = *count;
                task::yield_now().await;
                *count = before + 1;
            })
        })
        .collect();
    for task in tasks {
        task.await;
    }
    assert_eq!(*count.lock().await, 3);
}

#[async_std::test]
async fn readers_see_whole_writes() {
    let pair = Arc::new(RwLock::new((0, 0)));
    let other = Arc::clone(&pair);
    let writer = task::spawn(async move {
        let mut pair = other.write().await;
        pair.0 += 1;
        task::yield_now().await;
        pair.1 += 1;
    });
    let read = *pair.read().await;
    assert_eq!(read.0, read.1);
    writer.await;
}

#[async_std::test]
async fn a_condition_is_waited_for() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    task::spawn(async move {
        *other.0.lock().await = true;
        other.1.notify_one();
    });
    let mut ready = pair.0.lock().await;
    while !*ready {
        ready = pair.1.wait(ready).await;
    }
}

#[async_std::test]
async fn a_barrier_has_one_leader() {
    let barrier = Arc::new(Barrier::new(2));
    let other = Arc::clone(&barrier);
    let task = task::spawn(async move { other.wait().await.is_leader() });
    let mine = barrier.wait().await.is_leader();
    assert_ne!(task.await, mine);
}

#[async_std::test]
async fn a_channel_keeps_the_order() {
    let (sender, receiver) = channel::bounded(1);
    task::spawn(async move {
        for n in 0..3 {
            sender.send(n).await.unwrap();
        }
    });
    for n in 0..3 {
        assert_eq!(receiver.recv().await, Ok(n));
    }
    assert!(receiver.recv().await.is_err());
}

#[async_std::test]
async fn time_passes() {
    task::sleep(Duration::from_millis(50)).await;
    let never = timeout(Duration::from_millis(50), std::future::pending::<()>());
    assert!(never.await.is_err());
}

#[async_std::test]
async fn what_blocks_has_threads_of_its_own() {
    assert_eq!(task::spawn_blocking(|| 4).await, 4);
}

#[async_std::test]
async fn a_cancelled_task_ends() {
    let task = task::spawn(std::future::pending::<()>());
    assert_eq!(task.cancel().await, None);
}

#[test]
fn a_future_is_blocked_on() {
    assert_eq!(task::block_on(async { task::spawn(async { 1 }).await }), 1);
}
