//! The law of shards: together they make what one search makes that is so many times as long.

use std::collections::BTreeMap;

use cct::config::Settings;
use cct::harness::{Explorer, Seen};
use cct::part::Part;
use cct::strategy::Spec;
use cct::trace::Schedule;
use cct::verdict::Verdict;

use crate::compare;
use crate::enumerate::Timeouts;
use crate::execute;
use crate::program::Program;

/// The strategies, one row a program by turns: such that any shard may make any iteration, such that learn,
/// both, such that enumerate, and such with others.
const STRATEGIES: [&str; 5] = [
    "random",
    "random,surw,rff,pos,pct:3,sticky:20",
    "sticky,q-learning,pos",
    "dfs",
    "dpor,random,pct",
];
/// The numbers of shards, likewise.
const SHARDS: [u32; 4] = [2, 3, 5, 16];
/// The iterations of each shard.
const EACH: u64 = 12;

/// All schedules of a search, each with how it ended.
type Made = BTreeMap<(u64, Vec<u8>), Option<String>>;

/// Says how shards differ from one search of the program.
pub(crate) fn differences(
    explorer: &mut Explorer,
    program: &Program,
    rule: Timeouts,
    number: u64,
) -> Vec<String> {
    let turn = usize::try_from(number).unwrap_or(0);
    let strategy = STRATEGIES[turn % STRATEGIES.len()];
    let of = SHARDS[turn / STRATEGIES.len() % SHARDS.len()];
    let settings = |iterations| Settings {
        strategy: Some(Spec::parse(strategy).expect("strategies of ours")),
        ..compare::settings(rule, iterations)
    };
    let mut search = |iterations, part| {
        let mut made = Vec::new();
        let mut told = Vec::new();
        let counters = explorer.survey_part(
            settings(iterations).resolve(),
            part,
            || execute::run(program),
            &mut |schedule: Schedule| made.push(schedule),
            &mut |seen: &Seen| told.push(seen.verdict.as_ref().map(end)),
        );
        (made, told, counters)
    };
    let (made, told, whole) = search(EACH * u64::from(of), Part::WHOLE);
    if whole.limits.alone || whole.sequential {
        return Vec::new();
    }
    let whole_made = count(made, told);
    let mut parts = Made::new();
    let mut schedules = 0;
    let mut differences = Vec::new();
    for number in 0..of {
        // A shard that is left in the middle and goes on is the same.
        let is_left = number % 2 == 1 && strategy == "random";
        let middle = EACH * u64::from(of) / 2;
        let froms: &[u64] = if is_left { &[1, middle] } else { &[1] };
        for &from in froms {
            let part = Part {
                number,
                of,
                from: Some(from),
            };
            let (mut made, mut told, counters) = search(EACH, part);
            if is_left && from == 1 {
                // The first half ends before the second begins.
                let share = own_before(number, of, middle);
                made.truncate(share);
                told.truncate(share);
            }
            schedules += made.len();
            for (key, end) in count(made, told) {
                if parts.insert(key, end).is_some() && !counters.exhausted {
                    differences
                        .push("two shards made the same schedule by the same seed".to_owned());
                }
            }
        }
    }
    let lacks = whole_made
        .iter()
        .find(|(key, end)| parts.get(key) != Some(end));
    if let Some(((seed, bytes), end)) = lacks {
        let other = parts.iter().find(|((other, _), _)| other == seed);
        let is_same = other.is_some_and(|((_, other), _)| other == bytes);
        let instead = other.map(|(_, end)| end);
        differences.push(format!(
            "{strategy}, {of} shards: no {end:?} of seed {seed}, but {instead:?}; same schedule: {is_same}"
        ));
    }
    if whole.exhausted {
        // A shard goes on that does not hear of the end.
        return differences;
    }
    if u64::try_from(schedules) != Ok(whole.schedules) {
        let one = whole.schedules;
        differences.push(format!(
            "{strategy}, {of} shards: {one} iterations, not {schedules}"
        ));
    }
    differences
}

/// How many of the iterations before this one the shard has, where each has every so-manyth.
fn own_before(number: u32, of: u32, before: u64) -> usize {
    let own = (1..before).filter(|iteration| (iteration - 1) % u64::from(of) == u64::from(number));
    own.count()
}

fn count(made: Vec<Schedule>, told: Vec<Option<String>>) -> Made {
    let keys = made.into_iter().map(|schedule| {
        use cct::codec::Wire as _;
        (schedule.seed, schedule.to_bytes())
    });
    keys.zip(told).collect()
}

/// How a schedule ended. Objects have numbers only where all is recorded.
fn end(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Failed(bug) => format!("{:?}: {}", bug.kind, bug.message),
        other => format!("{other:?}"),
    }
}
