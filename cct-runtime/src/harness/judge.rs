//! Runs a test's body and says whether it did what its attributes expect.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, Termination};

use super::ShouldPanic;
use crate::engine::{current, current_engine, message_of, outside, set_panic_count};
use crate::trace::Site;
use crate::verdict::{Bug, BugKind};

/// Runs the body on the current worker; returns the bug if it did not end as it should.
pub(super) fn judge<T: Termination>(expected: ShouldPanic, body: impl Fn() -> T) -> Option<Bug> {
    let result = catch_unwind(AssertUnwindSafe(|| body().report()));
    set_panic_count(0);
    let engine = current_engine();
    outside(|| {
        let panic = result.as_ref().err().map(|payload| {
            let message = message_of(&**payload);
            // SAFETY: the body ran on a controlled worker, so its engine is live.
            let site = unsafe { (*engine).panic_site(&message) };
            (message, site)
        });
        match (panic, expected) {
            (None, ShouldPanic::No) if result.is_ok_and(|code| code == ExitCode::SUCCESS) => None,
            (None, ShouldPanic::No) => Some(bug(
                BugKind::ErrorReturned,
                "the test returned an error".to_owned(),
                None,
            )),
            (None, _) => Some(bug(
                BugKind::NoPanic,
                "the test did not panic as expected".to_owned(),
                None,
            )),
            (Some((message, site)), ShouldPanic::No) => Some(bug(BugKind::Panic, message, site)),
            (Some(_), ShouldPanic::Yes) => None,
            (Some((message, site)), ShouldPanic::With(part)) => {
                let other = format!("the panic's message `{message}` does not contain `{part}`");
                (!message.contains(part)).then(|| bug(BugKind::NoPanic, other, site))
            }
        }
    })
}

fn bug(kind: BugKind, message: String, site: Option<Site>) -> Bug {
    let worker = current().map_or(Some(0), |worker| Some(worker.0));
    Bug {
        kind,
        message,
        site,
        worker,
        waits: Vec::new(),
    }
}
