//! Panics of workers: counted per worker, remembered for the report, with the one that each follows from.
//!
//! A worker that unwinds leaves something behind for others: the result of its thread, a poisoned lock, a
//! channel without its other end. A worker that finds it is *told* of the panic. If it panics in turn before
//! doing anything else, or with a message that shows the error which it was told by, its panic is a
//! *consequence*, and the bug is the first panic of that chain, its *origin*.

use std::io::Write as _;
use std::panic::{Location, PanicHookInfo};
use std::sync::Once;

use super::external::is_engine_thread;
use super::point::point_at;
use super::record::Note;
use super::state::{Engine, engine, outside};
use super::task::shown_as;
use super::watch::touch;
use super::worker::Worker;
use crate::operation::{Access, Operation};
use crate::strategy::WorkerId;
use crate::trace::Site;
use crate::verdict::{Bug, BugKind, Consequence};

/// A panic hook, as std's `set_hook` takes it.
pub type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send + 'static>;

/// A panic of the iteration under way.
#[derive(Clone, Debug)]
pub(crate) struct PanicRecord {
    pub(crate) message: String,
    pub(crate) site: Option<Site>,
    /// The worker that panicked.
    worker: u32,
    /// The panic that it is a consequence of.
    follows: Option<PanicId>,
}

/// The number of a panic of the iteration under way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PanicId(u32);

/// The panics of an iteration, in order, and what they left behind.
#[derive(Debug, Default)]
pub(super) struct Panics {
    all: Vec<PanicRecord>,
    /// The objects that show others that somebody panicked.
    left_at: Vec<(usize, PanicId)>,
}

/// The news that a worker had of another one's panic.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    of: PanicId,
    /// The step during which it was.
    step: u32,
    /// How the error that told it shows itself, if it does.
    shows_as: Option<&'static str>,
}

impl Panics {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.left_at.clear();
    }

    /// The panic, if it is one of this iteration.
    pub(super) fn get(&self, id: PanicId) -> Option<&PanicRecord> {
        self.all.get(id.0 as usize)
    }

    fn add(&mut self, record: PanicRecord) -> PanicId {
        self.all.push(record);
        PanicId(self.all.len() as u32 - 1)
    }

    /// The last panic of another worker whose message this one quotes, as the error of a joined task does.
    fn quoted(&self, message: &str, worker: u32) -> Option<PanicId> {
        let quotes = |panic: &PanicRecord| {
            panic.worker != worker && message.contains(&format!("{:?}", panic.message))
        };
        let found = self.all.iter().rposition(quotes)?;
        Some(PanicId(found as u32))
    }

    /// The first panic of the chain that this one ends.
    fn origin(&self, id: PanicId) -> PanicId {
        let mut origin = id;
        while let Some(before) = self.get(origin).and_then(|panic| panic.follows) {
            origin = before;
        }
        origin
    }
}

impl Worker {
    /// The panic with which it unwinds, or has unwound: its own, or one that it was told of and resumed.
    fn passed_on(&self) -> Option<PanicId> {
        let told = self.told.map(|told| told.of);
        self.last_panic.max(told)
    }
}

impl Engine {
    /// The bug that this panic is, or what it is a consequence of.
    pub(crate) fn bug_of(&self, kind: BugKind, id: PanicId) -> Option<Bug> {
        let (last, first) = (
            self.panics.get(id)?,
            self.panics.get(self.panics.origin(id))?,
        );
        let is_consequence = last.follows.is_some();
        let (message, site) = (first.message.clone(), first.site.clone());
        Some(Bug {
            led_to: is_consequence.then(|| Consequence {
                worker: last.worker,
                message: last.message.clone(),
                site: last.site.clone(),
            }),
            ..Bug::new(kind, message, site, Some(first.worker))
        })
    }

    /// The panic with which somebody unwinds who says this: of the current thread's the last one, else the
    /// last of all, which was resumed.
    pub(crate) fn panic_saying(&self, message: &str) -> Option<PanicId> {
        let says = |id: &PanicId| self.panics.get(*id).is_some_and(|it| it.message == message);
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        let own = unsafe { (*(*self.current).thread).last_panic };
        let all = (0..self.panics.all.len() as u32).rev().map(PanicId);
        own.into_iter().chain(all).find(says)
    }

