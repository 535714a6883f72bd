//! Explores and replays bodies in this process, without cargo-cct.

use super::board;
use super::case::ShouldPanic;
use super::judge::judge;
use super::maker::Seen;
use super::portfolio::Strategies;
use super::replay;
use super::runner::Runner;
use super::search::Search;
use super::shrink;
use crate::config::{Resolved, Settings};
use crate::covered::Coverage;
use crate::engine::Tape;
use crate::part::Part;
use crate::trace::Schedule;
use crate::wire::{Counters, Event, Found, Replayed, Shrunk};

/// Explores and replays bodies in this process: for benchmarks, and for harnesses other than libtest's.
///
/// Bodies run on controlled workers. Their threads and locks must be those of cct-shims, since nothing was
/// rebuilt. A process has one explorer, which owns everything around an iteration: the statics, the arena, ….
#[derive(Debug)]
pub struct Explorer {
    runner: Runner,
}

/// The outcome of an exploration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// The counts of the schedules that were made.
    pub counters: Counters,
    /// The bug that ended it, with its schedule.
    pub found: Option<Found>,
    /// The coverage of machines.
    pub covered: Coverage,
}

/// Explores in this process; panics when a bug is found. A process may call it once.
pub fn explore(settings: &Settings, body: impl Fn()) -> Counters {
    let exploration = Explorer::new(settings).explore(settings, body);
    match exploration.found {
        Some(found) => panic!("schedule {}: {:?}", found.iteration, found.bug),
        None => exploration.counters,
    }
}

impl Explorer {
    /// Makes an explorer; of the settings, only `atomic` and `interleave` count here.
    pub fn new(settings: &Settings) -> Explorer {
        // SAFETY: the board is private and stays mapped.
        let tape = unsafe { Tape::on(board::private()) };
        let mut runner = Runner::new(tape, &settings.clone().resolve());
        // The bodies' output goes where the caller's does.
        runner.surroundings.keep_output();
        Explorer { runner }
    }

    /// Explores until a bug is found or the budget is used up.
    pub fn explore(&mut self, settings: &Settings, body: impl Fn()) -> Exploration {
        let settings = settings.clone().resolve();
        self.explore_and(settings, None, body, None)
    }

    /// Explores with the caller's strategies, which take turns, instead of the settings'; granularity `mix`
    /// means `all`. Panics if the search cannot be resumed as the settings say.
    pub fn explore_with(
        &mut self,
        settings: Resolved,
        strategies: Strategies,
        body: impl Fn(),
    ) -> Exploration {
        self.explore_and(settings, Some(strategies), body, None)
    }

    /// As [`explore_with`](Explorer::explore_with), and hands out each schedule that was made.
    pub fn explore_each(
        &mut self,
        settings: Resolved,
        strategies: Strategies,
        body: impl Fn(),
        each: &mut dyn FnMut(Schedule),
    ) -> Exploration {
        self.explore_and(settings, Some(strategies), body, Some(each))
    }

    /// As [`survey_as_set`](Explorer::survey_as_set) a part of the search, and hands out each schedule before
    /// `see` is told of it.
    pub fn survey_part(
        &mut self,
        settings: Resolved,
        part: Part,
        body: impl Fn(),
        each: &mut dyn FnMut(Schedule),
        see: &mut dyn FnMut(&Seen),
    ) -> Counters {
        let judged = || judge(ShouldPanic::No, &body);
        let mut search = self.search(settings, None).shared(part);
        search.maker.each = Some(each as &mut dyn FnMut(Schedule));
        search.maker.witness = Some(see as &mut dyn FnMut(&Seen));
        let counters = search.run(&judged, &mut |_| {});
        self.runner.clean_up();
        counters
    }

    fn explore_and(
        &mut self,
        settings: Resolved,
        strategies: Option<Strategies>,
        body: impl Fn(),
        each: Option<&mut dyn FnMut(Schedule)>,
    ) -> Exploration {
        let judged = || judge(ShouldPanic::No, &body);
        let (mut found, mut covered) = (None, Coverage::default());
        let mut search = self.search(settings, strategies);
        // The coercion shortens its lifetime to the search's.
        search.maker.each = each.map(|each| each as &mut dyn FnMut(Schedule));
        let counters = search.run(&judged, &mut |event| match event {
            Event::Found(bug) => found = Some(bug),
            Event::Covered(seen) => covered = seen,
            _ => {}
        });
        self.runner.clean_up();
        Exploration {
            counters,
            found,
            covered,
        }
    }

    /// As [`explore_with`](Explorer::explore_with) until the budget is used up, whatever is found, with each
    /// schedule watched; `see` is told how each ended. For comparisons of whole spaces of schedules.
    pub fn survey(
        &mut self,
        settings: Resolved,
        strategies: Strategies,
        body: impl Fn(),
        see: &mut dyn FnMut(&Seen),
    ) -> Counters {
        self.survey_and(settings, Some(strategies), body, see)
    }

    /// As [`survey`](Explorer::survey), by the strategies of the settings, and to where a test's exploration
    /// with these ends.
    pub fn survey_as_set(
        &mut self,
        settings: Resolved,
        body: impl Fn(),
        see: &mut dyn FnMut(&Seen),
    ) -> Counters {
        self.survey_and(settings, None, body, see)
    }

    fn survey_and(
        &mut self,
        settings: Resolved,
        strategies: Option<Strategies>,
        body: impl Fn(),
        see: &mut dyn FnMut(&Seen),
    ) -> Counters {
        let judged = || judge(ShouldPanic::No, &body);
        let settings = Resolved {
            watch: 1,
            ..settings
        };
        let mut search = self.search(settings, strategies);
        search.maker.witness = Some(see);
        let counters = search.run(&judged, &mut |_| {});
        self.runner.clean_up();
        counters
    }

    fn search(&mut self, settings: Resolved, strategies: Option<Strategies>) -> Search<'_> {
        let search = Search::new(&mut self.runner, "main", settings, strategies);
        search.unwrap_or_else(|reason| panic!("{reason}"))
    }

    /// Looks for shorter schedules with the same failure; returns those that were found, the first being this
    /// one, and the last the shortest, with the number of all executions. None if it does not fail where it
    /// is followed worker by worker.
    pub fn shrink(
        &mut self,
        schedule: &Schedule,
        settings: &Settings,
        body: impl Fn(),
    ) -> Vec<Shrunk> {
        let judged = || judge(ShouldPanic::No, &body);
        let settings = settings.clone().resolve();
        let mut told = Vec::new();
        let tell = &mut |event| {
            if let Event::Shrunk(shrunk) = event {
                told.push(shrunk);
            }
        };
        shrink::run(
            &mut self.runner,
            (schedule, 1),
            "main",
            (&settings, &judged),
            None,
            tell,
        );
        self.runner.clean_up();
        told
    }

    /// Repeats a schedule, with everything recorded.
    pub fn replay(&mut self, schedule: &Schedule, body: impl Fn()) -> Replayed {
        let judged = || judge(ShouldPanic::No, &body);
        let settings = Settings::default().resolve();
        let schedule = schedule.clone();
        let replayed = replay::replay(&mut self.runner, schedule, "main", &settings, &judged);
        self.runner.clean_up();
        replayed
    }
}
