//! Polls that end: by a deadline, by a count, or since somebody else is done. A ticker may tick for ever.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

const MILLI: Duration = Duration::from_millis(1);

#[test]
fn until_a_deadline() {
    let flag = AtomicBool::new(false);
    let end = Instant::now() + 5000 * MILLI;
    thread::scope(|scope| {
        scope.spawn(|| {
            while !flag.load(SeqCst) && Instant::now() < end {
                thread::sleep(10 * MILLI);
            }
        });
        while !flag.load(SeqCst) && Instant::now() < end {
            thread::sleep(7 * MILLI);
        }
    });
}

#[test]
fn until_the_other_has_counted() {
    let flag = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..500 {
                thread::sleep(MILLI);
            }
            flag.store(true, SeqCst);
        });
        while !flag.load(SeqCst) {
            thread::sleep(3 * MILLI);
        }
    });
}

#[test]
fn beside_a_ticker() {
    let ticks = Arc::new(AtomicU32::new(0));
    thread::spawn({
        let ticks = Arc::clone(&ticks);
        move || loop {
            thread::sleep(MILLI);
            ticks.fetch_add(1, SeqCst);
        }
    });
    while ticks.load(SeqCst) < 20 {
        thread::sleep(5 * MILLI);
    }
}

/// One worker has no step bound.
#[test]
fn alone_and_for_long() {
    let count = AtomicU32::new(0);
    for _ in 0..100_000 {
        count.fetch_add(1, SeqCst);
    }
    let read = (0..50_000).filter(|_| count.load(SeqCst) == 100_000);
    assert_eq!(read.count(), 50_000);
}

#[test]
fn alone_for_very_many_yields() {
    let flag = AtomicBool::new(false);
    let mut rounds = 0_u32;
    while !flag.load(SeqCst) && rounds < 1_000_000 {
        thread::yield_now();
        rounds += 1;
    }
}

/// Time passes for the other one, whatever is written meanwhile.
#[test]
fn until_the_other_has_waited_while_a_file_is_written() {
    let path = std::env::temp_dir().join("looks");
    let mut log = File::create(path).unwrap();
    let (never, flag) = (Mutex::new(()), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let guard = never.lock().unwrap();
            drop(Condvar::new().wait_timeout(guard, 1000 * MILLI).unwrap());
            flag.store(true, SeqCst);
        });
        while !flag.load(SeqCst) {
            writeln!(log, "not yet").unwrap();
            thread::yield_now();
        }
    });
}

/// The same beside one that only looks, and with more to look at between two times that it gives way.
#[test]
fn until_another_one_has_waited_while_one_looks_and_one_writes() {
    let mut log = File::create(std::env::temp_dir().join("long-looks")).unwrap();
    let (never, flag) = (Mutex::new(()), AtomicBool::new(false));
    let places = [const { AtomicBool::new(false) }; 20];
    thread::scope(|scope| {
        scope.spawn(|| {
            let guard = never.lock().unwrap();
            drop(Condvar::new().wait_timeout(guard, 1000 * MILLI).unwrap());
            flag.store(true, SeqCst);
        });
        scope.spawn(|| while !flag.load(SeqCst) {});
        while !flag.load(SeqCst) {
            writeln!(log, "not yet").unwrap();
            assert!(!places.iter().any(|place| place.load(SeqCst)));
            thread::yield_now();
        }
    });
}

/// A copy is no poll, however often it asks whether to give up: nobody waits longer than it takes.
#[test]
fn for_a_copy_that_takes_no_time() {
    let place = |name: &str| std::env::temp_dir().join(name);
    fs::write(place("from"), vec![7; 1300]).unwrap();
    let (gives_up, (tell, told)) = (AtomicBool::new(false), mpsc::channel());
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut from = File::open(place("from")).unwrap();
            let mut to = File::create(place("to")).unwrap();
            let mut byte = [0];
            while !gives_up.load(SeqCst) && from.read(&mut byte).unwrap() > 0 {
                to.write_all(&byte).unwrap();
            }
            tell.send(()).unwrap();
        });
        told.recv_timeout(30_000 * MILLI).unwrap();
    });
}
