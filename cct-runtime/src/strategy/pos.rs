//! POS, partial order sampling.

use super::pending::{Footprint, Pending};
use super::{Beginning, Candidates, Pick, Reason, Rng, Strategy, WorkerId};

/// Gives each pending operation a random priority and runs the highest; then those that conflict with it
/// get new ones.
///
/// **Idea.** Only the order of conflicting operations makes a difference. With one priority each for
/// good, an operation's order to one rival would say much about its order to the next; with new
/// priorities after each conflict, orders of different pairs are independent.
///
/// **Guarantee.** Yuan, Yang and Gu, *Partial Order Aware Concurrency Sampling* (CAV 2018): each partial
/// order has a probability that is higher than under a random walk by a factor exponential in the number
/// of operations that do not race. Of a worker with n operations of its own before one that races with
/// a pending one of another worker, all n+1 come first with probability 1/(n+2), not 2^-(n+1).
///
/// **Parameters.** None.
///
/// **Departures.** A priority is drawn when it is compared: workers whose priorities have not been are equal,
/// and as many of them as there are, the highest is above that of all others with a probability that is
/// known. Where new operations conflict as those before, nothing has to be drawn for long. That comes to
/// the same, and is faster. A worker that gives way is passed over once, with its priority as it is.
/// Priorities have 32 bits; of equal ones the place decides. After `fair_after` steps the walk is uniformly
/// random: it is fair with probability 1 before, but a low priority may have to wait for long.
#[derive(Debug)]
pub struct Pos {
    rng: Rng,
    pending: Pending<true>,
    /// By place in `pending`; [`UNDRAWN`] until it is compared.
    priorities: Vec<u32>,
    /// The places of those undrawn, and the place of the highest of the others.
    undrawn: Vec<u32>,
    highest: usize,
    /// The two above are up to date.
    is_surveyed: bool,
    /// An access that conflicts with all undrawn operations and with no drawn one: once it has been carried
    /// out by an undrawn worker, priorities are due as before.
    repeats: Footprint,
    fair_after: u32,
}

/// The priority of an operation that is due a new one, which is below all that are drawn.
const UNDRAWN: u32 = 0;

impl Default for Pos {
    fn default() -> Self {
        Pos {
            rng: Rng::new(0),
            pending: Pending::default(),
            priorities: Vec::new(),
            undrawn: Vec::new(),
            highest: 0,
            is_surveyed: false,
            repeats: Footprint::NONE,
            fair_after: 0,
        }
    }
}

impl Pos {
    /// Finds out who is undrawn, and who is the highest of the others.
    fn survey(&mut self) {
        self.undrawn.clear();
        self.highest = highest(&self.priorities, None);
        if self.priorities.contains(&UNDRAWN) {
            let places = (0..).zip(&self.priorities);
            let undrawn = places.filter(|&(_, &priority)| priority == UNDRAWN);
            self.undrawn.extend(undrawn.map(|(place, _)| place));
        }
        self.is_surveyed = true;
    }

    /// Draws what is undrawn.
    fn draw_all(&mut self) {
        for &place in &self.undrawn {
            self.priorities[place as usize] = draw(&mut self.rng);
        }
        self.is_surveyed = false;
        self.repeats = Footprint::NONE;
    }

    /// The place with the highest priority. It may be undrawn: then it would be the highest if all were.
    fn top(&mut self) -> usize {
        let count = self.undrawn.len() as u32;
        if count == 0 {
            return self.highest;
        }
        let bits = self.rng.bits();
        if self.undrawn.len() < self.priorities.len() {
            let all_below = power(self.priorities[self.highest], count);
            if all_below > u32::MAX / 2 {
                // Not to draw long in `draw_from_top`.
                self.draw_all();
                self.survey();
                return self.highest;
            }
            if ((bits >> 32) as u32) < all_below {
                return self.highest;
            }
        }
        // As they are independent, it is equally likely to be any of them.
        let index = ((bits & u64::from(u32::MAX)) * u64::from(count)) >> 32;
        self.undrawn[index as usize] as usize
    }

    /// The worker at this place, which is the top, carries out its operation: all that conflict with it,
    /// and the worker itself, are due new priorities.
    fn renew(&mut self, place: usize, candidates: &dyn Candidates) {
        let executed = self.pending.footprint(place);
        let is_undrawn = self.priorities[place] == UNDRAWN;
        if is_undrawn && executed == self.repeats && executed != Footprint::NONE {
            return;
        }
        let mut racing = 0;
        let priorities = &self.priorities;
        self.pending.each_race(place, candidates, |other| {
            racing += usize::from(priorities[other] == UNDRAWN);
        });
        let others = self.undrawn.len() - usize::from(is_undrawn);
        if racing < others {
            self.draw_below(place);
        }
        let priorities = &mut self.priorities;
        self.pending
            .each_race(place, candidates, |other| priorities[other] = UNDRAWN);
        priorities[place] = UNDRAWN;
        self.is_surveyed = false;
        self.repeats = if executed.excludes_its_like() {
            executed
        } else {
            Footprint::NONE
        };
    }

