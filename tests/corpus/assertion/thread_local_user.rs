//! Thread-local misuse: the current user is set by one job and seen by the next on the same thread.

use std::cell::Cell;
use std::sync::Mutex;
use std::thread;

thread_local!(static USER: Cell<Option<u32>> = const { Cell::new(None) });

fn log_in_and_out(user: u32) {
    USER.set(Some(user));
}

fn anonymous_request() {
    assert_eq!(USER.get(), None, "somebody else is logged in here");
}

#[test]
fn a_user_left_behind() {
    let jobs: Mutex<Vec<fn()>> = Mutex::new(vec![anonymous_request, || log_in_and_out(7)]);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(job) = jobs.lock().unwrap().pop() else {
                        break;
                    };
                    job();
                }
            });
        }
    });
}
