//! `cargo cct shrink`: the same failure in a shorter schedule.

use anyhow::Context as _;
use serde_json::json;

use super::rebuilt::Rebuilt;
use crate::cli::ShrinkArgs;
use crate::exit::Exit;
use crate::failure::Store;
use crate::report::{Json, say, shrinking};
use crate::run::{
    Finding, Length, Repeats, Scratch, Shortened, Shrinker, Stop, WhyNot, reason_not_to,
};

/// Does it.
pub(super) fn run(args: &ShrinkArgs) -> anyhow::Result<Exit> {
    let stop = Stop::at_signals().context("cannot listen for signals")?;
    let rebuilt = Rebuilt::new(&args.failure, (&args.place, &args.unpacked), args.output)?;
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
    let before = record.trace.as_ref().map(Length::of);
    let before = before.with_context(|| {
        if record.repeats == Repeats::Yes {
            format!("`{id}` has no trace: its process ends without a signal that could be handled")
        } else {
            format!("`{id}` has no trace: it never repeated")
        }
    })?;
    let scratch = Scratch::create(&rebuilt.workspace.target)
        .with_context(|| format!("cannot write to `{}`", rebuilt.workspace.target.display()))?;
    let configured = rebuilt.executable().config_of(&record.name.test);
    let is_shown = !args.output.quiet && !args.output.json;
    let shrinker = Shrinker {
        time: args.time.unwrap_or_else(|| configured.shrink()),
        hang_timeout: args
            .hang_timeout
            .unwrap_or_else(|| configured.hang_timeout()),
        scratch: &scratch,
        stop: &stop,
        on_shorter: &|executions| {
            if is_shown {
                crate::report::remark_line!("{}", shrinking::progress(executions));
            }
        },
    };
    let launch = rebuilt.launch();
    let found = record.finding(launch.overrides.clone(), launch.defaults.clone());
    let (shortest, effort) = match shrinker.shorten(&launch, &found, before)? {
        Shortened::To(shortest, effort) => (shortest, effort),
        _ if stop.is_set() => return Ok(Exit::Interrupted),
        Shortened::Not(WhyNot::DoesNotRepeat) => anyhow::bail!(
            "no schedule that was found comes to the same failure in a fresh process, and none is kept: \
             something may not be under control"
        ),
        Shortened::Not(_) => anyhow::bail!(
            "`{id}` cannot be shrunk: the test does not fail, or takes too long, where its schedule is \
             followed worker by worker"
        ),
    };
    let shortest = Finding {
        certain: shrinker.certain(&launch, &shortest)?,
        ..*shortest
    };
    if let Some(bug) = &effort.ended_by {
        crate::report::remark_line!("{}", shrinking::ended_by(bug));
    }
    let keeper = rebuilt.keeper();
    let name = record.name.clone();
    keeper.keep(name, rebuilt.index, &shortest, Some(record))?;
    let kept = store.read(&id.to_string())?;
    anyhow::ensure!(
        kept.schedule == shortest.schedule,
        "the shorter schedule could not be written; the one before is still there"
    );
    let after = shortest.trace.as_ref().map_or(before, Length::of);
    if args.output.json {
        let value = json!({
            "id": id,
            "from": before,
            "to": after,
            "executions": effort.executions,
            "is_complete": effort.is_complete,
            "ended_by": effort.ended_by,
        });
        Json::line("shrunk", value)?;
    } else if after == before {
        say(shrinking::nothing(before, &effort))?;
    } else {
        let id = id.to_string();
        say(shrinking::result(before, after, &effort, &id))?;
    }
    Ok(if stop.is_set() {
        Exit::Interrupted
    } else {
        Exit::Success
    })
}
