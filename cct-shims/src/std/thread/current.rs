//! What the caller's own thread or worker is called, and whether it is unwinding.

use cct::engine::{self, Local, LocalSlot, WorkerId};
use real::sync::Arc;

use super::Thread;
use super::handle::Worker;

/// Where a spawned worker with a name keeps it: a boxed `Arc<str>`.
static NAME: LocalSlot = LocalSlot::new();

/// The worker that runs the test's body. Like libtest's thread, it has that thread's name.
const BODY: WorkerId = WorkerId(0);

/// Returns a handle to the calling thread.
pub fn current() -> Thread {
    match engine::current() {
        Some(id) => Thread::of_worker(Worker::now(id), name(id)),
        None => Thread::of_native(real::thread::current()),
    }
}

/// True while the calling thread unwinds from a panic.
#[inline]
pub fn panicking() -> bool {
    if engine::is_controlled() { engine::panic_count() > 0 } else { real::thread::panicking() }
}

fn name(id: WorkerId) -> Option<Arc<str>> {
    match engine::local(&NAME) {
        // SAFETY: only `set_name` fills the slot, and nothing destroys the value while its worker runs.
        Local::Alive(name) => Some(unsafe { Arc::clone(&*name.cast::<Arc<str>>()) }),
        _ if id == BODY => engine::outside(real::thread::current).name().map(Arc::from),
        _ => None,
    }
}

/// Gives the calling worker its name, for good: destructors of worker-locals still see it.
pub(super) fn set_name(name: Arc<str>) {
    let name = Box::into_raw(Box::new(name));
    // SAFETY: there is nothing to destroy.
    unsafe { engine::set_local(&NAME, name.cast(), None) }
}
