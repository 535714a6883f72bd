//! Explores: iteration after iteration, until a bug or the budget's end.

use std::time::{Duration, Instant};

use super::distinct::Distinct;
use super::early_end;
use super::process::{patience, private_board};
use super::replay;
use super::resume::Resume;
use super::share::Share;
use super::surroundings::{self, Surroundings};
use super::timeouts::allowance;
use crate::claim::{Exception, Exceptions};
use crate::config;
use crate::config::{Resolved, Settings};
use crate::engine::prints_with_seed;
use crate::engine::{self, Engine, Granularity, Order, Plan, Record, Tape};
use crate::operation::Operation;
use crate::strategy::{self, Beginning, Kind, Limits, Progress, Random, Rng, Spec, Strategy};
use crate::trace::{Schedule, Step, Trace};
use crate::verdict::{Bug, BugKind, Verdict};
use crate::wire::{Counters, Divergence, Event, Fingerprints, Found, Replayed, Started};

/// What the wall clock shows when an iteration begins: the same in every process, and later than the times
/// of files. The first second of 2030, in nanoseconds since the Unix epoch.
const WALL_CLOCK: u64 = 1_893_456_000_000_000_000;
/// How many schedules are all watched; later ones only once in a while, since it takes time.
const WATCHED_AT_FIRST: u64 = 64;
/// No more new behaviours than this are told by one of several processes.
const MOST_NEWS: usize = 1 << 17;
/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Explores and replays bodies in this process: for benchmarks, and for harnesses other than libtest's.
///
/// Bodies run on controlled workers. Threads and locks must be those of cct-shims, since nothing was
/// rebuilt. One for each process, since it owns what surrounds an iteration: the statics, the arena, ….
#[derive(Debug)]
pub struct Explorer {
    surroundings: Surroundings,
    engine: Box<Engine>,
}

/// What an exploration came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exploration {
    /// What it did.
    pub counters: Counters,
    /// The bug that ended it, with its schedule.
    pub found: Option<Found>,
}

/// A schedule of a survey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen {
    /// How it ended; none if the strategy gave it up.
    pub verdict: Option<Verdict>,
    /// Tells its behaviour apart from others.
    pub behaviour: u64,
}

/// Explores in this process; panics when a bug is found. Once for each process.
pub fn explore(settings: &Settings, body: impl Fn()) -> Counters {
    let exploration = Explorer::new(settings).explore(settings, body);
    match exploration.found {
        Some(found) => panic!("schedule {}: {:?}", found.iteration, found.bug),
        None => exploration.counters,
    }
}

/// Strategies and their names.
type Strategies = Vec<(String, Box<dyn Strategy>)>;

impl Explorer {
    /// An explorer; `atomic` and `interleave` are the only settings looked at here.
    pub fn new(settings: &Settings) -> Explorer {
        // SAFETY: the board is private and stays mapped.
        let tape = unsafe { Tape::on(private_board()) };
        let mut explorer = Explorer::on(tape, &settings.clone().resolve());
        // It goes where the caller's does.
        explorer.surroundings.keep_output();
        explorer
    }

    /// An explorer that records on this tape.
    pub(super) fn on(tape: Tape, settings: &Resolved) -> Explorer {
        let mut surroundings = Surroundings::new();
        let granularity = Granularity::new(&settings.atomic, &settings.interleave);
        let mut engine = Engine::new(tape, granularity, patience(settings));
        engine.exchange(surroundings.take_c_locals());
        engine.look_at(surroundings.places_of_statics());
        Explorer {
            surroundings,
            engine,
        }
    }

    /// Explores until a bug is found or the budget is used up.
    pub fn explore(&mut self, settings: &Settings, body: impl Fn()) -> Exploration {
        let settings = settings.clone().resolve();
        self.explore_and(settings, None, body, None)
    }

