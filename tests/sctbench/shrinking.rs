//! Shrinks what the default search finds in one program, in this process.

use std::time::{Duration, Instant};

use cct::config::Settings;
use cct::harness::Explorer;
use cct::operation::Operation;
use cct::strategy::Spec;
use cct::trace::{Schedule, Trace, lets_go};
use cct::verdict::Verdict;
use serde_json::{Value, json};

use crate::cli::Job;

/// How many schedules are made by number of preemptions, to know how many are needed.
const BY_PREEMPTIONS: u64 = 20_000;

/// Prints the lengths of the first failure of a program before and after, as a line of JSON.
pub(crate) fn print(job: &Job, time: Duration) -> Result<(), String> {
    println!("{}", measure(job, time)?);
    Ok(())
}

fn measure(job: &Job, time: Duration) -> Result<Value, String> {
    // Before the statics are saved, which this then belongs to.
    job.granularity.adopt();
    let mut explorer = Explorer::new(&Settings::default());
    let settings = |strategy: &Spec, iterations: u64| Settings {
        iterations: Some(iterations),
        strategy: Some(strategy.clone()),
        seed: Some(job.seed_base),
        watch: Some(u32::MAX),
        ..Settings::default()
    };
    let body = job.program.body;
    let exploration = explorer.explore(&settings(&job.strategy, job.schedules), body);
    let found = exploration.found.ok_or("no bug was found")?;
    let (from, _) = length(&mut explorer, &found.schedule, body);
    let budget = Settings {
        time: Some(time),
        ..Settings::default()
    };
    let began = Instant::now();
    let told = explorer.shrink(&found.schedule, &budget, body);
    let elapsed = began.elapsed();
    let last = told.last().ok_or("it does not fail when it is followed")?;
    let (to, replayed) = length(&mut explorer, &last.schedule, body);
    let replays = matches!(&replayed, Verdict::Failed(bug) if bug.is_same_as(&found.bug));
    let bounded = Spec::parse("preemption:3").map_err(|problem| problem.to_string())?;
    let fewest = explorer.explore(&settings(&bounded, BY_PREEMPTIONS), body);
    let fewest = fewest
        .found
        .filter(|other| other.bug.is_same_as(&found.bug));
    let fewest = fewest.map(|found| length(&mut explorer, &found.schedule, body).0[0]);
    Ok(json!({
        "program": job.program.id(),
        "kind": format!("{:?}", found.bug.kind).to_lowercase(),
        "from": from,
        "to": to,
        "executions": last.executions,
        "is_complete": last.is_complete,
        "seconds": elapsed.as_secs_f64(),
        "replays": replays,
        "by_preemptions": fewest,
    }))
}

/// Preemptions, switches and steps of a schedule of threads, and how it ends.
fn length(explorer: &mut Explorer, schedule: &Schedule, body: fn()) -> ([usize; 3], Verdict) {
    let replayed = explorer.replay(schedule, body);
    let trace: Trace = replayed.trace;
    let steps: Vec<_> = trace.steps.iter().filter(|step| !step.note).collect();
    let pairs = || {
        steps
            .windows(2)
            .filter(|pair| pair[0].worker != pair[1].worker)
    };
    let lets_go = |code, outcome| Operation::from_code(code).is_some_and(|op| lets_go(op, outcome));
    let preemptions =
        pairs().filter(|pair| pair[1].preempts && !lets_go(pair[0].operation, pair[0].outcome));
    let length = [preemptions.count(), pairs().count(), steps.len()];
    (length, replayed.verdict)
}
