//! `pthread_key_create`, `pthread_setspecific`: values per worker.
//!
//! The keys are the C library's, since threads outside use them, too. It has no more than 1,024 of them,
//! so those that an iteration makes are kept and given out again in the next one.

use std::sync::{Mutex, MutexGuard, PoisonError};

use cct::engine::{self, Local, LocalSlot};
use cct::memory::has_own_allocator;
use libc::{c_int, c_void, pthread_key_t};

use crate::symbols::real::Real;

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
// SAFETY: the functions' types.
static CREATE: Real<unsafe extern "C" fn(*mut pthread_key_t, Destructor) -> c_int> =
    unsafe { Real::named(c"pthread_key_create") };
// SAFETY: as above.
static DELETE: Real<unsafe extern "C" fn(pthread_key_t) -> c_int> =
    unsafe { Real::named(c"pthread_key_delete") };
// SAFETY: as above.
static GET: Real<unsafe extern "C" fn(pthread_key_t) -> *mut c_void> =
    unsafe { Real::named(c"pthread_getspecific") };
// SAFETY: as above.
static SET: Real<unsafe extern "C" fn(pthread_key_t, *const c_void) -> c_int> =
    unsafe { Real::named(c"pthread_setspecific") };

/// A key of the C library's.
#[derive(Clone, Copy)]
struct Key {
    destructor: Destructor,
    made: Made,
}

/// The maker of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Code outside iterations: it is there for all of them.
    Outside,
    /// A worker of this iteration.
    In(u64),
    /// Nobody any more: it may be given out again.
    Spare,
}

/// As many keys as the C library has.
const MOST: usize = 1024;

/// By number. Nothing is allocated: an allocator may ask for a key before it can serve anybody.
static KEYS: Mutex<[Option<Key>; MOST]> = Mutex::new([None; MOST]);

/// A worker's values, in the order in which it set them first.
type Values = Vec<(pthread_key_t, *mut c_void)>;

/// Where a worker has its values.
static SLOT: LocalSlot = LocalSlot::new();

/// How often destructors are run that leave new values behind: as often as the C library does.
const ROUNDS: usize = 4;

/// Takes over the C library's `pthread_key_create`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_key_create(
    place: *mut pthread_key_t,
    destructor: Destructor,
) -> c_int {
    let iteration = if is_per_worker() {
        engine::run_number()
    } else {
        0
    };
    let made = if iteration == 0 {
        Made::Outside
    } else {
        Made::In(iteration)
    };
    engine::outside(|| {
        let mut keys = keys();
        let is_spare = |key: &Key| {
            made != Made::Outside
                && key.made != Made::Outside
                && key.made != made
                && address(key.destructor) == address(destructor)
        };
        let known = keys
            .iter()
            .position(|key| key.as_ref().is_some_and(is_spare));
        let number = if let Some(number) = known {
            number as pthread_key_t
        } else {
            let mut number = 0;
            // SAFETY: the place is writable, the destructor the caller's.
            match unsafe { CREATE.get()(&raw mut number, destructor) } {
                0 => number,
                error => return error,
            }
        };
        if let Some(key) = keys.get_mut(number as usize) {
            *key = Some(Key { destructor, made });
        }
        // SAFETY: the caller's place is writable.
        unsafe { *place = number };
        0
    })
}

/// Takes over the C library's `pthread_key_delete`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_key_delete(number: pthread_key_t) -> c_int {
    let is_controlled = is_per_worker();
    engine::outside(|| {
        let mut keys = keys();
        if let Some(entry) = keys.get_mut(number as usize) {
            match entry {
                // One that is there for all iterations is there for the next one.
                Some(key) if is_controlled => {
                    if let Made::In(_) = key.made {
                        key.made = Made::Spare;
                    }
                    return 0;
                }
                _ => *entry = None,
            }
        }
        // SAFETY: any number may be asked for.
        unsafe { DELETE.get()(number) }
    })
}

