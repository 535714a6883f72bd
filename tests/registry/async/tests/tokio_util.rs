//! The companions of tokio: `tokio-util` and `tokio-stream`.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use tokio_stream::wrappers::{BroadcastStream, IntervalStream, ReceiverStream};
use tokio_util::codec::{Framed, LinesCodec};
use tokio_util::sync::{CancellationToken, PollSender};
use tokio_util::task::TaskTracker;
use tokio_util::time::DelayQueue;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_token_ends_its_children() {
    let token = CancellationToken::new();
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let child = token.child_token();
            tokio::spawn(async move { child.cancelled().await })
        })
        .collect();
    token.cancel();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_ends_when_it_is_cancelled() {
    let token = CancellationToken::new();
    let guard = token.clone().drop_guard();
    let task = tokio::spawn(async move {
        token
            .run_until_cancelled(std::future::pending::<()>())
            .await
    });
    drop(guard);
    assert_eq!(task.await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tracker_waits_for_all() {
    let tracker = TaskTracker::new();
    for _ in 0..3 {
        tracker.spawn(tokio::task::yield_now());
    }
    tracker.close();
    tracker.wait().await;
    assert!(tracker.is_empty());
}

#[tokio::test(start_paused = true)]
async fn delays_end_in_their_order() {
    let mut queue = DelayQueue::new();
    for n in [3, 1, 2] {
        queue.insert(n, Duration::from_secs(n));
    }
    let mut order = Vec::new();
    while let Some(expired) = queue.next().await {
        order.push(expired.into_inner());
    }
    assert_eq!(order, [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delay_is_taken_back() {
    let mut queue = DelayQueue::new();
    let first = queue.insert("first", Duration::from_secs(1));
    queue.insert("second", Duration::from_secs(2));
    queue.remove(&first);
    assert_eq!(queue.next().await.unwrap().into_inner(), "second");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_go_through_a_pipe() {
    let (client, server) = tokio::io::duplex(8);
    tokio::spawn(async move {
        let mut lines = Framed::new(client, LinesCodec::new());
        for line in ["some", "longer lines"] {
            lines.send(line).await.unwrap();
        }
    });
    let lines: Vec<_> = Framed::new(server, LinesCodec::new())
        .map(Result::unwrap)
        .collect()
        .await;
    assert_eq!(lines, ["some", "longer lines"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_channel_is_a_stream_and_a_sink() {
    let (sender, receiver) = tokio::sync::mpsc::channel(1);
    tokio::spawn(async move {
        let mut sink = PollSender::new(sender);
        for n in 1..4 {
            sink.send(n).await.unwrap();
        }
    });
    let sum = ReceiverStream::new(receiver).fold(0, |sum, n| async move { sum + n });
    assert_eq!(sum.await, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broadcast_is_a_stream() {
    let (sender, receiver) = tokio::sync::broadcast::channel(4);
    tokio::spawn(async move { sender.send(1).unwrap() });
    let heard: Vec<_> = BroadcastStream::new(receiver).collect().await;
    assert_eq!(heard, [Ok(1)]);
}

#[tokio::test]
async fn an_interval_is_a_stream() {
    let interval = IntervalStream::new(tokio::time::interval(Duration::from_millis(50)));
    assert_eq!(interval.take(3).count().await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_are_merged() {
    use tokio_stream::StreamExt as _;
    let merged = tokio_stream::iter([1, 2]).merge(tokio_stream::iter([3, 4]));
    let mut all: Vec<_> = tokio_stream::StreamExt::collect(merged).await;
    all.sort_unstable();
    assert_eq!(all, [1, 2, 3, 4]);
    let slow = tokio_stream::pending::<()>().timeout(Duration::from_secs(1));
    tokio::pin!(slow);
    assert!(
        tokio_stream::StreamExt::next(&mut slow)
            .await
            .unwrap()
            .is_err()
    );
}
