//! A counted pointer is taken out of a shared option by another thread, and its copy stays here.
//!
//! The option may be shared whatever it holds: both threads change the count, which is not atomic.

use std::rc::Rc;
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

use atomic_option::AtomicOption;

#[test]
fn test() {
    let stays = Rc::new(7);
    let option = AtomicOption::new(Box::new(stays.clone()));
    thread::scope(|scope| {
        scope.spawn(|| drop(option.take(SeqCst)));
        drop(stays);
    });
}