    /// Draws what is undrawn, on the condition that the one at this place is the highest.
    fn draw_below(&mut self, place: usize) {
        let (rng, priorities) = (&mut self.rng, &mut self.priorities);
        let bound = priorities[self.highest];
        if priorities[place] != UNDRAWN {
            for &other in &self.undrawn {
                priorities[other as usize] = rng.below(bound).max(UNDRAWN + 1);
            }
            return;
        }
        loop {
            let mut top = (place, UNDRAWN);
            for &other in &self.undrawn {
                let priority = draw(rng);
                priorities[other as usize] = priority;
                if priority > top.1 {
                    top = (other as usize, priority);
                }
            }
            if top.1 >= bound {
                // As they are independent, it is equally likely to be anywhere.
                priorities.swap(place, top.0);
                return;
            }
        }
    }
}

impl Strategy for Pos {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.pending.begin();
        self.priorities.clear();
        self.is_surveyed = false;
        self.repeats = Footprint::NONE;
        self.fair_after = beginning.fair_after;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        let step = moment.step;
        if step >= self.fair_after {
            return Pick::uniform(candidates, &mut self.rng);
        }
        let Pos {
            pending,
            priorities,
            is_surveyed,
            repeats,
            ..
        } = self;
        pending.look(&moment, candidates, |arrival| {
            if arrival.footprint != *repeats {
                *repeats = Footprint::NONE;
            }
            let before = std::mem::replace(&mut priorities[arrival.place], UNDRAWN);
            *is_surveyed &= before == UNDRAWN;
        });
        if !self.is_surveyed {
            self.survey();
        }
        let gives_way = match moment.reason {
            Reason::Yield => self.pending.place(moment.current),
            Reason::Point | Reason::Stopped => None,
        };
        let place = if gives_way.is_some() {
            self.draw_all();
            self.survey();
            highest(&self.priorities, gives_way)
        } else {
            self.top()
        };
        self.renew(place, candidates);
        let most = self.fair_after - step - 1;
        self.pending.pick(place, step, most)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    fn learns(&self) -> bool {
        false
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.priorities.push(UNDRAWN);
        self.is_surveyed = false;
        self.repeats = Footprint::NONE;
        self.pending.enter(worker)
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        let place = self.pending.leave(worker);
        self.priorities.swap_remove(place);
        self.is_surveyed = false;
    }
}

/// A priority; never [`UNDRAWN`].
fn draw(rng: &mut Rng) -> u32 {
    ((rng.bits() >> 32) as u32).max(UNDRAWN + 1)
}

/// The place of the highest priority but for one place; of the last if there are several.
fn highest(priorities: &[u32], except: Option<usize>) -> usize {
    let except = except.unwrap_or(usize::MAX);
    let mut best = (0, 0);
    for (place, &priority) in priorities.iter().enumerate() {
        if priority >= best.1 && place != except {
            best = (place, priority);
        }
    }
    best.0
}

/// The probability that so many new priorities are all below this one, in 2^32ths.
#[inline]
fn power(priority: u32, mut exponent: u32) -> u32 {
    let mut base = u64::from(priority);
    let mut product = u64::from(u32::MAX);
    while exponent > 0 {
        if exponent % 2 == 1 {
            product = (product * base) >> 32;
        }
        base = (base * base) >> 32;
        exponent /= 2;
    }
    product as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_is_found() {
        let priorities = [3, 9, 4, 9, 1];
        assert_eq!(highest(&priorities, None), 3);
        assert_eq!(highest(&priorities, Some(3)), 1);
        assert_eq!(highest(&[0, 0], Some(1)), 0);
    }

    #[test]
    fn powers_are_probabilities() {
        assert_eq!(power(1 << 31, 1), (1 << 31) - 1);
        let third = power(u32::MAX / 3, 5);
        assert!(third.abs_diff(u32::MAX / 243) < 8);
        assert_eq!(power(1, 100), 0);
    }

    /// Two are drawn and three are not: each of the three is on top as often as it is when all are drawn,
    /// and so is the higher of the two. 20,000 draws; a share p has a standard deviation of at most 71.
    #[test]
    fn the_top_is_the_one_that_is_highest_once_all_are_drawn() {
        const DRAWS: i32 = 20_000;
        for tenths in [3, 7, 9] {
            let drawn = f64::from(tenths) / 10.0;
            let bound = u32::MAX / 10 * tenths;
            let mut counts = [0_i32; 5];
            let mut pos = Pos::default();
            for _ in 0..DRAWS {
                pos.priorities = vec![0, bound, 0, bound / 2, 0];
                pos.survey();
                let place = pos.top();
                let below = pos.undrawn.clone();
                if !below.is_empty() {
                    pos.draw_below(place);
                }
                assert_eq!(highest(&pos.priorities, None), place);
                counts[place] += 1;
            }
            assert_eq!(counts[3], 0);
            let of_bound = drawn.powi(3);
            let expected = |share: f64| (share * f64::from(DRAWS)) as i32;
            assert!((counts[1] - expected(of_bound)).abs() < 5 * 71);
            for place in [0, 2, 4] {
                let share = (1.0 - of_bound) / 3.0;
                assert!((counts[place] - expected(share)).abs() < 5 * 71);
            }
        }
    }
}
