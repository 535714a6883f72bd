//! `mpsc::channel`: order, disconnection, iterators, errors, drops.

use std::sync::mpsc::{self, RecvError, RecvTimeoutError, SendError, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use conformance::Drops;

const SHORT: Duration = Duration::from_millis(5);

#[test]
fn values_arrive_in_the_order_they_were_sent() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || (0..4).for_each(|value| sender.send(value).unwrap()));
    for expected in 0..4 {
        assert_eq!(receiver.recv(), Ok(expected));
    }
    thread.join().unwrap();
    assert_eq!(receiver.recv(), Err(RecvError));
}

#[test]
fn each_sender_keeps_its_own_order() {
    let (sender, receiver) = mpsc::channel();
    for id in 0..2 {
        let sender = sender.clone();
        thread::spawn(move || (0..2).for_each(|value| sender.send((id, value)).unwrap()));
    }
    drop(sender);
    let all: Vec<(u8, u8)> = receiver.iter().collect();
    for id in 0..2 {
        let of_one: Vec<u8> = all
            .iter()
            .filter(|pair| pair.0 == id)
            .map(|pair| pair.1)
            .collect();
        assert_eq!(of_one, [0, 1]);
    }
}

#[test]
fn values_sent_before_a_disconnection_are_received() {
    let (sender, receiver) = mpsc::channel();
    sender.send(1).unwrap();
    drop(sender);
    assert_eq!(receiver.try_recv(), Ok(1));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    assert_eq!(receiver.recv(), Err(RecvError));
    assert_eq!(
        receiver.recv_timeout(SHORT),
        Err(RecvTimeoutError::Disconnected)
    );
}

#[test]
fn only_the_last_sender_disconnects() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    drop(sender);
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    other.send(1).unwrap();
    drop(other);
    assert_eq!(receiver.recv(), Ok(1));
    assert_eq!(receiver.recv(), Err(RecvError));
}

#[test]
fn a_blocked_receiver_notices_the_disconnection() {
    let (sender, receiver) = mpsc::channel::<u8>();
    let thread = thread::spawn(move || receiver.recv());
    drop(sender);
    assert_eq!(thread.join().unwrap(), Err(RecvError));
}

#[test]
fn sending_without_a_receiver_gives_the_value_back() {
    let (sender, receiver) = mpsc::channel();
    drop(receiver);
    let SendError(value) = sender.send(String::from("value")).unwrap_err();
    assert_eq!(value, "value");
}

#[test]
fn a_timeout_is_no_disconnection() {
    let (sender, receiver) = mpsc::channel();
    let start = Instant::now();
    assert_eq!(receiver.recv_timeout(SHORT), Err(RecvTimeoutError::Timeout));
    assert!(start.elapsed() >= SHORT);
    assert_eq!(
        receiver.recv_timeout(Duration::ZERO),
        Err(RecvTimeoutError::Timeout)
    );
    sender.send(1).unwrap();
    assert_eq!(receiver.recv_timeout(Duration::ZERO), Ok(1));
}

#[test]
fn a_value_ends_a_long_timeout() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1));
    assert_eq!(receiver.recv_timeout(Duration::from_secs(600)), Ok(1));
    thread.join().unwrap().unwrap();
}

#[test]
fn try_iter_takes_what_is_there() {
    let (sender, receiver) = mpsc::channel();
    assert_eq!(receiver.try_iter().next(), None);
    sender.send(1).unwrap();
    sender.send(2).unwrap();
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(receiver.try_iter().next(), None);
}

#[test]
fn iterators_end_with_the_last_sender() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        sender.send(3).unwrap();
    });
    assert_eq!(receiver.iter().next(), Some(1));
    assert_eq!(IntoIterator::into_iter(&receiver).next(), Some(2));
    let mut owned = receiver.into_iter();
    assert_eq!(owned.next(), Some(3));
    assert_eq!(owned.next(), None);
    thread.join().unwrap();
}

#[test]
fn what_is_queued_is_dropped_with_the_receiver() {
    let drops = Drops::new();
    let (sender, receiver) = mpsc::channel();
    sender.send(drops.token()).unwrap();
    sender.send(drops.token()).unwrap();
    assert_eq!(drops.count(), 0);
    drop(receiver.recv().unwrap());
    assert_eq!(drops.count(), 1);
    drop(receiver);
    assert_eq!(drops.count(), 2);
    drop(sender.send(drops.token()));
    assert_eq!(drops.count(), 3);
}

#[test]
fn many_values_need_no_receiver_at_work() {
    let (sender, receiver) = mpsc::channel();
    (0..200).for_each(|value| sender.send(value).unwrap());
    drop(sender);
    assert!(receiver.into_iter().eq(0..200));
}

#[test]
fn a_channel_of_channels_answers() {
    let (requests, inbox) = mpsc::channel::<mpsc::Sender<u8>>();
    let server = thread::spawn(move || {
        for (number, reply) in inbox.into_iter().enumerate() {
            reply.send(number as u8).unwrap();
        }
    });
    for expected in 0..2 {
        let (reply, answer) = mpsc::channel();
        requests.send(reply).unwrap();
        assert_eq!(answer.recv(), Ok(expected));
    }
    drop(requests);
    server.join().unwrap();
}

#[test]
fn a_sender_is_shared_by_reference() {
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| sender.send(1).unwrap());
        scope.spawn(|| sender.send(1).unwrap());
    });
    assert_eq!(receiver.try_iter().sum::<u8>(), 2);
}

#[test]
fn a_panicking_sender_disconnects() {
    let (sender, receiver) = mpsc::channel::<u8>();
    let thread = thread::spawn(move || {
        let _sender = sender;
        panic!("before it sends");
    });
    assert_eq!(receiver.recv(), Err(RecvError));
    assert!(thread.join().is_err());
}

#[test]
fn formats_and_conversions() {
    let (sender, receiver) = mpsc::channel::<u8>();
    assert_eq!(
        format!("{sender:?} {receiver:?}"),
        "Sender { .. } Receiver { .. }"
    );
    let error = SendError(1);
    assert_eq!(format!("{error:?}"), "SendError { .. }");
    assert_eq!(error.to_string(), "sending on a closed channel");
    assert_eq!(
        format!("{RecvError:?} {RecvError}"),
        "RecvError receiving on a closed channel"
    );
    assert_eq!(
        TryRecvError::Empty.to_string(),
        "receiving on an empty channel"
    );
    assert_eq!(
        TryRecvError::Disconnected.to_string(),
        "receiving on a closed channel"
    );
    assert_eq!(
        RecvTimeoutError::Timeout.to_string(),
        "timed out waiting on channel"
    );
    let closed = "channel is empty and sending half is closed";
    assert_eq!(RecvTimeoutError::Disconnected.to_string(), closed);
    assert_eq!(TryRecvError::from(RecvError), TryRecvError::Disconnected);
    assert_eq!(
        RecvTimeoutError::from(RecvError),
        RecvTimeoutError::Disconnected
    );
}
