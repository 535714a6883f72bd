//! `futures`: what its combinators, channels and executors come to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::task::Poll;
use std::thread;

use futures::channel::{mpsc, oneshot};
use futures::executor::{LocalPool, ThreadPool, block_on};
use futures::future::{self, Either, FutureExt, Shared, poll_fn};
use futures::lock::Mutex;
use futures::stream::{FuturesOrdered, FuturesUnordered, StreamExt};
use futures::task::{AtomicWaker, LocalSpawnExt, SpawnExt};
use futures::{SinkExt, join, select, select_biased};

use crate::{Log, tell};

/// A flag that a thread sets; how often the future was polled.
fn polls_of_a_flag(registers_first: bool) {
    let state = Arc::new((AtomicWaker::new(), AtomicBool::new(false)));
    let of_thread = state.clone();
    let setter = thread::spawn(move || {
        of_thread.1.store(true, SeqCst);
        of_thread.0.wake();
    });
    let mut polls = 0;
    block_on(poll_fn(|context| {
        polls += 1;
        if registers_first {
            state.0.register(context.waker());
        }
        if state.1.load(SeqCst) {
            return Poll::Ready(());
        }
        if !registers_first {
            state.0.register(context.waker());
        }
        Poll::Pending
    }));
    setter.join().unwrap();
    tell(polls);
}

#[test]
fn an_atomic_waker() {
    polls_of_a_flag(true);
}

#[test]
fn loses_an_atomic_waker_that_is_registered_too_late() {
    polls_of_a_flag(false);
}

#[test]
fn two_who_share_a_future() {
    let (sender, receiver) = oneshot::channel();
    let shared: Shared<_> = receiver.shared();
    let log = Log::default();
    let pool = ThreadPool::builder().pool_size(1).create().unwrap();
    let (other, of_pool) = (shared.clone(), log.clone());
    let task = pool.spawn_with_handle(async move {
        other.await.unwrap();
        of_pool.add('p');
    });
    let sent = thread::spawn(move || sender.send(()).unwrap());
    block_on(async {
        shared.await.unwrap();
        log.add('m');
        task.unwrap().await;
    });
    sent.join().unwrap();
    log.tell();
}

fn two_sent() -> [oneshot::Receiver<char>; 2] {
    ['a', 'b'].map(|name| {
        let (sender, receiver) = oneshot::channel();
        thread::spawn(move || sender.send(name).ok());
        receiver
    })
}

#[test]
fn unordered_futures() {
    let mut parts: FuturesUnordered<_> = two_sent().into_iter().collect();
    let log = Log::default();
    block_on(async {
        while let Some(name) = parts.next().await {
            log.add(name.unwrap());
        }
    });
    log.tell();
}

#[test]
fn ordered_futures_and_when_they_were_ready() {
    let log = Log::default();
    let parts = two_sent().map(|part| {
        let log = log.clone();
        async move { log.add(part.await.unwrap()) }
    });
    let parts: FuturesOrdered<_> = parts.into_iter().collect();
    block_on(parts.collect::<Vec<()>>());
    log.tell();
}

#[test]
fn a_selection_of_two() {
    let [a, b] = two_sent();
    match block_on(future::select(a, b)) {
        Either::Left((name, _)) | Either::Right((name, _)) => tell(name),
    }
}

#[test]
fn a_random_selection() {
    let [a, b] = two_sent();
    let (mut a, mut b) = (a.fuse(), b.fuse());
    tell(block_on(async {
        select! { name = a => name, name = b => name }
    }));
}

#[test]
fn a_selection_with_a_bias() {
    let [a, b] = two_sent();
    let (mut a, mut b) = (a.fuse(), b.fuse());
    tell(block_on(async {
        select_biased! { name = a => name, name = b => name }
    }));
}

#[test]
fn parts_that_are_joined() {
    let [a, b] = two_sent();
    let log = Log::default();
    block_on(async {
        join!(async { log.add(a.await.unwrap()) }, async {
            log.add(b.await.unwrap())
        })
    });
    log.tell();
}

#[test]
fn a_sender_that_is_dropped_or_not() {
    let (sender, receiver) = oneshot::channel();
    let go = Arc::new(AtomicBool::new(false));
    let of_thread = go.clone();
    thread::spawn(move || {
        if of_thread.load(SeqCst) {
            sender.send(1).ok()
        } else {
            None
        }
    });
    go.store(true, SeqCst);
    tell(block_on(receiver));
}

#[test]
fn what_a_bounded_channel_brings() {
    let (sender, receiver) = mpsc::channel(0);
    for name in ['a', 'b'] {
        let mut sender = sender.clone();
        thread::spawn(move || block_on(sender.send(name)));
    }
    drop(sender);
    let all: String = block_on(receiver.collect());
    tell(all);
}

#[test]
fn updates_across_an_await() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let value = Arc::new(AtomicU32::new(0));
    let tasks = [(); 2].map(|()| {
        let value = value.clone();
        let update = async move {
            let before = value.load(SeqCst);
            future::ready(()).await;
            value.store(before + 1, SeqCst);
        };
        pool.spawn_with_handle(update).unwrap()
    });
    block_on(future::join_all(tasks));
    tell(value.load(SeqCst));
}

#[test]
fn who_gets_a_lock_first() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let (lock, log) = (Arc::new(Mutex::new(())), Log::default());
    let tasks = ['a', 'b'].map(|name| {
        let (lock, log) = (lock.clone(), log.clone());
        let work = async move {
            let _guard = lock.lock().await;
            log.add(name);
        };
        pool.spawn_with_handle(work).unwrap()
    });
    block_on(future::join_all(tasks));
    log.tell();
}

#[test]
fn tasks_of_a_local_pool() {
    let mut pool = LocalPool::new();
    let log = Log::default();
    for name in ['a', 'b'] {
        let log = log.clone();
        let work = async move {
            log.add(name);
            future::ready(()).await;
            log.add(name);
        };
        pool.spawner().spawn_local(work).unwrap();
    }
    pool.run();
    log.tell();
}
