//! Where to hold threads: near misses, phases, inference from delays, decay. Time is an argument, and nobody
//! waits in here.

use std::collections::{BTreeMap, VecDeque};

use super::order::UnderLock;
use super::parameters::{Algorithm, Parameters};
use super::told::Standing;
use super::trap_set::{Pair, PlaceId, TrapSet};
use crate::strategy::Rng;

/// A thread or a task, by order of first access, from 1.
pub(super) type Party = u32;
/// Nanoseconds since the beginning.
pub(super) type Time = u64;

/// An access that may be part of a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Point {
    pub(super) party: Party,
    /// The object.
    pub(super) object: u64,
    pub(super) writes: bool,
    pub(super) place: PlaceId,
    pub(super) at: Time,
    /// The test, where two accesses by one test are no violation.
    pub(super) test: u32,
    /// The party's epoch.
    pub(super) epoch: u32,
    pub(super) lock: UnderLock,
}

impl Point {
    fn conflicts_with(&self, other: &Point) -> bool {
        self.party != other.party
            && (self.writes || other.writes)
            && (self.test == 0 || self.test != other.test)
    }
}

/// A delay that has ended.
#[derive(Clone, Copy, Debug)]
struct Delayed {
    place: PlaceId,
    party: Party,
    began: Time,
    ended: Time,
}

/// An order that a party's next accesses inherit.
#[derive(Clone, Copy, Debug)]
struct Inherits {
    from: PlaceId,
    left: u32,
}

/// The knowledge of a place.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    at_once: bool,
}

/// Delays are remembered for inference: the last few.
const REMEMBERED: usize = 32;
/// For this part of a delay a party that was held is not held again at the same place.
const REST: Time = 10;
/// Parties of which something is remembered; when there are more, those that came first are forgotten.
const PARTIES: usize = 1 << 10;
/// Objects whose accesses are remembered; when there are more, those are forgotten that are too old.
const OBJECTS: usize = 1 << 16;

/// Decides where to hold threads.
#[derive(Debug)]
pub(super) struct Planner {
    parameters: Parameters,
    set: TrapSet,
    history: BTreeMap<u64, VecDeque<Point>>,
    phase: VecDeque<Party>,
    /// The time of each party's last access.
    last: BTreeMap<Party, Time>,
    delays: VecDeque<Delayed>,
    /// Where each party was held last, and until when.
    held: BTreeMap<Party, (PlaceId, Time)>,
    inherits: BTreeMap<Party, Inherits>,
    places: BTreeMap<PlaceId, Reached>,
    /// With `static-random`: the places at which somebody is held when he comes.
    armed: Vec<PlaceId>,
    rng: Rng,
}

impl Planner {
    pub(super) fn new(parameters: Parameters) -> Planner {
        Planner {
            parameters,
            set: TrapSet::default(),
            history: BTreeMap::new(),
            phase: VecDeque::new(),
            last: BTreeMap::new(),
            delays: VecDeque::new(),
            held: BTreeMap::new(),
            inherits: BTreeMap::new(),
            places: BTreeMap::new(),
            armed: Vec::new(),
            rng: Rng::new(parameters.seed),
        }
    }

    /// Has a pair from an earlier run.
    pub(super) fn know(&mut self, pair: Pair, standing: Standing) {
        self.set.know(pair, standing);
    }

    /// An access is about to be made; `near` are others of the object of which the caller knows. True if
    /// several threads are at work. `is_ordered` tells of an earlier access whether it is known to be before.
    pub(super) fn observe(
        &mut self,
        point: Point,
        near: &[Point],
        is_ordered: impl Fn(&Point) -> bool,
    ) -> bool {
        let at_once = self.enter_phase(point.party);
        self.places.entry(point.place).or_default().at_once |= at_once;
        if self.parameters.algorithm == Algorithm::Tsvd {
            self.infer(&point);
        }
        if matches!(
            self.parameters.algorithm,
            Algorithm::Tsvd | Algorithm::TsvdHb
        ) {
            self.look_for_near_misses(&point, near, at_once, is_ordered);
        }
        self.remember(point);
        at_once
    }

