//! The machine itself: counts are changed under a lock, and those that wait are woken.

use std::cell::UnsafeCell;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::super::condvar::Limit;
use super::super::futex;
use super::counts::{Counts, Received, Sent};
use crate::engine::{self, NEVER, Wakeup};
use crate::object::ObjectId;
use crate::operation::{Access, Operation};

/// The sides that may send and receive now.
#[derive(Debug)]
pub struct ChannelMachine {
    counts: Guarded,
    /// It has a bound, and stores messages up to there.
    has_room: bool,
    /// Counts changes while native threads sleep, which is what they sleep on.
    changes: AtomicU32,
    /// How many native threads sleep.
    natives: AtomicU32,
    /// Where the channel was created: a drop has no site of its own.
    created: &'static Location<'static>,
}

impl ChannelMachine {
    /// A channel with one sender and a receiver; without a bound it is never full.
    #[track_caller]
    pub fn new(bound: Option<usize>) -> ChannelMachine {
        ChannelMachine {
            counts: Guarded::new(Counts {
                bound,
                stored: 0,
                taken: 0,
                senders: 1,
                has_receiver: true,
                receiver_waits: false,
            }),
            has_room: bound.is_some_and(|bound| bound > 0),
            changes: AtomicU32::new(0),
            natives: AtomicU32::new(0),
            created: Location::caller(),
        }
    }

    /// Sends; `store` is called at most once, when there is room.
    #[track_caller]
    pub fn send(&self, store: &mut dyn FnMut()) -> Sent {
        let site = Location::caller();
        if self.has_room && self.counts.with(|counts| counts.must_queue()) {
            engine::declare_wait();
        } else {
            self.point(Operation::Send, site).done();
        }
        let (ticket, delivered, is_full) = loop {
            let stored = self.counts.with(|counts| {
                if !counts.has_receiver {
                    Err(Sent::Disconnected)
                } else if counts.must_queue() {
                    Err(Sent::Full)
                } else {
                    let delivered = counts.bound != Some(0) || counts.is_awaited();
                    let ticket = self.put(counts, store);
                    Ok((ticket, delivered, counts.must_queue()))
                }
            });
            match stored {
                Ok(stored) => break stored,
                Err(Sent::Full) => {
                    self.block(Operation::Send, 0, None, site, Counts::must_queue);
                }
                Err(refused) => {
                    engine::acquire(self.object());
                    engine::step_under_way().refused(None);
                    return refused;
                }
            }
        };
        self.stored(is_full);
        if delivered {
            Sent::Delivered
        } else {
            self.offer(ticket, site)
        }
    }

    /// Sends unless that would have to wait; `store` is called at most once, when there is room.
    #[track_caller]
    pub fn try_send(&self, store: &mut dyn FnMut()) -> Sent {
        let step = self.point(Operation::TrySend, Location::caller());
        let (sent, is_full) = self.counts.with(|counts| {
            let is_full = match counts.bound {
                Some(0) => !counts.is_awaited(),
                _ => counts.must_queue(),
            };
            if !counts.has_receiver {
                (Sent::Disconnected, is_full)
            } else if is_full {
                (Sent::Full, is_full)
            } else {
                self.put(counts, store);
                (Sent::Delivered, counts.must_queue())
            }
        });
        if sent == Sent::Delivered {
            step.succeeded();
            self.stored(is_full);
        } else {
            engine::acquire(self.object());
            step.refused(None);
        }
        sent
    }

    /// Receives; `take` is called at most once, when there is a message.
    #[track_caller]
    pub fn recv(&self, take: &mut dyn FnMut(), limit: Limit) -> Received {
        let site = Location::caller();
        let operation = if limit == Limit::Never {
            Operation::Recv
        } else {
            Operation::RecvTimeout
        };
        let deadline = Deadline::new(limit);
        if self
            .counts
            .with(|counts| !counts.must_wait() || counts.bound == Some(0))
        {
            self.point(operation, site).done();
        } else {
            engine::declare_wait();
        }
        let mut wakeup = Wakeup::Woken;
        loop {
            let received = self.counts.with(|counts| {
                let received = self.receive(counts, take);
                let ends = received != Received::Empty || wakeup == Wakeup::TimedOut;
                counts.receiver_waits = !ends;
                if !ends {
                    engine::release_one(self.object(), AWAITED);
                }
                ends.then_some((received, counts.taken))
            });
            match received {
                Some((Received::Message, taken)) => {
                    self.taken(taken);
                    return Received::Message;
                }
                Some((received, _)) => return received,
                None => {
                    let deadline = Some(&deadline);
                    wakeup = self.block(operation, 0, deadline, site, Counts::must_wait);
                }
            }
        }
    }

