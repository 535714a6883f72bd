//! Atomics of the size of a count: those of `Arc` and `Weak`.
//!
//! Each is carried out as strongly as it can be asked for; one worker runs at a time. An atomic of std's own
//! statics, such as its count of panics and the owners of standard streams' locks, is none of them.

use cct::engine::{self, Atomic, AtomicAct, Step, access_atomic, note_drop, touch};
use cct::memory::{arena, is_static};
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use libc::c_int;
use real::sync::atomic::{AtomicU64, Ordering, fence};

/// A count about to be changed, and the step that this is.
struct Count<'a> {
    cell: &'a AtomicU64,
    object: ObjectId,
    step: Step,
}

impl Count<'_> {
    /// The count at this address, once it is the caller's turn.
    ///
    /// # Safety
    ///
    /// The address is one of a live atomic.
    #[inline]
    unsafe fn at(address: *mut u64, operation: Operation, is_sole: bool) -> Count<'static> {
        let object = ObjectId::at(address.addr());
        let operation = if is_weak(address) {
            of_weak(operation)
        } else {
            operation
        };
        let step = if is_sole {
            // Only now is it the only one: the step has its place behind the drop that others made last.
            touch(object, Access::Writes);
            engine::part_of_step()
        } else {
            engine::point_at_count(operation, object)
        };
        // SAFETY: the caller's: it is live while the operation on it is under way.
        let cell = unsafe { AtomicU64::from_ptr(address) };
        Count { cell, object, step }
    }

    #[inline]
    fn changed(&self, before: u64, after: u64, order: c_int) {
        self.step.counted(self.object, before, after);
        self.is_ordered(AtomicAct::Replace, order);
        if after < before {
            note_drop(block_of(self.cell.as_ptr()).addr());
        }
    }

    #[inline]
    fn is_ordered(&self, act: AtomicAct, order: c_int) {
        let atomic = Atomic {
            object: self.object,
            size: size_of::<u64>(),
            order: ordering(order),
        };
        access_atomic(atomic, act);
    }
}

/// The atomic at this address, if it is none of an `Arc`'s block but a static of std.
#[inline]
fn no_count(address: *mut u64) -> Option<&'static AtomicU64> {
    // SAFETY: compiled code is about to use it, and statics live for ever.
    is_static(address.addr()).then(|| unsafe { AtomicU64::from_ptr(address) })
}

/// The ordering with this number in C++.
#[inline]
const fn ordering(order: c_int) -> Ordering {
    match order {
        0 => Ordering::Relaxed,
        1 | 2 => Ordering::Acquire,
        3 => Ordering::Release,
        4 => Ordering::AcqRel,
        _ => Ordering::SeqCst,
    }
}

/// The value of the weak count while `get_mut` looks at the strong one.
const LOCKED: u64 = u64::MAX;

/// True if no other worker can tell when the owner of the only reference does something with it. The two
/// counts of an `Arc` begin its block.
#[inline]
fn is_sole(address: *mut u64) -> bool {
    let [strong, weak] = counts_at(address).unwrap_or([2, 2]);
    strong <= 1 && (weak == 1 || weak == LOCKED)
}

/// True for the second count of a block.
#[inline]
fn is_weak(address: *mut u64) -> bool {
    !address.addr().is_multiple_of(BLOCK_ALIGN) && arena::contains(address.cast())
}

/// The same operation on the count of `Weak`s.
#[inline]
const fn of_weak(operation: Operation) -> Operation {
    match operation {
        Operation::CountUp => Operation::WeakUp,
        Operation::CountDown => Operation::WeakDown,
        Operation::CountRead => Operation::WeakRead,
        Operation::CountExchange => Operation::WeakExchange,
        Operation::CountWrite => Operation::WeakWrite,
        other => other,
    }
}

/// The counts of the `Arc` to which the count at this address belongs, strong and weak.
#[inline]
fn counts_at(address: *mut u64) -> Option<[u64; 2]> {
    let strong = block_of(address);
    // SAFETY: blocks of the arena are that much aligned, and a block with one count has room for two.
    arena::contains(strong.cast()).then(|| unsafe { strong.cast::<[u64; 2]>().read_volatile() })
}

/// The block that begins with this count, or has it second.
#[inline]
fn block_of(address: *mut u64) -> *mut u64 {
    address.map_addr(|address| address & !(BLOCK_ALIGN - 1))
}

/// The alignment of blocks.
const BLOCK_ALIGN: usize = 16;

