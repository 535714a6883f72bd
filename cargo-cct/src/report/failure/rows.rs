//! Which steps a report shows, and which are folded into a line.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cct::operation::{Effect, Operation};
use cct::trace::{Outcome, Site, Step, Trace, WorkerKind};

use super::describe;
use super::layout::Detail;
use super::names::{Names, caller, operation, place, site};
use super::origin::Origin;
use super::printed;
use super::table::MOST_COLUMNS;
use super::wanted::Wanted;
use crate::run::is_preemption;

/// A line of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Row {
    /// One step.
    Step(usize),
    /// One step of a cycle that goes round this many times; the first of the cycle carries the count.
    Spin {
        /// The step.
        step: usize,
        /// The step at which it ends: for the last of the cycle, that of the last turn.
        last: usize,
        /// How many times the cycle goes round; none for its further steps.
        times: Option<usize>,
    },
    /// A worker's steps in code that is not the user's.
    Folded(Stretch),
    /// The steps of executors between one step of the user's and the next.
    Executor {
        /// Their steps.
        stretch: Stretch,
        /// The task that comes of it.
        next: Option<u32>,
    },
    /// A line that was printed, by its number among the trace's prints.
    Print(usize),
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

/// Steps that are one line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    /// The first of them.
    pub first: usize,
    /// The last of them.
    pub last: usize,
    /// How many they are.
    pub count: usize,
    /// In whose code, as far as that is not the user's.
    pub whose: Vec<String>,
    /// All of them come of one call in the user's code, which the caller of the first is.
    pub is_one_call: bool,
}

/// Up to this many lines, all are shown; of more, so many.
const SHORT: usize = 40;
/// A cycle has at most this many steps.
const LONGEST_CYCLE: usize = 12;
/// A cycle is folded when it goes round this many times.
const FEWEST_TURNS: usize = 3;

/// Lays out a trace; nothing after `last` has to do with its failure, unless it is wanted.
pub(super) fn rows(
    trace: &Trace,
    names: &Names,
    wanted: &Wanted,
    last: usize,
    detail: Detail,
) -> Vec<Row> {
    let is_left_out = |index: usize| {
        is_noise(trace, index) || (detail != Detail::Full && is_unasked(trace, index, wanted))
    };
    let is_shown = |index: &usize| wanted.required.contains(index) || !is_left_out(*index);
    let shown = (0..trace.steps.len()).filter(is_shown);
    if detail == Detail::Full {
        let rows = printed::among(shown.map(Row::Step).collect(), trace, detail);
        return with_preemptions(trace, names, &rows);
    }
    let (shown, unwinding): (Vec<usize>, Vec<usize>) =
        shown.partition(|&index| index <= last || wanted.required.contains(&index));
    let folded = fold_foreign(trace, names, &shown, &wanted.required);
    let folded = fold_spins(trace, &folded, &wanted.required);
    let folded = printed::among(folded, trace, detail);
    let rows = of_those_that_matter(trace, names, folded, &wanted.required);
    let mut rows = nearest(trace, names, rows, wanted);
    match (rows.last_mut(), unwinding.len()) {
        (_, 0) => {}
        (Some(Row::Gap(gap)), more) => *gap += more,
        (_, more) => rows.push(Row::Gap(more)),
    }
    with_preemptions(trace, names, &rows)
}

/// A worker's first step says nothing that its `spawn` does not, unless the worker is left after it.
fn is_noise(trace: &Trace, index: usize) -> bool {
    is_start(&trace.steps[index]) && !is_preemption(trace, index)
}

/// True for clones and drops of references whose number plays no part.
fn is_unasked(trace: &Trace, index: usize, wanted: &Wanted) -> bool {
    let step = &trace.steps[index];
    let is_one = |object| wanted.objects.contains(&object);
    operation(step).is_some_and(Operation::counts_references)
        && !step.object.is_some_and(is_one)
        && !is_preemption(trace, index)
}

