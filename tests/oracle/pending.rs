//! Divergences that are known and wait to be mended: each with its reason. Nothing else is passed over.

use crate::compare::Difference;
use crate::program::{Op, Program, any};

/// A known cause.
struct Pending {
    /// Why the engine differs.
    #[expect(dead_code, reason = "it is for readers")]
    reason: &'static str,
    /// True where it may.
    explains: fn(&Case<'_>) -> bool,
}

/// A program whose outcomes differ.
struct Case<'a> {
    program: &'a Program,
    strategy: &'a str,
    difference: &'a Difference,
}

const PENDING: &[Pending] = &[
    Pending {
        reason: "`is_finished` is true as soon as the last operation is over",
        explains: |case| case.has(&|op| matches!(op, Op::IsFinished(_))),
    },
    Pending {
        reason: "a send that finds the receiver gone only looks, and is taken for a change, so that dpor \
                 tells the orders of such sends apart",
        explains: |case| {
            let sends = |op: &Op| matches!(op, Op::Send(_) | Op::TrySend(_));
            let mut channels = case.program.channels.iter();
            case.strategy == "dpor"
                && case.difference.missing.is_empty()
                && case.difference.too_many.is_empty()
                && case.has(&sends)
                && channels.any(|channel| channel.bound.is_none())
        },
    },
    Pending {
        reason: "who begins to wait for an initialiser, or at a full channel or a rendezvous, makes a step \
                 of it, so that dpor tells schedules apart that differ in this alone",
        explains: |case| {
            let initialises = |op: &Op| matches!(op, Op::Once(..) | Op::CellSet(_));
            let mut channels = case.program.channels.iter();
            case.strategy == "dpor"
                && case.difference.missing.is_empty()
                && case.difference.too_many.is_empty()
                && (case.has(&initialises) || channels.any(|channel| channel.bound.is_some()))
        },
    },
];

impl Case<'_> {
    fn has(&self, is_so: &dyn Fn(&Op) -> bool) -> bool {
        let lazy = [&self.program.lazy, &self.program.local];
        let all = self.program.threads.iter().chain(lazy);
        all.into_iter().any(|ops| any(ops, is_so))
    }
}

/// True if a known cause explains the difference.
pub(crate) fn is_known(program: &Program, strategy: &str, difference: &Difference) -> bool {
    let case = Case {
        program,
        strategy,
        difference,
    };
    PENDING.iter().any(|pending| (pending.explains)(&case))
}
