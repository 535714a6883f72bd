//! The trap strategy: holds workers where others may come to the same object.

mod order;
mod trap_set;

use self::order::Order;
use self::trap_set::TrapSet;
use super::pending::Pending;
use super::{
    Action, Beginning, Beyond, Candidates, Ending, Executed, FirstUse, Moment, Observer, Origin,
    Pick, Reason, Rng, Strategy, WorkerId,
};

/// Puts a worker off where its next operation may meet one of another worker, until that one is there or
/// nobody else can run.
///
/// **Idea.** Bugs are where two conflicting operations come in the order that is rarely seen. Each schedule
/// is analysed for its *near misses*: pairs of places whose operations conflict, and that nothing but this
/// conflict orders. In the next ones workers are held at such places; where a partner comes, both stand
/// before their operations, and a coin says who goes first. This is TSVD (Li, Lu, Musuvathi, Nath and
/// Padhye, SOSP 2019) with control instead of delays, so that a worker that is held waits for as long as it
/// takes, and for no longer; and the active testing of Sen, *Race Directed Random Testing of Concurrent
/// Programs* (PLDI 2008), with all conflicts for data races.
///
/// **Guarantee.** None. Fair with probability 1: who is held goes on once all others are held, wait, or
/// spin.
///
/// **Parameters.** `pairs`: up to how many pairs traps are set for in an iteration, from 1 to 32; a larger
/// number counts as 32.
///
/// **Departures.** A pair that was held for in vain loses weight and is not given up: in another schedule its
/// partner may come. The rest is a uniform walk in half of the iterations, and in the others a sticky one,
/// which leaves the current worker once in eight steps. A release is no place to be held at. After
/// `fair_after` steps the walk is uniformly random. Memory is bounded: 4,096 places and 16,384 pairs, and
/// three clocks for each object.
#[derive(Debug)]
pub struct Trap {
    pairs: u32,
    rng: Rng,
    pending: Pending<true>,
    /// By place in `pending`.
    stands: Vec<Stand>,
    /// Places in `pending` whose workers have just come there.
    arrived: Vec<usize>,
    /// The places of the program, in the order in which they were seen.
    places: FirstUse,
    traps: TrapSet,
    order: Order,
    /// The current worker is left once in so many steps.
    keeps: u32,
    fair_after: u32,
}

/// In half of the iterations the current worker goes on at all but one in so many steps.
const KEEPS: u32 = 8;
/// One in so many iterations has no traps.
const PLAIN: u32 = 8;
/// A worker that spins lets one that is held go, once in so many times.
const PATIENCE: u32 = 4;
/// The most places that are told apart.
const PLACES: u32 = 4096;

/// The place in the program where a worker stands.
#[derive(Clone, Copy, Default, Debug)]
struct Stand {
    /// The traps, a bit each, that it has come to: from the one place of the pair, and from the other.
    at: [u32; 2],
    is_held: bool,
}

impl Stand {
    fn traps(self) -> u32 {
        self.at[0] | self.at[1]
    }

    /// The traps in which the two are partners.
    fn meets(self, other: Stand) -> u32 {
        self.at[0] & other.at[1] | self.at[1] & other.at[0]
    }
}

impl Trap {
    /// Sets traps for this many pairs, at least 1; more than 32 count as 32.
    pub fn new(pairs: u32) -> Trap {
        Trap {
            pairs,
            rng: Rng::new(0),
            pending: Pending::default(),
            stands: Vec::new(),
            arrived: Vec::new(),
            places: FirstUse::default(),
            traps: TrapSet::default(),
            order: Order::default(),
            keeps: 1,
            fair_after: 0,
        }
    }

    /// The place in `pending` of somebody who has just come to a trap with its partner in it, or of that
    /// partner.
    fn meet(&mut self, candidates: &dyn Candidates) -> Option<usize> {
        while let Some(place) = self.arrived.pop() {
            let own = self.stands[place];
            if !own.is_held {
                continue;
            }
            let (mut partner, mut met) = (None, 0);
            let stands = &self.stands;
            self.pending.each_race(place, candidates, |other| {
                let traps = own.meets(stands[other]);
                if stands[other].is_held && traps != 0 {
                    (partner, met) = (Some(other), traps);
                }
            });
            if let Some(partner) = partner {
                self.traps.have_caught(met);
                self.stands[place].is_held = false;
                self.stands[partner].is_held = false;
                self.arrived.clear();
                return Some(if self.rng.below(2) == 0 {
                    place
                } else {
                    partner
                });
            }
        }
        None
    }

