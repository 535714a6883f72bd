//! Every function of the shims is a step, part of one, or has a reason to be none: `steps.txt` says which is
//! what, complete for the shims' source, and true of what the engine records.

#![allow(missing_docs, reason = "tests are claims and need no more words")]

mod list;
mod programs;
mod source;
mod waits;

use std::collections::BTreeSet;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::operation::Operation;
use cct::strategy::Spec;
use cct::trace::Trace;

use list::Entry;

/// One test, since there is one explorer in a process, and it closes what others there open.
#[test]
fn the_list_is_complete_and_true() {
    the_list_has_each_function_and_no_other();
    each_function_makes_the_steps_that_are_listed();
}

fn the_list_has_each_function_and_no_other() {
    let functions = source::functions();
    let listed: BTreeSet<_> = list::read().into_keys().collect();
    let missing: Vec<_> = functions.difference(&listed).collect();
    let stale: Vec<_> = listed.difference(&functions).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "not listed: {missing:#?}, listed in vain: {stale:#?}"
    );
}

fn each_function_makes_the_steps_that_are_listed() {
    let entries = list::read();
    let mut explorer = Explorer::new(&Settings::default());
    waits::are_steps_of_their_own(&mut explorer);
    let mut wrong = Vec::new();
    let mut tried = BTreeSet::new();
    for (name, body) in programs::all() {
        let Some(entry) = entries.get(&name) else {
            wrong.push(format!("{name} is not listed"));
            continue;
        };
        let expected = match entry {
            Entry::Steps(steps) => steps.as_slice(),
            Entry::Part | Entry::Nothing => &[],
        };
        match recorded(&mut explorer, body) {
            Ok(steps) if steps == expected => {}
            other => wrong.push(format!("{name}: {other:?}, and {entry:?} is listed")),
        }
        tried.insert(name);
    }
    let untried = entries
        .iter()
        .filter(|(name, entry)| matches!(entry, Entry::Steps(_)) && !tried.contains(*name));
    wrong.extend(untried.map(|(name, _)| format!("{name} is a step, and no program shows it")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the steps that the main thread makes between a program's two marks, or after the first if it never
/// comes to the second.
fn recorded(explorer: &mut Explorer, body: fn()) -> Result<Vec<Operation>, String> {
    let settings = Settings {
        iterations: Some(1),
        seed: Some(1),
        strategy: Some(Spec::parse("random").expect("a strategy")),
        ..Settings::default()
    };
    let strategies = Spec::parse("random").expect("a strategy").build();
    let mut schedules = Vec::new();
    let exploration =
        explorer.explore_each(settings.resolve(), strategies, body, &mut |schedule| {
            schedules.push(schedule);
        });
    schedules.extend(exploration.found.map(|found| found.schedule));
    let schedule = schedules.pop().ok_or("no schedule")?;
    let replayed = explorer.replay(&schedule, body);
    match replayed.divergence {
        Some(divergence) => Err(format!("{divergence:?}")),
        None => Ok(between_marks(&replayed.trace)),
    }
}

fn between_marks(trace: &Trace) -> Vec<Operation> {
    let steps = trace.steps.iter().filter(|step| step.worker == 0);
    let operations = steps.filter_map(|step| Operation::from_code(step.operation));
    let after = operations
        .skip_while(|&operation| operation != Operation::Custom)
        .skip(1);
    let steps = after.take_while(|&operation| operation != Operation::Custom);
    let is_step = |operation: &Operation| !matches!(operation, Operation::Panic | Operation::End);
    steps.filter(is_step).collect()
}
