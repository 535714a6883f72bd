//! All ways to cut executions into few periods, one after the other.

/// How long a period is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// Its worker is stopped when it has passed this many key points, at least 1.
    KeyPoint(u32),
    /// Its worker runs as far as it can.
    End,
}

/// Enumerates plans: the workers of all periods but the last, and how far each runs.
///
/// In this order: by the number of periods; by that of the workers in them; plans in which every period
/// but the last of them stops before those in which one does not have to; sets of workers, sequences of
/// them; and where they are stopped, earlier key points first.
#[derive(Debug, Default)]
pub(super) struct Plans {
    /// The workers that have key points, as known when the number of periods was set.
    workers: Vec<u32>,
    /// The number of periods, from 0, without the last, which has no plan.
    periods: usize,
    /// How many of the workers are in it.
    spread: usize,
    /// Whether periods that could stop may run to the end; at least one does then.
    ends: bool,
    /// Places in `workers`, increasing; `spread` of them.
    set: Vec<usize>,
    /// By period: a place in `set`.
    sequence: Vec<usize>,
    /// Which of the periods that need not stop do not, as bits.
    mask: u32,
    plan: Vec<(u32, Until)>,
}

impl Plans {
    /// The periods but the last.
    pub(super) fn plan(&self) -> &[(u32, Until)] {
        &self.plan
    }

    /// The number of periods, the last one included.
    pub(super) fn periods(&self) -> u32 {
        self.periods as u32 + 1
    }

    /// Starts over.
    pub(super) fn restart(&mut self) {
        *self = Plans::default();
    }

    /// Goes on to the next plan. `left` says for each period how many key points its worker still had when
    /// it was stopped, 0 if it was not; `workers` are those that have key points. False if the next plan
    /// would need more than `most` periods.
    pub(super) fn advance(&mut self, left: &[u32], workers: &[u32], most: u32) -> bool {
        if self.lengthen(left) {
            return true;
        }
        while !(self.next_mask() || self.next_sequence() || self.next_set()) {
            if !self.next_kind() {
                self.periods += 1;
                if self.periods() > most || workers.len() < 2 {
                    return false;
                }
                self.workers.clear();
                self.workers.extend_from_slice(workers);
                self.spread = 1;
                self.ends = false;
                self.reset_set();
            }
        }
        self.make();
        true
    }

    /// Stops the last worker that can still be stopped later one key point later.
    fn lengthen(&mut self, left: &[u32]) -> bool {
        let plan = &mut self.plan;
        let can_go_on = |&index: &usize| {
            matches!(plan[index].1, Until::KeyPoint(_)) && left.get(index).is_some_and(|&n| n > 1)
        };
        let Some(index) = (0..plan.len()).rev().find(can_go_on) else {
            return false;
        };
        if let Until::KeyPoint(count) = &mut plan[index].1 {
            *count += 1;
        }
        for (_, until) in &mut plan[index + 1..] {
            if let Until::KeyPoint(count) = until {
                *count = 1;
            }
        }
        true
    }

    fn next_mask(&mut self) -> bool {
        if !self.ends || self.sequence.is_empty() || !self.is_valid() {
            return false;
        }
        self.mask += 1;
        self.mask < 1 << self.free_periods().count()
    }

