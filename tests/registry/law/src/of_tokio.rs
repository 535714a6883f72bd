//! tokio, on one thread and on two.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

use tokio::runtime::Builder;
use tokio::sync::{Barrier, Mutex, Notify, RwLock, Semaphore, broadcast, mpsc, oneshot, watch};
use tokio::task::{self, JoinSet, LocalSet};

use crate::{Log, tell};

fn on_one(work: impl Future<Output = ()>) {
    Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(work);
}

fn on_two(work: impl Future<Output = ()>) {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).build().unwrap().block_on(work);
}

/// The same program under both flavours.
macro_rules! both {
    ($($name:ident = $body:expr;)*) => {
        mod one {
            use super::*;
            $(#[test] fn $name() { on_one($body); })*
        }
        mod two {
            use super::*;
            $(#[test] fn $name() { on_two($body); })*
        }
    };
}

both! {
    a_permit_for_one_of_two = permit();
    who_gets_permits = permits();
    who_comes_to_a_barrier_last = barrier();
    who_gets_a_lock_first = lock();
    readers_and_a_writer = readers();
    values_that_a_watcher_sees = watched();
    what_a_late_receiver_misses = missed();
    what_a_channel_brings = brought();
    tasks_in_the_order_of_their_ends = ended();
    a_task_that_is_aborted_or_not = aborted();
    updates_across_an_await = updated();
    a_random_selection = selected();
    a_selection_with_a_bias = biased();
    blocking_work_and_a_task = blocked();
}

/// One permit for two who wait; the other one gets its own later.
async fn permit() {
    let (notify, log) = (Arc::new(Notify::new()), Log::default());
    let mut tasks = JoinSet::new();
    for name in ['a', 'b'] {
        let (notify, log) = (notify.clone(), log.clone());
        tasks.spawn(async move {
            notify.notified().await;
            log.add(name);
            notify.notify_one();
        });
    }
    notify.notify_one();
    while tasks.join_next().await.is_some() {}
    log.tell();
}

async fn permits() {
    let (semaphore, log) = (Arc::new(Semaphore::new(1)), Log::default());
    let mut tasks = JoinSet::new();
    for name in ['a', 'b'] {
        let (semaphore, log) = (semaphore.clone(), log.clone());
        tasks.spawn(async move {
            if let Ok(_permit) = semaphore.try_acquire() {
                log.add(name);
                task::yield_now().await;
            }
        });
    }
    while tasks.join_next().await.is_some() {}
    log.tell();
}

async fn barrier() {
    let (barrier, log) = (Arc::new(Barrier::new(2)), Log::default());
    let mut tasks = JoinSet::new();
    for name in ['a', 'b'] {
        let (barrier, log) = (barrier.clone(), log.clone());
        tasks.spawn(async move {
            if barrier.wait().await.is_leader() {
                log.add(name);
            }
        });
    }
    while tasks.join_next().await.is_some() {}
    log.tell();
}

async fn lock() {
    let (lock, log) = (Arc::new(Mutex::new(())), Log::default());
    let mut tasks = JoinSet::new();
    for name in ['a', 'b'] {
        let (lock, log) = (lock.clone(), log.clone());
        tasks.spawn(async move {
            let _guard = lock.lock().await;
            log.add(name);
            task::yield_now().await;
            log.add(name);
        });
    }
    while tasks.join_next().await.is_some() {}
    log.tell();
}

async fn readers() {
    let lock = Arc::new(RwLock::new(0));
    let of_task = lock.clone();
    let writer = tokio::spawn(async move { *of_task.write().await += 1 });
    let first = *lock.read().await;
    let second = *lock.read().await;
    writer.await.unwrap();
    tell((first, second));
}

async fn watched() {
    let (sender, mut receiver) = watch::channel(0);
    let writer = tokio::spawn(async move {
        for value in 1..3 {
            sender.send(value).unwrap();
            task::yield_now().await;
        }
    });
    let mut seen = Vec::new();
    while receiver.changed().await.is_ok() {
        seen.push(*receiver.borrow_and_update());
    }
    writer.await.unwrap();
    tell(seen);
}

async fn missed() {
    let (sender, mut receiver) = broadcast::channel(1);
    let writer = tokio::spawn(async move {
        for value in 1..3 {
            sender.send(value).unwrap();
            task::yield_now().await;
        }
    });
    let first = receiver.recv().await;
    writer.await.unwrap();
    tell(first);
}

async fn brought() {
    let (sender, mut receiver) = mpsc::channel(1);
    for name in ['a', 'b'] {
        let sender = sender.clone();
        tokio::spawn(async move {
            sender.send(name).await.unwrap();
            sender.send(name).await.unwrap();
        });
    }
    drop(sender);
    let mut all = String::new();
    while let Some(name) = receiver.recv().await {
        all.push(name);
    }
    tell(all);
}

async fn ended() {
    let mut tasks = JoinSet::new();
    for name in ['a', 'b'] {
        tasks.spawn(async move {
            task::yield_now().await;
            name
        });
    }
    let mut all = String::new();
    while let Some(name) = tasks.join_next().await {
        all.push(name.unwrap());
    }
    tell(all);
}

async fn aborted() {
    let log = Log::default();
    let of_task = log.clone();
    let job = tokio::spawn(async move {
        of_task.add('a');
        task::yield_now().await;
        of_task.add('b');
    });
    task::yield_now().await;
    job.abort();
    let is_over = job.await.is_ok();
    tell((is_over, log.0.lock().unwrap().clone()));
}

async fn updated() {
    let value = Arc::new(AtomicU32::new(0));
    let mut tasks = JoinSet::new();
    for _ in 0..2 {
        let value = value.clone();
        tasks.spawn(async move {
            let before = value.load(SeqCst);
            task::yield_now().await;
            value.store(before + 1, SeqCst);
        });
    }
    while tasks.join_next().await.is_some() {}
    tell(value.load(SeqCst));
}

fn two_sent() -> [oneshot::Receiver<char>; 2] {
    ['a', 'b'].map(|name| {
        let (sender, receiver) = oneshot::channel();
        tokio::spawn(async move { sender.send(name).ok() });
        receiver
    })
}

async fn selected() {
    let [a, b] = two_sent();
    tell(tokio::select! { name = a => name, name = b => name }.unwrap());
}

async fn biased() {
    let [a, b] = two_sent();
    tell(tokio::select! { biased; name = a => name, name = b => name }.unwrap());
}

async fn blocked() {
    let log = Log::default();
    let [of_work, of_task] = [log.clone(), log.clone()];
    let work = task::spawn_blocking(move || of_work.add('w'));
    let job = tokio::spawn(async move { of_task.add('t') });
    work.await.unwrap();
    job.await.unwrap();
    log.tell();
}

/// A task that comes to wait when all have been notified waits for ever.
#[test]
fn loses_a_notification_of_those_who_wait() {
    on_two(async {
        let notify = Arc::new(Notify::new());
        let of_thread = notify.clone();
        let thread = thread::spawn(move || of_thread.notify_waiters());
        notify.notified().await;
        thread.join().unwrap();
    });
}

#[test]
fn tasks_of_a_local_set() {
    on_one(async {
        let (set, log) = (LocalSet::new(), Log::default());
        for name in ['a', 'b'] {
            let log = log.clone();
            set.spawn_local(async move {
                log.add(name);
                task::yield_now().await;
                log.add(name);
            });
        }
        set.await;
        log.tell();
    });
}
