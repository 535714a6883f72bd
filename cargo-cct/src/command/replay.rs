//! `cargo cct replay`: repeats a failure, checks every step, and reports it again.

use std::time::Duration;

use anyhow::Context as _;
use cct::comparison::Moves;
use cct::trace::{Schedule, Step, Trace, Value};
use cct::verdict::{Bug, Verdict};
use cct::wire::{Event, Replayed};
use serde_json::json;

use super::debug::{debug, write_entry};
use super::interactive::{Subject, lead};
use super::rebuilt::Rebuilt;
use crate::build::workspace::Workspace;
use crate::cli::ReplayArgs;
use crate::exit::Exit;
use crate::failure::{Record, Store};
use crate::report::{Detail, Json, Layout, Replay, Report, Stacks};
use crate::run::{
    Difference, Launch, Repeated, Scratch, Stop, difference, difference_of_versions, repeat,
    same_end, same_end_of_versions,
};

/// Does it.
pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<Exit> {
    let rebuilt = Rebuilt::new(&args.failure, (&args.place, &args.unpacked), args.output)?;
    let (record, workspace) = (&rebuilt.record, &rebuilt.workspace);
    let launch = rebuilt.launch();
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    if let Some(debugger) = &args.debugger {
        let (exit, last) = debug(debugger, &launch, record, &rebuilt.toolchain, &scratch)?;
        if let Some(Event::Replayed(replayed)) = last {
            tell_debugged(record, replayed, rebuilt.changed)?;
        }
        return Ok(exit);
    }
    if args.vscode {
        let folder = Store::new(rebuilt.workspace.failures()).folder_of(&record.id);
        let root = &workspace.root;
        let done = write_entry(&launch, record, &folder, root, &rebuilt.toolchain)?;
        anstream::print!("{done}");
        return Ok(Exit::Success);
    }
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let configured = rebuilt.executable().config_of(&record.name.test);
    let timeout = args
        .hang_timeout
        .unwrap_or_else(|| configured.hang_timeout());
    if args.interactive {
        return lead(&Subject {
            launch,
            name: record.name.clone(),
            executable: rebuilt.index,
            guide: Some(&record.schedule),
            hang_timeout: timeout,
            scratch: &scratch,
            stop: &stop,
            keeper: &rebuilt.keeper(),
        });
    }
    let judged = again(&launch, record, rebuilt.changed, timeout, &scratch, &stop)?;
    show(args, workspace, &judged, rebuilt.changed)?;
    let replay = judged.replay;
    Ok(match replay {
        Replay::Reproduced(_) if record.bug.is_some() => Exit::Failed,
        Replay::Reproduced(_) | Replay::Passes => Exit::Success,
        Replay::Diverged(_) | Replay::FailsOtherwise(_) | Replay::Unfinished => Exit::Diverged,
        Replay::Stopped => Exit::Interrupted,
    })
}

/// Says whether the execution that was debugged is the one on record.
fn tell_debugged(record: &Record, replayed: Replayed, changed: bool) -> anyhow::Result<()> {
    let ended = Repeated::Ended {
        replayed: Box::new(replayed),
        output: String::new(),
    };
    let judged = judge(record, ended, changed)?;
    let layout = Layout::of_terminal();
    anstream::print!("{}", judged.replay.text(record, changed, &layout));
    Ok(())
}

/// A replay, compared with what is on record.
pub(super) struct Judged {
    /// The result.
    pub(super) replay: Replay,
    /// The failure as it is on record, or where the program has changed as it is now.
    pub(super) record: Record,
    /// The bug to which the schedule led instead, and the schedule as it was followed.
    pub(super) found: Option<(Bug, Schedule)>,
    /// How that differs from what is on record, in sentences.
    changes: Vec<String>,
}

/// Repeats what is on record, in an executable that may have changed since.
pub(super) fn again(
    launch: &Launch<'_>,
    record: &Record,
    changed: bool,
    timeout: Duration,
    scratch: &Scratch,
    stop: &Stop,
) -> anyhow::Result<Judged> {
    let repeated = repeat(launch, &record.schedule, timeout, scratch, stop)?;
    judge(record, repeated, changed)
}

