//! Channels. One created on a controlled worker is the engine's, any other one is std's.
//!
//! A channel of the engine can still be used by a thread that is not controlled.

mod channel;
mod iter;
mod receiver;
mod sender;
#[cfg(test)]
mod tests;

pub use iter::{IntoIter, Iter, TryIter};
pub use real::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
pub use receiver::Receiver;
pub use sender::{Sender, SyncSender};

use cct::engine;

use channel::Channel;

/// Creates a channel that is never full.
#[must_use]
#[track_caller]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    if engine::is_controlled() {
        let channel = Channel::new(None);
        (
            Sender::of_engine(channel.clone()),
            Receiver::of_engine(channel),
        )
    } else {
        let (sender, receiver) = real::sync::mpsc::channel();
        (Sender::of_std(sender), Receiver::of_std(receiver))
    }
}

/// Creates a channel that holds `bound` messages; with 0, a send waits until its message is
/// received.
#[must_use]
#[track_caller]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    if engine::is_controlled() {
        let channel = Channel::new(Some(bound));
        (
            SyncSender::of_engine(channel.clone()),
            Receiver::of_engine(channel),
        )
    } else {
        let (sender, receiver) = real::sync::mpsc::sync_channel(bound);
        (SyncSender::of_std(sender), Receiver::of_std(receiver))
    }
}
