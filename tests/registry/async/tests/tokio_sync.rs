//! All of `tokio::sync`, and `select!`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::{
    Barrier, Mutex, Notify, OnceCell, RwLock, Semaphore, broadcast, mpsc, oneshot, watch,
};
use tokio::task;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mutex_excludes_across_awaits() {
    let count = Arc::new(Mutex::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let count = Arc::clone(&count);
            tokio::spawn(async move {
                let mut count = count.lock().await;
                let before = *count;
                task::yield_now().await;
                *count = before + 1;
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(*count.lock().await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_see_whole_writes() {
    let pair = Arc::new(RwLock::new((0, 0)));
    let writer = {
        let pair = Arc::clone(&pair);
        tokio::spawn(async move {
            let mut pair = pair.write().await;
            pair.0 += 1;
            task::yield_now().await;
            pair.1 += 1;
        })
    };
    for _ in 0..2 {
        let pair = pair.read().await;
        assert_eq!(pair.0, pair.1);
    }
    writer.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_semaphore_lets_in_as_many_as_it_says() {
    let permits = Arc::new(Semaphore::new(2));
    let inside = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let (permits, inside) = (Arc::clone(&permits), Arc::clone(&inside));
            tokio::spawn(async move {
                let _permit = permits.acquire().await.unwrap();
                assert!(inside.fetch_add(1, Ordering::Relaxed) < 2);
                task::yield_now().await;
                inside.fetch_sub(1, Ordering::Relaxed);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_notification_before_the_wait_is_kept() {
    let notify = Arc::new(Notify::new());
    let other = Arc::clone(&notify);
    tokio::spawn(async move { other.notify_one() });
    notify.notified().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_who_have_asked_are_notified() {
    let notify = Arc::new(Notify::new());
    let first = notify.notified();
    let second = notify.notified();
    let other = Arc::clone(&notify);
    tokio::spawn(async move { other.notify_waiters() });
    tokio::join!(first, second);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_barrier_has_one_leader() {
    let barrier = Arc::new(Barrier::new(3));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let barrier = Arc::clone(&barrier);
            tokio::spawn(async move { barrier.wait().await.is_leader() })
        })
        .collect();
    let mut leaders = 0;
    for task in tasks {
        leaders += usize::from(task.await.unwrap());
    }
    assert_eq!(leaders, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cell_is_made_once() {
    static CELL: OnceCell<usize> = OnceCell::const_new();
    static MADE: AtomicUsize = AtomicUsize::new(0);
    async fn make() -> usize {
        task::yield_now().await;
        MADE.fetch_add(1, Ordering::Relaxed)
    }
    let task = tokio::spawn(async { *CELL.get_or_init(make).await });
    assert_eq!(*CELL.get_or_init(make).await, 0);
    assert_eq!(task.await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bounded_channel_keeps_the_order() {
    let (sender, mut receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        for n in 0..4 {
            sender.send(n).await.unwrap();
        }
    });
    for n in 0..4 {
        assert_eq!(receiver.recv().await, Some(n));
    }
    assert_eq!(receiver.recv().await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unbounded_channel_loses_nothing() {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    for n in 0..3 {
        let sender = sender.clone();
        tokio::spawn(async move { sender.send(n).unwrap() });
    }
    drop(sender);
    let mut sum = 0;
    while let Some(n) = receiver.recv().await {
        sum += n;
    }
    assert_eq!(sum, 3);
}

#[test]
fn a_thread_and_a_task_talk() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (questions, mut asked) = mpsc::channel::<(u32, oneshot::Sender<u32>)>(1);
    runtime.spawn(async move {
        while let Some((n, answer)) = asked.recv().await {
            answer.send(n * 2).unwrap();
        }
    });
    for n in 0..2 {
        let (answer, receiver) = oneshot::channel();
        questions.blocking_send((n, answer)).unwrap();
        assert_eq!(receiver.blocking_recv(), Ok(n * 2));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_answer_comes_or_its_end() {
    let (sender, receiver) = oneshot::channel();
    tokio::spawn(async move { sender.send(1) });
    assert_eq!(receiver.await, Ok(1));
    let (sender, receiver) = oneshot::channel::<u32>();
    tokio::spawn(async move { drop(sender) });
    assert!(receiver.await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_receivers_hear_all() {
    let (sender, mut receiver) = broadcast::channel(4);
    let mut second = sender.subscribe();
    let task = tokio::spawn(async move { (second.recv().await, second.recv().await) });
    tokio::spawn(async move {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    assert_eq!(receiver.recv().await, Ok(1));
    assert_eq!(receiver.recv().await, Ok(2));
    assert_eq!(task.await.unwrap(), (Ok(1), Ok(2)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_value_is_seen() {
    let (sender, mut receiver) = watch::channel(0);
    tokio::spawn(async move {
        for n in 1..=3 {
            sender.send(n).unwrap();
        }
        sender.closed().await;
    });
    assert_eq!(*receiver.wait_for(|n| *n == 3).await.unwrap(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_selection_takes_either_branch() {
    let (left, mut lefts) = mpsc::channel(1);
    let (right, mut rights) = mpsc::channel(1);
    tokio::spawn(async move { left.send(1).await });
    tokio::spawn(async move { right.send(2).await });
    let mut sum = 0;
    loop {
        tokio::select! {
            Some(n) = lefts.recv() => sum += n,
            Some(n) = rights.recv() => sum += n,
            else => break,
        }
    }
    assert_eq!(sum, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_biased_selection_takes_the_first() {
    tokio::select! {
        biased;
        n = async { 1 } => assert_eq!(n, 1),
        () = async {} => panic!("the first is ready"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_try_join_ends_with_the_first_error() {
    let ended = tokio::try_join!(std::future::pending::<Result<(), u32>>(), async {
        tokio::spawn(async { Err::<(), u32>(3) }).await.unwrap()
    });
    assert_eq!(ended, Err(3));
}
