//! Waiting until a descriptor is ready.

use std::time::Duration;

use cct::engine::{self, Awaits, NEVER, ReadyPredicate, Source, Step, Wakeup};
use cct::object::ObjectId;
use cct::operation::Operation;
use libc::{c_int, c_short, pollfd};

use super::table::{self, Descriptor};
use super::timer;
use crate::symbols::children;
use crate::symbols::real::system_call;

/// Asks the kernel which of the descriptors are ready now; as `poll` with no time to wait.
pub(super) fn poll_now(descriptors: &mut [pollfd]) -> isize {
    let now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let arguments = [
        descriptors.as_mut_ptr() as usize,
        descriptors.len(),
        (&raw const now) as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the array is as long as said, and the time is readable.
    unsafe { system_call(libc::SYS_ppoll, arguments) }
}

/// True if one descriptor is ready for what is wanted, or for telling an error.
pub(super) fn is_ready(descriptor: c_int, events: c_short) -> bool {
    let mut asked = [pollfd {
        fd: descriptor,
        events,
        revents: 0,
    }];
    poll_now(&mut asked) != 0
}

/// An operation that waits until something is ready.
#[derive(Clone, Copy)]
pub(in crate::symbols) struct Waiting<'a> {
    /// Its operation.
    pub(in crate::symbols) operation: Operation,
    /// Its object.
    pub(in crate::symbols) object: ObjectId,
    /// When it has waited long enough, in virtual time.
    pub(in crate::symbols) deadline: u64,
    /// The descriptors that it waits for.
    pub(in crate::symbols) on: On<'a>,
    /// A part of it is done: it ends with that when a handler has run.
    pub(in crate::symbols) has_part: bool,
}

/// Names each of several descriptors.
pub(in crate::symbols) type EachOf<'a> = dyn Fn(&mut dyn FnMut(c_int)) + 'a;

/// The descriptors that an operation waits for.
#[derive(Clone, Copy)]
pub(in crate::symbols) enum On<'a> {
    /// A descriptor.
    Descriptor(c_int),
    /// One of several, which it names.
    Any(&'a EachOf<'a>),
    /// The end of another process.
    Process,
    /// A signal, which one of the kernel's timers may send.
    Signal { is_of_timers: bool },
}

impl On<'_> {
    fn each(self, mut see: impl FnMut(Descriptor)) {
        let mut see = |descriptor| {
            if let Some(what) = table::known(descriptor) {
                see(what);
            }
        };
        match self {
            On::Descriptor(descriptor) => see(descriptor),
            On::Any(name_all) => name_all(&mut see),
            On::Process | On::Signal { .. } => {}
        }
    }

    /// The farthest party that can end the wait, as far as is known now.
    fn awaits(self) -> Awaits {
        let mut farthest = match self {
            On::Process => Awaits::Outside,
            On::Signal { .. } if self.is_of_others() => Awaits::Outside,
            On::Signal { .. } => Awaits::Kernel,
            _ => Awaits::Workers,
        };
        self.each(|what| farthest = farthest.max(what.awaits()));
        farthest
    }

    /// True for a signal that may come from elsewhere than this process.
    fn is_of_others(self) -> bool {
        matches!(self, On::Signal { is_of_timers } if is_of_timers || children::are_there())
    }

    fn stir(self) {
        match self {
            On::Process => engine::stir(Source::Process),
            On::Signal { .. } if self.is_of_others() => engine::stir(Source::Signal),
            On::Signal { .. } | On::Descriptor(_) | On::Any(_) => {}
        }
        self.each(|what| what.source().into_iter().for_each(engine::stir));
    }
}

/// A wait under way: what the engine is given.
struct Wait<'a, F> {
    on: On<'a>,
    is_ready: F,
}

impl<F: Fn() -> bool> Wait<'_, F> {
    unsafe fn holds(object: *const (), now: u64) -> bool {
        timer::expire(now);
        // SAFETY: it is a wait that lives while the worker waits.
        unsafe { ((*object.cast::<Self>()).is_ready)() }
    }

    unsafe fn awaits(object: *const ()) -> Awaits {
        // SAFETY: as above.
        unsafe { (*object.cast::<Self>()).on.awaits() }
    }
}

