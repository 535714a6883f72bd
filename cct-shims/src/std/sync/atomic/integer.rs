//! The integer atomics.

use cct::engine;
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
