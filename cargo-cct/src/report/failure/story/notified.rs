//! The notifications of a condition variable: which worker each woke, and those that came when nobody waited.

use cct::operation::Operation as Op;
use cct::trace::Outcome;

use super::Scene;

/// A notification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Notification {
    /// Its step.
    pub step: usize,
    /// How many waited that no earlier one had woken.
    pub waiting: usize,
    /// The worker that it woke, if it is certain which.
    pub woke: Option<u32>,
}

/// A wait on the condition variable.
#[derive(Clone, Copy)]
struct Interval {
    worker: u32,
    from: usize,
    /// The step by which it is known to have been notified; none if it is not.
    until: Option<usize>,
    /// The step at which it ended by its time-out.
    timed_out: Option<usize>,
    notified: bool,
}

/// The notifications of this object, in order.
pub(super) fn of(scene: &Scene<'_>, condvar: u32) -> Vec<Notification> {
    let mut waits: Vec<Interval> = Vec::new();
    let mut out = Vec::new();
    let mut of_one = Vec::new();
    let of_condvar = |index: &usize| scene.step(*index).object == Some(condvar);
    for index in (0..scene.trace.steps.len()).filter(of_condvar) {
        let step = scene.step(index);
        let all = match scene.operation(index) {
            Some(Op::Wait | Op::WaitTimeout) if step.outcome == Outcome::Waits => {
                waits.push(interval(scene, index));
                continue;
            }
            Some(Op::NotifyOne) => false,
            Some(Op::NotifyAll) => true,
            _ => continue,
        };
        let is_over = |wait: &Interval| {
            let ended = wait.until.or(wait.timed_out);
            wait.notified || ended.is_some_and(|end| end < index)
        };
        let mut open: Vec<&mut Interval> = waits.iter_mut().filter(|wait| !is_over(wait)).collect();
        if !all && !open.is_empty() {
            of_one.push(index);
        }
        out.push(Notification {
            step: index,
            waiting: open.len(),
            woke: None,
        });
        // One that goes on earlier was notified earlier; those that time out, or never go on, were not.
        open.sort_by_key(|wait| (wait.timed_out.is_some(), wait.until.unwrap_or(usize::MAX)));
        for wait in open.into_iter().take(if all { usize::MAX } else { 1 }) {
            wait.notified = true;
        }
    }
    let is_of_all = |one: &&Notification| !of_one.contains(&one.step) && one.waiting > 0;
    let of_all: Vec<usize> = out.iter().filter(is_of_all).map(|one| one.step).collect();
    for (step, worker) in certain(&waits, &of_one, &of_all) {
        if let Some(one) = out.iter_mut().find(|one| one.step == step) {
            one.woke = Some(worker);
        }
    }
    out
}

/// The notifications of one worker that can have woken only one, by elimination.
fn certain(waits: &[Interval], of_one: &[usize], of_all: &[usize]) -> Vec<(usize, u32)> {
    let within = |wait: &Interval, step: usize| {
        wait.until
            .is_some_and(|until| (wait.from..until).contains(&step))
    };
    let is_of_one = |wait: &&Interval| !of_all.iter().any(|&step| within(wait, step));
    let mut open: Vec<&Interval> = waits.iter().filter(is_of_one).collect();
    let mut left: Vec<usize> = of_one.to_vec();
    let mut found = Vec::new();
    loop {
        let only = open.iter().enumerate().find_map(|(place, wait)| {
            let mut options = left.iter().filter(|&&step| within(wait, step));
            let first = *options.next()?;
            options.next().is_none().then_some((place, first))
        });
        let Some((place, step)) = only else {
            return found;
        };
        found.push((step, open.remove(place).worker));
        left.retain(|&other| other != step);
    }
}

fn interval(scene: &Scene<'_>, from: usize) -> Interval {
    let next = scene.next_of(from);
    let times_out = |&next: &usize| scene.step(next).outcome == Outcome::TimedOut;
    Interval {
        worker: scene.step(from).worker,
        from,
        until: next.filter(|next| !times_out(next)),
        timed_out: next.filter(times_out),
        notified: false,
    }
}
