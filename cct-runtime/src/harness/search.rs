//! Searches the schedules of one test, iteration after iteration, until a bug or the budget's end.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::early_end;
use super::maker::Maker;
use super::portfolio::{Member, Strategies, portfolio};
use super::repeat::repeat;
use super::resume::Resume;
use super::runner::Runner;
use super::share::Share;
use super::surroundings::Surroundings;
use super::tally::Tally;
use crate::claim::Exception;
use crate::config::{Granularity, Isolation, Resolved};
use crate::engine::{self, End, Record};
use crate::part::Part;
use crate::strategy::{Limits, Progress, Spec};
use crate::verdict::{Bug, Verdict};
use crate::wire::{Counters, Event, Found, Started};

/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(100);
/// So many schedules pass between two looks at the clock.
const LOOK_EVERY: u64 = 16;
/// Until this time has passed, in nanoseconds, each schedule is followed by a look.
const FIRST_LOOKS: u64 = 1_000_000;

/// The search of one test's schedules.
pub(super) struct Search<'a> {
    pub(super) maker: Maker<'a>,
    /// The strategies, which take turns.
    portfolio: Vec<Member>,
    share: Share,
    /// The iterations that are planned.
    planned: RangeInclusive<u64>,
    /// The iteration that is looked at with care: the first one, except where a shard goes on.
    probe: Option<u64>,
    /// The last iteration that was made.
    through: u64,
    resume: Option<Resume>,
    /// An early end is possible: nobody has chosen a strategy, and the first schedule's two executions were
    /// the same.
    may_end_early: bool,
    /// Each iteration is recorded and told.
    is_traced: bool,
    if_diverged: IfDiverged,
}

/// The rest of a search whose first schedule does not repeat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum IfDiverged {
    /// The others.
    GoOn,
    /// Nothing: whoever asked for the search tries another way.
    End,
    /// It has come to that.
    Ended,
}

