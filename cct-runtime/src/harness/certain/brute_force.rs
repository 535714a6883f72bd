//! The search against brute force: small programs of which all continuations are known.

use std::collections::BTreeMap;

use super::continuation::{Continuation, Decision, Onward};
use super::search::{DRAWN, End, Ended, LISTED, Made, find};
use crate::harness::apart::Notes;
use crate::harness::small::Act::{Lock, Nothing};
use crate::harness::small::{Class, Program, State};
use crate::strategy::Rng;
use crate::trace::Schedule;
use crate::wire::Certain;

/// The ways to go on from a state.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Ways {
    /// How many there are.
    all: u64,
    /// How many of them fail.
    failing: u64,
    /// With which probability one does that is drawn.
    probability: f64,
}

/// The parts of a state: the steps of each worker, the values, the locks.
type Key = (Vec<usize>, Vec<usize>, [usize; 2], [bool; 2]);

fn ways(state: &State<'_>, known: &mut BTreeMap<Key, Ways>) -> Ways {
    let enabled: Vec<usize> = state.enabled().collect();
    if enabled.is_empty() {
        let fails = u8::from(state.class() != Class::Passes);
        return Ways {
            all: 1,
            failing: fails.into(),
            probability: fails.into(),
        };
    }
    let key = state.key();
    if let Some(ways) = known.get(&key) {
        return *ways;
    }
    let mut sum = Ways::default();
    for &worker in &enabled {
        let mut next = state.clone();
        next.make_step(worker);
        let next = ways(&next, known);
        sum.all += next.all;
        sum.failing += next.failing;
        sum.probability += next.probability / enabled.len() as f64;
    }
    known.insert(key, sum);
    sum
}

/// For each number of steps of the schedule, the ways to go on after them.
fn ways_after(program: &Program, schedule: &Schedule) -> Vec<Ways> {
    let runs = schedule.runs.iter();
    let order = runs.flat_map(|run| std::iter::repeat_n(run.worker as usize, run.steps as usize));
    let mut known = BTreeMap::new();
    let mut state = program.begin();
    let whole = ways(&state, &mut known);
    let mut after = vec![whole, whole];
    for worker in order.skip(1) {
        state.make_step(worker);
        after.push(ways(&state, &mut known));
    }
    after
}

fn made(program: &Program, schedule: &Schedule, (until, onward): (u32, &Onward)) -> Made {
    let notes = Notes::new();
    let mut continuation = Continuation::new(schedule, until, onward, &notes);
    let (_, came) = program.play(&mut continuation);
    assert!(!continuation.is_astray());
    let words = notes.words().expect("they are few").into_iter();
    let fails = came != Class::Passes;
    Made {
        end: if fails { End::Fails } else { End::Passes },
        decisions: words.map(Decision::of).collect(),
        is_decided: true,
    }
}

#[test]
fn the_step_is_the_one_that_brute_force_knows() {
    let mut rng = Rng::new(8);
    let (mut found, mut exactly, mut all) = (0, 0, 0);
    let (mut shares, mut probabilities, mut most) = (0.0, 0.0, 0);
    for _ in 0..400 {
        let program = Program::drawn(&mut rng);
        let (schedule, class) = program.play_at_random(&mut rng);
        let mut executions = 0;
        let certain = find(rng.bits(), &mut |until, onward| {
            executions += 1;
            Ok(made(&program, &schedule, (until, onward)))
        });
        most = most.max(executions);
        assert_eq!(certain.is_some(), class != Class::Passes);
        let Some(certain) = certain else {
            continue;
        };
        found += 1;
        let ways = ways_after(&program, &schedule);
        let earliest = ways.iter().position(|ways| ways.all == ways.failing);
        let earliest = earliest.expect("the schedule fails") as u32;
        // One that passes may not have been drawn; whatever was seen to pass is no error.
        assert!(
            certain.step <= earliest,
            "{certain:?}, {earliest}: {program:?}"
        );
        exactly += u32::from(certain.step == earliest);
        let there_are = ways[certain.step as usize].all;
        assert_eq!(
            certain.are_all,
            certain.step == earliest && there_are <= LISTED.into()
        );
        if certain.are_all {
            all += 1;
            assert_eq!(u64::from(certain.continuations), there_are);
        }
        assert!(certain.is_earliest);
        let share = certain.before.expect("no program fails from the start");
        assert_eq!(share.made, DRAWN);
        shares += f64::from(share.failing) / f64::from(DRAWN);
        probabilities += ways[certain.step as usize - 1].probability;
    }
    assert!(found > 100, "{found} fail");
    assert!(all > found / 2, "{all} of {found} were enumerated");
    assert!(
        exactly * 100 >= found * 95,
        "{exactly} of {found} are exact"
    );
    // Each share has a standard deviation of at most 1/2√32, and the mean of 100 a tenth of it.
    let (share, probability) = (shares / f64::from(found), probabilities / f64::from(found));
    assert!(
        (share - probability).abs() < 0.045,
        "{share}, {probability}"
    );
    assert!(most < 400, "{most} executions for one of them");
}

#[test]
fn what_there_was_no_time_for_is_not_told() {
    let mut rng = Rng::new(9);
    let (program, schedule) = loop {
        let program = Program::drawn(&mut rng);
        let (schedule, class) = program.play_at_random(&mut rng);
        if class == Class::LosesUpdate {
            break (program, schedule);
        }
    };
    let mut told = Vec::new();
    for most in 0..400 {
        let mut executions = 0;
        told.push(find(1, &mut |until, onward| {
            executions += 1;
            if executions > most {
                return Err(Ended::TimeIsOver);
            }
            Ok(made(&program, &schedule, (until, onward)))
        }));
    }
    assert_eq!(told[..9], [None; 9]);
    let last = told[told.len() - 1].expect("there was time");
    assert!(last.is_earliest && last.before.is_some());
    // With less time a later step may be told, and that it may be.
    for early in told.into_iter().flatten() {
        assert!(early.step >= last.step && (early.step == last.step || !early.is_earliest));
    }
}

#[test]
fn a_program_that_always_fails_does_so_from_the_start() {
    let twice = vec![Nothing, Lock(0), Lock(0)];
    for (workers, continuations) in [(vec![twice.clone()], 1), (vec![twice, vec![Nothing; 2]], 3)] {
        let program = Program { workers };
        let (schedule, class) = program.play_at_random(&mut Rng::new(1));
        assert_eq!(class, Class::Deadlocks);
        let certain = find(1, &mut |until, onward| {
            Ok(made(&program, &schedule, (until, onward)))
        });
        let expected = Certain {
            step: 0,
            continuations,
            are_all: true,
            before: None,
            is_earliest: true,
        };
        assert_eq!(certain, Some(expected));
    }
}

#[test]
fn nothing_is_told_of_a_schedule_that_cannot_be_followed() {
    assert_eq!(find(1, &mut |_, _| Err(Ended::Astray)), None);
    let mut executions = 0;
    let found = find(1, &mut |_, _| {
        executions += 1;
        let decision = |step| Decision {
            step,
            taken: 0,
            of: 2,
        };
        if executions > 40 {
            return Err(Ended::Astray);
        }
        Ok(Made {
            end: End::Fails,
            decisions: (1..9).map(decision).collect(),
            is_decided: true,
        })
    });
    assert_eq!(found, None);
}
