//! Giving way, parking and sleeping.

use cct::engine;
use cct::operation::Operation;
use real::time::Duration;

/// Lets others run.
#[inline]
#[track_caller]
pub fn yield_now() {
    if engine::is_controlled() {
        engine::give_way(Operation::YieldNow);
    } else {
        real::thread::yield_now();
    }
}

/// Waits for the calling thread's park token and takes it.
#[track_caller]
pub fn park() {
    if engine::is_controlled() {
        engine::park(engine::NEVER);
    } else {
        real::thread::park();
    }
}

/// Waits for the calling thread's park token, up to a time.
#[track_caller]
pub fn park_timeout(dur: Duration) {
    if engine::is_controlled() {
        engine::park(engine::deadline_after(dur));
    } else {
        real::thread::park_timeout(dur);
    }
}

/// Waits for the calling thread's park token, up to a number of milliseconds.
#[deprecated(since = "1.6.0", note = "replaced by `std::thread::park_timeout`")]
#[track_caller]
pub fn park_timeout_ms(ms: u32) {
    park_timeout(Duration::from_millis(u64::from(ms)));
}

/// Sleeps; a controlled worker does so in virtual time.
#[track_caller]
pub fn sleep(dur: Duration) {
    if engine::is_controlled() {
        engine::sleep(engine::deadline_after(dur));
    } else {
        real::thread::sleep(dur);
    }
}

/// Sleeps for a number of milliseconds.
#[deprecated(since = "1.6.0", note = "replaced by `std::thread::sleep`")]
#[track_caller]
pub fn sleep_ms(ms: u32) {
    sleep(Duration::from_millis(u64::from(ms)));
}
