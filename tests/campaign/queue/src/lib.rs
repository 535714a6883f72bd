//! Tests of a campaign: one that never fails, one with a bug that is hard to find, one with an easy one.
#![cfg(test)]

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

fn all(workers: usize, work: impl Fn(usize) + Send + Sync + 'static) {
    let work = Arc::new(work);
    let spawn = |number| {
        let work = work.clone();
        thread::spawn(move || work(number))
    };
    let workers: Vec<_> = (0..workers).map(spawn).collect();
    for worker in workers {
        worker.join().unwrap();
    }
}

#[test]
fn items_come_out_once() {
    let queue = Arc::new(Mutex::new((0..6).collect::<Vec<u32>>()));
    let taken = Arc::new(AtomicU32::new(0));
    let (of, sum) = (queue.clone(), taken.clone());
    all(3, move |_| {
        while let Some(item) = { of.lock().unwrap().pop() } {
            sum.fetch_add(item, SeqCst);
        }
    });
    assert_eq!(taken.load(SeqCst), 15);
}

#[test]
fn counters_agree() {
    let counters = Arc::new([const { AtomicU32::new(0) }; 2]);
    let own = counters.clone();
    all(2, move |number| {
        for _ in 0..4 {
            own[number].fetch_add(1, SeqCst);
            own[1 - number].load(SeqCst);
        }
    });
    assert_eq!(counters[0].load(SeqCst), counters[1].load(SeqCst));
}

#[test]
fn updates_are_kept() {
    let count = Arc::new(AtomicU32::new(0));
    let own = count.clone();
    all(2, move |_| own.store(own.load(SeqCst) + 1, SeqCst));
    assert_eq!(count.load(SeqCst), 2);
}

#[test]
fn five_in_a_row() {
    let row = Arc::new(AtomicU32::new(0));
    let own = row.clone();
    all(2, move |number| {
        for step in 0..5 {
            let place = 2 * step + number as u32;
            let _ = own.compare_exchange(place, place + 1, SeqCst, SeqCst);
        }
    });
    assert_ne!(row.load(SeqCst), 10);
}
