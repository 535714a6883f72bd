//! Overtime: what an iteration that reached its step bound would go on with for ever.
//!
//! Workers that poll with a sleep between two looks change nothing but the clock, but each round takes steps
//! and looks like work. So an iteration that would be cut off goes on for a while, and is looked at: at each
//! wait of a worker, each time that it gives way, and each time that a task's poll ends, its stack or its
//! future is compared with what it was before. If nobody comes to a state that is new, but for the time,
//! for very many rounds, nobody ever will. That holds if nothing else remembers: so the memory that all
//! share is compared too, where it is that of the program alone. An executor's own memory never repeats,
//! since it counts what it does; there only the small blocks are compared that futures lead to, and the
//! rounds have to be more than what is elsewhere may count. Without tasks nothing is proved where memory
//! cannot be looked at.
//!
//! The engine picks at random, and lets time pass in irregular leaps, up to years, so that every deadline
//! comes. Such things are no part of the schedule: what else happens in overtime, a panic for example,
//! happened in no execution of the program. Then, and if the states stay new, the iteration is cut off as if
//! nothing had been. No step is counted or recorded; a replay comes to the same.

use super::driver::Driver;
use super::engine::{Engine, Request};
use super::next::Deciding;
use super::outside;
use super::shared_memory::words_of;
use super::suspended::own_stack;
use crate::engine::observe::Paused;
use crate::engine::state::image::{Image, Moments};
use crate::engine::state::iteration::End;
use crate::engine::state::worker::{State, Worker};
use crate::engine::switch::on_stack;
use crate::memory::{arena, mappings};
use crate::operation::Operation;
use crate::origin;
use crate::strategy::{Limits, Rng, WorkerId};
use crate::verdict::{BugKind, Verdict};

/// How many states of a worker in a row must have been seen before, where all memory is looked at.
const ROUNDS: u32 = 32;
/// And where it is not.
const BLIND_ROUNDS: u32 = 5_000;
/// After so many leaps of time everybody must have begun to repeat.
const TRIAL: u32 = 64;
/// How many states of a worker are kept to compare with.
const KEPT: usize = 16;
/// For how many decisions others may go on while somebody sleeps.
const LONGEST_SLEEP: u32 = 64;
/// The shortest leap of time, in nanoseconds.
const MINUTE: u64 = 60_000_000_000;
/// Up to here leaps double: to two years.
const DOUBLINGS: u32 = 20;

/// The overtime of an iteration.
#[derive(Debug)]
pub(crate) struct Overtime {
    pub(crate) is_on: bool,
    /// Something happened in it that is not known from before: there is nothing to prove.
    pub(crate) is_broken: bool,
    /// It has come to a verdict.
    is_proof: bool,
    rng: Rng,
    leaps: u32,
    since_leap: u32,
    moments: Moments,
    /// By worker.
    seen: Vec<Seen>,
    memory: Seen,
    words: Vec<u64>,
    saved: Option<Saved>,
}

/// A record of a worker, or of the memory that all share.
#[derive(Debug, Default)]
struct Seen {
    kept: Vec<(Place, Image)>,
    /// In how many stretches between two leaps in a row, up to the last, no state was new.
    known: u32,
    /// The leap after which it was looked at last.
    leap: u32,
}

/// Where a worker was: images of different places are not compared.
type Place = (Option<Operation>, usize);

/// The driver and the observers of the iteration, while it is no overtime.
#[derive(Debug)]
struct Saved {
    driver: Driver,
    paused: Paused,
    limits: Limits,
}

impl Default for Overtime {
    fn default() -> Overtime {
        Overtime {
            is_on: false,
            is_broken: false,
            is_proof: false,
            rng: Rng::new(0),
            leaps: 0,
            since_leap: 0,
            moments: Moments::default(),
            seen: Vec::new(),
            memory: Seen::default(),
            words: Vec::new(),
            saved: None,
        }
    }
}

impl Overtime {
    /// A new iteration begins. The last one's overtime, if it had one, was put away when it ended.
    pub(crate) fn begin(&mut self) {
        debug_assert!(!self.is_on && self.saved.is_none());
        self.is_broken = false;
    }
}

impl Seen {
    fn see(
        &mut self,
        place: Place,
        words: &[u64],
        (leap, moments): (u32, &Moments),
        is_dead: impl Fn(u64, u64) -> bool,
    ) {
        let is_like = |kept: &&mut (Place, Image)| {
            kept.0 == place && kept.1.is_like(words, moments, &is_dead)
        };
        if let Some(kept) = self.kept.iter_mut().find(is_like) {
            self.known += u32::from(std::mem::replace(&mut self.leap, leap) != leap);
            // Time that was looked at long ago is not among the last moments.
            kept.1 = Image::of(words, *moments);
            return;
        }
        (self.known, self.leap) = (0, leap);
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push((place, Image::of(words, *moments)));
    }
}