    /// Returns the worker that panics, as a report names it: a future that a thread blocks on goes by the
    /// thread's name.
    fn panicking_worker(&self) -> u32 {
        // SAFETY: the engine's workers are live, and an iteration has a current one.
        unsafe { (*shown_as(self.current)).id.0 }
    }

    /// The panic that one with this message, on this thread, is a consequence of.
    fn followed(&self, thread: &Worker, message: &str) -> Option<PanicId> {
        let is_told = |told: &Told| {
            told.step == self.steps() || told.shows_as.is_some_and(|error| message.contains(error))
        };
        let told = thread.told.filter(is_told).map(|told| told.of);
        told.or_else(|| self.panics.quoted(message, self.panicking_worker()))
    }
}

/// The panic with which the current worker unwinds, or has unwound: its own, or one that it passes on.
pub fn last_panic() -> Option<PanicId> {
    let engine = engine();
    if engine.is_null() {
        return None;
    }
    // SAFETY: a set engine is live and has a current worker.
    unsafe { (*(*(*engine).current).thread).passed_on() }
}

/// The current worker, which unwinds, leaves something behind at `object` that shows it to others.
#[cold]
pub fn leave_panic(object: usize) {
    let engine = engine();
    if let Some(panic) = last_panic() {
        // SAFETY: there is a panic, so the engine is live; no switch happens in here.
        outside(|| unsafe { (*engine).panics.left_at.push((object, panic)) });
    }
}

/// The current worker finds what [`leave_panic`] left at `object`; `shows_as` is how the error that it gets
/// shows itself.
#[cold]
pub fn told_at(object: usize, shows_as: Option<&'static str>) {
    let engine = engine();
    if engine.is_null() {
        return;
    }
    // SAFETY: a set engine is live.
    let left = unsafe { (*engine).panics.left_at.iter().rev() };
    let found = left.copied().find(|(at, _)| *at == object);
    told_of(found.map(|(_, panic)| panic), shows_as);
}

/// The current worker is told of the panic of this worker, which it has joined.
#[cold]
pub fn told_of_worker(worker: WorkerId, shows_as: Option<&'static str>) {
    // SAFETY: a controlled worker's engine is live; `worker` checks the number.
    let panic = unsafe { (*(*engine()).worker(worker)).passed_on() };
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
        (*(*(*engine).current).thread).told = Some(Told { of, step, shows_as });
    }
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

/// Sets the test's own panic hook for this iteration; returns the one before, if it was the test's. A step,
/// since every worker's panics go there.
#[track_caller]
pub fn replace_hook(hook: Option<Hook>) -> Option<Hook> {
    // SAFETY: as in `panic_count`.
    let object = unsafe { hook_object(engine()) };
    point_at(Operation::Store, object, Location::caller()).named("panic hook");
    // SAFETY: as in `panic_count`.
    unsafe { std::mem::replace(&mut (*engine()).hook, hook) }
}

/// The object that stands for the hook.
///
/// # Safety
///
/// The engine is live.
unsafe fn hook_object(engine: *const Engine) -> usize {
    // SAFETY: the caller's.
    unsafe { (&raw const (*engine).hook).addr() }
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
        // SAFETY: a controlled worker's engine is live; no switch happens in here.
        let worker = unsafe { &mut *(*(*engine).current).thread };
        worker.panics += 1;
        // SAFETY: as above; `worker` is not used meanwhile.
        unsafe { note_panic(engine, info.location(), &message) };
        // SAFETY: as above; `worker` is a worker of the engine, not the engine.
        let engine = unsafe { &mut *engine };
        let record = PanicRecord {
            worker: engine.panicking_worker(),
            follows: engine.followed(worker, &message),
            message,
            site,
        };
        worker.last_panic = Some(engine.panics.add(record));
        worker.name.clone()
    });
    // SAFETY: as above.
    touch(unsafe { hook_object(engine) }, Access::Reads);
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
