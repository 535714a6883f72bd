//! Heat: for how long something good is overdue.
//!
//! Something that must happen in the end is *hot* until it does. Each step makes it hotter, once
//! the schedule is fair; over a threshold that is a bug, and so is anything that is hot when the
//! test is over. Nothing is done at a step: from what is known when something becomes hot follows
//! the step at which it is too hot, and the fuse ends there.
//!
//! Fair is a schedule in which each worker has its turns, also one that waits for a time: if it had few, time
//! passes first, and some more steps must be hot.

use std::borrow::Cow;
use std::panic::Location;

use super::deadlines::NEVER;
use super::engine::Engine;
use crate::engine::state::iteration::End;
use crate::engine::state::monitors::HeatId;
use crate::engine::state::worker::{State, Worker};
use crate::specification::Temperature;
use crate::verdict::{BugKind, Verdict, WHEN_OVER};

/// How many turns each candidate must have had since: a strategy that switches seldom is fair, but
/// late.
const TURNS: u32 = 8;
/// For how many deadlines time passes at most: timers without end always have another one.
const MOST_LEAPS: u32 = 8;
/// How many steps later one looks again when somebody had fewer.
const AGAIN: u32 = 64;

/// All that has a temperature in this iteration.
#[derive(Debug)]
pub(crate) struct Heats {
    entries: Vec<Heat>,
    /// The step at which something will be too hot, unless it cools down.
    boils_at: u32,
    /// The step from which on steps count.
    fair_from: u32,
    /// How many hot steps are not too many.
    threshold: u32,
}

#[derive(Debug)]
struct Heat {
    subject: Subject,
    /// Set while it is hot.
    hot: Option<Hot>,
    /// Steps in hot states since it was cold last, up to `hot.since`.
    gathered: u32,
    /// How often time has passed for that, and how many steps do not count any more.
    leaps: u32,
    spared: u32,
    /// How many turns each worker had had when it was cold last.
    turns: Vec<u32>,
}