    /// Receives if there is a message now; then `take` is called, once.
    #[track_caller]
    pub fn try_recv(&self, take: &mut dyn FnMut()) -> Received {
        let step = self.point(Operation::TryRecv, Location::caller());
        let (received, taken) = self
            .counts
            .with(|counts| (self.receive(counts, take), counts.taken));
        if received == Received::Message {
            step.succeeded();
            self.taken(taken);
        } else {
            step.refused(None);
        }
        received
    }

    /// Adds a sender.
    pub fn add_sender(&self) {
        self.counts.with(|counts| counts.senders += 1);
    }

    /// Takes a sender away, in a step of its own: others may find the channel open before it. Only the last
    /// one's end is visible to them; which one that is, depends on the order in which all of them go.
    pub fn drop_sender(&self) {
        let senders = self.senders();
        let is_last = self.counts.with(|counts| counts.senders == 1);
        if is_last {
            self.point(Operation::Disconnect, self.created).done();
            engine::touch(senders, Access::Writes);
        } else {
            engine::point_at(Operation::Disconnect, senders, self.created).done();
        }
        engine::release(senders);
        let became_last = self.counts.with(|counts| {
            counts.senders -= 1;
            counts.senders == 0
        });
        if became_last {
            if !is_last {
                // The step is about both, whichever it was taken for.
                engine::touch(self.object(), Access::Writes);
            }
            self.announce(is_receive);
        }
    }

    /// Takes the receiver away. Nothing is stored or taken afterwards.
    pub fn drop_receiver(&self) {
        self.point(Operation::Disconnect, self.created).done();
        engine::release(self.object());
        let left = self.counts.with(|counts| {
            counts.has_receiver = false;
            counts.taken..counts.stored
        });
        if engine::looks_for_races() {
            // They are dropped by who drops the receiver.
            left.for_each(|ticket| engine::acquire_one(self.object(), stored(ticket)));
        }
        // No offer is open any more.
        self.taken(u64::MAX);
    }

    /// Runs `access` while nothing is stored or taken.
    pub fn exclusively(&self, access: &mut dyn FnMut()) {
        self.counts.with(|_| engine::unseen(access));
    }

    /// Stores a message, for which there is room, and returns its ticket.
    #[inline]
    fn put(&self, counts: &mut Counts, store: &mut dyn FnMut()) -> u64 {
        if engine::looks_for_races() {
            return self.put_in_order(counts, store);
        }
        store();
        counts.put()
    }

    /// Takes a message, if there is one.
    #[inline]
    fn receive(&self, counts: &mut Counts, take: &mut dyn FnMut()) -> Received {
        if engine::looks_for_races() {
            return self.receive_in_order(counts, take);
        }
        counts.receive(take)
    }

    /// [`put`](ChannelMachine::put), where the order of accesses to memory is kept.
    #[cold]
    fn put_in_order(&self, counts: &mut Counts, store: &mut dyn FnMut()) -> u64 {
        engine::unseen(store);
        let ticket = counts.put();
        if counts.bound == Some(0) {
            engine::acquire_one(self.object(), AWAITED);
        } else if let Some(before) = counts.before_in_place(ticket) {
            engine::acquire_one(self.object(), taken(before));
        }
        engine::release_one(self.object(), stored(ticket));
        ticket
    }

    /// [`receive`](ChannelMachine::receive), where the order of accesses to memory is kept.
    #[cold]
    fn receive_in_order(&self, counts: &mut Counts, take: &mut dyn FnMut()) -> Received {
        let ticket = counts.taken;
        let received = engine::unseen(|| counts.receive(take));
        match received {
            Received::Message => {
                engine::acquire_one(self.object(), stored(ticket));
                if counts.bound.is_some() {
                    engine::release_one(self.object(), taken(ticket));
                }
            }
            Received::Disconnected => engine::acquire(self.senders()),
            Received::Empty => {}
        }
        received
    }

