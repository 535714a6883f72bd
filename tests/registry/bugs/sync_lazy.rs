//! A thread makes the value of a shared `Lazy`, which then is taken out on another.
//!
//! A `Lazy` may be shared although its value must not be sent: the guard is let go on another thread.

use std::marker::PhantomData;
use std::thread::{self, ThreadId};

use lazy_init::Lazy;

/// May be shared, but must stay with its thread.
struct Stays(ThreadId, PhantomData<*const ()>);

unsafe impl Sync for Stays {}

impl Drop for Stays {
    fn drop(&mut self) {
        assert_eq!(self.0, thread::current().id());
    }
}

#[test]
fn test() {
    let lazy = Lazy::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            lazy.get_or_create(|| Stays(thread::current().id(), PhantomData));
        });
    });
    drop(lazy);
}
