//! Delays at random steps, whatever they are delays of.

use super::ticks::Ticks;
use super::{Beginning, Candidates, Ending, Moment, Pick, Rng, WorkerId};

/// D delays at ticks that are drawn independently and uniformly, until the schedule is to be fair.
#[derive(Debug)]
pub(super) struct Delays {
    number: u32,
    pub(super) rng: Rng,
    pub(super) ticks: Ticks,
    /// The ticks of the delays to come, latest first.
    points: Vec<u32>,
    /// From this step on the walk is uniformly random.
    pub(super) fair_after: u32,
}

impl Delays {
    /// So many delays in each iteration.
    pub(super) fn new(number: u32) -> Delays {
        Delays {
            number,
            rng: Rng::new(0),
            ticks: Ticks::default(),
            points: Vec::new(),
            fair_after: 0,
        }
    }

    /// A new iteration begins.
    pub(super) fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.ticks.begin();
        self.fair_after = beginning.fair_after;
        let ticks = self.ticks.expected(beginning.longest);
        self.points.clear();
        // One for each step is as many as make sense.
        let number = self.number.min(ticks);
        let rng = &mut self.rng;
        self.points
            .extend((0..number).map(|_| 1 + rng.below(ticks)));
        self.points.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// The iteration has ended.
    pub(super) fn end(&mut self, ending: &Ending) {
        self.ticks.end(ending.steps);
    }

    /// A uniform pick, once the schedule is to be fair.
    pub(super) fn fair_pick(&mut self, candidates: &dyn Candidates, step: u32) -> Option<Pick> {
        (step >= self.fair_after).then(|| Pick::uniform(candidates, &mut self.rng))
    }

    /// How many delays come at this moment.
    pub(super) fn due(&mut self, moment: &Moment) -> u32 {
        let tick = self.ticks.at(moment);
        let mut due = 0;
        while self.points.pop_if(|point| *point <= tick).is_some() {
            due += 1;
        }
        due
    }

    /// The pick of this worker, until the next delay.
    pub(super) fn pick(&self, worker: WorkerId, step: u32) -> Pick {
        let next = self.points.last().copied().unwrap_or(u32::MAX);
        let fair = self.fair_after - step - 1;
        Pick {
            worker,
            quantum: self.ticks.quantum_until(next).min(fair),
        }
    }
}
