//! Schedules with few preemptions, those with fewer first (Musuvathi and Qadeer, PLDI 2007).

use std::rc::Rc;

use super::outline::{Outline, Stretch};
use super::points::Point;
use super::search::Made;
use crate::strategy::Rng;

/// How many schedules are kept in mind for each number of preemptions.
const MOST: usize = 100_000;

/// The schedules that differ in one switch from one that was made, by their preemptions up to it. After it
/// nobody is preempted, and each execution tells the next ones.
#[derive(Debug)]
pub(super) struct Bounded {
    open: Vec<Open>,
    rng: Rng,
    /// Of some it is not known how else they could have gone on.
    lacks_points: bool,
}

/// Schedules with the same number of preemptions.
#[derive(Debug, Default)]
struct Open {
    /// The ones whose last switch may matter.
    first: Vec<Branch>,
    rest: Vec<Branch>,
    /// There was no room for all.
    is_cut: bool,
}

/// A schedule up to a switch.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    base: Rc<Outline>,
    /// The steps before the switch.
    steps: u32,
    /// The worker that runs then.
    other: u32,
    preemptions: usize,
}

impl Bounded {
    /// None yet; with another seed they are drawn in another order.
    pub(super) fn new(seed: u64) -> Bounded {
        Bounded {
            open: Vec::new(),
            rng: Rng::new(seed),
            lacks_points: false,
        }
    }

    /// Takes in a schedule that was made by following this branch, or none: the ways in which it could have
    /// gone on after that, if these have at most so many preemptions.
    pub(super) fn add(&mut self, made: &Made, after: Option<&Branch>, most: u64) {
        let base = Rc::new(made.outline.clone());
        let (from, so_far) = after.map_or((0, 0), |branch| (branch.steps + 1, branch.preemptions));
        let has_all = |points: &Vec<Point>| {
            // Of two decisions without a step in between, an outline can tell the first alone.
            !points.windows(2).any(|pair| pair[0].steps == pair[1].steps)
        };
        self.lacks_points |= !made.points.as_ref().is_some_and(has_all);
        for point in made.points.iter().flatten() {
            let preemptions = so_far + usize::from(point.preempts);
            if point.steps < from || preemptions as u64 > most {
                continue;
            }
            if self.open.len() <= preemptions {
                self.open.resize_with(preemptions + 1, Open::default);
            }
            let open = &mut self.open[preemptions];
            for &other in &point.others {
                let branches = if point.matters {
                    &mut open.first
                } else {
                    &mut open.rest
                };
                open.is_cut |= branches.len() >= MOST;
                if branches.len() < MOST {
                    branches.push(Branch {
                        base: base.clone(),
                        steps: point.steps,
                        other,
                        preemptions,
                    });
                }
            }
        }
    }

    /// One of the schedules with so many preemptions, drawn; those whose last switch may matter come first.
    pub(super) fn next(&mut self, preemptions: usize) -> Option<Branch> {
        let open = self.open.get_mut(preemptions)?;
        let branches = if open.first.is_empty() {
            &mut open.rest
        } else {
            &mut open.first
        };
        if branches.is_empty() {
            return None;
        }
        let drawn = self.rng.below(branches.len() as u32) as usize;
        Some(branches.swap_remove(drawn))
    }

    /// True if there is none left with fewer than so many preemptions.
    pub(super) fn is_exhausted(&self, preemptions: u64) -> bool {
        let below = self.open.iter().take(preemptions as usize);
        let mut open =
            below.map(|open| open.is_cut || !(open.first.is_empty() && open.rest.is_empty()));
        !self.lacks_points && !open.any(|open| open)
    }
}

impl Branch {
    /// The outline.
    pub(super) fn outline(&self) -> Outline {
        let mut stretches = self.base.first(self.steps);
        stretches.push(Stretch::whole(self.other));
        self.base.with(stretches)
    }
}
