//! Conditions on the state of the program, as a test demands them.

use std::borrow::Cow;
use std::panic::Location;

use crate::engine::decide::conditions::Demand;
use crate::engine::decide::deadlines::NEVER;
use crate::engine::decide::{Engine, engine, outside};
use crate::engine::state::monitors::HeatId;
use crate::engine::worker::wait::wait_at;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::specification::Temperature;

/// Demands that the condition holds after each step. Controlled workers only.
pub(crate) fn always(
    name: Cow<'static, str>,
    holds: Box<dyn FnMut() -> bool>,
    site: &'static Location<'static>,
) {
    demand(name, holds, site, |_, _| Demand::Always);
}

/// Demands that the condition holds after some step. Controlled workers only.
pub(crate) fn eventually(
    name: Cow<'static, str>,
    holds: Box<dyn FnMut() -> bool>,
    site: &'static Location<'static>,
) {
    demand(name, holds, site, |engine, name| {
        Demand::Eventually(engine.add_obligation(name, site))
    });
}

fn demand(
    name: Cow<'static, str>,
    holds: Box<dyn FnMut() -> bool>,
    site: &'static Location<'static>,
    demand: impl FnOnce(&mut Engine, Cow<'static, str>) -> Demand,
) {
    let engine = engine();
    outside(|| {
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let engine = unsafe { &mut *engine };
        let name = kept(name);
        let demand = demand(engine, name.clone());
        // SAFETY: the current worker is live.
        let worker = unsafe { (*engine.roster.current).id.0 };
        let by = (worker, site);
        engine.aside.conditions.add(name, demand, holds, by);
        engine.budget.burn();
        engine.attend();
    });
}

/// The engine's own copy of a name: the caller's may lie in the arena. The caller is outside.
fn kept(name: Cow<'static, str>) -> Cow<'static, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name),
        Cow::Owned(name) => Cow::Owned(String::from(name.as_str())),
    }
}

/// Waits until the predicate is true after a step of another worker, or for nothing. Controlled
/// workers only.
pub(crate) fn pause(predicate: &mut dyn FnMut() -> bool, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live. The predicate outlives its entry in the table,
    // which is taken out below before this returns; if the iteration ends first, nobody looks at
    // the entry again.
    unsafe {
        let worker = (*engine).roster.current;
        let id = (*worker).id.0;
        let predicate: &'static mut dyn FnMut() -> bool = std::mem::transmute(predicate);
        let holds = Box::new(predicate);
        outside(|| {
            let name = Cow::Borrowed("pause_until");
            let conditions = &mut (*engine).aside.conditions;
            conditions.add(name, Demand::Resume(id), holds, (id, site));
            (*engine).attend();
        });
        let object = ObjectId::pause_of((*worker).id);
        wait_at(Operation::PauseUntil, object, NEVER, None, site);
        outside(|| (*engine).aside.conditions.forget_resume(id));
    }
}

/// Something that must happen in the end, whose owner says when. Controlled workers only.
pub(crate) fn oblige(name: Cow<'static, str>, site: &'static Location<'static>) -> HeatId {
    let engine = engine();
    outside(|| {
        let name: Cow<'static, str> = Cow::Owned(name.into_owned());
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        unsafe { (*engine).add_obligation(name, site) }
    })
}

/// It has happened. Controlled workers of the same iteration only.
pub(crate) fn discharge(heat: HeatId, site: &'static Location<'static>) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live; no switch happens in here.
    outside(|| unsafe { (*engine).set_temperature(heat, Temperature::Cold("met"), site) });
}
