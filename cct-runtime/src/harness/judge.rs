//! Runs a test's body and judges whether it did what its attributes expect.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{ExitCode, Termination};

use super::case::ShouldPanic;
use crate::engine::{current, current_engine, expect_panic, message_of, outside, set_panic_count};
use crate::verdict::{Bug, BugKind};

/// Runs the body on the current worker; returns the bug if it did not end as it should.
pub(super) fn judge<T: Termination>(expected: ShouldPanic, body: impl Fn() -> T) -> Option<Bug> {
    if !matches!(expected, ShouldPanic::No) {
        expect_panic();
    }
    let result = catch_unwind(AssertUnwindSafe(|| body().report()));
    set_panic_count(0);
    let engine = current_engine();
    outside(|| {
        // SAFETY: the body ran on a controlled worker, so its engine is live; no switch happens in here.
        let engine = unsafe { &*engine };
        let panic = result.as_ref().err().map(|payload| {
            let message = message_of(&**payload);
            let known = engine.panic_saying(&message);
            let bug = known.and_then(|panic| engine.bug_of(BugKind::Panic, panic));
            let bug = bug.unwrap_or_else(|| bug_of_body(BugKind::Panic, message.clone()));
            (message, bug)
        });
        match (panic, expected) {
            (None, ShouldPanic::No) if result.is_ok_and(|code| code == ExitCode::SUCCESS) => None,
            (None, ShouldPanic::No) => Some(bug_of_body(
                BugKind::ErrorReturned,
                "the test returned an error".to_owned(),
            )),
            (None, _) => Some(bug_of_body(
                BugKind::NoPanic,
                "the test did not panic as expected".to_owned(),
            )),
            (Some((_, bug)), ShouldPanic::No) => Some(bug),
            (Some(_), ShouldPanic::Yes) => None,
            (Some((message, bug)), ShouldPanic::With(part)) => {
                let other = format!("the panic's message `{message}` does not contain `{part}`");
                let is_it = message.contains(part);
                (!is_it).then(|| Bug {
                    site: bug.site,
                    ..bug_of_body(BugKind::NoPanic, other)
                })
            }
        }
    })
}

fn bug_of_body(kind: BugKind, message: String) -> Bug {
    let worker = current().map_or(0, |worker| worker.0);
    Bug::new(kind, message, None, Some(worker))
}
