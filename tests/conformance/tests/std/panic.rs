//! `catch_unwind`, `resume_unwind`, hooks, and panics in several threads at once.

use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use conformance::{message_of, panics_elsewhere, text};

#[test]
fn catch_unwind_returns_the_result_or_the_payload() {
    assert_eq!(panic::catch_unwind(|| 1).unwrap(), 1);
    let payload = panic::catch_unwind(|| panic!("caught")).unwrap_err();
    assert_eq!(text(&*payload), "caught");
    let payload = panic::catch_unwind(|| panic::panic_any(5i64)).unwrap_err();
    assert_eq!(*payload.downcast::<i64>().unwrap(), 5);
}

#[test]
fn resumed_payloads_are_the_same() {
    let payload = panic::catch_unwind(|| panic::resume_unwind(Box::new("own"))).unwrap_err();
    assert_eq!(payload.downcast_ref::<&str>(), Some(&"own"));
    let again = panic::catch_unwind(AssertUnwindSafe(|| panic::resume_unwind(payload)));
    assert_eq!(text(&*again.unwrap_err()), "own");
}

#[test]
fn panicking_is_true_exactly_while_unwinding() {
    struct Looks<'a>(&'a AtomicUsize);
    impl Drop for Looks<'_> {
        fn drop(&mut self) {
            self.0
                .store(1 + usize::from(thread::panicking()), Ordering::SeqCst);
        }
    }
    let seen = AtomicUsize::new(0);
    drop(Looks(&seen));
    assert_eq!(seen.load(Ordering::SeqCst), 1);
    message_of(|| {
        let _looks = Looks(&seen);
        panic!("unwinds");
    });
    assert_eq!(seen.load(Ordering::SeqCst), 2);
    assert!(!thread::panicking());
    message_of(|| {
        let _looks = Looks(&seen);
        panic::resume_unwind(Box::new("unwinds"));
    });
    assert_eq!(seen.load(Ordering::SeqCst), 2);
    assert!(!thread::panicking());
}

#[test]
fn a_panic_may_be_caught_within_a_drop_of_another() {
    struct Catches;
    impl Drop for Catches {
        fn drop(&mut self) {
            assert!(thread::panicking());
            assert_eq!(message_of(|| panic!("inner")), "inner");
            assert!(thread::panicking());
        }
    }
    let text = message_of(|| {
        let _catches = Catches;
        panic!("outer");
    });
    assert_eq!(text, "outer");
    assert!(!thread::panicking());
}

#[test]
fn a_panic_elsewhere_is_not_a_panic_here() {
    thread::scope(|scope| {
        let other = scope.spawn(|| panic!("elsewhere"));
        thread::yield_now();
        assert!(!thread::panicking());
        assert!(other.join().is_err());
        assert!(!thread::panicking());
    });
}

#[test]
fn several_threads_may_unwind_and_block_at_once() {
    struct Meets<'a>(&'a Barrier, &'a Mutex<u8>);
    impl Drop for Meets<'_> {
        fn drop(&mut self) {
            assert!(thread::panicking());
            self.0.wait();
            *self.1.lock().unwrap() += 1;
            self.0.wait();
            assert!(thread::panicking());
        }
    }
    let (barrier, count) = (Barrier::new(3), Mutex::new(0));
    thread::scope(|scope| {
        let threads = [1, 2].map(|id| {
            let meets = Meets(&barrier, &count);
            scope.spawn(move || {
                let _meets = meets;
                panic!("thread {id}");
            })
        });
        barrier.wait();
        barrier.wait();
        assert!(!thread::panicking());
        let texts = threads.map(|thread| text(&*thread.join().unwrap_err()));
        assert_eq!(texts, ["thread 1", "thread 2"]);
    });
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn the_hook_is_told_and_can_be_replaced() {
    // Hooks belong to the process; other tests' panics are told apart by their text.
    let seen = Arc::new(Mutex::new(Vec::new()));
    let hook = Arc::clone(&seen);
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let text = info.payload_as_str().unwrap_or("no text");
        if text.starts_with("hooked") {
            let place = info.location().expect("panics have a place");
            hook.lock()
                .unwrap()
                .push((text.to_owned(), place.file().to_owned(), place.line()));
        }
    }));
    let line = line!() + 1;
    message_of(|| panic!("hooked {}", 1));
    message_of(|| panic::resume_unwind(Box::new("hooked by no means")));
    panics_elsewhere(|| panic!("hooked elsewhere"));
    drop(panic::take_hook());
    panic::set_hook(before);
    message_of(|| panic!("hooked no more"));
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert_eq!(seen[0], ("hooked 1".to_owned(), file!().to_owned(), line));
    assert_eq!(seen[1].0, "hooked elsewhere");
}

#[test]
fn places_are_those_of_the_caller() {
    #[track_caller]
    fn place() -> &'static panic::Location<'static> {
        panic::Location::caller()
    }
    let (here, line) = (place(), line!());
    assert_eq!((here.file(), here.line()), (file!(), line));
}

#[test]
#[should_panic(expected = "called `Result::unwrap()` on an `Err` value: PoisonError")]
fn poison_passes_on_by_unwrap() {
    let mutex = Mutex::new(());
    panics_elsewhere(|| {
        let _guard = mutex.lock().unwrap();
        panic!("poisons");
    });
    drop(mutex.lock().unwrap());
}

#[test]
fn tests_may_return_results() -> Result<(), Box<dyn std::error::Error>> {
    let number: u8 = "7".parse()?;
    assert_eq!(
        thread::spawn(move || number)
            .join()
            .map_err(|_| "panicked")?,
        7
    );
    Ok(())
}
