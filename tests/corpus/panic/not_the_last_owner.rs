//! A worker says that it is done before it lets go of what it shares.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;

static FINISHED: AtomicU32 = AtomicU32::new(0);

#[test]
fn done_but_not_dropped() {
    let sum = Arc::new(Mutex::new(0));
    let (done, is_done) = channel();
    let shared = Arc::clone(&sum);
    let worker = thread::spawn(move || {
        *shared.lock().unwrap() += 1;
        done.send(()).unwrap();
        FINISHED.fetch_add(1, SeqCst);
        drop(shared);
    });
    is_done.recv().unwrap();
    let sum = Arc::try_unwrap(sum).expect("the only owner");
    assert_eq!(sum.into_inner().unwrap(), 1);
    worker.join().unwrap();
}
