//! Panics of workers: counted per worker, remembered for the report, with the one that each follows from.
//!
//! A worker that unwinds leaves something behind for others: the result of its thread, a poisoned lock, a
//! channel without its other end. A worker that finds it is *told* of the panic. If it panics in turn before
//! doing anything else, or with a message that shows the error which it was told by, its panic is a
//! *consequence*, and the bug is the first panic of that chain, its *origin*.

use std::io::Write as _;
use std::panic::{Location, PanicHookInfo};
use std::sync::Once;

use super::ending::end_by_hook;
use super::order::{acquire, release};
use super::share::note_shared;
use super::{point_at, touch};
use crate::engine::decide::outside::is_engine_thread;
use crate::engine::decide::{Engine, engine, outside};
use crate::engine::observe::debugged::stop;
use crate::engine::observe::record::Note;
use crate::engine::state::iteration::Hook;
use crate::engine::state::panics::{PanicId, PanicRecord, Told};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::strategy::WorkerId;
use crate::trace::Site;

/// The panic with which the current worker unwinds, or has unwound: its own, or one that it passes on.
pub fn last_panic() -> Option<PanicId> {
    let engine = engine();
    if engine.is_null() {
        return None;
    }
    // SAFETY: a set engine is live and has a current worker.
    unsafe { (*(*(*engine).roster.current).thread).passed_on() }
}

/// The current worker, which unwinds, leaves something behind at `object` that shows it to others.
#[cold]
pub fn leave_panic(object: ObjectId) {
    let engine = engine();
    if let Some(panic) = last_panic() {
        // SAFETY: there is a panic, so the engine is live; no switch happens in here.
        outside(|| unsafe { (*engine).iteration.panics.leave_at(object, panic) });
    }
}

/// The current worker finds what [`leave_panic`] left at `object`; `shows_as` is how the error that it gets
/// shows itself.
#[cold]
pub fn told_at(object: ObjectId, shows_as: Option<&'static str>) {
    let engine = engine();
    if engine.is_null() {
        return;
    }
    // SAFETY: a set engine is live.
    let found = unsafe { (*engine).iteration.panics.found_at(object) };
    told_of(found, shows_as);
}

/// The current worker is told of the panic of this worker, which it has joined.
#[cold]
pub fn told_of_worker(worker: WorkerId, shows_as: Option<&'static str>) {
    // SAFETY: a controlled worker's engine is live; `worker` checks the number.
    let panic = unsafe { (*(*engine()).roster.worker(worker)).passed_on() };
    told_of(panic, shows_as);
}

/// The current worker is told of a panic.
#[cold]
pub fn told_of(panic: Option<PanicId>, shows_as: Option<&'static str>) {
    let engine = engine();
    let Some(of) = panic.filter(|_| !engine.is_null()) else {
        return;
    };
    // SAFETY: a set engine is live and has a current worker.
    unsafe {
        let step = (*engine).steps();
        (*(*(*engine).roster.current).thread).told = Some(Told { of, step, shows_as });
    }
}

/// How many panics the current worker is unwinding from. Controlled workers only.
pub fn panic_count() -> usize {
    // SAFETY: a controlled worker's engine is live and has a current worker.
    unsafe { (*(*(*engine()).roster.current).thread).panics }
}

/// Sets that number: `catch_unwind` puts back the one from before, `resume_unwind` adds one.
pub fn set_panic_count(count: usize) {
    // SAFETY: as in `panic_count`.
    unsafe { (*(*(*engine()).roster.current).thread).panics = count };
}

/// The current worker's closure unwound; nobody has noticed yet.
pub fn worker_panicked() {
    // SAFETY: as in `panic_count`.
    unsafe { (*(*(*engine()).roster.current).thread).panic_unobserved = true };
}

/// Somebody knows of this worker's panic.
pub(crate) fn panic_noticed(worker: WorkerId) {
    // SAFETY: as in `panic_count`; a worker lives as long as its iteration.
    unsafe { (*(*engine()).roster.worker(worker)).panic_unobserved = false };
}