    /// Waits until the offer with this number was taken.
    fn offer(&self, ticket: u64, site: &'static Location<'static>) -> Sent {
        loop {
            let end = self.counts.with(|counts| counts.end_of_offer(ticket));
            if let Some(end) = end {
                engine::acquire_one(self.object(), taken(ticket));
                engine::acquire(self.object());
                return end;
            }
            let open = |counts: &Counts| counts.end_of_offer(ticket).is_none();
            self.block(Operation::Offer, ticket, None, site, open);
        }
    }

    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "each operation knows what it is, which folds most of this"
    )]
    fn point(&self, operation: Operation, site: &'static Location<'static>) -> engine::Step {
        engine::point_at(operation, self.object(), site)
    }

    /// Waits for a change while `blocked` holds; may return early. An offer has a ticket.
    fn block(
        &self,
        operation: Operation,
        ticket: u64,
        deadline: Option<&Deadline>,
        site: &'static Location<'static>,
        blocked: impl Fn(&Counts) -> bool,
    ) -> Wakeup {
        if engine::is_controlled() {
            let deadline = deadline.map_or(NEVER, |deadline| deadline.virtual_time);
            let object = self.object();
            let wakeup = engine::wait_marked(operation, object, deadline, None, ticket, site);
            engine::keep_token();
            return wakeup;
        }
        let left = deadline.and_then(Deadline::left);
        self.natives.fetch_add(1, Ordering::SeqCst);
        let seen = self.changes.load(Ordering::SeqCst);
        let in_time =
            !self.counts.with(|counts| blocked(counts)) || futex::wait(&self.changes, seen, left);
        self.natives.fetch_sub(1, Ordering::SeqCst);
        if in_time {
            Wakeup::Woken
        } else {
            Wakeup::TimedOut
        }
    }

    /// A message was stored. Others that were about to store one wait on, if there is no room for it.
    fn stored(&self, is_full: bool) {
        if is_full {
            engine::retract_those(Operation::Send, self.object(), None);
        }
        self.announce(is_receive);
    }

    /// Messages were taken, which makes room; offers with a lower ticket than this have ended.
    fn taken(&self, ticket: u64) {
        self.announce(|operation, offer| match operation {
            Operation::Send => true,
            Operation::Offer => offer < ticket,
            _ => false,
        });
    }

    /// Wakes those whom a change concerns, which has been made under the lock of the counts.
    ///
    /// A native thread counts itself before it looks at the counts, under that lock, and sleeps: it has seen
    /// the change, or is seen here.
    fn announce(&self, concerns: impl Fn(Operation, u64) -> bool) {
        if self.natives.load(Ordering::SeqCst) > 0 {
            self.changes.fetch_add(1, Ordering::SeqCst);
            futex::wake_all(&self.changes);
        }
        engine::wake_if(self.object(), concerns);
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }

    /// The object that stands for the order of senders; nobody waits for it.
    fn senders(&self) -> ObjectId {
        ObjectId::senders_of(self.object())
    }
}

/// All that the receiver has done before it waits is before a send that need not wait for it.
const AWAITED: u64 = u64::MAX;

/// By which message what its sender has done is passed on.
const fn stored(ticket: u64) -> u64 {
    2 * ticket
}

/// By which place of a message what its receiver has done is passed on.
const fn taken(ticket: u64) -> u64 {
    2 * ticket + 1
}

fn is_receive(operation: Operation, _ticket: u64) -> bool {
    matches!(operation, Operation::Recv | Operation::RecvTimeout)
}

/// A limit as a moment, in the time of whoever waits.
struct Deadline {
    virtual_time: u64,
    real_time: Option<Instant>,
}

impl Deadline {
    fn new(limit: Limit) -> Deadline {
        let mut deadline = Deadline {
            virtual_time: NEVER,
            real_time: None,
        };
        match limit {
            Limit::Never => {}
            Limit::At(moment) => deadline.virtual_time = moment,
            Limit::After(duration) if engine::is_controlled() => {
                deadline.virtual_time = engine::deadline_after(duration);
            }
            Limit::After(duration) => deadline.real_time = real_now().checked_add(duration),
        }
        deadline
    }