fn is_start(step: &Step) -> bool {
    operation(step) == Some(Operation::Start)
}

/// The threads that drive tasks, and the steps of theirs that the reader can do without.
struct Executors {
    /// The threads whose steps outside the user's code are an executor's.
    threads: BTreeSet<u32>,
    has_tasks: bool,
}

impl Executors {
    fn of(trace: &Trace, names: &Names) -> Executors {
        let mut threads: BTreeSet<u32> =
            trace.steps.iter().filter_map(|step| step.thread).collect();
        let workers = (0_u32..).zip(&trace.workers);
        let is_task = |kind| matches!(kind, WorkerKind::Task | WorkerKind::Root(_));
        let has_tasks = workers.clone().any(|(_, info)| is_task(info.kind));
        for (worker, info) in workers.filter(|_| has_tasks) {
            let is_foreign = |site| Origin::of(site) != Origin::User;
            let is_thread = names.kind(worker) == WorkerKind::Thread;
            if is_thread && info.spawned_at.as_ref().is_some_and(is_foreign)
                || info.kind == WorkerKind::WakeUp
            {
                threads.insert(worker);
            }
        }
        Executors { threads, has_tasks }
    }

    /// True if a thread that polls tasks has none to poll.
    fn rests(&self, step: &Step) -> bool {
        step.outcome == Outcome::Waits && self.threads.contains(&step.worker)
    }

    /// The place in the user's code whose call the step comes of. That a thread which polls tasks was once
    /// started there is none.
    fn call<'t>(&self, trace: &'t Trace, index: usize) -> Option<&'t Site> {
        let step = &trace.steps[index];
        let polls = self.has_tasks && self.threads.contains(&step.worker);
        (!polls).then(|| caller(trace, step))?
    }

    /// Whether the step is of interest.
    fn place(&self, trace: &Trace, index: usize) -> Place {
        let step = &trace.steps[index];
        if step.outcome == Outcome::Woken || operation(step) == Some(Operation::Poll) {
            return Place::InExecutor;
        }
        // Where a worker gets stuck is worth a line wherever it is, but for an executor's rest.
        if step.outcome == Outcome::Waits && !self.rests(step) {
            return Place::Shown;
        }
        let origin = site(trace, step).map(Origin::of);
        match origin.as_ref().and_then(Origin::folded) {
            Some(name) => Place::InCrate(name.to_owned()),
            None => Place::Shown,
        }
    }
}

/// Where a step belongs.
#[derive(PartialEq, Eq)]
enum Place {
    /// Among what is shown.
    Shown,
    /// Among what an executor does, though it is at the user's site.
    InExecutor,
    /// Among what this crate does.
    InCrate(String),
}

