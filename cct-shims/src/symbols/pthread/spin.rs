//! `pthread_spin_…`: a worker waits instead of spinning.

use cct::engine::{self, NEVER};
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, pthread_spinlock_t};

use super::{declare, waited};
use crate::symbols::caller::with_caller;
use crate::symbols::real::Real;

type Simple = unsafe extern "C" fn(*mut pthread_spinlock_t) -> c_int;
// SAFETY: the functions' types.
static LOCK: Real<Simple> = unsafe { Real::named(c"pthread_spin_lock") };
// SAFETY: as above.
static TRYLOCK: Real<Simple> = unsafe { Real::named(c"pthread_spin_trylock") };
// SAFETY: as above.
static UNLOCK: Real<Simple> = unsafe { Real::named(c"pthread_spin_unlock") };

with_caller!(pthread_spin_lock(spin: *mut pthread_spinlock_t) -> c_int, "rsi", "x1", lock);
with_caller!(pthread_spin_trylock(spin: *mut pthread_spinlock_t) -> c_int, "rsi", "x1", try_lock);
with_caller!(pthread_spin_unlock(spin: *mut pthread_spinlock_t) -> c_int, "rsi", "x1", unlock);

unsafe extern "C" fn lock(spin: *mut pthread_spinlock_t, caller: usize) -> c_int {
    let object = ObjectId::at(spin.addr());
    // SAFETY: the caller's lock.
    unsafe {
        let Some(me) = engine::current_thread() else {
            return LOCK.get()(spin);
        };
        declare(Operation::Lock, object, caller);
        while TRYLOCK.get()(spin) != 0 {
            waited::enter(object);
            if TRYLOCK.get()(spin) == 0 {
                waited::leave(object);
                break;
            }
            engine::wait_at(Operation::Lock, object, NEVER, None, engine::last_site());
            waited::leave(object);
        }
        engine::acquire(object);
        engine::retract(object, me);
        0
    }
}

unsafe extern "C" fn try_lock(spin: *mut pthread_spinlock_t, caller: usize) -> c_int {
    // SAFETY: the caller's lock.
    unsafe {
        if engine::is_controlled() {
            declare(Operation::TryLock, ObjectId::at(spin.addr()), caller);
        }
        let result = TRYLOCK.get()(spin);
        if result == 0 {
            engine::acquire(ObjectId::at(spin.addr()));
        }
        result
    }
}

unsafe extern "C" fn unlock(spin: *mut pthread_spinlock_t, caller: usize) -> c_int {
    let object = ObjectId::at(spin.addr());
    // SAFETY: the caller's lock.
    unsafe {
        if engine::is_controlled() {
            declare(Operation::Unlock, object, caller);
            engine::release(object);
            let result = UNLOCK.get()(spin);
            engine::wake_all(object);
            return result;
        }
        let result = UNLOCK.get()(spin);
        waited::tell(object);
        result
    }
}
