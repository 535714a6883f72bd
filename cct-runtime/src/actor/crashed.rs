//! Whether an actor's node has crashed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine;
use crate::object::ObjectId;
use crate::operation::Access;

/// True once the node of an actor has crashed: nothing that the actor does reaches others from then on.
#[derive(Clone, Debug, Default)]
pub(super) struct Crashed(Arc<AtomicBool>);

// Not generic, so that it is the same code for all actors. Each is part of a step, which depends on the order
// of the two.
impl Crashed {
    #[inline(never)]
    pub(super) fn set(&self) {
        engine::touch(self.object(), Access::Writes);
        self.0.store(true, Ordering::SeqCst);
    }

    #[inline(never)]
    pub(super) fn get(&self) -> bool {
        engine::touch(self.object(), Access::Reads);
        self.0.load(Ordering::SeqCst)
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(&*self.0)
    }
}
