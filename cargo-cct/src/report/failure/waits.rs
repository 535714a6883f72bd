//! The waits of workers, with the holders: the part of a report that explains a deadlock.

use cct::operation::Operation as Op;
use cct::trace::{Outcome, Step, Trace, WorkerKind};
use cct::verdict::{Bug, BugKind, Unpolled, Wait};

use super::actors;
use super::calls;
use super::layout::Layout;
use super::names::{self, Names, operation};
use super::origin::Origin;
use crate::report::style::{BAD, FAINT, paint};
use crate::report::words::{count, put};

/// The margin of a call.
const CALL: &str = "            ";

/// The wait-for list of a bug; empty when it is not about waiting.
pub(super) fn text(bug: &Bug, trace: Option<(&Trace, &Names)>, layout: &Layout) -> String {
    if bug.waits.is_empty() {
        return String::new();
    }
    let view = View { trace, layout };
    let mut out = format!("  {}\n", view.headline(bug));
    // The circle first, then those behind it; executors' threads are at rest, and nobody's fault.
    let (circle, rest): (Vec<_>, Vec<_>) = bug.waits.iter().partition(|wait| wait.in_cycle);
    let (idle, rest): (Vec<_>, Vec<_>) = rest.into_iter().partition(|wait| view.is_idle(wait));
    let (resting, rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|wait| view.is_at_rest(wait));
    let has_circle = !circle.is_empty();
    for wait in circle.into_iter().chain(rest) {
        let mut line = view.line(wait);
        if has_circle && !wait.in_cycle {
            let trace = trace.map(|(trace, _)| trace);
            let keeps_out = trace.is_some_and(|trace| keeps_readers_out(bug, trace, wait));
            let part = if keeps_out {
                "  (keeps new readers out)"
            } else {
                "  (not part of the circle)"
            };
            line.push_str(&paint(FAINT, part));
        }
        put!(out, "    {line}\n");
        out.push_str(&view.calls(wait));
    }
    if !idle.is_empty() {
        put!(out, "    {}\n", paint(FAINT, &view.idle(&idle)));
    }
    if !resting.is_empty() {
        put!(out, "    {}\n", paint(FAINT, &view.resting(&resting)));
    }
    out
}

/// A wait as it is shown.
struct View<'a> {
    trace: Option<(&'a Trace, &'a Names)>,
    layout: &'a Layout,
}

