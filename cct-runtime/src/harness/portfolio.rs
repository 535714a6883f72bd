//! The strategies that take turns at a search.

use super::head;
use crate::claim::Exceptions;
use crate::config::{Granularity, Resolved};
use crate::strategy::{Beginning, Kind, Limits, Random, Strategy};
use crate::trace::Schedule;

/// Strategies and their names.
pub(super) type Strategies = Vec<(String, Box<dyn Strategy>)>;

/// A strategy of the portfolio, and the head of its schedules.
pub(super) struct Member {
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) head: Schedule,
    /// The seed of all its schedules, if they have the same.
    seed: Option<u64>,
    /// The number of its iterations so far.
    turns: u64,
    /// The most steps of one of its schedules.
    pub(super) longest: u32,
    /// Everything besides its picks that decided in its schedules.
    pub(super) limits: Limits,
    /// The exceptions of its schedules.
    pub(super) left_out: Exceptions,
    /// True for the first member that counts the schedules that are left.
    pub(super) reports: bool,
    /// True after it has enumerated all its schedules; its turns are random since.
    pub(super) is_through: bool,
}

/// Returns the members for these strategies, and for their twins of the coarse granularity.
pub(super) fn portfolio(
    settings: &Resolved,
    strategies: Strategies,
    has_twins: bool,
) -> Vec<Member> {
    let member = |(name, strategy): (String, Box<dyn Strategy>), coarse| {
        let head = head::of_strategy(settings, name);
        Member::new(strategy, Schedule { coarse, ..head })
    };
    let mut portfolio = Vec::new();
    if has_twins {
        // An enumeration covers both granularities; any other strategy has a twin for each, since neither
        // can use what the other learns.
        let twins = settings.strategy.build().into_iter();
        let twins = twins.filter(|(_, strategy)| !strategy.enumerates());
        portfolio.extend(twins.map(|twin| member(twin, true)));
    }
    let coarse = settings.granularity == Granularity::Workspace;
    portfolio.extend(strategies.into_iter().map(|named| member(named, coarse)));
    let mut members = portfolio.iter_mut();
    if let Some(member) = members.find(|member| member.strategy.progress().is_some()) {
        member.reports = true;
    }
    portfolio
}

impl Member {
    fn new(strategy: Box<dyn Strategy>, head: Schedule) -> Member {
        Member {
            strategy,
            head,
            seed: None,
            turns: 0,
            longest: 0,
            limits: Limits::default(),
            left_out: Exceptions::NONE,
            reports: false,
            is_through: false,
        }
    }

    /// Returns a member that makes every schedule with this seed once.
    pub(super) fn enumerating(settings: &Resolved, seed: u64) -> Member {
        let head = head::of_strategy(settings, Kind::Dfs.name().to_owned());
        Member {
            seed: Some(seed),
            ..Member::new(Kind::Dfs.build(0), head)
        }
    }

    /// Prepares the iteration with this number, from 0.
    pub(super) fn prepare(&mut self, settings: &Resolved, index: u64) {
        let enumerates = self.strategy.enumerates();
        let seed = self.seed;
        let seed = seed.unwrap_or_else(|| head::seed_of(settings, index, enumerates));
        let seed = head::reseed(&mut self.head, seed, settings, enumerates);
        self.strategy.begin(&Beginning {
            seed,
            index: self.turns,
            longest: self.longest,
            fair_after: settings.max_steps / 2,
        });
        self.head.fair_from = self.strategy.fair_from();
        self.turns += 1;
    }

    /// Replaces its strategy, which has made all its schedules, by random picks. The turns stay its own, so
    /// that the others' turns depend neither on when that is, nor on the process.
    pub(super) fn turn_to_random(&mut self, settings: &Resolved) {
        self.strategy = Box::new(Random::default());
        self.head = head::of_strategy(settings, "random".to_owned());
        self.reports = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::strategy::Spec;

    /// The settings with these strategies, and their members.
    fn members(spec: &str, granularity: Granularity) -> (Resolved, Vec<Member>) {
        let settings = Settings {
            seed: Some(7),
            strategy: Some(Spec::parse(spec).expect("strategies")),
            granularity: Some(granularity),
            ..Settings::default()
        };
        let settings = settings.resolve();
        let strategies = settings.strategy.build();
        let has_twins = granularity == Granularity::Mix;
        let members = portfolio(&settings, strategies, has_twins);
        (settings, members)
    }

    fn names(members: &[Member]) -> Vec<(&str, bool)> {
        let heads = members.iter().map(|member| &member.head);
        heads.map(|head| (&*head.strategy, head.coarse)).collect()
    }

    #[test]
    fn all_but_enumerations_have_a_twin() {
        let (_, mixed) = members("random,dfs", Granularity::Mix);
        let expected = [("random", true), ("random", false), ("dfs", false)];
        assert_eq!(names(&mixed), expected);
        let (_, coarse) = members("random,dfs", Granularity::Workspace);
        assert_eq!(names(&coarse), [("random", true), ("dfs", true)]);
    }

    #[test]
    fn the_first_that_counts_what_is_left_reports() {
        let (_, members) = members("random,dfs,preemption", Granularity::All);
        let reports: Vec<bool> = members.iter().map(|member| member.reports).collect();
        assert_eq!(reports, [false, true, false]);
    }

    #[test]
    fn an_enumeration_has_one_seed_and_others_have_one_each() {
        let (settings, mut members) = members("random,dfs", Granularity::All);
        let mut seeds = |member: usize| {
            [0, 1].map(|index| {
                members[member].prepare(&settings, index);
                members[member].head.seed
            })
        };
        let [first, second] = seeds(0);
        assert_ne!(first, second);
        let [first, second] = seeds(1);
        assert_eq!(first, second);
        let mut given = Member::enumerating(&settings, 99);
        given.prepare(&settings, 3);
        assert_eq!((given.head.seed, given.head.yield_budget), (99, 1));
    }

    #[test]
    fn a_member_that_is_through_goes_on_with_random_picks() {
        let (settings, mut members) = members("dfs", Granularity::All);
        let member = &mut members[0];
        member.prepare(&settings, 0);
        member.turn_to_random(&settings);
        assert!(!member.reports && !member.strategy.enumerates());
        assert_eq!(member.head.strategy, "random");
        member.prepare(&settings, 1);
        assert_eq!(member.turns, 2);
    }
}