    fn left(&self) -> Option<Duration> {
        self.real_time
            .map(|moment| moment.saturating_duration_since(real_now()))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "uncontrolled threads wait in real time"
)]
fn real_now() -> Instant {
    Instant::now()
}

/// The counts behind a lock that is only ever held for a few instructions, and never at a point.
#[derive(Debug)]
struct Guarded {
    held: AtomicBool,
    counts: UnsafeCell<Counts>,
}

// SAFETY: the counts are reached only by who holds the lock.
unsafe impl Sync for Guarded {}

impl Guarded {
    fn new(counts: Counts) -> Guarded {
        Guarded {
            held: AtomicBool::new(false),
            counts: UnsafeCell::new(counts),
        }
    }

    fn with<R>(&self, access: impl FnOnce(&mut Counts) -> R) -> R {
        while self.held.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        // SAFETY: the lock is held, and `access` does not come back here.
        let result = access(unsafe { &mut *self.counts.get() });
        self.held.store(false, Ordering::Release);
        result
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use super::*;

    #[test]
    fn a_try_finds_the_channel_full_empty_or_closed() {
        let (stored, mut nothing) = (Cell::new(0), || {});
        let store = || stored.set(stored.get() + 1);
        for bound in [1, 2] {
            let channel = ChannelMachine::new(Some(bound));
            stored.set(0);
            while channel.try_send(&mut || store()) == Sent::Delivered {}
            assert_eq!(channel.try_send(&mut || store()), Sent::Full);
            assert_eq!(stored.get(), bound);
            assert_eq!(channel.try_recv(&mut nothing), Received::Message);
            assert_eq!(channel.send(&mut || store()), Sent::Delivered);
            channel.drop_receiver();
            assert_eq!(channel.try_send(&mut nothing), Sent::Disconnected);
            assert_eq!(channel.send(&mut nothing), Sent::Disconnected);
            assert_eq!(stored.get(), bound + 1);
        }
        let rendezvous = ChannelMachine::new(Some(0));
        assert_eq!(rendezvous.try_send(&mut nothing), Sent::Full);
        assert_eq!(rendezvous.try_recv(&mut nothing), Received::Empty);
        let soon = Limit::After(Duration::from_millis(1));
        assert_eq!(rendezvous.recv(&mut nothing, soon), Received::Empty);
    }

    #[test]
    fn the_last_sender_closes_the_channel() {
        let (channel, mut nothing) = (ChannelMachine::new(None), || {});
        channel.add_sender();
        assert_eq!(channel.send(&mut nothing), Sent::Delivered);
        channel.drop_sender();
        assert_eq!(channel.try_recv(&mut nothing), Received::Message);
        assert_eq!(channel.try_recv(&mut nothing), Received::Empty);
        channel.drop_sender();
        assert_eq!(channel.try_recv(&mut nothing), Received::Disconnected);
        let end = channel.recv(&mut nothing, Limit::Never);
        assert_eq!(end, Received::Disconnected);
    }

    #[test]
    fn an_offer_is_taken_or_given_back() {
        for is_taken in [true, false] {
            let channel = ChannelMachine::new(Some(0));
            thread::scope(|scope| {
                let sender = scope.spawn(|| channel.send(&mut || {}));
                while channel.counts.with(|counts| counts.stored) == 0 {
                    thread::yield_now();
                }
                if is_taken {
                    let received = channel.recv(&mut || {}, Limit::Never);
                    assert_eq!(received, Received::Message);
                } else {
                    channel.drop_receiver();
                }
                let sent = sender.join().expect("no panic");
                let expected = [Sent::Returned(0), Sent::Delivered];
                assert_eq!(sent, expected[usize::from(is_taken)]);
            });
        }
    }

    #[test]
    fn a_sender_that_waits_for_room_gets_it() {
        let (channel, mut nothing) = (ChannelMachine::new(Some(1)), || {});
        assert_eq!(channel.send(&mut nothing), Sent::Delivered);
        thread::scope(|scope| {
            let sender = scope.spawn(|| channel.send(&mut || {}));
            while channel.natives.load(Ordering::SeqCst) == 0 {
                thread::yield_now();
            }
            let received = [(); 2].map(|()| channel.recv(&mut nothing, Limit::Never));
            assert_eq!(received, [Received::Message; 2]);
            assert_eq!(sender.join().expect("no panic"), Sent::Delivered);
        });
    }
}
