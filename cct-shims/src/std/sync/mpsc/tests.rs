//! A channel of the engine between threads that the engine does not control.

use cct::primitive::Limit;
use real::sync::atomic::{AtomicUsize, Ordering};
use real::thread;
use real::time::Duration;

use super::channel::Channel;
use super::{RecvTimeoutError, TrySendError};

#[test]
fn messages_of_one_sender_keep_their_order() {
    for bound in [None, Some(0), Some(1), Some(7)] {
        let channel = Channel::new(bound);
        let sender = channel.clone();
        let sending = thread::spawn(move || {
            for number in 0..500 {
                sender.send(number).expect("the receiver is there");
            }
            sender.drop_sender();
        });
        for number in 0..500 {
            assert_eq!(channel.recv(Limit::Never), Ok(number));
        }
        assert_eq!(
            channel.recv(Limit::Never),
            Err(RecvTimeoutError::Disconnected)
        );
        sending.join().expect("all was sent");
    }
}

#[test]
fn a_rendezvous_needs_both() {
    let channel = Channel::new(Some(0));
    assert_eq!(channel.try_send(1), Err(TrySendError::Full(1)));
    assert_eq!(channel.try_recv(), Err(RecvTimeoutError::Timeout));
    let sender = channel.clone();
    let sending = thread::spawn(move || sender.send(2));
    let received = loop {
        // An offer can be taken without waiting.
        match channel.try_recv() {
            Err(RecvTimeoutError::Timeout) => thread::yield_now(),
            received => break received,
        }
    };
    assert_eq!(received, Ok(2));
    assert_eq!(sending.join().expect("no panic"), Ok(()));
}

#[test]
fn offers_go_back_when_the_receiver_goes() {
    let channel = Channel::new(Some(0));
    let sending: Vec<_> = (0..3)
        .map(|number| {
            let sender = channel.clone();
            thread::spawn(move || sender.send(number))
        })
        .collect();
    let taken = channel.recv(Limit::Never).expect("three are sent");
    channel.drop_receiver();
    for (number, sending) in sending.into_iter().enumerate() {
        let expected = if number == taken {
            Ok(())
        } else {
            Err(TrySendError::Disconnected(number))
        };
        assert_eq!(sending.join().expect("no panic"), expected);
    }
}

#[test]
fn a_timeout_passes_or_a_message_comes() {
    let channel = Channel::new(Some(1));
    let soon = Limit::After(Duration::from_millis(2));
    assert_eq!(channel.recv(soon), Err(RecvTimeoutError::Timeout));
    channel.send(1).expect("there is room");
    assert_eq!(channel.recv(soon), Ok(1));
    channel.drop_sender();
    assert_eq!(channel.recv(soon), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn every_message_is_dropped_once() {
    struct Counted<'a>(&'a AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let dropped = AtomicUsize::new(0);
    let channel = Channel::new(None);
    for _ in 0..3 {
        channel
            .send(Counted(&dropped))
            .map_err(drop)
            .expect("never full");
    }
    drop(channel.try_recv());
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    channel.drop_receiver();
    assert_eq!(dropped.load(Ordering::Relaxed), 3);
    drop(channel.send(Counted(&dropped)));
    assert_eq!(dropped.load(Ordering::Relaxed), 4);
}
