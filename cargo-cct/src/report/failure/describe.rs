//! A step, in a few words.

use std::collections::BTreeMap;

use cct::operation::Operation as Op;
use cct::trace::{MemoryOrder, Outcome, Step, Trace, Value, WorkerKind};

use super::actors;
use super::names::{Names, operation};
use crate::report::words::list;

/// A step in words.
pub(super) fn step(trace: &Trace, names: &Names, index: usize) -> String {
    let step = &trace.steps[index];
    if operation(step) == Some(Op::Panic) {
        return "✗ panics".to_owned();
    }
    let mut text = action(trace, names, index);
    if is_of_actor(step) {
        return match step.outcome {
            Outcome::Waits => format!("waits {text}"),
            _ => text,
        };
    }
    if let Some(op) = operation(step).filter(|_| names.call(step).is_none()) {
        text.push_str(&values(step, op));
    }
    text.push_str(ending(trace, index));
    text
}

/// True for what an actor or a timer does: its words say how it ended, and its values are numbers of events.
fn is_of_actor(step: &Step) -> bool {
    matches!(operation(step), Some(Op::Enqueue | Op::Dequeue | Op::Tick))
}

/// The step without its values and how it ended.
pub(super) fn action(trace: &Trace, names: &Names, index: usize) -> String {
    let step = &trace.steps[index];
    let Some(op) = operation(step) else {
        return format!("operation {}", step.operation);
    };
    if let Some(call) = names.call(step) {
        return call.to_owned();
    }
    match (label(trace, step), step.object) {
        (Some(label), Some(_)) if op == Op::Dequeue && actors::only_ignores(trace, index) => {
            label.to_owned()
        }
        (Some(label), Some(_)) if matches!(op, Op::Enqueue | Op::Dequeue) => {
            format!("{} {label}", op.name())
        }
        (Some(label), Some(object)) => format!("{}.{label}", names.object(object)),
        (Some(label), None) if matches!(op, Op::Custom | Op::End | Op::Transition) => {
            label.to_owned()
        }
        (Some(label), None) if op == Op::Await => {
            format!("{} {label}", subject(names, index, step, op))
        }
        (Some(label), None) => format!("{} {label}", op.name()),
        (None, _) => subject(names, index, step, op),
    }
}

/// How the step ended.
fn ending(trace: &Trace, index: usize) -> &'static str {
    match trace.steps[index].outcome {
        Outcome::Done if goes_on(trace, index) => " … goes on",
        Outcome::Done if offers(trace, index) => " … offers",
        Outcome::Done => "",
        Outcome::Woken => " … is woken",
        Outcome::Refused => " ✗",
        Outcome::Waits => " … waits",
        Outcome::TimedOut => " … timed out",
    }
}

/// True if the message goes from hand to hand, and nobody has taken it yet: the sender waits for that next.
fn offers(trace: &Trace, index: usize) -> bool {
    let step = &trace.steps[index];
    let mut after = trace.steps[index + 1..].iter();
    let next = after.find(|next| next.worker == step.worker);
    let waits = next.is_some_and(|next| {
        next.operation == Op::Offer as u8
            && next.object == step.object
            && next.outcome == Outcome::Waits
    });
    step.operation == Op::Send as u8 && waits
}

/// True if a task goes on after an await for which it waited.
pub(super) fn goes_on(trace: &Trace, index: usize) -> bool {
    let step = &trace.steps[index];
    if operation(step) != Some(Op::Await) {
        return false;
    }
    let before = trace.steps[..index].iter().rev();
    let mut before = before.filter(|other| other.worker == step.worker);
    let last = before.find(|other| other.outcome != Outcome::Woken);
    last.is_some_and(|last| {
        (operation(last), last.outcome, last.site) == (Some(Op::Await), Outcome::Waits, step.site)
    })
}

/// The program's own label of the step.
pub(super) fn label<'a>(trace: &'a Trace, step: &Step) -> Option<&'a str> {
    let index = usize::try_from(step.label?).ok()?;
    trace.labels.get(index).map(String::as_str)
}

