//! SURW, the selectively uniform random walk.

use super::census::{Census, accessed};
use super::pending::{Arrival, Pending};
use super::{
    Beginning, Beyond, Candidates, Ending, Executed, Moment, Observer, Origin, Pick, Reason, Rng,
    Strategy, WorkerId,
};
use crate::object::ObjectId;

/// Makes all orders of the accesses to one object, drawn for each iteration, equally probable.
///
/// **Idea.** A walk that is uniform at each step is far from uniform over interleavings: a worker with
/// little to do is through before one with much to do has begun. If it is known how many accesses each
/// worker has left, the next one is given to a worker with probability in proportion: then each
/// interleaving of them is as probable as any other. All accesses to all objects have too many; those to
/// one object, called Δ, have few enough, and their order often decides.
///
/// **Guarantee.** Zhao, Wolff, Mathur and Roychoudhury, *Selectively Uniform Concurrency Testing* (ASPLOS
/// 2025): if the counts are right and nobody waits for anybody, all interleavings of Δ have the same
/// probability, and each interleaving of everything has one above 0.
///
/// **Parameters.** None. Counts are those of earlier iterations: the first is observed, and so are those
/// whose numbers are powers of two; of these the one with the most accesses counts. In the first Δ is empty.
///
/// **Departures.** As in the authors' implementation, Δ is the accesses to one object that several workers
/// touch and one writes, drawn in proportion to its accesses; a worker's count contains those of workers
/// yet to be created by it, and a creation splits it; steps outside Δ go to the worker with the highest
/// priority, drawn anew for each operation. There an object must be touched by half of the threads; here
/// by two workers. Releases of locks are not in Δ, as their order follows from that of acquisitions.
///
/// Where counts are wrong: a worker that makes one more access than expected is expected to make as many
/// again as it has made, and its count is raised to what it made in the end, so that a loop that was
/// short when it was observed can be long. If the worker that
/// is to make the next access waits or has ended and all others are held back, the next one is drawn
/// anew; and so it is when that worker gives way, since it may spin until one that is held back goes on.
/// The walk is then less uniform, but never stuck. After `fair_after` steps it is uniformly random.
#[derive(Debug)]
pub struct Surw {
    rng: Rng,
    census: Census,
    /// Whether the iteration is observed.
    observes: bool,
    /// The object of Δ, if there is one.
    object: ObjectId,
    pending: Pending<false>,
    /// By place: the priority of a step outside Δ; [`UNDRAWN`] until one is compared.
    priorities: Vec<u32>,
    /// By place: how many accesses of Δ are expected of the worker and of those that it will create.
    left: Vec<u32>,
    /// By place: its worker's next step is in Δ.
    at_delta: Vec<bool>,
    /// The sum of `left`.
    total: u32,
    /// How many candidates are elsewhere than at Δ.
    elsewhere: u32,
    /// By worker: what was left when it ceased to be a candidate.
    put_by: Vec<u32>,
    /// By worker: how many accesses of Δ it has made.
    made: Vec<u32>,
    /// The worker that is to make the next access of Δ; all others are held back.
    intended: Option<WorkerId>,
    fair_after: u32,
}

/// The priority of a step that is yet to get one.
const UNDRAWN: u32 = 0;

impl Default for Surw {
    fn default() -> Self {
        Surw {
            rng: Rng::new(0),
            census: Census::default(),
            observes: false,
            object: ObjectId::NONE,
            pending: Pending::default(),
            priorities: Vec::new(),
            left: Vec::new(),
            at_delta: Vec::new(),
            total: 0,
            elsewhere: 0,
            put_by: Vec::new(),
            made: Vec::new(),
            intended: None,
            fair_after: 0,
        }
    }
}

impl Surw {
    /// Notes what workers have come to.
    #[inline]
    fn look(&mut self, moment: &Moment, candidates: &dyn Candidates) {
        let Surw {
            object,
            pending,
            priorities,
            left,
            at_delta,
            total,
            elsewhere,
            made,
            ..
        } = self;
        pending.look(moment, candidates, |arrival| {
            let Arrival { place, worker, .. } = *arrival;
            priorities[place] = UNDRAWN;
            let is_at_delta = accessed(arrival.action).is_some_and(|accessed| accessed == *object);
            if is_at_delta && left[place] == 0 {
                let as_many_again = made[worker.0 as usize].max(1);
                left[place] = as_many_again;
                *total += as_many_again;
            }
            *elsewhere += u32::from(at_delta[place]);
            *elsewhere -= u32::from(is_at_delta);
            at_delta[place] = is_at_delta;
        });
    }

    /// The place of who runs next; `gives_way` is no candidate.
    #[inline]
    fn next(&mut self, gives_way: Option<usize>) -> usize {
        let gives_way = gives_way.unwrap_or(usize::MAX);
        if self.elsewhere > 0 {
            self.draw_priorities();
            let may_run = |place: usize, at_delta: bool| match self.intended {
                Some(worker) if at_delta => self.pending.worker(place) == worker,
                _ => true,
            };
            let top =
                self.highest(|place| place != gives_way && may_run(place, self.at_delta[place]));
            if let Some(place) = top
                && (self.intended.is_some() || !self.at_delta[place])
            {
                return place;
            }
            if top.is_some() {
                // Somebody is at Δ: it is time to say who goes first.
                let intended = self.draw(gives_way);
                self.intended = Some(self.pending.worker(intended));
                return self.next(Some(gives_way));
            }
        } else if let Some(place) = self.intended.and_then(|worker| self.pending.place(worker))
            && place != gives_way
        {
            return place;
        }
        // All are held back.
        self.draw(gives_way)
    }

