//! The table of docs/weak-memory.md: how many schedules each program takes, seed by seed.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;

use cct_tests::support::{Events, Finished};

use super::programs::{Found, PROGRAMS};
use super::{all_ended, workspace};

/// How many schedules are made at most.
const MOST: usize = 500;
/// The strategies, as they are given; the first is the default.
const STRATEGIES: [&str; 3] = ["portfolio", "random", "pct:3"];

/// The number of the first schedule that failed, or none in so many, for each seed.
type Firsts = Vec<Option<u64>>;

#[test]
fn the_documentation_has_each_program() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/weak-memory.md");
    let page = fs::read_to_string(page).expect("it is text");
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| `") && line.contains("::"));
    let rows: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let broken = PROGRAMS.iter().filter(|(_, found)| *found != Found::Never);
    let broken: Vec<&str> = broken.map(|(name, _)| *name).collect();
    assert_eq!(rows, broken);
}

#[test]
fn the_table_is_made_if_asked() {
    let Ok(seeds) = env::var("CCT_SEEDS") else {
        return;
    };
    let seeds: u32 = seeds.parse().expect("a number");
    let workspace = workspace();
    let most = MOST.to_string();
    let mut all: BTreeMap<String, [Firsts; STRATEGIES.len()]> = BTreeMap::new();
    for seed in 1..=seeds {
        for (place, strategy) in STRATEGIES.into_iter().enumerate() {
            let mut tool = workspace.cct();
            tool.args(["test", "--json", "--memory", "weak"])
                .args(["--strategy", strategy, "--iterations", &most])
                .args(["--seed", &seed.to_string()]);
            for (name, ended) in all_ended(&Events::of(&Finished::of(&mut tool))) {
                let first = ended["first_bug"].as_u64();
                all.entry(name.to_owned()).or_default()[place].push(first);
            }
        }
    }
    let mut table =
        String::from("| program | found | default | `random` | `pct:3` |\n|---|---|---|---|---|\n");
    for (name, found) in PROGRAMS.iter().filter(|(_, found)| *found != Found::Never) {
        let means = match found {
            Found::Never | Found::Late => "late stores",
            Found::Steps => "steps",
            Found::Race => "race",
            Found::Older => "older stores",
        };
        let _ = write!(table, "| `{name}` | {means} |");
        for firsts in &all[*name] {
            let _ = write!(table, " {} |", cell(firsts));
        }
        table.push('\n');
    }
    println!("{table}");
}

/// The median and the range of those that were found, and how many were if not all.
fn cell(firsts: &Firsts) -> String {
    let mut found: Vec<u64> = firsts.iter().flatten().copied().collect();
    found.sort_unstable();
    let (Some(least), Some(most)) = (found.first(), found.last()) else {
        return "none".to_owned();
    };
    // A search that found nothing counts as longer than all others.
    let median = found.get((firsts.len() - 1) / 2);
    let median = median.map_or_else(|| format!("> {MOST}"), u64::to_string);
    let range = if least == most {
        String::new()
    } else {
        format!(" ({least}–{most})")
    };
    let share = if found.len() == firsts.len() {
        String::new()
    } else {
        format!(", {} of {}", found.len(), firsts.len())
    };
    format!("{median}{range}{share}")
}
