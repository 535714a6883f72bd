//! `cargo cct replay`: repeats a failure, checks every step, and reports it again.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use cct::origin;
use cct::trace::{Schedule, Step, Trace, Value};
use cct::verdict::{Bug, Verdict};
use cct::wire::{Event, Replayed};
use serde_json::json;

use super::debug::{debug, write_entry};
use super::interactive::{Subject, lead};
use super::rebuilt::Rebuilt;
use super::stops::{self, Stops};
use crate::build::workspace::Workspace;
use crate::cli::ReplayArgs;
use crate::exit::Exit;
use crate::failure::{Aligned, Folders, Moves, Record, Store, guide};
use crate::report::{Detail, Edits, Followed, Json, Layout, Replay, Report, Stacks, say};
use crate::run::{
    Difference, Launch, Lead, Repeated, Scratch, Stop, difference, follow, repeat, same_end,
};

/// Does it.
pub(super) fn run(args: &ReplayArgs) -> anyhow::Result<Exit> {
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let rebuilt = Rebuilt::new(&args.failure, (&args.place, &args.unpacked), args.output)?;
    let (record, workspace) = (&rebuilt.record, &rebuilt.workspace);
    let launch = rebuilt.launch();
    let scratch = Scratch::create(&workspace.target)
        .with_context(|| format!("cannot write to `{}`", workspace.target.display()))?;
    let changed = rebuilt.changed.then_some(workspace.root.as_path());
    let configured = rebuilt.executable().config_of(&record.name.test);
    let timeout = args
        .hang_timeout
        .unwrap_or_else(|| configured.hang_timeout());
    let way = Way {
        changed,
        tolerant: args.tolerant,
        timeout,
    };
    let mut halt = None;
    if stops::are_wanted(args) {
        match halt_of(args, &rebuilt, way, &scratch, &stop)? {
            Halting::At(found) => halt = Some(found),
            Halting::Not(judged) => {
                show(args, workspace, &judged, rebuilt.changed)?;
                return Ok(exit_of(record, &judged.replay));
            }
        }
    }
    let numbers = halt.as_ref().map_or_else(Vec::new, |halt| halt.numbers());
    let launch = Launch {
        stops: &numbers,
        ..launch
    };
    if let Some(debugger) = &args.debugger {
        let version = Version::of(record, changed);
        let guide = version.as_ref().map(|version| &version.guide);
        let subject = (&launch, record, guide);
        if let Some(halt) = &halt {
            crate::report::remark!("{}", halt.announced());
        }
        let (exit, last) = debug(debugger, subject, &rebuilt.toolchain, &scratch)?;
        if let Some(Event::Replayed(replayed)) = last {
            tell_debugged(record, replayed, version.as_ref())?;
        }
        return Ok(exit);
    }
    if args.vscode {
        let folder = Store::new(rebuilt.workspace.failures()).folder_of(&record.id);
        let root = &workspace.root;
        let version = Version::of(record, changed);
        let guide = version.as_ref().map(|version| &version.guide);
        let subject = (&launch, record, guide);
        let done = write_entry(subject, &folder, root, &rebuilt.toolchain)?;
        say(done)?;
        return Ok(Exit::Success);
    }
    if args.interactive {
        let version = Version::of(record, changed);
        let lead_by = match &version {
            Some(version) => Lead::After(&version.guide),
            None => Lead::Like(&record.schedule),
        };
        return lead(&Subject {
            launch,
            name: record.name.clone(),
            executable: rebuilt.index,
            lead: lead_by,
            hang_timeout: timeout,
            scratch: &scratch,
            stop: &stop,
            keeper: &rebuilt.keeper(),
        });
    }
    let judged = match halt {
        Some(halt) => halted(&launch, record, way, *halt, &scratch, &stop)?,
        None => again(&launch, record, way, &scratch, &stop)?,
    };
    show(args, workspace, &judged, rebuilt.changed)?;
    Ok(exit_of(record, &judged.replay))
}

