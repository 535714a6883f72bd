//! smol and what it is made of: executors, channels, locks, timers, a pool for what blocks.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smol::channel;
use smol::lock::{Barrier, Mutex, RwLock, Semaphore};
use smol::{Executor, LocalExecutor, Timer, future};

#[test]
fn a_spawned_task_runs() {
    let task = smol::spawn(async { 5 });
    assert_eq!(smol::block_on(task), 5);
}

#[test]
fn an_executor_runs_on_threads_of_ones_own() {
    let executor = Arc::new(Executor::new());
    let (stop, stopped) = channel::bounded::<()>(1);
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (executor, stopped) = (Arc::clone(&executor), stopped.clone());
            std::thread::spawn(move || {
                let _ = future::block_on(executor.run(stopped.recv()));
            })
        })
        .collect();
    let tasks: Vec<_> = (0..3).map(|n| executor.spawn(async move { n })).collect();
    let mut sum = 0;
    for task in tasks {
        sum += future::block_on(task);
    }
    assert_eq!(sum, 3);
    drop(stop);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn a_local_executor_runs_what_is_not_send() {
    let local = LocalExecutor::new();
    let number = std::rc::Rc::new(4);
    let task = local.spawn(async move { *number });
    assert_eq!(future::block_on(local.run(task)), 4);
}

#[test]
fn a_cancelled_task_ends() {
    let task = smol::spawn(future::pending::<()>());
    assert_eq!(smol::block_on(task.cancel()), None);
}

#[test]
fn a_detached_task_runs() {
    let (sender, receiver) = channel::unbounded();
    smol::spawn(async move { sender.send(1).await.unwrap() }).detach();
    assert_eq!(smol::block_on(receiver.recv()), Ok(1));
}

#[test]
fn a_bounded_channel_keeps_the_order() {
    let (sender, receiver) = channel::bounded(1);
    let task = smol::spawn(async move {
        for n in 0..3 {
            sender.send(n).await.unwrap();
        }
    });
    smol::block_on(async {
        for n in 0..3 {
            assert_eq!(receiver.recv().await, Ok(n));
        }
        assert!(receiver.recv().await.is_err());
        task.await;
    });
}

#[test]
fn locks_exclude() {
    let count = Arc::new((Mutex::new(0), RwLock::new(0), Semaphore::new(1)));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let count = Arc::clone(&count);
            smol::spawn(async move {
                *count.0.lock().await += 1;
                *count.1.write().await += 1;
                let _permit = count.2.acquire().await;
            })
        })
        .collect();
    smol::block_on(async {
        for task in tasks {
            task.await;
        }
        assert_eq!((*count.0.lock().await, *count.1.read().await), (2, 2));
    });
}

#[test]
fn a_barrier_has_one_leader() {
    let barrier = Arc::new(Barrier::new(2));
    let other = Arc::clone(&barrier);
    let task = smol::spawn(async move { other.wait().await.is_leader() });
    let mine = smol::block_on(async { barrier.wait().await.is_leader() });
    assert_ne!(smol::block_on(task), mine);
}

#[test]
fn a_timer_lasts_as_long_as_it_says() {
    let began = Instant::now();
    smol::block_on(Timer::after(Duration::from_millis(50)));
    assert!(began.elapsed() >= Duration::from_millis(50));
}

#[test]
fn what_takes_too_long_is_given_up() {
    let late = smol::block_on(future::or(
        async { Some(future::pending::<()>().await) },
        async {
            Timer::after(Duration::from_secs(1)).await;
            None
        },
    ));
    assert_eq!(late, None);
}

#[test]
fn what_blocks_has_threads_of_its_own() {
    let slept = smol::unblock(|| {
        std::thread::sleep(Duration::from_millis(50));
        1
    });
    assert_eq!(smol::block_on(slept), 1);
}

#[test]
fn both_of_two_futures_run() {
    let (a, b) = smol::block_on(future::zip(smol::spawn(async { 1 }), async {
        future::yield_now().await;
        2
    }));
    assert_eq!(a + b, 3);
}

#[test]
fn a_global_executor_runs_all() {
    let task = async_global_executor::spawn(async { 8 });
    assert_eq!(async_global_executor::block_on(task), 8);
    let local = async_global_executor::spawn_local(async { 9 });
    assert_eq!(async_global_executor::block_on(local), 9);
    let blocking = async_global_executor::spawn_blocking(|| 10);
    assert_eq!(async_global_executor::block_on(blocking), 10);
}
