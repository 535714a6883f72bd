//! Size, alignment and representation of what programs cast and transmute.
#![deny(warnings)]

use core::mem::{align_of, size_of, transmute};
use std::sync::atomic::*;

macro_rules! like_its_value {
    ($($atomic:ty, $value:ty;)*) => {$(const _: () = {
        assert!(size_of::<$atomic>() == size_of::<$value>());
        assert!(align_of::<$atomic>() == size_of::<$value>());
    };)*};
}
like_its_value! {
    AtomicBool, bool;
    AtomicI8, i8; AtomicI16, i16; AtomicI32, i32; AtomicI64, i64; AtomicIsize, isize;
    AtomicU8, u8; AtomicU16, u16; AtomicU32, u32; AtomicU64, u64; AtomicUsize, usize;
    AtomicPtr<u8>, *mut u8;
}

/// Accepted only in an interface to C if the type has a stable representation.
#[deny(improper_ctypes, improper_ctypes_definitions)]
pub extern "C" fn for_c(counter: &AtomicU32, flag: &AtomicBool, next: &AtomicPtr<u8>) -> u32 {
    u32::from(flag.load(Ordering::Relaxed) && next.load(Ordering::Relaxed).is_null())
        + counter.load(Ordering::Relaxed)
}

/// A wrapper that relies on its only field's layout.
#[repr(transparent)]
pub struct Wrapper(AtomicUsize);

pub fn views(number: &mut u64, pointer: *mut u32) -> (&AtomicU64, Option<&'static AtomicU32>) {
    // SAFETY: the types have equal layout, and the borrow is unique.
    let view = unsafe { &*(std::ptr::from_mut(number) as *const AtomicU64) };
    // SAFETY: the caller of this check never runs it.
    (view, unsafe { pointer.cast::<AtomicU32>().as_ref() })
}

pub const ZEROED: AtomicU16 = {
    // SAFETY: zero is a value of the type.
    unsafe { transmute::<u16, AtomicU16>(0) }
};

pub const ARRAY: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// Orderings are values like any others.
pub const ORDERINGS: [Ordering; 5] = {
    use std::sync::atomic::Ordering::*;
    [Relaxed, Acquire, Release, AcqRel, SeqCst]
};

/// The names of core and std are the same types.
pub fn same_types(x: core::sync::atomic::AtomicU32, order: core::sync::atomic::Ordering) -> u32 {
    let y: std::sync::atomic::AtomicU32 = x;
    y.load(order)
}

/// Niches that programs count on.
const _: () = {
    assert!(size_of::<Option<std::thread::ThreadId>>() == size_of::<std::thread::ThreadId>());
    assert!(size_of::<Option<std::thread::Thread>>() <= 2 * size_of::<std::thread::Thread>());
};