impl View<'_> {
    fn headline(&self, bug: &Bug) -> String {
        let held_back = |wait: &&Wait| wait.task == Some(Unpolled::HeldBack);
        let held = bug.waits.iter().filter(held_back).count() as u64;
        let idle = bug.waits.iter().filter(|wait| self.is_idle(wait)).count() as u64;
        let spinning = bug.waits.iter().filter(|wait| wait.spins).count() as u64;
        let is_task = |wait: &&Wait| wait.task.is_some() && !self.is_root(wait.worker);
        let held_roots = |wait: &&Wait| held_back(wait) && self.is_root(wait.worker);
        let held_roots = bug.waits.iter().filter(held_roots).count() as u64;
        let tasks = bug.waits.iter().filter(is_task).count() as u64 + held_roots - held;
        let resting = bug
            .waits
            .iter()
            .filter(|wait| self.is_at_rest(wait))
            .count() as u64;
        let workers = bug.waits.len() as u64 - held - idle - spinning - tasks - resting;
        let mut kinds = Vec::new();
        if workers > 0 || tasks == 0 {
            kinds.push(count(workers, "worker"));
        }
        if tasks > 0 {
            kinds.push(count(tasks, "task"));
        }
        let stuck = kinds.join(" and ");
        let verb = if workers + tasks == 1 {
            "waits"
        } else {
            "wait"
        };
        let mut headline = match bug.kind {
            BugKind::LockCycle => {
                format!("{stuck} {verb} in a circle, while others can still run")
            }
            BugKind::Liveness => format!("{stuck} {verb} at that moment"),
            _ if spinning > 0 => format!(
                "{stuck} {verb}, and {} only {}",
                count(spinning, "worker"),
                if spinning == 1 { "spins" } else { "spin" }
            ),
            _ => format!("{stuck} can never run again"),
        };
        if held > 0 {
            put!(headline, "; {} held back", count(held, "task"));
        }
        headline
    }

    /// True for a thread that polls tasks and has none to poll.
    fn is_idle(&self, wait: &Wait) -> bool {
        self.trace.is_some_and(|(trace, _)| is_idle(trace, wait))
    }

    /// True for an actor that has nothing to do.
    fn is_at_rest(&self, wait: &Wait) -> bool {
        self.trace
            .is_some_and(|(trace, _)| actors::is_at_rest(trace, wait))
    }

    /// The actors that have nothing to do, with their states.
    fn resting(&self, waits: &[&Wait]) -> String {
        let states = waits.iter().map(|wait| {
            let (name, trace) = (self.worker(wait.worker), self.trace);
            let state = trace.and_then(|(trace, _)| {
                let state = actors::state(trace, wait.worker, trace.steps.len())?;
                Some(format!("{name} in {state}"))
            });
            state.unwrap_or(name)
        });
        let names: Vec<String> = states.collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        format!("{} {have} no event to handle", names.join(", "))
    }

    fn idle(&self, waits: &[&Wait]) -> String {
        let drives = |thread: u32| {
            let workers = self.trace.map(|(trace, _)| &trace.workers[..]);
            let mut workers = workers.unwrap_or_default().iter();
            workers.any(|info| info.kind == WorkerKind::Root(thread))
        };
        let names = waits.iter().map(|wait| match self.worker(wait.worker) {
            name if drives(wait.worker) => format!("{name}'s executor"),
            name => name,
        });
        let names: Vec<String> = names.collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        format!("{} {have} nothing to poll", names.join(", "))
    }

    fn is_root(&self, worker: u32) -> bool {
        let kind = self.trace.map(|(_, names)| names.kind(worker));
        matches!(kind, Some(WorkerKind::Root(_)))
    }

    fn line(&self, wait: &Wait) -> String {
        let (rule, arrow) = (self.layout.pick("──", "--"), self.layout.pick("─▶", "->"));
        let who = paint(BAD, &format!("{:<5}", self.worker(wait.worker)));
        if let Some(how) = wait.task {
            return format!("{who} {}", self.task(wait, how));
        }
        let verb = if wait.spins { "spins on" } else { "waits for" };
        // The wait is in a dependency; the user waits at the call into it.
        let site = wait.caller.as_ref().unwrap_or(&wait.site);
        let object = self.object(wait);
        let mut text = format!("{who} {site} {rule} {verb} {arrow} {object}");
        if let Some(holder) = wait.holder {
            if !is_join(wait) {
                let holder = self.worker(holder);
                put!(text, " {rule} held by {arrow} {holder}");
            }
            if let Some((step, site)) = self.acquired(wait, holder) {
                put!(text, ", since {site} (step {step})");
            }
        }
        text
    }

    /// The calls, or the awaits, by which the user's code comes to the wait.
    fn calls(&self, wait: &Wait) -> String {
        let Some((trace, _)) = self.trace else {
            return String::new();
        };
        let at = wait.caller.as_ref().unwrap_or(&wait.site);
        let text = if wait.task.is_some() {
            calls::awaits(trace, wait.worker, at, CALL)
        } else {
            calls::own(trace, wait.worker, at, CALL)
        };
        paint(FAINT, &text)
    }

    /// The state of a task that nobody polls.
    fn task(&self, wait: &Wait, how: Unpolled) -> String {
        let site = wait.caller.as_ref().unwrap_or(&wait.site);
        // A future that a thread blocks on goes by the thread's name, which stands before.
        let title = if self.is_root(wait.worker) {
            String::new()
        } else {
            format!("{} ", self.title(wait.worker))
        };
        let since = |is_it: &dyn Fn(&Step) -> bool| {
            let (trace, names) = self.trace?;
            let of_task = |step: &Step| step.worker == wait.worker && is_it(step);
            let found = trace.steps.iter().rposition(of_task)?;
            Some(format!(", since step {}", names.step(found)))
        };
        let waits = |step: &Step| step.outcome == Outcome::Waits;
        let woken = |step: &Step| step.outcome == Outcome::Woken;
        let (what, since) = match how {
            Unpolled::Awaits => (format!("waits at {site} (await)"), since(&waits)),
            Unpolled::Never => ("has never been polled".to_owned(), None),
            Unpolled::HeldBack => (format!("is held back at {site}: it could go on"), None),
            Unpolled::Woken => (
                format!("was woken at {site}, and not polled"),
                since(&woken),
            ),
        };
        format!("{title}{what}{}", since.unwrap_or_default())
    }

    fn worker(&self, worker: u32) -> String {
        match self.trace {
            Some((_, names)) => names.worker(worker),
            None => names::worker(worker),
        }
    }

    fn title(&self, worker: u32) -> String {
        match self.trace {
            Some((_, names)) => names.title(worker),
            None => format!("task {worker}"),
        }
    }

    /// The object that is waited for.
    fn object(&self, wait: &Wait) -> String {
        let op = Op::from_code(wait.operation);
        if is_join(wait) {
            return match wait.holder {
                Some(worker) => format!("the end of {}", self.worker(worker)),
                None => "the end of a thread".to_owned(),
            };
        }
        match op {
            Some(Op::ScopeEnd) => return "the end of its scope's threads".to_owned(),
            Some(Op::Park) => return "an unpark".to_owned(),
            Some(Op::Sleep) => return "time to pass".to_owned(),
            Some(Op::Dequeue) => return "an event".to_owned(),
            Some(Op::Tick) => return "its time".to_owned(),
            _ => {}
        }
        let known = self.trace.and_then(|(trace, names)| {
            let number = number(wait, trace)?;
            let first = trace
                .steps
                .iter()
                .find(|step| step.object == Some(number))?;
            Some(format!("{} `{}`", names::kind(first), names.object(number)))
        });
        known.unwrap_or_else(|| format!("`{}`", op.map_or("an object", Op::name)))
    }

    /// The step by which the holder came to hold the object, and where.
    fn acquired(&self, wait: &Wait, holder: u32) -> Option<(usize, String)> {
        let (trace, names) = self.trace?;
        let step = acquired(trace, wait, holder)?;
        let site = names::site(trace, &trace.steps[step])?;
        Some((names.step(step), site.to_string()))
    }
}

