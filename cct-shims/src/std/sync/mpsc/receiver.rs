//! The receiving half.

use cct::primitive::Limit;
use real::cell::Cell;
use real::fmt;
use real::marker::PhantomData;
use real::panic::{RefUnwindSafe, UnwindSafe};
use real::time::Duration;

use super::channel::Channel;
use super::{IntoIter, Iter, RecvError, RecvTimeoutError, TryIter, TryRecvError};
use crate::shared::Shared;

/// The receiving half of a channel.
pub struct Receiver<T> {
    half: Half<T>,
    // One thread at a time.
    not_sync: PhantomData<Cell<()>>,
}

enum Half<T> {
    Std(real::sync::mpsc::Receiver<T>),
    Engine(EngineReceiver<T>),
}

/// The share in a channel of the engine that is its receiver.
struct EngineReceiver<T>(Shared<Channel<T>>);

impl<T> Receiver<T> {
    pub(super) fn of_std(receiver: real::sync::mpsc::Receiver<T>) -> Receiver<T> {
        Receiver {
            half: Half::Std(receiver),
            not_sync: PhantomData,
        }
    }

    pub(super) fn of_engine(channel: Shared<Channel<T>>) -> Receiver<T> {
        Receiver {
            half: Half::Engine(EngineReceiver(channel)),
            not_sync: PhantomData,
        }
    }

    /// Receives a message if there is one now.
    #[track_caller]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        match &self.half {
            Half::Std(receiver) => receiver.try_recv(),
            Half::Engine(receiver) => receiver.0.try_recv().map_err(|error| match error {
                RecvTimeoutError::Timeout => TryRecvError::Empty,
                RecvTimeoutError::Disconnected => TryRecvError::Disconnected,
            }),
        }
    }

    /// Receives a message, waiting for it; fails when there is none and no sender is left.
    #[track_caller]
    pub fn recv(&self) -> Result<T, RecvError> {
        match &self.half {
            Half::Std(receiver) => receiver.recv(),
            Half::Engine(receiver) => receiver.0.recv(Limit::Never).map_err(|_| RecvError),
        }
    }

    /// Receives a message, waiting for it up to a time.
    #[track_caller]
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, RecvTimeoutError> {
        match &self.half {
            Half::Std(receiver) => receiver.recv_timeout(timeout),
            Half::Engine(receiver) => receiver.0.recv(Limit::After(timeout)),
        }
    }

    /// Iterates over the messages, waiting for each, until no sender is left.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self)
    }

    /// Iterates over the messages that can be received without waiting.
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter::new(self)
    }
}

impl<T> Drop for EngineReceiver<T> {
    fn drop(&mut self) {
        self.0.drop_receiver();
    }
}

impl<T> UnwindSafe for Receiver<T> {}
impl<T> RefUnwindSafe for Receiver<T> {}

impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self)
    }
}

impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