impl Waiting<'_> {
    /// One that waits for one descriptor, for ever.
    pub(super) fn on(
        operation: Operation,
        descriptor: c_int,
        what: Descriptor,
    ) -> Waiting<'static> {
        Waiting {
            operation,
            object: what.object(),
            deadline: NEVER,
            on: On::Descriptor(descriptor),
            has_part: false,
        }
    }

    /// The rest of an operation of which a part is done already, if it `has`.
    pub(super) fn with_part(self, has: bool) -> Self {
        Waiting {
            has_part: has,
            ..self
        }
    }

    /// True if the call goes on after a handler with `SA_RESTART`, as signal(7) has it.
    fn restarts(self) -> bool {
        let never = [
            Operation::PollDescriptors,
            Operation::EpollWait,
            Operation::WaitSignal,
        ];
        self.deadline == NEVER && !self.has_part && !never.contains(&self.operation)
    }

    /// The scheduling point of an operation that need not wait.
    pub(in crate::symbols) fn point(self) -> Step {
        self.on.stir();
        let step = engine::point_at(self.operation, self.object, engine::last_site());
        timer::expire(engine::now());
        step
    }

    /// How many of several are ready: waits until `count` is not 0 or the deadline has come, if that is not
    /// past already. `ready` tells whether it would be; `touch` names what it depends on. None if a handler
    /// of a signal came first.
    pub(in crate::symbols) fn count(
        self,
        touch: impl Fn(),
        ready: impl Fn() -> bool,
        count: impl Fn() -> isize,
    ) -> Option<isize> {
        if self.deadline == PAST {
            let step = self.point();
            touch();
            let found = count();
            if found == 0 {
                step.refused(None);
            } else {
                engine::acquire(ObjectId::KERNEL);
                step.succeeded();
            }
            return Some(found);
        }
        let mut end = self.until(&ready);
        loop {
            touch();
            let found = count();
            match end {
                End::Interrupted if found == 0 => return None,
                End::Ready if found == 0 => end = self.again(&ready),
                _ => return Some(found),
            }
        }
    }

    /// Waits until `is_ready` holds, as one scheduling point: before the operation if it holds at once, in
    /// its stead if not.
    pub(in crate::symbols) fn until<F: Fn() -> bool>(self, is_ready: F) -> End {
        timer::expire(engine::now());
        if is_ready() {
            self.point().done();
            engine::acquire(ObjectId::KERNEL);
            return End::Ready;
        }
        self.again(is_ready)
    }

    /// As [`until`](Waiting::until), for a worker that has found that it must wait.
    pub(in crate::symbols) fn again<F: Fn() -> bool>(self, is_ready: F) -> End {
        self.on.stir();
        let wait = Wait {
            on: self.on,
            is_ready,
        };
        let predicate = ReadyPredicate {
            object: (&raw const wait).cast(),
            holds: Wait::<F>::holds,
            awaits: Wait::<F>::awaits,
        };
        let site = engine::last_site();
        loop {
            // A timer may be among what is waited for.
            let deadline = self.deadline.min(timer::next());
            match engine::wait_until(self.operation, self.object, deadline, predicate, site) {
                Wakeup::Woken => {
                    engine::acquire(ObjectId::KERNEL);
                    return End::Ready;
                }
                wakeup => {
                    timer::expire(engine::now());
                    if (wait.is_ready)() {
                        engine::acquire(ObjectId::KERNEL);
                        return End::Ready;
                    }
                    if engine::now() >= self.deadline {
                        return End::TooLate;
                    }
                    let goes_on = wakeup == Wakeup::Interrupted { restarts: true };
                    if wakeup != Wakeup::TimedOut && !(goes_on && self.restarts()) {
                        return End::Interrupted;
                    }
                }
            }
        }
    }
}

/// How a wait ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::symbols) enum End {
    /// The object of the wait may be there.
    Ready,
    /// The deadline came first.
    TooLate,
    /// A handler of a signal has run, and ends the call.
    Interrupted,
}

/// The deadline of a call that does not wait.
const PAST: u64 = 0;

/// When a wait of that length ends; without one, never.
pub(super) fn deadline(timeout: Option<Duration>) -> u64 {
    match timeout {
        None => NEVER,
        Some(Duration::ZERO) => PAST,
        Some(timeout) => engine::deadline_after(timeout),
    }
}

/// Says that a descriptor may be ready now that was not: the workers that wait for it are woken.
pub(super) fn changed(what: Descriptor) {
    engine::acquire(ObjectId::KERNEL);
    engine::release(ObjectId::KERNEL);
    what.source().into_iter().for_each(engine::stir);
    engine::evaluate_predicates();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_without_an_end_has_no_deadline_and_one_of_no_length_is_over() {
        assert_eq!(deadline(None), NEVER);
        assert_eq!(deadline(Some(Duration::ZERO)), PAST);
    }

    #[test]
    fn the_kernel_is_asked_without_a_wait() {
        // SAFETY: the descriptor is closed in the end, and the count is readable.
        unsafe {
            let event = libc::eventfd(0, 0);
            assert!(!is_ready(event, libc::POLLIN) && is_ready(event, libc::POLLOUT));
            assert_eq!(libc::eventfd_write(event, 1), 0);
            assert!(is_ready(event, libc::POLLIN));
            libc::close(event);
        }
    }
}