    /// How long a thread is to be held before this access, in nanoseconds.
    pub(super) fn wants_delay(&mut self, point: &Point, at_once: bool) -> Option<Time> {
        let whole = self.parameters.delay.as_nanos() as Time;
        // An operation has several accesses, and it is one for which a thread is held.
        let rest = whole / REST;
        let is_same = |&(place, ended): &(PlaceId, Time)| {
            place == point.place && point.at.saturating_sub(ended) < rest
        };
        if self.held.get(&point.party).is_some_and(is_same) {
            return None;
        }
        match self.parameters.algorithm {
            Algorithm::Tsvd | Algorithm::TsvdHb => {
                let chance = self.set.chance(point.place);
                (chance > 0.0 && self.draws(chance)).then_some(whole)
            }
            Algorithm::DynamicRandom => {
                let chance = self.parameters.probability;
                (at_once && self.draws(chance)).then(|| self.rng.bits() % whole.max(1))
            }
            Algorithm::StaticRandom => self.is_armed(point.place).then_some(whole),
            Algorithm::None => None,
        }
    }

    /// A thread was held at a place.
    pub(super) fn delayed(&mut self, point: &Point, ended: Time, was_fruitless: bool) {
        if self.delays.len() == REMEMBERED {
            self.delays.pop_front();
        }
        self.delays.push_back(Delayed {
            place: point.place,
            party: point.party,
            began: point.at,
            ended,
        });
        self.last.insert(point.party, ended);
        self.held.insert(point.party, (point.place, ended));
        forget_oldest(&mut self.held);
        if was_fruitless {
            self.set.fruitless(point.place, self.parameters.decay);
        }
    }

    /// A violation was seen.
    pub(super) fn found(&mut self, pair: Pair) {
        self.set.found(pair);
    }

    /// The pairs whose standing has changed.
    pub(super) fn take_changes(&mut self) -> Vec<(Pair, Standing)> {
        self.set.take_changes()
    }

    /// True if somebody may be held there.
    pub(super) fn may_hold_at(&self, place: PlaceId) -> bool {
        self.set.chance(place) > 0.0
    }

    /// How many places there are, and how many that were reached while several threads were at work.
    pub(super) fn coverage(&self) -> (u64, u64) {
        let at_once = self.places.values().filter(|place| place.at_once);
        (self.places.len() as u64, at_once.count() as u64)
    }

    fn draws(&mut self, chance: f64) -> bool {
        let one = 1u64 << 53;
        ((self.rng.bits() >> 11) as f64) < chance * one as f64
    }

    /// True if the last accesses were several threads'.
    fn enter_phase(&mut self, party: Party) -> bool {
        let most = self.parameters.phase_buffer.max(1) as usize;
        while self.phase.len() >= most {
            self.phase.pop_front();
        }
        self.phase.push_back(party);
        self.phase.iter().any(|&other| other != party)
    }

    fn look_for_near_misses(
        &mut self,
        point: &Point,
        near: &[Point],
        at_once: bool,
        is_ordered: impl Fn(&Point) -> bool,
    ) {
        // Where synchronisation tells, time does not matter.
        let by_time = self.parameters.algorithm == Algorithm::Tsvd;
        let windows = by_time && self.parameters.windows;
        if by_time && self.parameters.phases && !at_once {
            return;
        }
        let window = self.parameters.near_miss_window.as_nanos() as Time;
        let before = self.history.get(&point.object).into_iter().flatten();
        let missed: Vec<Pair> = before
            .chain(near)
            .filter(|before| before.conflicts_with(point) && !is_ordered(before))
            .filter(|before| !windows || point.at.saturating_sub(before.at) <= window)
            .map(|before| Pair::of(before.place, point.place))
            .collect();
        for pair in missed {
            self.set.add(pair);
        }
    }

