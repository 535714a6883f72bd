//! The oracle beyond what the engine sees in process: counts of references, plain memory, orderings. Programs
//! are drawn at random, family by family, and built by the tool; an interpreter that shares no code with it
//! says which races they have and, of those without one, all outcomes.
//!
//! `CCT_PROGRAMS=1300:7 cargo test -p cct-tests --test side_by_side memory:: -- --nocapture` tries so
//! many, of that seed.

mod compare;
mod families;
mod fixed;
mod machine;
mod minimise;
mod order;
mod program;
mod source;

use std::env;
use std::time::Instant;

use cct::strategy::{Rng, derive};
use cct_tests::support::Workspace;

use compare::{Compared, Known, compare, minimise};
use families::FAMILIES;
use machine::{Outcomes, Want, outcomes};
use program::{Memory, Program};

/// The most states of a program.
const STATES: usize = 30_000;

/// How many programs are built at once.
const AT_ONCE: usize = 260;

/// How many that differ are minimised and shown.
const SHOWN: usize = 3;

/// A program to be tried.
#[derive(Debug)]
struct Trial {
    family: &'static str,
    known: Known,
}

#[test]
fn the_tool_sees_what_the_model_says() {
    let (programs, seed) = request(&env::var("CCT_PROGRAMS").unwrap_or("65".to_owned()));
    let began = Instant::now();
    let workspace = Workspace::of_fixture("memory");
    let fixed = fixed::programs().into_iter().map(|program| {
        let outcomes = outcomes(&program, Want::Any, STATES).expect("it is small");
        let known = (program, outcomes);
        Trial {
            family: "fixed",
            known,
        }
    });
    let mut trials = fixed.chain((0..programs).map(|number| draw(seed, number)));
    let mut rows: Vec<Row> = Vec::new();
    let mut differing = Vec::new();
    loop {
        let trials: Vec<Trial> = trials.by_ref().take(AT_ONCE).collect();
        if trials.is_empty() {
            break;
        }
        let programs: Vec<&Known> = trials.iter().map(|trial| &trial.known).collect();
        for (trial, compared) in trials.iter().zip(compare(&workspace, &programs)) {
            let (program, outcomes) = &trial.known;
            let row = row_of(&mut rows, trial.family);
            row.count(program, outcomes, &compared);
            if !compared.differences.is_empty() {
                let differences = compared.differences.join("\n");
                println!("{}:\n{program}\n{differences}", trial.family);
                differing.push((program.clone(), differences));
            }
        }
    }
    let all = print(&rows);
    println!("seed {seed}, {:.1} s", began.elapsed().as_secs_f64());
    for (program, differences) in differing.iter().take(SHOWN) {
        let (smallest, found) = minimise(&workspace, program);
        println!(
            "smallest:\n{smallest}\n{}",
            found.as_ref().unwrap_or(differences)
        );
    }
    assert!(differing.is_empty(), "{} programs differ", differing.len());
    // Nothing is passed over that would make this a test of nothing.
    assert!(all.too_large * 5 <= all.programs && all.outcomes as u64 > all.programs);
    assert!(all.weaker > 0);
}

/// The number of programs, and the seed that may stand behind it.
fn request(text: &str) -> (u64, u64) {
    let (programs, seed) = text.split_once(':').unwrap_or((text, "1"));
    let number = |text: &str| text.parse().expect("a number");
    (number(programs), number(seed))
}

/// The program of this number: the first that is drawn in which something happens and nobody waits for ever,
/// and that has a race if it is one in three. Where memory is weak, one in three is to show it.
fn draw(seed: u64, number: u64) -> Trial {
    let count = FAMILIES.len() as u64;
    let family = &FAMILIES[(number % count) as usize];
    let turn = number / count % 3;
    let is_racy = family.can_race() && turn == 0;
    let want = if is_racy { Want::Any } else { Want::RaceFree };
    let seed = derive(seed, number);
    let mut drawn = (0..).map(|attempt| family.draw(Rng::new(derive(seed, attempt))));
    let known = drawn.find_map(|program| {
        if program.memory == Memory::Weak && program.reads_often() {
            return None;
        }
        let outcomes = outcomes(&program, want, STATES)?;
        let is_wanted = is_racy != outcomes.races.is_empty();
        let is_live = is_racy || outcomes.passed.len() > 1;
        let is_plain =
            turn == 1 && program.memory == Memory::Weak && !is_weaker(&program, &outcomes);
        (is_wanted && is_live && !is_plain).then_some((program, outcomes))
    });
    Trial {
        family: family.name,
        known: known.expect("there are such programs"),
    }
}

/// True if there are outcomes that loads of older stores lead to, and no others.
fn is_weaker(program: &Program, expected: &Outcomes) -> bool {
    let mut strong = program.clone();
    strong.memory = Memory::Sc;
    let latest = outcomes(&strong, Want::Any, STATES);
    latest.is_some_and(|latest| latest.passed != expected.passed)
}

/// The results of a family.
#[derive(Debug, Default)]
struct Row {
    family: &'static str,
    programs: u64,
    racy: u64,
    too_large: u64,
    executions: u64,
    outcomes: usize,
    /// How many have outcomes that they have only where memory is weak.
    weaker: u64,
    divergences: u64,
}

fn row_of<'a>(rows: &'a mut Vec<Row>, family: &'static str) -> &'a mut Row {
    let place = rows.iter().position(|row| row.family == family);
    let place = place.unwrap_or_else(|| {
        rows.push(Row {
            family,
            ..Row::default()
        });
        rows.len() - 1
    });
    &mut rows[place]
}

impl Row {
    fn count(&mut self, program: &Program, expected: &Outcomes, compared: &Compared) {
        self.programs += 1;
        self.too_large += u64::from(compared.is_too_large);
        self.executions += compared.executions;
        self.divergences += u64::from(!compared.differences.is_empty());
        if !expected.races.is_empty() {
            self.racy += 1;
            return;
        }
        self.outcomes += expected.passed.len();
        self.weaker += u64::from(is_weaker(program, expected));
    }
}

/// Prints the table; returns the sums.
fn print(rows: &[Row]) -> Row {
    println!(
        "| family | programs | with a race | too large | executions | outcomes | weaker | divergences |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let mut all = Row {
        family: "all",
        ..Row::default()
    };
    let line = |row: &Row| {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            row.family,
            row.programs,
            row.racy,
            row.too_large,
            row.executions,
            row.outcomes,
            row.weaker,
            row.divergences
        );
    };
    for row in rows {
        line(row);
        all.programs += row.programs;
        all.racy += row.racy;
        all.too_large += row.too_large;
        all.executions += row.executions;
        all.outcomes += row.outcomes;
        all.weaker += row.weaker;
        all.divergences += row.divergences;
    }
    line(&all);
    all
}
