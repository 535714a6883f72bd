//! A crate without std: core's atomics, hints, macros and test attribute.
#![no_std]
#![deny(warnings)]
#![allow(dead_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::UnsafeCell;
use core::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicUsize, Ordering};

/// The items that `spin` and its likes are made of.
pub struct SpinLock<T: ?Sized> {
    locked: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the flag admits one thread at a time.
unsafe impl<T: ?Sized + Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    pub const fn new(value: T) -> Self {
        SpinLock { locked: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }
}

impl<T: ?Sized> SpinLock<T> {
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        while self
            .locked
            .compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed)
            .is_err()
        {
            core::hint::spin_loop();
        }
        // SAFETY: the flag is ours.
        let result = f(unsafe { &mut *self.value.get() });
        self.locked.store(false, Ordering::Release);
        result
    }
}

pub static LOCK: SpinLock<Vec<u8>> = SpinLock::new(Vec::new());
pub static COUNT: AtomicUsize = AtomicUsize::new(0);
pub static HEAD: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());

pub fn shared() -> Arc<SpinLock<u8>> {
    atomic::fence(Ordering::SeqCst);
    atomic::compiler_fence(Ordering::SeqCst);
    debug_assert!(COUNT.load(Ordering::Relaxed) < 10, "{}", "message");
    Arc::new(SpinLock::new(1))
}

pub fn unsized_value() -> Box<SpinLock<[u8]>> {
    Box::new(SpinLock::new([1, 2]))
}

pub fn text(value: Option<u8>) -> Result<String, core::fmt::Error> {
    use core::fmt::Write;
    let mut out = String::new();
    write!(out, "{:?}", value)?;
    match value {
        Some(0) => unreachable!(),
        Some(1) => panic!("one"),
        _ => Ok(out),
    }
}

#[test]
fn plain() {
    assert_eq!(shared().with(|x| *x), 1);
}

#[test]
#[should_panic]
fn panics() {
    let _ = text(Some(1));
}

#[test]
fn returns() -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod with_std {
    use std::sync::Mutex;
    use std::thread;

    #[test]
    fn threads() {
        let lock = Mutex::new(0);
        thread::scope(|scope| {
            scope.spawn(|| *lock.lock().unwrap() += 1);
        });
    }
}
