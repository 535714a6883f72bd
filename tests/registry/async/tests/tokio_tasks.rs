//! Tasks of tokio: flavours, spawning, joining, aborting, locality.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::{self, JoinSet, LocalSet};

#[tokio::test]
async fn one_thread_runs_all_tasks() {
    let one = tokio::spawn(async { 1 });
    let two = tokio::spawn(async { 2 });
    assert_eq!(one.await.unwrap() + two.await.unwrap(), 3);
}

#[tokio::test(flavor = "current_thread")]
async fn tasks_of_one_thread_never_overlap() {
    let inside = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let inside = Arc::clone(&inside);
            tokio::spawn(async move {
                for _ in 0..2 {
                    assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                    inside.fetch_sub(1, Ordering::Relaxed);
                    task::yield_now().await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_threads_run_all_tasks() {
    let count = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let count = Arc::clone(&count);
            tokio::spawn(async move { count.fetch_add(1, Ordering::Relaxed) })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(count.load(Ordering::Relaxed), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn one_worker_thread_is_enough() {
    let task = tokio::spawn(async {
        task::yield_now().await;
        tokio::spawn(async { 7 }).await.unwrap()
    });
    assert_eq!(task.await.unwrap(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_panic_stays_in_its_task() {
    let task = tokio::spawn(async { panic!("meant to") });
    assert!(task.await.unwrap_err().is_panic());
}

#[tokio::test]
#[should_panic(expected = "meant to")]
async fn a_panic_of_the_test_is_its_own() {
    task::yield_now().await;
    panic!("meant to");
}

#[tokio::test]
async fn a_test_may_return_a_result() -> Result<(), Box<dyn std::error::Error>> {
    let number: u32 = tokio::spawn(async { "7".parse() }).await??;
    assert_eq!(number, 7);
    Ok(())
}

#[test]
fn a_runtime_of_ones_own_blocks_on_a_future() {
    let runtime = Runtime::new().unwrap();
    let sum = runtime.block_on(async {
        let (a, b) = tokio::join!(async { 20 }, tokio::spawn(async { 22 }));
        a + b.unwrap()
    });
    assert_eq!(sum, 42);
}

#[test]
fn a_handle_reaches_the_runtime_from_another_thread() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("pool")
        .enable_all()
        .build()
        .unwrap();
    let handle = runtime.handle().clone();
    let thread =
        std::thread::spawn(move || handle.block_on(async { tokio::spawn(async { 5 }).await }));
    assert_eq!(thread.join().unwrap().unwrap(), 5);
    assert!(Handle::try_current().is_err());
    let _inside = runtime.enter();
    assert!(Handle::try_current().is_ok());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aborted_task_ends() {
    let task = tokio::spawn(std::future::pending::<()>());
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_aborted_task_drops_what_it_holds() {
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let held = Held(Arc::clone(&drops));
    let task = tokio::spawn(async move {
        let _held = held;
        loop {
            task::yield_now().await;
        }
    });
    task::yield_now().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_is_aborted_or_finishes() {
    let task = tokio::spawn(async {
        task::yield_now().await;
        3
    });
    let abort = task.abort_handle();
    abort.abort();
    match task.await {
        Ok(value) => assert_eq!(value, 3),
        Err(error) => assert!(error.is_cancelled()),
    }
    assert!(abort.is_finished());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_joins_in_any_order() {
    let mut set = JoinSet::new();
    for n in 0..3 {
        set.spawn(async move {
            task::yield_now().await;
            n
        });
    }
    let mut sum = 0;
    while let Some(value) = set.join_next().await {
        sum += value.unwrap();
    }
    assert_eq!(sum, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_set_that_is_shut_down_is_empty() {
    let mut set = JoinSet::new();
    set.spawn(std::future::pending::<()>());
    set.spawn(async {});
    set.shutdown().await;
    assert!(set.is_empty());
}

#[tokio::test]
async fn a_local_set_runs_what_is_not_send() {
    let count = Rc::new(Cell::new(0));
    LocalSet::new()
        .run_until(async {
            let tasks: Vec<_> = (0..3)
                .map(|_| {
                    let count = Rc::clone(&count);
                    task::spawn_local(async move {
                        let before = count.get();
                        count.set(before + 1);
                        task::yield_now().await;
                    })
                })
                .collect();
            for task in tasks {
                task.await.unwrap();
            }
        })
        .await;
    assert_eq!(count.get(), 3);
}

#[test]
fn a_local_set_may_be_blocked_on() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let words = Rc::new(RefCell::new(Vec::new()));
    let local = LocalSet::new();
    for word in ["a", "b"] {
        let words = Rc::clone(&words);
        local.spawn_local(async move {
            task::yield_now().await;
            words.borrow_mut().push(word);
        });
    }
    runtime.block_on(local);
    words.borrow_mut().sort_unstable();
    assert_eq!(*words.borrow(), ["a", "b"]);
}

tokio::task_local! {
    static NUMBER: u32;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_has_locals_of_its_own() {
    let tasks: Vec<_> = (0..3)
        .map(|n| {
            tokio::spawn(NUMBER.scope(n, async move {
                task::yield_now().await;
                assert_eq!(NUMBER.get(), n);
            }))
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert!(NUMBER.try_with(|_| ()).is_err());
}

#[tokio::test]
async fn a_busy_task_gives_way() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    for n in 0..300 {
        sender.send(n).unwrap();
    }
    let turns = Rc::new(Cell::new(0));
    LocalSet::new()
        .run_until(async {
            let other = Rc::clone(&turns);
            task::spawn_local(async move { other.set(other.get() + 1) });
            for _ in 0..300 {
                receiver.recv().await.unwrap();
            }
            assert_eq!(
                turns.get(),
                1,
                "the other task had a turn at the end of the budget"
            );
        })
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_without_a_budget_goes_on() {
    let sum = task::unconstrained(async {
        let mut sum = 0;
        for n in 0..3 {
            sum += n;
            task::consume_budget().await;
        }
        sum
    });
    assert_eq!(sum.await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_work_has_threads_of_its_own() {
    let work: Vec<_> = (0..2)
        .map(|n| {
            task::spawn_blocking(move || {
                std::thread::sleep(Duration::from_millis(50));
                n
            })
        })
        .collect();
    let mut sum = 0;
    for work in work {
        sum += work.await.unwrap();
    }
    assert_eq!(sum, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_worker_that_blocks_is_replaced() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let blocked = tokio::spawn(async move { task::block_in_place(|| receiver.recv().unwrap()) });
    tokio::spawn(async move { sender.send(9).unwrap() });
    assert_eq!(blocked.await.unwrap(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn blocking_work_may_block_on_a_future() {
    let handle = Handle::current();
    let work =
        task::spawn_blocking(move || handle.block_on(async { tokio::spawn(async { 4 }).await }));
    assert_eq!(work.await.unwrap().unwrap(), 4);
}

#[test]
fn a_runtime_that_is_dropped_drops_its_tasks() {
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    for _ in 0..2 {
        let held = Held(Arc::clone(&drops));
        runtime.spawn(async move {
            let _held = held;
            std::future::pending::<()>().await;
        });
    }
    drop(runtime);
    assert_eq!(drops.load(Ordering::Relaxed), 2);
}

#[test]
fn a_runtime_does_not_wait_longer_than_asked() {
    let runtime = Runtime::new().unwrap();
    runtime.spawn_blocking(|| std::thread::sleep(Duration::from_secs(5)));
    runtime.shutdown_timeout(Duration::from_millis(50));
}

#[test]
fn a_runtime_in_the_background_is_not_waited_for() {
    let runtime = Runtime::new().unwrap();
    let task = runtime.spawn(std::future::pending::<()>());
    runtime.shutdown_background();
    let error = futures::executor::block_on(task).unwrap_err();
    assert!(error.is_cancelled());
}
