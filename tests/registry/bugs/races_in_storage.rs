//! A value is looked for while another thread stores it.
//!
//! The flag that says that it is there is read by a relaxed load: nothing orders the value's initialisation
//! before its use.

use std::thread;

use state::Storage;

#[test]
fn test() {
    static NUMBER: Storage<u64> = Storage::new();
    let thread = thread::spawn(|| NUMBER.set(7));
    if let Some(number) = NUMBER.try_get() {
        assert_eq!(*number, 7);
    }
    thread.join().unwrap();
}
