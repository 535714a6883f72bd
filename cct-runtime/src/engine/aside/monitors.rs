//! The monitors of an iteration: who they are, and how an event reaches one.

use std::any::{Any, TypeId};
use std::panic::Location;

use crate::engine::decide::heat::Subject;
use crate::engine::decide::onlooker::{Interruption, Onlooker, aside};
use crate::engine::decide::{engine, outside};
use crate::engine::observe::record::Note;
use crate::engine::state::iteration::End;
use crate::engine::state::monitors::Registered;
use crate::engine::worker::ending::end_with;
use crate::engine::worker::{controlled, hand_over, touch};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::specification::{Monitor, Temperature};
use crate::verdict::{Bug, BugKind};

/// Registers a monitor for this iteration; it takes the place of the one of its type.
/// Controlled workers only.
pub(crate) fn register<M: Monitor>(monitor: M, site: &'static Location<'static>) {
    let start = onlooking::<M, _>(site, || monitor.start());
    let monitor: Box<dyn Any> = Box::new(monitor);
    let engine = engine();
    outside(|| {
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let engine = unsafe { &mut *engine };
        let kind = TypeId::of::<M>();
        let known = engine
            .aside
            .monitors
            .iter_mut()
            .find(|entry| entry.kind == kind);
        let heat = if let Some(entry) = known {
            // Allocated by a worker: it goes with the iteration.
            std::mem::forget(entry.monitor.replace(monitor));
            let heat = entry.heat;
            engine.set_temperature(heat, Temperature::Cold("replaced"), site);
            heat
        } else {
            let heat = engine.add_heat(Subject::Monitor(name_of::<M>()));
            let monitor = Some(monitor);
            engine.aside.monitors.push(Registered {
                kind,
                heat,
                monitor,
            });
            heat
        };
        engine.set_temperature(heat, start, site);
    });
}

/// Hands an event to the monitor of this type; if there is none, to the global one, if there is
/// that. Controlled workers only.
pub(crate) fn notify<M: Monitor>(event: M::Event, site: &'static Location<'static>) {
    let engine = engine();
    let index = find::<M>().or_else(|| {
        let monitor = onlooking::<M, _>(site, M::global)?;
        register(monitor, site);
        find::<M>()
    });
    let Some(index) = index else {
        return;
    };
    touch(ObjectId::MONITORS, Access::Writes);
    // SAFETY: a controlled worker's engine is live; entries stay where they are in the table, and
    // no reference to one is kept while the monitor runs.
    unsafe {
        let entry = |index: usize| &raw mut (&mut (*engine).aside.monitors)[index];
        let name = name_of::<M>();
        let Some(mut monitor) = (*entry(index)).monitor.take() else {
            let message = format!("monitor `{name}` was notified by itself");
            end_with(BugKind::Safety, &message, site);
        };
        let Some(typed) = monitor.downcast_mut::<M>() else {
            unreachable!("monitors are found by their type");
        };
        let temperature = onlooking::<M, _>(site, || typed.on_event(event));
        (*entry(index)).monitor = Some(monitor);
        let heat = (*entry(index)).heat;
        outside(|| {
            (*engine).set_temperature(heat, temperature, site);
            let note = note_of(name, temperature);
            let note = Note::of(Operation::Notify, site).saying(&note);
            (*engine).record_note((*engine).roster.current, &note);
        });
    }
}

/// Runs a monitor's code; a panic in it ends the iteration.
fn onlooking<M: Monitor, R>(site: &'static Location<'static>, f: impl FnOnce() -> R) -> R {
    let (engine, on) = controlled();
    // SAFETY: a controlled worker's engine is live; the iteration does not come back from the
    // hand-over.
    unsafe {
        let (message, at) = match aside(engine, Onlooker::Monitor, f) {
            Ok(result) => return result,
            Err(Interruption::Panicked(message, at)) => (message, at),
            Err(Interruption::Waits) => unreachable!("only conditions unwind when they wait"),
        };
        outside(|| {
            let name = name_of::<M>();
            let note = Note::of(Operation::Notify, site).saying(name);
            (*engine).record_note((*engine).roster.current, &note);
            (*engine).finish(End::failed(Bug::new(
                BugKind::Safety,
                format!("monitor `{name}`: {message}"),
                at,
                Some((*(*engine).roster.current).id.0),
            )));
        });
        hand_over(engine, on);
    }
    unreachable!("a finished iteration does not come back")
}

/// Where the monitor of this type is in the table.
fn find<M: Monitor>() -> Option<usize> {
    let kind = TypeId::of::<M>();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    let monitors = unsafe { &(*engine()).aside.monitors };
    monitors.iter().position(|entry| entry.kind == kind)
}

/// The type's name without path and parameters.
fn name_of<M>() -> &'static str {
    let full = std::any::type_name::<M>();
    let path = full.split('<').next().unwrap_or(full);
    path.rsplit("::").next().unwrap_or(path)
}

fn note_of(monitor: &str, temperature: Temperature) -> String {
    match temperature {
        Temperature::Hot(state) => format!("{monitor} → {state} (hot)"),
        Temperature::Warm(state) | Temperature::Cold(state) => format!("{monitor} → {state}"),
    }
}
