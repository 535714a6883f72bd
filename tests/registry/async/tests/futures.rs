//! The executors, combinators and channels of `futures`.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use futures::channel::{mpsc, oneshot};
use futures::executor::{LocalPool, ThreadPool, block_on};
use futures::future::{self, AbortHandle, Abortable, Either, FutureExt};
use futures::lock::Mutex;
use futures::stream::{self, FuturesOrdered, FuturesUnordered, StreamExt};
use futures::task::{LocalSpawnExt, SpawnExt};
use futures::{SinkExt, join, pin_mut, select, try_join};

#[test]
fn a_future_is_blocked_on() {
    let (sender, receiver) = oneshot::channel();
    std::thread::spawn(move || sender.send(3).unwrap());
    assert_eq!(block_on(receiver), Ok(3));
}

#[test]
fn a_pool_runs_all() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let handles: Vec<_> = (0..3)
        .map(|n| pool.spawn_with_handle(async move { n }).unwrap())
        .collect();
    assert_eq!(block_on(future::join_all(handles)), [0, 1, 2]);
}

#[test]
fn a_local_pool_runs_what_is_not_send() {
    let mut pool = LocalPool::new();
    let count = Rc::new(Cell::new(0));
    for _ in 0..3 {
        let count = Rc::clone(&count);
        let task = async move { count.set(count.get() + 1) };
        pool.spawner().spawn_local(task).unwrap();
    }
    pool.run();
    assert_eq!(count.get(), 3);
}

#[test]
fn a_local_pool_runs_until_it_stalls() {
    let mut pool = LocalPool::new();
    let (sender, receiver) = oneshot::channel();
    let seen = Rc::new(Cell::new(0));
    let task = {
        let seen = Rc::clone(&seen);
        async move { seen.set(receiver.await.unwrap()) }
    };
    pool.spawner().spawn_local(task).unwrap();
    pool.run_until_stalled();
    assert_eq!(seen.get(), 0);
    sender.send(5).unwrap();
    pool.run_until_stalled();
    assert_eq!(seen.get(), 5);
}

#[test]
fn a_future_polled_by_hand_is_ready_when_it_is() {
    let (sender, mut receiver) = oneshot::channel();
    assert_eq!((&mut receiver).now_or_never(), None);
    sender.send(1).unwrap();
    assert_eq!(receiver.now_or_never(), Some(Ok(1)));
    assert_eq!(async { async { 2 }.await }.now_or_never(), Some(2));
}

#[test]
fn joins_wait_for_both() {
    let (sender, receiver) = oneshot::channel();
    let (sent, received) = block_on(async { join!(async { sender.send(1) }, receiver) });
    assert_eq!((sent, received), (Ok(()), Ok(1)));
    let failed = block_on(async {
        try_join!(
            future::pending::<Result<(), u32>>(),
            future::err::<(), _>(4)
        )
    });
    assert_eq!(failed, Err(4));
}

#[test]
fn a_selection_takes_what_is_ready() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let (mut left, mut lefts) = mpsc::channel(0);
    let (mut right, mut rights) = mpsc::channel(0);
    pool.spawn_ok(async move { left.send(1).await.unwrap() });
    pool.spawn_ok(async move { right.send(2).await.unwrap() });
    let sum = block_on(async {
        let mut sum = 0;
        loop {
            select! {
                n = lefts.select_next_some() => sum += n,
                n = rights.select_next_some() => sum += n,
                complete => break sum,
            }
        }
    });
    assert_eq!(sum, 3);
}

#[test]
fn the_other_future_of_a_selection_goes_on() {
    let (sender, receiver) = oneshot::channel();
    let ready = future::ready(1);
    pin_mut!(ready);
    let Either::Left((one, rest)) = block_on(future::select(ready, receiver)) else {
        panic!("the other has not been sent");
    };
    sender.send(2).unwrap();
    assert_eq!(one + block_on(rest).unwrap(), 3);
}

#[test]
fn a_shared_future_runs_once() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let (sender, receiver) = oneshot::channel::<u32>();
    let shared = receiver.shared();
    let others: Vec<_> = (0..2)
        .map(|_| pool.spawn_with_handle(shared.clone()).unwrap())
        .collect();
    sender.send(6).unwrap();
    assert_eq!(block_on(shared), Ok(6));
    assert_eq!(block_on(future::join_all(others)), [Ok(6), Ok(6)]);
}

#[test]
fn unordered_futures_all_come() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let futures: FuturesUnordered<_> = (0..3)
        .map(|n| pool.spawn_with_handle(async move { n }).unwrap())
        .collect();
    let sum = block_on(futures.fold(0, |sum, n| async move { sum + n }));
    assert_eq!(sum, 3);
    let ordered: FuturesOrdered<_> = (0..3)
        .map(|n| pool.spawn_with_handle(async move { n }).unwrap())
        .collect();
    assert_eq!(block_on(ordered.collect::<Vec<_>>()), [0, 1, 2]);
}

#[test]
fn a_stream_is_buffered() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let squares = stream::iter(0..4)
        .map(|n| pool.spawn_with_handle(async move { n * n }).unwrap())
        .buffer_unordered(2);
    let mut squares: Vec<_> = block_on(squares.collect());
    squares.sort_unstable();
    assert_eq!(squares, [0, 1, 4, 9]);
}

#[test]
fn channels_end_with_their_senders() {
    let (sender, receiver) = mpsc::unbounded();
    let threads: Vec<_> = (0..2)
        .map(|n| {
            let sender = sender.clone();
            std::thread::spawn(move || sender.unbounded_send(n).unwrap())
        })
        .collect();
    drop(sender);
    assert_eq!(
        block_on(receiver.fold(0, |sum, n| async move { sum + n })),
        1
    );
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_lock_excludes() {
    let pool = ThreadPool::builder().pool_size(2).create().unwrap();
    let count = Arc::new(Mutex::new(0));
    let handles: Vec<_> = (0..3)
        .map(|_| {
            let count = Arc::clone(&count);
            pool.spawn_with_handle(async move { *count.lock().await += 1 })
                .unwrap()
        })
        .collect();
    block_on(future::join_all(handles));
    assert_eq!(*block_on(count.lock()), 3);
}

#[test]
fn an_aborted_future_ends() {
    let pool = ThreadPool::builder().pool_size(1).create().unwrap();
    let (abort, registration) = AbortHandle::new_pair();
    let task = pool
        .spawn_with_handle(Abortable::new(future::pending::<()>(), registration))
        .unwrap();
    abort.abort();
    assert!(block_on(task).is_err());
}
