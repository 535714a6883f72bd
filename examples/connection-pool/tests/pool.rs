//! A query is aborted; the one after it needs the connection.

use std::sync::Arc;

use connection_pool::{HastyPool, Pool};
use tokio::sync::Mutex;

/// A log of each test's own: nobody ever waits for it.
#[derive(Default)]
struct Log(Mutex<Vec<&'static str>>);

impl Log {
    async fn write(&self, line: &'static str) {
        self.0.lock().await.push(line);
    }
}

/// Deadlocks under some schedules: the query was under way when it was aborted.
#[tokio::test]
async fn a_hasty_pool_answers_after_an_abort() {
    let log = Log::default();
    let pool = Arc::new(HastyPool::new(1));
    let first = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.query(1).await }
    });
    log.write("the first client leaves").await;
    first.abort();
    let second = tokio::spawn(async move { pool.query(2).await });
    assert_eq!(second.await.unwrap(), 4);
}

#[tokio::test]
async fn a_pool_answers_after_an_abort() {
    let log = Log::default();
    let pool = Arc::new(Pool::new(1));
    let first = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.query(1).await }
    });
    log.write("the first client leaves").await;
    first.abort();
    let second = tokio::spawn(async move { pool.query(2).await });
    assert_eq!(second.await.unwrap(), 4);
}
