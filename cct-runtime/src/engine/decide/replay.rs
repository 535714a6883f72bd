//! The driver of a replay: a schedule instead of a strategy.

use crate::strategy::{Candidates, Pick, Reason, WorkerId};
use crate::trace::Schedule;
use crate::wire::Divergence;

/// A schedule, and how far it has been repeated.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    schedule: Schedule,
    /// The run under way.
    run: usize,
    /// The step at which it ends.
    run_end: u32,
    /// The next choice.
    choice: usize,
}

impl Replay {
    /// Begins at the schedule's first step.
    pub(crate) fn new(schedule: Schedule) -> Replay {
        let mut replay = Replay {
            schedule,
            run: 0,
            run_end: 0,
            choice: 0,
        };
        replay.run_end = replay.length_of(0);
        replay
    }

    /// The worker that the schedule names.
    pub(crate) fn pick(&mut self, candidates: &dyn Candidates) -> Result<Pick, Divergence> {
        let step = candidates.step();
        let goes_on = step < self.run_end;
        while step >= self.run_end {
            self.run += 1;
            // A run may be over without that anybody was asked: see `Engine::undisturbed`.
            self.run_end = self.run_end.saturating_add(self.length_of(self.run));
        }
        let Some(run) = self.schedule.runs.get(self.run) else {
            let found = "the execution goes on".to_owned();
            return Err(divergence(
                step,
                "the end of the schedule".to_owned(),
                found,
            ));
        };
        // Not always the one that ran last: a thread may have begun to poll a task.
        let worker = WorkerId(run.worker);
        // A worker that waited, and that time woke again, goes on as well; so does one that gave way in
        // vain, when nobody made progress and it was its turn.
        let in_vain =
            goes_on && worker == candidates.current() && candidates.reason() == Reason::Yield;
        if !candidates.contains(worker) && !in_vain {
            let (does, cannot) = if goes_on {
                ("goes on", "cannot")
            } else {
                ("runs", "cannot run")
            };
            let expected = format!("worker {} {does}", worker.0);
            let found = format!("worker {} {cannot}", worker.0);
            return Err(divergence(step, expected, found));
        }
        Ok(Pick {
            worker,
            quantum: self.run_end - step - 1,
        })
    }

    /// The worker that runs next, as far as the schedule says.
    pub(crate) fn expected(&self, step: u32) -> Option<WorkerId> {
        let (mut run, mut end) = (self.run, self.run_end);
        while step >= end {
            run += 1;
            end = end.saturating_add(self.length_of(run));
        }
        Some(WorkerId(self.schedule.runs.get(run)?.worker))
    }

    /// The value that the schedule names, of `0..n`.
    pub(crate) fn choose_index(&mut self, step: u32, n: u32) -> Result<u32, Divergence> {
        let choice = self.schedule.choices.get(self.choice).copied();
        self.choice += 1;
        let expected = match choice {
            Some(choice) if choice < n => return Ok(choice),
            Some(choice) => format!("choice {} is {choice}", self.choice),
            None => match self.choice - 1 {
                1 => "no choice after the 1 recorded one".to_owned(),
                count => format!("no choice after the {count} recorded ones"),
            },
        };
        Err(divergence(step, expected, format!("a choice of 0..{n}")))
    }

    /// The last run goes on until the execution ends: its length is not known when a process crashes.
    fn length_of(&self, run: usize) -> u32 {
        match self.schedule.runs.get(run) {
            Some(known) if run + 1 < self.schedule.runs.len() => known.steps.max(1),
            _ => u32::MAX,
        }
    }
}

fn divergence(step: u32, expected: String, found: String) -> Divergence {
    Divergence {
        step,
        expected,
        found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::stage::Scene;

    fn replay(runs: &[(u32, u32)]) -> Replay {
        Replay::new(Schedule {
            runs: runs.iter().map(|&run| run.into()).collect(),
            choices: vec![2, 9],
            ..Schedule::default()
        })
    }

    fn at(step: u32, current: u32, enabled: &[u32]) -> Scene {
        Scene {
            enabled: enabled.to_vec(),
            current,
            step,
            reason: Reason::Point,
        }
    }

    fn pick(worker: u32, quantum: u32) -> Pick {
        let worker = WorkerId(worker);
        Pick { worker, quantum }
    }

    #[test]
    fn the_schedule_is_followed() {
        let mut replay = replay(&[(0, 3), (1, 2), (0, 1)]);
        assert_eq!(replay.pick(&at(1, 0, &[0])), Ok(pick(0, 1)));
        assert_eq!(replay.pick(&at(3, 0, &[0, 1])), Ok(pick(1, 1)));
        // The last run goes on for as long as the execution does.
        assert_eq!(replay.pick(&at(5, 1, &[0])), Ok(pick(0, u32::MAX - 6)));
        assert_eq!(
            replay.pick(&at(500, 0, &[0, 1])),
            Ok(pick(0, u32::MAX - 501))
        );
    }

    #[test]
    fn leaving_the_schedule_is_noticed() {
        let mut first = replay(&[(0, 3), (1, 2)]);
        let stuck = first.pick(&at(2, 0, &[1])).expect_err("worker 0 waits");
        assert_eq!((stuck.step, &*stuck.expected), (2, "worker 0 goes on"));
        let missing = replay(&[(0, 3), (1, 2)]).pick(&at(3, 0, &[0]));
        assert_eq!(
            missing.expect_err("no worker 1").found,
            "worker 1 cannot run"
        );
    }

    #[test]
    fn choices_come_in_order() {
        let mut replay = replay(&[(0, 1)]);
        assert_eq!(replay.choose_index(4, 3), Ok(2));
        let unfit = replay.choose_index(5, 3).expect_err("9 is none of three");
        assert_eq!((unfit.step, &*unfit.expected), (5, "choice 2 is 9"));
        assert_eq!(unfit.found, "a choice of 0..3");
        let missing = replay.choose_index(6, 3).expect_err("there are no more");
        assert_eq!(missing.expected, "no choice after the 2 recorded ones");
    }
}
