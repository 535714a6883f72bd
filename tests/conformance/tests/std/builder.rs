//! `Builder` and names.

use std::thread::{self, Builder};

#[test]
fn a_name_is_seen_from_inside_and_outside() {
    let handle = Builder::new()
        .name("worker of a test".to_owned())
        .spawn(|| thread::current().name().map(str::to_owned))
        .unwrap();
    assert_eq!(handle.thread().name(), Some("worker of a test"));
    assert_eq!(handle.join().unwrap().as_deref(), Some("worker of a test"));
}

#[test]
fn the_last_name_counts() {
    let builder = Builder::new().name("first".into()).name("second".into());
    let handle = builder.spawn(|| ()).unwrap();
    assert_eq!(handle.thread().name(), Some("second"));
    handle.join().unwrap();
}

#[test]
#[should_panic(expected = "thread name may not contain interior null bytes")]
fn a_name_with_a_null_byte_is_refused() {
    let _ = Builder::new().name("null \0 inside".into()).spawn(|| ());
}

#[test]
fn a_stack_holds_what_was_asked_for() {
    #[inline(never)]
    fn uses_stack(depth: usize) -> u64 {
        let block = std::hint::black_box([depth as u64; 128]);
        if depth == 0 {
            block[0]
        } else {
            uses_stack(depth - 1) + block[127] / block[0].max(1)
        }
    }
    let handle = Builder::new()
        .stack_size(4 << 20)
        .spawn(|| uses_stack(500))
        .unwrap();
    assert_eq!(handle.join().unwrap(), 500);
}

#[test]
fn a_tiny_stack_is_rounded_up() {
    let handle = Builder::new().stack_size(1).spawn(|| 1 + 1).unwrap();
    assert_eq!(handle.join().unwrap(), 2);
}

#[test]
fn scoped_threads_have_names() {
    thread::scope(|scope| {
        let handle = Builder::new()
            .name("scoped".into())
            .spawn_scoped(scope, || 7)
            .unwrap();
        assert_eq!(handle.thread().name(), Some("scoped"));
        assert_eq!(handle.join().unwrap(), 7);
    });
}

#[test]
fn unchecked_threads_borrow() {
    let value = 3;
    // SAFETY: joined before the borrow ends.
    let handle = unsafe { Builder::new().spawn_unchecked(|| value + 1) }.unwrap();
    assert_eq!(handle.join().unwrap(), 4);
}

#[test]
fn formats() {
    let shown = format!("{:?}", Builder::new().name("x".into()));
    assert!(shown.starts_with("Builder { name: Some(\"x\")"), "{shown}");
    let handle = Builder::new().name("named".into()).spawn(|| ()).unwrap();
    let id = handle.thread().id();
    let expected = format!("Thread {{ id: {id:?}, name: Some(\"named\"), .. }}");
    assert_eq!(format!("{:?}", handle.thread()), expected);
    handle.join().unwrap();
}
