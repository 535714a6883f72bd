//! A thread pool that blocks where no tool can see it, **brought under control by hand**.
//!
//! Its threads sleep in the kernel, reading from a pipe: a worker that did so under cargo-cct would
//! stop all others. Three calls of [`cct::instrument`] are enough, and do nothing outside
//! cargo-cct:
//!
//! - the pool asks for a worker before it makes a thread, and joins it as one;
//! - who waits for a permit waits for a resource first, until reading cannot block;
//! - who gives a permit says so.
//!
//! [`Pool::hasty`] counts a job as done when it is *taken*. Whoever waits until the pool is idle
//! may find the last job unfinished.
//!
//! ```text
//! cargo cct test -p custom-runtime
//! ```

mod pool;
mod queue;
mod semaphore;

pub use pool::Pool;
