//! The search against brute force: small programs of which all schedules are tried.

use std::sync::atomic::Ordering;

use super::follow::Follow;
use super::outline::{Cost, Outline};
use super::points::Point;
use super::search::{Made, shrink};
use crate::harness::apart::Notes;
use crate::harness::small::Act::{Nothing, Read, Write};
use crate::harness::small::{Class, Program, State};
use crate::strategy::Rng;

impl Program {
    /// Follows an outline; it is to come out as the first one did. With `dies` its failure ends the process.
    fn make(&self, outline: &Outline, expected: &mut Option<Class>, dies: bool) -> Made {
        let notes = Notes::new();
        let mut follow = Follow::new(outline, &notes);
        let (mut schedule, class) = self.play(&mut follow);
        let fails = class != Class::Passes && class == *expected.get_or_insert(class);
        let steps = schedule.runs.iter().map(|run| u64::from(run.steps)).sum();
        let mut points = Some(follow.points());
        if dies && class != Class::Passes {
            points = Point::noted(&notes);
            let last = schedule.runs.last_mut();
            last.expect("it has made a step").steps = 0;
        }
        let lengths = (notes.number.load(Ordering::Relaxed), steps);
        Made::new(schedule, points, lengths, fails)
    }

    /// The fewest preemptions of any schedule that comes out like this; there is one.
    fn fewest(&self, class: Class) -> u64 {
        let fewest = (0..20).find(|&most| self.begin().may_become(class, most));
        fewest.expect("some schedule does")
    }
}

impl State<'_> {
    /// True if it may come out like this with so many preemptions more.
    fn may_become(&self, class: Class, most: u64) -> bool {
        if !self.is_anyone_enabled() {
            return self.class() == class;
        }
        let goes_on = self.enabled().any(|worker| worker == self.current);
        self.enabled().any(|worker| {
            let preempts = u64::from(goes_on && worker != self.current);
            preempts <= most && {
                let mut next = self.clone();
                next.make_step(worker);
                next.may_become(class, most - preempts)
            }
        })
    }
}

/// A schedule that is drawn.
fn drawn(program: &Program, rng: &mut Rng) -> (Outline, Class) {
    let (schedule, class) = program.play_at_random(rng);
    (Outline::of(&schedule), class)
}

#[test]
fn no_preemption_is_left_that_brute_force_can_spare() {
    let mut rng = Rng::new(5);
    let (mut shrunk, mut by_preemptions) = ([0; 2], [0; 8]);
    let mut most = 0;
    for round in 0..400 {
        let program = Program::drawn(&mut rng);
        let (outline, class) = drawn(&program, &mut rng);
        let mut last: Option<Cost> = None;
        let mut told = |made: &Made, executions: u64, is_complete: Option<bool>| {
            // The last one is told once more.
            assert!(last.is_none_or(|before| made.cost <= before));
            assert_ne!(is_complete, Some(false), "there is time for all");
            last = Some(made.cost);
            most = most.max(executions);
        };
        let mut expected = None;
        let mut make = |outline: &Outline| program.make(outline, &mut expected, round % 2 == 1);
        shrink((&outline, false), 1, &mut make, &mut told, &mut || false);
        assert_eq!(last.is_some(), class != Class::Passes);
        let Some(cost) = last else {
            continue;
        };
        shrunk[usize::from(class == Class::Deadlocks)] += 1;
        by_preemptions[cost.preemptions as usize] += 1;
        assert_eq!(cost.preemptions, program.fewest(class), "{program:?}");
    }
    assert!(
        shrunk[0] > 80 && shrunk[1] > 5,
        "{shrunk:?} of the schedules failed"
    );
    assert!(by_preemptions[1] > 20, "{by_preemptions:?}");
    assert!(most < 6_000, "{most} executions for one of them");
}

#[test]
fn a_schedule_that_does_not_fail_is_not_shrunk() {
    let program = Program {
        workers: vec![
            vec![Nothing, Read(0), Write(0)],
            vec![Nothing, Read(1), Write(1)],
        ],
    };
    let (outline, _) = drawn(&program, &mut Rng::new(1));
    let mut told = |_: &Made, _: u64, _: Option<bool>| panic!("nothing is lost");
    let mut make = |outline: &Outline| program.make(outline, &mut None, false);
    shrink((&outline, false), 1, &mut make, &mut told, &mut || false);
}

#[test]
fn the_search_ends_when_time_is_over() {
    let add = [Read(0), Write(0)];
    let worker = [&[Nothing][..], &add, &add, &add].concat();
    let program = Program {
        workers: vec![worker.clone(), worker],
    };
    let mut rng = Rng::new(3);
    let outline = loop {
        let (outline, class) = drawn(&program, &mut rng);
        if class == Class::LosesUpdate {
            break outline;
        }
    };
    let mut told = Vec::new();
    let mut left = 3;
    let mut is_over = || {
        left -= 1;
        left <= 0
    };
    let mut tell = |_: &Made, executions: u64, is_complete: Option<bool>| {
        assert_ne!(is_complete, Some(true), "there was no time for the rest");
        told.push(executions);
    };
    let mut expected = None;
    let mut make = |outline: &Outline| program.make(outline, &mut expected, false);
    shrink((&outline, false), 1, &mut make, &mut tell, &mut is_over);
    assert_eq!(told.first(), Some(&1), "the schedule itself");
    // Its own execution, and one for each time that there was time.
    assert_eq!(told.last(), Some(&3));
}
