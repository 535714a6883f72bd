//! Q-learning.

mod exp;
mod fingerprint;
mod table;

use self::exp::exp_minus;
use self::fingerprint::Fingerprint;
use self::table::{CHOICES, Place, Table};
use super::{
    Beginning, Beyond, Candidates, Ending, Executed, FirstUse, Observer, Origin, Pick, Reason, Rng,
    Strategy, WorkerId,
};

/// The most choices of an iteration that are learned from.
const LONGEST_PATH: usize = 1 << 16;
/// The most paths of workers that are told apart.
const MOST_PATHS: u32 = 1 << 12;
/// The number that a choice of a value, and not of a worker, adds to the state.
const VALUE: u64 = 0xC401_CE0F_A7A1_11E5;
/// One of so many iterations is uniformly random.
const WALKS: u64 = 8;

/// Learns which choices lead to states that have not been seen, by reinforcement.
///
/// **Idea.** A program's state is a number made of what its workers are about to do and where, of what is
/// in its objects, and of what it says itself, see `cct::state_hash`. Reaching a state costs the
/// number of times that it has been seen. The cost of a choice, with all costs that follow from it, is
/// learned by Q-learning, and choices are drawn by softmax from their costs.
///
/// **Guarantee.** None: that of random, as long as nothing has been seen twice. Mukherjee, Deligiannis,
/// Biswas and Lal: *Learning-Based Controlled Concurrency Testing*, OOPSLA 2020.
///
/// **Parameters.** None. As published the rate of learning is 0.3 and the discount 0.7; as in Coyote the
/// reward is the negative number of visits.
///
/// **Departures.** One iteration of eight is uniformly random, and learned from: values grow with the
/// visits, so that a choice that led to what is well known may not be made again in very many
/// iterations, although something else lies behind it. Where there is one candidate nothing is learned.
/// Choices in a state are told apart by worker up to 15, by its path of creation; further workers share
/// their places. Memory is bounded: the table grows to 65,536 states (5 MB), and of those that fall on
/// one place the one seen less often is forgotten; of an iteration the first 65,536 choices are learned
/// from, 65,536 sites and 4,096 workers are told apart, which comes to 3 MB at the most; and there are
/// about 50 bytes for each object of the largest iteration. All arithmetic is in integers, equal on all
/// machines. After `fair_after` steps the walk is uniformly random, since what is costly may never be
/// chosen.
#[derive(Debug)]
pub struct QLearning {
    rng: Rng,
    table: Table,
    fingerprint: Fingerprint,
    /// Workers of all iterations by their path.
    paths: FirstUse,
    path: Vec<Choice>,
    groups: Groups,
    /// The iteration is uniformly random.
    walks: bool,
    fair_after: u32,
}

/// The choice that was made.
#[derive(Clone, Copy, Debug)]
struct Choice {
    place: Place,
    /// The value of the best choice there was.
    best: i32,
    chosen: u8,
}

/// The candidates by the choice that they count as.
#[derive(Debug, Default)]
struct Groups {
    members: [Vec<WorkerId>; CHOICES],
    /// By worker number: its group, and its place there.
    places: Vec<(u8, u32)>,
    is_any: u16,
}

impl Default for QLearning {
    fn default() -> Self {
        QLearning {
            rng: Rng::new(0),
            table: Table::new(),
            fingerprint: Fingerprint::new(),
            paths: FirstUse::default(),
            path: Vec::new(),
            groups: Groups::default(),
            walks: false,
            fair_after: 0,
        }
    }
}

impl QLearning {
    #[inline]
    fn note(&mut self, place: Place, drawn: Drawn) {
        if self.path.len() < LONGEST_PATH {
            self.path.push(Choice {
                place,
                best: drawn.best,
                chosen: drawn.choice as u8,
            });
        }
    }

