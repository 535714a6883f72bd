//! `cargo cct replay`: repeats a failure, checks every step, and reports it again.

use anyhow::Context as _;
use cct::comparison::Moves;
use cct::trace::{Step, Trace, Value};
use cct::verdict::{Bug, Verdict};
use cct::wire::Replayed;
use serde_json::json;

use super::interactive::{Subject, lead};
use super::rebuilt::Rebuilt;
use crate::build::workspace::Workspace;
use crate::cli::ReplayArgs;
use crate::exit::Exit;
use crate::failure::Record;
use crate::report::{Detail, Json, Layout, Replay, Report};
use crate::run::{
    Difference, Launch, Mode, Repeated, Scratch, Stop, difference, difference_of_versions, repeat,
    same_end, same_end_of_versions, spawn,
};

/// Does it.
pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<Exit> {
    let rebuilt = Rebuilt::new(&args.failure, &args.place, args.output)?;
    let (record, workspace) = (&rebuilt.record, &rebuilt.workspace);
    let launch = rebuilt.launch();
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    if let Some(debugger) = &args.debugger {
        return debug(debugger, &launch, record, &scratch);
    }
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let configured = &rebuilt.executable().config;
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
    let repeated = repeat(&launch, &record.schedule, timeout, &scratch, &stop)?;
    let judged = judge(record, repeated, rebuilt.changed)?;
    show(args, workspace, &judged, rebuilt.changed)?;
    let replay = judged.replay;
    Ok(match replay {
        Replay::Reproduced(_) if record.bug.is_some() => Exit::Failed,
        Replay::Reproduced(_) | Replay::Passes => Exit::Success,
        Replay::Diverged(_) | Replay::FailsOtherwise(_) | Replay::Unfinished => Exit::Diverged,
        Replay::Stopped => Exit::Interrupted,
    })
}

/// A replay, compared with what is on record.
struct Judged {
    replay: Replay,
    /// The failure as it is on record, or where the program has changed as it is now.
    record: Record,
    /// How that differs from what is on record, in sentences.
    changes: Vec<String>,
}

/// Compares what happened with what is on record.
fn judge(record: &Record, repeated: Repeated, changed: bool) -> anyhow::Result<Judged> {
    let as_recorded = |replay| Judged {
        replay,
        record: record.clone(),
        changes: Vec::new(),
    };
    let replayed = match repeated {
        Repeated::Stopped => return Ok(as_recorded(Replay::Stopped)),
        Repeated::Refused(reason) => anyhow::bail!("the test cannot be replayed: {reason}"),
        Repeated::Died { bug, .. } => {
            let is_same = same_end(record.bug.as_ref(), Some(&bug));
            return Ok(as_recorded(if is_same {
                Replay::Reproduced(0)
            } else {
                Replay::FailsOtherwise(bug.message)
            }));
        }
        Repeated::Ended { replayed, .. } => replayed,
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
    if let Some(difference) = before.or(by_engine) {
        return Ok(as_recorded(Replay::Diverged(Box::new(difference))));
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
        judged.record.trace = Some(replayed.trace);
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
    } = judged;
    let report = Report::of(record, &workspace.root);
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

/// Runs the schedule under a debugger, with the terminal in its hands.
fn debug(
    debugger: &str,
    launch: &Launch<'_>,
    record: &Record,
    scratch: &Scratch,
) -> anyhow::Result<Exit> {
    use cct::codec::Wire as _;

    let words = shell_words::split(debugger)
        .with_context(|| format!("`--debugger {debugger}` is no command line"))?;
    anyhow::ensure!(!words.is_empty(), "`--debugger` needs a command");
    let file = scratch.path("schedule");
    std::fs::write(&file, record.schedule.to_bytes())?;
    let launch = Launch {
        mode: Mode::Replay(file),
        ..launch.clone()
    };
    let board = scratch.board()?;
    let started = spawn(launch.command(&words), &board, None);
    let (mut child, mut events) = started.with_context(|| format!("cannot run `{}`", words[0]))?;
    // The process's events are read, so that it never waits for us, and dropped: the terminal shows the
    // test.
    let listener = std::thread::spawn(move || std::io::copy(&mut events, &mut std::io::sink()));
    // An interrupt is for the debugger.
    let _stop = Stop::at_signals().context("cannot listen for signals")?;
    let status = child.wait()?;
    drop(listener);
    Ok(if status.success() {
        Exit::Success
    } else {
        Exit::Failed
    })
}