    /// Draws the priorities of operations that workers have come to.
    fn draw_priorities(&mut self) {
        let (rng, priorities) = (&mut self.rng, &mut self.priorities);
        let undrawn = priorities
            .iter_mut()
            .filter(|priority| **priority == UNDRAWN);
        undrawn.for_each(|priority| *priority = ((rng.bits() >> 32) as u32).max(UNDRAWN + 1));
    }

    /// The place with the highest priority of those that may run.
    #[inline]
    fn highest(&self, may_run: impl Fn(usize) -> bool) -> Option<usize> {
        let mut best = (None, 0);
        for (place, &priority) in self.priorities.iter().enumerate() {
            if priority >= best.1 && may_run(place) {
                best = (Some(place), priority);
            }
        }
        best.0
    }

    /// Draws a place, with a probability in proportion to what is left there.
    #[inline]
    fn draw(&mut self, except: usize) -> usize {
        if except < self.left.len() {
            return self.draw_but(except);
        }
        let mut drawn = self.rng.below(self.total);
        let mut place = 0;
        for eight in self.left.chunks(8) {
            let sum = eight.iter().sum::<u32>();
            if drawn < sum {
                // Without branches: where it ends cannot be foreseen.
                let mut until = 0;
                for &left in eight {
                    until += left;
                    place += usize::from(until <= drawn);
                }
                return place;
            }
            drawn -= sum;
            place += eight.len();
        }
        unreachable!("what is drawn is less than the sum")
    }

    /// [`Surw::draw`], when one place is out of the question.
    fn draw_but(&mut self, except: usize) -> usize {
        let mut drawn = self.rng.below(self.total - self.left[except]);
        let others = (0..self.left.len()).filter(|&place| place != except);
        for place in others {
            if drawn < self.left[place] {
                return place;
            }
            drawn -= self.left[place];
        }
        unreachable!("what is drawn is less than the sum")
    }
}

impl Strategy for Surw {
    fn begin(&mut self, beginning: &Beginning) {
        self.rng = Rng::new(beginning.seed);
        self.observes = beginning.index == 0 || beginning.index.is_power_of_two();
        self.object = self.census.draw(&mut self.rng).unwrap_or_default();
        self.census.begin();
        self.pending.begin();
        self.priorities.clear();
        self.left.clear();
        self.at_delta.clear();
        self.total = 0;
        self.elsewhere = 0;
        self.put_by.clear();
        self.made.clear();
        self.intended = None;
        self.fair_after = beginning.fair_after;
    }

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let moment = candidates.moment();
        let Moment { step, current, .. } = moment;
        if step >= self.fair_after {
            return Pick::uniform(candidates, &mut self.rng);
        }
        self.look(&moment, candidates);
        let gives_way = match moment.reason {
            Reason::Yield => self.pending.place(current),
            Reason::Point | Reason::Stopped => None,
        };
        if gives_way.is_some() && self.intended == Some(current) {
            self.intended = None;
        }
        let place = self.next(gives_way);
        if self.at_delta[place] {
            self.left[place] -= 1;
            self.total -= 1;
            self.made[self.pending.worker(place).0 as usize] += 1;
            self.intended = None;
        }
        // Accesses must be seen, or counts would be wrong.
        let most = if self.object.is_none() {
            self.fair_after - step - 1
        } else {
            0
        };
        self.pending.pick(place, step, most)
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.rng.below(n)
    }

    fn fair_from(&self) -> u32 {
        self.fair_after
    }

    fn end(&mut self, _ending: &Ending) {
        if self.observes {
            self.census.settle();
        } else {
            for (worker, &made) in (0..).map(WorkerId).zip(&self.made) {
                self.census.raise(worker, made);
            }
        }
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        let share = self.census.create(worker, origin);
        self.put_by.push(share);
        self.made.push(0);
        let Some(parent) = origin.parent else {
            return;
        };
        // The parent is creating it, so it runs.
        let Some(place) = self.pending.place(parent) else {
            return;
        };
        let left = self.left[place];
        if self.intended == Some(parent) && share > 0 && self.rng.below(left.max(1)) < share {
            self.intended = Some(worker);
        }
        self.left[place] -= share.min(left);
        self.total -= share.min(left);
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        let left = self.put_by[worker.0 as usize];
        self.left.push(left);
        self.total += left;
        self.priorities.push(UNDRAWN);
        self.at_delta.push(false);
        self.elsewhere += 1;
        self.pending.enter(worker)
    }

    fn on_disabled(&mut self, worker: WorkerId) {
        let place = self.pending.leave(worker);
        let left = self.left.swap_remove(place);
        self.put_by[worker.0 as usize] = left;
        self.total -= left;
        self.priorities.swap_remove(place);
        let was_at_delta = self.at_delta.swap_remove(place);
        self.elsewhere -= u32::from(!was_at_delta);
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        if self.observes { Some(self) } else { None }
    }
}

impl Observer for Surw {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        self.census.see(executed);
    }
}
