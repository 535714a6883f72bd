//! Which steps a report shows, and which are folded into a line.

use cct::operation::{Effect, Operation};
use cct::trace::{Outcome, Step, Trace};

use super::layout::Detail;
use super::names::{operation, site};
use super::origin::Origin;

/// A line of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Row {
    /// One step.
    Step(usize),
    /// One step of a cycle that goes round this many times; the first of the cycle carries the count.
    Spin {
        /// The step.
        step: usize,
        /// How many times the cycle goes round; none for its further steps.
        times: Option<usize>,
    },
    /// Steps in code that is not the user's.
    Folded {
        /// The first of them.
        first: usize,
        /// How many they are.
        count: usize,
        /// Whose code it is.
        whose: String,
    },
    /// Steps that are not shown.
    Gap(usize),
    /// The worker before could have gone on, but another was picked.
    Preempted {
        /// The worker before.
        from: u32,
        /// The worker that was picked.
        to: u32,
    },
}

/// How many lines are shown before and after the failure.
const AROUND: usize = 12;
/// Up to this many lines, all are shown.
const SHORT: usize = 40;
/// A cycle has at most this many steps.
const LONGEST_CYCLE: usize = 4;
/// A cycle is folded when it goes round this many times.
const FEWEST_TURNS: usize = 3;

/// Lays out a trace that failed at the step `failing`.
pub(super) fn rows(trace: &Trace, failing: usize, detail: Detail) -> Vec<Row> {
    let shown = (0..trace.steps.len()).filter(|&index| !is_noise(&trace.steps[index]));
    let rows: Vec<Row> = shown.map(Row::Step).collect();
    let rows = match detail {
        Detail::Full => rows,
        Detail::Around => around(
            trace,
            fold_spins(trace, &fold_foreign(trace, rows, failing)),
            failing,
        ),
    };
    with_preemptions(trace, rows)
}

/// How often a worker that could have gone on did not.
pub(super) fn preemptions(trace: &Trace) -> usize {
    (1..trace.steps.len())
        .filter(|&index| is_preemption(trace, index - 1, index))
        .count()
}

/// How often another worker ran than before.
pub(super) fn switches(trace: &Trace) -> usize {
    trace
        .steps
        .windows(2)
        .filter(|pair| pair[0].worker != pair[1].worker)
        .count()
}

/// A worker's first step says nothing that its `spawn` does not.
fn is_noise(step: &Step) -> bool {
    operation(step) == Some(Operation::Start)
}

fn fold_foreign(trace: &Trace, rows: Vec<Row>, failing: usize) -> Vec<Row> {
    let whose = |index: usize| {
        let step = &trace.steps[index];
        // Where a worker gets stuck is worth a line wherever it is.
        let matters = index == failing || step.outcome == Outcome::Waits;
        let origin = site(trace, step).map(Origin::of).filter(|_| !matters)?;
        origin.folded().map(str::to_owned)
    };
    let same_worker =
        |one: usize, other: usize| trace.steps[one].worker == trace.steps[other].worker;
    let mut out: Vec<Row> = Vec::new();
    let mut last_whose: Option<String> = None;
    for row in rows {
        let Row::Step(index) = row else { continue };
        let this = whose(index);
        match (&last_whose, &this, out.last_mut()) {
            (Some(last), Some(this), Some(before)) if same_worker(first(before), index) => {
                if let Row::Step(first) = *before {
                    *before = Row::Folded {
                        first,
                        count: 1,
                        whose: last.clone(),
                    };
                }
                if let Row::Folded { count, whose, .. } = before {
                    *count += 1;
                    if !whose.split(", ").any(|known| known == this) {
                        whose.push_str(", ");
                        whose.push_str(this);
                    }
                }
            }
            _ => out.push(Row::Step(index)),
        }
        last_whose = this;
    }
    out
}

