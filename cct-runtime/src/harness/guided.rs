//! Repeats what happened in another version of the program, as far as it still happens.
//!
//! A guide is a trace of the other version, with its places as they are in this one. Each worker's pending
//! step is compared with the next one that the guide has of it. A step that the guide does not know is let
//! through, as a print that was added is, and one that does not come is passed over; so the steps of both
//! versions come in the guide's order. Where its worker cannot run, those come first that the guide names
//! next, and after its end the schedule goes on from the seed. Values are chosen as in the step of the guide
//! that is under way; in other steps, and where there are more, from the seed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::head;
use super::runner::Runner;
use crate::config::Resolved;
use crate::engine::{Order, Plan, Record};
use crate::object::ObjectId;
use crate::operation::Operation;
use crate::origin;
use crate::strategy::{
    Action, Beginning, Beyond, Candidates, Executed, Observer, Origin, Pick, Reason, Rng, Strategy,
    WorkerId,
};
use crate::trace::{Outcome, Schedule, Site, Step, Trace, WorkerKind};
use crate::verdict::Bug;
use crate::wire::Replayed;

/// Runs one iteration as the guide says. A site of the guide whose line is 0 is gone.
pub(super) fn replay(
    runner: &mut Runner,
    guide: &Trace,
    name: &'static str,
    settings: &Resolved,
    body: &dyn Fn() -> Option<Bug>,
) -> Replayed {
    runner.apply(settings);
    let mut head = head::of(&guide.schedule);
    // Addresses may be others now.
    if head.race_at != 0 {
        head.race_at = Schedule::ANYWHERE;
    }
    if head.shared_stacks != 0 {
        head.shared_stacks = u64::MAX;
    }
    let mut guided = Guided::new(guide);
    let plan = Plan {
        iteration: 1,
        head: &head,
        order: Order::Search(&mut guided),
        record: Record::Calls,
        classify: false,
        name,
    };
    let end = runner.run(plan, settings, body);
    runner.replayed(end)
}

/// How far ahead a step is looked for that the guide has later, and a worker that could run.
const AHEAD: usize = 256;

/// A guide, and how far it has been followed.
#[derive(Debug)]
pub(super) struct Guided<'a> {
    guide: &'a Trace,
    /// The guide's steps that somebody was picked for, by index.
    steps: Vec<&'a Step>,
    /// Whether each has happened, or will not.
    is_done: Vec<bool>,
    /// All before this one are done.
    first: usize,
    /// The steps of each of the guide's workers, the next one first.
    own: BTreeMap<u32, Vec<usize>>,
    /// The guide's workers by those of this execution, and the other way round.
    theirs: BTreeMap<WorkerId, u32>,
    ours: BTreeMap<u32, WorkerId>,
    /// The objects of this execution, by the guide's.
    objects: BTreeMap<u32, ObjectId>,
    /// The last step that each worker was picked for.
    last: BTreeMap<WorkerId, Action>,
    /// The workers that have made another one in their last step.
    has_made: BTreeSet<WorkerId>,
    /// The worker whose step is under way, if it was picked for one.
    picked: Option<WorkerId>,
    /// The workers that can run only by a time-out.
    early: BTreeSet<WorkerId>,
    /// The step of the guide that is under way, if it is one of the guide's.
    under_way: Option<usize>,
    /// The values that were chosen in each step of the guide, and have not been chosen again.
    choices: BTreeMap<usize, VecDeque<u32>>,
    /// Of a guide that does not say in which steps they were: all of them.
    all_choices: VecDeque<u32>,
    rng: Rng,
}

/// A worker's pending step, as the guide sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sight {
    /// It comes after so many that do not happen any more.
    After(usize),
    /// The guide does not know it.
    New,
}