fn exit_of(record: &Record, replay: &Replay) -> Exit {
    match replay {
        Replay::Reproduced(_) if record.bug.is_some() => Exit::Failed,
        Replay::Followed(_, Followed::FailsAlike | Followed::FailsOtherwise) => Exit::Failed,
        Replay::Reproduced(_)
        | Replay::Passes(_)
        | Replay::StoppedBefore(_)
        | Replay::Followed(_, Followed::Passes) => Exit::Success,
        Replay::Diverged(_)
        | Replay::FailsOtherwise(_)
        | Replay::Unfinished
        | Replay::Followed(_, Followed::Unfinished) => Exit::Diverged,
        Replay::Stopped => Exit::Interrupted,
    }
}

/// The steps of an execution before which its replay stops.
struct Halt {
    stops: Stops,
    /// The execution to its end, and the failure whose steps are these.
    whole: Record,
}

/// Whether the replay can stop where it is told to.
enum Halting {
    At(Box<Halt>),
    /// It does not come there.
    Not(Box<Judged>),
}

impl Halt {
    /// As the engine counts steps.
    fn numbers(&self) -> Vec<u32> {
        let trace = self.whole.trace.as_ref();
        let number = |&step: &usize| trace.map_or(0, |trace| trace.number_of(step));
        let numbers = self.stops.steps.iter().map(number);
        numbers
            .filter_map(|number| u32::try_from(number).ok())
            .collect()
    }

    /// The steps before which the debugger will stop, in words.
    fn announced(&self) -> String {
        let steps: Vec<String> = self.numbers().iter().map(u32::to_string).collect();
        let word = if steps.len() == 1 { "step" } else { "steps" };
        let remarks = self
            .stops
            .remarks
            .iter()
            .map(|remark| format!("cct: {remark}\n"));
        let remarks: String = remarks.collect();
        format!(
            "{remarks}cct: the program stops before {word} {}\n",
            steps.join(", ")
        )
    }
}

/// Finds the steps before which the replay stops. In a program that has changed that takes an execution:
/// numbers are those on record, and places those of now.
fn halt_of(
    args: &ReplayArgs,
    rebuilt: &Rebuilt,
    way: Way<'_>,
    scratch: &Scratch,
    stop: &Stop,
) -> anyhow::Result<Halting> {
    let (record, launch, root) = (&rebuilt.record, rebuilt.launch(), &rebuilt.workspace.root);
    if let Some(version) = Version::of(record, way.changed) {
        let repeated = follow(&launch, &version.guide, way.timeout, scratch, stop)?;
        let (replayed, output) = match ended(record, repeated)? {
            Ok(ended) => ended,
            Err(judged) => return Ok(Halting::Not(Box::new(judged))),
        };
        let aligned = Aligned::of(version.recorded, &version.guide, &replayed.trace);
        if aligned.difference().is_some() && !way.tolerant {
            drop(aligned);
            let ended = Repeated::Ended { replayed, output };
            let judged = judge_version(record, ended, &version, false)?;
            return Ok(Halting::Not(Box::new(judged)));
        }
        let stops = Stops::find(args, &replayed.trace, Some(&aligned), root)?;
        drop(aligned);
        let whole = as_it_is_now(record, *replayed, output);
        return Ok(Halting::At(Box::new(Halt { stops, whole })));
    }
    let trace = record.trace.as_ref().filter(|trace| !trace.is_empty());
    let trace = trace.with_context(|| format!("the steps of `{}` are not on record", record.id))?;
    let stops = Stops::find(args, trace, None, root)?;
    let whole = record.clone();
    Ok(Halting::At(Box::new(Halt { stops, whole })))
}

