//! Priorities as PCT has them: random at first, lowered at change points.

use std::collections::BinaryHeap;

use super::ticks::Ticks;
use super::{Beginning, Moment, Rng};

/// Above it lie the priorities that are given first, below it those of change points.
const INITIAL: u64 = 1 << 63;
/// Above it lie the priorities of change points, below it those of who gave way.
const CHANGED: u64 = 1 << 62;

/// The priorities of workers or of chains, which are called holders here; known by their numbers.
#[derive(Debug)]
pub(super) struct Priorities {
    depth: u32,
    pub(super) rng: Rng,
    ticks: Ticks,
    /// By holder.
    of: Vec<Priority>,
    /// Holders by priority; may have entries that are out of date, or of holders that cannot run. No
    /// longer than the iteration, since a step adds one.
    queue: BinaryHeap<(u64, u32)>,
    /// The change points: the tick, and which of the lowest priorities it gives. Latest first.
    changes: Vec<(u32, u32)>,
    /// The priority that the next holder to give way gets.
    next_given_way: u64,
    /// The priority of the holder picked last.
    running: u64,
}

/// The priority of a holder.
#[derive(Clone, Copy, Debug, Default)]
struct Priority {
    /// 0 for a holder that has not been seen.
    value: u64,
    /// The queue has an entry with it.
    is_queued: bool,
}

impl Priorities {
    /// Priorities that are lowered `depth - 1` times.
    pub(super) fn new(depth: u32) -> Self {
        Priorities {
            depth,
            rng: Rng::new(0),
            ticks: Ticks::default(),
            of: Vec::new(),
            queue: BinaryHeap::new(),
            changes: Vec::new(),
            next_given_way: 0,
            running: 0,
        }
    }

    /// A new iteration begins.
    pub(super) fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.ticks.begin();
        self.of.clear();
        self.queue.clear();
        self.next_given_way = CHANGED - 1;
        self.running = 0;
        self.draw_changes(self.ticks.expected(beginning.longest));
    }

    /// Distinct change points in random order: the one drawn i-th gives the i-th lowest priority.
    fn draw_changes(&mut self, ticks: u32) {
        let Priorities { changes, rng, .. } = self;
        let wanted = (self.depth - 1).min(ticks) as usize;
        changes.clear();
        while changes.len() < wanted {
            changes.extend((changes.len()..wanted).map(|_| (1 + rng.below(ticks), 0)));
            changes.sort_unstable_by(|one, other| other.cmp(one));
            changes.dedup();
        }
        for index in 0..wanted {
            let earlier = rng.below(index as u32 + 1) as usize;
            changes[index].1 = changes[earlier].1;
            changes[earlier].1 = index as u32 + 1;
        }
    }

    /// Picks the holder with the highest priority of those that can run, after the changes that are due.
    /// `gives_way` is the holder that makes room, if one does; it cannot run now.
    pub(super) fn pick(
        &mut self,
        moment: &Moment,
        gives_way: Option<u32>,
        can_run: impl Fn(u32) -> bool,
    ) -> u32 {
        let tick = self.ticks.at(moment);
        if let Some(holder) = gives_way {
            // It must lie below all that can run, or its entry would be lost on the way to theirs.
            self.next_given_way -= 1;
            self.set(holder, self.next_given_way);
        }
        let (mut priority, mut holder) = self.highest(&can_run);
        while let Some(&(point, lowest)) = self.changes.last()
            && point <= tick
        {
            self.changes.pop();
            self.set(holder, CHANGED + u64::from(lowest));
            (priority, holder) = self.highest(&can_run);
        }
        self.running = priority;
        holder
    }

    /// For how many further points the pick stands.
    pub(super) fn quantum(&self) -> u32 {
        let next = self.changes.last().map_or(u32::MAX, |&(tick, _)| tick);
        self.ticks.quantum_until(next)
    }

    /// A holder can run. True if it takes precedence over the one picked last, or if that was alone.
    pub(super) fn enter(&mut self, holder: u32) -> bool {
        let index = holder as usize;
        if self.of.len() <= index {
            self.of.resize(index + 1, Priority::default());
        }
        let known = self.of[index];
        let priority = match known.value {
            0 => INITIAL | (self.rng.bits() >> 1),
            value => value,
        };
        if !known.is_queued {
            self.set(holder, priority);
        }
        priority >= self.running || self.ticks.is_alone()
    }

    /// The iteration has ended, after so many steps.
    pub(super) fn end(&mut self, steps: u32) {
        self.ticks.end(steps);
    }

    /// Gives a holder a new priority; it takes its place in the queue with it.
    fn set(&mut self, holder: u32, priority: u64) {
        self.of[holder as usize] = Priority {
            value: priority,
            is_queued: true,
        };
        self.queue.push((priority, holder));
    }

    fn highest(&mut self, can_run: &impl Fn(u32) -> bool) -> (u64, u32) {
        loop {
            let &(priority, holder) = self.queue.peek().expect("who can run is in the queue");
            let known = &mut self.of[holder as usize];
            if known.value == priority {
                if can_run(holder) {
                    return (priority, holder);
                }
                known.is_queued = false;
            }
            self.queue.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of three change points have the same probability: 10,000 of 60,000 draws each on the
    /// average, with a standard deviation of 92. Five of those are left for one of them at one of 300,000
    /// seeds.
    #[test]
    fn change_points_are_distinct_and_in_random_order() {
        let mut priorities = Priorities::new(4);
        let mut orders = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            priorities.draw_changes(20);
            let [(a, first), (b, second), (c, third)] = priorities.changes[..] else {
                panic!("three change points")
            };
            assert!(20 >= a && a > b && b > c && c >= 1);
            *orders.entry([first, second, third]).or_insert(0_i32) += 1;
        }
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|count| (count - 10_000).abs() < 5 * 92));
    }

    #[test]
    fn there_are_no_more_change_points_than_ticks() {
        let mut priorities = Priorities::new(u32::MAX);
        priorities.draw_changes(100);
        let ticks = priorities.changes.iter().map(|&(tick, _)| tick);
        assert!(ticks.eq((1..=100).rev()));
    }
}