impl<'a> Guided<'a> {
    /// Nothing has been followed yet.
    pub(super) fn new(guide: &'a Trace) -> Guided<'a> {
        let steps: Vec<&Step> = guide.steps.iter().filter(|step| !step.note).collect();
        let mut own = BTreeMap::<u32, Vec<usize>>::new();
        for (index, step) in steps.iter().enumerate().rev() {
            own.entry(step.worker).or_default().push(index);
        }
        let mut guided = Guided {
            guide,
            is_done: vec![false; steps.len()],
            steps,
            first: 0,
            own,
            theirs: BTreeMap::new(),
            ours: BTreeMap::new(),
            objects: BTreeMap::new(),
            last: BTreeMap::new(),
            has_made: BTreeSet::new(),
            picked: None,
            early: BTreeSet::new(),
            under_way: None,
            choices: BTreeMap::new(),
            all_choices: VecDeque::new(),
            rng: Rng::new(guide.schedule.seed),
        };
        guided.sort_choices();
        guided
    }

    /// Returns what the guide chose among `n` in the step under way, or else next.
    fn known_choice(&mut self, n: u32) -> Option<u32> {
        // In a step that the guide does not know, nothing is taken from those that it knows.
        let own = self.under_way.and_then(|step| self.choices.get_mut(&step));
        let choice = own.and_then(VecDeque::pop_front);
        let choice = choice.or_else(|| self.all_choices.pop_front());
        choice.filter(|&choice| choice < n)
    }

    /// Puts each value that was chosen to its step.
    fn sort_choices(&mut self) {
        let (values, steps) = (&self.guide.schedule.choices, &self.guide.choices_at);
        if values.len() != steps.len() {
            self.all_choices = values.iter().copied().collect();
            return;
        }
        for (&value, &step) in values.iter().zip(steps) {
            // Notes have no number.
            let number = self.guide.number_of(step as usize);
            let step = number.saturating_sub(1);
            self.choices.entry(step).or_default().push_back(value);
        }
    }

    /// The worker that comes next.
    pub(super) fn propose(&mut self, candidates: &dyn Candidates) -> WorkerId {
        match self.wanted(candidates) {
            Some(worker) => worker,
            None => self.unwanted(candidates),
        }
    }

    /// This worker comes next.
    pub(super) fn picked(&mut self, worker: WorkerId, candidates: &dyn Candidates) {
        self.advance(worker, &candidates.pending(worker));
        self.picked = Some(worker);
    }

    fn site(&self, step: &Step) -> Option<&'a Site> {
        let site = self.guide.sites.get(step.site as usize);
        site.filter(|site| site.line > 0)
    }

    /// True if the worker's pending step may be this one.
    fn is_it(&self, action: &Action, step: &Step) -> bool {
        if step.operation != action.operation as u8 {
            return false;
        }
        match self.site(step) {
            // It has the place of another step.
            _ if action.operation.borrows_site() => true,
            Some(site) => is_at(action, site),
            // Its line has been rewritten, and so is this one new.
            None => !self.guide.sites.iter().any(|site| is_at(action, site)),
        }
    }

    fn is_about(&self, action: &Action, step: &Step) -> bool {
        let bound = step.object.and_then(|object| self.objects.get(&object));
        bound.is_none_or(|&object| object == action.object)
    }

    /// How the guide sees the pending step of its worker.
    fn sight(&self, worker: u32, action: &Action) -> Sight {
        let own = self.own.get(&worker).map_or(&[][..], Vec::as_slice);
        let mut to_come = own.iter().rev().take(AHEAD).map(|&index| self.steps[index]);
        match to_come.next() {
            Some(next) if self.is_it(action, next) => return Sight::After(0),
            Some(_) => {}
            None => return Sight::New,
        }
        // Steps inside other crates are made from many lines: one of them is known by its place only as
        // long as none of the user's own is passed over for it.
        let is_own = origin::Origin::of(action.site.file()) == origin::Origin::Workspace;
        let mut to_come = own.iter().rev().take(AHEAD).map(|&index| self.steps[index]);
        let mut passed = 0;
        let found = to_come.find(|step| {
            let is_found = self.is_it(action, step) && self.is_about(action, step);
            passed += usize::from(!is_found);
            is_found
        });
        let passed_over = own
            .iter()
            .rev()
            .take(passed)
            .map(|&index| self.steps[index]);
        let are_all_gone = || {
            let mut sites = passed_over.map(|step| self.site(step));
            sites.all(|site| site.is_none_or(|site| !is_of_user(site)))
        };
        match found {
            Some(_) if is_own || are_all_gone() => Sight::After(passed),
            _ => Sight::New,
        }
    }

