//! The integer atomics.

use cct::engine::{self, Atomic};
use cct::object::ObjectId;
use cct::operation::Operation;
use real::fmt;
use real::sync::atomic::Ordering;

use super::order;

macro_rules! integers {
    ($($atomic:ident $name:literal $value:ident;)*) => { $(
        #[doc = concat!("`std::sync::atomic::", $name, "`.")]
        #[repr(transparent)]
        pub struct $atomic(real::sync::atomic::$atomic);

        shared_methods!(pub $atomic, real::sync::atomic::$atomic, $value);
        derived_methods!([] $atomic, $name, real::sync::atomic::$atomic, $value);
        read_modify_write! {
            pub $atomic, $value;
            fetch_add(FetchAdd) |old, val| old.wrapping_add(val);
            fetch_sub(FetchSub) |old, val| old.wrapping_sub(val);
            fetch_and(FetchAnd) |old, val| old & val;
            fetch_nand(FetchNand) |old, val| !(old & val);
            fetch_or(FetchOr) |old, val| old | val;
            fetch_xor(FetchXor) |old, val| old ^ val;
            fetch_max(FetchMax) |old, val| old.max(val);
            fetch_min(FetchMin) |old, val| old.min(val);
        }
    )* };
}

integers! {
    AtomicI8 "AtomicI8" i8;
    AtomicU8 "AtomicU8" u8;
    AtomicI16 "AtomicI16" i16;
    AtomicU16 "AtomicU16" u16;
    AtomicI32 "AtomicI32" i32;
    AtomicU32 "AtomicU32" u32;
    AtomicI64 "AtomicI64" i64;
    AtomicU64 "AtomicU64" u64;
    AtomicIsize "AtomicIsize" isize;
    AtomicUsize "AtomicUsize" usize;
}

#[cfg(test)]
mod tests {
    use real::panic::catch_unwind;

    use super::{AtomicI32, AtomicU8, Ordering};

    #[test]
    fn operations_return_the_value_before() {
        let (number, order) = (AtomicI32::new(6), Ordering::SeqCst);
        let before = [
            number.fetch_add(4, order),
            number.fetch_sub(3, order),
            number.fetch_and(5, order),
            number.fetch_nand(4, order),
            number.fetch_or(1, order),
            number.fetch_xor(2, order),
            number.fetch_max(9, order),
            number.fetch_min(-1, order),
            number.swap(0, order),
        ];
        assert_eq!(before, [6, 10, 7, 5, -5, -5, -7, 9, -1]);
        assert_eq!(
            number.compare_exchange(0, 1, order, Ordering::Relaxed),
            Ok(0)
        );
        assert_eq!(
            number.compare_exchange(0, 2, order, Ordering::Relaxed),
            Err(1)
        );
    }

    #[test]
    fn updates_follow_the_closure() {
        let (number, order) = (AtomicU8::new(255), Ordering::SeqCst);
        assert_eq!(
            number.fetch_update(order, order, |value| value.checked_add(1)),
            Err(255)
        );
        assert_eq!(
            number.fetch_update(order, order, |value| value.checked_sub(1)),
            Ok(255)
        );
        assert_eq!(number.into_inner(), 254);
    }

    #[cfg(has_atomic_update)]
    #[test]
    fn an_update_may_be_refused_or_not() {
        let (number, order) = (AtomicU8::new(254), Ordering::SeqCst);
        assert_eq!(number.update(order, order, |value| value / 2), 254);
        assert_eq!(number.try_update(order, order, |_| None), Err(127));
        assert_eq!(
            number.try_update(order, order, |value| value.checked_add(1)),
            Ok(127)
        );
        assert_eq!(number.into_inner(), 128);
    }

    #[test]
    fn impossible_orderings_panic() {
        let number = AtomicU8::new(0);
        assert!(catch_unwind(|| number.load(Ordering::Release)).is_err());
        assert!(catch_unwind(|| number.store(0, Ordering::AcqRel)).is_err());
    }
}