    fn remember(&mut self, point: Point) {
        let window = self.parameters.near_miss_window.as_nanos() as Time;
        if self.history.len() >= OBJECTS && !self.history.contains_key(&point.object) {
            self.history.retain(|_, points| {
                let last = points.back().map_or(0, |last| last.at);
                point.at.saturating_sub(last) <= window
            });
        }
        let points = self.history.entry(point.object).or_default();
        while points.len() >= self.parameters.near_misses.max(1) as usize {
            points.pop_front();
        }
        points.push_back(point);
        self.last.insert(point.party, point.at);
        forget_oldest(&mut self.last);
    }

    /// A thread that paused while another one was held, and until that went on, is ordered after it.
    fn infer(&mut self, point: &Point) {
        if !self.parameters.inference {
            return;
        }
        let before = self.last.get(&point.party).copied();
        let least = self.parameters.hb_threshold * self.parameters.delay.as_nanos() as f64;
        let blamed = before.and_then(|before| {
            let has_paused = point.at.saturating_sub(before) as f64 >= least;
            let mut latest = self.delays.iter().rev();
            latest.find(|delay| {
                has_paused
                    && delay.party != point.party
                    && before <= delay.ended
                    && delay.ended <= point.at
                    // It paused for as long as the other one was held, not only afterwards.
                    && (delay.ended - delay.began.max(before)) as f64 >= least
            })
        });
        if let Some(delay) = blamed {
            forget_oldest(&mut self.inherits);
            self.inherits.insert(
                point.party,
                Inherits {
                    from: delay.place,
                    left: self.parameters.hb_window + 1,
                },
            );
        }
        let Some(inherits) = self.inherits.get_mut(&point.party) else {
            return;
        };
        inherits.left -= 1;
        let from = inherits.from;
        if inherits.left == 0 {
            self.inherits.remove(&point.party);
        }
        self.set.ordered(Pair::of(from, point.place));
    }

    /// True if the place was drawn; then another one is drawn in its stead. Each place counts the same,
    /// however often it is reached.
    fn is_armed(&mut self, place: PlaceId) -> bool {
        /// How many are drawn at a time.
        const ARMED: usize = 4;
        if let Some(at) = self.armed.iter().position(|&armed| armed == place) {
            self.armed.swap_remove(at);
            return true;
        }
        if self.armed.len() < ARMED.min(self.places.len()) {
            let index = self.rng.below(self.places.len() as u32) as usize;
            if let Some((&drawn, _)) = self.places.iter().nth(index)
                && !self.armed.contains(&drawn)
            {
                self.armed.push(drawn);
            }
        }
        false
    }
}

