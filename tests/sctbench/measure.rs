//! Measures one row, in this process.

use cct::config::Settings;
use cct::harness::Explorer;
use cct::verdict::{Bug, BugKind, Verdict, Wait};
use cct::wire::Found;

use crate::cli::Job;
use crate::row::Row;
use crate::share;

/// Measures a row and prints it as a line of JSON.
pub(crate) fn print(job: &Job) -> Result<(), String> {
    let row = measure(job);
    let line = serde_json::to_string(&row).map_err(|error| error.to_string())?;
    println!("{line}");
    Ok(())
}

/// Explores with one seed after another, each until the first bug, which is replayed.
fn measure(job: &Job) -> Row {
    // Before the statics are saved, which this then belongs to.
    job.granularity.adopt();
    let mut explorer = Explorer::new(&Settings::default());
    let mut row = Row::new(job);
    let mut first = Vec::new();
    for trial in 0..job.seeds {
        let seed = job.seed_base + trial;
        let exploration = explorer.explore(&settings(job, seed), job.program.body);
        let counters = exploration.counters;
        row.cut_offs += counters.cut_offs;
        row.workers = row.workers.max(counters.workers);
        row.longest = row.longest.max(counters.longest);
        let Some(found) = exploration.found else {
            continue;
        };
        first.push(found.iteration);
        *row.kinds.entry(kind(found.bug.kind)).or_default() += 1;
        let where_ = format!("seed {seed}, schedule {}", found.iteration);
        if let Err(other) = replay(&mut explorer, &found, job.program.body) {
            row.errors
                .push(format!("{where_}: {:?} replayed to {other}", found.bug));
        }
        if row.control {
            row.errors
                .push(format!("{where_}: a false alarm: {:?}", found.bug));
        }
    }
    row.sum_up(&first);
    if job.program.counts_share {
        let settings = settings(job, job.seed_base);
        row.share = Some(share::measure(&mut explorer, job, &settings));
    }
    row
}

fn settings(job: &Job, seed: u64) -> Settings {
    Settings {
        iterations: Some(job.schedules),
        strategy: Some(job.strategy.clone()),
        seed: Some(seed),
        // Behaviours are not what is counted here.
        watch: Some(u32::MAX),
        ..Settings::default()
    }
}

/// Repeats the schedule; what came of it, if that is not the same bug.
fn replay(explorer: &mut Explorer, found: &Found, body: fn()) -> Result<(), String> {
    let replayed = explorer.replay(&found.schedule, body);
    match replayed.verdict {
        Verdict::Failed(bug) if is_same(&bug, &found.bug) => Ok(()),
        other => Err(format!("{other:?}, {:?}", replayed.divergence)),
    }
}

/// Equal but for the numbers that only a recorded execution gives to objects.
fn is_same(left: &Bug, right: &Bug) -> bool {
    let numberless = |bug: &Bug| Bug {
        waits: bug
            .waits
            .iter()
            .map(|wait| Wait {
                object: None,
                ..wait.clone()
            })
            .collect(),
        ..bug.clone()
    };
    numberless(left) == numberless(right)
}

/// The name of a kind of bug, as reports in JSON have it.
fn kind(kind: BugKind) -> String {
    format!("{kind:?}").to_lowercase()
}