    /// Explores with strategies of the caller's, which take turns; the settings' own are not looked at, and
    /// granularity `mix` is `all`. Panics if the search cannot be resumed as the settings say.
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

    fn explore_and(
        &mut self,
        settings: Resolved,
        strategies: Option<Strategies>,
        body: impl Fn(),
        each: Option<&mut dyn FnMut(Schedule)>,
    ) -> Exploration {
        let judged = || super::judge::judge(super::ShouldPanic::No, &body);
        let mut found = None;
        let search = Search::new(self, "main", settings, strategies);
        let search = Search {
            // Coerced: it need not live as long as the explorer.
            each: each.map(|each| each as &mut dyn FnMut(Schedule)),
            ..search.unwrap_or_else(|reason| panic!("{reason}"))
        };
        let counters = search.run(&judged, &mut |event| {
            if let Event::Found(bug) = event {
                found = Some(bug);
            }
        });
        self.surroundings.clean_up();
        Exploration { counters, found }
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
        let judged = || super::judge::judge(super::ShouldPanic::No, &body);
        let settings = Resolved {
            watch: 1,
            ..settings
        };
        let search = Search::new(self, "main", settings, strategies);
        let mut search = search.unwrap_or_else(|reason| panic!("{reason}"));
        search.witness = Some(see);
        let counters = search.run(&judged, &mut |_| {});
        self.surroundings.clean_up();
        counters
    }

    /// Repeats a schedule, with everything recorded.
    pub fn replay(&mut self, schedule: &Schedule, body: impl Fn()) -> Replayed {
        let judged = || super::judge::judge(super::ShouldPanic::No, &body);
        let settings = Settings::default().resolve();
        let replayed = self.replay_judged(schedule.clone(), "main", &settings, &judged);
        self.surroundings.clean_up();
        replayed
    }

    /// Ends what an iteration has left behind, before the next.
    pub(super) fn clean_up(&mut self) {
        self.surroundings.clean_up();
    }

    /// Where the engine is, for signal handlers.
    pub(super) fn engine(&mut self) -> *mut Engine {
        &raw mut *self.engine
    }

    /// What surrounds an iteration, for signal handlers.
    pub(super) fn surroundings(&mut self) -> *mut Surroundings {
        &raw mut self.surroundings
    }

    /// What surrounds an iteration, and who runs it.
    pub(super) fn parts(&mut self) -> (&mut Surroundings, &mut Engine) {
        (&mut self.surroundings, &mut self.engine)
    }

    /// Runs one iteration as the schedule says.
    pub(super) fn replay_judged(
        &mut self,
        schedule: Schedule,
        name: &str,
        settings: &Resolved,
        body: &dyn Fn() -> Option<Bug>,
    ) -> Replayed {
        replay::replay(
            &mut self.engine,
            &self.surroundings,
            schedule,
            name,
            settings,
            body,
        )
    }
}

/// The exploration of one test.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Search<'a> {
    pub(super) explorer: &'a mut Explorer,
    name: &'static str,
    pub(super) settings: Resolved,
    pub(super) portfolio: Vec<Member>,
    distinct: Distinct,
    behaviours: Distinct,
    share: Share,
    /// In one of several processes: each behaviour, and the iteration that showed it first.
    news: Vec<(u64, u64)>,
    pub(super) counters: Counters,
    began: Instant,
    resume: Option<Resume>,
    /// It may end as soon as there are no other schedules, since nobody has said how to look for them.
    pub(super) may_end_early: bool,
    /// The first schedule did not repeat.
    pub(super) has_diverged: bool,
    /// Random numbers were drawn, and no mere keys of hashes.
    pub(super) has_drawn_bytes: bool,
    /// Everything is recorded, and told of each iteration.
    is_traced: bool,
    /// Who wants to have each schedule.
    each: Option<&'a mut dyn FnMut(Schedule)>,
    /// Who is told of each schedule; a bug is no end then.
    witness: Option<&'a mut dyn FnMut(&Seen)>,
}

