//! Programs of which a false proof was made: dpor sees what brute force sees.
//!
//! Each is small enough for brute force, and says what it saw.

use std::collections::BTreeSet;
use std::sync::Arc;

use cct::harness::Explorer;
use cct::strategy::{Dpor, Limits};
use cct_shims::std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use cct_shims::std::sync::{Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, mpsc};
use cct_shims::std::thread;

use crate::Claim;
use crate::dpor::{BruteForce, space};
use crate::programs::{note, seen};

pub(crate) const CLAIMS: &[Claim] = &[
    (
        "dpor reverses locks under which something else happens",
        under_a_lock,
    ),
    (
        "dpor reverses each of several wake-ups that one would do for",
        wake_ups,
    ),
    ("dpor reverses what ends an iteration", early_ends),
    ("dpor reverses looks at poison", poison),
];

/// Brute force has to be through before that.
const MOST: u64 = 400_000;

/// Dpor sees what brute force sees, each behaviour once, and these are so many ends.
fn agree(explorer: &mut Explorer, name: &str, ends: usize, body: fn()) {
    let all = space(explorer, Box::new(BruteForce::default()), MOST, body, seen);
    assert!(all.counters.exhausted, "{name}: not small enough");
    assert_eq!(all.counters.limits, Limits::default(), "{name}");
    let few = space(explorer, Box::new(Dpor::new()), MOST, body, seen);
    assert!(few.counters.is_proof(), "{name}");
    let distinct = |behaviours: &[u64]| behaviours.iter().copied().collect::<BTreeSet<u64>>();
    let (wanted, found) = (distinct(&all.behaviours), distinct(&few.behaviours));
    assert_eq!(few.ends, all.ends, "{name}");
    assert_eq!(all.ends.len(), ends, "{name}: {:?}", all.ends);
    assert_eq!(found, wanted, "{name}: behaviours");
    assert_eq!(few.behaviours.len(), found.len(), "{name}: some twice");
}

/// Two workers do this, and see something.
fn both(work: fn(&Shared, u32) -> u32) {
    let shared = Arc::new(Shared::default());
    let threads = [1, 2].map(|number| {
        let shared = Arc::clone(&shared);
        thread::spawn(move || note(number as usize, 0, work(&shared, number) + 1))
    });
    for thread in threads {
        thread.join().expect("no panic");
    }
}

/// The state that the two share.
#[derive(Debug, Default)]
struct Shared {
    mutex: Mutex<u32>,
    rwlock: RwLock<()>,
    condvar: Condvar,
    cell: OnceLock<u32>,
    first: AtomicU32,
}

fn under_a_lock(explorer: &mut Explorer) {
    agree(explorer, "OnceLock under a Mutex", 2, || {
        both(|shared, number| {
            let _guard = shared.mutex.lock().expect("no panic");
            *shared.cell.get_or_init(|| number)
        });
    });
    agree(explorer, "OnceLock under an RwLock", 2, || {
        both(|shared, number| {
            let _guard = shared.rwlock.write().expect("no panic");
            *shared.cell.get_or_init(|| number)
        });
    });
    agree(explorer, "OnceLock::get under a Mutex", 2, || {
        both(|shared, number| {
            let _guard = shared.mutex.lock().expect("no panic");
            let before = shared.cell.get().copied();
            let _ = shared.cell.set(number);
            before.unwrap_or(0)
        });
    });
    agree(explorer, "Once under a Mutex", 2, || {
        static ONCE: Once = Once::new();
        both(|shared, number| {
            let _guard = shared.mutex.lock().expect("no panic");
            ONCE.call_once(|| shared.first.store(number, SeqCst));
            shared.first.load(SeqCst)
        });
    });
    agree(explorer, "LazyLock under a Mutex", 2, || {
        static LAZY: LazyLock<u32> = LazyLock::new(|| FIRST.load(SeqCst));
        static FIRST: AtomicU32 = AtomicU32::new(0);
        both(|shared, number| {
            let _guard = shared.mutex.lock().expect("no panic");
            FIRST.store(number, SeqCst);
            *LAZY
        });
    });
    agree(explorer, "a bounded channel under a Mutex", 2, || {
        let (sender, receiver) = mpsc::sync_channel(2);
        let mutex = Arc::new(Mutex::new(()));
        let threads = [1, 2].map(|number| {
            let (sender, mutex) = (sender.clone(), Arc::clone(&mutex));
            thread::spawn(move || {
                let guard = mutex.lock().expect("no panic");
                sender.send(number).expect("there is a receiver");
                drop(guard);
                // Their order is none of this.
                std::mem::forget(sender);
            })
        });
        std::mem::forget(sender);
        for thread in threads {
            thread.join().expect("no panic");
        }
        note(0, 0, receiver.recv().expect("a message"));
        note(0, 1, receiver.recv().expect("a message"));
    });
    agree(explorer, "a condition variable before OnceLock", 2, || {
        both(|shared, number| {
            let mut arrived = shared.mutex.lock().expect("no panic");
            *arrived += 1;
            while *arrived < 2 {
                arrived = shared.condvar.wait(arrived).expect("no panic");
            }
            shared.condvar.notify_all();
            *shared.cell.get_or_init(|| number)
        });
    });
}

