//! Machines: threads that react to what comes into their inbox.

use cct_shims::std::sync::mpsc::{self, Receiver, Sender};
use cct_shims::std::thread::{self, JoinHandle};

/// Where a machine's messages are sent to.
pub(super) struct Address<M>(Sender<M>);

impl<M> Clone for Address<M> {
    fn clone(&self) -> Self {
        Address(self.0.clone())
    }
}

impl<M> Address<M> {
    /// Sends a message; it is lost if the machine has stopped.
    #[track_caller]
    pub(super) fn send(&self, message: M) {
        drop(self.0.send(message));
    }
}

/// An inbox, for a machine that is started later.
pub(super) fn inbox<M>() -> (Address<M>, Receiver<M>) {
    let (sender, receiver) = mpsc::channel();
    (Address(sender), receiver)
}

/// Several of them.
pub(super) fn inboxes<M>(count: usize) -> (Vec<Address<M>>, Vec<Receiver<M>>) {
    (0..count).map(|_| inbox()).unzip()
}

/// Starts a machine.
#[track_caller]
pub(super) fn start(machine: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    thread::spawn(machine)
}
