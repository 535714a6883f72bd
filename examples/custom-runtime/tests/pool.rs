//! What the jobs of a pool have done once it is idle.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use custom_runtime::Pool;

fn sum_when_idle(pool: &Pool) -> u32 {
    let sum = Arc::new(AtomicU32::new(0));
    for number in 1..=3 {
        let sum = Arc::clone(&sum);
        pool.run(move || {
            sum.fetch_add(number, SeqCst);
        });
    }
    pool.wait_until_idle();
    sum.load(SeqCst)
}

#[test]
fn all_jobs_are_done_when_a_pool_is_idle() -> io::Result<()> {
    assert_eq!(sum_when_idle(&Pool::new(2)?), 6);
    Ok(())
}

#[test]
fn all_jobs_are_done_when_a_hasty_pool_is_idle() -> io::Result<()> {
    assert_eq!(sum_when_idle(&Pool::hasty(2)?), 6);
    Ok(())
}
