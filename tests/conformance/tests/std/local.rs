//! `thread_local!` and `LocalKey`.
#![expect(
    clippy::missing_const_for_thread_local,
    reason = "both forms are to be tried"
)]

use std::cell::{Cell, RefCell};
use std::sync::mpsc;
use std::thread;

use conformance::message_of;

thread_local! {
    static COUNT: Cell<u32> = Cell::new(1);
    static LIST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static CONSTANT: Cell<u32> = const { Cell::new(5) };
}

#[test]
fn each_thread_has_its_own() {
    COUNT.set(2);
    CONSTANT.set(6);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                assert_eq!((COUNT.get(), CONSTANT.get()), (1, 5));
                COUNT.set(10);
                thread::yield_now();
                assert_eq!(COUNT.get(), 10);
            });
        }
    });
    assert_eq!((COUNT.get(), CONSTANT.get()), (2, 6));
}

#[test]
fn cells_have_short_ways() {
    assert_eq!(COUNT.replace(3), 1);
    assert_eq!(COUNT.take(), 3);
    assert_eq!(COUNT.get(), 0);
    LIST.with_borrow_mut(|list| list.push(1));
    assert_eq!(LIST.with_borrow(Vec::len), 1);
    assert_eq!(LIST.replace(vec![2, 3]), [1]);
    assert_eq!(LIST.take(), [2, 3]);
    LIST.set(vec![4]);
    assert_eq!(LIST.with(|list| list.borrow().clone()), [4]);
    assert_eq!(LIST.try_with(|list| list.borrow().len()), Ok(1));
}

#[test]
fn the_initializer_runs_on_first_use_only() {
    thread_local!(static LAZY: u32 = COUNT.replace(7));
    assert_eq!(COUNT.get(), 1);
    assert_eq!(LAZY.with(|value| *value), 1);
    assert_eq!(COUNT.get(), 7);
    assert_eq!(LAZY.with(|value| *value), 1);
}

#[test]
fn set_runs_no_initializer() {
    thread_local!(static NEVER: Cell<u32> = panic!("is not needed"));
    NEVER.set(1);
    assert_eq!(NEVER.get(), 1);
}

#[test]
fn addresses_are_stable_on_a_thread() {
    let address = || COUNT.with(|cell| std::ptr::from_ref(cell).addr());
    let here = address();
    assert_ne!(
        here,
        thread::scope(|scope| scope.spawn(address).join().unwrap())
    );
    assert_eq!(here, address());
}

#[test]
fn two_keys_of_one_shape_are_two() {
    thread_local! {
        static FIRST: Cell<u8> = const { Cell::new(1) };
        static SECOND: Cell<u8> = const { Cell::new(1) };
    }
    FIRST.set(2);
    assert_eq!(SECOND.get(), 1);
}

/// Sends its name when it is dropped.
struct Teller(&'static str, mpsc::Sender<&'static str>);

impl Drop for Teller {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

thread_local! {
    static FIRST: RefCell<Option<Teller>> = RefCell::new(None);
    static SECOND: RefCell<Option<Teller>> = const { RefCell::new(None) };
}

#[test]
fn destructors_run_at_the_end_of_the_thread() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        FIRST.set(Some(Teller("first", sender.clone())));
        SECOND.set(Some(Teller("second", sender.clone())));
        sender.send("body").unwrap();
    });
    thread.join().unwrap();
    let mut order: Vec<_> = receiver.iter().collect();
    assert_eq!(order.remove(0), "body");
    order.sort_unstable();
    assert_eq!(order, ["first", "second"]);
}

#[test]
fn destructors_run_after_a_panic() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        FIRST.set(Some(Teller("first", sender)));
        panic!("before the end");
    });
    assert!(thread.join().is_err());
    assert_eq!(receiver.recv(), Ok("first"));
}

#[test]
fn a_value_that_was_never_used_is_never_made() {
    thread_local!(static UNUSED: u8 = panic!("is not needed"));
    thread::spawn(|| ()).join().unwrap();
    assert_eq!(message_of(|| UNUSED.with(|value| *value)), "is not needed");
}

#[test]
fn a_destroyed_value_is_out_of_reach() {
    thread_local!(static WATCHED: RefCell<Option<Watcher>> = const { RefCell::new(None) });
    struct Watcher(mpsc::Sender<bool>);
    impl Drop for Watcher {
        fn drop(&mut self) {
            let error = WATCHED.try_with(|_| ()).err();
            if let Some(error) = error {
                assert_eq!(format!("{error}"), "already destroyed");
                assert_eq!(format!("{error:?}"), "AccessError");
            }
            let _ = self.0.send(error.is_some());
        }
    }
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || WATCHED.set(Some(Watcher(sender))))
        .join()
        .unwrap();
    assert_eq!(receiver.recv(), Ok(true));
}

#[test]
fn a_destructor_may_use_other_keys() {
    thread_local!(static LATE: RefCell<Option<Late>> = const { RefCell::new(None) });
    struct Late(mpsc::Sender<u32>);
    impl Drop for Late {
        fn drop(&mut self) {
            let _ = self.0.send(CONSTANT.get());
        }
    }
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        CONSTANT.set(9);
        LATE.set(Some(Late(sender)));
    });
    thread.join().unwrap();
    assert_eq!(receiver.recv(), Ok(9));
}

#[test]
fn a_value_may_be_made_during_destruction() {
    thread_local! {
        static MAKER: RefCell<Option<Maker>> = const { RefCell::new(None) };
        static MADE: RefCell<Option<Teller>> = const { RefCell::new(None) };
    }
    struct Maker(mpsc::Sender<&'static str>);
    impl Drop for Maker {
        fn drop(&mut self) {
            MADE.set(Some(Teller("made late", self.0.clone())));
        }
    }
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || MAKER.set(Some(Maker(sender))))
        .join()
        .unwrap();
    assert_eq!(receiver.recv(), Ok("made late"));
}

#[test]
fn destructors_are_over_when_join_returns() {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || FIRST.set(Some(Teller("first", sender))))
        .join()
        .unwrap();
    assert_eq!(receiver.try_recv(), Ok("first"));
}

#[test]
fn keys_format() {
    assert_eq!(format!("{COUNT:?}"), "LocalKey { .. }");
}