/// Compares what happened with what is on record.
fn judge(record: &Record, repeated: Repeated, changed: bool) -> anyhow::Result<Judged> {
    let as_recorded = |replay| Judged {
        replay,
        record: record.clone(),
        found: None,
        changes: Vec::new(),
    };
    let (replayed, output) = match repeated {
        Repeated::Stopped => return Ok(as_recorded(Replay::Stopped)),
        Repeated::Refused(reason) => anyhow::bail!("the test cannot be replayed: {reason}"),
        Repeated::Died { bug, .. } => {
            let is_same = same_end(record.bug.as_ref(), Some(&bug));
            if is_same {
                return Ok(as_recorded(Replay::Reproduced(0)));
            }
            return Ok(Judged {
                found: Some((bug.clone(), record.schedule.clone())),
                ..as_recorded(Replay::FailsOtherwise(bug.message))
            });
        }
        Repeated::Ended { replayed, output } => (replayed, output),
    };
    let empty = Trace::default();
    let recorded = record.trace.as_ref().unwrap_or(&empty);
    let by_engine = replayed.divergence.as_ref();
    let by_engine = by_engine.map(|engine| Difference::at(recorded, &replayed.trace, engine));
    let (by_steps, moves) = if record.trace.is_none() {
        (None, Moves::default())
    } else if changed {
        difference_of_versions(recorded, &replayed.trace)
    } else {
        (difference(recorded, &replayed.trace), Moves::default())
    };
    // The engine notices only what it cannot follow; the steps may have differed before. When they have not,
    // it knows why there are no more.
    let before = by_steps.filter(|difference| by_engine.is_none() || !difference.is_early_end);
    let found = match &replayed.verdict {
        Verdict::Failed(bug) if replayed.divergence.is_none() => {
            Some(((**bug).clone(), replayed.trace.schedule.clone()))
        }
        _ => None,
    };
    if let Some(difference) = before.or(by_engine) {
        return Ok(Judged {
            found,
            ..as_recorded(Replay::Diverged(Box::new(difference)))
        });
    }
    let is_same = |bug: &Bug| {
        if changed {
            same_end_of_versions(record.bug.as_ref(), Some(bug), &moves)
        } else {
            same_end(record.bug.as_ref(), Some(bug))
        }
    };
    let replay = match &replayed.verdict {
        Verdict::Failed(bug) if is_same(bug) => Replay::Reproduced(moves.count()),
        Verdict::Failed(bug) => Replay::FailsOtherwise(bug.message.clone()),
        Verdict::Passed | Verdict::CutOff if record.bug.is_none() => {
            Replay::Reproduced(moves.count())
        }
        Verdict::Passed => Replay::Passes,
        Verdict::CutOff => Replay::Unfinished,
    };
    let mut judged = as_recorded(replay);
    if changed && matches!(judged.replay, Replay::Reproduced(_)) {
        judged.changes = changes(record, recorded, &replayed);
        if let Verdict::Failed(bug) = replayed.verdict {
            judged.record.bug = Some(*bug);
        }
        judged.record.schedule.clone_from(&replayed.trace.schedule);
        judged
            .record
            .schedule
            .strategy
            .clone_from(&record.schedule.strategy);
        judged.record.trace = Some(replayed.trace);
        judged.record.printed = output;
    } else if matches!(judged.replay, Replay::FailsOtherwise(_)) {
        judged.found = found;
    }
    Ok(judged)
}

/// The values and words that are others in another version of the program, although the steps are the same.
fn changes(record: &Record, recorded: &Trace, replayed: &Replayed) -> Vec<String> {
    let mut changes = Vec::new();
    let number = |value: Option<Value>| value.filter(|value| !matches!(value, Value::Pointer(_)));
    let pairs = recorded.steps.iter().zip(&replayed.trace.steps);
    let differs = |&(_, (one, other)): &(usize, (&Step, &Step))| {
        let of = |step: &Step| (number(step.read), number(step.written));
        of(one) != of(other)
    };
    if let Some((index, _)) = pairs.enumerate().find(differs) {
        let step = recorded.number_of(index);
        changes.push(format!("the values of step {step} are others"));
    }
    if let (Some(before), Verdict::Failed(now)) = (&record.bug, &replayed.verdict)
        && before.message != now.message
    {
        changes.push(format!("the message was: {}", before.message.trim_end()));
    }
    changes
}

fn show(
    args: &ReplayArgs,
    workspace: &Workspace,
    judged: &Judged,
    changed: bool,
) -> anyhow::Result<()> {
    let Judged {
        replay,
        record,
        changes,
        ..
    } = judged;
    let report = Report::of(record, &workspace.root).with_stacks(Stacks::of_environment());
    if args.output.json {
        let value = json!({
            "id": record.id,
            "outcome": replay.word(),
            "executable_changed": changed,
            "divergence": replay.difference(),
            "changes": changes,
            "failure": report.json(),
        });
        return Ok(Json::line("replayed", value)?);
    }
    let layout = Layout::of_terminal();
    if let Replay::Reproduced(_) = replay {
        let detail = if args.full {
            Detail::Full
        } else {
            Detail::Around
        };
        anstream::print!("{}", report.text(&layout, detail));
    }
    anstream::print!("{}", replay.text(record, changed, &layout));
    for change in changes {
        anstream::println!("             {change}");
    }
    Ok(())
}
