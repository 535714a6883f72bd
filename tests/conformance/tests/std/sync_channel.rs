//! `mpsc::sync_channel`: bounds, rendezvous, errors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvError, SendError, TryRecvError, TrySendError};
use std::thread;

use conformance::Drops;

#[test]
fn a_full_channel_refuses_and_takes_again() {
    let (sender, receiver) = mpsc::sync_channel(2);
    sender.send(1).unwrap();
    sender.try_send(2).unwrap();
    assert_eq!(sender.try_send(3), Err(TrySendError::Full(3)));
    assert_eq!(receiver.recv(), Ok(1));
    sender.try_send(3).unwrap();
    drop(sender);
    assert!(receiver.iter().eq([2, 3]));
}

#[test]
fn a_sender_never_runs_ahead_by_more_than_the_bound() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let sent = AtomicUsize::new(0);
    thread::scope(|scope| {
        let sent = &sent;
        scope.spawn(move || {
            for value in 1..=4 {
                sender.send(value).unwrap();
                sent.store(value, Ordering::SeqCst);
            }
        });
        for value in receiver {
            // One may be queued, and one counted between the receipt and this line.
            assert!(sent.load(Ordering::SeqCst) <= value + 2);
        }
    });
}

#[test]
fn a_rendezvous_hands_over_directly() {
    let (sender, receiver) = mpsc::sync_channel(0);
    assert_eq!(sender.try_send(0), Err(TrySendError::Full(0)));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    let received = AtomicUsize::new(0);
    thread::scope(|scope| {
        let received = &received;
        scope.spawn(move || {
            for value in 1..=2 {
                received.store(value, Ordering::SeqCst);
                assert_eq!(receiver.recv(), Ok(value));
            }
        });
        for value in 1..=2 {
            sender.send(value).unwrap();
            assert!(
                received.load(Ordering::SeqCst) >= value,
                "the receiver was there"
            );
        }
    });
}

#[test]
fn try_send_meets_a_waiting_receiver() {
    let (sender, receiver) = mpsc::sync_channel(0);
    thread::scope(|scope| {
        let waiting = scope.spawn(move || receiver.recv());
        while let Err(error) = sender.try_send(1) {
            assert_eq!(error, TrySendError::Full(1));
            thread::yield_now();
        }
        assert_eq!(waiting.join().unwrap(), Ok(1));
    });
}

#[test]
fn a_blocked_sender_notices_that_the_receiver_is_gone() {
    for bound in [0, 1] {
        let (sender, receiver) = mpsc::sync_channel(bound);
        let thread = thread::spawn(move || (0..=bound).try_for_each(|value| sender.send(value)));
        drop(receiver);
        // With room for one, the first send may come before the drop.
        assert!(matches!(thread.join().unwrap(), Err(SendError(_))));
    }
}

#[test]
fn disconnected_on_both_sides() {
    let (sender, receiver) = mpsc::sync_channel(1);
    drop(receiver);
    assert_eq!(sender.try_send(1), Err(TrySendError::Disconnected(1)));
    assert_eq!(sender.send(2), Err(SendError(2)));
    let (sender, receiver) = mpsc::sync_channel(1);
    sender.send(1).unwrap();
    drop(sender);
    assert_eq!(receiver.recv(), Ok(1));
    assert_eq!(receiver.recv(), Err(RecvError));
}

#[test]
fn several_senders_share_the_bound() {
    let (sender, receiver) = mpsc::sync_channel(1);
    for value in [1, 2, 3] {
        let sender = sender.clone();
        thread::spawn(move || sender.send(value).unwrap());
    }
    drop(sender);
    assert_eq!(receiver.iter().sum::<u8>(), 6);
}

#[test]
fn what_is_queued_is_dropped_with_the_receiver() {
    let drops = Drops::new();
    let (sender, receiver) = mpsc::sync_channel(2);
    sender.send(drops.token()).unwrap();
    drop(sender);
    drop(receiver);
    assert_eq!(drops.count(), 1);
}

#[test]
fn formats_and_conversions() {
    let (sender, receiver) = mpsc::sync_channel::<u8>(0);
    assert_eq!(
        format!("{sender:?} {receiver:?}"),
        "SyncSender { .. } Receiver { .. }"
    );
    assert_eq!(
        TrySendError::Full(1).to_string(),
        "sending on a full channel"
    );
    assert_eq!(
        TrySendError::Disconnected(1).to_string(),
        "sending on a closed channel"
    );
    assert_eq!(
        format!("{:?}", TrySendError::Full(1)),
        "TrySendError::Full(..)"
    );
    assert_eq!(
        format!("{:?}", TrySendError::Disconnected(1)),
        "TrySendError::Disconnected(..)"
    );
    assert_eq!(
        TrySendError::from(SendError(1)),
        TrySendError::Disconnected(1)
    );
}
