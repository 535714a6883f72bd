//! Time of tokio: its own clock when that is paused, and the virtual one below it otherwise.

use std::time::Duration;

use tokio::time::{self, Instant, MissedTickBehavior};

/// Passes for real when the tests run natively.
const MOMENT: Duration = Duration::from_millis(50);

/// Of a clock that is paused.
const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_sleep_lasts_as_long_as_it_says() {
    let began = Instant::now();
    time::sleep(MOMENT).await;
    assert!(began.elapsed() >= MOMENT);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sleeps_end_in_their_order() {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(3);
    for n in [3, 1, 2] {
        let sender = sender.clone();
        tokio::spawn(async move {
            time::sleep(MOMENT * n).await;
            sender.send(n).await.unwrap();
        });
    }
    drop(sender);
    let mut order = Vec::new();
    while let Some(n) = receiver.recv().await {
        order.push(n);
    }
    assert_eq!(order, [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timeout_ends_what_never_would() {
    assert!(
        time::timeout(MOMENT, std::future::pending::<()>())
            .await
            .is_err()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_timeout_lets_through_what_is_ready() {
    let answer = time::timeout(MOMENT, tokio::spawn(async { 42 })).await;
    assert_eq!(answer.unwrap().unwrap(), 42);
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_jumps() {
    let began = Instant::now();
    let real = std::time::Instant::now();
    time::sleep(MINUTE).await;
    assert!(began.elapsed() >= MINUTE);
    assert!(real.elapsed() < MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_is_advanced_by_hand() {
    let began = Instant::now();
    time::advance(MINUTE).await;
    assert_eq!(began.elapsed(), MINUTE);
}

#[tokio::test(start_paused = true)]
async fn a_paused_clock_lets_tasks_finish_first() {
    let task = tokio::spawn(async {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        5
    });
    tokio::select! {
        value = task => assert_eq!(value.unwrap(), 5),
        () = time::sleep(MINUTE) => panic!("nobody had to wait"),
    }
}

#[tokio::test]
async fn a_clock_is_paused_and_resumed() {
    time::pause();
    time::sleep(MINUTE).await;
    time::resume();
    time::sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn an_interval_ticks() {
    let began = Instant::now();
    let mut interval = time::interval(MINUTE);
    for n in 0..3 {
        interval.tick().await;
        assert_eq!(began.elapsed(), MINUTE * n);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interval_that_is_late_may_skip() {
    let mut interval = time::interval(MOMENT);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    interval.tick().await;
    time::sleep(MOMENT * 3 + MOMENT / 2).await;
    interval.tick().await;
    let next = interval.tick().await;
    assert!(next > Instant::now() - MOMENT);
}

#[tokio::test]
async fn a_sleep_is_reset() {
    let began = Instant::now();
    let sleep = time::sleep(MOMENT);
    tokio::pin!(sleep);
    sleep.as_mut().reset(began + MOMENT * 2);
    sleep.await;
    assert!(began.elapsed() >= MOMENT * 2);
}
