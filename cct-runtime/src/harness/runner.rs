//! Runs one iteration: the engine, and what surrounds it.

use std::mem::ManuallyDrop;

use super::listener::give_up;
use super::surroundings::Surroundings;
use crate::claim::{Exception, Exceptions};
use crate::config::{Memory, Resolved};
use crate::engine::{self, Aims, Allowance, End, Engine, Granularity, Plan, Tape};
use crate::object::ObjectId;
use crate::trace::Trace;
use crate::verdict::{Bug, BugKind, Verdict};
use crate::wire::Replayed;

/// Has this be done elsewhere, where memory is shared that the engine has allocated.
pub(super) type Elsewhere = fn(&mut Runner, &mut dyn FnMut(&mut Runner));

/// The engine, and what surrounds an iteration. A process has one.
#[derive(Debug)]
pub(super) struct Runner {
    pub(super) surroundings: Surroundings,
    pub(super) engine: Box<Engine>,
    /// Set where iterations are made elsewhere: by copies of this process.
    pub(super) elsewhere: Option<Elsewhere>,
    /// Somebody has drawn std's hash keys in the iteration that ended.
    has_drawn_hash_keys: bool,
}

impl Runner {
    /// Makes a runner that records on this tape.
    pub(super) fn new(tape: Tape, settings: &Resolved) -> Runner {
        let mut surroundings = Surroundings::new(settings.max_memory);
        let granularity = Granularity::new(&settings.atomic, &settings.interleave);
        let mut engine = Engine::new(tape, granularity, Allowance::of(settings, give_up));
        engine.set_counts(settings.counts);
        engine.exchange(surroundings.take_c_locals());
        engine.know_hook_flag(surroundings.hook_flag());
        engine.look_at(surroundings.places_of_statics());
        let mut runner = Runner {
            surroundings,
            engine,
            elsewhere: None,
            has_drawn_hash_keys: false,
        };
        runner.keep_order(settings);
        runner
    }

    /// Has the engine wait for the outside, and count references, as these settings say.
    pub(super) fn apply(&mut self, settings: &Resolved) {
        self.engine.set_counts(settings.counts);
        self.keep_order(settings);
        self.engine.set_allowance(Allowance::of(settings, give_up));
    }

    fn keep_order(&mut self, settings: &Resolved) {
        let (for_races, for_points) = (settings.races, engine::have_points() || engine::profiles());
        let aims = Aims {
            at_memory: engine::memory_is_seen() && (for_races || for_points),
            for_races,
            for_calls: settings.tsv,
            for_points,
        };
        let statics = || self.surroundings.places_of_statics_of_crates();
        self.engine
            .keep_order(aims, statics, settings.memory != Memory::Sc);
    }

    /// Runs one iteration on restored memory.
    pub(super) fn run(
        &mut self,
        plan: Plan<'_>,
        settings: &Resolved,
        body: &dyn Fn() -> Option<Bug>,
    ) -> End {
        let Some(elsewhere) = self.elsewhere else {
            let end = self.run_here(plan, settings, body);
            self.has_drawn_hash_keys = self.surroundings.has_drawn_hash_keys();
            if self.surroundings.have_libraries_changed() {
                self.engine.leave_out(Exception::StateLeftBehind);
            }
            return end;
        };
        // It is there that the plan is used up.
        let mut plan = ManuallyDrop::new(plan);
        // In the engine's heap.
        let mut made = Box::new(None);
        elsewhere(self, &mut |runner| {
            // SAFETY: this is done once, and nobody looks at the plan afterwards.
            let plan = unsafe { ManuallyDrop::take(&mut plan) };
            let end = runner.run_here(plan, settings, body);
            if engine::uncontrolled_threads_exist() {
                runner.engine.leave_out(Exception::UncontrolledThreads);
            }
            *made = Some((end, runner.surroundings.has_drawn_hash_keys()));
        });
        let (end, has_drawn_hash_keys) = made.expect("it was done");
        self.has_drawn_hash_keys = has_drawn_hash_keys;
        end
    }

    fn run_here(
        &mut self,
        plan: Plan<'_>,
        settings: &Resolved,
        body: &dyn Fn() -> Option<Bug>,
    ) -> End {
        self.surroundings.restore(plan.head.seed);
        let mut end = self.engine.run(plan, body);
        if let Verdict::Failed(bug) = &mut end.verdict
            && let Some(race) = &mut bug.race
        {
            race.static_path = self.surroundings.static_at(race.address as usize);
        }
        if end.verdict == Verdict::Passed && settings.fail_on_unobserved_panic {
            end.verdict = self.unobserved().map_or(Verdict::Passed, Verdict::failed);
        }
        end
    }

    /// Ends what the iteration has left behind, before the next.
    pub(super) fn clean_up(&mut self) {
        self.surroundings.clean_up();
    }

    /// Returns the exceptions of the iteration that ended.
    pub(super) fn left_out(&self) -> Exceptions {
        let mut left_out = self.engine.left_out();
        if self.elsewhere.is_some() {
            left_out = left_out.without(Exception::StateLeftBehind);
        }
        if self.has_drawn_hash_keys {
            left_out.add(Exception::RandomNumbers);
        }
        left_out
    }

    /// Returns the trace of the iteration that ended, which was recorded.
    pub(super) fn trace(&mut self) -> Trace {
        let recorder = self.engine.take_recorder();
        let mut trace = recorder
            .map(|recorder| recorder.into_trace())
            .unwrap_or_default();
        trace.schedule = self.engine.tape().schedule();
        for object in &mut trace.objects {
            let address = ObjectId::of_key(object.address).address();
            let shared = self
                .engine
                .observers
                .shares
                .name_of(ObjectId::of_key(object.address));
            object.static_path =
                shared.or_else(|| address.and_then(|address| self.surroundings.static_at(address)));
        }
        trace
    }

    /// Returns everything about the iteration that ended like this, which was recorded.
    pub(super) fn replayed(&mut self, end: End) -> Replayed {
        Replayed {
            verdict: end.verdict,
            trace: self.trace(),
            divergence: end.divergence.map(|divergence| *divergence),
            unobserved_panics: self.engine.unobserved_panics(),
            stopped: end.stopped,
        }
    }

    /// Returns the first unobserved panic as a bug, if there is one.
    fn unobserved(&self) -> Option<Bug> {
        let panic = self.engine.unobserved_panic()?;
        self.engine.bug_of(BugKind::UnobservedPanic, panic)
    }
}
