//! A replay under a debugger: it sees the workers as threads, and stops where the test fails.
//!
//! The thread of the engine has the name of the worker that runs on it; for each other stack there is a
//! stand-in (`switch/stand_in.rs`). Nothing here decides anything: the execution is the one that failed.

use std::ffi::{CString, c_char};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::engine::state::worker::{State, Worker};
use crate::engine::switch::{Context, StandIn, call_at, name_this_thread};

/// Why the process stopped last, for the debugger: a text that ends with a zero.
#[unsafe(no_mangle)]
static CCT_STOPPED_BECAUSE: AtomicPtr<c_char> = AtomicPtr::new(null_mut());

/// The address of the thread-local that is null where nothing is controlled. A debugger that evaluates a call
/// makes it null meanwhile, so that the call takes no steps.
#[unsafe(no_mangle)]
static CCT_ENGINE_CELL: AtomicUsize = AtomicUsize::new(0);

/// Does nothing. A debugger stops here, on the stack of the worker that the stop is about.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn cct_stopped_here() {
    std::hint::black_box(());
}

/// Has a debugger stop here, and tells it why.
#[cold]
pub(crate) fn stop(why: &str) {
    let text = CString::new(why.replace('\0', " ")).unwrap_or_default();
    let text = text.into_raw();
    CCT_STOPPED_BECAUSE.store(text, Ordering::Relaxed);
    cct_stopped_here();
    CCT_STOPPED_BECAUSE.store(null_mut(), Ordering::Relaxed);
    // SAFETY: it is the text from above.
    drop(unsafe { CString::from_raw(text) });
}

/// [`stop`] on the stack that is suspended at `context`, if it is not the one that this runs on.
///
/// # Safety
///
/// A switch has saved the context, and nobody uses the part of its stack that is free.
#[cold]
pub(crate) unsafe fn stop_at(context: Option<Context>, why: &str) {
    /// # Safety
    ///
    /// `why` is a text.
    unsafe extern "C" fn call(why: *mut &str) {
        // SAFETY: it is the text from below.
        stop(unsafe { *why });
    }
    let mut why = why;
    match context {
        // SAFETY: the caller's; `stop` does not unwind and does not switch.
        Some(context) => unsafe { call_at(context, &raw mut why, call) },
        None => stop(why),
    }
}

/// The stacks that a debugger sees as threads.
#[derive(Debug)]
pub(crate) struct Debugged {
    engine_cell: usize,
    /// By the base of the suspended stack.
    shown: Vec<(usize, StandIn)>,
}

impl Debugged {
    /// Nobody is shown yet; `engine_cell` is the address of the thread-local that leads to the engine.
    pub(crate) fn new(engine_cell: usize) -> Debugged {
        Debugged {
            engine_cell,
            shown: Vec::new(),
        }
    }

    /// A new iteration begins: statics for a debugger count as the program's own, and were put back.
    pub(crate) fn begin(&self) {
        CCT_ENGINE_CELL.store(self.engine_cell, Ordering::Relaxed);
    }

    /// The worker `left` is suspended, or has ended, and `next` goes on.
    pub(crate) fn switched(&mut self, left: &Worker, next: &Worker) {
        name_this_thread(&name_of(next));
        let (from, to) = (left.stack.base as usize, next.stack.base as usize);
        if from != to {
            let index = self.shown.iter().position(|(base, _)| *base == to);
            let free = index.map(|index| self.shown.swap_remove(index).1);
            match free {
                Some(stand_in) if left.state() == State::Ended => stand_in.end(),
                Some(stand_in) => {
                    stand_in.show(left.context, &name_of(left));
                    self.shown.push((from, stand_in));
                }
                None if left.state() == State::Ended => {}
                None => self.show(left),
            }
        }
    }

    /// The worker is new, and will begin on a stack of its own, unless it is a task.
    pub(crate) fn made(&mut self, worker: &Worker) {
        if worker.task.is_none() && worker.id.0 > 0 {
            self.show(worker);
        }
    }

    fn show(&mut self, worker: &Worker) {
        let base = worker.stack.base as usize;
        if let Some(stand_in) = StandIn::of(worker.context, &name_of(worker)) {
            self.shown.push((base, stand_in));
        }
    }
}

/// The name that reports have for the worker, and its own. A system has room for 15 bytes of it.
fn name_of(worker: &Worker) -> String {
    let own = worker.name.as_deref().unwrap_or_default();
    match worker.id.0 {
        0 => "main".to_owned(),
        number if worker.task.is_some() => format!("w{number} task"),
        number => format!("w{number} {own}").trim_end().to_owned(),
    }
}