/// The subject of a temperature.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// A monitor, by its type's name.
    Monitor(&'static str),
    /// Something that must happen in the end, by its name.
    Obligation(Cow<'static, str>),
}

#[derive(Clone, Copy, Debug)]
struct Hot {
    state: &'static str,
    since: u32,
    site: &'static Location<'static>,
}

impl Default for Heats {
    fn default() -> Heats {
        Heats {
            entries: Vec::new(),
            boils_at: u32::MAX,
            fair_from: 0,
            threshold: u32::MAX,
        }
    }
}

impl Heat {
    /// How many turns the worker has had since this was cold last.
    fn turns_of(&self, worker: &Worker) -> u32 {
        let before = self.turns.get(worker.id.0 as usize).copied();
        worker.turns - before.unwrap_or(0)
    }
}

impl Heats {
    /// A new iteration begins.
    pub(crate) fn begin(&mut self, fair_from: u32, threshold: u32) {
        self.entries.clear();
        *self = Heats {
            entries: std::mem::take(&mut self.entries),
            boils_at: u32::MAX,
            fair_from,
            threshold,
        };
    }

    /// True if something is hot.
    #[inline]
    pub(crate) fn is_any_hot(&self) -> bool {
        self.boils_at != u32::MAX
    }

    /// How many steps may pass without a look at the temperatures.
    #[inline]
    pub(crate) fn steps_to_boiling(&self, step: u32) -> u32 {
        self.boils_at.saturating_sub(step + 1)
    }

    fn find_boiling_point(&mut self) {
        let hot = self.entries.iter().filter_map(|heat| {
            let counts_from = heat.hot?.since.max(self.fair_from);
            let left = self.threshold.saturating_sub(heat.gathered);
            Some(counts_from.saturating_add(left).saturating_add(1))
        });
        self.boils_at = hot.min().unwrap_or(u32::MAX);
    }

    /// Time has passed for it.
    fn spare(&mut self, index: usize, step: u32) {
        let temperature = self.temperature(&self.entries[index], step);
        let heat = &mut self.entries[index];
        heat.leaps += 1;
        heat.gathered = self.threshold - self.threshold / MOST_LEAPS;
        heat.spared += temperature.saturating_sub(heat.gathered);
        if let Some(hot) = &mut heat.hot {
            hot.since = step;
        }
        self.find_boiling_point();
    }

    /// How hot it is.
    fn temperature(&self, heat: &Heat, step: u32) -> u32 {
        let hot = heat
            .hot
            .map_or(0, |hot| step.saturating_sub(hot.since.max(self.fair_from)));
        heat.gathered.saturating_add(hot)
    }
}

impl Engine {
    /// Something new that has a temperature. The caller is outside.
    pub(crate) fn add_heat(&mut self, subject: Subject) -> HeatId {
        self.aside.heats.entries.push(Heat {
            subject,
            hot: None,
            gathered: 0,
            leaps: 0,
            spared: 0,
            turns: Vec::new(),
        });
        HeatId(self.aside.heats.entries.len() - 1)
    }

    /// Its temperature from here on. The caller is outside.
    pub(crate) fn set_temperature(
        &mut self,
        id: HeatId,
        temperature: Temperature,
        site: &'static Location<'static>,
    ) {
        let step = self.steps();
        let heats = &mut self.aside.heats;
        let gathered = heats.temperature(&heats.entries[id.0], step);
        let heat = &mut heats.entries[id.0];
        let was_hot = heat.hot.take();
        heat.gathered = gathered;
        match temperature {
            Temperature::Hot(state) => {
                let site = was_hot.map_or(site, |hot| hot.site);
                heat.hot = Some(Hot {
                    state,
                    since: step,
                    site,
                });
                if was_hot.is_none() && heat.turns.is_empty() {
                    heat.turns
                        .extend(self.roster.iter().map(|worker| worker.turns));
                }
            }
            Temperature::Warm(_) => {}
            Temperature::Cold(_) => {
                (heat.gathered, heat.leaps, heat.spared) = (0, 0, 0);
                heat.turns.clear();
            }
        }
        self.aside.heats.find_boiling_point();
        self.budget.burn();
        self.attend();
    }

    /// Ends the iteration if something is too hot.
    #[inline]
    pub(crate) fn look_for_heat(&mut self, step: u32) -> Option<()> {
        if step < self.aside.heats.boils_at {
            return Some(());
        }
        self.look_for_what_boils(step)
    }

    #[cold]
    fn look_for_what_boils(&mut self, step: u32) -> Option<()> {
        let heats = &self.aside.heats;
        let boils =
            |heat: &&Heat| heat.hot.is_some() && heats.temperature(heat, step) > heats.threshold;
        let is_fair = |heat: &Heat| boils(&heat) && self.had_their_turns(heat);
        let Some(index) = heats.entries.iter().position(is_fair) else {
            self.aside.heats.boils_at = step.saturating_add(AGAIN);
            return Some(());
        };
        if self.keeps_somebody_waiting(&self.aside.heats.entries[index])
            && self.jump_to_next_deadline()
        {
            self.aside.heats.spare(index, step);
            return Some(());
        }
        let heat = &self.aside.heats.entries[index];
        let steps = self.aside.heats.temperature(heat, step) + heat.spared;
        let overdue = format!("for {steps} fair steps");
        let end = self.end_hot(heat, &overdue);
        self.iteration.end = Some(end);
        None
    }

    /// The end of a test whose body has returned and did not fail: it passed, unless something is
    /// hot.
    pub(crate) fn end_of_test(&self) -> End {
        let hot = self
            .aside
            .heats
            .entries
            .iter()
            .find(|heat| heat.hot.is_some());
        hot.map_or(End::of(Verdict::Passed), |heat| {
            self.end_hot(heat, WHEN_OVER)
        })
    }

    /// True if each candidate had some turns since this became hot.
    fn had_their_turns(&self, heat: &Heat) -> bool {
        self.roster.candidates().len() == 1
            || self
                .roster
                .iter_candidates()
                .all(|worker: &Worker| worker.is_early || heat.turns_of(worker) >= TURNS)
    }

    /// True if somebody waits for a time, and has had few turns since this became hot.
    fn keeps_somebody_waiting(&self, heat: &Heat) -> bool {
        let waits = |worker: &Worker| {
            worker.state() == State::Waiting
                && worker.deadline != NEVER
                && heat.turns_of(worker) < TURNS
        };
        heat.leaps < MOST_LEAPS && self.roster.iter().any(waits)
    }

    fn end_hot(&self, heat: &Heat, overdue: &str) -> End {
        let Some(hot) = heat.hot else {
            return End::of(Verdict::Passed);
        };
        let message = match &heat.subject {
            Subject::Monitor(name) => {
                format!(
                    "monitor `{name}` was in its hot state `{}` {overdue}",
                    hot.state
                )
            }
            Subject::Obligation(name) => format!("`{name}` had not happened {overdue}"),
        };
        let mut bug = self.describe_waits(BugKind::Liveness, &message);
        bug.site = Some(hot.site.into());
        End::of(Verdict::failed(bug))
    }
}
