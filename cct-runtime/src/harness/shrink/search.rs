//! The search for a shorter schedule: what may be left out, and what may be enough.

use super::bounded::Bounded;
use super::outline::{Cost, Outline, Stretch};
use super::points::Point;
use crate::strategy::Rng;
use crate::trace::Schedule;

/// How often it is tried to do with fewer preemptions, when so many are left.
const ROUNDS: [u32; 4] = [0, 1_000, 4_000, 10_000];
/// The same when it is more of them.
const MOST_ROUNDS: u32 = 20_000;
/// The same before anything is left out of a long schedule.
const FIRST_ROUNDS: u32 = 200;
/// In the place of a number of preemptions: schedules near the shortest.
const DRAWN: usize = usize::MAX;
/// The stretches of a long schedule.
const LONG: usize = 40;
/// The yield budget that is tried: the largest that schedules have; and less.
const YIELD_BUDGET: u32 = 256;
const YIELD_BUDGETS: [u32; 4] = [1, 4, 16, 64];

/// A coarse step is of at most so many fine ones, where it is taken apart.
const FURTHER: u32 = 16;

/// An execution that followed an outline.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) schedule: Schedule,
    /// Its own outline, which need not be the one that it followed.
    pub(super) outline: Outline,
    pub(super) cost: Cost,
    /// Where else another worker could have run; none if there was no room for all of them.
    pub(super) points: Option<Vec<Point>>,
    /// It failed as it should.
    pub(super) fails: bool,
    /// It ended with a data race.
    pub(super) is_race: bool,
}

impl Made {
    pub(super) fn new(
        schedule: Schedule,
        points: Option<Vec<Point>>,
        (preemptions, steps): (u64, u64),
        fails: bool,
    ) -> Made {
        let chosen = schedule.choices.iter().filter(|&&choice| choice > 0);
        Made {
            outline: Outline::of(&schedule),
            cost: Cost {
                preemptions,
                switches: (schedule.runs.len() as u64).saturating_sub(1),
                steps,
                choices: chosen.count() as u64,
            },
            schedule,
            points,
            fails,
            is_race: false,
        }
    }
}

/// Looks for shorter schedules that fail until there is no way left to look, or no time. `make` follows an
/// outline, which may be coarse if the first one is or if that `may_be_coarse`; with another number `from`
/// which executions are counted, others are drawn, and it goes on for as long as there is time. `told` hears
/// of each that is shorter, with the number of executions until then, and of the shortest once more at the
/// end, and whether there was time for all.
pub(super) fn shrink(
    (outline, may_be_coarse): (&Outline, bool),
    from: u64,
    make: &mut dyn FnMut(&Outline) -> Made,
    told: &mut dyn FnMut(&Made, u64, Option<bool>),
    is_over: &mut dyn FnMut() -> bool,
) {
    let best = make(outline);
    if !best.fails {
        return;
    }
    told(&best, 1, None);
    let mut search = Search {
        bounded: Bounded::new(from + 1),
        rng: Rng::new(from),
        best,
        executions: 1,
        make,
        told,
        is_over,
        may_be_coarse,
        is_patient: from > 1,
        is_cut: false,
        leaves_some: false,
    };
    search.run();
    search.refine();
    let is_complete = Some(!search.is_cut && !search.leaves_some);
    (search.told)(&search.best, search.executions, is_complete);
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "these are facts that have nothing to do with each other"
)]
struct Search<'a> {
    /// Schedules with few preemptions.
    bounded: Bounded,
    rng: Rng,
    /// The shortest that fails.
    best: Made,
    executions: u64,
    make: &'a mut dyn FnMut(&Outline) -> Made,
    told: &'a mut dyn FnMut(&Made, u64, Option<bool>),
    is_over: &'a mut dyn FnMut() -> bool,
    /// Calls of dependencies may be one step each where that saves preemptions.
    may_be_coarse: bool,
    /// The search takes all the time that there is, since the user asked for one more.
    is_patient: bool,
    /// There was no time for all of it.
    is_cut: bool,
    /// Some of the schedules with fewer preemptions are left.
    leaves_some: bool,
}

