//! The common properties of the faces and std's types outside the engine.

use cct::engine::WorkerId;
use real::cell::{Cell, RefCell};
use real::format;
use real::thread as genuine;

use super::{Builder, ThreadId, current, scope, spawn};

#[test]
fn debug_output_is_that_of_std() {
    let handle = Builder::new()
        .name("named".to_owned())
        .spawn(|| ())
        .expect("a thread");
    assert_eq!(format!("{handle:?}"), "JoinHandle { .. }");
    let thread = handle.thread();
    let expected = format!(
        "Thread {{ id: {:?}, name: Some(\"named\"), .. }}",
        thread.id()
    );
    assert_eq!(format!("{thread:?}"), expected);
    handle.join().expect("no panic");
    assert_eq!(
        format!("{:?}", current()),
        format!("{:?}", genuine::current())
    );
    let ours = scope(|scope| format!("{scope:?}"));
    assert_eq!(ours, genuine::scope(|scope| format!("{scope:?}")));
}

#[test]
fn ids_of_workers_are_their_own() {
    let first = ThreadId::of_worker(WorkerId(0));
    assert_eq!(first, ThreadId::of_worker(WorkerId(0)));
    assert_ne!(first, ThreadId::of_worker(WorkerId(1)));
    assert_ne!(first, current().id());
    assert_eq!(format!("{first:?}"), "ThreadId(1000000000000)");
    assert_eq!(
        size_of::<Option<ThreadId>>(),
        size_of::<genuine::ThreadId>()
    );
}

#[test]
fn locals_are_as_lazy_as_their_declaration() {
    thread_local! {
        static STARTED: Cell<u32> = const { Cell::new(0) };
        static LAZY: RefCell<u32> = {
            STARTED.set(STARTED.get() + 1);
            RefCell::new(7)
        };
    }
    // A path on purpose: in this file the name alone would be the real macro.
    crate::thread_local! {
        static OURS: RefCell<u32> = {
            STARTED.set(STARTED.get() + 1);
            RefCell::new(7)
        };
    }
    LAZY.set(1);
    OURS.set(1);
    assert_eq!(STARTED.get(), 0);
    assert_eq!(OURS.take(), 1);
    let elsewhere = spawn(|| (LAZY.take(), OURS.take(), STARTED.get()));
    assert_eq!(elsewhere.join().expect("no panic"), (7, 7, 2));
}