    fn pick_worker(&mut self, candidates: &dyn Candidates, count: u32) -> WorkerId {
        let state = self.fingerprint.of(candidates.state_hash());
        let place = self.table.visit(state);
        let Groups {
            members, is_any, ..
        } = &self.groups;
        let values = self.table.values(place);
        let (worker, drawn) = if let Some(values) = values.filter(|_| !self.walks) {
            let counts = |choice: usize| members[choice].len() as u64;
            let drawn = draw(values, *is_any, counts, &mut self.rng);
            let members = &members[drawn.choice];
            let index = match members.len() {
                1 => 0,
                many => self.rng.below(many as u32) as usize,
            };
            (members[index], drawn)
        } else {
            let worker = candidates.nth(self.rng.below(count));
            let choice = usize::from(self.groups.places[worker.0 as usize].0);
            let best = values.map_or(0, |values| best_of(values, *is_any));
            (worker, Drawn { choice, best })
        };
        self.note(place, drawn);
        worker
    }
}

/// A choice, and the value of the best one.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    choice: usize,
    best: i32,
}

impl Strategy for QLearning {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.fingerprint.clear();
        self.path.clear();
        self.groups.clear();
        self.walks = beginning.index % WALKS == WALKS - 1;
        self.fair_after = beginning.fair_after;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let count = candidates.len();
        let worker = if count == 1 {
            candidates.nth(0)
        } else if candidates.step() >= self.fair_after {
            candidates.nth(self.rng.below(count))
        } else if candidates.reason() == Reason::Yield {
            let current = candidates.current();
            self.groups.remove(current);
            let worker = self.pick_worker(candidates, count);
            self.groups.insert(current);
            worker
        } else {
            self.pick_worker(candidates, count)
        };
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        if n as usize > CHOICES {
            return self.rng.below(n);
        }
        let place = self.table.visit(self.fingerprint.of(VALUE));
        let drawn = if let Some(values) = self.table.values(place) {
            draw(values, (1 << n) - 1, |_| 1, &mut self.rng)
        } else {
            let choice = self.rng.below(n) as usize;
            Drawn { choice, best: 0 }
        };
        self.note(place, drawn);
        drawn.choice as u32
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn end(&mut self, _ending: &Ending) {
        for pair in self.path.windows(2) {
            let [now, next] = [pair[0], pair[1]];
            let chosen = usize::from(now.chosen);
            self.table.learn(now.place, chosen, next.place, next.best);
        }
        self.table.end_iteration();
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        let path = self.fingerprint.create(worker, origin);
        let number = self.paths.number_up_to(path, MOST_PATHS);
        let group = number.unwrap_or(worker.0) as usize % CHOICES;
        self.groups.places.push((group as u8, 0));
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.fingerprint.set_enabled(worker, true);
        self.groups.insert(worker);
        true
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        self.fingerprint.set_enabled(worker, false);
        self.groups.remove(worker);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for QLearning {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        self.fingerprint.step(executed);
    }
}

impl Groups {
    fn clear(&mut self) {
        self.members.iter_mut().for_each(Vec::clear);
        self.places.clear();
        self.is_any = 0;
    }

    fn insert(&mut self, worker: WorkerId) {
        let (group, place) = &mut self.places[worker.0 as usize];
        let members = &mut self.members[usize::from(*group)];
        *place = members.len() as u32;
        members.push(worker);
        self.is_any |= 1 << *group;
    }

