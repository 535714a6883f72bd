//! The search for the step: bisection over beginnings, by continuations that are drawn or enumerated.

use std::collections::BTreeMap;

use super::continuation::{Decision, Onward};
use crate::strategy::derive;
use crate::wire::{Certain, Share};

/// How many continuations are drawn.
pub(super) const DRAWN: u32 = 32;
/// How many of them are drawn first, of each beginning that is looked at.
const DRAWN_FIRST: u32 = DRAWN / 4;
/// If there are no more than these, all are made.
pub(super) const LISTED: u32 = 100;

/// An execution.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) end: End,
    /// The decisions that were not the beginning's, in order.
    pub(super) decisions: Vec<Decision>,
    /// Nothing but decisions could have been others.
    pub(super) is_decided: bool,
}

/// How an execution ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// It failed, in whatever way.
    Fails,
    /// It passed.
    Passes,
    /// Nobody knows: it was cut off.
    CutOff,
}

/// Why there are no more executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// There is no time.
    TimeIsOver,
    /// One did not make the steps that it should: nothing is known.
    Astray,
}

/// Makes so many steps of the schedule, and goes on.
pub(super) type Make<'a> = dyn FnMut(u32, &Onward) -> Result<Made, Ended> + 'a;

/// Looks for the earliest step after which no continuation is found that does not fail. None if the schedule
/// does not fail, or there was no time for anything.
pub(super) fn find(seed: u64, make: &mut Make<'_>) -> Option<Certain> {
    let whole = make(u32::MAX, &Onward::Drawn(seed)).ok()?;
    if whole.end != End::Fails {
        return None;
    }
    let mut steps: Vec<u32> = whole.decisions.iter().map(|made| made.step).collect();
    steps.dedup();
    let mut search = Search {
        seed,
        make,
        drawn: BTreeMap::new(),
        refuted: None,
        certain: [(steps.len(), only(whole.is_decided))].into(),
        steps,
    };
    match search.run() {
        Err(Ended::Astray) => None,
        Ok(()) | Err(Ended::TimeIsOver) => search.told(),
    }
}

/// Beginnings are known by the number of steps in them that were decided: the others add nothing.
struct Search<'a, 'b> {
    seed: u64,
    make: &'a mut Make<'b>,
    /// The steps that were decided, from 0.
    steps: Vec<u32>,
    /// The random continuations of beginnings.
    drawn: BTreeMap<usize, Share>,
    /// The longest beginning with a continuation that does not fail.
    refuted: Option<usize>,
    /// The longer ones of which all continuations fail that were made.
    certain: BTreeMap<usize, Continuations>,
}

/// The continuations of a beginning, all of which fail.
#[derive(Clone, Copy, Debug)]
struct Continuations {
    made: u32,
    are_all: bool,
}

/// After the last decision there is nothing to draw.
fn only(are_all: bool) -> Continuations {
    Continuations { made: 1, are_all }
}

impl Search<'_, '_> {
    fn run(&mut self) -> Result<(), Ended> {
        loop {
            let (from, to) = self.bounds();
            if from < to {
                self.draw(from.midpoint(to), DRAWN_FIRST)?;
            } else if to == self.steps.len() {
                break;
            } else if self.drawn_of(to).made < DRAWN {
                self.draw(to, DRAWN)?;
            } else if !self.list(to)? {
                break;
            }
        }
        if let Some(before) = self.refuted {
            self.draw_all(before)?;
        }
        Ok(())
    }

    /// The shortest beginning that may be certain, and the shortest of which that was found.
    fn bounds(&self) -> (usize, usize) {
        let from = self.refuted.map_or(0, |refuted| refuted + 1);
        let to = self.certain.range(from..).next().map(|(&to, _)| to);
        (from, to.unwrap_or(self.steps.len()))
    }

    fn until(&self, beginning: usize) -> u32 {
        self.steps.get(beginning).copied().unwrap_or(u32::MAX)
    }

    fn refute(&mut self, beginning: usize) {
        self.refuted = self.refuted.max(Some(beginning));
        self.certain = self.certain.split_off(&(beginning + 1));
    }

