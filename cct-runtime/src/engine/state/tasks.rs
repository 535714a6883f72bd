//! All tasks of an iteration together, and every change of what is counted of them.
//!
//! An executor is known by its thread. It has tasks that it is about to poll, and others that the engine
//! keeps from it; which there are it takes two counters to say. Tasks that other tasks drive are out of
//! reach while those are kept, so they are counted by themselves.

use std::ptr::null_mut;
use std::sync::atomic::Ordering;
use std::task::Waker;

use super::answers::Answers;
use super::driven::{Driven, Polled, Stage, Told};
use super::relays::Relays;
use super::worker::Worker;
use crate::strategy::WorkerId;

/// Makes what a worker runs.
pub(crate) type MakeBody = fn() -> Box<dyn FnOnce()>;

/// The tasks of an iteration, and those who wake them.
#[derive(Debug)]
pub(crate) struct Tasks {
    /// Executors of this iteration may let clocks of their own jump when there is nothing to do.
    pub(crate) executors_have_clocks: bool,
    /// Tasks that their executors know they have to poll: new ones, those picked, and those woken.
    queued: u32,
    /// The last of them to become one.
    pub(crate) last_queued: WorkerId,
    /// Tasks that were picked while they were held back, and have not been polled since.
    released: u32,
    /// Of the tasks that other tasks drive, those that an executor's counters would count.
    nested: Counts,
    pub(crate) relays: Relays,
    /// Workers that wake tasks, with nothing to do.
    pub(crate) idle_wakers: Vec<*mut Worker>,
    /// Makes what such a worker runs; known once there is a task.
    pub(crate) wakes: Option<MakeBody>,
    /// Whether polling a future is polling an async body, by their names.
    pub(crate) leads: Answers,
    /// Whether an awaited future is a body whose own awaits are points.
    pub(crate) bodies: Answers,
    /// Whether it is an async body, of whatever crate.
    pub(crate) any_bodies: Answers,
    /// A task was polled by another thread than the one that made it: its executor has threads of its own.
    pub(crate) change_threads: bool,
    /// Whether a future is a sleep, by its name.
    pub(crate) sleeps: Answers,
}

/// The tasks of an executor that matter when it has polled one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// It is about to poll them.
    pub(crate) next: u32,
    /// The engine keeps them from it, see [`Driven::is_kept`].
    pub(crate) kept: u32,
}

impl Default for Tasks {
    fn default() -> Tasks {
        Tasks {
            executors_have_clocks: false,
            queued: 0,
            last_queued: WorkerId(u32::MAX),
            released: 0,
            nested: Counts::default(),
            relays: Relays::default(),
            idle_wakers: Vec::new(),
            wakes: None,
            leads: Answers::default(),
            bodies: Answers::default(),
            any_bodies: Answers::default(),
            change_threads: false,
            sleeps: Answers::default(),
        }
    }
}

impl Tasks {
    /// A new iteration begins: there are no tasks.
    pub(crate) fn begin(&mut self) {
        let Tasks {
            executors_have_clocks,
            queued,
            last_queued,
            released,
            nested,
            relays,
            idle_wakers,
            wakes: _,
            leads: _,
            bodies: _,
            any_bodies: _,
            change_threads,
            sleeps: _,
        } = self;
        *executors_have_clocks = false;
        *queued = 0;
        *last_queued = WorkerId(u32::MAX);
        *released = 0;
        *nested = Counts::default();
        relays.clear();
        idle_wakers.clear();
        *change_threads = false;
    }

    /// How many tasks their executors know they have to poll.
    #[inline]
    pub(crate) fn queued(&self) -> u32 {
        self.queued
    }

    /// True if a task was picked while it was held back, and has not been polled since.
    #[inline]
    pub(crate) fn any_released(&self) -> bool {
        self.released > 0
    }

    /// True if the engine keeps some task that another one drives from its executor.
    #[inline]
    pub(crate) fn any_nested_kept(&self) -> bool {
        self.nested.kept > 0
    }

    /// True if tasks that other tasks drive may make a difference to whether an executor that is about to
    /// poll nobody else has only held back ones, where it has such or not.
    #[inline]
    pub(crate) fn nested_matter(&self, has_kept: bool) -> bool {
        if has_kept {
            self.nested.next > 0
        } else {
            self.nested.kept > 0
        }
    }
}

/// The events of a task's life, which the counters follow. Each expects that the task's executor is live.
impl Tasks {
    /// A task is made on this thread; its executor knows of it.
    ///
    /// # Safety
    ///
    /// The thread is live.
    pub(crate) unsafe fn make(
        &mut self,
        id: WorkerId,
        made_on: *mut Worker,
        outer: *mut Worker,
    ) -> Driven {
        let mut part = Driven::made(made_on, outer);
        // SAFETY: the caller's.
        unsafe { self.tell(id, &mut part, Told::ToPoll) };
        part
    }