    fn remove(&mut self, worker: WorkerId) {
        let (group, place) = self.places[worker.0 as usize];
        let members = &mut self.members[usize::from(group)];
        members.swap_remove(place as usize);
        if let Some(moved) = members.get(place as usize) {
            self.places[moved.0 as usize].1 = place;
        } else if members.is_empty() {
            self.is_any &= !(1 << group);
        }
    }
}

/// Draws one of the choices in a state, each as often as it counts and with its weight.
#[inline]
fn draw(
    values: &[i32; CHOICES],
    among: u16,
    counts: impl Fn(usize) -> u64,
    rng: &mut Rng,
) -> Drawn {
    let best = best_of(values, among);
    let mut sums = [0; CHOICES];
    let mut total = 0;
    for choice in of_set(among) {
        total += exp_minus(best.abs_diff(values[choice])) * counts(choice);
        sums[choice] = total;
    }
    let drawn = ((u128::from(rng.bits()) * u128::from(total)) >> 64) as u64;
    let chosen = of_set(among).find(|&choice| drawn < sums[choice]);
    let choice = chosen.expect("the total is more than what is drawn");
    Drawn { choice, best }
}

/// The value of the best of these choices.
#[inline]
fn best_of(values: &[i32; CHOICES], among: u16) -> i32 {
    let of_choice = |choice: usize| values[choice];
    of_set(among).map(of_choice).fold(i32::MIN, i32::max)
}

/// The members of a set, lowest first.
#[inline]
fn of_set(set: u16) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros() as usize;
        (left != 0).then(|| {
            left &= left - 1;
            lowest
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::script::{Script, action};
    use super::super::{ChainId, IterationResult, Limits, Random};
    use super::*;
    use crate::operation::Operation;
    use crate::trace::WorkerKind;
    use std::panic::Location;

    /// Two workers send twelve messages each, into channels of their own: a grid of states.
    fn grid() -> Script {
        let sends = |channel| vec![action(Operation::Send, channel, Location::caller()); 12];
        Script {
            workers: vec![sends(8), sends(16)],
        }
    }

    /// How many iterations pass until worker 0, and in another one worker 1, sends all before the other.
    fn until_both_corners(strategy: &mut dyn Strategy, search: u64) -> u64 {
        let script = grid();
        let mut seen = [false; 2];
        let comes = |index: &u64| {
            let made = script.run(strategy, search << 32 | *index, *index);
            let first = made[0].0.0;
            let is_corner = made[..12].iter().all(|&(worker, _)| worker.0 == first);
            seen[first as usize] |= is_corner;
            seen == [true; 2]
        };
        (0..20_000).find(comes).unwrap_or(20_000)
    }

    #[test]
    fn what_is_far_from_the_usual_is_come_to() {
        let mean = |build: &dyn Fn() -> Box<dyn Strategy>| {
            let all = (0..10).map(|search| until_both_corners(&mut *build(), search));
            all.sum::<u64>() / 10
        };
        let learned = mean(&|| Box::new(QLearning::default()));
        // At random a corner has probability 2^-12, and both take 6,100 iterations on the average.
        let random = mean(&|| Box::new(Random::default()));
        assert!(learned * 5 < random, "{learned} and {random}");
    }

    #[test]
    fn the_same_seeds_make_the_same_executions() {
        let search = || {
            let mut strategy = QLearning::default();
            let script = grid();
            let mut run = |index| script.run(&mut strategy, index, index);
            (0..200).map(&mut run).collect::<Vec<_>>()
        };
        assert_eq!(search(), search());
    }

    #[test]
    fn workers_beyond_the_choices_share_them() {
        let work =
            |worker: usize| vec![action(Operation::Store, 8 * worker, Location::caller()); 3];
        let script = Script {
            workers: (1..=40).map(work).collect(),
        };
        let mut strategy = QLearning::default();
        for index in 0..50 {
            assert_eq!(script.run(&mut strategy, index, index).len(), 120);
        }
    }

    #[test]
    fn values_are_learned_like_workers() {
        let mut strategy = QLearning::default();
        let mut counts = [0; 3];
        for index in 0..300 {
            strategy.begin(&Beginning {
                seed: index,
                index,
                longest: 0,
                fair_after: u32::MAX,
            });
            let value = strategy.choose_index(3);
            counts[value as usize] += 1;
            // The state after 0 and 1 is always the same, and the state after 2 is always new.
            for worker in 0..if value == 2 { index as u32 } else { 0 } {
                let origin = Origin {
                    parent: None,
                    chain: ChainId(worker),
                    kind: WorkerKind::Thread,
                };
                strategy.on_created(WorkerId(worker), origin);
                strategy.on_enabled(WorkerId(worker));
            }
            strategy.choose_index(2);
            strategy.end(&Ending {
                result: IterationResult::Passed,
                steps: 1,
                limits: Limits::default(),
            });
        }
        assert!(counts[2] > 250, "{counts:?}");
        assert!(strategy.choose_index(1000) < 1000);
    }
}
