//! One strategy up to a step, then another.

use super::{
    Action, Beginning, Beyond, Candidates, ChainId, Ending, Enumerator, Executed, Observer, Origin,
    Pick, Reason, Strategy, WorkerId, derive,
};

/// Lets one strategy decide the first n steps of an iteration, and another all that come later.
///
/// **Idea.** Programs have phases. A strategy that is good at getting through a beginning need not be the
/// one that is good at what comes then; and one that enumerates can be confined to a few steps.
///
/// **Guarantee.** That of each strategy for its own part, which it sees as if it were a whole iteration:
/// the first sees none of the steps from n on, and the second counts from there, though it is told of
/// all that went before. The combination is fair if the second strategy is.
///
/// **Parameters.** `steps`: n, at least 1.
///
/// **Departures.** If the first enumerates, each of its beginnings is gone on with differently, and when
/// there are no more it starts over: the combination is never exhausted. The second must not enumerate,
/// since it would not find again where it left off.
pub struct Then {
    first: Box<dyn Strategy>,
    steps: u32,
    second: Box<dyn Strategy>,
    /// Whether the first, and the second, wants to see each step of this iteration.
    observes: (bool, bool),
    /// True from step n on.
    has_passed: bool,
    /// For how many points the last answer still holds, if the engine does not keep count because one of
    /// the two observes and the one that answered does not.
    held: u32,
}

impl Then {
    /// The first strategy for this many steps, and then the second.
    pub fn new(first: Box<dyn Strategy>, steps: u32, second: Box<dyn Strategy>) -> Self {
        Then {
            first,
            steps,
            second,
            observes: (false, false),
            has_passed: false,
            held: 0,
        }
    }

    fn active(&mut self) -> &mut dyn Strategy {
        if self.has_passed {
            &mut *self.second
        } else {
            &mut *self.first
        }
    }

    /// Tells those that observe of a step.
    fn tell(&mut self, executed: &Executed, tell: impl Fn(&mut dyn Observer, &Executed)) {
        let first = (!self.has_passed).then(|| self.first.observer());
        if let Some(first) = first.flatten() {
            tell(first, executed);
        }
        if let Some(second) = self.second.observer() {
            let step = executed.step.saturating_sub(self.steps);
            tell(second, &Executed { step, ..*executed });
        }
    }

    fn ask(&mut self, candidates: &dyn Candidates) -> Pick {
        let step = candidates.step();
        if step >= self.steps {
            self.has_passed = true;
            let by = self.steps;
            self.second.pick(&Later { candidates, by })
        } else {
            let mut pick = self.first.pick(candidates);
            // The second is asked at step n.
            pick.quantum = pick.quantum.min(self.steps - step - 1);
            pick
        }
    }
}

impl std::fmt::Debug for Then {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Then")
            .field("steps", &self.steps)
            .finish_non_exhaustive()
    }
}

impl Strategy for Then {
    fn begin(&mut self, beginning: &Beginning) {
        self.has_passed = false;
        self.held = 0;
        self.first.begin(&Beginning {
            longest: beginning.longest.min(self.steps),
            ..*beginning
        });
        self.second.begin(&Beginning {
            // If the first enumerates, all iterations have one seed.
            seed: derive(beginning.seed, beginning.index),
            longest: beginning.longest.saturating_sub(self.steps),
            fair_after: beginning.fair_after.saturating_sub(self.steps),
            ..*beginning
        });
        self.observes = (self.first.observes(), self.second.observes());
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let is_late = !self.has_passed && candidates.step() >= self.steps;
        if self.held > 0 && candidates.reason() == Reason::Point && !is_late {
            self.held -= 1;
            return Pick {
                worker: candidates.current(),
                quantum: self.held,
            };
        }
        let pick = self.ask(candidates);
        self.held = match self.observes {
            (true, false) if self.has_passed => pick.quantum,
            (false, true) if !self.has_passed => pick.quantum,
            _ => 0,
        };
        pick
    }

    fn choose_store(&mut self, n: u32, drawn: u32) -> u32 {
        self.active().choose_store(n, drawn)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.active().choose_index(n)
    }

