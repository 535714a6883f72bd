//! Data races of small programs, against all their executions and the definition of happens-before.
//!
//! `CCT_PROGRAMS=300 cargo test -p cct-tests --test races -- --nocapture` is the long form.
//! The definition itself is compared with ThreadSanitizer.

#[path = "../../cct-runtime/src/race/definition.rs"]
mod definition;
mod letters;
mod program;
mod thread_sanitizer;

use std::env;

use cct::strategy::{Rng, derive};
use cct_tests::support::{Finished, Workspace};
use program::Program;
use thread_sanitizer::ThreadSanitizer;

/// Programs that are always tried: the ways to hand a number on, each with an ordering that is too weak.
const KNOWN: [&str; 25] = [
    "P0;l0s",
    "P0;P1 s0r",
    "P1 s0l;?0a l1r",
    "W0;R0",
    "R0;R0",
    "W0;W1",
    "W0 s0l;?0a R0",
    "W0 s0r;?0a R0",
    "W0 s0l;?0r R0",
    "W0 s0s;?0s W0",
    "W0 Fl s0r;?0r Fa R0",
    "W0 Fl s0r;?0r R0",
    "W0 s0r Fl;?0r Fa R0",
    "W0 Fs s0r;?0r Fs R0",
    "m W0 u;m R0 u",
    "m W0 u;R0",
    "W0 f0l;?0r f0r;?0a R0",
    "W0 s0l;f0r;?0a R0",
    "W0 s0l s0r;?0a R0",
    "W0 s0l;s0r;?0a R0",
    "W0 s0l;?0a s1l;?1a R0",
    "W0 s0l;?0r s1l;?1a R0",
    "W0 f0b;?0a W0",
    "s0s l1s W0;s1s l0s R0",
    "m s0r W0 u;?0r m R0 u",
];

fn all_programs() -> impl Iterator<Item = String> {
    let drawn = env::var("CCT_PROGRAMS").map_or(8, |count| count.parse().expect("a number"));
    let known = KNOWN.iter().map(|text| (*text).to_owned());
    known.chain((0..drawn).map(draw))
}

#[test]
fn races_are_found_where_there_are_some_and_nowhere_else() {
    let workspace = Workspace::of_fixture_with_built_library(env!("CARGO_TARGET_TMPDIR"), "races");
    let (mut races, mut programs, mut not_all) = (0, 0, 0);
    for text in all_programs() {
        let is_racy = Program::of(&text).has_race();
        let args =
            "test -v --seed 1 --test program --counts none --strategy dpor --iterations 100000";
        let mut tool = workspace.cct();
        tool.args(args.split(' ')).env("PROGRAM", &text);
        let finished = Finished::of(&mut tool);
        let found = finished.stdout.contains("RACE races::program program");
        programs += 1;
        if is_racy && !found && finished.stdout.contains("spinning") {
            // Looks in a row count as such, and not all executions are made.
            not_all += 1;
            continue;
        }
        assert_eq!(found, is_racy, "`{text}`: {}", finished.stdout);
        finished.expect(if is_racy { 100 } else { 0 });
        assert!(
            found || finished.stdout.contains("proved over all"),
            "`{text}`"
        );
        races += u32::from(is_racy);
    }
    println!("{programs} programs, {races} of them with a race, {not_all} not to the end");
    assert!(not_all * 10 <= programs);
}

/// The sanitizer takes fences for nothing, and a relaxed store for no end of a release sequence: such
/// programs are counted by themselves.
#[test]
fn thread_sanitizer_finds_no_other_races() {
    let sanitizer = ThreadSanitizer::build();
    let kinds = [
        "other programs",
        "with a relaxed store after a release",
        "with fences",
    ];
    // For each kind: programs, race in both, in neither, by the definition alone, by the sanitizer alone.
    let mut counts = [[0_u32; 5]; 3];
    for text in all_programs() {
        let (is_racy, is_found) = (Program::of(&text).has_race(), sanitizer.finds_race(&text));
        let kind = if text.contains('F') {
            2
        } else {
            usize::from(text.split(';').any(ends_a_release_sequence))
        };
        assert!(is_racy || !is_found || kind == 2, "`{text}`");
        counts[kind][0] += 1;
        counts[kind][match (is_racy, is_found) {
            (true, true) => 1,
            (false, false) => 2,
            (true, false) => 3,
            (false, true) => 4,
        }] += 1;
    }
    for (kind, counts) in kinds.iter().zip(counts) {
        println!(
            "| {kind} | {} |",
            counts.map(|count| count.to_string()).join(" | ")
        );
    }
    assert!(counts[0][1] > 0 && counts[0][2] > 0);
}

/// True if a thread stores with release, and relaxed into the same atomic later.
fn ends_a_release_sequence(word: &str) -> bool {
    ["0", "1"].iter().any(|atomic| {
        let released = "lbs"
            .chars()
            .flat_map(|order| ["s", "f"].map(|operation| format!("{operation}{atomic}{order}")));
        let first = released.filter_map(|operation| word.find(&operation)).min();
        first.is_some_and(|at| word[at..].contains(&format!("s{atomic}r")))
    })
}

/// Two or three threads that write and read numbers, and tell each other by atomics.
fn draw(number: u64) -> String {
    let mut rng = Rng::new(derive(2, number));
    let threads = 2 + rng.below(2);
    let mut word = || {
        let length = 2 + rng.below(if threads == 2 { 4 } else { 2 });
        let operations = (0..length).map(|_| {
            let which = rng.below(2);
            let mut any = |of: &str| char::from(of.as_bytes()[rng.below(of.len() as u32) as usize]);
            match any("RWRWPsslf??F") {
                plain @ ('R' | 'W' | 'P') => format!("{plain}{which}"),
                's' => format!("s{which}{}", any("rlls")),
                'l' => format!("l{which}{}", any("raas")),
                'f' => format!("f{which}{}", any("ralbs")),
                '?' => format!("?{which}{}", any("raas")),
                _ => format!("F{}", any("albs")),
            }
        });
        operations.collect::<Vec<String>>().join(" ")
    };
    let words: Vec<String> = (0..threads).map(|_| word()).collect();
    words.join(";")
}