    /// The task's executor is told to poll it.
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    #[inline]
    pub(crate) unsafe fn tell(&mut self, id: WorkerId, part: &mut Driven, how: Told) {
        let was_queued = part.told.is_queued();
        let was_by_its_waker = part.told.is_by_its_waker();
        part.told = if was_by_its_waker {
            Told::ByItsWaker
        } else {
            how
        };
        if !was_queued {
            // SAFETY: the caller's.
            unsafe { self.count_queued(part) };
        }
        self.last_queued = id;
    }

    /// The task is about to be polled on this thread. Returns what its executor had been told.
    ///
    /// # Safety
    ///
    /// The task's executors, the old one and the new, are live.
    #[inline]
    pub(crate) unsafe fn come_to(&mut self, part: &mut Driven, thread: *mut Worker) -> Told {
        // SAFETY: the caller's.
        unsafe {
            if part.told.is_queued() {
                self.uncount_queued(part);
            }
            self.change_threads |= part.made_on != thread;
            if part.home != thread {
                let kept = u32::from(part.is_kept());
                (*self.counts(part)).kept -= kept;
                part.home = thread;
                (*self.counts(part)).kept += kept;
            }
            std::mem::replace(&mut part.told, Told::Nothing)
        }
    }

    /// A poll of the task begins, in the place of that worker; `outer` drives it. Returns its stage until
    /// now.
    ///
    /// # Safety
    ///
    /// The task has [come](Tasks::come_to) to its executor.
    #[inline]
    pub(crate) unsafe fn begin_poll(
        &mut self,
        part: &mut Driven,
        below: *mut Worker,
        outer: *mut Worker,
    ) -> Stage {
        debug_assert_eq!(part.told, Told::Nothing, "it has come to its executor");
        // SAFETY: the caller's.
        unsafe {
            let was_kept = part.is_kept();
            if was_kept {
                (*self.counts(part)).kept -= 1;
            }
            part.outer = outer;
            let polled = Polled {
                below,
                is_at_gate: false,
                is_woken: false,
            };
            let before = std::mem::replace(&mut part.stage, Stage::Polled(polled));
            if part.is_being_woken {
                (*self.counts(part)).kept += 1;
            }
            self.released -= u32::from(matches!(before, Stage::Released));
            before
        }
    }

    /// The poll of the task is over, and this is what follows. Returns the worker below.
    #[inline]
    pub(crate) fn end_poll(part: &mut Driven, panics: bool) -> *mut Worker {
        let next = if panics {
            Stage::Panicked
        } else {
            Stage::Rests
        };
        match std::mem::replace(&mut part.stage, next) {
            Stage::Polled(polled) => polled.below,
            other => unreachable!("a task is polled whose poll ends, and not {other:?}"),
        }
    }

    /// The task, which is polled, is held back.
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    #[inline]
    pub(crate) unsafe fn hold_back(&mut self, part: &mut Driven, waker: Waker) {
        debug_assert!(part.is_polled(), "only a task that is polled is held back");
        // SAFETY: the caller's.
        unsafe {
            if part.told == Told::ByItsWaker {
                self.uncount_queued(part);
                part.told = Told::BeforeHeldBack;
            }
            if !part.is_being_woken {
                (*self.counts(part)).kept += 1;
            }
        }
        // Not assigned: what was there needs no drop.
        std::mem::forget(std::mem::replace(&mut part.stage, Stage::HeldBack(waker)));
    }

    /// The task, which was held back, has been picked. Returns its waker, by which its executor is told from
    /// here on, unless it [has been told](Told::is_by_its_waker) already.
    ///
    /// # Safety
    ///
    /// The task's executor is live, and the task is held back.
    #[inline]
    pub(crate) unsafe fn release(&mut self, id: WorkerId, part: &mut Driven) -> Waker {
        let was_next = part.is_next();
        self.queued += u32::from(!part.told.is_queued());
        self.released += 1;
        self.last_queued = id;
        if !part.is_being_woken {
            // SAFETY: the caller's.
            let counts = unsafe { &mut *self.counts(part) };
            if part.told.is_by_its_waker() {
                counts.kept -= 1;
                counts.next += u32::from(!was_next);
            } else {
                // It is kept for as long as its executor is being told.
                counts.next -= u32::from(was_next);
                part.is_being_woken = true;
            }
        }
        part.told = Told::ToPoll;
        match std::mem::replace(&mut part.stage, Stage::Released) {
            Stage::HeldBack(waker) => waker,
            other => unreachable!("a task is held back that is released, and not {other:?}"),
        }
    }

    /// The task's executor has been told.
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    #[inline]
    pub(crate) unsafe fn end_telling(&mut self, part: &mut Driven) {
        if std::mem::take(&mut part.is_being_woken) {
            // SAFETY: the caller's.
            let counts = unsafe { &mut *self.counts(part) };
            counts.next += u32::from(part.told.is_queued());
            counts.kept -= u32::from(!part.is_held_back());
        }
    }

