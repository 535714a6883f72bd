//! `spawn`, `JoinHandle`, `Thread` and `ThreadId`.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle, Thread};

use conformance::{join_all, text};

#[test]
fn join_returns_the_result() {
    let handle: JoinHandle<String> = thread::spawn(|| "done".to_owned());
    assert_eq!(handle.join().unwrap(), "done");
}

#[test]
fn join_returns_the_payload_of_a_panic() {
    let payload = thread::spawn(|| panic!("with {}", "text"))
        .join()
        .unwrap_err();
    assert_eq!(text(&*payload), "with text");
    let payload = thread::spawn(|| panic!("literal")).join().unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"literal"));
    let payload = thread::spawn(|| std::panic::panic_any(42u8))
        .join()
        .unwrap_err();
    assert_eq!(payload.downcast_ref::<u8>(), Some(&42));
}

#[test]
fn effects_are_seen_after_join() {
    let flag: &'static AtomicBool = Box::leak(Box::new(AtomicBool::new(false)));
    thread::spawn(|| flag.store(true, Ordering::Relaxed))
        .join()
        .unwrap();
    assert!(flag.load(Ordering::Relaxed));
}

#[test]
fn a_detached_thread_goes_on() {
    let (sender, receiver) = mpsc::channel();
    drop(thread::spawn(move || sender.send(1).unwrap()));
    assert_eq!(receiver.recv(), Ok(1));
}

#[test]
fn is_finished_turns_true_and_stays() {
    let (sender, receiver) = mpsc::channel();
    let handle = thread::spawn(move || receiver.recv().unwrap());
    assert!(!handle.is_finished());
    sender.send(5).unwrap();
    while !handle.is_finished() {
        thread::yield_now();
    }
    assert!(handle.is_finished());
    assert_eq!(handle.join().unwrap(), 5);
}

#[test]
fn ids_are_unique_and_equal_to_themselves() {
    let mut ids = HashSet::from([thread::current().id()]);
    let handles: Vec<_> = (0..3)
        .map(|_| thread::spawn(|| thread::current().id()))
        .collect();
    let known: Vec<_> = handles.iter().map(|handle| handle.thread().id()).collect();
    assert_eq!(join_all(handles), known);
    ids.extend(known);
    assert_eq!(ids.len(), 4);
    assert_eq!(thread::current().id(), thread::current().id());
}

#[test]
fn ids_are_not_used_again() {
    let first = thread::spawn(|| thread::current().id()).join().unwrap();
    let second = thread::spawn(|| thread::current().id()).join().unwrap();
    assert_ne!(first, second);
}

#[test]
fn a_spawned_thread_has_no_name() {
    assert_eq!(
        thread::spawn(|| thread::current().name().map(str::to_owned))
            .join()
            .unwrap(),
        None
    );
}

#[test]
fn handles_outlive_their_threads() {
    let thread: Thread = thread::spawn(thread::current).join().unwrap();
    assert_eq!(thread.name(), None);
    thread.unpark();
    assert_eq!(thread.clone().id(), thread.id());
}

#[test]
fn threads_start_threads() {
    let depth = thread::spawn(|| {
        1 + thread::spawn(|| 1 + thread::spawn(|| 1).join().unwrap())
            .join()
            .unwrap()
    });
    assert_eq!(depth.join().unwrap(), 3);
}

#[test]
fn a_handle_may_be_joined_elsewhere() {
    let first = thread::spawn(|| 1);
    let second = thread::spawn(move || first.join().unwrap() + 1);
    assert_eq!(second.join().unwrap(), 2);
}

#[test]
fn values_are_dropped_on_the_thread_that_has_them() {
    struct Teller(mpsc::Sender<thread::ThreadId>);
    impl Drop for Teller {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }
    let (sender, receiver) = mpsc::channel();
    let teller = Teller(sender);
    let handle = thread::spawn(move || drop(teller));
    assert_eq!(receiver.recv(), Ok(handle.thread().id()));
    handle.join().unwrap();
}

#[test]
fn the_rest_of_the_module() {
    assert!(thread::available_parallelism().unwrap().get() >= 1);
    assert!(!thread::panicking());
    thread::yield_now();
    thread::sleep(std::time::Duration::ZERO);
    std::hint::spin_loop();
    let id = format!("{:?}", thread::current().id());
    assert!(id.starts_with("ThreadId("), "{id}");
    let handle = thread::spawn(|| ());
    assert_eq!(format!("{handle:?}"), "JoinHandle { .. }");
    let shown = format!("{:?}", handle.thread());
    let expected = format!(
        "Thread {{ id: {:?}, name: None, .. }}",
        handle.thread().id()
    );
    assert_eq!(shown, expected);
    handle.join().unwrap();
}
