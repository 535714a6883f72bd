//! Shared ownership within the shims.
//!
//! As `Arc`, without weak references. The generic code of the shims is compiled into the program's crates,
//! where counts of an `Arc` are steps: these here are counted by functions that are not generic.

use cct::engine;
use cct::object::ObjectId;
use real::marker::PhantomData;
use real::ops::Deref;
use real::panic::{RefUnwindSafe, UnwindSafe};
use real::ptr::NonNull;
use real::sync::atomic::{AtomicUsize, Ordering, fence};

/// One of several owners of a value.
pub(crate) struct Shared<T> {
    inner: NonNull<Inner<T>>,
    owns: PhantomData<Inner<T>>,
}

struct Inner<T> {
    owners: Owners,
    value: T,
}

/// How many owners there are.
struct Owners(AtomicUsize);

impl Owners {
    #[inline(never)]
    fn add(&self) {
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        // As in `Arc`: only a program that forgets its handles comes here.
        assert!(before < isize::MAX as usize, "too many owners");
    }

    /// True if it was the last.
    #[inline(never)]
    fn remove(&self) -> bool {
        engine::release(ObjectId::of(self));
        let is_last = self.0.fetch_sub(1, Ordering::Release) == 1;
        if is_last {
            engine::acquire(ObjectId::of(self));
            fence(Ordering::Acquire);
        }
        is_last
    }

    #[inline(never)]
    fn is_one(&self) -> bool {
        engine::acquire(ObjectId::of(self));
        self.0.load(Ordering::Acquire) == 1
    }
}

impl<T> Shared<T> {
    /// The first owner of the value.
    pub(crate) fn new(value: T) -> Shared<T> {
        let owners = Owners(AtomicUsize::new(1));
        let inner = Box::new(Inner { owners, value });
        Shared {
            inner: NonNull::from(Box::leak(inner)),
            owns: PhantomData,
        }
    }

    /// True if there is no other owner.
    pub(crate) fn is_only(shared: &Shared<T>) -> bool {
        shared.inner().owners.is_one()
    }

    fn inner(&self) -> &Inner<T> {
        // SAFETY: it lives as long as it has an owner, which this is.
        unsafe { self.inner.as_ref() }
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        self.inner().owners.add();
        Shared {
            inner: self.inner,
            owns: PhantomData,
        }
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        if self.inner().owners.remove() {
            // SAFETY: it was made by a box, and nobody else owns it any more.
            drop(unsafe { Box::from_raw(self.inner.as_ptr()) });
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner().value
    }
}

// SAFETY: as of `Arc`: each owner may reach the value, and be the one that drops it.
unsafe impl<T: Send + Sync> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Shared<T> {}
impl<T: RefUnwindSafe> UnwindSafe for Shared<T> {}
impl<T> Unpin for Shared<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_owner_drops_the_value() {
        struct Flag<'a>(&'a real::cell::Cell<bool>);
        impl Drop for Flag<'_> {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        let dropped = real::cell::Cell::new(false);
        let first = Shared::new(Flag(&dropped));
        assert!(Shared::is_only(&first));
        let second = first.clone();
        assert!(!Shared::is_only(&second));
        drop(first);
        assert!(Shared::is_only(&second) && !dropped.get());
        drop(second);
        assert!(dropped.get());
    }
}
