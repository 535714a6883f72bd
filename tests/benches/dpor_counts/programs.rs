//! The programs: one body for both engines, against the part of std that they share.

/// A program, compiled for each engine.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) cct: fn(),
    pub(crate) loom: fn(),
}

macro_rules! program {
    ($name:literal, $body:ident($($size:literal),*)) => {
        Program {
            name: $name,
            cct: || on_cct::$body($($size),*),
            loom: || on_loom::$body($($size),*),
        }
    };
}

/// All of them. Loom has no room for more than four threads beside the first.
pub(crate) static ALL: &[Program] = &[
    program!("2 workers add 3 times each", additions(2, 3)),
    program!("3 workers add once each", additions(3, 1)),
    program!("3 workers add twice each", additions(3, 2)),
    program!("4 workers add once each", additions(4, 1)),
    program!("3 philosophers, forks in order", philosophers(3)),
    program!("Treiber stack, 2 workers push 3 nodes each", pushes(2, 3)),
    program!("reader-writer lock, 3 readers and a writer", readers(3)),
];

macro_rules! bodies {
    ($module:ident, $($std:ident)::+) => {
        mod $module {
            use std::ptr::null_mut;
            use std::sync::Arc;

            use $($std)::+::sync::atomic::{AtomicPtr, AtomicUsize, Ordering::SeqCst};
            use $($std)::+::sync::{Mutex, RwLock};
            use $($std)::+::thread;

            /// Runs as many workers, to their ends.
            fn each(workers: usize, work: impl Fn(usize) + Clone + Send + 'static) {
                let spawn = |index| {
                    let work = work.clone();
                    thread::spawn(move || work(index))
                };
                let handles: Vec<_> = (0..workers).map(spawn).collect();
                for handle in handles {
                    handle.join().expect("no worker panics");
                }
            }

            pub(super) fn additions(workers: usize, times: usize) {
                let count = Arc::new(AtomicUsize::new(0));
                let shared = Arc::clone(&count);
                each(workers, move |_| {
                    for _ in 0..times {
                        shared.fetch_add(1, SeqCst);
                    }
                });
                assert_eq!(count.load(SeqCst), workers * times);
            }

            pub(super) fn philosophers(seats: usize) {
                let forks: Vec<_> = (0..seats).map(|_| Mutex::new(0)).collect();
                let forks = Arc::new(forks);
                each(seats, move |seat| {
                    let (first, second) = (seat, (seat + 1) % forks.len());
                    let mut left = forks[first.min(second)].lock().expect("no panic");
                    let mut right = forks[first.max(second)].lock().expect("no panic");
                    *left += 1;
                    *right += 1;
                });
            }

            struct Node {
                next: *mut Node,
            }

            pub(super) fn pushes(workers: usize, times: usize) {
                let head = Arc::new(AtomicPtr::new(null_mut::<Node>()));
                let shared = Arc::clone(&head);
                each(workers, move |_| {
                    for _ in 0..times {
                        let node = Box::into_raw(Box::new(Node { next: null_mut() }));
                        loop {
                            let next = shared.load(SeqCst);
                            // SAFETY: nobody else has the node yet.
                            unsafe { (*node).next = next };
                            if shared.compare_exchange(next, node, SeqCst, SeqCst).is_ok() {
                                break;
                            }
                        }
                    }
                });
                let mut found = 0;
                let mut at = head.load(SeqCst);
                while !at.is_null() {
                    // SAFETY: all workers have ended, and a pushed node belongs to the stack.
                    at = unsafe { Box::from_raw(at) }.next;
                    found += 1;
                }
                assert_eq!(found, workers * times);
            }

            pub(super) fn readers(readers: usize) {
                let lock = Arc::new(RwLock::new(0));
                each(readers + 1, move |index| {
                    if index == readers {
                        *lock.write().expect("no panic") += 1;
                    } else {
                        assert!(*lock.read().expect("no panic") < 2);
                    }
                });
            }
        }
    };
}

bodies!(on_cct, cct_shims::std);
bodies!(on_loom, loom);
