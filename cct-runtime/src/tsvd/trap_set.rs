//! The trap set: pairs of places whose accesses may be made at a time, and the probability of a delay at each
//! place.

use std::collections::BTreeMap;

use super::told::Standing;

/// A place, as a number.
pub(super) type PlaceId = u64;

/// Two places, the lower number first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Pair(PlaceId, PlaceId);

impl Pair {
    pub(super) fn of(one: PlaceId, other: PlaceId) -> Pair {
        Pair(one.min(other), one.max(other))
    }

    pub(super) fn places(self) -> [PlaceId; 2] {
        [self.0, self.1]
    }
}

/// The pairs, and what is known of each.
#[derive(Debug, Default)]
pub(super) struct TrapSet {
    pairs: BTreeMap<Pair, Standing>,
    /// The probability of a delay, of places that are in a pair.
    chances: BTreeMap<PlaceId, f64>,
    /// For each place the others that it is in a pair with.
    others: BTreeMap<PlaceId, Vec<PlaceId>>,
    /// The changes since somebody asked.
    changes: Vec<(Pair, Standing)>,
}

impl TrapSet {
    /// Adds a pair, unless something is known of it already. True if it is new.
    pub(super) fn add(&mut self, pair: Pair) -> bool {
        if self.pairs.contains_key(&pair) {
            return false;
        }
        self.set(pair, Standing::Dangerous);
        for place in pair.places() {
            self.chances.entry(place).or_insert(1.0);
        }
        let [one, other] = pair.places();
        self.others.entry(one).or_default().push(other);
        if one != other {
            self.others.entry(other).or_default().push(one);
        }
        true
    }

    /// Has a pair from an earlier run, of which nothing is known yet.
    pub(super) fn know(&mut self, pair: Pair, standing: Standing) {
        if self.add(pair) && standing != Standing::Dangerous {
            self.set(pair, standing);
        }
    }

    /// A violation of this pair has been seen: nobody is held for it any more.
    pub(super) fn found(&mut self, pair: Pair) {
        if self.pairs.get(&pair) != Some(&Standing::Found) {
            self.set(pair, Standing::Found);
        }
    }

    /// The accesses of the pair are ordered.
    pub(super) fn ordered(&mut self, pair: Pair) {
        if self.pairs.get(&pair) == Some(&Standing::Dangerous) {
            self.set(pair, Standing::Ordered);
        }
    }

    /// A delay at this place has shown nothing. At probability 0 its pairs are given up.
    pub(super) fn fruitless(&mut self, place: PlaceId, decay: f64) {
        let Some(chance) = self.chances.get_mut(&place) else {
            return;
        };
        // Ten times a tenth leaves nothing.
        *chance -= decay;
        if *chance > 1e-9 {
            return;
        }
        *chance = 0.0;
        for other in self.others.get(&place).cloned().unwrap_or_default() {
            let pair = Pair::of(place, other);
            if self.pairs.get(&pair) == Some(&Standing::Dangerous) {
                self.set(pair, Standing::GivenUp);
            }
        }
    }

    /// The probability of a delay at this place; 0 where no dangerous pair has it.
    pub(super) fn chance(&self, place: PlaceId) -> f64 {
        let others = self.others.get(&place).into_iter().flatten();
        let is_dangerous = others
            .map(|&other| self.pairs.get(&Pair::of(place, other)))
            .any(|standing| standing == Some(&Standing::Dangerous));
        match self.chances.get(&place) {
            Some(&chance) if is_dangerous => chance,
            _ => 0.0,
        }
    }

    /// The pairs whose standing has changed.
    pub(super) fn take_changes(&mut self) -> Vec<(Pair, Standing)> {
        std::mem::take(&mut self.changes)
    }

    fn set(&mut self, pair: Pair, standing: Standing) {
        self.pairs.insert(pair, standing);
        self.changes.push((pair, standing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_fruitless_delays_give_a_place_up_with_all_its_pairs() {
        let mut set = TrapSet::default();
        let pairs = [
            Pair::of(1, 2),
            Pair::of(3, 1),
            Pair::of(1, 1),
            Pair::of(2, 3),
        ];
        for pair in pairs {
            assert!(set.add(pair));
            assert!(!set.add(pair));
        }
        for left in (1..10).rev() {
            set.fruitless(1, 0.1);
            assert!((set.chance(1) - f64::from(left) / 10.0).abs() < 1e-9);
        }
        set.take_changes();
        set.fruitless(1, 0.1);
        let given_up = set.take_changes();
        assert_eq!(given_up.len(), 3);
        assert!(given_up.iter().all(|(_, it)| *it == Standing::GivenUp));
        assert!(set.chance(1).abs() < 1e-9);
        // They are in a pair with each other.
        assert!((set.chance(2) - 1.0).abs() < 1e-9);
        assert!(!set.add(Pair::of(2, 1)), "what was given up stays so");
    }

    #[test]
    fn pairs_of_an_earlier_run_stand_as_they_did() {
        for standing in [
            Standing::Dangerous,
            Standing::Found,
            Standing::Ordered,
            Standing::GivenUp,
        ] {
            let mut set = TrapSet::default();
            set.know(Pair::of(1, 2), standing);
            assert_eq!(set.take_changes().pop(), Some((Pair::of(1, 2), standing)));
            assert_eq!(set.chance(1) > 0.0, standing == Standing::Dangerous);
        }
    }

    #[test]
    fn nobody_is_held_for_a_pair_that_is_found_or_ordered() {
        let mut set = TrapSet::default();
        set.add(Pair::of(1, 2));
        set.add(Pair::of(2, 3));
        set.found(Pair::of(1, 2));
        assert!(set.chance(1) < 1e-9 && set.chance(2) > 0.9);
        set.ordered(Pair::of(3, 2));
        assert!(set.chance(2) < 1e-9 && set.chance(3) < 1e-9);
        set.ordered(Pair::of(1, 2));
        set.found(Pair::of(7, 8));
        let standings: Vec<_> = set.take_changes().into_iter().map(|(_, it)| it).collect();
        assert_eq!(
            standings,
            [
                Standing::Dangerous,
                Standing::Dangerous,
                Standing::Found,
                Standing::Ordered,
                Standing::Found,
            ]
        );
    }
}
