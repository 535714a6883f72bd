//! The objects that controlled workers wait for, told to threads outside that can change them.
//!
//! Such a thread's unlock or signal is news for the engine only if a worker waits for that object: news
//! makes every worker look again, and depends on the machine's timing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cct::engine;
use cct::object::ObjectId;

/// The objects that the iteration's workers wait for.
struct Waited {
    iteration: u64,
    objects: Vec<Object>,
}

struct Object {
    id: ObjectId,
    /// How many workers wait and have not been called.
    waiting: u32,
    /// How many have been called by a signal and have not returned yet.
    called: u32,
}

static WAITED: Mutex<Waited> = Mutex::new(Waited {
    iteration: 0,
    objects: Vec::new(),
});
/// How many objects there are, for a look without the lock.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The current worker is going to wait for the object; it must look once more before it does.
pub(in crate::symbols) fn enter(id: ObjectId) {
    change(|waited| waited.object(id).waiting += 1);
}

/// The current worker no longer waits for the object; false if all that do have been called.
pub(in crate::symbols) fn leave(id: ObjectId) -> bool {
    change(|waited| {
        let object = waited.object(id);
        let is_uncalled = object.waiting > 0;
        object.waiting -= u32::from(is_uncalled);
        is_uncalled
    })
}

/// Calls one of those that wait for the object, or all; how many it were.
pub(super) fn call(id: ObjectId, all: bool) -> u32 {
    if COUNT.load(Ordering::SeqCst) == 0 {
        return 0;
    }
    change(|waited| {
        let object = waited.object(id);
        let called = if all {
            object.waiting
        } else {
            object.waiting.min(1)
        };
        object.waiting -= called;
        object.called += called;
        called
    })
}

/// The current worker returns as one that has been called; false if nobody has.
pub(super) fn answer(id: ObjectId) -> bool {
    change(|waited| {
        let object = waited.object(id);
        let is_called = object.called > 0;
        object.called -= u32::from(is_called);
        is_called
    })
}

/// True if a worker waits for the object.
pub(super) fn is_waited_for(id: ObjectId) -> bool {
    COUNT.load(Ordering::SeqCst) > 0 && change(|waited| waited.object(id).waiting > 0)
}

/// Called outside the engine by who changed the object.
pub(in crate::symbols) fn tell(id: ObjectId) {
    if is_waited_for(id) {
        engine::wake_all(id);
    }
}

impl Waited {
    fn object(&mut self, id: ObjectId) -> &mut Object {
        let known = self.objects.iter().position(|known| known.id == id);
        let index = known.unwrap_or_else(|| {
            self.objects.push(Object {
                id,
                waiting: 0,
                called: 0,
            });
            self.objects.len() - 1
        });
        &mut self.objects[index]
    }
}

fn change<R>(change: impl FnOnce(&mut Waited) -> R) -> R {
    let iteration = engine::run_number();
    engine::outside(|| {
        let mut waited: MutexGuard<'_, Waited> =
            WAITED.lock().unwrap_or_else(PoisonError::into_inner);
        if iteration != 0 && waited.iteration != iteration {
            // Waits that were cut off with an earlier iteration are over.
            waited.iteration = iteration;
            waited.objects.clear();
        }
        let result = change(&mut waited);
        waited
            .objects
            .retain(|object| object.waiting + object.called > 0);
        COUNT.store(waited.objects.len(), Ordering::SeqCst);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_for_one_that_waits_or_for_all() {
        const OBJECT: ObjectId = ObjectId::at(0x1000);
        assert_eq!(call(OBJECT, true), 0, "nobody waits");
        (0..3).for_each(|_| enter(OBJECT));
        assert!(is_waited_for(OBJECT) && !is_waited_for(ObjectId::at(0x1008)));
        assert_eq!(call(OBJECT, false), 1);
        assert_eq!(call(OBJECT, true), 2);
        assert!(!is_waited_for(OBJECT), "all have been called");
        assert_eq!(call(OBJECT, true), 0);
        let answers = [(); 4].map(|()| answer(OBJECT));
        assert_eq!(answers, [true, true, true, false]);
    }

    #[test]
    fn one_that_was_called_cannot_leave_uncalled() {
        const OBJECT: ObjectId = ObjectId::at(0x2000);
        enter(OBJECT);
        assert!(leave(OBJECT) && !leave(OBJECT));
        enter(OBJECT);
        call(OBJECT, false);
        assert!(!leave(OBJECT), "the call is this one's");
        assert!(answer(OBJECT));
    }
}
