//! Who waits for what, held by whom: the part of a report that explains a deadlock.

use cct::operation::Operation as Op;
use cct::trace::{Outcome, Trace};
use cct::verdict::{Bug, BugKind, Wait};

use super::layout::Layout;
use super::names::{self, Names, operation};
use crate::report::style::{BAD, FAINT, paint};
use crate::report::words::{count, put};

/// The wait-for list of a bug; empty when it is not about waiting.
pub(super) fn text(bug: &Bug, trace: Option<(&Trace, &Names)>, layout: &Layout) -> String {
    if bug.waits.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    let stuck = bug.waits.iter().filter(|wait| !wait.spins).count() as u64;
    let spinning = bug.waits.len() as u64 - stuck;
    let headline = match bug.kind {
        BugKind::LockCycle => {
            format!("{} in a circle, while others can still run", waiting(stuck))
        }
        _ if spinning > 0 => format!(
            "{}, and {} only {}",
            waiting(stuck),
            count(spinning, "worker"),
            if spinning == 1 { "spins" } else { "spin" }
        ),
        _ => format!("{} can never run again", count(stuck, "worker")),
    };
    put!(out, "  {headline}\n");
    // The circle first, then those behind it.
    let (circle, rest): (Vec<_>, Vec<_>) = bug.waits.iter().partition(|wait| wait.in_cycle);
    let has_circle = !circle.is_empty();
    for wait in circle.into_iter().chain(rest) {
        out.push_str(&line(wait, has_circle, trace, layout));
    }
    out
}

fn waiting(workers: u64) -> String {
    let verb = if workers == 1 { "waits" } else { "wait" };
    format!("{} {verb}", count(workers, "worker"))
}

fn line(wait: &Wait, has_circle: bool, trace: Option<(&Trace, &Names)>, layout: &Layout) -> String {
    let (rule, arrow) = (layout.pick("──", "--"), layout.pick("─▶", "->"));
    let verb = if wait.spins { "spins on" } else { "waits for" };
    let mut text = format!(
        "    {} {} {rule} {verb} {arrow} {}",
        paint(BAD, &format!("{:<5}", names::worker(wait.worker))),
        wait.site,
        object(wait, trace),
    );
    if let Some(holder) = wait.holder {
        let held = if is_join(wait) { "" } else { " held by" };
        if !is_join(wait) {
            put!(text, " {rule}{held} {arrow} {}", names::worker(holder));
        }
        if let Some((step, site)) = trace.and_then(|(trace, _)| acquired(wait, holder, trace)) {
            put!(text, ", since {site} (step {})", step + 1);
        }
    }
    if has_circle && !wait.in_cycle {
        text.push_str(&paint(FAINT, "  (not part of the circle)"));
    }
    text.push('\n');
    text
}

/// What is waited for.
fn object(wait: &Wait, trace: Option<(&Trace, &Names)>) -> String {
    let op = Op::from_code(wait.operation);
    if is_join(wait) {
        return match wait.holder {
            Some(worker) => format!("the end of {}", names::worker(worker)),
            None => "the end of a thread".to_owned(),
        };
    }
    match op {
        Some(Op::ScopeEnd) => return "the end of its scope's threads".to_owned(),
        Some(Op::Park) => return "an unpark".to_owned(),
        Some(Op::Sleep) => return "time to pass".to_owned(),
        _ => {}
    }
    let known = trace.and_then(|(trace, names)| {
        let number = number(wait, trace)?;
        let first = trace
            .steps
            .iter()
            .find(|step| step.object == Some(number))?;
        Some(format!("{} `{}`", names::kind(first), names.object(number)))
    });
    known.unwrap_or_else(|| format!("`{}`", op.map_or("an object", Op::name)))
}

fn is_join(wait: &Wait) -> bool {
    Op::from_code(wait.operation) == Some(Op::Join)
}

/// The object's number: by the engine's word, else by its address.
fn number(wait: &Wait, trace: &Trace) -> Option<u32> {
    wait.object.or_else(|| {
        let found = trace
            .objects
            .iter()
            .position(|object| object.address == wait.address)?;
        u32::try_from(found).ok()
    })
}

/// The step by which the holder came to hold the object, and where.
fn acquired(wait: &Wait, holder: u32, trace: &Trace) -> Option<(usize, String)> {
    let number = number(wait, trace)?;
    let step = trace.steps.iter().rposition(|step| {
        step.worker == holder
            && step.object == Some(number)
            && step.outcome == Outcome::Done
            && matches!(
                operation(step),
                Some(
                    Op::Lock
                        | Op::TryLock
                        | Op::Read
                        | Op::TryRead
                        | Op::Write
                        | Op::TryWrite
                        | Op::CallOnce
                )
            )
    })?;
    let site = names::site(trace, &trace.steps[step])?;
    Some((step, site.to_string()))
}

#[cfg(test)]
mod tests {
    use cct::trace::Site;

    use super::super::sample::{step, trace};
    use super::super::source::Source;
    use super::*;

    #[test]
    fn the_circle_is_told_with_holders() {
        let mut steps = [
            step(1, Op::Lock, "src/a.rs"),
            step(2, Op::Lock, "src/a.rs"),
            step(1, Op::Lock, "src/b.rs"),
            step(2, Op::Lock, "src/b.rs"),
        ];
        steps[1].0.object = Some(1);
        steps[2].0.object = Some(1);
        steps[2].0.outcome = Outcome::Waits;
        steps[3].0.outcome = Outcome::Waits;
        let trace = trace(&steps);
        let wait = |worker, object, holder| Wait {
            worker,
            operation: steps[0].0.operation,
            address: 0,
            object: Some(object),
            site: Site {
                file: "src/b.rs".to_owned(),
                line: 1,
                column: 9,
            },
            holder: Some(holder),
            spins: false,
            in_cycle: true,
        };
        let bug = Bug {
            kind: BugKind::Deadlock,
            message: String::new(),
            site: None,
            worker: None,
            waits: vec![wait(1, 1, 2), wait(2, 0, 1)],
        };
        let names = Names::of(&trace, &Source::new(std::path::Path::new("/nowhere")));
        let layout = Layout {
            width: 120,
            unicode: false,
        };
        let text =
            anstream::adapter::strip_str(&text(&bug, Some((&trace, &names)), &layout)).to_string();
        let expected = "  2 workers can never run again
    w1    src/b.rs:1:9 -- waits for -> mutex `mutex#2` -- held by -> w2, since src/a.rs:1:9 (step 2)
    w2    src/b.rs:1:9 -- waits for -> mutex `mutex#1` -- held by -> w1, since src/a.rs:1:9 (step 1)
";
        assert_eq!(text, expected);
    }
}
