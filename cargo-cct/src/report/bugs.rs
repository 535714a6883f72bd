//! The words of reports for each kind of bug: a row each.

use cct::verdict::BugKind;

/// The words for a kind of bug.
pub(super) struct Words {
    /// The label of a test that fails so.
    pub(super) label: &'static str,
    /// The event, in the title of a report.
    pub(super) title: &'static str,
    /// The text of the last row of a schedule, for the worker at fault; none where waiting workers are shown.
    pub(super) last_row: Option<&'static str>,
}

/// True if a statement of one worker is at fault, and the steps of others around it do not matter.
pub(super) fn is_at_a_statement(kind: BugKind) -> bool {
    use BugKind::{ActorFailed, Panic, UnobservedPanic};
    matches!(kind, Panic | UnobservedPanic | ActorFailed)
}

pub(super) fn words(kind: BugKind) -> Words {
    let (label, title, last_row) = match kind {
        BugKind::Panic => ("FAIL", "panicked", Some("✗ panics")),
        BugKind::NoPanic => ("FAIL", "should have panicked", Some("✗ does not panic")),
        BugKind::ErrorReturned => ("FAIL", "returned an error", Some("✗ returns an error")),
        BugKind::ActorFailed => ("FAIL", "failed", Some("✗ fails")),
        BugKind::UnobservedPanic => (
            "PANIC",
            "a thread panicked and nobody noticed",
            Some("✗ panics"),
        ),
        BugKind::Deadlock => ("DEADLOCK", "deadlock", None),
        BugKind::LockCycle => (
            "DEADLOCK",
            "deadlock: locks are waited for in a circle",
            None,
        ),
        BugKind::Livelock => ("LIVELOCK", "livelock", None),
        BugKind::Exit => ("EXIT", "exited", Some("✗ exits")),
        BugKind::Abort => ("ABORT", "aborted", Some("✗ aborts")),
        BugKind::Signal => ("CRASH", "crashed", Some("✗ crashes")),
        BugKind::StackOverflow => ("OVERFLOW", "stack overflow", Some("✗ overflows its stack")),
        BugKind::OutOfMemory => (
            "MEMORY",
            "takes too much memory",
            Some("✗ takes too much memory"),
        ),
        BugKind::Hang => ("HANG", "hangs", Some("✗ does not come back")),
        BugKind::Silence => (
            "UNFINISHED",
            "goes on without a sign of life",
            Some("… goes on"),
        ),
        BugKind::BadMemory => ("BAD FREE", "misuses memory", Some("✗ misuses memory")),
        BugKind::Race => ("RACE", "data race", Some("✗ races")),
        BugKind::Violation => (
            "VIOLATION",
            "thread-safety violation",
            Some("✗ violates it"),
        ),
        BugKind::Safety => (
            "UNSAFE",
            "violates a specification",
            Some("✗ is against the specification"),
        ),
        BugKind::Liveness => ("NOT LIVE", "overdue since the step", None),
    };
    Words {
        label,
        title,
        last_row,
    }
}