    /// The place in `pending` of the next one of those that are not held.
    fn walk(&mut self, moment: &Moment) -> usize {
        let current = self.pending.place(moment.current);
        let is_held = |stand: &Stand| stand.is_held;
        match (moment.reason, current) {
            (Reason::Yield, Some(current)) => {
                let others = self.free().filter(|&place| place != current);
                let others = others.count() as u32;
                let is_due = others == 0 || self.rng.below(PATIENCE) == 0;
                if is_due && self.stands.iter().any(is_held) {
                    return self.let_one_go();
                }
                if others == 0 {
                    return current;
                }
                let chosen = self.rng.below(others) as usize;
                let mut others = self.free().filter(|&place| place != current);
                others.nth(chosen).unwrap_or(current)
            }
            (Reason::Point, Some(current))
                if !self.stands[current].is_held && self.rng.below(self.keeps) > 0 =>
            {
                current
            }
            _ => {
                let free = self.free().count() as u32;
                if free == 0 {
                    return self.let_one_go();
                }
                let chosen = self.rng.below(free) as usize;
                self.free().nth(chosen).unwrap_or(0)
            }
        }
    }

    /// The places in `pending` of those that are not held.
    fn free(&self) -> impl Iterator<Item = usize> {
        let stands = self.stands.iter().enumerate();
        stands
            .filter(|(_, stand)| !stand.is_held)
            .map(|(place, _)| place)
    }

    /// Nobody came to one of those that are held: it goes on, and its traps are over for this iteration.
    fn let_one_go(&mut self) -> usize {
        let held = self.stands.iter().filter(|stand| stand.is_held).count() as u32;
        let chosen = self.rng.below(held.max(1)) as usize;
        let mut places = self.stands.iter().enumerate();
        let mut places = places.by_ref().filter(|(_, stand)| stand.is_held);
        let place = places.nth(chosen).map_or(0, |(place, _)| place);
        let traps = self.stands[place].traps();
        self.traps.were_in_vain(traps);
        for stand in &mut self.stands {
            stand.at = stand.at.map(|at| at & !traps);
            stand.is_held &= stand.traps() != 0;
        }
        place
    }
}

/// The place that an action is at, as a number; none for one that nobody is held at.
fn number(places: &mut FirstUse, action: &Action) -> Option<u32> {
    let operation = action.operation;
    if operation.is_of_workers() || operation.gives_way() || operation.releases() {
        return None;
    }
    // Addresses have 47 bits.
    let key = std::ptr::from_ref(action.site) as u64 | (operation as u64) << 56;
    places.number_up_to(key, PLACES)
}

impl Strategy for Trap {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.pending.begin();
        self.stands.clear();
        self.arrived.clear();
        self.order.begin();
        self.keeps = [1, KEEPS][self.rng.below(2) as usize];
        let none = self.rng.below(PLAIN) == 0;
        let pairs = 1 + self.rng.below(self.pairs.min(32));
        let pairs = if none { 0 } else { pairs };
        self.traps.set(pairs, &mut self.rng);
        self.fair_after = beginning.fair_after;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        if moment.step >= self.fair_after {
            return Pick::uniform(candidates, &mut self.rng);
        }
        let (stands, places, traps) = (&mut self.stands, &mut self.places, &self.traps);
        let arrived = &mut self.arrived;
        arrived.clear();
        self.pending.look(&moment, candidates, |arrival| {
            let number = number(places, arrival.action);
            let at = number.map_or([0; 2], |number| traps.at(number));
            let is_held = at != [0; 2];
            stands[arrival.place] = Stand { at, is_held };
            arrived.push(arrival.place);
        });
        let place = match self.meet(candidates) {
            Some(place) => place,
            None => self.walk(&moment),
        };
        let most = self.fair_after - moment.step - 1;
        self.pending.pick(place, moment.step, most)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn end(&mut self, _ending: &Ending) {
        self.traps.end();
    }

    fn on_created(&mut self, worker: WorkerId, _origin: Origin) {
        self.order.create(worker);
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.order.wake(worker);
        self.stands.push(Stand::default());
        self.pending.enter(worker)
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        let place = self.pending.leave(worker);
        self.stands.swap_remove(place);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for Trap {
    fn on_step(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        let place = number(&mut self.places, &executed.action);
        let traps = &mut self.traps;
        self.order.pass(executed, beyond, place, |one, other| {
            traps.note(one, other);
        });
    }

    fn on_unpicked(&mut self, executed: &Executed, beyond: &Beyond<'_>) {
        self.on_step(executed, beyond);
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::play;
    use super::*;

    #[test]
    fn a_seed_means_the_same_schedule() {
        let steps = [40, 40, 40];
        let first = play(&mut Trap::new(2), 7, &steps);
        assert_eq!(play(&mut Trap::new(2), 7, &steps), first);
        assert_ne!(play(&mut Trap::new(2), 8, &steps), first);
    }

    #[test]
    fn partners_are_of_the_two_places_of_a_trap() {
        let stand = |one, other| Stand {
            at: [one, other],
            is_held: true,
        };
        assert_eq!(stand(1, 0).meets(stand(0, 1)), 1);
        assert_eq!(stand(1, 0).meets(stand(1, 0)), 0);
        // A place that is its own partner.
        assert_eq!(stand(2, 2).meets(stand(2, 2)), 2);
        assert_eq!(stand(1, 2).meets(stand(2, 5)), 3);
    }
}