    fn fair_from(&self) -> u32 {
        match self.second.fair_from() {
            0 => self.first.fair_from().min(self.steps),
            from => from.saturating_add(self.steps),
        }
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        let mut asks = self.second.on_enabled(worker);
        if !self.has_passed {
            asks = self.first.on_enabled(worker);
        }
        if asks {
            self.held = 0;
        }
        asks
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        if !self.has_passed {
            self.first.on_created(worker, origin);
        }
        self.second.on_created(worker, origin);
    }

    fn on_continued(&mut self, worker: WorkerId, chain: ChainId) {
        if !self.has_passed {
            self.first.on_continued(worker, chain);
        }
        self.second.on_continued(worker, chain);
    }

    fn heeds_chains(&self) -> bool {
        self.first.heeds_chains() || self.second.heeds_chains()
    }

    fn on_moved(&mut self, worker: WorkerId, chain: ChainId) -> bool {
        let mut asks = self.second.on_moved(worker, chain);
        if !self.has_passed {
            asks = self.first.on_moved(worker, chain);
        }
        if asks {
            self.held = 0;
        }
        asks
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        if !self.has_passed {
            self.first.on_disabled(worker);
        }
        self.second.on_disabled(worker);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        match self.observes {
            (false, false) => None,
            _ => Some(self),
        }
    }

    fn end(&mut self, ending: &Ending) {
        self.first.end(&Ending {
            steps: ending.steps.min(self.steps),
            ..*ending
        });
        self.second.end(&Ending {
            steps: ending.steps.saturating_sub(self.steps),
            ..*ending
        });
    }

    fn enumerator(&self) -> Option<&dyn Enumerator> {
        self.first.enumerates().then_some(self)
    }
}

impl Observer for Then {
    fn on_step(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.tell(executed, |observer, executed| {
            observer.on_step(executed, beyond);
        });
    }

    fn on_unpicked(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.tell(executed, |observer, executed| {
            observer.on_unpicked(executed, beyond);
        });
    }

    fn on_read(&mut self) {
        let first = (!self.has_passed).then(|| self.first.observer());
        if let Some(first) = first.flatten() {
            first.on_read();
        }
        if let Some(second) = self.second.observer() {
            second.on_read();
        }
    }

    fn on_early(&mut self, worker: WorkerId) -> bool {
        let mut asks = self.second.on_early(worker);
        if !self.has_passed {
            asks = self.first.on_early(worker);
        }
        if asks {
            self.held = 0;
        }
        asks
    }

    fn on_late(&mut self, worker: WorkerId) {
        if !self.has_passed {
            self.first.on_late(worker);
        }
        self.second.on_late(worker);
    }

    fn choose_end(&mut self, over: WorkerId, by: WorkerId) -> u32 {
        self.active().choose_end(over, by)
    }
}

/// Each beginning that the first makes is gone on with differently, so this is never at its end.
impl Enumerator for Then {
    fn is_exhausted(&self) -> bool {
        false
    }
}

/// The candidates, with steps counted from a later one.
struct Later<'a> {
    candidates: &'a dyn Candidates,
    by: u32,
}