/// The object and what is done to it.
fn subject(names: &Names, index: usize, step: &Step, op: Op) -> String {
    let of_worker = |worker: Option<u32>| match worker {
        Some(worker) => format!("{} {}", op.name(), names.worker(worker)),
        None => op.name().to_owned(),
    };
    match op {
        Op::Spawn => of_worker(names.child(index)),
        Op::Join | Op::IsFinished | Op::Unpark => {
            of_worker(step.object.and_then(|object| names.owner(object)))
        }
        Op::Await => match names.awaited(step) {
            Some(awaited) => format!("{awaited}.await"),
            None => op.name().to_owned(),
        },
        Op::Dequeue if step.outcome == Outcome::Waits => "for an event".to_owned(),
        Op::Dequeue => "looks for an event".to_owned(),
        Op::Tick if step.outcome == Outcome::Waits => "for its time".to_owned(),
        Op::Tick if step.outcome == Outcome::TimedOut => "runs out".to_owned(),
        Op::Tick => "runs out early".to_owned(),
        Op::Poll => "goes on with other tasks".to_owned(),
        // In its thread's column an end would look like the thread's.
        Op::End if matches!(names.kind(step.worker), WorkerKind::Root(_)) => {
            "the future is ready".to_owned()
        }
        Op::Fence if let Some(of) = step.order => format!("{}({})", op.name(), order(of)),
        op if op.stands_alone() => op.name().to_owned(),
        op if op.is_plain()
            && let Some(object) = step.object =>
        {
            format!("{} {}", op.name(), names.object(object))
        }
        _ => match step.object {
            Some(object) => format!("{}.{}", names.object(object), op.method()),
            None => op.name().to_owned(),
        },
    }
}

/// The ordering of an atomic operation, as std calls it.
pub(super) fn order(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => "Relaxed",
        MemoryOrder::Acquire => "Acquire",
        MemoryOrder::Release => "Release",
        MemoryOrder::AcqRel => "AcqRel",
        MemoryOrder::SeqCst => "SeqCst",
    }
}

fn values(step: &Step, op: Op) -> String {
    match (step.read, step.written) {
        (Some(read), None) => match &step.older {
            Some(older) => format!(" → {}, older than {}", value(read), value(older.latest)),
            None => format!(" → {}", value(read)),
        },
        (None, Some(written)) if op == Op::Store => format!(" {}", value(written)),
        (None, Some(written)) => format!(" ← {}", value(written)),
        (Some(read), Some(written)) => format!(" {} → {}", value(read), value(written)),
        (None, None) => String::new(),
    }
}

/// Numbers from here on are rather addresses, with marks in their last bits, than counts.
const ADDRESSES: u64 = 1 << 44;

/// A value; numbers that are counters gone below zero, or addresses, are easier to read as such.
pub(super) fn value(value: Value) -> String {
    match value {
        Value::Unsigned(bits) if bits > u64::MAX - 1024 => {
            format!("-{} as unsigned", u64::MAX - bits + 1)
        }
        Value::Unsigned(bits) if (ADDRESSES..ADDRESSES << 3).contains(&bits) => {
            Value::Pointer(bits).to_string()
        }
        value => value.to_string(),
    }
}

/// The effect of a step on the values of its object, for the citation of its line.
pub(super) fn effect(trace: &Trace, step: &Step) -> String {
    let Some(op) = operation(step) else {
        return String::new();
    };
    match (step.outcome, step.read, step.written) {
        (Outcome::Waits, ..) => "waits".to_owned(),
        _ if is_of_actor(step) => op.name().to_owned(),
        (Outcome::Woken, ..) => "is woken".to_owned(),
        (Outcome::TimedOut, ..) => "times out".to_owned(),
        (Outcome::Refused, Some(read), _) => format!("fails on {}", value(read)),
        (Outcome::Refused, None, _) => "fails".to_owned(),
        (_, Some(read), None) if op.is_choice() => format!("{} gives {}", op.name(), value(read)),
        (_, Some(read), None) => format!("reads {}", value(read)),
        (_, None, Some(written)) => format!("writes {}", value(written)),
        (_, Some(read), Some(written)) => format!("{} to {}", value(read), value(written)),
        (_, None, None) => match op {
            Op::Spawn => "spawns".to_owned(),
            Op::Join => "joins".to_owned(),
            Op::Panic => "panics".to_owned(),
            Op::Transition => {
                let word = label(trace, step).and_then(|label| label.split(' ').next());
                word.unwrap_or(op.name()).to_owned()
            }
            _ => op.name().to_owned(),
        },
    }
}

