//! Whether an actor's node has crashed, and what that means to its handler: it ends at the next thing that
//! others, or its disk, would see.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::unwinding::{unwind, unwinds};
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

    /// The calling worker is the actor's.
    #[inline(never)]
    pub(super) fn severs(&self) {
        engine::sever_when(&self.0);
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(&*self.0)
    }
}

/// The end of a handler whose actor's node has crashed.
struct Severed;

/// Unwinds if the node of the actor that runs has crashed, and nothing is unwinding. Part of the step under
/// way.
#[inline(never)]
pub(super) fn end_if_severed() {
    if engine::is_severed() && !unwinds() {
        unwind(Box::new(Severed));
    }
}

/// True if a panic is that end, or follows from it.
pub(super) fn is_end(panic: &(dyn Any + Send)) -> bool {
    panic.is::<Severed>() || engine::is_severed()
}
