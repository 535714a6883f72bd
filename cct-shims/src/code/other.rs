//! Atomics of other sizes, which std's generic code does not use: carried out, and no steps.

use libc::c_int;
use real::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering};

macro_rules! passed_on {
    ($($atomic:ident $value:ident {
        $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident $xor:ident
        $nand:ident $compare:ident
    })*) => { $(
        /// Takes over the ThreadSanitizer function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $load(address: *mut $value, _: c_int) -> $value {
            // SAFETY: the compiler names a live atomic.
            unsafe { $atomic::from_ptr(address) }.load(Ordering::SeqCst)
        }

        /// Takes over the ThreadSanitizer function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $store(address: *mut $value, value: $value, _: c_int) {
            // SAFETY: as above.
            unsafe { $atomic::from_ptr(address) }.store(value, Ordering::SeqCst);
        }

        passed_on! { @update $atomic $value $exchange swap }
        passed_on! { @update $atomic $value $add fetch_add }
        passed_on! { @update $atomic $value $sub fetch_sub }
        passed_on! { @update $atomic $value $and fetch_and }
        passed_on! { @update $atomic $value $or fetch_or }
        passed_on! { @update $atomic $value $xor fetch_xor }
        passed_on! { @update $atomic $value $nand fetch_nand }

        /// Takes over the ThreadSanitizer function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $compare(
            address: *mut $value,
            expected: $value,
            new: $value,
            _: c_int,
            _: c_int,
        ) -> $value {
            // SAFETY: as above.
            let cell = unsafe { $atomic::from_ptr(address) };
            let order = Ordering::SeqCst;
            let result = cell.compare_exchange(expected, new, order, order);
            result.unwrap_or_else(|before| before)
        }
    )* };
    (@update $atomic:ident $value:ident $name:ident $method:ident) => {
        /// Takes over the ThreadSanitizer function of this name.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(address: *mut $value, value: $value, _: c_int) -> $value {
            // SAFETY: as above.
            unsafe { $atomic::from_ptr(address) }.$method(value, Ordering::SeqCst)
        }
    };
}

passed_on! {
    AtomicU8 u8 {
        __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_fetch_add
        __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and __tsan_atomic8_fetch_or
        __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand __tsan_atomic8_compare_exchange_val
    }
    AtomicU16 u16 {
        __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_fetch_add
        __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and __tsan_atomic16_fetch_or
        __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand __tsan_atomic16_compare_exchange_val
    }
    AtomicU32 u32 {
        __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_fetch_add
        __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and __tsan_atomic32_fetch_or
        __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand __tsan_atomic32_compare_exchange_val
    }
}
