//! Runs programs under the tool, many in one build, and says where it differs from the model.

use std::collections::BTreeSet;
use std::fs;

use cct_tests::support::{Events, Finished, Workspace};
use serde_json::Value;

use crate::memory::STATES;
use crate::memory::machine::{Outcomes, Want, outcomes};
use crate::memory::minimise::smaller;
use crate::memory::program::{Home, Memory, Program};
use crate::memory::source::Source;

/// The strategies that see all, and which memory they do so of.
const STRATEGIES: [(&str, Memory); 3] = [
    ("dfs", Memory::Sc),
    ("dpor", Memory::Sc),
    ("dfs", Memory::Weak),
];

/// The most schedules of a program.
const SCHEDULES: u64 = 20_000;

/// How many programs a file has.
const IN_A_FILE: usize = 25;

/// The results of a program under all strategies.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// The differences, a line for each strategy.
    pub(crate) differences: Vec<String>,
    /// A strategy did not come to its end.
    pub(crate) is_too_large: bool,
    pub(crate) executions: u64,
}

/// A program with what the model says of it.
pub(crate) type Known = (Program, Outcomes);

/// Compares programs with what the tool sees of them.
pub(crate) fn compare(workspace: &Workspace, programs: &[&Known]) -> Vec<Compared> {
    let sources = write(workspace, programs);
    let mut all: Vec<Compared> = programs.iter().map(|_| Compared::default()).collect();
    for (strategy, memory) in STRATEGIES {
        if programs.iter().all(|(program, _)| program.memory != memory) {
            continue;
        }
        let folder = workspace.path("outcomes");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the copy is writable");
        let mut tool = workspace.cct();
        tool.args(["test", "--json", "--seed", "1", "--strategy", strategy])
            .args(["--memory", word(memory), word(memory)])
            .args(["--iterations", &SCHEDULES.to_string()])
            .env("OUTCOMES", &folder);
        let finished = Finished::of(&mut tool);
        assert!(
            matches!(finished.code, Some(0 | 100)),
            "{}\n{}",
            finished.stdout,
            finished.stderr
        );
        let events = Events::of(&finished);
        let ended = events.ended();
        for (index, (program, expected)) in programs.iter().enumerate() {
            if program.memory != memory {
                continue;
            }
            let (file, name) = (index / IN_A_FILE, name(program, index));
            let ended = ended.get(&format!("memory::programs{file} {name}"));
            let ended = ended.unwrap_or_else(|| panic!("{name} did not run: {program}"));
            let outcomes = fs::read_to_string(folder.join(name));
            let seen = Seen {
                ended,
                outcomes: outcomes
                    .unwrap_or_default()
                    .lines()
                    .map(str::to_owned)
                    .collect(),
                source: &sources[file],
            };
            let compared = &mut all[index];
            compared.executions += ended["counters"]["schedules"].as_u64().unwrap_or(0);
            compared.is_too_large |= !seen.is_complete();
            let difference = seen.difference(program.home, expected);
            compared
                .differences
                .extend(difference.map(|it| format!("{strategy} {it}")));
        }
    }
    all
}

/// Leaves out one operation after the other, as long as the tool still differs; says how.
pub(crate) fn minimise(workspace: &Workspace, program: &Program) -> (Program, Option<String>) {
    let mut smallest = (program.clone(), None);
    loop {
        let candidates = smaller(&smallest.0).into_iter().filter_map(|program| {
            let outcomes = outcomes(&program, Want::Any, STATES)?;
            Some((program, outcomes))
        });
        let candidates: Vec<Known> = candidates.collect();
        let compared = compare(workspace, &candidates.iter().collect::<Vec<_>>());
        let differs = |it: &Compared| !it.differences.is_empty();
        let Some(index) = compared.iter().position(differs) else {
            return smallest;
        };
        let differences = compared[index].differences.join("\n");
        smallest = (candidates[index].0.clone(), Some(differences));
    }
}

/// Writes the files of tests, and removes those of earlier programs.
fn write(workspace: &Workspace, programs: &[&Known]) -> Vec<Source> {
    let _ = fs::remove_dir_all(workspace.path("tests"));
    let mut sources = Vec::new();
    for (file, programs) in programs.chunks(IN_A_FILE).enumerate() {
        let mut source = Source::new();
        for (index, (program, _)) in programs.iter().enumerate() {
            source.add(&name(program, file * IN_A_FILE + index), program);
        }
        workspace.write(&format!("tests/programs{file}.rs"), &source.text);
        sources.push(source);
    }
    sources
}

/// The test of the program with this number: a filter finds all of one memory.
fn name(program: &Program, index: usize) -> String {
    format!("{}_{index}", word(program.memory))
}

fn word(memory: Memory) -> &'static str {
    match memory {
        Memory::Sc => "sc",
        Memory::Weak => "weak",
    }
}

/// All that a strategy has seen of a program.
struct Seen<'a> {
    ended: &'a Value,
    outcomes: BTreeSet<String>,
    source: &'a Source,
}

impl Seen<'_> {
    fn status(&self) -> &str {
        self.ended["status"].as_str().unwrap_or("?")
    }

    /// True if no schedule was left that matters; loops that spin are turned another way.
    fn is_complete(&self) -> bool {
        let claim = &self.ended["claim"];
        let left_out = claim["but_for"].as_array().into_iter().flatten();
        let mut left_out = left_out.filter_map(Value::as_str);
        self.status() == "RACE" || claim.is_object() && !left_out.any(|it| it == "spinning")
    }

    fn difference(&self, home: Home, expected: &Outcomes) -> Option<String> {
        match self.status() {
            "RACE" => {
                let race = self.race();
                let is_known = race.as_ref().is_ok_and(|race| {
                    // A thread's accesses to its own stack are looked at only once others come there.
                    let is_later = home == Home::Stack && expected.later_races.contains(race);
                    expected.races.contains(race) || is_later
                });
                (!is_known).then(|| format!("finds a race of {race:?}"))
            }
            "PASS" if !expected.races.is_empty() => self
                .is_complete()
                .then(|| format!("finds none of the races {:?}", expected.races)),
            "PASS" => {
                let wrong: Vec<_> = self.outcomes.difference(&expected.passed).collect();
                let missing: Vec<_> = expected.passed.difference(&self.outcomes).collect();
                if !wrong.is_empty() {
                    Some(format!("sees {wrong:?}, which do not happen"))
                } else if !missing.is_empty() && self.is_complete() {
                    Some(format!("misses {missing:?}"))
                } else {
                    None
                }
            }
            other => Some(format!(
                "says {other}: {}",
                self.ended["failure"]["bug"]["message"]
            )),
        }
    }

    /// The numbers of the operations that race.
    fn race(&self) -> Result<(usize, usize), String> {
        let race = &self.ended["failure"]["bug"]["race"];
        let operation = |which: &str| {
            let site = &race[which]["site"];
            let line = site["line"].as_u64().unwrap_or(0);
            let operation = self.source.operations.get(&(line as u32));
            operation.copied().ok_or(site.to_string())
        };
        let (one, other) = (operation("earlier")?, operation("later")?);
        Ok((one.min(other), one.max(other)))
    }
}
