//! The end: of a worker, or of the iteration because of what one does.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use super::clock::touch_clock;
use super::interrupt::take_signals;
use super::local::destroy_all;
use super::order::release;
use super::wait::wake_all_of;
use super::{controlled, hand_over};
use crate::engine::decide::signals::name_of;
use crate::engine::decide::{Engine, Request, engine, outside};
use crate::engine::state::iteration::End;
use crate::engine::switch::Stack;
use crate::object::ObjectId;
use crate::operation::{Access, Operation};
use crate::verdict::{Bug, BugKind, Fault};

/// The function that runs on a worker's stack, from its first pick to its end.
pub(super) extern "C" fn worker_main() -> ! {
    let engine = engine();
    // SAFETY: a worker runs only while its engine is live, and it is the current one.
    unsafe {
        let worker = (*engine).roster.current;
        let body = (*worker).body.take().expect("a worker begins once");
        take_signals(engine);
        // A shim's closure catches the user's panics; what comes through is a destructor's, as in std.
        if catch_unwind(AssertUnwindSafe(body.0)).is_err() {
            end_by_destructor();
        }
    }
    end_worker()
}

/// Ends the current worker, after its locals; its stack is left as it is. Controlled workers only.
pub fn end_worker() -> ! {
    let (engine, on) = controlled();
    // SAFETY: a controlled worker's engine is live, and it is the current one.
    unsafe {
        let worker = (*engine).roster.current;
        if catch_unwind(AssertUnwindSafe(|| destroy_all(worker))).is_err() {
            end_by_destructor();
        }
        (*worker).operation = Operation::End;
        (*worker).object = ObjectId::end_of((*worker).id);
        (*worker).also = ObjectId::NONE;
        (*worker).site = (*worker).spawned_at;
        if (*worker).id.0 == 0 {
            (*engine).iteration.body_done = true;
            (*engine).attend();
            let last = (*engine)
                .steps()
                .saturating_add((*engine).budget.detached_steps);
            (*engine).budget.limit = (*engine).budget.limit.min(last);
        }
        if (*worker).id.0 == 0 {
            touch_clock(Access::Writes);
        }
        release(ObjectId::end_of((*worker).id));
        wake_all_of(engine, ObjectId::end_of((*worker).id));
        (*engine).budget.idle = 0;
        (*engine).decision.request = Request::End;
        hand_over(engine, on);
    }
    unreachable!("an ended worker is never picked")
}

/// `process::exit` of a controlled worker: ends the iteration with that verdict.
#[track_caller]
pub fn exit(code: i32) -> ! {
    end_with(
        BugKind::Exit,
        &format!("the test called `process::exit({code})`"),
        Location::caller(),
    )
}

/// `process::abort` of a controlled worker: ends the iteration with that verdict.
#[track_caller]
pub fn abort() -> ! {
    end_with(
        BugKind::Abort,
        "the test called `process::abort()`",
        Location::caller(),
    )
}

/// A function of C with which the current worker ends its process: ends the iteration with that verdict.
pub fn exit_by(call: &str, code: i32) -> ! {
    fail_here(
        BugKind::Exit,
        format!("the test called `{call}({code})`"),
        None,
    )
}

/// The current worker sends its process a signal that ends it, and that it has no handler for.
pub fn end_by_signal(signal: i32) -> ! {
    let name = name_of(signal);
    let fault = Fault {
        signal,
        name: name.to_owned(),
        address: None,
        means: "sent by the test itself".to_owned(),
    };
    fail_here(
        BugKind::Signal,
        format!("the test sent {name} to itself"),
        Some(fault),
    )
}

/// Ends the iteration in a function of C: its place is that of the call, which the calls that led here tell.
fn fail_here(kind: BugKind, message: String, fault: Option<Fault>) -> ! {
    end_by(|engine, worker| {
        engine.leave_calls();
        let bug = Bug::new(kind, message, Some(engine.whereabouts().2), worker);
        fault.map_or(bug.clone(), |fault| bug.with_fault(fault))
    })
}