impl<'a> Search<'a> {
    /// Prepares the search of the test with this name, by the strategies of the settings or by those
    /// `given`, which take turns. An error says why it cannot be resumed as the settings ask for.
    pub(super) fn new(
        runner: &'a mut Runner,
        name: &'static str,
        mut settings: Resolved,
        given: Option<Strategies>,
    ) -> Result<Search<'a>, String> {
        // A caller's strategies cannot be built a second time.
        let given_none = given.is_none();
        let has_twins = given_none && settings.granularity == Granularity::Mix;
        let mut strategies = given.unwrap_or_else(|| settings.strategy.build());
        runner.apply(&settings);
        let path = settings.resume.clone();
        let resume = path
            .map(|path| Resume::open(&path, name, &mut settings, &mut strategies))
            .transpose()?;
        let may_end_early = given_none && settings.strategy == Spec::default() && resume.is_none();
        let mut portfolio = portfolio(&settings, strategies, has_twins && resume.is_none());
        let iterations = settings.iterations;
        let counters = resume
            .as_ref()
            .map(|resume| go_on(resume, &mut portfolio[0]));
        Ok(Search {
            maker: Maker {
                runner,
                name,
                settings,
                tally: Tally::new(counters.unwrap_or_default()),
                shared_stacks: 0,
                each: None,
                witness: None,
            },
            portfolio,
            share: Share::whole(),
            planned: 1..=iterations,
            probe: Some(1),
            through: 0,
            resume,
            may_end_early,
            is_traced: false,
            if_diverged: IfDiverged::GoOn,
        })
    }

    /// Limits the search to the iterations of one process.
    pub(super) fn shared(mut self, part: Part) -> Search<'a> {
        let members = self.portfolio.iter();
        let strategies: Vec<_> = members.map(|member| &*member.strategy).collect();
        self.share = Share::of(part, &strategies);
        if let Some(from) = part.from {
            let all = self
                .maker
                .settings
                .iterations
                .saturating_mul(part.of.into());
            self.planned = from..=all;
            // Others may have the first one, and this one does not hear of what they see.
            self.probe = self.share.first_from(1).filter(|&first| first >= from);
            self.may_end_early &= self.probe.is_some();
        }
        let tally = &mut self.maker.tally;
        if self.share.is_empty() {
            // Another process tells of the schedules made before.
            tally.counters = Counters::default();
        }
        if self.share.is_part() || part.from.is_some() {
            tally.keep_news();
        }
        self
    }

    /// Has each iteration recorded and told. The first schedule is not executed twice then: the listener
    /// compares with another process.
    pub(super) fn traced(mut self, is_traced: bool) -> Search<'a> {
        self.is_traced = is_traced;
        self.may_end_early &= !is_traced;
        self
    }

    /// Ends the search if its first schedule does not repeat, and settings leave open what to do then.
    pub(super) fn ending_if_diverged(mut self) -> Search<'a> {
        if self.maker.settings.isolation == Isolation::Auto && self.resume.is_none() {
            self.if_diverged = IfDiverged::End;
        }
        self
    }

    /// Searches until a bug is found or the budget is used up; tells what happens as it goes.
    pub(super) fn run(
        mut self,
        body: &dyn Fn() -> Option<Bug>,
        tell: &mut dyn FnMut(Event),
    ) -> Counters {
        self.maker.tally.start_clock();
        tell(Event::Started(self.started()));
        let failed = self.make_all(body, tell);
        if !self.share.is_empty() {
            self.save(failed);
        }
        let tally = &mut self.maker.tally;
        tally.elapsed();
        if let Some(fingerprints) = tally.fingerprints(self.through) {
            tell(Event::Fingerprints(fingerprints));
        }
        let covered = self.maker.runner.engine.observers.covered.take();
        if !covered.machines.is_empty() {
            tell(Event::Covered(covered));
        }
        let files = Surroundings::shared_files();
        if !files.is_empty() {
            tell(Event::SharedFiles(files));
        }
        let mut counters = self.maker.tally.counters;
        if engine::uncontrolled_threads_exist() {
            counters.left_out.add(Exception::UncontrolledThreads);
        }
        tell(Event::Finished(counters.clone()));
        counters
    }

    /// Makes schedules to the end of the search; returns how many have failed, those of earlier processes
    /// included.
    fn make_all(&mut self, body: &dyn Fn() -> Option<Bug>, tell: &mut dyn FnMut(Event)) -> u64 {
        let mut told = Duration::ZERO;
        let mut failed = self.counters().failed_before;
        let share = self.share.clone();
        if self.counters().exhausted || share.is_empty() {
            return failed;
        }
        let planned = self.planned.clone();
        let end = *planned.end();
        let budget = share.count(end);
        let budget = budget.saturating_sub(share.count(planned.start() - 1));
        let mut is_first = true;
        for iteration in planned.filter(|&iteration| share.has(iteration)) {
            // Schedules made for an early end count, too.
            if self.counters().schedules >= budget {
                self.through = end;
                return failed;
            }
            if !std::mem::take(&mut is_first) {
                // Not after the last one, whose output may be asked for.
                self.maker.runner.clean_up();
            }
            let verdict = self.iterate(iteration, body, tell);
            self.through = iteration;
            failed += u64::from(matches!(verdict, Verdict::Failed(_)));
            if let Verdict::Failed(bug) = verdict
                && self.maker.witness.is_none()
            {
                self.tell_found(iteration, *bug, tell);
                return failed;
            }
            if self.if_diverged == IfDiverged::Ended {
                return failed;
            }
            let counters = self.counters();
            // A schedule that was cut off for its length would be as long again.
            if counters.sequential || counters.exhausted || counters.limits.alone {
                return failed;
            }
            if self.is_out_of_time(&mut told, failed, tell) {
                return failed;
            }
        }
        self.through = self.through.max(end);
        failed
    }

    fn tell_found(&self, iteration: u64, bug: Bug, tell: &mut dyn FnMut(Event)) {
        let schedule = self.maker.runner.engine.tape().schedule();
        tell(Event::Found(Found {
            iteration,
            bug,
            schedule,
        }));
    }

    /// Looks at the clock once in a while: saves and tells how far the search is. True if its time is over.
    fn is_out_of_time(
        &mut self,
        told: &mut Duration,
        failed: u64,
        tell: &mut dyn FnMut(Event),
    ) -> bool {
        let counters = self.counters();
        if !counters.schedules.is_multiple_of(LOOK_EVERY) && counters.nanos >= FIRST_LOOKS {
            return false;
        }
        let elapsed = self.maker.tally.elapsed();
        let resume = self.resume.as_ref();
        if resume.is_some_and(|resume| resume.is_due(elapsed)) {
            self.save(failed);
        }
        if self.maker.settings.time.is_some_and(|time| elapsed >= time) {
            return true;
        }
        if elapsed > *told + TELL_EVERY {
            *told = elapsed;
            tell(Event::Progress(self.counters().clone()));
        }
        false
    }

    /// Runs one iteration; the first one twice, to see whether it does the same again. If an early end is
    /// due, enumerates all schedules.
    fn iterate(
        &mut self,
        iteration: u64,
        body: &dyn Fn() -> Option<Bug>,
        tell: &mut dyn FnMut(Event),
    ) -> Verdict {
        let turn = ((iteration - 1) % self.portfolio.len() as u64) as usize;
        let is_probe = self.probe == Some(iteration);
        let record = if is_probe || self.is_traced {
            Record::Steps
        } else {
            Record::Schedule
        };
        let member = &mut self.portfolio[turn];
        let mut verdict = self.maker.make(member, iteration, record, body);
        let has_to_look = self.maker.has_to_look(&member.head);
        let progress = member.strategy.progress();
        if member.reports {
            self.maker.tally.counters.progress = progress;
        }
        if member.strategy.is_exhausted() {
            self.retire(turn, progress);
        }
        if self.is_traced {
            let replayed = self.maker.runner.replayed(End::of(verdict.clone()));
            tell(Event::Replayed(replayed));
        }
        if is_probe {
            let engine = &self.maker.runner.engine;
            let is_sequential = engine.worker_total() == 1 && !engine.tape().has_choices();
            self.maker.tally.counters.sequential = is_sequential;
            let is_looked_at = is_sequential || self.is_traced;
            if !is_looked_at && !matches!(verdict, Verdict::Failed(_)) {
                let repeats = self.check_first(body, tell);
                if repeats && has_to_look && matches!(verdict, Verdict::Passed) {
                    let end = End::of(verdict);
                    verdict = self.maker.look_again(end, iteration, body).verdict;
                }
            }
        }
        let may_end = !self.maker.is_over(&verdict) && self.may_end_early;
        if may_end && early_end::is_due(&self.maker, self.portfolio.len()) {
            return early_end::look(&mut self.maker, iteration, body);
        }
        verdict
    }

    /// Retires a member that has made all its schedules. The search is over if the member leaves none out
    /// and nothing but its picks decided in any of them, for there are no others; and if no member is
    /// left to look for others. Otherwise the member's turns are random from now on.
    fn retire(&mut self, turn: usize, progress: Option<Progress>) {
        let leaves_out = progress.is_some_and(|progress| progress.leaves_out);
        let counters = &mut self.maker.tally.counters;
        let member = &mut self.portfolio[turn];
        let is_proof = !leaves_out && member.limits == Limits::default();
        member.is_through = true;
        if is_proof {
            // The others' schedules are among its own.
            counters.limits = Limits::default();
            counters.left_out = member.left_out;
        }
        if is_proof || self.portfolio.iter().all(|member| member.is_through) {
            counters.exhausted = true;
            counters.progress = progress;
        } else {
            self.portfolio[turn].turn_to_random(&self.maker.settings);
        }
    }

    /// Executes the first schedule once more, and tells where the executions part. True if they do not.
    fn check_first(&mut self, body: &dyn Fn() -> Option<Bug>, tell: &mut dyn FnMut(Event)) -> bool {
        let by_address = self.portfolio.iter().any(|member| {
            let progress = member.strategy.progress();
            progress.is_some_and(|progress| progress.reduces)
        });
        let difference = repeat(&mut self.maker, body, by_address);
        let repeats = difference.is_none();
        if let Some(difference) = difference {
            self.may_end_early = false;
            if self.if_diverged == IfDiverged::End {
                self.if_diverged = IfDiverged::Ended;
            }
            tell(Event::Diverged(difference));
        }
        repeats
    }

    /// Writes the file to resume from, if there is to be one.
    fn save(&mut self, failed: u64) {
        let tally = &mut self.maker.tally;
        let before = tally.elapsed();
        let Some(resume) = &mut self.resume else {
            return;
        };
        let strategy = &*self.portfolio[0].strategy;
        let saved = resume.save(strategy, &tally.counters, failed);
        tally.counters.resume_error = saved.err();
        let after = tally.elapsed();
        resume.put_off(after, after.saturating_sub(before));
    }

    fn counters(&self) -> &Counters {
        &self.maker.tally.counters
    }

    fn started(&self) -> Started {
        let settings = &self.maker.settings;
        let (statics, bytes) = self.maker.runner.surroundings.statics_extent();
        Started {
            seed: settings.seed,
            strategy: settings.strategy.to_string(),
            iterations: settings.iterations,
            statics: statics as u32,
            static_bytes: bytes as u64,
            isolation: settings.isolation.name().to_owned(),
        }
    }
}

/// Returns the counts of a search that goes on where an earlier process left off, with this member alone.
fn go_on(resume: &Resume, member: &mut Member) -> Counters {
    member.limits = resume.limits();
    member.left_out = resume.left_out();
    Counters {
        limits: resume.limits(),
        left_out: resume.left_out(),
        workers: resume.workers(),
        failed_before: resume.failed(),
        ended_before: resume.ended(),
        // Nothing may be left to do.
        exhausted: member.strategy.is_exhausted(),
        progress: member.strategy.progress(),
        ..Counters::default()
    }
}