    /// The worker has made, or is about to make, this step.
    fn advance(&mut self, worker: WorkerId, action: &Action) {
        self.last.insert(worker, *action);
        self.has_made.remove(&worker);
        self.under_way = None;
        let Some(&theirs) = self.theirs.get(&worker) else {
            return;
        };
        let Sight::After(passed) = self.sight(theirs, action) else {
            return;
        };
        let own = self.own.entry(theirs).or_default();
        let this = own.len().saturating_sub(passed + 1);
        self.under_way = own.get(this).copied();
        let object = self.under_way.and_then(|index| self.steps[index].object);
        for index in own.drain(this..) {
            self.is_done[index] = true;
        }
        if let Some(object) = object.filter(|_| !action.object.is_none()) {
            self.objects.entry(object).or_insert(action.object);
        }
    }

    /// The worker that the guide wants to run, of those that can.
    fn wanted(&mut self, candidates: &dyn Candidates) -> Option<WorkerId> {
        while self.first < self.steps.len() {
            if self.is_done[self.first] {
                self.first += 1;
                continue;
            }
            let step = self.steps[self.first];
            let Some(&worker) = self.ours.get(&step.worker) else {
                // Nobody made it, so it does nothing.
                self.pass_over(step.worker);
                continue;
            };
            if self.can_run(worker, step, candidates) {
                match self.sight(step.worker, &candidates.pending(worker)) {
                    Sight::After(0) | Sight::New => return Some(worker),
                    Sight::After(passed) => {
                        for _ in 0..passed {
                            self.pass_over(step.worker);
                        }
                        continue;
                    }
                }
            }
            if step.outcome == Outcome::Waits {
                // It waits already.
                self.pass_over(step.worker);
                continue;
            }
            return self.next_that_can(candidates);
        }
        None
    }

    fn can_run(&self, worker: WorkerId, step: &Step, candidates: &dyn Candidates) -> bool {
        let is_early = self.early.contains(&worker) && step.outcome != Outcome::TimedOut;
        candidates.contains(worker) && !is_early
    }

    /// The guide's next worker that can run.
    fn next_that_can(&self, candidates: &dyn Candidates) -> Option<WorkerId> {
        let to_come = self.first..self.steps.len();
        let mut to_come = to_come.filter(|&index| !self.is_done[index]).take(AHEAD);
        to_come.find_map(|index| {
            let step = self.steps[index];
            let worker = self.ours.get(&step.worker).copied()?;
            self.can_run(worker, step, candidates).then_some(worker)
        })
    }

    /// The next step of the guide's worker does not happen.
    fn pass_over(&mut self, worker: u32) {
        if let Some(index) = self.own.get_mut(&worker).and_then(Vec::pop) {
            self.is_done[index] = true;
        }
    }

    /// One of those whom the guide does not want.
    fn unwanted(&mut self, candidates: &dyn Candidates) -> WorkerId {
        let is_over = self.first >= self.steps.len();
        let current = candidates.current();
        let goes_on = candidates.reason() == Reason::Point && candidates.contains(current);
        if goes_on && !is_over {
            return current;
        }
        candidates.nth(self.rng.below(candidates.len()))
    }

