//! A runtime that waits on epoll, which is not under control yet: these run as they are, and say so.

use hyper::body::Body as _;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks_send_to_each_other() {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    let task = tokio::spawn(async move {
        for n in 0..3 {
            sender.send(n).await.unwrap();
        }
    });
    let mut sum = 0;
    while let Some(n) = receiver.recv().await {
        sum += n;
    }
    task.await.unwrap();
    assert_eq!(sum, 3);
}

#[tokio::test]
async fn a_body_has_a_size() {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    assert_eq!(String::from("four").size_hint().exact(), Some(4));
}
