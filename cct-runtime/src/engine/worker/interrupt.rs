//! Signals that come to a thread that does not have them blocked, while another one runs: it takes them when
//! it goes on, before anything else. If it waits it is woken for that.

use super::order::acquire;
use super::signal::{Waiting, anyone_has_open, post, signal_mask};
use super::wait::Wakeup;
use super::{controlled, outside};
use crate::engine::decide::Engine;
use crate::engine::decide::signals::name_of;
use crate::engine::observe::record::Note;
use crate::engine::state::worker::{State, Worker};
use crate::engine::switch::bit;
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::strategy::WorkerId;

/// Takes the signals that wait for the current thread and that it does not have blocked. False if one of
/// their handlers ends a call that waits.
pub type TakeSignals = fn() -> bool;

/// A signal waits for a thread, or for any, that does not have it blocked: it takes that by this function
/// when it goes on. False if no such thread can: those of an executor without anything to do. Controlled
/// workers only.
pub fn interrupt(signal: libc::c_int, to: Option<WorkerId>, take: TakeSignals) -> bool {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live, and so are its workers; no switch happens in here.
    unsafe {
        let Some(worker) = (*engine).worker_to_interrupt(signal, to) else {
            return false;
        };
        post(signal, to);
        (*engine).roster.interrupted = Some(take);
        if (*worker).state() == State::Waiting {
            (*worker).is_interrupted = true;
            outside(|| {
                (*engine).roster.take_waiter(worker);
                (*engine).wake(worker);
                (*engine).change_width();
            });
        }
    }
    true
}

/// The handler of this signal runs as code of the current worker: a record says so.
pub fn tell_handler(signal: libc::c_int) {
    let (engine, _) = controlled();
    // SAFETY: a controlled worker's engine is live, and so is the worker; no switch happens in here.
    outside(|| unsafe {
        let worker = (*engine).roster.current;
        let note = Note::of(Operation::HandleSignal, (*worker).site).saying(name_of(signal));
        (*engine).record_note(worker, &note);
    });
}

/// The current worker goes on: takes the signals that have come for its thread. Its pending operation is
/// afterwards what it was. None if there are none.
///
/// # Safety
///
/// The engine is live and set, the caller is on its current worker, and keeps no reference to either.
#[inline]
pub(crate) unsafe fn take_signals(engine: *mut Engine) -> Option<Taken> {
    // SAFETY: the caller's.
    unsafe {
        match (*engine).roster.interrupted {
            None => None,
            Some(take) => take_open_signals(engine, take),
        }
    }
}

/// [`take_signals`] by this function.
///
/// # Safety
///
/// As for [`take_signals`].
#[cold]
unsafe fn take_open_signals(engine: *mut Engine, take: TakeSignals) -> Option<Taken> {
    // SAFETY: the caller's; no reference is kept while handlers run.
    unsafe {
        if (*engine).aside.onlooker().is_some() {
            return None;
        }
        let open = !signal_mask().0;
        if Waiting::for_current().sent() & open == 0 {
            if !anyone_has_open(&*engine) {
                (*engine).roster.interrupted = None;
            }
            return None;
        }
        let worker = (*engine).roster.current;
        let action = (*worker).action();
        acquire(ObjectId::SIGNALS);
        let restarts = take();
        (*worker).set_action(action);
        Some(Taken { restarts })
    }
}

/// Signals that were taken.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// None of their handlers ends a call that waits.
    restarts: bool,
}

impl Taken {
    /// How a wait ends that was interrupted.
    pub(super) fn wakeup(self) -> Wakeup {
        Wakeup::Interrupted {
            restarts: self.restarts,
        }
    }
}

impl Engine {
    /// The worker on whose stack handlers of this signal can run.
    fn worker_to_interrupt(
        &self,
        signal: libc::c_int,
        to: Option<WorkerId>,
    ) -> Option<*mut Worker> {
        let workers = self.roster.live().iter().copied();
        // SAFETY: the engine's workers are live, and so are their threads; nobody changes one meanwhile.
        let mut able = workers.filter(|&worker| unsafe {
            let thread = (*worker).thread;
            matches!((*worker).state(), State::Enabled | State::Waiting)
                && !thread.is_null()
                && to.is_none_or(|to| (*thread).id == to)
                && (*thread).mask.0 & bit(signal) == 0
        });
        let first = able.next()?;
        // One that goes on anyway need not be woken.
        // SAFETY: as above.
        let goes_on = |worker: &*mut Worker| unsafe { (**worker).state() == State::Enabled };
        Some(
            std::iter::once(first)
                .chain(able)
                .find(goes_on)
                .unwrap_or(first),
        )
    }
}
