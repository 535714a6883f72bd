//! Stories of schedules made by hand.

use cct::operation::Operation as Op;
use cct::trace::{Outcome, Site, Step, Trace, Value};
use cct::verdict::{Bug, BugKind, Wait};

use super::super::names::Names;
use super::super::source::Source;
use super::{Scene, Story};
use crate::sample;

/// A step of a worker on an object; the object is also the file's name.
fn on(worker: u32, op: Op, object: u32) -> (Step, String) {
    let (mut step, _) = sample::step(worker, op, "");
    step.object = Some(object);
    (step, format!("src/{object}.rs"))
}

/// The same with what was read and what was written.
fn with(worker: u32, op: Op, read: Option<u64>, written: Option<u64>) -> (Step, String) {
    let (mut step, file) = on(worker, op, 0);
    step.read = read.map(Value::Unsigned);
    step.written = written.map(Value::Unsigned);
    (step, file)
}

fn waits(mut step: (Step, String)) -> (Step, String) {
    step.0.outcome = Outcome::Waits;
    step
}

fn wait(worker: u32, op: Op, object: u32, holder: Option<u32>) -> Wait {
    Wait {
        worker,
        operation: op as u8,
        address: 0,
        object: Some(object),
        site: Site {
            file: format!("src/{object}.rs"),
            line: 1,
            column: 9,
        },
        holder,
        spins: false,
        in_cycle: holder.is_some(),
        task: None,
        caller: None,
    }
}

fn text(trace: &Trace, bug: &Bug) -> String {
    let names = Names::of(trace, &Source::new(std::path::Path::new("/nowhere")));
    let scene = Scene {
        trace,
        names: &names,
        bug,
        failing: trace.steps.len() - 1,
        torn: None,
        tells_callers: false,
    };
    Story::of(&scene).text(&scene)
}

/// The story of a panic of `main` at the last step.
fn of_panic(steps: &[(Step, String)]) -> String {
    let site = Site {
        file: "src/t.rs".to_owned(),
        line: 9,
        column: 5,
    };
    let bug = Bug::new(BugKind::Panic, String::new(), Some(site), Some(0));
    text(&sample::trace(steps), &bug)
}

fn of_deadlock(steps: &[(Step, String)], waits: Vec<Wait>) -> String {
    let bug = Bug {
        waits,
        ..Bug::new(BugKind::Deadlock, String::new(), None, None)
    };
    text(&sample::trace(steps), &bug)
}

#[test]
fn an_update_that_is_lost_is_told_in_order() {
    let steps = [
        with(1, Op::Load, Some(5), None),
        with(2, Op::Load, Some(5), None),
        with(2, Op::Store, None, Some(6)),
        with(1, Op::Store, None, Some(6)),
        with(0, Op::Load, Some(6), None),
    ];
    assert_eq!(
        of_panic(&steps),
        "w1 read `atomic` = 5 at 0.rs:1 (step 1), w2 wrote 6 at 0.rs:1 (step 3), and w1 \
         overwrote it with 6 at 0.rs:1 (step 4). main read `atomic` = 6 at 0.rs:1 (step 5) and \
         panicked at t.rs:9."
    );
}