/// True for a thread that polls tasks and has none to poll.
pub(super) fn is_idle(trace: &Trace, wait: &Wait) -> bool {
    if wait.task.is_some() {
        return false;
    }
    let polls = |step: &Step| step.thread == Some(wait.worker);
    let is_foreign = Origin::of(&wait.site) != Origin::User;
    let spawned = usize::try_from(wait.worker)
        .ok()
        .and_then(|index| trace.workers.get(index));
    let spawned = spawned.and_then(|info| info.spawned_at.as_ref());
    let has_tasks = trace
        .workers
        .iter()
        .any(|info| info.kind != WorkerKind::Thread);
    let is_executors = trace.steps.iter().any(polls)
        || has_tasks && spawned.is_some_and(|site| Origin::of(site) != Origin::User);
    is_foreign && is_executors && !wait.in_cycle && !wait.spins && wait.holder.is_none()
}

/// The step by which the holder came to hold the object that is waited for.
pub(super) fn acquired(trace: &Trace, wait: &Wait, holder: u32) -> Option<usize> {
    let number = number(wait, trace)?;
    trace.steps.iter().rposition(|step| {
        step.worker == holder
            && step.object == Some(number)
            && step.outcome == Outcome::Done
            && operation(step).is_some_and(takes)
    })
}

