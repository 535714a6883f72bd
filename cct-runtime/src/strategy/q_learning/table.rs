//! What has been learned: by state, how often it was seen and how good each choice in it is.

use super::exp::FRACTION;

/// How many choices are told apart in a state.
pub(super) const CHOICES: usize = 15;
/// How many states there is room for at first, and at the most; powers of two.
const FEWEST: usize = 1 << 10;
const MOST: usize = 1 << 16;
/// In how many places, next to each other, a state can be.
const WAYS: usize = 4;
/// Values of choices are kept above this, in units of 2^-[`FRACTION`].
const LEAST: i32 = -(1 << 30);

/// A state: one line of the processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct State {
    /// How often it was seen; 0 for a place that is free.
    visits: u32,
    /// By choice: what is to be expected of it. What was not tried is 0, all else less.
    values: [i32; CHOICES],
}

const FREE: State = State {
    visits: 0,
    values: [0; CHOICES],
};

/// The states seen; of those that fall on the same few places, the ones seen more often are kept.
///
/// As long as it can grow it does so early: a state that is forgotten seems new again.
#[derive(Debug)]
pub(super) struct Table {
    /// The states' fingerprints; 0 where there is none.
    keys: Vec<u64>,
    states: Vec<State>,
    /// How many places are taken.
    taken: usize,
}

/// Where a state is, up to the end of the iteration and as long as no other takes its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    index: u32,
    /// A part of its fingerprint.
    tag: u32,
}

impl Table {
    pub(super) fn new() -> Table {
        Table {
            keys: Vec::new(),
            states: Vec::new(),
            taken: 0,
        }
    }

    /// Counts a visit of the state.
    #[inline]
    pub(super) fn visit(&mut self, fingerprint: u64) -> Place {
        if self.keys.is_empty() {
            self.keys = vec![0; FEWEST];
            self.states = vec![FREE; FEWEST];
        }
        let key = fingerprint.max(1);
        let index = self.find(key);
        if self.keys[index] != key {
            self.put(index, key, FREE);
        }
        let visits = &mut self.states[index].visits;
        *visits = visits.saturating_add(1);
        Place {
            index: index as u32,
            tag: (key >> 32) as u32,
        }
    }

    /// Makes room if there is need and more is allowed; the iteration's places are none any more.
    pub(super) fn end_iteration(&mut self) {
        let size = self.keys.len();
        if self.taken * 8 <= size || size == MOST {
            return;
        }
        let keys = std::mem::replace(&mut self.keys, vec![0; size * 2]);
        let states = std::mem::replace(&mut self.states, vec![FREE; size * 2]);
        self.taken = 0;
        for (key, state) in keys.into_iter().zip(states) {
            if key != 0 {
                self.put(self.find(key), key, state);
            }
        }
    }

    fn put(&mut self, index: usize, key: u64, state: State) {
        self.taken += usize::from(self.keys[index] == 0);
        (self.keys[index], self.states[index]) = (key, state);
    }

    /// Where a state is, or where it would go.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let first = key as usize & (self.keys.len() - 1) & !(WAYS - 1);
        let ways = first..first + WAYS;
        match ways.clone().find(|&index| self.keys[index] == key) {
            Some(index) => index,
            None => self.least_seen(ways),
        }
    }

    #[cold]
    fn least_seen(&self, ways: std::ops::Range<usize>) -> usize {
        let seen = |&index: &usize| self.states[index].visits;
        ways.min_by_key(seen).expect("there is more than one way")
    }

    #[inline]
    fn is_at(&self, place: Place) -> bool {
        (self.keys[place.index as usize] >> 32) as u32 == place.tag
    }

    /// The values of a state's choices; `None` for one that is new, where all are 0.
    #[inline]
    pub(super) fn values(&self, place: Place) -> Option<&[i32; CHOICES]> {
        let state = &self.states[place.index as usize];
        (state.visits > 1).then_some(&state.values)
    }

    /// The choice led to the state `next`, in which the best choice had this value: its own value moves
    /// three tenths of the way towards what was gained and seven tenths of that. What is gained is the
    /// less the more often the state was seen.
    #[inline]
    pub(super) fn learn(&mut self, place: Place, choice: usize, next: Place, best: i32) {
        if self.is_at(next) && self.is_at(place) {
            let visits = self.states[next.index as usize].visits;
            let expected = -(i64::from(visits) << FRACTION) + i64::from(best) * 7 / 10;
            let value = &mut self.states[place.index as usize].values[choice];
            *value = ((i64::from(*value) * 7 + expected * 3) / 10).max(i64::from(LEAST)) as i32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_follow_the_rule() {
        let mut table = Table::new();
        let (here, there) = (table.visit(1 << 33), table.visit(1 << 34));
        assert_eq!(table.values(here), None);
        table.learn(here, 3, there, 0);
        // 0.3 of a reward of -1; nothing is known of what comes then.
        assert_eq!(table.visit(1 << 33).index, here.index);
        let units = f64::from(1 << FRACTION);
        let value = |table: &Table, place, choice: usize| {
            table
                .values(place)
                .map_or(0.0, |values| f64::from(values[choice]) / units)
        };
        assert!((value(&table, here, 3) + 0.3).abs() < 0.01);
        // Both have been seen twice now.
        table.visit(1 << 34);
        table.learn(there, 0, here, 0);
        assert!((value(&table, there, 0) + 0.6).abs() < 0.01);
        let best = table.values(there).expect("seen twice")[0];
        table.learn(here, 3, there, best);
        let expected = 0.7 * -0.3 + 0.3 * (-2.0 + 0.7 * -0.6);
        assert!((value(&table, here, 3) - expected).abs() < 0.01);
    }

    #[test]
    fn values_have_a_floor() {
        let mut table = Table::new();
        let place = table.visit(5);
        table.states[place.index as usize].visits = u32::MAX;
        for _ in 0..1000 {
            table.learn(place, 0, place, LEAST);
        }
        assert_eq!(table.states[place.index as usize].values[0], LEAST);
    }

    #[test]
    fn the_table_grows_to_its_bound() {
        let mut table = Table::new();
        for state in 0..3 * MOST as u64 {
            let fingerprint = state.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let place = table.visit(fingerprint);
            table.learn(place, 0, place, 0);
            table.end_iteration();
            // What was just seen has not moved away.
            let index = table.find(fingerprint.max(1));
            assert_eq!(table.keys[index], fingerprint.max(1));
            assert!(table.states[index].values[0] < 0);
        }
        assert_eq!(table.states.len(), MOST);
    }

    #[test]
    fn states_seen_often_outlive_others() {
        let mut table = Table::new();
        let often = (0..10).map(|_| table.visit(7)).last().expect("visited");
        table.learn(often, 2, often, 0);
        for other in 1..1000_u64 {
            let place = table.visit(7 | other << 32);
            assert_ne!(place.index, often.index);
        }
        let again = table.visit(7);
        assert!(table.values(again).is_some_and(|values| values[2] < 0));
    }
}
