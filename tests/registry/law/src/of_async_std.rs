//! async-std, whose executor has threads of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use async_std::channel;
use async_std::sync::{Condvar, Mutex};
use async_std::task::{self, block_on};

use crate::{Log, tell};

#[test]
fn updates_across_an_await() {
    let value = Arc::new(AtomicU32::new(0));
    let tasks = [(); 2].map(|()| {
        let value = value.clone();
        task::spawn(async move {
            let before = value.load(SeqCst);
            task::yield_now().await;
            value.store(before + 1, SeqCst);
        })
    });
    block_on(async {
        for task in tasks {
            task.await;
        }
    });
    tell(value.load(SeqCst));
}

#[test]
fn who_gets_a_lock_first() {
    let (lock, log) = (Arc::new(Mutex::new(())), Log::default());
    let tasks = ['a', 'b'].map(|name| {
        let (lock, log) = (lock.clone(), log.clone());
        task::spawn(async move {
            let _guard = lock.lock().await;
            log.add(name);
        })
    });
    block_on(async {
        for task in tasks {
            task.await;
        }
    });
    log.tell();
}

#[test]
fn what_a_channel_brings() {
    let (sender, receiver) = channel::bounded(1);
    for name in ['a', 'b'] {
        let sender = sender.clone();
        task::spawn(async move { sender.send(name).await });
    }
    drop(sender);
    let log = Log::default();
    block_on(async {
        while let Ok(name) = receiver.recv().await {
            log.add(name);
        }
    });
    log.tell();
}

#[test]
fn how_often_a_condition_is_looked_at() {
    let state = Arc::new((Mutex::new(false), Condvar::new()));
    let of_task = state.clone();
    let setter = task::spawn(async move {
        *of_task.0.lock().await = true;
        of_task.1.notify_one();
    });
    let mut looks = 0;
    block_on(async {
        let mut is_set = state.0.lock().await;
        looks += 1;
        while !*is_set {
            is_set = state.1.wait(is_set).await;
            looks += 1;
        }
        drop(is_set);
        setter.await;
    });
    tell(looks);
}
