//! A thread makes the value of a shared cell, which then is dropped on another.
//!
//! The cell may be shared although its value must not be sent: the value is let go on another thread.

use std::marker::PhantomData;
use std::thread::{self, ThreadId};

use conquer_once::OnceCell;

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
    let cell = OnceCell::uninit();
    thread::scope(|scope| {
        scope.spawn(|| cell.init_once(|| Stays(thread::current().id(), PhantomData)));
    });
    drop(cell);
}