fn fold_spins(trace: &Trace, rows: &[Row]) -> Vec<Row> {
    // Only steps that change nothing make a cycle; what is in folded lines is not known here.
    let key = |row: &Row| match row {
        Row::Step(index) if changes_nothing(&trace.steps[*index]) => {
            let step = &trace.steps[*index];
            Some((
                step.worker,
                step.operation,
                step.object,
                step.site,
                step.outcome,
                step.read,
            ))
        }
        _ => None,
    };
    let same = |one: &Row, other: &Row| key(one).is_some() && key(one) == key(other);
    let mut out = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let turns = |length: usize| {
            let rest = &rows[at..];
            let repeats = (length..rest.len())
                .take_while(|&index| same(&rest[index], &rest[index - length]))
                .count();
            1 + repeats / length
        };
        let cycle = (1..=LONGEST_CYCLE)
            .filter(|&length| at + length <= rows.len())
            .map(|length| (length, turns(length)))
            .find(|&(_, turns)| turns >= FEWEST_TURNS);
        let Some((length, turns)) = cycle else {
            out.push(rows[at].clone());
            at += 1;
            continue;
        };
        for (place, row) in rows[at..at + length].iter().enumerate() {
            let Row::Step(step) = *row else { continue };
            out.push(Row::Spin {
                step,
                times: (place == 0).then_some(turns),
            });
        }
        at += length * turns;
    }
    out
}

fn changes_nothing(step: &Step) -> bool {
    match operation(step).map(Operation::effect) {
        Some(Effect::Reads | Effect::Yields) => true,
        Some(Effect::MayWrite) => step.outcome == Outcome::Refused,
        Some(Effect::Writes) | None => false,
    }
}

fn around(trace: &Trace, rows: Vec<Row>, failing: usize) -> Vec<Row> {
    if rows.len() <= SHORT {
        return rows;
    }
    let center = rows
        .iter()
        .rposition(|row| first(row) <= failing)
        .unwrap_or_default();
    let needed = origins(trace, failing);
    let mut out = Vec::new();
    let mut gap = 0;
    for (place, row) in rows.into_iter().enumerate() {
        let is_near = place.abs_diff(center) <= AROUND;
        if is_near || matches!(row, Row::Step(index) if needed.contains(&index)) {
            if gap > 0 {
                out.push(Row::Gap(gap));
                gap = 0;
            }
            out.push(row);
        } else {
            gap += size(&row);
        }
    }
    if gap > 0 {
        out.push(Row::Gap(gap));
    }
    out
}

/// The last writes to what the failing worker read or waited for last.
fn origins(trace: &Trace, failing: usize) -> Vec<usize> {
    let Some(step) = trace.steps.get(failing) else {
        return Vec::new();
    };
    let before = || (0..=failing).rev();
    let mine = before().filter(|&index| trace.steps[index].worker == step.worker);
    let read = mine.take(AROUND).filter_map(|index| {
        let step = &trace.steps[index];
        step.object
            .filter(|_| step.read.is_some() || step.outcome == Outcome::Waits)
    });
    read.filter_map(|object| {
        before().find(|&index| {
            let step = &trace.steps[index];
            step.object == Some(object) && step.written.is_some()
        })
    })
    .collect()
}

fn with_preemptions(trace: &Trace, rows: Vec<Row>) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::with_capacity(rows.len());
    for row in rows {
        if !matches!(row, Row::Gap(_))
            && let Some(before) = out.last().filter(|row| !matches!(row, Row::Gap(_)))
        {
            let (last, next) = (first(before) + size(before) - 1, first(&row));
            if is_preemption(trace, last, next) {
                out.push(Row::Preempted {
                    from: trace.steps[last].worker,
                    to: trace.steps[next].worker,
                });
            }
        }
        out.push(row);
    }
    out
}