/// True if the wait to write is the reason why one of a circle does not get a lock that others hold to read.
pub(super) fn keeps_readers_out(bug: &Bug, trace: &Trace, wait: &Wait) -> bool {
    let is_for = |wait: &Wait, op: Op| Op::from_code(wait.operation) == Some(op);
    let is_kept_out = |other: &&Wait| {
        let taken = other
            .holder
            .and_then(|holder| acquired(trace, other, holder));
        let taken = taken.and_then(|step| operation(&trace.steps[step]));
        let is_read = matches!(taken, Some(Op::Read | Op::TryRead));
        other.in_cycle && other.address == wait.address && is_for(other, Op::Read) && is_read
    };
    !wait.in_cycle && is_for(wait, Op::Write) && bug.waits.iter().any(|wait| is_kept_out(&wait))
}

/// True for an operation after which somebody holds its object.
fn takes(op: Op) -> bool {
    op.takes_lock() || op.tries_lock() || op == Op::CallOnce
}

fn is_join(wait: &Wait) -> bool {
    Op::from_code(wait.operation) == Some(Op::Join)
}

/// The object's number: by the engine's word, else by its address.
pub(super) fn number(wait: &Wait, trace: &Trace) -> Option<u32> {
    wait.object.or_else(|| {
        let found = trace
            .objects
            .iter()
            .position(|object| object.address == wait.address)?;
        u32::try_from(found).ok()
    })
}

#[cfg(test)]
mod tests {
    use cct::trace::Site;

    use super::super::source::Source;
    use super::*;
    use crate::sample::{step, trace};

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
            task: None,
            caller: None,
        };
        let bug = Bug {
            waits: vec![wait(1, 1, 2), wait(2, 0, 1)],
            ..Bug::new(BugKind::Deadlock, String::new(), None, None)
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

    #[test]
    fn tasks_that_nobody_polls_are_told_apart() {
        let mut steps = [
            step(0, Op::Spawn, "src/a.rs"),
            step(1, Op::Lock, "src/a.rs"),
            step(1, Op::Await, "src/b.rs"),
            step(4, Op::Start, "src/b.rs"),
        ];
        (steps[2].0.note, steps[2].0.outcome) = (true, Outcome::Waits);
        steps[3].0.outcome = Outcome::Woken;
        let mut trace = trace(&steps);
        let site = Site {
            file: "src/b.rs".to_owned(),
            line: 1,
            column: 9,
        };
        for info in &mut trace.workers[1..] {
            (info.kind, info.spawned_at) = (WorkerKind::Task, Some(site.clone()));
        }
        let wait = |worker, task| Wait {
            worker,
            operation: steps[2].0.operation,
            address: 0,
            object: None,
            site: site.clone(),
            holder: None,
            spins: false,
            in_cycle: false,
            task: Some(task),
            caller: None,
        };
        let waits = [
            Unpolled::Awaits,
            Unpolled::Never,
            Unpolled::HeldBack,
            Unpolled::Woken,
        ];
        let bug = Bug {
            waits: (1..).zip(waits).map(|(n, how)| wait(n, how)).collect(),
            ..Bug::new(BugKind::Livelock, String::new(), None, None)
        };
        let names = Names::of(&trace, &Source::new(std::path::Path::new("/nowhere")));
        let layout = Layout {
            width: 120,
            unicode: false,
        };
        let text = text(&bug, Some((&trace, &names)), &layout);
        let expected = "  3 tasks can never run again; 1 task held back
    w1    task 1 spawned at b.rs:1 waits at src/b.rs:1:9 (await), since step 2
    w2    task 2 spawned at b.rs:1 has never been polled
    w3    task 3 spawned at b.rs:1 is held back at src/b.rs:1:9: it could go on
    w4    task 4 spawned at b.rs:1 was woken at src/b.rs:1:9, and not polled, since step 3
";
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), expected);
    }
}
