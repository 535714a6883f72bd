//! How many processors there are: on controlled workers a fixed number, on every machine.

use cct::claim::Exception;
use cct::engine;
use libc::{c_int, c_long, cpu_set_t, pid_t, size_t};

use super::real::Real;
use crate::std::thread::CONTROLLED_PARALLELISM;

/// The number that controlled workers are told.
const CONTROLLED: u8 = CONTROLLED_PARALLELISM.get() as u8;

type GetAffinity = unsafe extern "C" fn(pid_t, size_t, *mut cpu_set_t) -> c_int;
static SCHED_GETAFFINITY: Real<GetAffinity> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"sched_getaffinity") };
static SYSCONF: Real<unsafe extern "C" fn(c_int) -> c_long> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"sysconf") };
static GET_NPROCS: Real<unsafe extern "C" fn() -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"get_nprocs") };
static GET_NPROCS_CONF: Real<unsafe extern "C" fn() -> c_int> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"get_nprocs_conf") };

/// True if a controlled worker asks: the answer is the same in all schedules, on every machine.
fn is_asked() -> bool {
    engine::leave_out(Exception::Environment);
    engine::is_controlled()
}

/// Writes the set of the first few processors.
///
/// # Safety
///
/// `set` must have `size` writable bytes.
pub(super) unsafe fn write_affinity(size: size_t, set: *mut cpu_set_t) {
    let bits = (1_u64 << CONTROLLED) - 1;
    let bytes = bits.to_ne_bytes();
    // SAFETY: the caller's; no more than `size` bytes are written.
    unsafe {
        set.cast::<u8>().write_bytes(0, size);
        set.cast::<u8>()
            .copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(size));
    }
}

/// Takes over the C library's `sched_getaffinity`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn sched_getaffinity(
    process: pid_t,
    size: size_t,
    set: *mut cpu_set_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if is_asked() {
            write_affinity(size, set);
            return 0;
        }
        SCHED_GETAFFINITY.get()(process, size, set)
    }
}

/// `sched_getaffinity` by number: the kernel says how many bytes it has written. `None` if it shall.
///
/// # Safety
///
/// As the C library's `sched_getaffinity`.
pub(super) unsafe fn affinity_by_number(
    _process: pid_t,
    size: size_t,
    set: *mut cpu_set_t,
) -> Option<isize> {
    if !is_asked() {
        return None;
    }
    let written = size.min(size_of::<u64>());
    // SAFETY: the caller's set has so many bytes.
    unsafe { write_affinity(written, set) };
    Some(written.cast_signed())
}

/// Takes over the C library's `sysconf`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn sysconf(name: c_int) -> c_long {
    match name {
        libc::_SC_NPROCESSORS_CONF | libc::_SC_NPROCESSORS_ONLN if is_asked() => {
            c_long::from(CONTROLLED)
        }
        // SAFETY: any number is a question that it has an answer to.
        _ => unsafe { SYSCONF.get()(name) },
    }
}

/// Takes over the C library's `get_nprocs`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn get_nprocs() -> c_int {
    if is_asked() {
        return c_int::from(CONTROLLED);
    }
    // SAFETY: without arguments.
    unsafe { GET_NPROCS.get()() }
}

/// Takes over the C library's `get_nprocs_conf`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn get_nprocs_conf() -> c_int {
    if is_asked() {
        return c_int::from(CONTROLLED);
    }
    // SAFETY: without arguments.
    unsafe { GET_NPROCS_CONF.get()() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_any_size_has_the_first_processors() {
        for size in [1, 8, size_of::<cpu_set_t>()] {
            let mut bytes = [0xAA_u8; size_of::<cpu_set_t>() + 1];
            // SAFETY: so many bytes are writable.
            unsafe { write_affinity(size, bytes.as_mut_ptr().cast()) };
            let ones: u32 = bytes[..size].iter().map(|byte| byte.count_ones()).sum();
            assert_eq!(ones, u32::from(CONTROLLED));
            assert_eq!(bytes[0].count_ones(), ones);
            assert_eq!(bytes[size], 0xAA, "no more is written");
        }
    }
}
