//! Code that looks on: it runs on a worker, and is no part of the execution.
//!
//! Specifications run like this. Nothing in them is a scheduling point, so they are atomic, and
//! they leave no trace in what the engine knows of the worker. What they allocate belongs to the
//! iteration, as all else on workers does.

use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};

use super::state::{Engine, engine, outside};
use super::thread::end_with;
use crate::operation::Operation;
use crate::trace::Site;
use crate::verdict::BugKind;

/// Who looks on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Onlooker {
    /// A monitor's handler; having to wait is a mistake in it.
    Monitor,
    /// A condition; where it would have to wait it is not evaluated.
    Condition,
    /// The program's global allocator, which may have to wait; see [`super::hush`].
    Allocator,
}

/// Why code that looked on did not come to its end.
#[derive(Debug)]
pub(super) enum Interruption {
    /// It panicked, saying this, there.
    Panicked(String, Option<Site>),
    /// It would have had to wait.
    Waits,
}

/// What a condition unwinds with when it would have to wait.
struct Waits;

/// Runs `f` on the current worker, aside.
///
/// # Safety
///
/// The engine must be live and set, and the caller its current worker.
pub(super) unsafe fn aside<R>(
    engine: *mut Engine,
    onlooker: Onlooker,
    f: impl FnOnce() -> R,
) -> Result<R, Interruption> {
    // SAFETY: the caller's; no reference is kept while `f` runs.
    unsafe {
        // Points in `f` now take the slow path, which knows of onlookers.
        (*engine).burn_fuse();
        let worker = (*engine).current;
        let thread = (*worker).thread;
        let (action, panics) = ((*worker).action(), (*thread).panics);
        let (idle, keeps_values) = ((*engine).idle, (*engine).keeps_values);
        let before = (*engine).onlooker.replace(onlooker);
        (*engine).keeps_values = false;
        let result = catch_unwind(AssertUnwindSafe(f));
        (*engine).onlooker = before;
        (*engine).keeps_values = keeps_values;
        (*engine).idle = idle;
        (*worker).set_action(action);
        (*thread).panics = panics;
        result.map_err(|payload| {
            if payload.is::<Waits>() {
                return Interruption::Waits;
            }
            let panics = &(*engine).panics;
            let panic = (*thread).last_panic.and_then(|id| panics.get(id));
            let panic = panic.expect("the hook saw the panic");
            outside(|| Interruption::Panicked(panic.message.clone(), panic.site.clone()))
        })
    }
}

/// Evaluates a predicate aside, on the current worker; where it would have to wait it is false. A
/// panic in it is one of the worker. Controlled workers only.
pub(crate) fn looks(predicate: &mut dyn FnMut() -> bool) -> bool {
    let engine = engine();
    // SAFETY: a controlled worker's engine is live.
    match unsafe { aside(engine, Onlooker::Condition, predicate) } {
        Ok(holds) => holds,
        Err(Interruption::Waits) => false,
        Err(Interruption::Panicked(message, site)) => {
            let site = site.map_or(String::new(), |site| format!(" at {site}"));
            panic!("a predicate panicked{site}: {message}")
        }
    }
}

/// Code that looks on would have to do what only a worker can: wait, or spawn.
pub(super) unsafe fn refuse(
    engine: *mut Engine,
    operation: Operation,
    site: &'static Location<'static>,
) -> ! {
    // SAFETY: the caller's engine is live.
    let onlooker = unsafe { (*engine).onlooker };
    // A futex is reached through C, which nothing unwinds through.
    let can_unwind = !matches!(operation, Operation::FutexWait | Operation::Spawn);
    if onlooker == Some(Onlooker::Condition) && can_unwind {
        resume_unwind(Box::new(Waits));
    }
    let message = format!(
        "a specification is atomic, and this one would have to switch at `{}`",
        operation.name()
    );
    end_with(BugKind::Safety, &message, site)
}