impl Engine {
    /// The step bound has been reached before the body returned: overtime begins, if it can show anything.
    #[cold]
    pub(crate) fn begin_overtime(&mut self) -> bool {
        let is_outside = self.outside.is_used
            || outside::uncontrolled_threads_exist()
            || self.outside.children.had_any();
        if is_outside || self.aside.onlooker().is_some() {
            return false;
        }
        self.end_alone();
        let driver = std::mem::replace(&mut self.decision.driver, Driver::Nobody);
        let saved = Saved {
            driver,
            limits: self.decision.limits,
            paused: self.observers.pause(),
        };
        self.progress.overtime = Overtime {
            is_on: true,
            saved: Some(saved),
            ..Overtime::default()
        };
        // Time passes in leaps of its own; and nobody is told.
        self.end_early();
        self.progress.overtime.moments.add(self.time.now);
        self.budget.stay_at_limit();
        true
    }

    /// A decision of overtime; none when that is over.
    #[cold]
    pub(crate) fn next_in_overtime(&mut self, deciding: Deciding) -> Option<*mut Worker> {
        let mut next = None;
        // SAFETY: below its saved context the root's stack, a thread's of libtest, is in nobody's use while
        // workers run; nothing in here unwinds, or the process ends.
        unsafe {
            on_stack(self.process.root, &mut || {
                next = self.decide_in_overtime(deciding);
            });
        }
        next
    }

    fn decide_in_overtime(&mut self, deciding: Deciding) -> Option<*mut Worker> {
        self.budget.stay_at_limit();
        self.budget.idle = 0;
        self.observers.tape.beat(self.budget.limit);
        // SAFETY: the current worker is live.
        let current = unsafe { &*self.roster.current };
        if self.decision.request == Request::Point && std::ptr::eq(self.roster.undisturbed, current)
        {
            return Some(self.roster.current);
        }
        self.progress.overtime.is_broken |= self.iteration.end.is_some()
            || self.decision.request == Request::End
            || self.iteration.body_done
            || self.outside.is_used
            || !current.is_on_own_stack()
            || mappings::are_any();
        if self.progress.overtime.is_broken {
            return None;
        }
        let rests = matches!(self.decision.request, Request::Wait | Request::Yield);
        if rests && current.task.is_none() && !self.is_executor(current) {
            self.see_stack(current);
        }
        self.progress.overtime.since_leap += 1;
        if self.roster.candidates().is_empty() || self.progress.overtime.since_leap > LONGEST_SLEEP
        {
            self.leap();
            let remembers_unseen = self.has_unseen_memory() && !self.has_tasks();
            if self.roster.candidates().is_empty() || remembers_unseen {
                // That nobody can run is no matter of time, but who knows how it came to it.
                self.progress.overtime.is_broken = true;
                return None;
            }
            if self.is_proved() {
                self.progress.overtime.is_proof = true;
                return None;
            }
            if self.progress.overtime.leaps > TRIAL && !self.may_be_proved() {
                self.progress.overtime.is_broken = true;
                return None;
            }
        }
        let next = self.pick_at_random(current);
        let goes_away = next != self.roster.current && current.state() == State::Enabled;
        // SAFETY: a picked worker and the current one are live.
        unsafe {
            if self.roster.anyone_contends() {
                self.roster.forget_contender(next);
            }
            if (*next).is_held_back() {
                self.provide_stack(next, deciding);
            }
            if goes_away {
                self.roster.note_contender(self.roster.current);
            }
        }
        Some(next)
    }

    /// True if the thread drives tasks: all that it goes by are these, and what it keeps of them for itself.
    fn is_executor(&self, thread: &Worker) -> bool {
        let may_be_one = thread.roots > 0 || origin::is_foreign(thread.spawned_at);
        may_be_one && self.has_tasks()
    }

    fn pick_at_random(&mut self, current: &Worker) -> *mut Worker {
        let count = self.roster.candidates().len() as u32;
        let goes_on = current.is_candidate() && self.decision.request == Request::Point;
        if goes_on && self.progress.overtime.rng.below(4) > 0 {
            return self.roster.current;
        }
        let drawn = self.progress.overtime.rng.below(count) as usize;
        let members = self.roster.candidates();
        let picked = members[drawn];
        if std::ptr::eq(picked, current)
            && self.decision.request == Request::Yield
            && members.len() > 1
        {
            let other = members.iter().find(|&&other| !std::ptr::eq(other, current));
            return other.copied().unwrap_or(picked);
        }
        picked
    }

    /// Lets time pass, and looks at the memory that all share.
    fn leap(&mut self) {
        self.see_memory();
        let overtime = &mut self.progress.overtime;
        overtime.since_leap = 0;
        overtime.leaps += 1;
        let longest = if overtime.leaps > DOUBLINGS {
            MINUTE * 60
        } else {
            MINUTE << overtime.leaps
        };
        let leap = longest / 2 + overtime.rng.bits() % (longest / 2);
        self.find_next_deadline();
        if self.time.next_deadline != u64::MAX {
            self.time.now = self.time.now.max(self.time.next_deadline);
        }
        self.time.pass(leap);
        self.end_waits_until(self.time.now);
        self.progress.overtime.moments.add(self.time.now);
    }