/// Repeats what is on record up to the first step before which it stops.
fn halted(
    launch: &Launch<'_>,
    record: &Record,
    way: Way<'_>,
    halt: Halt,
    scratch: &Scratch,
    stop: &Stop,
) -> anyhow::Result<Judged> {
    let version = Version::of(record, way.changed);
    let repeated = match &version {
        Some(version) => follow(launch, &version.guide, way.timeout, scratch, stop)?,
        None => repeat(launch, &record.schedule, way.timeout, scratch, stop)?,
    };
    let (replayed, output) = match ended(record, repeated)? {
        Ok(ended) => ended,
        Err(judged) => return Ok(judged),
    };
    let Some(number) = replayed.stopped else {
        let ended = Repeated::Ended { replayed, output };
        return match &version {
            Some(version) => judge_version(record, ended, version, way.tolerant),
            None => judge(record, ended),
        };
    };
    let next = halt.stops.steps.first().copied().unwrap_or_default();
    let whole = halt.whole;
    if let Some(expected) = &whole.trace {
        let mut until = expected.clone();
        until.steps.truncate(next);
        if let Some(difference) = difference(&until, &replayed.trace) {
            return Ok(as_recorded(record, Replay::Diverged(Box::new(difference))));
        }
    }
    Ok(Judged {
        replay: Replay::StoppedBefore(number as usize),
        record: whole,
        found: None,
        changes: halt.stops.remarks,
        stopped: Some((next, replayed.trace, output)),
    })
}

/// Says whether the execution that was debugged is the one on record.
fn tell_debugged(
    record: &Record,
    replayed: Replayed,
    version: Option<&Version<'_>>,
) -> anyhow::Result<()> {
    let ended = Repeated::Ended {
        replayed: Box::new(replayed),
        output: String::new(),
    };
    let judged = match version {
        Some(version) => judge_version(record, ended, version, false)?,
        None => judge(record, ended)?,
    };
    let layout = Layout::of_terminal();
    let text = judged.replay.text(record, version.is_some(), &layout);
    say(text)?;
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
    /// The step before which it has stopped, by index, the steps up to there with where everybody is, and
    /// what was printed.
    stopped: Option<(usize, Trace, String)>,
}

/// The way a failure is repeated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way<'a> {
    /// The executable is another one than the failure was found in; its sources are below this folder.
    pub(super) changed: Option<&'a Path>,
    /// The schedule is followed although it does not fit.
    pub(super) tolerant: bool,
    /// How long the test may be silent.
    pub(super) timeout: Duration,
}

/// Repeats what is on record.
pub(super) fn again(
    launch: &Launch<'_>,
    record: &Record,
    way: Way<'_>,
    scratch: &Scratch,
    stop: &Stop,
) -> anyhow::Result<Judged> {
    let Some(version) = Version::of(record, way.changed) else {
        let repeated = repeat(launch, &record.schedule, way.timeout, scratch, stop)?;
        return judge(record, repeated);
    };
    let repeated = follow(launch, &version.guide, way.timeout, scratch, stop)?;
    judge_version(record, repeated, &version, way.tolerant)
}

/// A failure's trace for another version of its program.
struct Version<'a> {
    recorded: &'a Trace,
    moves: Moves,
    guide: Trace,
}

impl Version<'_> {
    /// Of an executable that has changed, if the failure's steps are known.
    fn of<'a>(record: &'a Record, changed: Option<&Path>) -> Option<Version<'a>> {
        let (recorded, root) = (record.trace.as_ref()?, changed?);
        let folders = Folders {
            then: record.provenance.origins.clone(),
            now: origin::table(),
        };
        let moves = Moves::find(&record.landmarks, root, folders);
        let guide = guide(recorded, &record.schedule, &moves);
        Some(Version {
            recorded,
            moves,
            guide,
        })
    }
}

fn as_recorded(record: &Record, replay: Replay) -> Judged {
    Judged {
        replay,
        record: record.clone(),
        found: None,
        changes: Vec::new(),
        stopped: None,
    }
}

