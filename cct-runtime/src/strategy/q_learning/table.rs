//! The learned table: by state, how often it was seen and how good each choice in it is.

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

/// The states that fall on the same few places: one line of the processor's cache, since a look at a new
/// state is at all of them.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(64))]
struct Set([State; WAYS]);

/// A state that was seen.
#[derive(Clone, Copy, Default, Debug)]
struct State {
    /// Its fingerprint; 0 where there is none.
    key: u64,
    /// How often it was seen; 0 for a place that is free.
    visits: u32,
    /// Something was learned about it; before, all values are 0, whatever is in their place.
    has_values: bool,
}

/// By choice: its expected value. An untried choice has 0, all others less.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Values([i32; CHOICES]);

const UNTRIED: Values = Values([0; CHOICES]);

/// The states seen; of those that fall on the same few places, the ones seen more often are kept.
///
/// As long as it can grow it does so early: a state that is forgotten seems new again.
#[derive(Debug)]
pub(super) struct Table {
    sets: Vec<Set>,
    /// By place.
    values: Vec<Values>,
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
            sets: Vec::new(),
            values: Vec::new(),
            taken: 0,
        }
    }

    /// Counts a visit of the state.
    #[inline]
    pub(super) fn visit(&mut self, fingerprint: u64) -> Place {
        if self.sets.is_empty() {
            self.resize(FEWEST);
        }
        let key = fingerprint.max(1);
        let index = self.find(key);
        if self.state(index).key != key {
            let new = State {
                key,
                ..State::default()
            };
            self.put(index, new);
        }
        let visits = &mut self.state_mut(index).visits;
        *visits = visits.saturating_add(1);
        Place {
            index: index as u32,
            tag: (key >> 32) as u32,
        }
    }

    /// Makes room if there is need and more is allowed; the iteration's places are none any more.
    pub(super) fn end_iteration(&mut self) {
        let size = self.values.len();
        if self.taken * 8 <= size || size == MOST {
            return;
        }
        let sets = std::mem::take(&mut self.sets);
        let values = std::mem::take(&mut self.values);
        self.resize(size * 2);
        let states = sets.into_iter().flat_map(|set| set.0);
        for (state, values) in states.zip(values) {
            if state.key != 0 {
                let index = self.find(state.key);
                self.put(index, state);
                self.values[index] = values;
            }
        }
    }

    /// An empty table with so many places.
    fn resize(&mut self, size: usize) {
        self.sets = vec![Set::default(); size / WAYS];
        self.values = vec![UNTRIED; size];
        self.taken = 0;
    }

    fn put(&mut self, index: usize, state: State) {
        self.taken += usize::from(self.state(index).key == 0);
        *self.state_mut(index) = state;
    }

    #[inline]
    fn state(&self, index: usize) -> &State {
        &self.sets[index / WAYS].0[index % WAYS]
    }

    #[inline]
    fn state_mut(&mut self, index: usize) -> &mut State {
        &mut self.sets[index / WAYS].0[index % WAYS]
    }

    /// Where a state is, or where it would go: in place of the one that was seen least often.
    #[inline]
    fn find(&self, key: u64) -> usize {
        let set = key as usize & (self.values.len() - 1);
        let states = &self.sets[set / WAYS].0;
        let known = states.iter().position(|state| state.key == key);
        let way = known.unwrap_or_else(|| {
            let mut least = 0;
            for way in 1..WAYS {
                if states[way].visits < states[least].visits {
                    least = way;
                }
            }
            least
        });
        set / WAYS * WAYS + way
    }

    #[inline]
    fn is_at(&self, place: Place) -> bool {
        (self.state(place.index as usize).key >> 32) as u32 == place.tag
    }

    /// The values of a state's choices; `None` for one that is new, where all are 0.
    #[inline]
    pub(super) fn values(&self, place: Place) -> Option<&[i32; CHOICES]> {
        let state = self.state(place.index as usize);
        if state.visits <= 1 {
            None
        } else if state.has_values {
            Some(&self.values[place.index as usize].0)
        } else {
            Some(&UNTRIED.0)
        }
    }

    /// The choice led to the state `next`, in which the best choice had this value: its own value moves
    /// three tenths of the way towards the gain and seven tenths of that value. The gain is the less the more
    /// often the state was seen.
    #[inline]
    pub(super) fn learn(&mut self, place: Place, choice: usize, next: Place, best: i32) {
        if self.is_at(next) && self.is_at(place) {
            let visits = self.state(next.index as usize).visits;
            let expected = -(i64::from(visits) << FRACTION) + i64::from(best) * 7 / 10;
            let index = place.index as usize;
            if !std::mem::replace(&mut self.state_mut(index).has_values, true) {
                self.values[index] = UNTRIED;
            }
            let value = &mut self.values[index].0[choice];
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
        table.state_mut(place.index as usize).visits = u32::MAX;
        for _ in 0..1000 {
            table.learn(place, 0, place, LEAST);
        }
        assert_eq!(table.values[place.index as usize].0[0], LEAST);
    }

    #[test]
    fn the_table_grows_to_its_bound() {
        let mut table = Table::new();
        for state in 0..3 * MOST as u64 {
            let fingerprint = state.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let place = table.visit(fingerprint);
            table.learn(place, 0, place, 0);
            table.end_iteration();
            // A state that was just seen has not moved away.
            let index = table.find(fingerprint.max(1));
            assert_eq!(table.state(index).key, fingerprint.max(1));
            assert!(table.values[index].0[0] < 0);
        }
        assert_eq!(table.values.len(), MOST);
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
