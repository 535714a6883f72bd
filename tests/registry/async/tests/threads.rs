//! Pools, channels and shared structures of threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use arc_swap::ArcSwap;
use crossbeam::channel;
use crossbeam::deque::{Steal, Worker};
use crossbeam::epoch::{self, Atomic, Owned};
use crossbeam::queue::{ArrayQueue, SegQueue};
use crossbeam::sync::{Parker, ShardedLock, WaitGroup};
use dashmap::DashMap;
use rayon::prelude::*;

#[test]
fn a_pool_joins_all_it_was_given() {
    let pool = threadpool::ThreadPool::new(2);
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..3 {
        let count = Arc::clone(&count);
        pool.execute(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
    }
    pool.join();
    assert_eq!(count.load(Ordering::Relaxed), 3);
}

#[test]
fn a_scoped_pool_borrows() {
    let mut numbers = [1, 2, 3];
    scoped_threadpool::Pool::new(2).scoped(|scope| {
        for n in &mut numbers {
            scope.execute(move || *n *= 2);
        }
    });
    assert_eq!(numbers, [2, 4, 6]);
}

#[test]
fn a_pool_of_rayon_joins_and_iterates() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    let (sum, most) = pool.install(|| {
        rayon::join(
            || (1..=4_u32).into_par_iter().sum::<u32>(),
            || [3, 9, 5].par_iter().copied().max(),
        )
    });
    assert_eq!((sum, most), (10, Some(9)));
}

#[test]
fn the_global_pool_has_scopes() {
    let count = AtomicUsize::new(0);
    rayon::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn a_task_waits_for_a_pool() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    rayon::spawn(move || {
        sender
            .send((0..4_u32).into_par_iter().sum::<u32>())
            .unwrap()
    });
    assert_eq!(runtime.block_on(receiver), Ok(6));
}

#[test]
fn kanal_speaks_both_languages() {
    let (sender, receiver) = kanal::bounded_async(0);
    let thread = thread::spawn(move || {
        let sender = sender.to_sync();
        for n in 0..3 {
            sender.send(n).unwrap();
        }
    });
    futures::executor::block_on(async {
        for n in 0..3 {
            assert_eq!(receiver.recv().await, Ok(n));
        }
    });
    thread.join().unwrap();
}

#[test]
fn flume_speaks_both_languages() {
    let (sender, receiver) = flume::bounded(1);
    let thread = thread::spawn(move || {
        for n in 0..3 {
            sender.send(n).unwrap();
        }
    });
    futures::executor::block_on(async {
        for n in 0..3 {
            assert_eq!(receiver.recv_async().await, Ok(n));
        }
        assert!(receiver.recv_async().await.is_err());
    });
    thread.join().unwrap();
}

#[test]
fn a_selection_of_channels_takes_what_comes() {
    let (left, lefts) = channel::bounded(0);
    let (right, rights) = channel::unbounded();
    crossbeam::scope(|scope| {
        scope.spawn(|_| left.send(1).unwrap());
        scope.spawn(|_| right.send(2).unwrap());
        let mut sum = 0;
        for _ in 0..2 {
            channel::select! {
                recv(lefts) -> n => sum += n.unwrap(),
                recv(rights) -> n => sum += n.unwrap(),
                default(Duration::from_secs(60)) => panic!("they send"),
            }
        }
        assert_eq!(sum, 3);
    })
    .unwrap();
}

#[test]
fn what_is_stolen_is_not_popped() {
    let own = Worker::new_fifo();
    let stealer = own.stealer();
    own.push(1);
    own.push(2);
    let thief = thread::spawn(move || {
        loop {
            match stealer.steal() {
                Steal::Success(n) => return n,
                Steal::Empty => return 0,
                Steal::Retry => (),
            }
        }
    });
    let mut sum = 0;
    while let Some(n) = own.pop() {
        sum += n;
    }
    assert_eq!(sum + thief.join().unwrap(), 3);
}

#[test]
fn queues_lose_nothing() {
    let bounded = ArrayQueue::new(2);
    let unbounded = SegQueue::new();
    thread::scope(|scope| {
        scope.spawn(|| bounded.push(1).unwrap());
        scope.spawn(|| unbounded.push(2));
    });
    assert_eq!((bounded.pop(), unbounded.pop()), (Some(1), Some(2)));
}

#[test]
fn what_is_read_is_not_freed() {
    let value = Atomic::new(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            let guard = epoch::pin();
            let old = value.swap(Owned::new(2), Ordering::AcqRel, &guard);
            // SAFETY: it was swapped out, so nobody reaches it who is not pinned already.
            unsafe { guard.defer_destroy(old) };
        });
        scope.spawn(|| {
            let guard = epoch::pin();
            // SAFETY: it is never null, and what is swapped out lives as long as the guard.
            let seen = unsafe { value.load(Ordering::Acquire, &guard).deref() };
            assert!([1, 2].contains(seen));
        });
    });
    // SAFETY: nobody else has it any more.
    drop(unsafe { value.into_owned() });
}

#[test]
fn those_who_wait_are_told() {
    let group = WaitGroup::new();
    let parker = Parker::new();
    let unparker = parker.unparker().clone();
    let lock = Arc::new(ShardedLock::new(0));
    let (other, written) = (group.clone(), Arc::clone(&lock));
    thread::spawn(move || {
        *written.write().unwrap() += 1;
        unparker.unpark();
        drop(other);
    });
    parker.park();
    group.wait();
    assert_eq!(*lock.read().unwrap(), 1);
}

#[test]
fn a_swapped_value_is_old_or_new() {
    let value = ArcSwap::from_pointee(1);
    thread::scope(|scope| {
        scope.spawn(|| value.store(Arc::new(2)));
        scope.spawn(|| assert!([1, 2].contains(&**value.load())));
    });
    value.rcu(|old| **old + 1);
    assert_eq!(**value.load(), 3);
}

#[test]
fn lazy_values_are_made_once() {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    static LAZY: once_cell::sync::Lazy<usize> =
        once_cell::sync::Lazy::new(|| MADE.fetch_add(1, Ordering::Relaxed));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(*LAZY, 0));
        }
    });
    assert_eq!(MADE.load(Ordering::Relaxed), 1);
}

#[test]
fn a_map_counts() {
    let map = DashMap::new();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| *map.entry("word").or_insert(0) += 1);
        }
    });
    assert_eq!(*map.get("word").unwrap(), 2);
}

#[test]
fn a_lock_waits_for_a_condition() {
    let ready = parking_lot::Mutex::new(false);
    let changed = parking_lot::Condvar::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            *ready.lock() = true;
            changed.notify_all();
        });
        changed.wait_while(&mut ready.lock(), |ready| !*ready);
    });
}
