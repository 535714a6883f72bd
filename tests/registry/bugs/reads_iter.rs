//! One thread looks at the values of all threads while others make their own.
//!
//! The table that a value goes into is found by a relaxed load: nothing orders its initialisation before its
//! use.

use std::thread;

use thread_local::ThreadLocal;

#[test]
fn test() {
    let values = ThreadLocal::<u32>::new();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                values.get_or(|| 7);
            });
        }
        for value in values.iter() {
            assert_eq!(*value, 7);
        }
    });
}