/// Two workers unpark the third, which sees what the first has done, or not.
fn wake_ups(explorer: &mut Explorer) {
    agree(explorer, "two that unpark", 2, || {
        let flag = Arc::new(AtomicU32::new(0));
        let main = thread::current();
        let theirs = (Arc::clone(&flag), main.clone());
        let threads = [
            thread::spawn(move || {
                theirs.0.store(1, SeqCst);
                theirs.1.unpark();
            }),
            thread::spawn(move || main.unpark()),
        ];
        thread::park();
        note(0, 0, flag.load(SeqCst) + 1);
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
    agree(explorer, "three that unpark", 4, || {
        let flags = Arc::new([const { AtomicU32::new(0) }; 2]);
        let main = thread::current();
        let threads = [0, 1, 2].map(|number| {
            let (flags, main) = (Arc::clone(&flags), main.clone());
            thread::spawn(move || {
                if let Some(flag) = flags.get(number) {
                    flag.store(1, SeqCst);
                }
                main.unpark();
            })
        });
        thread::park();
        for (index, flag) in flags.iter().enumerate() {
            note(0, index, flag.load(SeqCst) + 1);
        }
        std::mem::forget(threads);
    });
    agree(explorer, "two that send", 2, || {
        let (sender, receiver) = mpsc::channel();
        let threads = [1, 2].map(|number| {
            let sender = sender.clone();
            thread::spawn(move || {
                sender.send(number).expect("there is a receiver");
                std::mem::forget(sender);
            })
        });
        std::mem::forget(sender);
        note(0, 0, receiver.recv().expect("a message"));
        note(0, 1, receiver.recv().expect("a message"));
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

/// A thread exits before the other has stored, or after; and each may come first.
fn early_ends(explorer: &mut Explorer) {
    fn end() {
        cct_shims::std::process::exit(1);
    }
    agree(explorer, "two that end the process", 4, || {
        let flags = Arc::new([const { AtomicU32::new(0) }; 2]);
        let threads = [0, 1].map(|number| {
            let flags = Arc::clone(&flags);
            thread::spawn(move || {
                flags[number].store(1, SeqCst);
                note(1, number, 1);
                flags[number].load(SeqCst);
                note(0, 0, number as u32 + 1);
                end();
            })
        });
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

/// A worker panics with the lock held, another one clears the poison, and the body looks.
fn poison(explorer: &mut Explorer) {
    fn spawn_panicking(mutex: &Arc<Mutex<u32>>) -> thread::JoinHandle<()> {
        let mutex = Arc::clone(mutex);
        thread::spawn(move || {
            let _guard = mutex.lock();
            cct_shims::std::panic::resume_unwind(Box::new(()));
        })
    }
    // The unwinder, a library whose statics stay, initialises itself the first time.
    let unwound = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(())));
    assert!(unwound.is_err());
    agree(explorer, "is_poisoned", 2, || {
        let mutex = Arc::new(Mutex::new(0));
        let thread = spawn_panicking(&mutex);
        note(0, 0, u32::from(mutex.is_poisoned()) + 1);
        let _ = thread.join();
    });
    agree(explorer, "clear_poison", 2, || {
        let mutex = Arc::new(Mutex::new(0));
        let thread = spawn_panicking(&mutex);
        mutex.clear_poison();
        let _ = thread.join();
        note(0, 0, u32::from(mutex.is_poisoned()) + 1);
    });
    agree(explorer, "poisoned before it is free", 3, || {
        let mutex = Arc::new(Mutex::new(0));
        let thread = spawn_panicking(&mutex);
        let poisoned = mutex.is_poisoned();
        let is_held = matches!(mutex.try_lock(), Err(std::sync::TryLockError::WouldBlock));
        if poisoned {
            note(0, 0, u32::from(is_held) + 1);
        }
        let _ = thread.join();
    });
    agree(explorer, "a poisoned RwLock", 2, || {
        let lock = Arc::new(RwLock::new(0));
        let thread = {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let _guard = lock.write();
                cct_shims::std::panic::resume_unwind(Box::new(()));
            })
        };
        note(0, 0, u32::from(lock.is_poisoned()) + 1);
        let _ = thread.join();
    });
}