/// The engine's message and the output, or else how it ended.
fn ended(
    record: &Record,
    repeated: Repeated,
) -> anyhow::Result<Result<(Box<Replayed>, String), Judged>> {
    Ok(Err(match repeated {
        Repeated::Ended { replayed, output } => return Ok(Ok((replayed, output))),
        Repeated::Stopped => as_recorded(record, Replay::Stopped),
        Repeated::Refused(reason) => anyhow::bail!("the test cannot be replayed: {reason}"),
        Repeated::Died { bug, .. } if same_end(record.bug.as_ref(), Some(&bug)) => {
            as_recorded(record, Replay::Reproduced(Edits::default()))
        }
        Repeated::Died { bug, .. } => Judged {
            found: Some((bug.clone(), record.schedule.clone())),
            ..as_recorded(record, Replay::FailsOtherwise(bug.message))
        },
    }))
}

/// Compares what happened with what is on record.
fn judge(record: &Record, repeated: Repeated) -> anyhow::Result<Judged> {
    let (replayed, _) = match ended(record, repeated)? {
        Ok(ended) => ended,
        Err(judged) => return Ok(judged),
    };
    let empty = Trace::default();
    let recorded = record.trace.as_ref().unwrap_or(&empty);
    let by_engine = replayed.divergence.as_ref();
    let by_engine = by_engine.map(|engine| Difference::at(recorded, &replayed.trace, engine));
    let by_steps = record.trace.as_ref();
    let by_steps = by_steps.and_then(|recorded| difference(recorded, &replayed.trace));
    // The engine notices only what it cannot follow; the steps may have differed before. When they have not,
    // it knows why there are no more.
    let before = by_steps.filter(|difference| by_engine.is_none() || !difference.is_early_end);
    let found = found(&replayed).filter(|_| replayed.divergence.is_none());
    if let Some(difference) = before.or(by_engine) {
        return Ok(Judged {
            found,
            ..as_recorded(record, Replay::Diverged(Box::new(difference)))
        });
    }
    let is_same = |bug: &Bug| same_end(record.bug.as_ref(), Some(bug));
    let replay = match &replayed.verdict {
        Verdict::Failed(bug) if is_same(bug) => Replay::Reproduced(Edits::default()),
        Verdict::Failed(bug) => {
            return Ok(Judged {
                found,
                ..as_recorded(record, Replay::FailsOtherwise(bug.message.clone()))
            });
        }
        Verdict::Passed | Verdict::CutOff if record.bug.is_none() => {
            Replay::Reproduced(Edits::default())
        }
        Verdict::Passed => Replay::Passes(Edits::default()),
        Verdict::CutOff => Replay::Unfinished,
    };
    Ok(as_recorded(record, replay))
}

/// The bug to which the schedule led, and the schedule as it was followed.
fn found(replayed: &Replayed) -> Option<(Bug, Schedule)> {
    match &replayed.verdict {
        Verdict::Failed(bug) => Some(((**bug).clone(), replayed.trace.schedule.clone())),
        Verdict::Passed | Verdict::CutOff => None,
    }
}

