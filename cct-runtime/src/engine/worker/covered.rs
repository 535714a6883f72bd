//! The doings of machines, counted by their own workers, and told where steps are recorded.

use super::{engine, outside};
use crate::covered::{Count, Covered};
use crate::engine::observe::covered::Kind;
use crate::trace::Did;

/// The number of the table of counts of this type of machine; none outside a controlled worker.
pub(crate) fn table_of(kind: Kind, declared: &dyn Fn() -> Covered) -> Option<u32> {
    let engine = engine();
    // SAFETY: a set engine is live; `declared` switches to nobody.
    (!engine.is_null())
        .then(|| unsafe { outside(|| (*engine).observers.covered.number_of(kind, declared)) })
}

/// The number of an actor of this name and type in the record; none if there is none.
pub(crate) fn record_actor(name: &str, path: &str) -> Option<u32> {
    let engine = engine();
    if engine.is_null() {
        return None;
    }
    // SAFETY: a set engine is live; no reference is kept.
    let recorder = unsafe { (*engine).observers.recorder.as_mut() };
    recorder.map(|recorder| outside(|| recorder.add_actor(name, path)))
}

/// Counts this of an actor. Does nothing outside a controlled worker.
pub(crate) fn count(table: u32, actor: Option<u32>, count: Count) {
    let engine = engine();
    if engine.is_null() {
        return;
    }
    // SAFETY: a set engine is live and has a current worker; no reference is kept.
    unsafe {
        let observers = &mut (*engine).observers;
        observers.covered.count(table, count);
        if let Some(recorder) = &mut observers.recorder
            && let Some((did, [state, event, to])) = observers.covered.words(table, count)
        {
            let worker = (*(*engine).roster.current).id;
            let names = [state, event, to, None];
            outside(|| recorder.add_doing(worker, actor, (did, None), names));
        }
    }
}

/// An event is on its way: to an actor, out of its inbox, or past that. It is told if steps are recorded.
pub(crate) fn tell_event(
    table: u32,
    actor: Option<u32>,
    (did, number): (Did, Option<u64>),
    event: u32,
    payload: Option<&str>,
) {
    let engine = engine();
    if engine.is_null() {
        return;
    }
    // SAFETY: as above.
    unsafe {
        let observers = &mut (*engine).observers;
        if let Some(recorder) = &mut observers.recorder {
            let worker = (*(*engine).roster.current).id;
            let names = [None, observers.covered.event(table, event), None, payload];
            outside(|| recorder.add_doing(worker, actor, (did, number), names));
        }
    }
}
