//! Iterators over received messages.

use super::Receiver;

/// Waits for each message; ends when no sender is left.
#[derive(Debug)]
pub struct Iter<'a, T> {
    rx: &'a Receiver<T>,
}

/// Takes the messages that are there; ends when there is none.
#[derive(Debug)]
pub struct TryIter<'a, T> {
    rx: &'a Receiver<T>,
}

/// Owns the receiver and waits for each message; ends when no sender is left.
#[derive(Debug)]
pub struct IntoIter<T> {
    rx: Receiver<T>,
}

impl<'a, T> Iter<'a, T> {
    pub(super) fn new(rx: &'a Receiver<T>) -> Iter<'a, T> {
        Iter { rx }
    }
}

impl<'a, T> TryIter<'a, T> {
    pub(super) fn new(rx: &'a Receiver<T>) -> TryIter<'a, T> {
        TryIter { rx }
    }
}

impl<T> IntoIter<T> {
    pub(super) fn new(rx: Receiver<T>) -> IntoIter<T> {
        IntoIter { rx }
    }
}

impl<T> Iterator for Iter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}

impl<T> Iterator for TryIter<'_, T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.try_recv().ok()
    }
}

impl<T> Iterator for IntoIter<T> {
    type Item = T;

    #[track_caller]
    fn next(&mut self) -> Option<T> {
        self.rx.recv().ok()
    }
}