/// Takes over the C library's `pthread_getspecific`.
#[unsafe(no_mangle)]
pub(super) extern "C" fn pthread_getspecific(number: pthread_key_t) -> *mut c_void {
    if !is_per_worker() {
        // SAFETY: any number may be asked for.
        return unsafe { GET.get()(number) };
    }
    let Some(values) = values() else {
        return std::ptr::null_mut();
    };
    // SAFETY: the current worker's values, which nobody else looks at.
    let values = unsafe { &*values };
    let found = values.iter().find(|(known, _)| *known == number);
    found.map_or(std::ptr::null_mut(), |(_, value)| *value)
}

/// Takes over the C library's `pthread_setspecific`.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn pthread_setspecific(
    number: pthread_key_t,
    value: *const c_void,
) -> c_int {
    if !is_per_worker() {
        // SAFETY: the caller's arguments.
        return unsafe { SET.get()(number, value) };
    }
    if key(number).is_none() {
        return libc::EINVAL;
    }
    let values = values().unwrap_or_else(|| {
        let fresh = Box::into_raw(Box::new(Values::new()));
        // SAFETY: the box is given up here; the worker's end is the end of its values.
        unsafe { engine::set_local(&SLOT, (fresh.cast(), 0), Some(destroy)) };
        fresh
    });
    // SAFETY: the current worker's values, which nobody else looks at.
    let values = unsafe { &mut *values };
    let value = value.cast_mut();
    match values.iter_mut().find(|(known, _)| *known == number) {
        Some((_, present)) => *present = value,
        None => values.push((number, value)),
    }
    0
}

/// True on a worker, unless a key may be that of an allocator, to which all workers are one thread.
fn is_per_worker() -> bool {
    engine::is_controlled() && !has_own_allocator()
}

/// The current worker's values, if it has any.
fn values() -> Option<*mut Values> {
    match engine::local(&SLOT) {
        Local::Alive(values) => Some(values.cast()),
        Local::Missing | Local::Destroyed => None,
    }
}

/// Runs the destructors of a worker that ends.
unsafe fn destroy(values: *mut u8) {
    // SAFETY: only `pthread_setspecific` fills the slot; destructors may look at what is left.
    unsafe {
        engine::set_local(&SLOT, (values, 0), None);
        let values: *mut Values = values.cast();
        for _ in 0..ROUNDS {
            let mut index = 0;
            let mut is_any = false;
            while let Some(&(number, value)) = (&*values).get(index) {
                let destructor = key(number).and_then(|key| key.destructor);
                if let Some(destructor) = destructor.filter(|_| !value.is_null()) {
                    (&mut *values)[index].1 = std::ptr::null_mut();
                    is_any = true;
                    destructor(value);
                }
                index += 1;
            }
            if !is_any {
                break;
            }
        }
    }
}

fn key(number: pthread_key_t) -> Option<Key> {
    engine::outside(|| keys().get(number as usize).copied().flatten())
}

fn keys() -> MutexGuard<'static, [Option<Key>; MOST]> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn address(destructor: Destructor) -> Option<usize> {
    destructor.map(|destructor| destructor as *const () as usize)
}

#[cfg(test)]
mod tests {
    use std::ptr::{dangling, null, null_mut};

    use super::*;

    #[test]
    fn off_the_engine_keys_are_the_c_librarys() {
        // SAFETY: the places are writable; the value is never read.
        unsafe {
            let mut number = 0;
            assert_eq!(pthread_key_create(&raw mut number, None), 0);
            assert!(key(number).is_some_and(|key| key.made == Made::Outside));
            assert_eq!(pthread_getspecific(number), null_mut());
            let value = dangling::<c_void>();
            assert_eq!(pthread_setspecific(number, value), 0);
            assert_eq!(pthread_getspecific(number).cast_const(), value);
            let elsewhere = std::thread::scope(|scope| {
                let other = scope.spawn(|| pthread_getspecific(number).is_null());
                other.join().expect("no panic")
            });
            assert!(elsewhere, "each thread has its own");
            assert_eq!(pthread_setspecific(number, null()), 0);
            assert_eq!(pthread_key_delete(number), 0);
            assert!(key(number).is_none());
        }
    }

    #[test]
    fn destructors_are_told_apart_by_their_address() {
        unsafe extern "C" fn one(_: *mut c_void) {}
        assert_eq!(address(None), None);
        assert_eq!(address(Some(one)), Some(one as *const () as usize));
    }
}
