//! Whether an actor's node has crashed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once the node of an actor has crashed: nothing that the actor does reaches others from then on.
#[derive(Clone, Debug, Default)]
pub(super) struct Crashed(Arc<AtomicBool>);

// Not generic, so that it is the same code for all actors.
impl Crashed {
    #[inline(never)]
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    #[inline(never)]
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
