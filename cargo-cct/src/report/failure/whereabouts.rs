//! Where everybody was when the process, or the iteration, ended at once: the stacks of a crash.

use cct::operation::Operation;
use cct::trace::{AwaitPoint, Site, Trace, WorkerKind};
use cct::verdict::{Bug, BugKind};
use serde_json::{Value, json};

use super::calls;
use super::layout::Layout;
use super::names::{self, Names};
use crate::report::style::{BAD, FAINT, STRONG, WARN, paint};
use crate::report::words::{count, put};

/// The margin of a call.
const CALL: &str = "            ";
/// Of a deep stack so many calls are shown.
const MOST: usize = 8;

/// True if the workers were stopped wherever they were, and none of their waits is told otherwise.
pub(super) fn is_told(bug: &Bug) -> bool {
    use BugKind::{Abort, BadMemory, Exit, Hang, OutOfMemory, Signal, Silence, StackOverflow};
    let ends_at_once = matches!(
        bug.kind,
        Signal | Abort | Exit | StackOverflow | BadMemory | Hang | OutOfMemory | Silence
    );
    ends_at_once && bug.waits.is_empty()
}

/// A paragraph with a line for each worker that had not ended, and its calls below it; empty if no more is
/// known than the place of the failure.
pub(super) fn text(bug: &Bug, trace: &Trace, names: &Names, layout: &Layout) -> String {
    let mut out = String::new();
    let all: Vec<Whereabouts<'_>> = everybody(trace).collect();
    if !is_told(bug) || all.len() < 2 && !all.iter().any(Whereabouts::has_callers) {
        return out;
    }
    put!(out, "  {}\n", paint(STRONG, "where everybody was"));
    for one in &all {
        let is_at_fault = bug.worker == Some(one.worker);
        let colour = if is_at_fault { BAD } else { WARN };
        let who = paint(colour, &format!("{:<5}", names.worker(one.worker)));
        let mark = if is_at_fault {
            layout.pick(" ✗", " x")
        } else {
            ""
        };
        put!(out, "    {who} {}{mark}\n", one.place());
        out.push_str(&paint(FAINT, &one.callers()));
    }
    out
}

/// The same for programs.
pub(super) fn json(bug: &Bug, trace: &Trace) -> Option<Value> {
    let each = |one: Whereabouts<'_>| {
        json!({
            "worker": names::worker(one.worker),
            "site": one.site(),
            "calls": calls::known(trace, one.worker),
            "awaits": one.awaits.iter().map(|point| &point.site).collect::<Vec<_>>(),
        })
    };
    is_told(bug).then(|| everybody(trace).map(each).collect())
}

/// A worker at the end.
struct Whereabouts<'a> {
    worker: u32,
    /// The user's calls that it is in, the innermost first, each at another line.
    calls: Vec<(&'a Site, &'a str)>,
    /// The awaits that a task is in, if nobody polls it.
    awaits: &'a [AwaitPoint],
    has_begun: bool,
}

impl Whereabouts<'_> {
    fn site(&self) -> Option<&Site> {
        let call = self.calls.first().map(|(site, _)| *site);
        call.or_else(|| self.awaits.last().map(|point| &point.site))
    }

    fn place(&self) -> String {
        if let [(site, function), ..] = self.calls[..] {
            return format!("{site} in {}", calls::function(function));
        }
        match self.awaits {
            [.., point] => format!(
                "awaits at {} in {}",
                point.site,
                calls::function(&point.body)
            ),
            [] if self.has_begun => "in code of others".to_owned(),
            [] => "has not begun".to_owned(),
        }
    }

    fn has_callers(&self) -> bool {
        self.calls.len() > 1
    }

    fn callers(&self) -> String {
        let mut out = String::new();
        let callers = self.calls.get(1..).unwrap_or_default();
        for (site, function) in callers.iter().take(MOST) {
            let function = calls::function(function);
            put!(out, "{CALL}called at {site} in {function}\n");
        }
        let more = callers.len().saturating_sub(MOST);
        if more > 0 {
            put!(out, "{CALL}… and {} more\n", count(more as u64, "call"));
        }
        out
    }
}

/// The workers that had not ended and of whom something is known.
fn everybody(trace: &Trace) -> impl Iterator<Item = Whereabouts<'_>> {
    let of_end = |worker: &u32| {
        let has_calls = !calls::known(trace, *worker).is_empty();
        let awaits = trace.awaits.iter().any(|awaits| awaits.worker == *worker);
        has_calls || awaits
    };
    let is_worker = |&worker: &u32| trace.workers[worker as usize].kind != WorkerKind::WakeUp;
    let all = (0..trace.workers.len() as u32).filter(is_worker);
    all.filter(of_end).map(|worker| {
        let awaits = trace.awaits.iter().find(|awaits| awaits.worker == worker);
        let steps = trace.steps.iter();
        let mut own = steps.filter(|step| step.worker == worker);
        Whereabouts {
            worker,
            calls: calls::users(calls::known(trace, worker)),
            awaits: awaits.map_or(&[], |awaits| &awaits.points),
            has_begun: own.any(|step| names::operation(step) != Some(Operation::Start)),
        }
    })
}
