//! Results of shards together: a line for each test, and the sums.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::claim;
use super::style::{BAD, FAINT, GOOD, STRONG, WARN, paint};
use super::words::{count, duration, list, number, put};
use crate::results::{Ending, Joined, Missing, Results};
use crate::run::{Shard, TestName};

/// The shards that lack, a sentence for each sort.
pub(crate) fn missing(missing: &Missing) -> Vec<String> {
    let named = |shards: &[Shard]| {
        let names: Vec<_> = shards.iter().map(ToString::to_string).collect();
        list(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let mut lines = Vec::new();
    if !missing.without.is_empty() {
        let (what, are) = (shards(&missing.without), are(&missing.without));
        lines.push(format!(
            "{what} {} {are} missing: no results",
            named(&missing.without)
        ));
    }
    if !missing.under_way.is_empty() {
        let (what, are) = (shards(&missing.under_way), are(&missing.under_way));
        let named = named(&missing.under_way);
        lines.push(format!(
            "{what} {named} {are} not finished: counted up to the last checkpoint"
        ));
    }
    lines
}

fn shards(shards: &[Shard]) -> &'static str {
    if shards.len() == 1 { "shard" } else { "shards" }
}

fn are(shards: &[Shard]) -> &'static str {
    if shards.len() == 1 { "is" } else { "are" }
}

/// A line for each test, and the sums.
pub(crate) fn text(results: &Results, tests: &BTreeMap<TestName, Joined>) -> String {
    let mut out = String::new();
    for (name, test) in tests {
        let style = match test.outcome() {
            Ending::Passed | Ending::Open => GOOD,
            Ending::Flaky => WARN,
            _ => BAD,
        };
        let mut ids = String::new();
        for (id, _) in &test.failures {
            put!(ids, "   {id}");
        }
        let seconds = std::time::Duration::try_from_secs_f64(test.seconds).unwrap_or_default();
        put!(
            out,
            "{} [{:>8}] {:<42} {} {}{}\n",
            paint(style, &format!("{:>12}", test.status)),
            duration(seconds),
            explored(test),
            paint(FAINT, &name.binary),
            paint(STRONG, &name.test),
            paint(STRONG, &ids),
        );
    }
    let counters = tests.values().map(|test| &test.counters);
    let schedules = counters.clone().map(|counters| counters.schedules).sum();
    let distinct: u64 = counters.map(|counters| counters.distinct).sum();
    let at_least = if tests.values().all(|test| test.is_exact) {
        ""
    } else {
        "at least "
    };
    put!(
        out,
        "{} {} of {}: {}, {}, {at_least}{} distinct; seed {}\n",
        paint(GOOD, &format!("{:>12}", "Merged")),
        count(results.shards.len() as u64, "shard"),
        results.origin.shards,
        count(tests.len() as u64, "test"),
        count(schedules, "schedule"),
        number(distinct),
        results.origin.seed,
    );
    out
}

/// How much of a test was explored.
fn explored(test: &Joined) -> String {
    if test.is_native {
        return "ran natively".to_owned();
    }
    if let Some(claim) = &test.claim {
        return claim::text(claim);
    }
    let counters = &test.counters;
    let at_least = if test.is_exact { "" } else { "at least " };
    let distinct = number(counters.distinct);
    let found = match test.failures.first() {
        Some((_, iteration)) => format!(", first bug in schedule {}", number(*iteration)),
        None => String::new(),
    };
    let made = count(counters.schedules, "schedule");
    format!("{made}, {at_least}{distinct} distinct{found}")
}

/// The same for programs.
pub(crate) fn value(
    results: &Results,
    tests: &BTreeMap<TestName, Joined>,
    missing: &Missing,
) -> Value {
    let names = |shards: &[Shard]| shards.iter().map(ToString::to_string).collect::<Vec<_>>();
    let tests = tests.iter().map(|(name, test)| {
        json!({
            "binary": name.binary,
            "test": name.test,
            "status": test.status,
            "ending": test.ending,
            "counters": test.counters,
            "distinct_is_exact": test.is_exact,
            "native": test.is_native,
            "claim": test.claim.as_ref().map(claim::value),
            "seconds": test.seconds,
            "failures": test.failures.iter().map(|(id, iteration)| json!({
                "id": id,
                "iteration": iteration,
            })).collect::<Vec<_>>(),
        })
    });
    json!({
        "seed": results.origin.seed,
        "shards": results.origin.shards,
        "missing": names(&missing.without),
        "unfinished": names(&missing.under_way),
        "tests": tests.collect::<Vec<_>>(),
    })
}
