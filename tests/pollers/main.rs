//! Generated programs of workers that poll: whether each comes to an end is known by how it was made.
//!
//! A program that ends must end in every schedule; one in which somebody polls for ever, and nobody counts
//! towards an end, must be a livelock in every schedule; and one that comes to an end only after more rounds
//! than the step bound has room for is neither: each of its schedules is cut off. More programs, from other
//! seeds: `POLLERS=1000:7 cargo test -p cct-tests --test pollers`.

mod program;

use cct::config::Settings;
use cct::harness::Explorer;
use cct::strategy::Spec;
use cct::verdict::{BugKind, Verdict};

use program::{Expected, Program};

/// How many programs of each seed there are in the suite.
const PROGRAMS: u64 = 40;
const SEEDS: [u64; 3] = [1, 2, 3];
const STRATEGIES: [&str; 4] = ["random", "sticky", "pct:3", "pos"];

/// One test, since there is one explorer in a process.
#[test]
fn each_program_ends_as_it_was_made_to() {
    let (programs, seeds) = asked().unwrap_or((PROGRAMS, SEEDS.to_vec()));
    let mut explorer = Explorer::new(&Settings::default());
    let mut deviations = Vec::new();
    let mut counts = [0; 3];
    for seed in seeds {
        for number in 0..programs {
            let program = Program::generate(seed, number);
            let expected = program.expected();
            counts[expected as usize] += 1;
            for strategy in STRATEGIES {
                let settings = Settings {
                    max_steps: Some(program::MAX_STEPS),
                    seed: Some(number),
                    ..Settings::default()
                };
                let strategies = Spec::parse(strategy).expect("a strategy").build();
                let mut verdicts = Vec::new();
                let mut resolved = settings.resolve();
                resolved.iterations = 2;
                let body = || program.run();
                explorer.survey(resolved, strategies, body, &mut |seen| {
                    verdicts.extend(seen.verdict.clone());
                });
                let wrong = verdicts.iter().find(|verdict| !fits(verdict, expected));
                if wrong.is_some() || verdicts.len() != 2 {
                    deviations.push(format!(
                        "{seed}:{number}, {strategy}: {expected:?}, but {wrong:?}\n{program:#?}"
                    ));
                }
            }
        }
    }
    println!("{counts:?} programs that end, poll for ever, end late");
    assert!(deviations.is_empty(), "\n{}", deviations.join("\n"));
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

fn fits(verdict: &Verdict, expected: Expected) -> bool {
    match (verdict, expected) {
        (Verdict::Passed, Expected::Ends) | (Verdict::CutOff, Expected::EndsLate) => true,
        (Verdict::Failed(bug), Expected::NeverEnds) => bug.kind == BugKind::Livelock,
        _ => false,
    }
}

/// `POLLERS=1000:7`: so many programs of that seed.
fn asked() -> Option<(u64, Vec<u64>)> {
    let asked = std::env::var("POLLERS").ok()?;
    let (programs, seed) = asked.split_once(':').expect("`POLLERS=programs:seed`");
    let number = |text: &str| text.parse().expect("`POLLERS` has two numbers");
    Some((number(programs), vec![number(seed)]))
}
