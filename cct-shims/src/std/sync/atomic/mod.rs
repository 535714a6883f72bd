//! `std::sync::atomic`: every operation is a scheduling point, carried out on the real atomic.
//!
//! The methods are not generic and not inlined: between the program and the engine lies one frame,
//! and it is optimised also when the program is a debug build.
//!
//! One worker runs at a time, so every execution is sequentially consistent, whatever orderings
//! the program names. They are checked as std checks them; on a worker, a store is then a release
//! store, since the full barrier of a sequentially consistent one would cost more than the rest of
//! the step.

#[macro_use]
mod shared;

mod boolean;
mod fence;
mod integer;
mod order;
mod pointer;

pub use real::sync::atomic::{Ordering, compiler_fence};

pub use boolean::AtomicBool;
pub use fence::fence;
#[expect(deprecated, reason = "std still has it")]
pub use fence::spin_loop_hint;
pub use integer::{
    AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicU8, AtomicU16, AtomicU32,
    AtomicU64, AtomicUsize,
};
pub use pointer::AtomicPtr;

/// `std::sync::atomic::ATOMIC_BOOL_INIT`.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std declares it")]
pub const ATOMIC_BOOL_INIT: AtomicBool = AtomicBool::new(false);

/// `std::sync::atomic::ATOMIC_ISIZE_INIT`.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std declares it")]
pub const ATOMIC_ISIZE_INIT: AtomicIsize = AtomicIsize::new(0);

/// `std::sync::atomic::ATOMIC_USIZE_INIT`.
#[deprecated(since = "1.34.0", note = "the `new` function is now preferred")]
#[expect(clippy::declare_interior_mutable_const, reason = "std declares it")]
pub const ATOMIC_USIZE_INIT: AtomicUsize = AtomicUsize::new(0);