/// A strategy of the portfolio, and what its schedules begin with.
pub(super) struct Member {
    pub(super) strategy: Box<dyn Strategy>,
    head: Schedule,
    /// The seed of all its schedules, if that is given.
    seed: Option<u64>,
    /// How many iterations it has had.
    turns: u64,
    /// The most steps of one of them.
    longest: u32,
    /// What besides it decided in its schedules.
    pub(super) limits: Limits,
    /// The exceptions: what its schedules could not see.
    pub(super) left_out: Exceptions,
    /// It is the first that keeps count of what is left.
    reports: bool,
    /// It was one that enumerates, and is through: its turns are random since.
    is_through: bool,
}

impl<'a> Search<'a> {
    /// The exploration of the test with this name, by the strategies of the settings or by those `given`,
    /// which take turns. An error says why it cannot be resumed as the settings ask for.
    pub(super) fn new(
        explorer: &'a mut Explorer,
        name: &'static str,
        mut settings: Resolved,
        given: Option<Strategies>,
    ) -> Result<Search<'a>, String> {
        // Those of a caller's cannot be built a second time.
        let given_none = given.is_none();
        let has_twins = given_none && settings.granularity == config::Granularity::Mix;
        let mut strategies = given.unwrap_or_else(|| settings.strategy.build());
        explorer.engine.set_patience(patience(&settings));
        let path = settings.resume.clone();
        let resume = path
            .map(|path| Resume::open(&path, name, &mut settings, &mut strategies))
            .transpose()?;
        let may_end_early =
            given_none && settings.strategy == Spec::default() && settings.resume.is_none();
        let member = |(name, strategy): (String, Box<dyn Strategy>), coarse| {
            let head = head_for(&settings, name);
            Member::new(strategy, Schedule { coarse, ..head })
        };
        let mut portfolio = Vec::new();
        if has_twins && resume.is_none() {
            // What enumerates, enumerates everything; the others have a twin for each granularity, since
            // what one learns is of no use to the other.
            let twins = settings.strategy.build().into_iter();
            let twins = twins.filter(|(_, strategy)| !strategy.enumerates());
            portfolio.extend(twins.map(|twin| member(twin, true)));
        }
        let coarse = settings.granularity == config::Granularity::Workspace;
        portfolio.extend(strategies.into_iter().map(|named| member(named, coarse)));
        let mut members = portfolio.iter_mut();
        if let Some(member) = members.find(|member| member.strategy.progress().is_some()) {
            member.reports = true;
        }
        let mut counters = Counters::default();
        if let Some(resume) = &resume {
            counters.limits = resume.limits();
            counters.left_out = resume.left_out();
            counters.workers = resume.workers();
            portfolio[0].limits = resume.limits();
            portfolio[0].left_out = resume.left_out();
            counters.failed_before = resume.failed();
            counters.ended_before = resume.ended();
            // There may be nothing left to do.
            counters.exhausted = portfolio[0].strategy.is_exhausted();
            counters.progress = portfolio[0].strategy.progress();
        }
        Ok(Search {
            explorer,
            name,
            portfolio,
            distinct: Distinct::new(),
            behaviours: Distinct::new(),
            counters,
            began: budget_clock(),
            may_end_early,
            has_diverged: false,
            has_drawn_bytes: false,
            is_traced: false,
            each: None,
            news: Vec::new(),
            share: Share::whole(),
            settings,
            resume,
            witness: None,
        })
    }

    /// Has only the iterations of the process with this number, of so many that explore the test.
    pub(super) fn shared(mut self, part: (u32, u32)) -> Search<'a> {
        let members = self.portfolio.iter();
        let strategies: Vec<_> = members.map(|member| &*member.strategy).collect();
        self.share = Share::of(part, &strategies);
        if self.share.is_empty() {
            // What was done before is told by another process.
            self.counters = Counters::default();
        }
        self
    }

    /// Tells everything of each iteration. That the first one repeats is then not looked at: whoever listens
    /// can compare with what another process tells.
    pub(super) fn traced(mut self, is_traced: bool) -> Search<'a> {
        self.is_traced = is_traced;
        self.may_end_early &= !is_traced;
        self
    }

    /// Explores until a bug is found or the budget is used up; tells what happens as it goes.
    pub(super) fn run(
        mut self,
        body: &dyn Fn() -> Option<Bug>,
        tell: &mut dyn FnMut(Event),
    ) -> Counters {
        self.began = budget_clock();
        tell(Event::Started(self.started()));
        let mut told = Duration::ZERO;
        let mut failed = self.counters.failed_before;
        let share = self.share.clone();
        let most = if self.counters.exhausted || share.is_empty() {
            0
        } else {
            self.settings.iterations
        };
        let budget = share.count(most);
        let mut is_first = true;
        for iteration in (1..=most).filter(|&iteration| share.has(iteration)) {
            // Schedules made for an early end are part of it.
            if self.counters.schedules >= budget {
                break;
            }
            if !std::mem::take(&mut is_first) {
                // Before the next and not after the last, whose output may be asked for.
                self.explorer.surroundings.clean_up();
            }
            let mut verdict = self.iterate(iteration, body, tell);
            if !self.is_over(&verdict) && early_end::is_due(&self) {
                verdict = early_end::look(&mut self, iteration, body);
            }
            failed += u64::from(matches!(verdict, Verdict::Failed(_)));
            if let Verdict::Failed(bug) = verdict
                && self.witness.is_none()
            {
                let schedule = self.explorer.engine.tape().schedule();
                tell(Event::Found(Found {
                    iteration,
                    bug,
                    schedule,
                }));
                break;
            }
            let search_is_over = self.counters.sequential || self.counters.exhausted;
            // It takes as long each time.
            if search_is_over || self.counters.limits.patience {
                break;
            }
            if self.counters.schedules.is_multiple_of(16) || self.counters.nanos < 1_000_000 {
                let elapsed = self.elapsed();
                if self
                    .resume
                    .as_ref()
                    .is_some_and(|resume| resume.is_due(elapsed))
                {
                    self.save(failed);
                }
                if self.settings.time.is_some_and(|time| elapsed >= time) {
                    break;
                }
                if elapsed > told + TELL_EVERY {
                    told = elapsed;
                    tell(Event::Progress(self.counters.clone()));
                }
            }
        }
        if !share.is_empty() {
            self.save(failed);
        }
        self.elapsed();
        if share.is_part() {
            tell(Event::Fingerprints(Fingerprints {
                schedules: self.distinct.members(),
                behaviours: self.news.iter().map(|&(behaviour, _)| behaviour).collect(),
                first: self.news.iter().map(|&(_, iteration)| iteration).collect(),
            }));
        }
        if engine::uncontrolled_threads_exist() {
            self.counters.left_out.add(Exception::UncontrolledThreads);
        }
        tell(Event::Finished(self.counters.clone()));
        self.counters
    }

    /// Writes the file to resume from, if there is to be one.
    fn save(&mut self, failed: u64) {
        let before = self.elapsed();
        let Some(resume) = &mut self.resume else {
            return;
        };
        let strategy = &*self.portfolio[0].strategy;
        let saved = resume.save(strategy, &self.counters, failed);
        self.counters.resume_error = saved.err();
        let after = self.began.elapsed();
        resume.put_off(after, after.saturating_sub(before));
    }

    /// Runs one iteration; the first one twice, to see whether it does the same again.
    fn iterate(
        &mut self,
        iteration: u64,
        body: &dyn Fn() -> Option<Bug>,
        tell: &mut dyn FnMut(Event),
    ) -> Verdict {
        let turn = ((iteration - 1) % self.portfolio.len() as u64) as usize;
        let record = if iteration == 1 || self.is_traced {
            Record::Steps
        } else {
            Record::Schedule
        };
        let verdict = self.make(turn, iteration, record, body);
        let strategy = &self.portfolio[turn].strategy;
        let (exhausted, progress) = (strategy.is_exhausted(), strategy.progress());
        if self.portfolio[turn].reports {
            self.counters.progress = progress;
        }
        if exhausted {
            self.retire(turn, progress);
        }
        if self.is_traced {
            self.tell_trace(&verdict, tell);
        }
        if iteration == 1 {
            let engine = &self.explorer.engine;
            self.counters.sequential = engine.worker_total() == 1 && !engine.tape().has_choices();
            let is_looked_at = self.counters.sequential || self.is_traced;
            if !is_looked_at && !matches!(verdict, Verdict::Failed(_)) {
                self.check_first(body, tell);
            }
        }
        verdict
    }

    /// Makes the next schedule of this member of the portfolio.
    pub(super) fn make(
        &mut self,
        turn: usize,
        iteration: u64,
        record: Record,
        body: &dyn Fn() -> Option<Bug>,
    ) -> Verdict {
        let member = &mut self.portfolio[turn];
        member.prepare(&self.settings, iteration - 1);
        self.explorer.surroundings.restore(member.head.seed);
        let plan = Plan {
            iteration,
            head: &member.head,
            order: Order::Search(&mut *member.strategy),
            record,
            classify: is_watched(iteration, self.settings.watch),
            name: self.name,
        };
        let end = self.explorer.engine.run(plan, body);
        member.longest = member.longest.max(self.explorer.engine.step_count());
        member.limits = member.limits.and(self.explorer.engine.limits());
        let left_out = self.left_out();
        let member = &mut self.portfolio[turn];
        member.left_out = member.left_out.and(left_out);
        let verdict = fail_on_unobserved(end.verdict, &self.explorer.engine, &self.settings);
        self.count(iteration, &verdict, end.abandoned);
        if let Some(each) = &mut self.each {
            each(self.explorer.engine.tape().schedule());
        }
        if let Some(witness) = &mut self.witness {
            witness(&Seen {
                verdict: (!end.abandoned).then(|| verdict.clone()),
                behaviour: self.explorer.engine.behaviour().unwrap_or_default(),
            });
        }
        verdict
    }

    /// A member has made all the schedules that it would. If it leaves none out, and nothing but its picks
    /// decided in any of them, there are no others; and if it is the last member, nobody is left to look
    /// for them. Else its turns are random from now on: they stay its turns, so that the others have the
    /// same ones whenever it is through, and in whichever process.
    fn retire(&mut self, turn: usize, progress: Option<Progress>) {
        let leaves_out = progress.is_some_and(|progress| progress.leaves_out);
        let member = &mut self.portfolio[turn];
        let is_proof = !leaves_out && member.limits == Limits::default();
        member.is_through = true;
        if is_proof {
            // The others' schedules are among those that it has made.
            self.counters.limits = Limits::default();
            self.counters.left_out = member.left_out;
        }
        if is_proof || self.portfolio.iter().all(|member| member.is_through) {
            self.counters.exhausted = true;
            self.counters.progress = progress;
            return;
        }
        let member = &mut self.portfolio[turn];
        member.strategy = Box::new(Random::default());
        member.head = head_for(&self.settings, "random".to_owned());
        member.reports = false;
    }

    /// Tells everything of the iteration that ended.
    fn tell_trace(&mut self, verdict: &Verdict, tell: &mut dyn FnMut(Event)) {
        let Explorer {
            surroundings,
            engine,
        } = &mut *self.explorer;
        tell(Event::Replayed(Replayed {
            verdict: verdict.clone(),
            trace: replay::trace_of(engine, surroundings),
            divergence: None,
            unobserved_panics: engine.unobserved_panics(),
        }));
    }

    /// Repeats the schedule just run, and tells where it differs.
    fn check_first(&mut self, body: &dyn Fn() -> Option<Bug>, tell: &mut dyn FnMut(Event)) {
        let Explorer {
            surroundings,
            engine,
        } = &mut *self.explorer;
        let first = replay::trace_of(engine, surroundings);
        surroundings.clean_up();
        let (name, settings) = (self.name, &self.settings);
        let schedule = first.schedule.clone();
        let second = replay::replay(engine, surroundings, schedule, name, settings, body);
        let mut difference = first_difference(&first, &second.trace);
        if let (Some(difference), Some(divergence)) = (&mut difference, second.divergence)
            && difference.step as usize == second.trace.steps.len()
        {
            // It ended because it left the schedule: say how.
            difference.found = divergence.found;
        }
        if let Some(difference) = difference {
            self.has_diverged = true;
            tell(Event::Diverged(difference));
        }
    }

    /// True if a schedule that ended like this is the last, or there is no more time.
    pub(super) fn is_over(&mut self, verdict: &Verdict) -> bool {
        let is_found = matches!(verdict, Verdict::Failed(_)) && self.witness.is_none();
        let time = self.settings.time;
        is_found || time.is_some_and(|time| self.elapsed() >= time)
    }

    /// Returns what the iteration that ended could not see.
    fn left_out(&self) -> Exceptions {
        let mut left_out = self.explorer.engine.left_out();
        if self.explorer.surroundings.has_drawn_hash_keys() {
            left_out.add(Exception::RandomNumbers);
        }
        left_out
    }

    fn count(&mut self, iteration: u64, verdict: &Verdict, abandoned: bool) {
        let left_out = self.left_out();
        let engine = &self.explorer.engine;
        self.has_drawn_bytes |= engine.left_out().has(Exception::RandomNumbers);
        let steps = u64::from(engine.step_count());
        let counters = &mut self.counters;
        counters.schedules += 1;
        counters.steps += steps;
        counters.contested += engine.contested_count();
        counters.switches += engine.switch_count();
        counters.redundant += u64::from(abandoned);
        counters.cut_offs += u64::from(*verdict == Verdict::CutOff && !abandoned);
        counters.longest = counters.longest.max(steps);
        counters.workers = counters.workers.max(engine.worker_total());
        counters.concurrency = counters.concurrency.max(engine.width());
        counters.limits = counters.limits.and(engine.limits());
        counters.left_out = counters.left_out.and(left_out);
        if engine.unobserved_panic().is_some() {
            for panic in engine.unobserved_panics() {
                let known = counters
                    .unobserved_panics
                    .iter()
                    .any(|other| other.site == panic.site);
                if !known && counters.unobserved_panics.len() < 10 {
                    counters.unobserved_panics.push(panic);
                }
            }
        }
        if abandoned {
            return;
        }
        self.distinct.insert(engine.tape().fingerprint());
        counters.distinct = self.distinct.count();
        if let Some(behaviour) = engine.behaviour() {
            counters.watched += 1;
            if self.behaviours.insert(behaviour) {
                counters.last_new = iteration;
                if self.share.is_part() && self.news.len() < MOST_NEWS {
                    self.news.push((behaviour, iteration));
                }
            }
            counters.behaviours = self.behaviours.count();
        }
    }

    fn elapsed(&mut self) -> Duration {
        let elapsed = self.began.elapsed();
        self.counters.nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.counters.outside = engine::uses();
        elapsed
    }

    fn started(&self) -> Started {
        let (statics, bytes) = self.explorer.surroundings.statics_extent();
        Started {
            seed: self.settings.seed,
            strategy: self.settings.strategy.to_string(),
            iterations: self.settings.iterations,
            statics: statics as u32,
            static_bytes: bytes as u64,
        }
    }
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

    /// One that makes every schedule with this seed once.
    pub(super) fn enumerating(settings: &Resolved, seed: u64) -> Member {
        let head = head_for(settings, Kind::Dfs.name().to_owned());
        Member {
            seed: Some(seed),
            ..Member::new(Kind::Dfs.build(0), head)
        }
    }

    /// Prepares the iteration with this number, from 0.
    fn prepare(&mut self, settings: &Resolved, index: u64) {
        // Iterations of a strategy that enumerates differ in nothing but what it decides.
        let enumerates = self.strategy.enumerates();
        self.head.seed = if let Some(seed) = self.seed {
            seed
        } else if enumerates {
            // One for all schedules, in which addresses do not depend on what was freed before, and prints
            // are no steps.
            plain_seed(settings.seed)
        } else {
            strategy::derive(settings.seed, index)
        };
        let mut rng = Rng::new(self.head.seed);
        let budget = 1 << (2 * rng.below(5));
        self.head.yield_budget = if enumerates { 1 } else { budget };
        let allowed = allowance(settings.timeouts, self.head.seed, enumerates);
        (self.head.early, self.head.leap) = (allowed.early, allowed.leap);
        self.strategy.begin(&Beginning {
            seed: rng.bits(),
            index: self.turns,
            longest: self.longest,
            fair_after: settings.max_steps / 2,
        });
        self.head.fair_from = self.strategy.fair_from();
        self.turns += 1;
    }
}