    /// The task is over. Returns its waker, if it was held back.
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    pub(crate) unsafe fn forget(&mut self, part: &mut Driven) -> Option<Waker> {
        // SAFETY: the caller's.
        unsafe {
            if part.told.is_queued() {
                self.uncount_queued(part);
                part.told = Told::Nothing;
            }
            let counts = self.counts(part);
            (*counts).kept -= u32::from(part.is_kept());
            let waker = match std::mem::replace(&mut part.stage, Stage::Rests) {
                Stage::HeldBack(waker) => Some(waker),
                Stage::Released => {
                    self.released -= 1;
                    None
                }
                Stage::Rests | Stage::Polled(_) | Stage::Panicked => None,
            };
            (*counts).kept += u32::from(part.is_kept());
            waker
        }
    }

    /// The counters that have the task.
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    #[inline]
    unsafe fn counts(&mut self, part: &Driven) -> *mut Counts {
        if part.outer.is_null() {
            // SAFETY: the caller's.
            unsafe { &raw mut (*part.executor()).tasks }
        } else {
            &raw mut self.nested
        }
    }

    /// The task's executor knows that it has to poll it, and did not.
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    #[inline]
    unsafe fn count_queued(&mut self, part: &Driven) {
        self.queued += 1;
        // SAFETY: the caller's.
        unsafe { (*self.counts(part)).next += u32::from(!part.is_being_woken) };
    }

    /// The reverse of [`Tasks::count_queued`].
    ///
    /// # Safety
    ///
    /// The task's executor is live.
    #[inline]
    unsafe fn uncount_queued(&mut self, part: &Driven) {
        self.queued -= 1;
        // SAFETY: the caller's.
        unsafe { (*self.counts(part)).next -= u32::from(!part.is_being_woken) };
    }

    /// The task is over, or polled with another waker from here on. The caller is outside.
    ///
    /// # Safety
    ///
    /// The task's relay, if it has one, is of this iteration.
    pub(crate) unsafe fn give_back(&mut self, part: &mut Driven) {
        let relay = std::mem::replace(&mut part.relay, null_mut());
        if relay.is_null() {
            return;
        }
        // SAFETY: the caller's; relays stay where they are.
        unsafe {
            (*relay).lent -= 1;
            if (*relay).lent == 0 && (*relay).clones.load(Ordering::Relaxed) == 0 {
                self.relays.release(relay);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::Location;

    use super::*;
    use crate::engine::switch::Stack;
    use crate::strategy::Rng;

    /// Compares the counters with the tasks.
    fn check(tasks: &Tasks, threads: &[*mut Worker], parts: &[Driven]) {
        let count = |holds: &dyn Fn(&Driven) -> bool| {
            parts.iter().filter(|part| holds(part)).count() as u32
        };
        let compare = |counts: &Counts, is_its: &dyn Fn(&Driven) -> bool| {
            assert_eq!(counts.next, count(&|part| is_its(part) && part.is_next()));
            assert_eq!(counts.kept, count(&|part| is_its(part) && part.is_kept()));
        };
        for &thread in threads {
            let is_its = |part: &Driven| part.outer.is_null() && part.executor() == thread;
            // SAFETY: the test's threads are live.
            compare(unsafe { &(*thread).tasks }, &is_its);
        }
        compare(&tasks.nested, &|part| !part.outer.is_null());
        assert_eq!(tasks.queued, count(&|part| part.told.is_queued()));
        let is_released = |part: &Driven| matches!(part.stage, Stage::Released);
        assert_eq!(tasks.released, count(&is_released));
    }

    #[test]
    fn counters_follow_whatever_happens() {
        let mut tasks = Tasks::default();
        let mut rng = Rng::new(11);
        let mut threads: Vec<Worker> = (0..3)
            .map(|id| Worker::new(WorkerId(id), Stack::NONE, Location::caller()))
            .collect();
        let threads: Vec<*mut Worker> = threads.iter_mut().map(|thread| &raw mut *thread).collect();
        let any = |rng: &mut Rng| threads[rng.below(3) as usize];
        // SAFETY: the threads are live.
        let mut parts: Vec<Driven> = (0..8)
            .map(|id| unsafe { tasks.make(WorkerId(id), any(&mut rng), null_mut()) })
            .collect();
        for _ in 0..5000 {
            let id = rng.below(8);
            let part = &mut parts[id as usize];
            // SAFETY: as above; each transition is one that the task's stage has.
            unsafe {
                match (rng.below(4), &part.stage) {
                    (0, _) => {
                        let how = [Told::ToPoll, Told::ByItsWaker][rng.below(2) as usize];
                        tasks.tell(WorkerId(id), part, how);
                    }
                    (1, _) => tasks.end_telling(part),
                    (2, Stage::Polled(_)) => {
                        Tasks::end_poll(part, rng.below(8) == 0);
                    }
                    (_, Stage::Polled(_)) => tasks.hold_back(part, Waker::noop().clone()),
                    (2, Stage::HeldBack(_)) => drop(tasks.release(WorkerId(id), part)),
                    (2, _) if rng.below(8) == 0 => drop(tasks.forget(part)),
                    _ => {
                        tasks.come_to(part, any(&mut rng));
                        if rng.below(4) > 0 {
                            let outer = [null_mut(), any(&mut rng)][rng.below(2) as usize];
                            tasks.begin_poll(part, any(&mut rng), outer);
                        }
                    }
                }
            }
            check(&tasks, &threads, &parts);
        }
    }
}
