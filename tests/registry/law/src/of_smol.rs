//! smol: its executors, channels, locks and events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;

use event_listener::Event;
use smol::channel;
use smol::future::{self, block_on};
use smol::lock::{Mutex, Semaphore};
use smol::{Executor, LocalExecutor};

use crate::{Log, tell};

#[test]
fn an_executor_of_two_threads() {
    let executor = Executor::new();
    let value = Arc::new(AtomicU32::new(0));
    let tasks = [(); 2].map(|()| {
        let value = value.clone();
        executor.spawn(async move {
            let before = value.load(SeqCst);
            future::yield_now().await;
            value.store(before + 1, SeqCst);
        })
    });
    let all = async {
        for task in tasks {
            task.await;
        }
    };
    let (stop, stopped) = channel::bounded::<()>(1);
    thread::scope(|scope| {
        scope.spawn(|| block_on(executor.run(stopped.recv())));
        block_on(executor.run(all));
        drop(stop);
    });
    tell(value.load(SeqCst));
}

#[test]
fn an_executor_of_one_thread() {
    let (executor, log) = (LocalExecutor::new(), Log::default());
    let tasks = ['a', 'b'].map(|name| {
        let log = log.clone();
        executor.spawn(async move {
            log.add(name);
            future::yield_now().await;
            log.add(name);
        })
    });
    block_on(executor.run(async {
        for task in tasks {
            task.await;
        }
    }));
    log.tell();
}

#[test]
fn what_a_channel_brings() {
    let (sender, receiver) = channel::bounded(1);
    for name in ['a', 'b'] {
        let sender = sender.clone();
        thread::spawn(move || block_on(sender.send(name)));
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
fn which_of_two_is_first() {
    let [a, b] = ['a', 'b'].map(|name| {
        let (sender, receiver) = channel::bounded(1);
        thread::spawn(move || block_on(sender.send(name)).ok());
        receiver
    });
    tell(block_on(future::or(a.recv(), b.recv())).ok());
}

#[test]
fn who_gets_a_lock_first() {
    let (lock, log) = (Arc::new(Mutex::new(())), Log::default());
    let threads = ['a', 'b'].map(|name| {
        let (lock, log) = (lock.clone(), log.clone());
        thread::spawn(move || {
            block_on(async {
                let _guard = lock.lock().await;
                log.add(name);
            })
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    log.tell();
}

#[test]
fn who_finds_a_permit() {
    let (semaphore, log) = (Arc::new(Semaphore::new(1)), Log::default());
    let threads = ['a', 'b'].map(|name| {
        let (semaphore, log) = (semaphore.clone(), log.clone());
        thread::spawn(move || {
            block_on(async {
                if let Some(_permit) = semaphore.try_acquire() {
                    log.add(name);
                    future::yield_now().await;
                }
            })
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
    log.tell();
}

#[test]
fn loses_an_event_that_is_listened_for_too_late() {
    let state = Arc::new((Event::new(), AtomicBool::new(false)));
    let of_thread = state.clone();
    thread::spawn(move || {
        of_thread.1.store(true, SeqCst);
        of_thread.0.notify(1);
    });
    block_on(async {
        if !state.1.load(SeqCst) {
            state.0.listen().await;
        }
    });
}
