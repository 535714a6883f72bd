//! Litmus tests: the outcomes of small programs under weak memory, against those that C++20 allows, by a
//! checker that shares no code with the engine.
//!
//! `CCT_PROGRAMS=2000 cargo test -p cct-tests --test litmus -- --nocapture` is the long form.

mod axioms;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::{env, fs};

use axioms::{Outcome, outcomes};
use cct::strategy::{Rng, derive};
use cct_tests::support::{Finished, Workspace};

/// Shapes, with a star for each ordering: of a store, a load, a fence, or both at once, by the letter before.
const SHAPES: [(&str, &str); 18] = [
    ("MP", "s0*1 s1*1;l1* l0*"),
    ("MP with fences", "s0r1 F* s1r1;l1r F* l0r"),
    ("SB", "s0*1 l1*;s1*1 l0*"),
    ("SB with fences", "s0r1 F* l1r;s1r1 F* l0r"),
    ("LB", "l0* s1*1;l1* s0*1"),
    ("2+2W", "s0*1 s1*2;s1*1 s0*2"),
    ("R", "s0*1 s1*1;s1*2 l0*"),
    ("S", "s0*2 s1*1;l1* s0*1"),
    ("CoRR", "s0*1 s0*2;l0* l0*"),
    ("CoWW and CoRW", "s0*1;l0* s0*2 l0*"),
    ("WRC", "s0*1;l0* s1*1;l1* l0*"),
    ("RWC", "s0*1;l0* l1*;s1*1 l0*"),
    ("IRIW", "s0*1;s1*1;l0* l1*;l1* l0*"),
    ("Dekker by exchanges", "f0*1 l1*;f1*1 l0*"),
    ("release sequence", "s0r1 s1*1;f1*1;l1* l0r"),
    ("overwritten release", "s0r1 s1*1 s1*2;l1* l0r"),
    ("lock by compare-exchange", "c0**01 s1r1;c0**01 l1r"),
    ("a failing compare-exchange", "s1r1 s0*1;c0**02 l1r"),
];

#[test]
fn loads_read_what_they_may_and_nothing_else() {
    let most = env::var("CCT_PROGRAMS").map_or(60, |count| count.parse().expect("a number"));
    let programs = programs(most);
    let workspace = Workspace::of_fixture("litmus");
    let mut tests = String::new();
    for (index, program) in programs.iter().enumerate() {
        let _ = writeln!(
            tests,
            "#[test]\nfn p{index}() {{ litmus::run(\"p{index}\", \"{program}\"); }}"
        );
    }
    workspace.write("tests/programs.rs", &tests);
    let folder = workspace.path("outcomes");
    fs::create_dir_all(&folder).expect("the copy is writable");
    let args = "test -v --seed 1 --memory weak --strategy dfs --iterations 300000 \
                --counts none --races=false";
    let mut tool = workspace.cct();
    tool.args(args.split(' ')).env("OUTCOMES", &folder);
    let finished = Finished::of(&mut tool);
    finished.expect(0);
    let (mut all, mut allowed, mut late, mut not_all) = (0, 0, 0, 0);
    for (index, program) in programs.iter().enumerate() {
        let reached = read(&fs::read_to_string(folder.join(format!("p{index}"))).expect("it ran"));
        let expected = outcomes(program);
        assert!(expected.in_order.is_subset(&expected.allowed));
        let wrong: Vec<_> = reached.difference(&expected.in_order).collect();
        assert!(
            wrong.is_empty(),
            "`{program}`: {wrong:?} is reached, and not allowed"
        );
        let name = format!(" p{index} ");
        let is_done = |line: &str| {
            format!("{line} ").contains(&name) && line.contains("all") && !line.contains("spinning")
        };
        if !finished.stdout.lines().any(is_done) {
            println!("not to the end: `{program}`");
            not_all += 1;
            continue;
        }
        let required = outcomes(&with_fences(program)).in_order;
        let missing: Vec<_> = required.difference(&reached).collect();
        assert!(
            missing.is_empty(),
            "`{program}`: {missing:?} is not reached"
        );
        all += reached.len();
        allowed += expected.allowed.len();
        late += usize::from(expected.allowed != expected.in_order);
    }
    let count = programs.len();
    println!(
        "{count} programs, {not_all} not to the end: {all} outcomes of {allowed} that are allowed; \
         {late} programs have some that need late stores"
    );
    assert!(not_all * 10 <= count && all > count, "{}", finished.stdout);
}

/// The program with a fence behind each sequentially consistent operation that replaces a value: on x86-64 it
/// counts as one, as on the processor.
fn with_fences(program: &str) -> String {
    let words = program.split_inclusive([' ', ';']).map(|word| {
        let is_one = word.starts_with(['f', 'c']) && word.as_bytes().get(2) == Some(&b's');
        let (operation, end) = word.split_at(word.trim_end_matches([' ', ';']).len());
        let fence = if is_one && cfg!(target_arch = "x86_64") {
            " Fs"
        } else {
            ""
        };
        format!("{operation}{fence}{end}")
    });
    words.collect()
}

fn read(text: &str) -> BTreeSet<Outcome> {
    let numbers = |line: &str| {
        line.split(' ')
            .map(|word| word.parse().expect("a number"))
            .collect()
    };
    text.lines().map(numbers).collect()
}

/// So many of all programs that the shapes make, each shape with its strongest and its weakest orderings. Of
/// four threads there are too many schedules, so that no more of these are drawn.
fn programs(most: usize) -> Vec<String> {
    let mut first = Vec::new();
    let mut rest = Vec::new();
    for (_, shape) in SHAPES {
        let mut all = filled(shape);
        first.extend([all.remove(0), all.pop().expect("there are several")]);
        if shape.split(';').count() < 4 {
            rest.extend(all);
        }
    }
    let mut rng = Rng::new(derive(3, 0));
    while first.len() < most && !rest.is_empty() {
        let drawn = rng.below(rest.len() as u32) as usize;
        first.push(rest.swap_remove(drawn));
    }
    first
}

/// The shape with each combination of orderings in the places of its stars.
fn filled(shape: &str) -> Vec<String> {
    let Some(star) = shape.find('*') else {
        return vec![shape.to_owned()];
    };
    let (before, after) = (&shape[..star], &shape[star + 1..]);
    let operation = before.rfind([' ', ';']).map_or(0, |at| at + 1);
    let letters = match (before.as_bytes()[operation], star - operation) {
        (b's', _) => "rls",
        (b'l', _) | (b'c', 3) => "ras",
        (b'F', _) => "albs",
        _ => "ralbs",
    };
    let with = |letter: char| filled(&format!("{before}{letter}{after}"));
    letters.chars().flat_map(with).collect()
}