/// Sets the test's own panic hook for this iteration; returns the one before, if it was the test's. A step,
/// since every worker's panics go there.
#[track_caller]
pub fn replace_hook(hook: Option<Hook>) -> Option<Hook> {
    point_at(Operation::Store, ObjectId::PANIC_HOOK, Location::caller()).named("panic hook");
    acquire(ObjectId::PANIC_HOOK);
    release(ObjectId::PANIC_HOOK);
    // SAFETY: as in `panic_count`.
    unsafe { std::mem::replace(&mut (*engine()).iteration.hook, hook) }
}

/// Takes over the process's panic hook.
///
/// Panics of uncontrolled threads go on to the hook before. A panic of the engine itself is no bug of the
/// program: `report_internal_error` is told of it.
pub(crate) fn install_hook(report_internal_error: fn(&str)) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !engine().is_null() {
                controlled_panic(info);
            } else if is_engine_thread() {
                before(info);
                report_internal_error(&info.to_string());
            } else {
                before(info);
            }
        }));
    });
}

fn controlled_panic(info: &PanicHookInfo<'_>) {
    let engine = engine();
    let name = outside(|| {
        let message = message_of(info.payload());
        let site = info.location().map(Site::from);
        // SAFETY: a controlled worker's engine is live, and so is its current worker's thread; no switch
        // happens in here, and no reference to a worker outlives a statement.
        unsafe {
            let thread = (*(*engine).roster.current).thread;
            (*thread).panics += 1;
            note_panic(engine, info.location(), &message);
            if (*engine).observers.debugged.is_some() {
                stop(&format!("panic: {message}"));
            }
            let record = PanicRecord {
                worker: (*engine).panicking_worker(),
                follows: (*engine).followed(&*thread, &message),
                message,
                site,
            };
            (*thread).last_panic = Some((*engine).iteration.panics.add(record));
            (*thread).name.clone()
        }
    });
    touch(ObjectId::PANIC_HOOK, Access::Reads);
    acquire(ObjectId::PANIC_HOOK);
    note_shared("panic hook", "");
    // SAFETY: as above; the hook is the test's and may do what it likes, so no reference is held.
    let hook = unsafe { (*engine).iteration.hook.as_ref().map(std::ptr::from_ref) };
    match hook {
        Some(hook) => {
            // SAFETY: std, too, forbids to replace the hook from within it; no reference to a worker outlives
            // a statement.
            unsafe {
                let thread = (*(*engine).roster.current).thread;
                if (*thread).is_in_hook {
                    end_by_hook();
                }
                // Workers that run meanwhile are not in it.
                if let Some(flag) = (*engine).process.hook_flag {
                    flag.clear();
                    (*thread).is_in_hook = true;
                }
                (*hook)(info);
                (*thread).is_in_hook = false;
            }
            release(ObjectId::PANIC_HOOK);
        }
        None => outside(|| {
            let name = name.as_deref().unwrap_or("<unnamed>");
            // A message that cannot be written is not worth a second panic.
            let _ = match info.location() {
                Some(site) => writeln!(
                    std::io::stderr(),
                    "\nthread '{name}' panicked at {site}:\n{}",
                    message_of(info.payload())
                ),
                None => writeln!(std::io::stderr(), "\nthread '{name}' panicked"),
            };
        }),
    }
}

/// Notes the panic for the record.
///
/// # Safety
///
/// The engine is live and has a current worker; the caller is outside.
unsafe fn note_panic(engine: *mut Engine, site: Option<&Location<'_>>, message: &str) {
    let first_line = message.lines().next().unwrap_or_default();
    // SAFETY: the caller's engine is live and has a current worker.
    unsafe {
        let worker = (*engine).roster.current;
        let site = site.unwrap_or((*worker).site);
        let note = Note::of(Operation::Panic, site).saying(first_line);
        (*engine).record_note(worker, &note);
    }
}

/// The message of a panic's payload.
pub(crate) fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    if let Some(message) = payload.downcast_ref::<&'static str>() {
        (*message).to_owned()
    } else if let Some(message) = payload.downcast_ref::<String>() {
        message.clone()
    } else {
        "a value that is no text".to_owned()
    }
}
