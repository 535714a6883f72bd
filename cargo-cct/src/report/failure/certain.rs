//! From where on the failure was certain: the part of a report that says so.

use cct::trace::Trace;
use cct::wire::{Certain, Share};

use super::layout::Layout;
use super::names::Names;
use crate::report::words::{count, put};

/// The index of the step after which the failure is certain; none if it is from the start.
pub(super) fn step(certain: &Certain, trace: &Trace, names: &Names) -> Option<usize> {
    let number = usize::try_from(certain.step).ok()?;
    let mut steps = trace.steps.iter().enumerate();
    let found = steps.find(|(index, step)| !step.note && names.step(*index) == number);
    found.map(|(index, _)| index)
}

/// The mark of that step.
pub(super) fn mark(layout: &Layout) -> &'static str {
    layout.pick("◆", "*")
}

/// The lines about it, with the mark if the step has it.
pub(super) fn lines(certain: &Certain, is_marked: bool, layout: &Layout) -> String {
    let mark = if is_marked { mark(layout) } else { "" };
    let room = Layout {
        width: layout.width.saturating_sub(4),
        ..*layout
    };
    let mut out = String::new();
    for (nth, line) in room.wrapped(&words(certain)).lines().enumerate() {
        match (mark, nth) {
            ("", _) => put!(out, "  {line}\n"),
            (mark, 0) => put!(out, "  {mark} {line}\n"),
            _ => put!(out, "    {line}\n"),
        }
    }
    out
}

/// The sentence.
pub(super) fn words(certain: &Certain) -> String {
    let (from, others) = match certain.step {
        0 => ("the start".to_owned(), "schedule"),
        step => (format!("step {step}"), "continuation"),
    };
    let at_the_latest = if certain.is_earliest {
        ""
    } else {
        " at the latest"
    };
    let fail = match (certain.continuations, certain.are_all) {
        (1, true) => format!("the only {others} fails"),
        (1, false) => "nothing is left to decide".to_owned(),
        (2, true) => format!("both {others}s fail"),
        (number, true) => format!("all {} fail", count(number.into(), others)),
        (number, false) => {
            let random = format!("random {others}");
            format!("all {} fail", count(number.into(), &random))
        }
    };
    let before = match certain.before {
        None => String::new(),
        Some(share) if share.failing == share.made => {
            format!(
                " (all {} before it too, but not all that there are)",
                share.made
            )
        }
        Some(share) => format!(" ({} % before it)", percent(share)),
    };
    format!("certain from {from}{at_the_latest}: {fail}{before}")
}

fn percent(share: Share) -> u64 {
    let (failing, made) = (u64::from(share.failing), u64::from(share.made));
    (200 * failing + made) / (2 * made).max(1)
}

#[cfg(test)]
mod tests {
    use cct::operation::Operation as Op;

    use super::super::source::Source;
    use super::*;
    use crate::sample;

    const CERTAIN: Certain = Certain {
        step: 5,
        continuations: 32,
        are_all: false,
        before: Some(Share {
            failing: 16,
            made: 32,
        }),
        is_earliest: true,
    };

    #[test]
    fn it_is_said_how_it_is_known() {
        assert_eq!(
            words(&CERTAIN),
            "certain from step 5: all 32 random continuations fail (50 % before it)"
        );
        let all = Certain {
            continuations: 6,
            are_all: true,
            before: None,
            is_earliest: false,
            ..CERTAIN
        };
        assert_eq!(
            words(&all),
            "certain from step 5 at the latest: all 6 continuations fail"
        );
        let only = Certain {
            continuations: 1,
            ..all
        };
        let words = |certain| {
            words(&Certain {
                is_earliest: true,
                ..certain
            })
        };
        assert_eq!(
            words(only),
            "certain from step 5: the only continuation fails"
        );
        let two = Certain {
            continuations: 2,
            ..all
        };
        assert_eq!(words(two), "certain from step 5: both continuations fail");
        // One that was enumerated does not fail.
        let hidden = Certain {
            before: Some(Share {
                failing: 32,
                made: 32,
            }),
            ..CERTAIN
        };
        assert_eq!(
            words(hidden),
            "certain from step 5: all 32 random continuations fail (all 32 before it too, but not all \
             that there are)"
        );
        let none_left = Certain {
            are_all: false,
            ..only
        };
        assert_eq!(
            words(none_left),
            "certain from step 5: nothing is left to decide"
        );
        let start = Certain { step: 0, ..all };
        assert_eq!(words(start), "certain from the start: all 6 schedules fail");
    }

    #[test]
    fn a_share_is_rounded() {
        let of_32 = |failing| percent(Share { failing, made: 32 });
        assert_eq!([0, 1, 16, 31].map(of_32), [0, 3, 50, 97]);
    }

    #[test]
    fn notes_have_no_number() {
        let mut steps = [Op::Load, Op::Panic, Op::Store].map(|op| sample::step(0, op, "src/a.rs"));
        steps[1].0.note = true;
        let trace = sample::trace(&steps);
        let names = Names::of(&trace, &Source::new(std::path::Path::new("/nowhere")));
        let at = |step| super::step(&Certain { step, ..CERTAIN }, &trace, &names);
        assert_eq!([0, 1, 2, 3].map(at), [None, Some(0), Some(2), None]);
    }
}
