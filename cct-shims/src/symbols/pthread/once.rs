//! `pthread_once`.
//!
//! It is no scheduling point before the routine: C++'s `call_once` leaves in a thread-local of its library
//! what the routine is to call, and one thread-local serves all workers.

use std::sync::atomic::{AtomicI32, Ordering};

use cct::engine::{self, NEVER};
use cct::object::ObjectId;
use cct::operation::{Access, Operation};
use libc::c_int;

use super::{declare, waited};
use crate::symbols::caller::with_caller;
use crate::symbols::real::{Real, system_call};

type Once = unsafe extern "C" fn(*mut c_int, extern "C" fn()) -> c_int;
// SAFETY: the function's type.
static ONCE: Real<Once> = unsafe { Real::named(c"pthread_once") };

// The values of the C library's own, in a process that is no fork of one with a routine under way.
const FRESH: c_int = 0;
const UNDER_WAY: c_int = 1;
const DONE: c_int = 2;

with_caller!(pthread_once(control: *mut c_int, routine: extern "C" fn()) -> c_int, "rdx", "x2", once);

unsafe extern "C" fn once(control: *mut c_int, routine: extern "C" fn(), caller: usize) -> c_int {
    if !engine::is_controlled() {
        // SAFETY: the caller's arguments.
        let result = unsafe { ONCE.get()(control, routine) };
        waited::tell(ObjectId::at(control.addr()));
        return result;
    }
    // SAFETY: the caller's control word.
    let state = unsafe { AtomicI32::from_ptr(control) };
    let object = ObjectId::at(control.addr());
    engine::touch(object, Access::Reads);
    loop {
        let order = Ordering::Acquire;
        match state.compare_exchange(FRESH, UNDER_WAY, order, order) {
            Ok(_) => {
                engine::touch(object, Access::Writes);
                routine();
                declare(Operation::OnceDone, object, caller);
                engine::release(object);
                state.store(DONE, Ordering::Release);
                wake_threads(control);
                engine::wake_all(object);
                return 0;
            }
            Err(DONE) => {
                engine::acquire(object);
                return 0;
            }
            Err(_) => {
                waited::enter(object);
                if state.load(order) & DONE == 0 {
                    let site = engine::last_site();
                    engine::wait_at(Operation::OnceWait, object, NEVER, None, site);
                }
                waited::leave(object);
            }
        }
    }
}

/// Wakes threads outside that wait as the C library does.
fn wake_threads(control: *mut c_int) {
    let operation = (libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG).cast_unsigned() as usize;
    let all = i32::MAX.cast_unsigned() as usize;
    // SAFETY: waking looks at nothing but the address.
    unsafe { system_call(libc::SYS_futex, [control.addr(), operation, all, 0, 0, 0]) };
}
