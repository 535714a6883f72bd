//! A lost update that nobody asserts: who waits for the sum polls for it, in each way there is, for ever.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, mpsc};
use std::thread;
use std::time::Duration;

const MILLI: Duration = Duration::from_millis(1);

/// Two workers add without care; the body, and another worker in its own way, wait until both have.
fn add_and_poll(poll: impl Fn() + Sync, others_poll: impl Fn() + Sync) {
    let sum = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| sum.store(sum.load(SeqCst) + 1, SeqCst));
        }
        scope.spawn(|| {
            while sum.load(SeqCst) < 2 {
                others_poll();
            }
        });
        while sum.load(SeqCst) < 2 {
            poll();
        }
    });
}

fn sleep() {
    thread::sleep(100 * MILLI);
}

#[test]
fn by_sleeping() {
    add_and_poll(sleep, sleep);
}

#[test]
fn with_periods_that_never_meet() {
    add_and_poll(|| thread::sleep(7 * MILLI), || thread::sleep(13 * MILLI));
}

#[test]
fn by_sleeping_beside_one_that_gives_way() {
    add_and_poll(sleep, thread::yield_now);
}

#[test]
fn by_parking() {
    add_and_poll(|| thread::park_timeout(10 * MILLI), sleep);
}

#[test]
fn by_waiting_for_a_signal() {
    let (lock, signal) = (Mutex::new(()), Condvar::new());
    let wait = || {
        let guard = lock.lock().unwrap();
        drop(signal.wait_timeout(guard, 10 * MILLI).unwrap());
    };
    add_and_poll(wait, sleep);
}

#[test]
fn by_receiving() {
    let (_sender, receiver) = mpsc::channel::<()>();
    let receiver = Mutex::new(receiver);
    let receive = || {
        let received = receiver.lock().unwrap().recv_timeout(10 * MILLI);
        received.unwrap_err();
    };
    add_and_poll(receive, sleep);
}