/// Takes over an operation that replaces the value.
macro_rules! replacing {
    ($(
        $name:ident $method:ident $operation:ident |$old:pat_param, $value:ident| $new:expr,
        |$address:pat_param| $is_sole:expr;
    )*) => { $(
        #[doc = concat!("Takes over ThreadSanitizer's `", stringify!($name), "`.")]
        ///
        /// # Safety
        ///
        /// As ThreadSanitizer's.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(address: *mut u64, value: u64, order: c_int) -> u64 {
            let $address = address;
            if let Some(other) = no_count(address) {
                return other.$method(value, Ordering::SeqCst);
            }
            // SAFETY: the compiler's.
            let count = unsafe { Count::at(address, Operation::$operation, $is_sole) };
            let before = count.cell.$method(value, Ordering::SeqCst);
            let ($old, $value) = (before, value);
            count.changed(before, $new, order);
            before
        }
    )* };
}

replacing! {
    __tsan_atomic64_fetch_add fetch_add CountUp |old, value| old.wrapping_add(value), |_| false;
    __tsan_atomic64_fetch_sub fetch_sub CountDown |old, value| old.wrapping_sub(value), |at| is_sole(at);
    __tsan_atomic64_exchange swap CountWrite |_, value| value, |_| false;
    __tsan_atomic64_fetch_and fetch_and CountWrite |old, value| old & value, |_| false;
    __tsan_atomic64_fetch_or fetch_or CountWrite |old, value| old | value, |_| false;
    __tsan_atomic64_fetch_xor fetch_xor CountWrite |old, value| old ^ value, |_| false;
    __tsan_atomic64_fetch_nand fetch_nand CountWrite |old, value| !(old & value), |_| false;
}

/// Takes over ThreadSanitizer's `__tsan_atomic64_load`.
///
/// # Safety
///
/// As ThreadSanitizer's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic64_load(address: *mut u64, order: c_int) -> u64 {
    if let Some(other) = no_count(address) {
        return other.load(Ordering::SeqCst);
    }
    // `get_mut` looks at the strong count.
    let is_sole = counts_at(address).is_some_and(|[strong, weak]| strong <= 1 && weak == LOCKED);
    // SAFETY: the compiler's.
    let count = unsafe { Count::at(address, Operation::CountRead, is_sole) };
    let value = count.cell.load(Ordering::SeqCst);
    count.step.read(value);
    count.is_ordered(AtomicAct::Load, order);
    value
}

/// Takes over ThreadSanitizer's `__tsan_atomic64_store`.
///
/// # Safety
///
/// As ThreadSanitizer's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic64_store(address: *mut u64, value: u64, order: c_int) {
    if let Some(other) = no_count(address) {
        return other.store(value, Ordering::SeqCst);
    }
    // SAFETY: the compiler's.
    let count = unsafe { Count::at(address, Operation::CountWrite, is_sole(address)) };
    let before = count.cell.swap(value, Ordering::SeqCst);
    count.step.counted(count.object, before, value);
    count.is_ordered(AtomicAct::Store, order);
}

/// Takes over ThreadSanitizer's `__tsan_atomic64_compare_exchange_val`, which returns the value before.
///
/// # Safety
///
/// As ThreadSanitizer's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_atomic64_compare_exchange_val(
    address: *mut u64,
    expected: u64,
    new: u64,
    success: c_int,
    failure: c_int,
) -> u64 {
    let order = Ordering::SeqCst;
    if let Some(other) = no_count(address) {
        let exchanged = other.compare_exchange(expected, new, order, order);
        return exchanged.unwrap_or_else(|before| before);
    }
    // `try_unwrap` gives up the reference, `get_mut` has it for itself; others may share it.
    let is_sole = (new == 0 || new == LOCKED) && is_sole(address);
    // SAFETY: the compiler's.
    let count = unsafe { Count::at(address, Operation::CountExchange, is_sole) };
    match count.cell.compare_exchange(expected, new, order, order) {
        Ok(before) => {
            count.changed(before, new, success);
            before
        }
        Err(before) => {
            count.step.refused(Some(before.into()));
            count.is_ordered(AtomicAct::Load, failure);
            before
        }
    }
}

/// Takes over ThreadSanitizer's `__tsan_atomic_thread_fence`: `Arc` has one before a destructor.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_thread_fence(order: c_int) {
    engine::pass_fence(ordering(order));
    fence(Ordering::SeqCst);
}

/// Takes over ThreadSanitizer's `__tsan_atomic_signal_fence`.
#[unsafe(no_mangle)]
extern "C" fn __tsan_atomic_signal_fence(_: c_int) {
    real::sync::atomic::compiler_fence(Ordering::SeqCst);
}