    /// Looks at the worker's registers and stack: it waits or gives way.
    fn see_stack(&mut self, worker: &Worker) {
        let place = (
            Some(worker.operation),
            std::ptr::from_ref(worker.site) as usize,
        );
        self.progress
            .overtime
            .see(worker.id, place, own_stack(worker));
    }

    /// Looks at a task's future, whose poll has ended.
    pub(crate) fn see_future(&mut self, task: WorkerId, polls: &str, place: (*const u8, usize)) {
        // SAFETY: as in `next_in_overtime`.
        unsafe {
            on_stack(self.process.root, &mut || {
                self.look_at_future(task, polls, place);
            });
        }
    }

    fn look_at_future(&mut self, task: WorkerId, polls: &str, place: (*const u8, usize)) {
        let mut words = std::mem::take(&mut self.progress.overtime.words);
        words.clear();
        words_of(place, &mut words);
        arena::small_blocks(&mut words);
        self.progress
            .overtime
            .see(task, (None, polls.as_ptr() as usize), &words);
        self.progress.overtime.words = words;
    }

    /// Looks at the heap and at statics, if they are the program's alone.
    fn see_memory(&mut self) {
        let mut words = std::mem::take(&mut self.progress.overtime.words);
        words.clear();
        // A worker that only waits may lend others what lies on its stack.
        let lends = |worker: &Worker| {
            let seen = self.progress.overtime.seen.get(worker.id.0 as usize);
            let has_run = seen.is_some_and(|seen| !seen.kept.is_empty());
            worker.state() == State::Waiting && !has_run && !self.is_executor(worker)
        };
        self.shared_words(!self.is_blind(), lends, &mut words);
        self.file_positions(&mut words);
        let overtime = &mut self.progress.overtime;
        overtime.memory.see(
            (None, 0),
            &words,
            (overtime.leaps, &overtime.moments),
            |_, _| false,
        );
        overtime.words = words;
    }

    /// True if there is memory that cannot be looked at, or that never repeats.
    fn is_blind(&self) -> bool {
        self.has_unseen_memory() || self.has_tasks()
    }

    fn has_tasks(&self) -> bool {
        self.roster.iter().any(|worker| worker.task.is_some())
    }

    fn is_proved(&self) -> bool {
        let rounds = if self.is_blind() {
            BLIND_ROUNDS
        } else {
            ROUNDS
        };
        self.progress.overtime.leaps > ROUNDS
            && self.progress.overtime.memory.known >= ROUNDS
            && self.all_known(rounds)
    }

    fn may_be_proved(&self) -> bool {
        self.progress.overtime.memory.known > 0
            && self.all_known(1)
            // Rounds that nobody but an executor makes are no polls.
            && self.progress.overtime.leaps < 2 * BLIND_ROUNDS
    }

    /// True if everybody who goes on comes to nothing new, and that for so many rounds.
    fn all_known(&self, rounds: u32) -> bool {
        let mut polls = false;
        let all = self.roster.iter().all(|worker| {
            let seen = self.progress.overtime.seen.get(worker.id.0 as usize);
            let known = seen.filter(|seen| !seen.kept.is_empty());
            if self.is_executor(worker) || worker.state() == State::Ended {
                return true;
            }
            if let Some(seen) = known {
                polls = true;
                return seen.known >= rounds;
            }
            match worker.state() {
                // Nobody has polled it, and it could go on.
                State::Away => !worker.is_held_back(),
                State::Waiting => worker.deadline == u64::MAX,
                State::Enabled | State::Ended => false,
            }
        });
        all && polls
    }

    /// The iteration is over. If that was in overtime, this is how it ended.
    pub(crate) fn end_overtime(&mut self) {
        let Some(saved) = self.progress.overtime.saved.take() else {
            return;
        };
        self.decision.driver = saved.driver;
        self.decision.limits = saved.limits;
        self.observers.resume(saved.paused);
        let verdict = if self.progress.overtime.is_proof {
            Verdict::failed(self.describe_waits(
                BugKind::Livelock,
                "no worker will ever change anything: those that can run only read, wait and read",
            ))
        } else {
            self.decision.limits.steps = true;
            Verdict::CutOff
        };
        self.iteration.end = Some(End::of(verdict));
        self.progress.overtime = Overtime::default();
    }
}

impl Overtime {
    fn see(&mut self, worker: WorkerId, place: Place, words: &[u64]) {
        let index = worker.0 as usize;
        if self.seen.len() <= index {
            self.seen.resize_with(index + 1, Seen::default);
        }
        // A pointer to freed memory stays one: nobody can follow it. A future may have a new block for each
        // round, which is not looked at. A count whose upper half is old, and an address's, is no pointer:
        // hardly two of its values are blocks.
        let is_dead = |old, new| {
            let is_any = place.0.is_none() && arena::is_block(old) && arena::is_block(new);
            is_any || arena::is_address(old) && arena::is_freed(new)
        };
        self.seen[index].see(place, words, (self.leaps, &self.moments), is_dead);
    }
}