/// The first seed of a run with which memory rests, and prints are no steps.
pub(super) fn plain_seed(seed: u64) -> u64 {
    let mut seeds = (0..).map(|index| strategy::derive(seed, index));
    let is_plain = |seed| surroundings::reuse(seed).is_none() && !prints_with_seed(seed);
    let plain = seeds.find(|&seed| is_plain(seed));
    plain.expect("most seeds let memory rest, and prints be")
}

/// Whether the iteration with this number, from 1, is watched; with 0, which only measurements set, none.
fn is_watched(iteration: u64, every: u32) -> bool {
    every > 0 && (iteration <= WATCHED_AT_FIRST || iteration.is_multiple_of(every.into()))
}

/// What a strategy's schedules begin with, but for what each iteration has of its own.
pub(super) fn head_for(settings: &Resolved, strategy: String) -> Schedule {
    Schedule {
        max_steps: settings.max_steps,
        detached_steps: settings.detached_steps,
        temperature: settings.temperature,
        wall_clock: WALL_CLOCK,
        strategy,
        ..Schedule::default()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the budget is spent in real time"
)]
fn budget_clock() -> Instant {
    Instant::now()
}

/// With the setting, a panic that nobody noticed makes a passed iteration a failed one.
pub(super) fn fail_on_unobserved(
    verdict: Verdict,
    engine: &Engine,
    settings: &Resolved,
) -> Verdict {
    if verdict != Verdict::Passed || !settings.fail_on_unobserved_panic {
        return verdict;
    }
    let panic = engine.unobserved_panic();
    let bug = panic.and_then(|panic| engine.bug_of(BugKind::UnobservedPanic, panic));
    bug.map_or(verdict, Verdict::Failed)
}

/// Where two executions of one schedule first differ.
fn first_difference(first: &Trace, second: &Trace) -> Option<Divergence> {
    let length = first.steps.len().max(second.steps.len());
    (0..length).find_map(|index| {
        let [expected, found] =
            [first, second].map(|trace| describe(trace, trace.steps.get(index)));
        (expected != found).then_some(Divergence {
            step: index as u32,
            expected,
            found,
        })
    })
}

fn describe(trace: &Trace, step: Option<&Step>) -> String {
    let Some(step) = step else {
        return "the end of the execution".to_owned();
    };
    let operation = Operation::from_code(step.operation).map_or("?", Operation::name);
    let object = step
        .object
        .map_or(String::new(), |object| format!(" of object {object}"));
    let site = &trace.sites[step.site as usize];
    format!("worker {}: {operation}{object} at {site}", step.worker)
}
