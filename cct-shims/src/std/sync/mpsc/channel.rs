//! The messages of a channel of the engine, stored and taken as its machine says.

use cct::engine;
use cct::object::ObjectId;
use cct::primitive::{ChannelMachine, Limit, Received, Sent};
use real::cell::UnsafeCell;
use real::collections::VecDeque;
use real::mem;

use super::{RecvTimeoutError, TrySendError};
use crate::shared::Shared;
use crate::std::thread;

/// A channel; shared by its senders and its receiver.
pub(super) struct Channel<T> {
    machine: ChannelMachine,
    is_rendezvous: bool,
    /// In order; empty places are offers that went back to their senders.
    messages: UnsafeCell<VecDeque<Option<T>>>,
}

// SAFETY: the messages are reached only in calls that the machine makes under its lock.
unsafe impl<T: Send> Sync for Channel<T> {}

impl<T> Channel<T> {
    #[track_caller]
    pub(super) fn new(bound: Option<usize>) -> Shared<Channel<T>> {
        Shared::new(Channel {
            machine: ChannelMachine::new(bound),
            is_rendezvous: bound == Some(0),
            messages: UnsafeCell::new(VecDeque::new()),
        })
    }

    #[track_caller]
    pub(super) fn send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut message = Some(message);
        let sent = self
            .machine
            .send(&mut || self.messages().push_back(message.take()));
        self.sent(sent, message)
    }

    #[track_caller]
    pub(super) fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        let mut message = Some(message);
        let sent = self
            .machine
            .try_send(&mut || self.messages().push_back(message.take()));
        self.sent(sent, message)
    }

    #[track_caller]
    pub(super) fn recv(&self, limit: Limit) -> Result<T, RecvTimeoutError> {
        let mut message = None;
        let received = self.machine.recv(
            &mut || message = self.messages().pop_front().flatten(),
            limit,
        );
        self.received(received, message)
    }

    #[track_caller]
    pub(super) fn try_recv(&self) -> Result<T, RecvTimeoutError> {
        let mut message = None;
        let received = self
            .machine
            .try_recv(&mut || message = self.messages().pop_front().flatten());
        self.received(received, message)
    }

    pub(super) fn add_sender(&self) {
        self.machine.add_sender();
    }

    pub(super) fn drop_sender(&self) {
        self.leave_panic();
        self.machine.drop_sender();
    }

    /// Takes the receiver away, and with it the messages that it will not receive. Offers are left
    /// for their senders.
    pub(super) fn drop_receiver(&self) {
        self.leave_panic();
        self.machine.drop_receiver();
        if !self.is_rendezvous {
            let mut left = VecDeque::new();
            self.machine
                .exclusively(&mut || left = mem::take(self.messages()));
            // The messages' destructors run here, where the lock is free.
            drop(left);
        }
    }

    fn sent(&self, sent: Sent, mut message: Option<T>) -> Result<(), TrySendError<T>> {
        if let Sent::Returned(place) = sent {
            self.machine
                .exclusively(&mut || message = self.messages()[place].take());
        }
        match (sent, message) {
            (Sent::Full, Some(message)) => Err(TrySendError::Full(message)),
            (Sent::Disconnected | Sent::Returned(_), Some(message)) => {
                engine::told_at(self.object(), None);
                Err(TrySendError::Disconnected(message))
            }
            _ => Ok(()),
        }
    }

    fn received(&self, received: Received, message: Option<T>) -> Result<T, RecvTimeoutError> {
        match received {
            Received::Message => Ok(message.expect("the machine counted a message")),
            Received::Empty => Err(RecvTimeoutError::Timeout),
            Received::Disconnected => {
                engine::told_at(self.object(), None);
                Err(RecvTimeoutError::Disconnected)
            }
        }
    }

    /// One end goes: if that is since its worker panics, the other end will show it.
    fn leave_panic(&self) {
        if thread::panicking() {
            engine::leave_panic(self.object());
        }
    }

    fn object(&self) -> ObjectId {
        ObjectId::of(self)
    }

    /// Only for calls that the machine makes under its lock.
    #[expect(clippy::mut_from_ref, reason = "the machine's lock makes it exclusive")]
    fn messages(&self) -> &mut VecDeque<Option<T>> {
        // SAFETY: every caller is such a call, and none of them keeps the reference or calls
        // another.
        unsafe { &mut *self.messages.get() }
    }
}
