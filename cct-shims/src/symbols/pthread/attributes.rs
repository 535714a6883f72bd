//! Questions and settings of a thread by its handle.
//!
//! A worker has no thread of its own, so most of it is answered for the one that carries all of them.

use std::ffi::c_char;

use cct::engine;
use libc::{c_int, clockid_t, cpu_set_t, pthread_attr_t, pthread_t, sched_param, size_t};

use super::thread::{Named, carrier, named};
use crate::symbols::processors::write_affinity;
use crate::symbols::real::Real;
use crate::symbols::signals::send;

/// The longest name of a thread, with the zero at its end.
const NAME: usize = 16;

/// Defines functions that go on to the C library's with the thread that carries a worker.
macro_rules! for_carrier {
    ($($name:ident $symbol:literal ($($argument:ident: $type:ty),*);)*) => { $(
        #[doc = concat!("Takes over the C library's `", stringify!($name), "`.")]
        ///
        /// # Safety
        ///
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub(super) unsafe extern "C" fn $name(thread: pthread_t, $($argument: $type),*) -> c_int {
            static REAL: Real<unsafe extern "C" fn(pthread_t, $($type),*) -> c_int> =
                // SAFETY: the function's type.
                unsafe { Real::named($symbol) };
            // SAFETY: the caller's arguments; the carrier lives.
            unsafe { REAL.get()(carrier(thread), $($argument),*) }
        }
    )* };
}

for_carrier! {
    pthread_sigqueue c"pthread_sigqueue" (signal: c_int, value: libc::sigval);
    pthread_getcpuclockid c"pthread_getcpuclockid" (clock: *mut clockid_t);
    pthread_getschedparam c"pthread_getschedparam" (policy: *mut c_int, param: *mut sched_param);
    pthread_setschedparam c"pthread_setschedparam" (policy: c_int, param: *const sched_param);
    pthread_setschedprio c"pthread_setschedprio" (priority: c_int);
}

// SAFETY: the functions' types.
static KILL: Real<unsafe extern "C" fn(pthread_t, c_int) -> c_int> =
    unsafe { Real::named(c"pthread_kill") };
// SAFETY: as above.
static GETATTR: Real<unsafe extern "C" fn(pthread_t, *mut pthread_attr_t) -> c_int> =
    unsafe { Real::named(c"pthread_getattr_np") };
// SAFETY: as above.
static SETNAME: Real<unsafe extern "C" fn(pthread_t, *const c_char) -> c_int> =
    unsafe { Real::named(c"pthread_setname_np") };
// SAFETY: as above.
static GETNAME: Real<unsafe extern "C" fn(pthread_t, *mut c_char, size_t) -> c_int> =
    unsafe { Real::named(c"pthread_getname_np") };
// SAFETY: as above.
static GETAFFINITY: Real<unsafe extern "C" fn(pthread_t, size_t, *mut cpu_set_t) -> c_int> =
    unsafe { Real::named(c"pthread_getaffinity_np") };
// SAFETY: as above.
static SETAFFINITY: Real<unsafe extern "C" fn(pthread_t, size_t, *const cpu_set_t) -> c_int> =
    unsafe { Real::named(c"pthread_setaffinity_np") };

/// Takes over the C library's `pthread_kill`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_kill(thread: pthread_t, signal: c_int) -> c_int {
    match named(thread) {
        Named::Worker(_) if !(0..=64).contains(&signal) => libc::EINVAL,
        Named::Worker(worker) if engine::is_controlled() => send(signal, Some(worker)),
        // SAFETY: the caller's arguments; the carrier lives.
        _ => unsafe { KILL.get()(carrier(thread), signal) },
    }
}

/// Takes over the C library's `pthread_getattr_np`: a worker's stack is its own.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_getattr_np(
    thread: pthread_t,
    attributes: *mut pthread_attr_t,
) -> c_int {
    // SAFETY: the caller's arguments; the carrier lives.
    unsafe {
        let result = GETATTR.get()(carrier(thread), attributes);
        if let Named::Worker(worker) = named(thread)
            && result == 0
            && engine::is_controlled()
        {
            let (start, size) = engine::stack_of(worker);
            return libc::pthread_attr_setstack(attributes, start as *mut libc::c_void, size);
        }
        result
    }
}

/// Takes over the C library's `pthread_setname_np`: a worker keeps the name that it was spawned with.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_setname_np(
    thread: pthread_t,
    name: *const c_char,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        match named(thread) {
            Named::Worker(_) if libc::strlen(name) >= NAME => libc::ERANGE,
            Named::Worker(_) => 0,
            Named::Thread => SETNAME.get()(thread, name),
        }
    }
}

/// Takes over the C library's `pthread_getname_np`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_getname_np(
    thread: pthread_t,
    place: *mut c_char,
    size: size_t,
) -> c_int {
    let Named::Worker(worker) = named(thread) else {
        // SAFETY: the caller's arguments.
        return unsafe { GETNAME.get()(thread, place, size) };
    };
    if !engine::is_controlled() {
        return libc::ESRCH;
    }
    let name = engine::worker_name(worker);
    let name = name.as_deref().unwrap_or_default().as_bytes();
    let name = &name[..name.len().min(NAME - 1)];
    if size <= name.len() {
        return libc::ERANGE;
    }
    // SAFETY: the caller's place has room for `size` bytes.
    unsafe {
        place
            .cast::<u8>()
            .copy_from_nonoverlapping(name.as_ptr(), name.len());
        place.add(name.len()).write(0);
    }
    0
}

/// Takes over the C library's `pthread_getaffinity_np`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_getaffinity_np(
    thread: pthread_t,
    size: size_t,
    set: *mut cpu_set_t,
) -> c_int {
    // SAFETY: the caller's arguments.
    unsafe {
        if let Named::Worker(_) = named(thread) {
            write_affinity(size, set);
            return 0;
        }
        GETAFFINITY.get()(thread, size, set)
    }
}

/// Takes over the C library's `pthread_setaffinity_np`: one worker at a time runs, wherever that is.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_setaffinity_np(
    thread: pthread_t,
    size: size_t,
    set: *const cpu_set_t,
) -> c_int {
    match named(thread) {
        Named::Worker(_) => 0,
        // SAFETY: the caller's arguments.
        Named::Thread => unsafe { SETAFFINITY.get()(thread, size, set) },
    }
}