/// True when the worker of step `last` could have gone on instead of step `next`.
fn is_preemption(trace: &Trace, last: usize, next: usize) -> bool {
    use Operation as Op;
    let (before, after) = (&trace.steps[last], &trace.steps[next]);
    let gave_way = matches!(
        operation(before),
        Some(Op::End | Op::YieldNow | Op::SpinLoop | Op::Sleep | Op::ClockRead)
    );
    let could = !gave_way && before.outcome != Outcome::Waits && after.contested;
    let goes_on = || {
        let rest = trace.steps.get(next..).unwrap_or_default();
        rest.iter().any(|step| step.worker == before.worker)
    };
    before.worker != after.worker && could && goes_on()
}

fn first(row: &Row) -> usize {
    match row {
        Row::Step(step) | Row::Spin { step, .. } | Row::Folded { first: step, .. } => *step,
        Row::Gap(_) | Row::Preempted { .. } => 0,
    }
}

fn size(row: &Row) -> usize {
    match row {
        Row::Step(_) | Row::Spin { times: None, .. } => 1,
        Row::Spin {
            times: Some(times), ..
        } => *times,
        Row::Folded { count, .. } | Row::Gap(count) => *count,
        Row::Preempted { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{step, trace};
    use super::*;

    #[test]
    fn steps_of_others_are_folded() {
        let steps = [
            step(0, Operation::Load, "src/a.rs"),
            step(0, Operation::Load, "/registry/src/i/dep-1.0.0/src/lib.rs"),
            step(0, Operation::Store, "/registry/src/i/dep-1.0.0/src/lib.rs"),
            step(0, Operation::Load, "src/a.rs"),
        ];
        let trace = trace(&steps);
        let folded = Row::Folded {
            first: 1,
            count: 2,
            whose: "dep".to_owned(),
        };
        assert_eq!(
            rows(&trace, 3, Detail::Around),
            [Row::Step(0), folded, Row::Step(3)]
        );
        assert_eq!(rows(&trace, 3, Detail::Full).len(), 4);
    }

    #[test]
    fn a_cycle_is_shown_once() {
        let mut steps = vec![step(0, Operation::Store, "src/a.rs")];
        for _ in 0..5 {
            steps.push(step(1, Operation::Load, "src/a.rs"));
            steps.push(step(1, Operation::SpinLoop, "src/a.rs"));
        }
        steps.push(step(1, Operation::End, "src/a.rs"));
        let expected = [
            Row::Step(0),
            Row::Spin {
                step: 1,
                times: Some(5),
            },
            Row::Spin {
                step: 2,
                times: None,
            },
            Row::Step(11),
        ];
        assert_eq!(rows(&trace(&steps), 11, Detail::Around), expected);
    }

    #[test]
    fn a_long_trace_is_shown_around_its_failure() {
        let files: Vec<String> = (0..100).map(|n| format!("src/{n}.rs")).collect();
        let steps: Vec<_> = files
            .iter()
            .map(|file| step(0, Operation::Load, file))
            .collect();
        let rows = rows(&trace(&steps), 50, Detail::Around);
        assert_eq!(rows.first(), Some(&Row::Gap(38)));
        assert_eq!(rows.last(), Some(&Row::Gap(37)));
        assert_eq!(rows.len(), 2 * AROUND + 3);
    }

    #[test]
    fn a_worker_that_waits_is_not_preempted() {
        let mut steps = vec![
            step(0, Operation::Lock, "src/a.rs"),
            step(1, Operation::Lock, "src/a.rs"),
            step(0, Operation::Unlock, "src/a.rs"),
            step(1, Operation::Lock, "src/a.rs"),
        ];
        steps[1].0.outcome = Outcome::Waits;
        for step in &mut steps {
            step.0.contested = true;
        }
        let trace = trace(&steps);
        assert_eq!((switches(&trace), preemptions(&trace)), (3, 1));
        assert_eq!(
            rows(&trace, 3, Detail::Around)[1],
            Row::Preempted { from: 0, to: 1 }
        );
    }
}