    /// The periods before the last planned one whose worker does not come again.
    fn free_periods(&self) -> impl Iterator<Item = usize> + '_ {
        let last = self.sequence.len().saturating_sub(1);
        (0..last).filter(|&index| !self.sequence[index + 1..].contains(&self.sequence[index]))
    }

    fn next_sequence(&mut self) -> bool {
        while self.count_up() {
            if self.is_valid() && (!self.ends || self.free_periods().next().is_some()) {
                self.mask = u32::from(self.ends);
                return true;
            }
        }
        false
    }

    /// Counts the sequence up as a number with digits below `spread`; from nothing to all zeros.
    fn count_up(&mut self) -> bool {
        if self.sequence.is_empty() {
            self.sequence.resize(self.periods, 0);
            return self.periods > 0 && self.spread <= self.workers.len();
        }
        for digit in self.sequence.iter_mut().rev() {
            *digit += 1;
            if *digit < self.spread {
                return true;
            }
            *digit = 0;
        }
        self.sequence.clear();
        false
    }

    /// True if each of the set is in the sequence, and nobody twice in a row.
    fn is_valid(&self) -> bool {
        self.sequence.windows(2).all(|pair| pair[0] != pair[1])
            && (0..self.spread).all(|place| self.sequence.contains(&place))
    }

    /// The next set of workers, with no sequence yet.
    fn next_set(&mut self) -> bool {
        let count = self.workers.len();
        let spread = self.spread;
        let can_move = |&index: &usize| self.set[index] + spread - index < count;
        let Some(index) = (0..self.set.len()).rev().find(can_move) else {
            return false;
        };
        let place = self.set[index] + 1;
        for (offset, other) in self.set[index..].iter_mut().enumerate() {
            *other = place + offset;
        }
        self.sequence.clear();
        self.next_sequence()
    }

    /// Plans that need not stop, then those of more workers.
    fn next_kind(&mut self) -> bool {
        if self.spread == 0 {
            return false;
        }
        if self.ends {
            self.spread += 1;
        }
        self.ends = !self.ends;
        self.reset_set();
        self.spread <= self.periods.min(self.workers.len())
    }

    fn reset_set(&mut self) {
        self.set.clear();
        self.set.extend(0..self.spread);
        self.sequence.clear();
        self.mask = 0;
    }

    fn make(&mut self) {
        self.plan.clear();
        let free: Vec<usize> = self.free_periods().collect();
        for (index, &place) in self.sequence.iter().enumerate() {
            let rank = free.iter().position(|&other| other == index);
            let ends = rank.is_some_and(|rank| self.mask >> rank & 1 == 1);
            let until = if ends || index + 1 == self.sequence.len() {
                Until::End
            } else {
                Until::KeyPoint(1)
            };
            self.plan.push((self.workers[self.set[place]], until));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All plans, with workers that have this many key points each; a worker that is stopped has what it
    /// has not passed.
    fn all(workers: u32, key_points: u32, most: u32) -> Vec<Vec<(u32, Until)>> {
        let (mut plans, mut made) = (Plans::default(), Vec::new());
        let ids: Vec<u32> = (0..workers).collect();
        loop {
            made.push(plans.plan().to_vec());
            let mut passed = vec![0; workers as usize];
            let left: Vec<u32> = plans
                .plan()
                .iter()
                .map(|&(worker, until)| match until {
                    Until::KeyPoint(count) => {
                        passed[worker as usize] += count;
                        key_points.saturating_sub(passed[worker as usize])
                    }
                    Until::End => 0,
                })
                .collect();
            if !plans.advance(&left, &ids, most) {
                return made;
            }
        }
    }

    #[test]
    fn two_periods_let_each_worker_go_first() {
        let expected: Vec<Vec<(u32, Until)>> = [vec![]]
            .into_iter()
            .chain((0..3).map(|worker| vec![(worker, Until::End)]))
            .collect();
        assert_eq!(all(3, 4, 2), expected);
    }

    /// n(n-1) pairs, each with k-1 places to stop at, and without a stop.
    #[test]
    fn three_periods_stop_a_worker_once() {
        let made = all(5, 4, 3);
        assert_eq!(made.len(), 1 + 5 + 5 * 4 * 3 + 5 * 4);
        assert_eq!(made[6], [(0, Until::KeyPoint(1)), (1, Until::End)]);
        assert_eq!(made[7], [(0, Until::KeyPoint(2)), (1, Until::End)]);
        assert_eq!(made[9], [(1, Until::KeyPoint(1)), (0, Until::End)]);
    }

    #[test]
    fn no_plan_comes_twice() {
        let made = all(4, 3, 5);
        let mut distinct = made.clone();
        distinct.sort_by_key(|plan| format!("{plan:?}"));
        distinct.dedup();
        assert_eq!(distinct.len(), made.len());
        let periods: Vec<usize> = made.iter().map(Vec::len).collect();
        assert!(periods.is_sorted());
    }

    #[test]
    fn who_is_alone_has_no_plan() {
        assert_eq!(all(1, 9, 5).len(), 1);
    }
}