    /// Draws continuations of a beginning until there are so many, up to one that does not fail.
    fn draw(&mut self, beginning: usize, most: u32) -> Result<(), Ended> {
        while self.drawn_of(beginning).made < most {
            if !self.draw_one(beginning)? {
                self.refute(beginning);
                return Ok(());
            }
        }
        if most == DRAWN && self.passes_undisturbed(beginning)? {
            self.refute(beginning);
            return Ok(());
        }
        let drawn = Continuations {
            made: most,
            are_all: false,
        };
        self.certain.insert(beginning, drawn);
        Ok(())
    }

    /// True if the test passes where each worker goes on for as long as it can: with many workers nobody
    /// draws that.
    fn passes_undisturbed(&mut self, beginning: usize) -> Result<bool, Ended> {
        let until = self.until(beginning);
        for descends in [false, true] {
            let made = (self.make)(until, &Onward::Undisturbed { descends })?;
            if made.end == End::Passes {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Draws what is left of them.
    fn draw_all(&mut self, beginning: usize) -> Result<(), Ended> {
        while self.drawn_of(beginning).made < DRAWN {
            self.draw_one(beginning)?;
        }
        Ok(())
    }

    fn drawn_of(&self, beginning: usize) -> Share {
        self.drawn.get(&beginning).copied().unwrap_or_default()
    }

    /// Draws one more; true if it fails.
    fn draw_one(&mut self, beginning: usize) -> Result<bool, Ended> {
        let mut share = self.drawn_of(beginning);
        let until = self.until(beginning);
        let seed = derive(derive(self.seed, until.into()), share.made.into());
        let onward = if beginning == 0 {
            // Nothing is decided yet, and an exploration has other random numbers each time.
            Onward::Anew(seed)
        } else {
            Onward::Drawn(seed)
        };
        let made = (self.make)(until, &onward)?;
        // One that is cut off is not known to fail.
        let fails = made.end == End::Fails;
        share.made += 1;
        share.failing += u32::from(fails);
        self.drawn.insert(beginning, share);
        Ok(fails)
    }

    /// Enumerates the continuations of a beginning, if they are few; true if one of them does not fail.
    fn list(&mut self, beginning: usize) -> Result<bool, Ended> {
        let until = self.until(beginning);
        let (mut list, mut are_decided) = (Vec::new(), true);
        for made in 1..=LISTED {
            let one = (self.make)(until, &Onward::Listed(list))?;
            match one.end {
                End::Fails => {}
                End::Passes => {
                    self.refute(beginning);
                    return Ok(true);
                }
                // The first alternatives need not be fair.
                End::CutOff => return Ok(false),
            }
            are_decided &= one.is_decided;
            let Some(next) = next(one.decisions) else {
                if are_decided {
                    let all = Continuations {
                        made,
                        are_all: true,
                    };
                    self.certain.insert(beginning, all);
                }
                return Ok(false);
            };
            list = next;
        }
        Ok(false)
    }

    /// The result, also if there was no time for all of it.
    fn told(&self) -> Option<Certain> {
        let (from, to) = self.bounds();
        let is_earliest = from == to;
        if !is_earliest && to == self.steps.len() {
            return None;
        }
        let continuations = *self.certain.get(&to)?;
        // A search that ends at the first one that passes takes no fair sample.
        let before = self.refuted.filter(|_| is_earliest);
        let before = before.map(|before| self.drawn_of(before));
        Some(Certain {
            step: to.checked_sub(1).map_or(0, |last| self.steps[last] + 1),
            continuations: continuations.made,
            are_all: continuations.are_all,
            before: before.filter(|share| share.made == DRAWN),
            is_earliest,
        })
    }
}

/// The decisions after these, of all there are in order.
fn next(mut decisions: Vec<Decision>) -> Option<Vec<u32>> {
    while let Some(last) = decisions.pop() {
        if last.taken + 1 < last.of {
            let before = decisions.iter().map(|decision| decision.taken);
            return Some(before.chain([last.taken + 1]).collect());
        }
    }
    None
}
