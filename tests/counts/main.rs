//! Counts of references against an independent model: programs come to all that it says, and to no more.
//!
//! `CCT_PROGRAMS=300 cargo test -p cct-tests --test counts -- --nocapture` is the long form.

mod model;

use std::collections::BTreeSet;
use std::{env, fs};

use cct::strategy::{Rng, derive};
use cct_tests::support::{Finished, Workspace};
use model::Program;

/// Programs that are always tried: each operation against each that can tell.
const KNOWN: [&str; 12] = [
    "d d", "c cdd", "s d", "t t", "u d", "cs t", "du ds", "ts u", "xw w", "m dx", "xm xm", "u xt",
];

#[test]
fn all_outcomes_of_small_programs_are_reached_and_no_other() {
    let drawn = env::var("CCT_PROGRAMS").map_or(6, |count| count.parse().expect("a number"));
    let known = KNOWN
        .iter()
        .map(|words| Program(words.split(' ').map(str::to_owned).collect()));
    let workspace = Workspace::of_fixture("counts");
    let (mut outcomes, mut too_large) = (0, 0);
    for program in known.chain((0..drawn).map(draw)) {
        let expected = program.outcomes();
        let (reached, are_all) = reached(&workspace, &program);
        if are_all {
            assert_eq!(reached, expected, "{program:?}");
        } else {
            assert!(reached.is_subset(&expected), "{program:?}: {reached:?}");
            too_large += 1;
        }
        outcomes += reached.len();
    }
    let programs = KNOWN.len() as u64 + drawn;
    println!("{programs} programs, {too_large} of them not to the end; {outcomes} outcomes");
    assert!(too_large * 10 <= programs);
}

/// Two threads with up to three operations each.
fn draw(number: u64) -> Program {
    let mut rng = Rng::new(derive(1, number));
    let mut word = || {
        let length = 1 + rng.below(3);
        let letters = (0..length).map(|_| char::from(b"cdmstuwx"[rng.below(8) as usize]));
        letters.collect()
    };
    Program(vec![word(), word()])
}

/// The outcomes of the program's executions, and whether these were all that there are.
fn reached(workspace: &Workspace, program: &Program) -> (BTreeSet<String>, bool) {
    let file = workspace.path("outcomes");
    let _ = fs::remove_file(&file);
    // Where nobody looks at counts, drops are enough.
    let counts = if program.only_drops() { "drops" } else { "all" };
    let args = "test -v --seed 1 --test program --strategy dpor --iterations 100000 --races=false --counts";
    let mut tool = workspace.cct();
    tool.args(args.split(' '))
        .arg(counts)
        .env("PROGRAM", program.0.join(" "))
        .env("OUTCOMES", &file);
    let finished = Finished::of(&mut tool);
    finished.expect(0);
    let seen = fs::read_to_string(&file).expect("it was written");
    let seen = seen.lines().map(str::to_owned).collect();
    (seen, finished.stdout.contains("proved over all"))
}