fn fold_foreign(
    trace: &Trace,
    names: &Names,
    shown: &[usize],
    required: &BTreeSet<usize>,
) -> Vec<Row> {
    let executors = Executors::of(trace, names);
    let lane = |index: usize| names.lane(trace.steps[index].worker);
    let mut out: Vec<Row> = Vec::new();
    let mut shown = shown.iter().copied().peekable();
    let mut before = None;
    // The lines that say by themselves what executors do for them.
    let mut awaited = BTreeMap::new();
    while let Some(index) = shown.next() {
        let place = |index| {
            // An executor that is at rest when all is over is not what failed.
            if required.contains(&index) && !executors.rests(&trace.steps[index]) {
                Place::Shown
            } else {
                executors.place(trace, index)
            }
        };
        let own = place(index);
        if own == Place::Shown {
            out.push(Row::Step(index));
            before = Some(lane(index));
            awaited.remove(&lane(index));
            if matches!(
                operation(&trace.steps[index]),
                Some(Operation::Await | Operation::Spawn)
            ) {
                awaited.extend(line(trace, index).map(|line| (lane(index), line)));
            }
            continue;
        }
        let call = |index: usize| {
            let call = executors.call(trace, index)?;
            let told = (call.file.clone(), call.line);
            let is_told = executors.has_tasks && awaited.get(&lane(index)) == Some(&told);
            (!is_told).then(|| (lane(index), call))
        };
        let called = call(index);
        let mut stretch = Stretch {
            first: index,
            last: index,
            count: 0,
            whose: Vec::new(),
            is_one_call: called.is_some(),
        };
        stretch.add(trace, index, own);
        let mut is_of_one = true;
        while let Some(&next) = shown.peek()
            && let whose = place(next)
            && whose != Place::Shown
            && (executors.has_tasks || lane(next) == lane(index))
            && call(next) == called
        {
            is_of_one &= lane(next) == lane(index);
            stretch.add(trace, next, whose);
            shown.next();
        }
        if stretch.is_one_call {
            out.push(Row::Folded(stretch));
            before = Some(lane(index));
            continue;
        }
        let next = shown.peek().map(|&next| trace.steps[next].worker);
        let is_between = |other: Option<u32>| other.is_none_or(|other| other == lane(index));
        let is_own =
            is_of_one && is_between(before) && is_between(next.map(|next| names.lane(next)));
        out.push(if !executors.has_tasks && stretch.first == stretch.last {
            Row::Step(index)
        } else if is_own || !executors.has_tasks {
            Row::Folded(stretch)
        } else {
            let task = next.filter(|&next| is_polled_anew(trace, names, &stretch, next));
            let after = next.map(|next| names.lane(next));
            if task.is_none() && before.is_some() && before == after {
                // Steps of others aside, while a worker goes on.
                continue;
            }
            let next = task;
            Row::Executor { stretch, next }
        });
    }
    out
}

/// The line that the step is shown at.
fn line(trace: &Trace, index: usize) -> Option<(String, u32)> {
    let site = place(trace, &trace.steps[index])?;
    Some((site.file.clone(), site.line))
}

/// True if the worker, which goes on after these steps, is a task that was not being polled before them.
fn is_polled_anew(trace: &Trace, names: &Names, stretch: &Stretch, worker: u32) -> bool {
    let of_worker = |step: &&Step| step.worker == worker;
    let begins = |step: &Step| step.outcome == Outcome::Woken || is_start(step);
    let was_idle = match trace.steps[..stretch.first].iter().rev().find(of_worker) {
        Some(last) => last.outcome == Outcome::Waits || begins(last),
        None => true,
    };
    let mut within = trace.steps[stretch.first..=stretch.last].iter();
    let is_task = names.kind(worker) != WorkerKind::Thread;
    is_task && (was_idle || within.any(|step| of_worker(&step) && begins(step)))
}

impl Stretch {
    /// The owner of the steps: `in tokio, mio`.
    pub(super) fn within(&self) -> String {
        if self.whose.is_empty() {
            // It polls others, and wakes tasks, at the user's line.
            "of the executor".to_owned()
        } else {
            format!("in {}", self.whose.join(", "))
        }
    }

    fn add(&mut self, trace: &Trace, index: usize, place: Place) {
        self.last = index;
        self.count += usize::from(!trace.steps[index].note);
        if let Place::InCrate(name) = place
            && !self.whose.contains(&name)
        {
            self.whose.push(name);
        }
    }
}

