//! Handlers for `fork`: registered once in a process, though each iteration registers them anew.

use std::sync::{Mutex, PoisonError};

use libc::{c_int, c_void};

use super::real::Real;

type Handler = Option<unsafe extern "C" fn()>;
type Register = unsafe extern "C" fn(Handler, Handler, Handler, *mut c_void) -> c_int;

static REGISTER: Real<Register> =
    // SAFETY: the function's type.
    unsafe { Real::named(c"__register_atfork") };

/// The handlers that the C library has, by their addresses.
static KNOWN: Mutex<Vec<[usize; 3]>> = Mutex::new(Vec::new());

/// Takes over what the C library's `pthread_atfork` calls.
///
/// # Safety
///
/// As the C library's.
#[unsafe(no_mangle)]
pub(super) unsafe extern "C" fn __register_atfork(
    prepare: Handler,
    parent: Handler,
    child: Handler,
    library: *mut c_void,
) -> c_int {
    let address = |handler: Handler| handler.map_or(0, |handler| handler as *const () as usize);
    let handlers = [prepare, parent, child].map(address);
    cct::engine::outside(|| {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(&handlers) {
            return 0;
        }
        known.push(handlers);
        // SAFETY: the caller's arguments.
        unsafe { REGISTER.get()(prepare, parent, child, library) }
    })
}
