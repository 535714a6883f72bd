//! Panics of workers: counted per worker, remembered for the report.

use std::io::Write as _;
use std::panic::{Location, PanicHookInfo};
use std::sync::Once;

use super::external::is_engine_thread;
use super::record::Note;
use super::state::{Engine, engine, outside};
use crate::harness::report_internal_error;
use crate::operation::Operation;
use crate::trace::Site;

/// A panic hook, as std's `set_hook` takes it.
pub type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// What a worker's last panic said.
#[derive(Clone, Debug)]
pub(crate) struct PanicRecord {
    pub(crate) message: String,
    pub(crate) site: Option<Site>,
}

/// How many panics the current worker is unwinding from. Controlled workers only.
pub fn panic_count() -> usize {
    // SAFETY: a controlled worker's engine is live and has a current worker.
    unsafe { (*(*(*engine()).current).thread).panics }
}

/// Sets that number: `catch_unwind` puts back the one from before, `resume_unwind` adds one.
pub fn set_panic_count(count: usize) {
    // SAFETY: as in `panic_count`.
    unsafe { (*(*(*engine()).current).thread).panics = count };
}

/// The current worker's closure unwound; nobody has noticed yet.
pub fn worker_panicked() {
    // SAFETY: as in `panic_count`.
    unsafe { (*(*(*engine()).current).thread).panic_unobserved = true };
}

/// Sets the test's own panic hook for this iteration; returns the one before, if it was the test's.
pub fn replace_hook(hook: Option<Hook>) -> Option<Hook> {
    // SAFETY: as in `panic_count`.
    unsafe { std::mem::replace(&mut (*engine()).hook, hook) }
}

/// Takes over the process's panic hook.
///
/// Panics of uncontrolled threads go on to the hook before. A panic of the engine itself is no bug of the
/// program: the process ends and says so.
pub(crate) fn install_hook() {
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
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let worker = unsafe { &mut *(*(*engine).current).thread };
        worker.panics += 1;
        // SAFETY: as above; `worker` is not used meanwhile.
        unsafe { note_panic(engine, info.location(), &message) };
        worker.last_panic = Some(PanicRecord { message, site });
        worker.name.clone()
    });
    // SAFETY: as above; the hook is the test's and may do what it likes, so no reference is held.
    let hook = unsafe { (*engine).hook.as_ref().map(std::ptr::from_ref) };
    match hook {
        // SAFETY: std, too, forbids to replace the hook from within it.
        Some(hook) => unsafe { (*hook)(info) },
        None => outside(|| {
            let name = name.as_deref().unwrap_or("<unnamed>");
            // What cannot be written is not worth a second panic.
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

unsafe fn note_panic(engine: *mut Engine, site: Option<&Location<'_>>, message: &str) {
    let first_line = message.lines().next().unwrap_or_default();
    // SAFETY: the caller's engine is live and has a current worker.
    unsafe {
        let worker = (*engine).current;
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
