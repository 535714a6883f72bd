//! A counted pointer goes through a future to another thread, and its copy stays here.
//!
//! The future may be sent whatever its result is: both threads change the count, which is not atomic.

use std::rc::Rc;
use std::thread;

use tiny_future::Future;

#[test]
fn test() {
    let future = Future::<Rc<u32>>::new();
    let stays = Rc::new(7);
    assert!(future.set(stays.clone()).is_ok());
    let thread = thread::spawn(move || drop(future.get()));
    drop(stays);
    thread.join().unwrap();
}
