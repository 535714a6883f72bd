//! `AtomicPtr`: a thin generic face over one machine for pointers to anything.

use cct::engine::{self, Atomic};
use cct::object::ObjectId;
use cct::operation::Operation;
use real::fmt;
use real::ptr;
use real::sync::atomic::Ordering;

use super::order;

/// `std::sync::atomic::AtomicPtr`.
#[repr(transparent)]
pub struct AtomicPtr<T>(real::sync::atomic::AtomicPtr<T>);

/// An `AtomicPtr` that does not know what it points to.
#[repr(transparent)]
struct Untyped(real::sync::atomic::AtomicPtr<()>);

shared_methods!(pub(super) Untyped, real::sync::atomic::AtomicPtr<()>, *mut ());
#[cfg(has_atomic_ptr_arithmetic)]
read_modify_write! {
    #[allow(clippy::incompatible_msrv, reason = "they are asked for")]
    pub(super) Untyped, *mut (), usize;
    fetch_byte_add(FetchAdd) |old, val| old.wrapping_byte_add(val);
    fetch_byte_sub(FetchSub) |old, val| old.wrapping_byte_sub(val);
    fetch_and(FetchAnd) |old, val| old.map_addr(|address| address & val);
    fetch_or(FetchOr) |old, val| old.map_addr(|address| address | val);
    fetch_xor(FetchXor) |old, val| old.map_addr(|address| address ^ val);
}
derived_methods!([<T>] AtomicPtr<T>, "AtomicPtr", real::sync::atomic::AtomicPtr<T>, *mut T);

impl<T> AtomicPtr<T> {
    /// See `std::sync::atomic::AtomicPtr::load`.
    #[track_caller]
    pub fn load(&self, order: Ordering) -> *mut T {
        self.untyped().load(order).cast()
    }

    /// See `std::sync::atomic::AtomicPtr::store`.
    #[track_caller]
    pub fn store(&self, ptr: *mut T, order: Ordering) {
        self.untyped().store(ptr.cast(), order);
    }

    /// See `std::sync::atomic::AtomicPtr::swap`.
    #[track_caller]
    pub fn swap(&self, ptr: *mut T, order: Ordering) -> *mut T {
        self.untyped().swap(ptr.cast(), order).cast()
    }

    /// See `std::sync::atomic::AtomicPtr::compare_exchange`.
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        typed(
            self.untyped()
                .compare_exchange(current.cast(), new.cast(), success, failure),
        )
    }

    /// See `std::sync::atomic::AtomicPtr::compare_exchange_weak`.
    ///
    /// On a worker it fails only when the values differ.
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        typed(
            self.untyped()
                .compare_exchange_weak(current.cast(), new.cast(), success, failure),
        )
    }

    /// See `std::sync::atomic::AtomicPtr::fetch_ptr_add`.
    #[cfg(has_atomic_ptr_arithmetic)]
    #[track_caller]
    pub fn fetch_ptr_add(&self, val: usize, order: Ordering) -> *mut T {
        self.fetch_byte_add(val.wrapping_mul(size_of::<T>()), order)
    }

    /// See `std::sync::atomic::AtomicPtr::fetch_ptr_sub`.
    #[cfg(has_atomic_ptr_arithmetic)]
    #[track_caller]
    pub fn fetch_ptr_sub(&self, val: usize, order: Ordering) -> *mut T {
        self.fetch_byte_sub(val.wrapping_mul(size_of::<T>()), order)
    }

    fn untyped(&self) -> &Untyped {
        // SAFETY: both are transparent over the real atomic, whose layout is that of a pointer.
        unsafe { &*ptr::from_ref(self).cast() }
    }
}

#[cfg(has_atomic_ptr_arithmetic)]
macro_rules! by_bytes {
    ($($method:ident)*) => { impl<T> AtomicPtr<T> { $(
        #[doc = concat!("See `std::sync::atomic::AtomicPtr::", stringify!($method), "`.")]
        #[track_caller]
        pub fn $method(&self, val: usize, order: Ordering) -> *mut T {
            self.untyped().$method(val, order).cast()
        }
    )* } };
}
#[cfg(has_atomic_ptr_arithmetic)]
by_bytes!(fetch_byte_add fetch_byte_sub fetch_and fetch_or fetch_xor);

fn typed<T>(result: Result<*mut (), *mut ()>) -> Result<*mut T, *mut T> {
    match result {
        Ok(pointer) => Ok(pointer.cast()),
        Err(pointer) => Err(pointer.cast()),
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.load(Ordering::Relaxed), f)
    }
}

#[cfg(all(test, has_atomic_ptr_arithmetic))]
mod tests {
    use super::{AtomicPtr, Ordering};

    #[test]
    fn arithmetic_counts_elements_or_bytes() {
        let mut numbers = [1_u32, 2, 3];
        let first = numbers.as_mut_ptr();
        let (pointer, order) = (AtomicPtr::new(first), Ordering::SeqCst);
        assert_eq!(pointer.fetch_ptr_add(2, order), first);
        assert_eq!(pointer.fetch_byte_sub(4, order), first.wrapping_add(2));
        assert_eq!(pointer.fetch_or(1, order), first.wrapping_add(1));
        assert_eq!(
            pointer.fetch_and(!1, order),
            first.wrapping_add(1).wrapping_byte_add(1)
        );
        assert_eq!(pointer.fetch_ptr_sub(1, order), first.wrapping_add(1));
        assert_eq!(pointer.load(order), first);
        assert_eq!(format!("{pointer:p}"), format!("{first:p}"));
    }
}