/// The workers that could have run when a time-out came early, of which the engine's own are none.
pub(super) fn ahead(trace: &Trace, names: &Names, step: &Step) -> String {
    let is_shown = |worker: &&u32| {
        let info = trace.workers.get(**worker as usize);
        info.is_none_or(|info| info.kind != WorkerKind::WakeUp)
    };
    let mut shown: Vec<u32> = step.ahead_of.iter().filter(is_shown).copied().collect();
    shown.sort_unstable();
    let shown = shown.into_iter().map(|worker| names.worker(worker));
    let mut shown: Vec<String> = shown.collect();
    shown.dedup();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    match &*shown {
        [] => "others".to_owned(),
        shown => list(shown),
    }
}

/// The step that a store undoes without having seen it: the latest write by another worker since
/// this worker last read the object, if it has not written to it after that.
pub(super) fn overwrites(trace: &Trace, index: usize) -> Option<usize> {
    let step = &trace.steps[index];
    if operation(step) != Some(Op::Store) {
        return None;
    }
    let same = |other: &Step| other.object == step.object;
    let read = trace.steps[..index]
        .iter()
        .rposition(|other| same(other) && other.worker == step.worker && other.read.is_some())?;
    let is_write = |other: &Step| same(other) && other.written.is_some();
    let mut since = trace.steps[read + 1..index].iter();
    if since.any(|other| is_write(other) && other.worker == step.worker) {
        return None;
    }
    let written = read + trace.steps[read..index].iter().rposition(is_write)?;
    (trace.steps[written].worker != step.worker).then_some(written)
}

/// The same for each step of a trace.
pub(super) fn all_overwrites(trace: &Trace) -> Vec<Option<usize>> {
    let mut reads = BTreeMap::new();
    let mut writes = BTreeMap::new();
    let steps = trace.steps.iter().enumerate();
    let found = steps.map(|(index, step)| {
        let object = step.object?;
        let lost = writes.get(&object).copied().filter(|&(write, worker)| {
            let read = reads.get(&(step.worker, object));
            worker != step.worker && read.is_some_and(|&read: &usize| read <= write)
        });
        if step.read.is_some() {
            reads.insert((step.worker, object), index);
        } else if step.written.is_some() {
            reads.remove(&(step.worker, object));
        }
        if step.written.is_some() {
            writes.insert(object, (index, step.worker));
        }
        let stores = matches!(operation(step), Some(Op::Store | Op::MemoryWrite));
        let (write, _) = lost.filter(|_| stores)?;
        Some(write)
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{step as sample, trace};

    #[test]
    fn a_lost_update_is_pointed_out() {
        let mut steps = [(0, Op::Load), (1, Op::Load), (1, Op::Store), (0, Op::Store)]
            .map(|(worker, op)| sample(worker, op, "src/a.rs"));
        for (step, _) in &mut steps {
            let is_store = operation(step) == Some(Op::Store);
            *(if is_store {
                &mut step.written
            } else {
                &mut step.read
            }) = Some(Value::Unsigned(7));
        }
        let trace = trace(&steps);
        assert_eq!(overwrites(&trace, 3), Some(2));
        assert_eq!(overwrites(&trace, 2), None);
        assert_eq!(overwrites(&trace, 1), None);
        assert_eq!(all_overwrites(&trace), [None, None, None, Some(2)]);
    }

    #[test]
    fn steps_are_described_with_their_values() {
        let mut steps = [
            sample(0, Op::FetchAdd, "src/a.rs"),
            sample(0, Op::Lock, "src/b.rs"),
        ];
        steps[0].0.read = Some(Value::Unsigned(1));
        steps[0].0.written = Some(Value::Unsigned(2));
        steps[1].0.outcome = Outcome::Waits;
        let trace = trace(&steps);
        let source = super::super::source::Source::new(std::path::Path::new("/nowhere"));
        let names = Names::of(&trace, &source);
        assert_eq!(step(&trace, &names, 0), "atomic.fetch_add 1 → 2");
        assert_eq!(step(&trace, &names, 1), "atomic.lock … waits");
    }
}
