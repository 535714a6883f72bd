//! Park and unpark: tokens do not add up, so two unparks may end only one park.

use std::thread;

#[test]
fn two_unparks_in_a_row() {
    let sleeper = thread::spawn(|| {
        thread::park();
        thread::park();
    });
    sleeper.thread().unpark();
    sleeper.thread().unpark();
    sleeper.join().unwrap();
}
