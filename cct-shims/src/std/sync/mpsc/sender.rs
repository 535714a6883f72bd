//! The sending halves.

use real::fmt;
use real::panic::{RefUnwindSafe, UnwindSafe};

use super::channel::Channel;
use super::{SendError, TrySendError};
use crate::shared::Shared;

/// The sending half of a channel that is never full.
pub struct Sender<T>(Half<real::sync::mpsc::Sender<T>, T>);

/// The sending half of a channel with a bound.
pub struct SyncSender<T>(Half<real::sync::mpsc::SyncSender<T>, T>);

enum Half<S, T> {
    Std(S),
    Engine(EngineSender<T>),
}

/// A share in a channel of the engine that is counted as a sender.
struct EngineSender<T>(Shared<Channel<T>>);

impl<T> Sender<T> {
    pub(super) fn of_std(sender: real::sync::mpsc::Sender<T>) -> Sender<T> {
        Sender(Half::Std(sender))
    }

    pub(super) fn of_engine(channel: Shared<Channel<T>>) -> Sender<T> {
        Sender(Half::Engine(EngineSender(channel)))
    }

    /// Sends a message; fails, and gives it back, when the receiver is gone.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Half::Std(sender) => sender.send(t),
            Half::Engine(sender) => sender.0.send(t).map_err(never_full),
        }
    }
}

impl<T> SyncSender<T> {
    pub(super) fn of_std(sender: real::sync::mpsc::SyncSender<T>) -> SyncSender<T> {
        SyncSender(Half::Std(sender))
    }

    pub(super) fn of_engine(channel: Shared<Channel<T>>) -> SyncSender<T> {
        SyncSender(Half::Engine(EngineSender(channel)))
    }

    /// Sends a message, waiting for room; fails, and gives it back, when the receiver is gone.
    #[track_caller]
    pub fn send(&self, t: T) -> Result<(), SendError<T>> {
        match &self.0 {
            Half::Std(sender) => sender.send(t),
            Half::Engine(sender) => sender.0.send(t).map_err(never_full),
        }
    }

    /// Sends a message if that is possible without waiting.
    #[track_caller]
    pub fn try_send(&self, t: T) -> Result<(), TrySendError<T>> {
        match &self.0 {
            Half::Std(sender) => sender.try_send(t),
            Half::Engine(sender) => sender.0.try_send(t),
        }
    }
}

/// The errors of a send that waits for room.
fn never_full<T>(error: TrySendError<T>) -> SendError<T> {
    let (TrySendError::Full(message) | TrySendError::Disconnected(message)) = error;
    SendError(message)
}

impl<T> Clone for EngineSender<T> {
    fn clone(&self) -> EngineSender<T> {
        self.0.add_sender();
        EngineSender(self.0.clone())
    }
}

impl<T> Drop for EngineSender<T> {
    fn drop(&mut self) {
        self.0.drop_sender();
    }
}

impl<S: Clone, T> Clone for Half<S, T> {
    fn clone(&self) -> Half<S, T> {
        match self {
            Half::Std(sender) => Half::Std(sender.clone()),
            Half::Engine(sender) => Half::Engine(sender.clone()),
        }
    }
}

macro_rules! as_in_std {
    ($sender:ident) => {
        impl<T> Clone for $sender<T> {
            fn clone(&self) -> $sender<T> {
                $sender(self.0.clone())
            }
        }

        impl<T> fmt::Debug for $sender<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($sender)).finish_non_exhaustive()
            }
        }

        impl<T> UnwindSafe for $sender<T> {}
        impl<T> RefUnwindSafe for $sender<T> {}
    };
}

as_in_std!(Sender);
as_in_std!(SyncSender);
