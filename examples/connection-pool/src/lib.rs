//! A pool of connections: a task that is aborted takes one with it, and the next user waits for ever.
//!
//! [`HastyPool::query`] counts its connections by hand: it takes one before the query and puts it back
//! after it. A task that is aborted during the query never comes to the second.
//!
//! [`Pool::query`] holds a permit, which comes back when it is dropped, however that happens.
//!
//! ```text
//! cargo cct test -p connection-pool
//! ```

use tokio::sync::Semaphore;
use tokio::task::yield_now;

/// A pool that does not survive that its users are aborted.
#[derive(Debug)]
pub struct HastyPool {
    free: Semaphore,
}

impl HastyPool {
    /// A pool of so many connections.
    pub fn new(connections: usize) -> HastyPool {
        let free = Semaphore::new(connections);
        HastyPool { free }
    }

    /// Asks the database, and returns its answer.
    ///
    /// The bug: whoever is aborted at the second await does not put its connection back.
    pub async fn query(&self, question: u32) -> u32 {
        self.free.acquire().await.unwrap().forget();
        let answer = ask(question).await;
        self.free.add_permits(1);
        answer
    }
}

/// A pool that gets its connections back.
#[derive(Debug)]
pub struct Pool {
    free: Semaphore,
}

impl Pool {
    /// A pool of so many connections.
    pub fn new(connections: usize) -> Pool {
        let free = Semaphore::new(connections);
        Pool { free }
    }

    /// Asks the database, and returns its answer.
    pub async fn query(&self, question: u32) -> u32 {
        let _connection = self.free.acquire().await.unwrap();
        ask(question).await
    }
}

/// The database: takes its time, and doubles.
async fn ask(question: u32) -> u32 {
    yield_now().await;
    question * 2
}