impl Candidates for Later<'_> {
    fn len(&self) -> u32 {
        self.candidates.len()
    }
    fn nth(&self, index: u32) -> WorkerId {
        self.candidates.nth(index)
    }
    fn contains(&self, worker: WorkerId) -> bool {
        self.candidates.contains(worker)
    }
    fn pending(&self, worker: WorkerId) -> Action {
        self.candidates.pending(worker)
    }
    fn current(&self) -> WorkerId {
        self.candidates.current()
    }
    fn reason(&self) -> Reason {
        self.candidates.reason()
    }
    fn step(&self) -> u32 {
        self.candidates.step() - self.by
    }
    fn state_hash(&self) -> u64 {
        self.candidates.state_hash()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::{Scene, play, preemptions};
    use super::super::{Pct, Random, Sticky};
    use super::*;

    fn then(first: impl Strategy + 'static, steps: u32, second: impl Strategy + 'static) -> Then {
        Then::new(Box::new(first), steps, Box::new(second))
    }

    /// Without change points PCT does not preempt in the first 30 steps; random does at about two of
    /// three points of the rest.
    #[test]
    fn each_decides_its_own_part() {
        let steps = [40, 40, 40];
        for seed in 0..50 {
            let made = play(&mut then(Pct::new(1), 30, Random::default()), seed, &steps);
            let alone = play(&mut Pct::new(1), seed, &steps);
            // Steps are counted from 1.
            assert_eq!(made[..29], alone[..29]);
            assert!(preemptions(&made, &steps) > 20, "{made:?}");
        }
    }

    #[test]
    fn change_points_lie_in_the_part_of_their_strategy() {
        let steps = [100, 100];
        let of = |seed| {
            let made = play(&mut then(Pct::new(5), 50, Pct::new(1)), seed, &steps);
            preemptions(&made[50..], &[u32::MAX; 2])
        };
        // One where the second takes over, and one where a worker ends, which this counts as well.
        assert!((0..100).map(of).all(|later| later <= 2));
        let of = |seed| {
            let made = play(&mut then(Pct::new(1), 50, Pct::new(5)), seed, &steps);
            preemptions(&made[..49], &steps)
        };
        assert!((0..100).map(of).all(|before| before == 0));
    }

    #[test]
    fn three_follow_each_other() {
        let steps = [60, 60];
        let last = then(Random::default(), 20, Pct::new(1));
        let made = play(&mut then(Pct::new(1), 30, last), 3, &steps);
        let switches = |range: std::ops::Range<usize>| {
            let pairs = made[range].windows(2);
            pairs.filter(|pair| pair[0] != pair[1]).count()
        };
        assert_eq!(switches(0..29), 0);
        assert!(switches(29..49) >= 3);
        assert!(switches(49..120) <= 2);
    }

    /// Observes, and picks the last candidate.
    struct Watcher;

    impl Strategy for Watcher {
        fn begin(&mut self, _beginning: &Beginning) {}
        fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
            Pick {
                worker: candidates.nth(candidates.len() - 1),
                quantum: 0,
            }
        }
        fn choose_index(&mut self, n: u32) -> u32 {
            n - 1
        }
        fn fair_from(&self) -> u32 {
            u32::MAX
        }
        fn observer(&mut self) -> Option<&mut dyn Observer> {
            Some(self)
        }
    }

    impl Observer for Watcher {
        fn on_step(&mut self, _executed: &Executed, _beyond: &Beyond<'_>) {}
    }

    /// Asked at each point since the other observes, a walk that switches seldom does so all the same:
    /// 400 steps at 1/200 have two picks on the average, and more than 20 at none of 10^13 seeds.
    #[test]
    fn an_answer_holds_though_the_engine_asks_again() {
        let mut both = then(Sticky::new(200), 400, Watcher);
        let (mut current, mut picks) = (0, 0);
        both.begin(&Beginning {
            seed: 1,
            index: 0,
            longest: 0,
            fair_after: u32::MAX,
        });
        assert!(both.observer().is_some());
        for step in 1..500 {
            let pick = both.pick(&Scene {
                enabled: (0..100).collect(),
                current,
                step,
                reason: Reason::Point,
            });
            if step < 400 {
                picks += u32::from(pick.worker.0 != current);
            } else {
                assert_eq!(pick.worker.0, 99);
            }
            current = pick.worker.0;
        }
        assert!((1..=20).contains(&picks), "{picks}");
        assert_eq!(both.choose_index(7), 6);
    }

    #[test]
    fn it_is_fair_where_the_second_is() {
        let mut fair = then(Pct::new(2), 30, Random::default());
        let mut early = then(Random::default(), 30, Random::default());
        let mut late = then(Random::default(), 30, Pct::new(2));
        let mut never = then(Random::default(), 30, Watcher);
        for strategy in [&mut fair, &mut early, &mut late, &mut never] {
            strategy.begin(&Beginning {
                seed: 1,
                index: 0,
                longest: 100,
                fair_after: 50,
            });
        }
        assert_eq!(fair.fair_from(), 30);
        assert_eq!(early.fair_from(), 0);
        assert_eq!(late.fair_from(), 50);
        assert_eq!(never.fair_from(), u32::MAX);
    }
}
