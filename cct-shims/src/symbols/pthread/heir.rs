//! Threads that nobody controls, where somebody wants to know of the order of their accesses: what the maker
//! has done is before a thread, and what that has done is before whoever joins it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cct::tsvd::{self, Ended, Heritage};
use libc::{c_int, c_void, pthread_t};

use super::thread::Start;

/// All that a thread begins with.
struct Heir {
    start: Start,
    argument: *mut c_void,
    heritage: Heritage,
    ended: Ended,
}

/// The threads that may be joined.
static ENDED: Mutex<BTreeMap<pthread_t, Ended>> = Mutex::new(BTreeMap::new());

/// Makes a thread by `create`, which is given the function and its argument.
pub(super) unsafe fn create(
    (start, argument): (Start, *mut c_void),
    is_detached: bool,
    create: impl FnOnce(Start, *mut c_void) -> (c_int, pthread_t),
) -> c_int {
    let ended = Ended::default();
    let heir = Box::into_raw(Box::new(Heir {
        start,
        argument,
        heritage: tsvd::heritage(),
        ended: ended.clone(),
    }));
    // Somebody may join it before this goes on.
    let mut all = all();
    let (result, thread) = create(begin, heir.cast());
    tsvd::has_made_thread();
    if result != 0 {
        // SAFETY: no thread has it.
        drop(unsafe { Box::from_raw(heir) });
    } else if !is_detached {
        all.insert(thread, ended);
    }
    result
}

extern "C" fn begin(heir: *mut c_void) -> *mut c_void {
    // SAFETY: the maker's, for this thread.
    let heir = unsafe { Box::from_raw(heir.cast::<Heir>()) };
    heir.heritage.adopt();
    let (start, argument, ended) = (heir.start, heir.argument, heir.ended);
    let result = start(argument);
    ended.set();
    result
}

/// The calling thread has waited for this one.
pub(super) fn joined(thread: pthread_t) {
    let ended = all().remove(&thread);
    if let Some(ended) = ended {
        ended.join();
    }
}

/// Nobody will wait for this one.
pub(super) fn detached(thread: pthread_t) {
    all().remove(&thread);
}

fn all() -> MutexGuard<'static, BTreeMap<pthread_t, Ended>> {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner)
}
