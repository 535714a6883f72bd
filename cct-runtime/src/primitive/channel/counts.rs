//! The counts of a channel: who may send and receive, and how an offer ended.

/// How a send ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// The message was stored, and taken if the channel is a rendezvous.
    Delivered,
    /// The message was not stored: the channel is full, which only a try can find.
    Full,
    /// The message was not stored: the receiver is gone.
    Disconnected,
    /// The receiver went without taking the offer, which is still stored in this place.
    Returned(usize),
}

/// How a receive ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// A message was taken.
    Message,
    /// There is none, or none came in time.
    Empty,
    /// There is none, and no sender is left.
    Disconnected,
}

/// The channel's state.
#[derive(Debug)]
pub(super) struct Counts {
    pub(super) bound: Option<usize>,
    /// How many messages were ever stored; the next one's ticket.
    pub(super) stored: u64,
    /// How many of them were taken, in order.
    pub(super) taken: u64,
    pub(super) senders: usize,
    pub(super) has_receiver: bool,
    pub(super) receiver_waits: bool,
}

impl Counts {
    /// True when a sender has to wait before it may store. Offers need no room.
    #[inline]
    pub(super) fn must_queue(&self) -> bool {
        let bound = self.bound.filter(|&bound| bound > 0);
        self.has_receiver && bound.is_some_and(|bound| self.stored - self.taken >= bound as u64)
    }

    /// True when the receiver has to wait.
    #[inline]
    pub(super) fn must_wait(&self) -> bool {
        self.stored == self.taken && self.senders > 0
    }

    /// True when a receiver waits and will take the next message that is stored.
    #[inline]
    pub(super) fn is_awaited(&self) -> bool {
        self.receiver_waits && self.stored == self.taken
    }

    /// Counts a message and returns its ticket.
    #[inline]
    pub(super) fn put(&mut self) -> u64 {
        self.stored += 1;
        self.stored - 1
    }

    /// The message that was stored before in the place of the one with this ticket.
    #[inline]
    pub(super) fn before_in_place(&self, ticket: u64) -> Option<u64> {
        let bound = self.bound.filter(|&bound| bound > 0)?;
        ticket.checked_sub(bound as u64)
    }

    /// How the offer with this ticket ended, if it has.
    #[inline]
    pub(super) fn end_of_offer(&self, ticket: u64) -> Option<Sent> {
        match ticket.checked_sub(self.taken) {
            None => Some(Sent::Delivered),
            Some(_) if self.has_receiver => None,
            Some(place) => Some(Sent::Returned(place.try_into().expect("it is in memory"))),
        }
    }

    #[inline]
    pub(super) fn receive(&mut self, take: &mut dyn FnMut()) -> Received {
        if self.stored > self.taken {
            take();
            self.taken += 1;
            Received::Message
        } else if self.senders == 0 {
            Received::Disconnected
        } else {
            Received::Empty
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A channel in which so many messages were stored, and so many of them taken.
    fn counts(bound: Option<usize>, stored: u64, taken: u64) -> Counts {
        Counts {
            bound,
            stored,
            taken,
            senders: 1,
            has_receiver: true,
            receiver_waits: false,
        }
    }

    #[test]
    fn a_sender_waits_while_there_is_no_room_and_somebody_to_make_some() {
        assert!(!counts(Some(2), 8, 7).must_queue());
        let full = counts(Some(2), 9, 7);
        assert!(full.must_queue());
        let abandoned = Counts {
            has_receiver: false,
            ..full
        };
        assert!(!abandoned.must_queue());
        assert!(!counts(None, 1 << 40, 0).must_queue());
        assert!(!counts(Some(0), 5, 2).must_queue(), "an offer needs none");
    }

    #[test]
    fn a_receiver_waits_while_there_is_no_message_and_somebody_to_send_one() {
        assert!(counts(None, 3, 3).must_wait());
        assert!(!counts(None, 4, 3).must_wait());
        let abandoned = Counts {
            senders: 0,
            ..counts(None, 3, 3)
        };
        assert!(!abandoned.must_wait());
    }

    #[test]
    fn a_receiver_that_waits_takes_one_message_and_no_other() {
        let mut rendezvous = counts(Some(0), 3, 3);
        assert!(!rendezvous.is_awaited());
        rendezvous.receiver_waits = true;
        assert!(rendezvous.is_awaited());
        assert_eq!(rendezvous.put(), 3);
        assert!(!rendezvous.is_awaited(), "it will take the one before");
    }

    #[test]
    fn an_offer_ends_when_it_is_taken_or_nobody_is_left_to_take_it() {
        let mut rendezvous = counts(Some(0), 6, 4);
        assert_eq!(rendezvous.end_of_offer(3), Some(Sent::Delivered));
        assert_eq!(rendezvous.end_of_offer(4), None);
        rendezvous.has_receiver = false;
        assert_eq!(rendezvous.end_of_offer(3), Some(Sent::Delivered));
        assert_eq!(rendezvous.end_of_offer(4), Some(Sent::Returned(0)));
        assert_eq!(rendezvous.end_of_offer(5), Some(Sent::Returned(1)));
    }

    #[test]
    fn messages_come_before_the_end() {
        let mut last = Counts {
            senders: 0,
            ..counts(None, 2, 1)
        };
        let taken = Cell::new(0);
        let take = || taken.set(taken.get() + 1);
        assert_eq!(last.receive(&mut || take()), Received::Message);
        assert_eq!(last.receive(&mut || take()), Received::Disconnected);
        last.senders = 1;
        assert_eq!(last.receive(&mut || take()), Received::Empty);
        assert_eq!(taken.get(), 1);
    }
}
