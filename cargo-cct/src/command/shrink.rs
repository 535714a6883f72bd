//! `cargo cct shrink`: the same failure in a shorter schedule.

use std::time::Duration;

use anyhow::Context as _;
use cct::trace::Schedule;
use cct::verdict::BugKind;
use cct::wire::Shrunk;
use serde_json::json;

use super::rebuilt::Rebuilt;
use crate::cli::ShrinkArgs;
use crate::exit::Exit;
use crate::failure::{Record, Store};
use crate::report::{Json, Length, Report, shrinking};
use crate::run::{Finding, Repeats, Scratch, Stop, repeat, shrink};

/// The time if none is given.
const TIME: Duration = Duration::from_secs(5);

/// Said of a schedule's strategy when it was shrunk.
const SHRUNK: &str = ", then shrunk";

/// Does it.
pub(super) fn run(args: &ShrinkArgs) -> anyhow::Result<Exit> {
    let rebuilt = Rebuilt::new(&args.failure, &args.place, args.output)?;
    let (record, id) = (&rebuilt.record, &rebuilt.record.id);
    let kind = record.bug.as_ref().map(|bug| bug.kind);
    let kind = kind.with_context(|| format!("`{id}` is a schedule without a failure"))?;
    if let Some(reason) = reason_not_to(kind) {
        anyhow::bail!("`{id}` cannot be shrunk: {reason}");
    }
    anyhow::ensure!(
        !rebuilt.changed,
        "`{id}` cannot be shrunk: its test has changed since it was found; run `cargo cct test` again"
    );
    let store = Store::new(rebuilt.workspace.failures());
    let own = store.read(&id.to_string())?;
    anyhow::ensure!(
        own.schedule == record.schedule,
        "`{}` is not what is on record as `{id}`, which is what would be replaced: name it by its id",
        args.failure
    );
    let before = Report::of(record, &rebuilt.workspace.root).length();
    let before = before.with_context(|| format!("`{id}` has no trace: it never repeated"))?;
    let launch = rebuilt.launch();
    let scratch = Scratch::create(&rebuilt.workspace.target)
        .with_context(|| format!("cannot write to `{}`", rebuilt.workspace.target.display()))?;
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let configured = &rebuilt.executable().config;
    let timeout = args
        .hang_timeout
        .unwrap_or_else(|| configured.hang_timeout());
    let is_shown = !args.output.quiet && !args.output.json;
    let on_shorter = |executions| {
        if is_shown {
            anstream::eprintln!("{}", shrinking::progress(executions));
        }
    };
    let (time, around) = (args.time.unwrap_or(TIME), (&scratch, &stop));
    let found = shrink(
        &launch,
        &record.schedule,
        time,
        timeout,
        around,
        &on_shorter,
    )?;
    if let Some(bug) = &found.ended_by {
        anstream::eprintln!("{}", shrinking::ended_by(bug));
    }
    let Some(shortest) = found.shortest else {
        if stop.is_set() {
            return Ok(Exit::Interrupted);
        }
        anyhow::bail!(
            "`{id}` cannot be shrunk: the test does not fail where its schedule is followed worker by worker"
        );
    };
    let kept = keep_if_shorter(&rebuilt, &shortest, before, timeout, &scratch)?;
    let after = kept.unwrap_or(before);
    if args.output.json {
        let length = |of: Length| {
            json!({
                "preemptions": of.preemptions,
                "switches": of.switches,
                "steps": of.steps,
            })
        };
        let value = json!({
            "id": id,
            "from": length(before),
            "to": length(after),
            "executions": shortest.executions,
            "ended_by": found.ended_by,
        });
        Json::line("shrunk", value)?;
    } else if after == before {
        anstream::print!("{}", shrinking::nothing(before, shortest.executions));
    } else {
        let id = id.to_string();
        let text = shrinking::result(before, after, shortest.executions, &id);
        anstream::print!("{text}");
    }
    Ok(if stop.is_set() {
        Exit::Interrupted
    } else {
        Exit::Success
    })
}

/// Repeats the schedule, and writes the failure with it if it is shorter; returns its length then.
fn keep_if_shorter(
    rebuilt: &Rebuilt,
    shortest: &Shrunk,
    before: Length,
    hang_timeout: Duration,
    scratch: &Scratch,
) -> anyhow::Result<Option<Length>> {
    let (record, launch) = (&rebuilt.record, rebuilt.launch());
    let mut finding = Finding {
        iteration: record.iteration,
        bug: record.bug.clone(),
        schedule: Schedule {
            strategy: by(&record.schedule.strategy),
            ..shortest.schedule.clone()
        },
        trace: None,
        repeats: Repeats::Unknown,
        unobserved: Vec::new(),
        printed: String::new(),
        overrides: launch.overrides.clone(),
        defaults: launch.defaults.clone(),
    };
    // Also after an interrupt: nothing that was found is lost.
    let stop = Stop::default();
    let repeated = repeat(&launch, &finding.schedule, hang_timeout, scratch, &stop)?;
    finding.judge(repeated);
    let is_same = match (&record.bug, &finding.bug) {
        (Some(before), Some(after)) => before.is_same_as(after),
        _ => false,
    };
    anyhow::ensure!(
        is_same && finding.repeats == Repeats::Yes,
        "the schedule that was found does not come to the same failure in a fresh process, and is not kept: \
         something may not be under control"
    );
    let provenance = record.provenance.clone();
    let shrunk = Record::new(provenance, record.name.clone(), &finding);
    let after = Report::of(&shrunk, &rebuilt.workspace.root).length();
    let after = after.filter(|after| after.is_less_than(before));
    if after.is_some() {
        let store = Store::new(rebuilt.workspace.failures());
        if !record.schedule.strategy.ends_with(SHRUNK) {
            store.set_aside(&record.id)?;
        }
        let keeper = rebuilt.keeper();
        keeper.keep(record.name.clone(), rebuilt.index, &finding, Some(record))?;
        let kept = store.read(&record.id.to_string())?;
        anyhow::ensure!(
            kept.schedule == finding.schedule,
            "the shorter schedule could not be written; the one before is still there"
        );
    }
    Ok(after)
}

/// The strategy of a shrunk schedule, for people.
fn by(strategy: &str) -> String {
    let made_by = strategy.strip_suffix(SHRUNK).unwrap_or(strategy);
    format!("{made_by}{SHRUNK}")
}

/// Why failures of this kind are not shrunk; none if they are.
fn reason_not_to(kind: BugKind) -> Option<&'static str> {
    match kind {
        BugKind::Livelock | BugKind::Liveness => {
            Some("only a schedule in which everybody runs shows that something never happens")
        }
        BugKind::Exit
        | BugKind::Abort
        | BugKind::Signal
        | BugKind::StackOverflow
        | BugKind::BadMemory
        | BugKind::Hang
        | BugKind::Silence => Some("it ends the process, and each attempt would, too"),
        BugKind::Panic
        | BugKind::NoPanic
        | BugKind::ErrorReturned
        | BugKind::UnobservedPanic
        | BugKind::Deadlock
        | BugKind::LockCycle
        | BugKind::Safety => None,
    }
}