    /// The guide's worker that was made as this one is: at the same place, or at one that was rewritten.
    fn counterpart(&self, worker: WorkerId, origin: &Origin) -> Option<u32> {
        if worker.0 == 0 {
            return Some(0);
        }
        let parent = origin.parent;
        let made_by = parent.and_then(|parent| self.last.get(&parent));
        // A step makes one; what a thread blocks on, or hands to an executor, is made by none.
        let is_spawn = |action: &&Action| action.operation == Operation::Spawn;
        let is_made_before = parent.is_some_and(|parent| self.has_made.contains(&parent));
        let made_by =
            made_by.filter(|action| is_spawn(action) && !is_made_before && is_spawned(origin.kind));
        let thread = parent.and_then(|parent| self.theirs.get(&parent));
        let infos = self.guide.workers.iter().enumerate().skip(1);
        let free = infos.filter(|(number, info)| {
            let is_taken = self.ours.contains_key(&(*number as u32));
            let is_like = match info.kind {
                WorkerKind::Root(driver) => {
                    matches!(origin.kind, WorkerKind::Root(_))
                        && thread.is_none_or(|&thread| thread == driver)
                }
                kind => kind == origin.kind,
            };
            !is_taken && is_like
        });
        let free: Vec<_> = free
            .map(|(number, info)| (number as u32, info.spawned_at.as_ref()))
            .collect();
        let at = |is_there: &dyn Fn(&Site) -> bool| {
            let found = free.iter().find(|(_, site)| site.is_some_and(is_there));
            found.map(|(number, _)| *number)
        };
        match made_by {
            Some(action) => at(&|site| is_at(action, site)).or_else(|| at(&|site| site.line == 0)),
            None => free.first().map(|(number, _)| *number),
        }
    }
}

/// True for a worker that a step makes.
fn is_spawned(kind: WorkerKind) -> bool {
    matches!(kind, WorkerKind::Thread | WorkerKind::Task)
}

fn is_at(action: &Action, site: &Site) -> bool {
    action.site.line() == site.line && action.site.file() == site.file
}

fn is_of_user(site: &Site) -> bool {
    origin::Origin::of(&site.file) == origin::Origin::Workspace
}

impl Strategy for Guided<'_> {
    fn begin(&mut self, _beginning: &Beginning) {}

    fn pick(&mut self, candidates: &dyn Candidates) -> Pick {
        let worker = self.propose(candidates);
        self.picked(worker, candidates);
        // It observes, and is asked at each point.
        Pick { worker, quantum: 0 }
    }

    fn choose_index(&mut self, n: u32) -> u32 {
        self.known_choice(n).unwrap_or_else(|| self.rng.below(n))
    }

    fn choose_store(&mut self, n: u32, _drawn: u32) -> u32 {
        self.known_choice(n).unwrap_or(0)
    }

    fn on_created(&mut self, worker: WorkerId, origin: Origin) {
        let theirs = self.counterpart(worker, &origin);
        self.has_made
            .extend(origin.parent.filter(|_| is_spawned(origin.kind)));
        if let Some(theirs) = theirs {
            self.theirs.insert(worker, theirs);
            self.ours.insert(theirs, worker);
        }
    }

    fn on_enabled(&mut self, worker: WorkerId) -> bool {
        self.early.remove(&worker);
        true
    }

    fn fair_from(&self) -> u32 {
        u32::MAX
    }

    fn observer(&mut self) -> Option<&mut dyn Observer> {
        Some(self)
    }
}

impl Observer for Guided<'_> {
    fn on_step(&mut self, executed: &Executed, _beyond: &Beyond<'_>) {
        // Nobody was asked about a step that nobody could have made in its place.
        if self.picked.take() != Some(executed.worker) {
            self.advance(executed.worker, &executed.action);
        }
    }

    fn on_early(&mut self, worker: WorkerId) -> bool {
        self.early.insert(worker);
        true
    }

    fn on_late(&mut self, worker: WorkerId) {
        self.early.remove(&worker);
    }
}