#[test]
fn a_check_that_no_longer_holds_is_told() {
    let steps = [
        with(0, Op::Load, Some(100), None),
        with(1, Op::FetchSub, Some(100), Some(0)),
        with(0, Op::FetchSub, Some(0), Some(0)),
    ];
    let told = of_panic(&steps);
    let expected = "main read `atomic` = 100 at 0.rs:1 (step 1), w1 changed it from 100 to 0 at \
     0.rs:1 (step 2), and main changed it from 0 to 0 at 0.rs:1 (step 3).";
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_value_is_told_with_its_writer() {
    let steps = [
        with(1, Op::Store, None, Some(7)),
        with(0, Op::Load, Some(7), None),
    ];
    assert_eq!(
        of_panic(&steps),
        "main read `atomic` = 7 at 0.rs:1 (step 2), which w1 had written at 0.rs:1 (step 1), and \
         panicked at t.rs:9."
    );
    assert_eq!(
        of_panic(&steps[1..]),
        "main read `atomic` = 7 at 0.rs:1 (step 1), which no step had written, and panicked at \
         t.rs:9."
    );
}

#[test]
fn locks_that_were_given_back_in_between_are_told() {
    let steps = [
        on(1, Op::Lock, 0),
        on(0, Op::Lock, 0),
        on(1, Op::Lock, 0),
        on(0, Op::Join, 1),
    ];
    assert_eq!(
        of_panic(&steps),
        "w1 took `mutex` at 0.rs:1 (step 1), main took it at 0.rs:1 (step 2), and w1 took it \
         again at 0.rs:1 (step 3). main panicked at t.rs:9."
    );
}

#[test]
fn without_a_pattern_the_last_step_is_told() {
    let steps = [on(1, Op::Send, 0), on(0, Op::Recv, 0)];
    assert_eq!(
        of_panic(&steps),
        "main came to `channel.recv` at 0.rs:1 (step 2) and panicked at t.rs:9."
    );
}

#[test]
fn a_time_out_that_came_first_is_told() {
    let mut steps = [
        on(0, Op::RecvTimeout, 0),
        on(1, Op::Send, 0),
        on(0, Op::Join, 1),
    ];
    steps[0].0.outcome = Outcome::TimedOut;
    steps[0].0.ahead_of = vec![1];
    let told = of_panic(&steps);
    let expected = "the time-out of main's `channel.recv_timeout` at 0.rs:1 (step 1) came \
     although w1 could run; w1 sent to it at 0.rs:1 (step 2). main panicked at t.rs:9.";
    assert_eq!(told, expected);
}

#[test]
fn a_channel_whose_other_end_has_gone_is_told() {
    let mut steps = [on(1, Op::Disconnect, 0), on(0, Op::Send, 0)];
    steps[1].0.outcome = Outcome::Refused;
    assert_eq!(
        of_panic(&steps),
        "w1 gave up its end of `channel` (step 1) and main could not send to it at 0.rs:1 \
         (step 2). main panicked at t.rs:9."
    );
}

#[test]
fn a_panic_of_another_worker_is_told_with_a_wait() {
    let steps = [waits(on(0, Op::Wait, 0)), on(1, Op::Panic, 1)];
    assert_eq!(
        of_deadlock(&steps, vec![wait(0, Op::Wait, 0, None)]),
        "w1 panicked at 1.rs:1 (step 2). main began to wait for `condvar` at 0.rs:1 (step 1), and \
         nobody ever notified it."
    );
}

#[test]
fn each_worker_of_a_circle_is_told_with_its_lock() {
    let steps = [
        on(1, Op::Lock, 0),
        on(2, Op::Lock, 1),
        waits(on(1, Op::Lock, 1)),
    ];
    let bugs = vec![wait(2, Op::Lock, 0, Some(1)), wait(1, Op::Lock, 1, Some(2))];
    assert_eq!(
        of_deadlock(&steps, bugs),
        "w1 holds `mutex#1` (taken at 0.rs:1, step 1) and waits for `mutex#2` at 1.rs:1 (step \
         3), which w2 holds; w2 holds `mutex#2` (taken at 1.rs:1, step 2) and waits for \
         `mutex#1` at 0.rs:1, which w1 holds."
    );
}

#[test]
fn a_notification_that_came_too_early_is_told() {
    let steps = [on(0, Op::NotifyOne, 0), waits(on(1, Op::Wait, 0))];
    assert_eq!(
        of_deadlock(&steps, vec![wait(1, Op::Wait, 0, None)]),
        "main notified `condvar` at 0.rs:1 (step 1) when nobody waited for it, w1 began to wait \
         for it at 0.rs:1 (step 2), and nobody notified it after that."
    );
}

#[test]
fn the_worker_that_was_woken_instead_is_told() {
    let steps = [
        waits(on(1, Op::Wait, 0)),
        waits(on(2, Op::Wait, 0)),
        on(0, Op::NotifyOne, 0),
        on(2, Op::Lock, 1),
    ];
    assert_eq!(
        of_deadlock(&steps, vec![wait(1, Op::Wait, 0, None)]),
        "w1 began to wait for `condvar` at 0.rs:1 (step 1), main notified it at 0.rs:1 (step 3), \
         which woke w2, and nobody notified it after that."
    );
}

#[test]
fn it_is_not_guessed_who_was_woken() {
    let steps = [
        waits(on(1, Op::Wait, 0)),
        waits(on(2, Op::Wait, 0)),
        on(0, Op::NotifyOne, 0),
        on(0, Op::NotifyOne, 0),
        on(2, Op::Lock, 1),
        on(1, Op::Lock, 1),
        waits(on(1, Op::Wait, 0)),
    ];
    let told = of_deadlock(&steps, vec![wait(1, Op::Wait, 0, None)]);
    assert!(!told.contains("which woke"), "{told}");
}

#[test]
fn a_worker_that_spins_is_told_with_what_it_reads() {
    let mut steps = vec![with(0, Op::Store, None, Some(1))];
    steps.extend((0..5).map(|_| with(1, Op::Load, Some(1), None)));
    let spins = Wait {
        spins: true,
        ..wait(1, Op::Load, 0, None)
    };
    assert_eq!(
        of_deadlock(&steps, vec![spins]),
        "w1 read `atomic` = 1 at 0.rs:1 again and again (5 times from step 2 on), which main had \
         written at 0.rs:1 (step 1)."
    );
}
