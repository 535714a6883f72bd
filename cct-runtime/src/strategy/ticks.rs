//! The clock of strategies that put a few events at random steps: it counts what can be told apart.

use super::{Moment, Reason};

/// Numbers the steps at which something can be decided.
///
/// A step with an alternative is a tick of its own. A stretch of steps of a worker that is the only
/// candidate is one tick: lowering its priority, say, has the same effect wherever in the stretch it is
/// done. So a strategy that draws from the ticks loses nothing, and draws from fewer: what a test does
/// before its first spawn and after its last join counts as two.
#[derive(Debug, Default)]
pub(super) struct Ticks {
    /// The tick of the latest decision, from 1.
    now: u32,
    /// The step of the latest decision.
    step: u32,
    /// It had one candidate.
    alone: bool,
    /// The most ticks of an iteration so far, if there was one.
    most: u32,
}

impl Ticks {
    /// A new iteration begins.
    pub(super) fn begin(&mut self) {
        (self.now, self.step, self.alone) = (0, 0, true);
    }

    /// The number of the tick at which a strategy is asked.
    #[inline]
    pub(super) fn at(&mut self, moment: &Moment) -> u32 {
        self.now += self.since(moment.step);
        self.step = moment.step;
        self.alone = moment.count == 1 && moment.reason != Reason::Yield;
        self.now
    }

    /// For how many further points a worker may run before this tick has come.
    #[inline]
    pub(super) fn quantum_until(&self, tick: u32) -> u32 {
        if self.alone {
            u32::MAX
        } else {
            tick.saturating_sub(self.now + 1)
        }
    }

    /// True if the worker picked last was the only candidate: the strategy must be asked again as soon as
    /// there is another.
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        self.alone
    }

    /// The iteration has ended, after so many steps.
    pub(super) fn end(&mut self, steps: u32) {
        self.most = self.most.max(self.now + self.since(steps));
    }

    /// How many ticks an iteration is expected to have: as many as the longest so far, and in the first as
    /// many as steps.
    pub(super) fn expected(&self, longest: u32) -> u32 {
        let known = if self.most > 0 { self.most } else { longest };
        known.max(10)
    }

    fn since(&self, step: u32) -> u32 {
        if self.alone { 1 } else { step - self.step }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Candidates as _;
    use super::super::stage::Scene;
    use super::*;

    #[test]
    fn a_stretch_without_alternative_is_one_tick() {
        let mut ticks = Ticks::default();
        ticks.begin();
        let mut at = |step, enabled: &[u32], reason| {
            let scene = Scene {
                enabled: enabled.to_vec(),
                current: 0,
                step,
                reason,
            };
            (ticks.at(&scene.moment()), ticks.quantum_until(9))
        };
        assert_eq!(at(1, &[0], Reason::Point), (1, u32::MAX));
        assert_eq!(at(50, &[0, 1], Reason::Point), (2, 6));
        assert_eq!(at(53, &[1], Reason::Yield), (5, 3));
        assert_eq!(at(54, &[0], Reason::Stopped), (6, u32::MAX));
        assert_eq!(at(90, &[0, 1], Reason::Point), (7, 1));
        ticks.end(92);
        assert_eq!(ticks.expected(92), 10);
        ticks.end(103);
        assert_eq!(ticks.expected(92), 20);
    }
}
