//! The programs that are measured, for any module that stands in for `std`.

/// The bodies, against the module that stands in for `std`.
macro_rules! bodies {
    ($module:ident, $($std:ident)::+) => {
        mod $module {
            use std::sync::Arc;

            use $($std)::+::sync::atomic::{AtomicUsize, Ordering};
            use $($std)::+::sync::{Condvar, Mutex, mpsc};
            use $($std)::+::thread;

            pub(super) fn empty() {}

            pub(super) fn spawn_join(threads: usize) {
                let handles: Vec<_> = (0..threads).map(|_| thread::spawn(|| ())).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            pub(super) fn mutex(threads: usize, times: usize) {
                let count = Arc::new(Mutex::new(0));
                let work = |count: Arc<Mutex<usize>>| {
                    move || {
                        for _ in 0..times {
                            *count.lock().unwrap() += 1;
                        }
                    }
                };
                let spawn = |_| thread::spawn(work(Arc::clone(&count)));
                let handles: Vec<_> = (0..threads).map(spawn).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            pub(super) fn atomic(threads: usize, times: usize) {
                let count = Arc::new(AtomicUsize::new(0));
                let work = |count: Arc<AtomicUsize>| {
                    move || {
                        for _ in 0..times {
                            count.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                };
                let spawn = |_| thread::spawn(work(Arc::clone(&count)));
                let handles: Vec<_> = (0..threads).map(spawn).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            pub(super) fn mpsc(times: usize) {
                let (sender, receiver) = mpsc::channel();
                let handle = thread::spawn(move || {
                    for number in 0..times {
                        sender.send(number).unwrap();
                    }
                });
                for number in 0..times {
                    assert_eq!(receiver.recv().unwrap(), number);
                }
                handle.join().unwrap();
            }

            /// Two threads take turns: each waits for its turn and gives it to the other.
            pub(super) fn condvar(times: usize) {
                let table = Arc::new((Mutex::new(0), Condvar::new()));
                let play = |me: usize, table: Arc<(Mutex<usize>, Condvar)>| {
                    move || {
                        for _ in 0..times {
                            let mut turn = table.0.lock().unwrap();
                            while *turn != me {
                                turn = table.1.wait(turn).unwrap();
                            }
                            *turn = 1 - me;
                            table.1.notify_one();
                        }
                    }
                };
                let spawn = |me| thread::spawn(play(me, Arc::clone(&table)));
                let handles: Vec<_> = (0..2).map(spawn).collect();
                for handle in handles {
                    handle.join().unwrap();
                }
            }
        }
    };
}
