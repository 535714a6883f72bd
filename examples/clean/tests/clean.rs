//! Each test holds in every schedule.

use std::cell::Cell;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Barrier, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clean::{Pipeline, Versioned, squares};

#[test]
fn each_job_is_done_once() {
    let pipeline = Pipeline::default();
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(job) = pipeline.next() {
                    done.lock().unwrap().push(job);
                }
            });
        }
        (0..4).for_each(|job| pipeline.submit(job));
        pipeline.close();
    });
    let mut done = done.into_inner().expect("no worker panicked");
    done.sort_unstable();
    assert_eq!(done, [0, 1, 2, 3]);
}

#[test]
fn readers_see_whole_versions() {
    let doubled = Versioned::new(0);
    thread::scope(|scope| {
        scope.spawn(|| doubled.update(|value| *value += 2));
        scope.spawn(|| doubled.update(|value| *value += 2));
        let (version, value) = doubled.read();
        assert_eq!(value, 2 * version);
    });
    assert_eq!(doubled.read(), (2, 4));
}

#[test]
fn a_table_is_full_for_everybody() {
    let others = [thread::spawn(squares), thread::spawn(squares)];
    assert_eq!(squares(), [0, 1, 4]);
    for other in others {
        assert_eq!(other.join().expect("a reader finishes"), [0, 1, 4]);
    }
}

#[test]
fn messages_of_one_sender_stay_in_order() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let senders = ['a', 'b'].map(|name| {
        let sender = sender.clone();
        thread::spawn(move || (0..3).for_each(|n| sender.send((name, n)).expect("a receiver")))
    });
    drop(sender);
    let messages: Vec<_> = receiver.iter().collect();
    for name in ['a', 'b'] {
        let own = messages.iter().filter(|message| message.0 == name);
        assert_eq!(own.map(|message| message.1).collect::<Vec<_>>(), [0, 1, 2]);
    }
    for sender in senders {
        sender.join().expect("a sender finishes");
    }
}

#[test]
fn each_thread_counts_for_itself() {
    thread_local!(static CALLS: Cell<u32> = const { Cell::new(0) });
    let count = || {
        CALLS.set(CALLS.get() + 1);
        CALLS.get()
    };
    thread::scope(|scope| {
        let other = scope.spawn(move || [count(), count()]);
        assert_eq!([count(), count()], [1, 2]);
        assert_eq!(other.join().expect("a counter finishes"), [1, 2]);
    });
}

#[test]
fn a_wait_ends_with_the_signal_or_with_the_time() {
    let signal = Arc::new((Mutex::new(false), Condvar::new()));
    let sender = Arc::clone(&signal);
    let other = thread::spawn(move || {
        thread::sleep(Duration::from_millis(1));
        *sender.0.lock().unwrap() = true;
        sender.1.notify_one();
    });
    let start = Instant::now();
    let limit = Duration::from_millis(2);
    let guard = signal.0.lock().unwrap();
    let (is_set, result) = signal
        .1
        .wait_timeout_while(guard, limit, |is_set| !*is_set)
        .unwrap();
    assert!(*is_set || (result.timed_out() && start.elapsed() >= limit));
    drop(is_set);
    other.join().expect("the sender finishes");
}

#[test]
fn a_silent_channel_times_out_and_a_dropped_one_disconnects() {
    let (sender, receiver) = mpsc::channel::<u8>();
    let limit = Duration::from_millis(1);
    assert_eq!(receiver.recv_timeout(limit), Err(RecvTimeoutError::Timeout));
    thread::scope(|scope| {
        scope.spawn(move || drop(sender));
        assert!(receiver.recv().is_err());
    });
}

#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    let barrier = Barrier::new(2);
    let arrived = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                *arrived.lock().unwrap() += 1;
                barrier.wait();
                assert_eq!(*arrived.lock().unwrap(), 2);
            });
        }
    });
}