/// Compares what happened in another version of the program with what is on record.
fn judge_version(
    record: &Record,
    repeated: Repeated,
    version: &Version<'_>,
    tolerant: bool,
) -> anyhow::Result<Judged> {
    let (replayed, output) = match ended(record, repeated)? {
        Ok(ended) => ended,
        Err(judged) => return Ok(judged),
    };
    let here_now = record.bug.as_ref().map(|bug| Bug {
        site: bug.site.as_ref().and_then(|site| version.moves.of(site)),
        ..bug.clone()
    });
    let end = match &replayed.verdict {
        Verdict::Failed(bug) if is_like_on_line(here_now.as_ref(), bug) => Followed::FailsAlike,
        Verdict::Failed(_) => Followed::FailsOtherwise,
        Verdict::Passed => Followed::Passes,
        Verdict::CutOff => Followed::Unfinished,
    };
    let aligned = Aligned::of(version.recorded, &version.guide, &replayed.trace);
    let is_bug = record.bug.is_some();
    let edits = Edits {
        moved: version.moves.count(),
        more: aligned.more(),
        less: aligned.less(),
    };
    let replay = match (aligned.difference(), end) {
        (Some(difference), end) if tolerant => Replay::Followed(Box::new(difference), end),
        (Some(difference), _) => Replay::Diverged(Box::new(difference)),
        (None, Followed::FailsOtherwise) => {
            let bug = found(&replayed).map(|(bug, _)| bug.message);
            Replay::FailsOtherwise(bug.unwrap_or_default())
        }
        (None, Followed::Passes) if is_bug => Replay::Passes(edits),
        (None, Followed::Unfinished) if is_bug => Replay::Unfinished,
        (None, _) => Replay::Reproduced(edits),
    };
    let mut judged = as_recorded(record, replay);
    judged.found = found(&replayed);
    if let Replay::Reproduced(_) | Replay::Followed(..) = judged.replay {
        if let Replay::Reproduced(_) = judged.replay {
            judged.found = None;
            judged.changes = changes(record, version.recorded, &replayed, &aligned.pairs);
        }
        drop(aligned);
        judged.record = as_it_is_now(record, *replayed, output);
    }
    Ok(judged)
}

/// True if two failures are alike, of which the first is on record: its column may be another.
fn is_like_on_line(recorded: Option<&Bug>, now: &Bug) -> bool {
    let Some(recorded) = recorded else {
        return false;
    };
    let mut recorded = recorded.clone();
    if let (Some(site), Some(other)) = (&mut recorded.site, &now.site) {
        site.column = other.column;
    }
    same_end(Some(&recorded), Some(now))
}

/// The failure as it is in this version of the program.
fn as_it_is_now(record: &Record, replayed: Replayed, output: String) -> Record {
    let mut now = record.clone();
    if let Verdict::Failed(bug) = replayed.verdict {
        now.bug = Some(*bug);
    }
    let strategy = record.schedule.strategy.clone();
    now.schedule = Schedule {
        strategy,
        ..replayed.trace.schedule.clone()
    };
    now.trace = Some(replayed.trace);
    // Other steps, or the same ones of other code, lead on in other ways.
    now.certain = None;
    now.printed = output;
    now
}

/// The values and words that are others in another version of the program, although the steps are the same.
fn changes(
    record: &Record,
    recorded: &Trace,
    replayed: &Replayed,
    pairs: &[(usize, usize)],
) -> Vec<String> {
    let mut changes = Vec::new();
    let number = |value: Option<Value>| value.filter(|value| !matches!(value, Value::Pointer(_)));
    let differs = |&&(one, other): &&(usize, usize)| {
        let of = |step: &Step| (number(step.read), number(step.written));
        of(&recorded.steps[one]) != of(&replayed.trace.steps[other])
    };
    if let Some(&(_, other)) = pairs.iter().find(differs) {
        let step = replayed.trace.number_of(other);
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
        stopped,
        ..
    } = judged;
    let mut report = Report::of(record, &workspace.root).with_stacks(Stacks::of_environment());
    if let Some((next, happened, printed)) = stopped {
        report = report.stopped_before(*next, happened, printed.clone());
    }
    if args.output.json {
        let value = json!({
            "id": record.id,
            "outcome": replay.word(),
            "executable_changed": changed,
            "divergence": replay.difference(),
            "edits": replay.edits(),
            "changes": changes,
            "failure": report.json(),
        });
        return Ok(Json::line("replayed", value)?);
    }
    let layout = Layout::of_terminal();
    let is_told = matches!(
        replay,
        Replay::Reproduced(_)
            | Replay::StoppedBefore(_)
            | Replay::Followed(_, Followed::FailsAlike | Followed::FailsOtherwise)
    );
    if is_told {
        let detail = if args.full {
            Detail::Full
        } else {
            Detail::Around
        };
        say(report.text(&layout, detail))?;
    }
    say(replay.text(record, changed, &layout))?;
    for change in changes {
        say(format_args!("             {change}\n"))?;
    }
    Ok(())
}