impl Search<'_> {
    fn run(&mut self) {
        if self.best.cost.switches == 0 {
            return;
        }
        self.be_patient();
        self.put_first();
        self.plant();
        if self.best.outline.stretches.len() > LONG {
            self.do_with_fewer(FIRST_ROUNDS);
        }
        loop {
            self.leave_out();
            self.move_up();
            let before = self.best.cost.preemptions;
            let rounds = ROUNDS.get(before as usize).copied();
            self.do_with_fewer(rounds.unwrap_or(MOST_ROUNDS));
            if self.best.cost.preemptions == before || self.is_over() {
                break;
            }
        }
        self.do_without_workers();
        self.choose_first();
        self.be_impatient();
        self.leave_out();
        self.move_up();
    }

    /// A report of a race names the operations that could have ordered it, which are not told where they are
    /// parts of a coarse step: takes finer ones, if no more preemptions are needed for it. Up to some
    /// stretch workers come as far as by coarse steps, there the worker comes somewhat further, and from
    /// there on as far as they can.
    fn refine(&mut self) {
        if !self.best.is_race || !self.best.outline.coarse || !self.may_be_coarse {
            return;
        }
        let coarse = self.best.outline.stretches.clone();
        for kept in (0..=coarse.len()).rev() {
            for further in 0..FURTHER {
                if self.is_over() {
                    return;
                }
                let mut stretches: Vec<Stretch> = coarse[..kept].to_vec();
                match stretches.last_mut() {
                    Some(last) => last.until = last.until.saturating_add(further),
                    None if further > 0 => break,
                    None => {}
                }
                let rest = coarse[kept..].iter();
                stretches.extend(rest.map(|stretch| Stretch::whole(stretch.worker)));
                let outline = Outline {
                    coarse: false,
                    ..self.best.outline.with(stretches)
                };
                let mut made = (self.make)(&outline);
                made.outline.descends = outline.descends;
                self.executions += 1;
                if made.fails && made.cost.preemptions <= self.best.cost.preemptions {
                    self.best = made;
                    self.leave_out();
                    self.move_up();
                    return;
                }
            }
        }
    }

    /// Follows an outline. Keeps what comes of it if it is shorter, and fails; returns it otherwise.
    fn attempt(&mut self, outline: &Outline) -> Option<Made> {
        let mut made = (self.make)(outline);
        made.outline.descends = outline.descends;
        self.executions += 1;
        let is_alike = made.outline.coarse == self.best.outline.coarse;
        let saves = made.cost.preemptions < self.best.cost.preemptions;
        if made.fails && made.cost < self.best.cost && (is_alike || saves) {
            self.best = made;
            (self.told)(&self.best, self.executions, None);
            return None;
        }
        Some(made)
    }

    fn is_over(&mut self) -> bool {
        self.is_cut = self.is_cut || (self.is_over)();
        self.is_cut
    }

    /// Takes the largest yield budget: a switch that a spent one forces is one that no outline can leave out.
    fn be_patient(&mut self) {
        if self.best.outline.yield_budget >= Some(YIELD_BUDGET) || self.is_over() {
            return;
        }
        let outline = Outline {
            yield_budget: Some(YIELD_BUDGET),
            ..self.best.outline.clone()
        };
        if let Some(made) = self.attempt(&outline)
            && made.fails
            && made.cost <= self.best.cost
        {
            self.best = made;
        }
    }

    /// Takes less of it, where that saves steps.
    fn be_impatient(&mut self) {
        for yield_budget in YIELD_BUDGETS {
            if self.is_over() {
                return;
            }
            let outline = Outline {
                yield_budget: Some(yield_budget),
                ..self.best.outline.clone()
            };
            self.attempt(&outline);
        }
    }

    /// Leaves stretches out: halves of them, quarters, …, and single ones, until none can be spared.
    fn leave_out(&mut self) {
        let mut size = self.best.outline.stretches.len().div_ceil(2);
        while size > 0 {
            let before = self.best.cost;
            let mut from = 0;
            while from < self.best.outline.stretches.len() {
                if self.is_over() {
                    return;
                }
                let all = &self.best.outline.stretches;
                let to = (from + size).min(all.len());
                let rest = [&all[..from], &all[to..]].concat();
                let outline = self.best.outline.with(rest);
                // Where it was shorter, others have moved up.
                if self.attempt(&outline).is_some() {
                    from = to;
                }
            }
            if size > 1 || self.best.cost == before {
                size /= 2;
            }
        }
    }

    /// Has each stretch come right after the one before it of the same worker, or change places with the
    /// one before it.
    fn move_up(&mut self) {
        let mut index = 1;
        while index < self.best.outline.stretches.len() {
            for joins in [true, false] {
                let Some(stretches) = moved_up(&self.best.outline.stretches, index, joins) else {
                    continue;
                };
                if self.is_over() {
                    return;
                }
                let outline = self.best.outline.with(stretches);
                self.attempt(&outline);
            }
            index += 1;
        }
    }

    /// Tries whether any preemption is needed, with each worker in turn before the others.
    fn put_first(&mut self) {
        for first in workers_of(&self.best.outline) {
            if self.best.cost.preemptions == 0 || self.is_over() {
                return;
            }
            let mut stretches = undisturbed(&self.best.outline);
            stretches.insert(0, Stretch::whole(first));
            let outline = self.best.outline.with(stretches);
            self.attempt(&outline);
        }
    }

    /// Makes the schedules that those with few preemptions branch off from: without any, the workers one
    /// after the other upwards and downwards, with the choices of the shortest, and with the first ones.
    fn plant(&mut self) {
        let most = self.best.cost.preemptions.min(ROUNDS.len() as u64 - 1);
        let base = self.best.outline.with(Vec::new());
        let plain = Outline {
            choices: Vec::new(),
            ..base.clone()
        };
        let down = Outline {
            descends: true,
            ..plain.clone()
        };
        let coarse = |outline: &Outline| Outline {
            coarse: true,
            ..outline.clone()
        };
        let may_be_coarse = self.may_be_coarse && !base.coarse;
        let bases = [
            Some(coarse(&plain)).filter(|_| may_be_coarse),
            Some(coarse(&down)).filter(|_| may_be_coarse),
            Some(plain),
            Some(down),
            Some(base).filter(|base| !base.choices.is_empty()),
        ];
        for base in bases.into_iter().flatten() {
            if self.is_over() {
                return;
            }
            if let Some(made) = self.attempt(&base) {
                self.bounded.add(&made, None, most);
            }
        }
    }

    /// Looks among schedules that have fewer preemptions than the shortest: among all with 0, 1, 2, …, and
    /// among those near the shortest that are drawn.
    fn do_with_fewer(&mut self, rounds: u32) {
        let rounds = if self.is_patient { u32::MAX } else { rounds };
        for round in 0..rounds {
            let preemptions = self.best.cost.preemptions;
            let is_all = preemptions == 0
                || preemptions < ROUNDS.len() as u64 && self.bounded.is_exhausted(preemptions);
            if is_all {
                self.leaves_some = false;
            }
            if is_all || self.is_over() {
                return;
            }
            // Of ten rounds one is for schedules without preemptions, three for those with one, …, and three
            // are drawn, which is of no use where one preemption is left.
            let bound = [0, 1, 2, 1, 3, DRAWN, 1, 2, DRAWN, DRAWN][round as usize % 10];
            if bound == DRAWN && preemptions > 1 {
                self.draw();
                continue;
            }
            let bounds = [bound, 0, 1, 2, 3];
            let bounds = bounds
                .into_iter()
                .filter(|&bound| (bound as u64) < preemptions);
            match { bounds }.find_map(|bound| self.bounded.next(bound)) {
                Some(branch) => {
                    if let Some(made) = self.attempt(&branch.outline()) {
                        self.bounded.add(&made, Some(&branch), preemptions - 1);
                    }
                }
                None => self.draw(),
            }
        }
        self.leaves_some = self.best.cost.preemptions > 0;
    }

    /// Tries the shortest with one or two other preemptions in the place of more.
    fn draw(&mut self) {
        let cuts = 1 + self.rng.below(2);
        let mut stretches = self.best.outline.stretches.clone();
        for _ in 0..=cuts {
            if !stretches.is_empty() {
                stretches.remove(self.rng.below(stretches.len() as u32) as usize);
            }
        }
        let mut with = self.best.outline.with(stretches);
        for _ in 0..cuts {
            if self.is_over() {
                return;
            }
            let Some(made) = self.attempt(&with) else {
                return;
            };
            let points = made.points.iter().flatten();
            let matter: Vec<_> = points.filter(|point| point.matters).collect();
            if matter.is_empty() {
                return;
            }
            let point = matter[self.rng.below(matter.len() as u32) as usize];
            let other = point.others[self.rng.below(point.others.len() as u32) as usize];
            let first = made.outline.first(point.steps);
            let rest = made.outline.stretches[first.len() - 1..].iter().copied();
            let mut stretches = first;
            stretches.push(Stretch::whole(other));
            stretches.extend(rest);
            with = made.outline.with(stretches);
        }
        let _ = self.attempt(&with);
    }

    /// Has each worker run only where nobody else can, or not at all.
    fn do_without_workers(&mut self) {
        for worker in workers_of(&self.best.outline).into_iter().rev() {
            if self.is_over() {
                return;
            }
            let rest = self.best.outline.stretches.iter().copied();
            let rest = rest.filter(|stretch| stretch.worker != worker).collect();
            let outline = Outline {
                put_off: vec![worker],
                ..self.best.outline.with(rest)
            };
            self.attempt(&outline);
        }
    }

    /// Chooses the first value of each choice.
    fn choose_first(&mut self) {
        let mut index = 0;
        while index < self.best.outline.choices.len() {
            if self.best.outline.choices[index] > 0 {
                if self.is_over() {
                    return;
                }
                let mut outline = self.best.outline.clone();
                outline.choices[index] = 0;
                self.attempt(&outline);
            }
            index += 1;
        }
    }
}

/// The stretches with this one moved up; none if there is no such way.
fn moved_up(all: &[Stretch], index: usize, joins: bool) -> Option<Vec<Stretch>> {
    let mut stretches = all.to_vec();
    let stretch = *all.get(index)?;
    if joins {
        let earlier = all[..index].iter();
        let before = earlier
            .rev()
            .position(|other| other.worker == stretch.worker)?;
        stretches.remove(index);
        stretches[index - 1 - before].until = stretch.until;
    } else {
        stretches.swap(index - 1, index);
    }
    Some(stretches)
}

/// The workers in the order in which they run first.
fn workers_of(outline: &Outline) -> Vec<u32> {
    let mut workers = Vec::new();
    for stretch in &outline.stretches {
        if !workers.contains(&stretch.worker) {
            workers.push(stretch.worker);
        }
    }
    workers
}

/// The same order of workers, each as far as it can go.
fn undisturbed(outline: &Outline) -> Vec<Stretch> {
    let workers = workers_of(outline).into_iter();
    workers.map(Stretch::whole).collect()
}