/// The current worker panicked in its panic hook, where std aborts the process.
pub(super) fn end_by_hook() -> ! {
    end_by(|engine, worker| {
        let (panic, site) = engine.last_panic().unwrap_or_default();
        let why = "a panic hook panicked, which aborts the process";
        Bug::new(BugKind::Abort, format!("{why}: {panic}"), site, worker)
    })
}

/// A panic came through a destructor at the end of the current worker, where std aborts the process.
fn end_by_destructor() -> ! {
    end_by(|engine, worker| {
        let (panic, site) = engine.last_panic().unwrap_or_default();
        let why = "a destructor panicked at the end of its thread, which aborts the process";
        Bug::new(BugKind::Abort, format!("{why}: {panic}"), site, worker)
    })
}

/// Ends the iteration with a bug of the current worker.
pub(crate) fn end_with(kind: BugKind, message: &str, site: &'static Location<'static>) -> ! {
    end_by(|_, worker| Bug::new(kind, message.to_owned(), Some(site.into()), worker))
}

/// Ends the iteration with this bug, which was made outside of it.
pub(crate) fn fail(bug: Bug) -> ! {
    end_by(|_, _| bug)
}

/// Ends the iteration with the bug, given the current worker: it is made outside of the iteration, which it
/// outlives.
pub(super) fn end_by(bug: impl FnOnce(&mut Engine, Option<u32>) -> Bug) -> ! {
    let (engine, on) = controlled();
    // SAFETY: a controlled worker's engine is live; the iteration does not come back here.
    unsafe {
        outside(|| {
            let worker = Some((*(*engine).roster.current).id.0);
            let bug = bug(&mut *engine, worker);
            (*engine).finish(End::failed(bug));
        });
        hand_over(engine, on);
    }
    unreachable!("a finished iteration does not come back")
}

/// Tells the recorder, if there is one, that the block at this address was allocated, or else freed. Where
/// the stack is nearly exhausted it does not: the program would overflow it elsewhere than unrecorded.
pub(crate) fn note_block(address: usize, is_allocated: bool) {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live, and nobody else uses its recorder meanwhile.
    unsafe {
        let here = std::ptr::from_ref(&engine) as usize;
        let is_scarce = |stack: &Stack| stack.has(here) && stack.is_scarce_at(here);
        if !engine.is_null() && !is_scarce(&(*(*engine).roster.current).stack) {
            record_block(engine, address, is_allocated);
        }
    }
}

/// The same with stack enough.
///
/// # Safety
///
/// The engine is live.
#[inline(never)]
unsafe fn record_block(engine: *mut Engine, address: usize, is_allocated: bool) {
    // SAFETY: the caller's.
    outside(|| unsafe {
        if let Some(recorder) = &mut (*engine).observers.recorder {
            if is_allocated {
                recorder.allocated(address);
            } else {
                recorder.freed(address);
            }
        }
    });
}

/// Ends the iteration: the current worker freed what it must not free, at this address. The place is that of
/// the call.
pub(crate) fn bad_free(message: &str, address: usize) -> ! {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live.
    outside(|| unsafe {
        // It is the program's call, and not one of its allocator.
        if !(*engine).leave_allocator() {
            (*engine).leave_calls();
        }
    });
    bad_memory(message, address)
}

/// Ends the iteration: the step under way used what was freed, at this address.
pub(crate) fn bad_memory(message: &str, address: usize) -> ! {
    let (engine, on) = controlled();
    // SAFETY: a controlled worker's engine is live; the iteration does not come back here.
    unsafe {
        outside(|| {
            if let Some(recorder) = &mut (*engine).observers.recorder {
                recorder.misused(address);
            }
            let worker = (*engine).roster.current;
            // The site is the program's, not its allocator's.
            (*engine).leave_allocator();
            (*engine).finish(End::failed(Bug::new(
                BugKind::BadMemory,
                message.to_owned(),
                Some((*worker).site.into()),
                Some((*worker).id.0),
            )));
        });
        hand_over(engine, on);
    }
    unreachable!("a finished iteration does not come back")
}