/// Parties are numbered as they come, and few of the first ones are left where many come.
fn forget_oldest<T>(parties: &mut BTreeMap<Party, T>) {
    if parties.len() > PARTIES {
        parties.pop_first();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const MS: Time = 1_000_000;

    fn at(party: Party, place: PlaceId, milliseconds: Time, writes: bool) -> Point {
        Point {
            party,
            object: 7,
            writes,
            place,
            at: milliseconds * MS,
            test: 0,
            epoch: 0,
            lock: 0,
        }
    }

    fn planner(change: impl Fn(&mut Parameters)) -> Planner {
        let mut parameters = Parameters {
            delay: Duration::from_millis(100),
            ..Parameters::default()
        };
        change(&mut parameters);
        Planner::new(parameters)
    }

    #[test]
    fn accesses_near_in_time_by_two_of_which_one_writes_are_dangerous() {
        for (other, is_dangerous) in [
            (at(2, 20, 90, true), true),
            (at(2, 20, 90, false), true),
            (at(2, 20, 110, true), false),
            (at(1, 20, 90, true), false),
        ] {
            let mut planner = planner(|_| ());
            planner.observe(at(1, 10, 1, true), &[], |_| false);
            planner.observe(other, &[], |_| false);
            assert_eq!(planner.may_hold_at(10), is_dangerous, "{other:?}");
            assert_eq!(planner.may_hold_at(20), is_dangerous, "{other:?}");
        }
        let mut both_read = planner(|_| ());
        both_read.observe(at(1, 10, 1, false), &[], |_| false);
        both_read.observe(at(2, 20, 2, false), &[], |_| false);
        assert!(!both_read.may_hold_at(10));
    }

    #[test]
    fn without_windows_time_is_no_matter() {
        let mut planner = planner(|it| it.windows = false);
        planner.observe(at(1, 10, 1, true), &[], |_| false);
        planner.observe(at(2, 20, 9000, true), &[], |_| false);
        assert!(planner.may_hold_at(10));
    }

    #[test]
    fn near_misses_count_while_several_are_at_work() {
        for phases in [true, false] {
            let mut planner = planner(|it| {
                it.phases = phases;
                it.phase_buffer = 3;
            });
            planner.observe(at(1, 10, 1, true), &[], |_| false);
            for _ in 0..3 {
                let mut other = at(2, 11, 2, false);
                other.object = 8;
                planner.observe(other, &[], |_| false);
            }
            // The first thread is not among the last three any more.
            planner.observe(at(2, 20, 3, true), &[], |_| false);
            assert_eq!(planner.may_hold_at(20), !phases);
        }
    }

    #[test]
    fn who_pauses_while_another_is_held_is_ordered_after_it_with_what_it_does_next() {
        for (came_back, is_ordered) in [(104, true), (30, false)] {
            let mut planner = planner(|it| it.hb_window = 2);
            for place in [20, 21, 22, 23] {
                let mut near = at(1, 10, 0, true);
                near.object = place;
                planner.observe(near, &[], |_| false);
                let mut near = at(2, place, 1, true);
                near.object = place;
                planner.observe(near, &[], |_| false);
            }
            let held = at(1, 10, 3, true);
            planner.observe(held, &[], |_| false);
            planner.delayed(&held, 103 * MS, true);
            for (place, later) in [(20, 0), (21, 1), (22, 2), (23, 3)] {
                let mut next = at(2, place, came_back + later, true);
                next.object = 100 + place;
                planner.observe(next, &[], |_| false);
            }
            for (place, inherits) in [(20, true), (21, true), (22, true), (23, false)] {
                let is_held = planner.may_hold_at(place);
                assert_eq!(is_held, !(is_ordered && inherits), "{place} at {came_back}");
            }
        }
    }

    #[test]
    fn a_pause_that_has_begun_after_the_delay_says_nothing() {
        let mut planner = planner(|_| ());
        planner.observe(at(1, 10, 0, true), &[], |_| false);
        planner.observe(at(2, 20, 1, true), &[], |_| false);
        let held = at(1, 10, 2, true);
        planner.observe(held, &[], |_| false);
        planner.delayed(&held, 102 * MS, true);
        planner.observe(at(2, 30, 101, false), &[], |_| false);
        planner.observe(at(2, 20, 300, true), &[], |_| false);
        assert!(planner.may_hold_at(20));
    }

    #[test]
    fn within_one_test_logical_conflicts_are_none() {
        let mut planner = planner(|_| ());
        let of_test = |point: Point, test| Point { test, ..point };
        planner.observe(of_test(at(1, 10, 1, true), 1), &[], |_| false);
        planner.observe(of_test(at(2, 20, 2, true), 1), &[], |_| false);
        assert!(!planner.may_hold_at(10));
        planner.observe(of_test(at(3, 30, 3, true), 2), &[], |_| false);
        assert!(planner.may_hold_at(10) && planner.may_hold_at(30));
    }

    #[test]
    fn places_are_drawn_alike_however_often_they_are_reached() {
        let mut planner = planner(|it| it.algorithm = Algorithm::StaticRandom);
        let mut held = BTreeMap::<PlaceId, u32>::new();
        for round in 0..20_000 {
            // One place is reached ninety-nine times as often as the other.
            let place = if round % 100 == 0 { 1 } else { 2 };
            let point = at(round as Party, place, round, true);
            planner.observe(point, &[], |_| false);
            if planner.wants_delay(&point, true).is_some() {
                *held.entry(place).or_default() += 1;
            }
        }
        let (cold, hot) = (held[&1], held[&2]);
        assert!(cold > 150 && cold <= 200, "{cold} of 200, {hot} of 19,800");
    }
}