fn fold_spins(trace: &Trace, rows: &[Row], required: &BTreeSet<usize>) -> Vec<Row> {
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
            let is_again = |index: usize| {
                !required.contains(&first(&rest[index]))
                    && same(&rest[index], &rest[index - length])
            };
            let repeats = (length..rest.len())
                .take_while(|&index| is_again(index))
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
            let last = match rows[at + length * turns - 1] {
                Row::Step(last) if place + 1 == length => last,
                _ => step,
            };
            out.push(Row::Spin {
                step,
                last,
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

/// The lines of the steps that are wanted, and of what those depend on most, if there are too many.
fn nearest(trace: &Trace, names: &Names, rows: Vec<Row>, wanted: &Wanted) -> Vec<Row> {
    // Only lines of which each is about a step count.
    let weight = |row: &Row| usize::from(matches!(row, Row::Step(_) | Row::Spin { .. }));
    if rows.iter().map(weight).sum::<usize>() <= SHORT {
        return rows;
    }
    let of_row = |row: &Row| {
        let (first, last) = steps(row)?;
        let lane = |step: usize| names.lane(trace.steps[step].worker);
        let own = (first..=last).filter(move |&step| lane(step) == lane(first));
        own.filter_map(|step| wanted.rank(trace, names, step)).min()
    };
    let mut ranked: Vec<_> = (0..rows.len())
        .filter_map(|place| Some((of_row(&rows[place])?, Reverse(place))))
        .collect();
    ranked.sort_unstable();
    let required = ranked.partition_point(|((is_other, _), _)| !is_other);
    ranked.truncate(SHORT.max(required));
    let marks = describe::all_overwrites(trace);
    let mut is_shown = vec![false; rows.len()];
    let places = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| !matches!(row, Row::Print(_)))
        .map(|(place, row)| (first(row), place));
    let places: BTreeMap<usize, usize> = places.collect();
    let mut next: Vec<usize> = ranked
        .into_iter()
        .map(|(_, Reverse(place))| place)
        .collect();
    while let Some(place) = next.pop() {
        is_shown[place] = true;
        // Its mark names another step.
        if let Row::Step(step) = rows[place]
            && let Some(lost) = marks[step]
        {
            let place = places.get(&lost).copied();
            next.extend(place.filter(|&place| !is_shown[place]));
        }
    }
    // A line for the executor stays with the task's that it leads to, and takes no more room than a gap.
    for place in (0..rows.len()).rev() {
        let is_next = is_shown.get(place + 1).copied().unwrap_or(false);
        let is_before = place.checked_sub(1).is_none_or(|before| is_shown[before]);
        let is_led_to = matches!(rows[place], Row::Executor { .. }) && is_next;
        let is_marked = |row: &Row| match row {
            Row::Step(step) => marks[*step].is_some(),
            _ => false,
        };
        let is_alone = is_next && is_before && size(&rows[place]) == 1 && !is_marked(&rows[place]);
        is_shown[place] |= is_led_to || is_alone;
    }
    // So does a line that was printed just before or after one that is shown.
    let prints: Vec<usize> = (0..rows.len())
        .filter(|&place| is_print(&rows[place]))
        .collect();
    let is_near = |place: usize| {
        let before = (0..place).rev().find(|&other| !is_print(&rows[other]));
        let after = (place..rows.len()).find(|&other| !is_print(&rows[other]));
        before.into_iter().chain(after).any(|other| is_shown[other])
    };
    let near: Vec<usize> = prints.into_iter().filter(|&place| is_near(place)).collect();
    for place in near {
        is_shown[place] = true;
    }
    with_gaps(rows, &is_shown)
}

/// The rows of the workers that are wanted, if they have room in columns, and all have not.
fn of_those_that_matter(
    trace: &Trace,
    names: &Names,
    rows: Vec<Row>,
    required: &BTreeSet<usize>,
) -> Vec<Row> {
    let lane = |step: usize| names.lane(trace.steps[step].worker);
    let of_row = |row: &Row| match row {
        Row::Step(_) | Row::Spin { .. } | Row::Folded(_) => Some(lane(first(row))),
        Row::Print(print) => Some(names.lane(trace.prints[*print].worker)),
        Row::Executor { .. } | Row::Gap(_) | Row::Preempted { .. } => None,
    };
    let all: BTreeSet<u32> = rows.iter().filter_map(of_row).collect();
    let matter = required.iter().map(|&step| lane(step)).chain([0]);
    let matter: BTreeSet<u32> = matter.collect();
    if all.len() <= MOST_COLUMNS || matter.len() > MOST_COLUMNS {
        return rows;
    }
    let is_shown = |row: &Row| of_row(row).is_none_or(|lane| matter.contains(&lane));
    let is_shown: Vec<bool> = rows.iter().map(is_shown).collect();
    with_gaps(rows, &is_shown)
}

/// The rows that are shown, and how many steps there are between them.
fn with_gaps(rows: Vec<Row>, is_shown: &[bool]) -> Vec<Row> {
    let mut out = Vec::new();
    let mut gap = 0;
    for (row, &is_shown) in rows.into_iter().zip(is_shown) {
        if is_shown {
            if gap > 0 {
                out.push(Row::Gap(std::mem::take(&mut gap)));
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

fn with_preemptions(trace: &Trace, names: &Names, rows: &[Row]) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::with_capacity(rows.len());
    let lane = |step: usize| names.lane(trace.steps[step].worker);
    for (place, row) in rows.iter().enumerate() {
        let before = rows[..place].iter().rfind(|row| !is_print(row));
        let before = before.and_then(steps);
        let next = match row {
            Row::Executor { .. } => rows.get(place + 1).and_then(steps),
            row => steps(row),
        };
        if let (Some((_, last)), Some((next, _))) = (before, next)
            && lane(last) != lane(next)
            && is_preemption(trace, last)
        {
            let (from, to) = (trace.steps[last].worker, trace.steps[next].worker);
            // The next worker's prints before this step are after the switch.
            let is_of_next = |row: &&Row| match row {
                Row::Print(print) => names.lane(trace.prints[*print].worker) == lane(next),
                _ => false,
            };
            let printed = out.iter().rev().take_while(is_of_next).count();
            out.insert(out.len() - printed, Row::Preempted { from, to });
        }
        out.push(row.clone());
    }
    out
}

/// The first and the last step of a line in somebody's column.
fn steps(row: &Row) -> Option<(usize, usize)> {
    match row {
        Row::Step(step) => Some((*step, *step)),
        Row::Spin { step, last, .. } => Some((*step, *last)),
        Row::Folded(stretch) => Some((stretch.first, stretch.last)),
        Row::Executor { .. } | Row::Print(_) | Row::Gap(_) | Row::Preempted { .. } => None,
    }
}

fn is_print(row: &Row) -> bool {
    matches!(row, Row::Print(_))
}

/// The first step of a line.
pub(super) fn first(row: &Row) -> usize {
    match row {
        Row::Step(step) | Row::Spin { step, .. } => *step,
        Row::Folded(stretch) | Row::Executor { stretch, .. } => stretch.first,
        Row::Print(_) | Row::Gap(_) | Row::Preempted { .. } => 0,
    }
}

fn size(row: &Row) -> usize {
    match row {
        Row::Step(_) | Row::Spin { times: None, .. } => 1,
        Row::Spin {
            times: Some(times), ..
        } => *times,
        Row::Folded(stretch) | Row::Executor { stretch, .. } => stretch.count,
        Row::Gap(count) => *count,
        Row::Print(_) | Row::Preempted { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::Source;
    use super::*;
    use crate::sample::{step, trace};

    fn names(trace: &Trace) -> Names {
        Names::of(trace, &Source::new(std::path::Path::new("/nowhere")))
    }

    fn wanted(trace: &Trace, failing: usize) -> Wanted {
        Wanted::from(trace, &names(trace), BTreeSet::from([failing]))
    }

    fn laid_out(trace: &Trace, failing: usize, detail: Detail) -> Vec<Row> {
        let last = trace.steps.len() - 1;
        rows(trace, &names(trace), &wanted(trace, failing), last, detail)
    }

    #[test]
    fn steps_of_others_are_folded() {
        let steps = [
            step(0, Operation::Load, "src/a.rs"),
            step(0, Operation::Load, "/registry/src/i/dep-1.0.0/src/lib.rs"),
            step(0, Operation::Store, "/registry/src/i/dep-1.0.0/src/lib.rs"),
            step(0, Operation::Load, "src/a.rs"),
        ];
        let trace = trace(&steps);
        let folded = Row::Folded(Stretch {
            first: 1,
            last: 2,
            count: 2,
            whose: vec!["dep".to_owned()],
            is_one_call: false,
        });
        assert_eq!(
            laid_out(&trace, 3, Detail::Around),
            [Row::Step(0), folded, Row::Step(3)]
        );
        assert_eq!(laid_out(&trace, 3, Detail::Full).len(), 4);
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
                last: 1,
                times: Some(5),
            },
            Row::Spin {
                step: 2,
                last: 10,
                times: None,
            },
            Row::Step(11),
        ];
        assert_eq!(laid_out(&trace(&steps), 11, Detail::Around), expected);
    }

    #[test]
    fn of_a_long_trace_the_steps_before_its_failure_are_shown() {
        let files: Vec<String> = (0..100).map(|n| format!("src/{n}.rs")).collect();
        let steps: Vec<_> = files
            .iter()
            .map(|file| step(0, Operation::Load, file))
            .collect();
        let rows = laid_out(&trace(&steps), 50, Detail::Around);
        assert_eq!(rows.first(), Some(&Row::Gap(11)));
        assert_eq!(rows.last(), Some(&Row::Gap(49)));
        assert_eq!(rows.len(), SHORT + 2);
    }

    /// A trace whose workers 1 and 2 are tasks, polled by `main` but for steps that wake them.
    fn of_tasks(steps: &mut [(Step, String)]) -> Trace {
        for (step, _) in steps.iter_mut() {
            step.thread = (step.worker > 0).then_some(0);
        }
        let mut trace = trace(steps);
        for info in &mut trace.workers[1..] {
            info.kind = WorkerKind::Task;
        }
        trace
    }

    const EXECUTOR: &str = "/registry/src/i/executor-1.0.0/src/lib.rs";

    #[test]
    fn what_executors_do_between_tasks_is_one_line() {
        let mut steps = [
            step(1, Operation::Lock, "src/a.rs"),
            step(0, Operation::Poll, "src/a.rs"),
            step(0, Operation::Load, EXECUTOR),
            step(2, Operation::Await, "src/a.rs"),
            step(0, Operation::Load, EXECUTOR),
            step(2, Operation::Await, "src/a.rs"),
        ];
        steps[1].0.preempts = true;
        steps[3].0.outcome = Outcome::Woken;
        // Back on its stack, which is no step.
        steps[5].0.note = true;
        steps[5].0.outcome = Outcome::Done;
        let mut more = vec![step(1, Operation::Unlock, "src/a.rs")];
        more.splice(0..0, steps);
        let trace = of_tasks(&mut more);
        let stretch = Stretch {
            first: 1,
            last: 4,
            count: 4,
            whose: vec!["executor".to_owned()],
            is_one_call: false,
        };
        let expected = [
            Row::Step(0),
            Row::Preempted { from: 1, to: 2 },
            Row::Executor {
                stretch,
                next: Some(2),
            },
            Row::Step(5),
            Row::Step(6),
        ];
        assert_eq!(laid_out(&trace, 6, Detail::Around), expected);
        assert!(laid_out(&trace, 6, Detail::Full).len() > 6);
    }

    #[test]
    fn nothing_follows_the_last_step_that_matters() {
        let steps = [
            step(0, Operation::Load, "src/a.rs"),
            step(0, Operation::Panic, "src/a.rs"),
            step(0, Operation::Unlock, "src/a.rs"),
        ];
        let trace = trace(&steps);
        let rows = rows(
            &trace,
            &names(&trace),
            &wanted(&trace, 1),
            1,
            Detail::Around,
        );
        assert_eq!(rows, [Row::Step(0), Row::Step(1), Row::Gap(1)]);
    }
}
