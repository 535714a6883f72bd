//! Stories of schedules made by hand.

use cct::operation::Operation as Op;
use cct::trace::{MemoryOrder, Older, Outcome, Site, Step, Trace, Value};
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
    of_failure(BugKind::Panic, &sample::trace(steps))
}

/// The story of a failure of `main` at the last step.
fn of_failure(kind: BugKind, trace: &Trace) -> String {
    let site = Site {
        file: "src/t.rs".to_owned(),
        line: 9,
        column: 5,
    };
    let bug = Bug::new(kind, String::new(), Some(site), Some(0));
    text(trace, &bug)
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

#[test]
fn a_worker_that_goes_round_over_several_objects_is_told_with_all() {
    let mut steps = vec![with(0, Op::Store, None, Some(1))];
    for _ in 0..3 {
        steps.push(with(1, Op::Load, Some(1), None));
        let mut other = with(1, Op::Load, Some(0), None);
        (other.0.object, other.1) = (Some(1), "src/1.rs".to_owned());
        steps.push(other);
    }
    let spins = Wait {
        spins: true,
        ..wait(1, Op::Load, 0, None)
    };
    assert_eq!(
        of_deadlock(&steps, vec![spins]),
        "w1 read `atomic#1` = 1 at 0.rs:1 again and again (3 times from step 2 on), which main had \
         written at 0.rs:1 (step 1), w1 read `atomic#2` = 0 at 1.rs:1 again and again (3 times from \
         step 3 on), which no step had written."
    );
}

#[test]
fn a_lock_that_is_tried_again_and_again_is_told_with_its_holder() {
    let mut steps = vec![on(0, Op::Lock, 0)];
    for _ in 0..2 {
        let mut tries = on(1, Op::TryLock, 0);
        tries.0.outcome = Outcome::Refused;
        steps.extend([tries, on(1, Op::YieldNow, 1)]);
    }
    let spins = Wait {
        spins: true,
        ..wait(1, Op::TryLock, 0, None)
    };
    assert_eq!(
        of_deadlock(&steps, vec![spins]),
        "w1 could not take `mutex` at 0.rs:1 again and again (2 times from step 2 on), which main \
         had taken at 0.rs:1 (step 1)."
    );
}

#[test]
fn a_value_that_no_step_wrote_is_not_said_to_be_another_ones() {
    let steps = [
        with(1, Op::Store, None, Some(7)),
        with(0, Op::Load, Some(0xdddd), None),
    ];
    assert_eq!(
        of_panic(&steps),
        "main read `atomic` = 56797 at 0.rs:1 (step 2) though no step had written 56797 (0xdddd: \
         freed memory is filled so): w1 had last written 7 at 0.rs:1 (step 1), and main panicked at \
         t.rs:9."
    );
}

#[test]
fn where_the_others_were_is_told_of_a_crash() {
    let steps = [
        waits(on(1, Op::Recv, 0)),
        on(2, Op::Lock, 1),
        with(0, Op::Load, Some(1), None),
    ];
    assert_eq!(
        of_failure(BugKind::Signal, &sample::trace(&steps)),
        "main read `channel` = 1 at 0.rs:1 (step 3), which no step had written, and crashed at \
         t.rs:9. w1 waited in `channel.recv` at 0.rs:1 (step 1); w2 had last come to `mutex.lock` at \
         1.rs:1 (step 2)."
    );
}

#[test]
fn readers_of_a_lock_are_told_with_who_waits_to_write() {
    let steps = [
        on(0, Op::Read, 0),
        on(1, Op::Read, 0),
        on(2, Op::Read, 0),
        on(2, Op::ReadUnlock, 0),
        waits(on(1, Op::Write, 0)),
    ];
    assert_eq!(
        of_deadlock(&steps, vec![wait(1, Op::Write, 0, None)]),
        "w1 waits for `rwlock` at 0.rs:1 (step 5), which main has taken to read (at 0.rs:1, step 1) \
         and w1 has taken to read (at 0.rs:1, step 2)."
    );
}

#[test]
fn an_await_whose_future_was_dropped_is_told() {
    let mut steps = [
        waits(on(0, Op::Await, 0)),
        on(0, Op::Await, 0),
        on(0, Op::Send, 1),
    ];
    for (step, _) in &mut steps[..2] {
        (step.note, step.object) = (true, None);
    }
    steps[1].0.label = Some(0);
    let mut trace = sample::trace(&steps);
    trace.labels.push("dropped".to_owned());
    assert_eq!(
        of_failure(BugKind::Panic, &trace),
        "main came to `await` at 0.rs:1 (step 0) and the future that waited there was dropped (step \
         0). main panicked at t.rs:9."
    );
}

/// A line that serves all steps says nothing; those that call its function do.
#[test]
fn callers_are_told_of_steps_that_share_their_line() {
    let steps = [on(1, Op::Lock, 0), on(0, Op::Lock, 0), on(1, Op::Lock, 0)];
    let mut trace = sample::trace(&steps);
    trace.sites.truncate(1);
    for (line, step) in (5..).zip(&mut trace.steps) {
        let caller = Site {
            line,
            ..trace.sites[0].clone()
        };
        trace.sites.push(caller);
        trace.paths.push(vec![0, line - 4]);
        step.path = Some(line - 5);
    }
    assert_eq!(
        of_failure(BugKind::Panic, &trace),
        "w1 took `mutex` at 0.rs:1, called at 0.rs:5 (step 1), main took it at 0.rs:1, called at \
         0.rs:6 (step 2), and w1 took it again at 0.rs:1, called at 0.rs:7 (step 3). main panicked at \
         t.rs:9."
    );
}

/// Two workers raise a flag and look at the other's: neither tells the other of anything.
#[test]
fn orderings_that_let_a_load_miss_a_store_are_told() {
    let ordered = |mut step: (Step, String), order| {
        step.0.order = Some(order);
        step
    };
    let of = |store, load| {
        let mut missed = ordered(with(0, Op::Load, Some(0), None), load);
        missed.0.older = Some(Older {
            latest: Value::Unsigned(1),
            step: None,
        });
        of_panic(&[ordered(with(1, Op::Store, None, Some(1)), store), missed])
    };
    assert_eq!(
        of(MemoryOrder::Release, MemoryOrder::Acquire),
        "main read the older `atomic` = 0 instead of 1 at 0.rs:1 (step 2), which no step had written, \
         and panicked at t.rs:9. w1's `atomic.store` at 0.rs:1 (step 1) is Release, with no SeqCst \
         fence between it and step 2: a load may miss it. main's `atomic.load` at 0.rs:1 (step 2) is \
         Acquire, with no SeqCst fence between step 1 and it: it may miss that store."
    );
    let of_load = of(MemoryOrder::SeqCst, MemoryOrder::Acquire);
    assert!(!of_load.contains("may miss it") && of_load.contains("may miss that store"));
}
