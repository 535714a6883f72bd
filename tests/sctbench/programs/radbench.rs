//! `RADBench`: three bugs of a portable runtime's synchronisation, NSPR's, as the suite describes them.
//!
//! Kernels of the protocols, written anew from the descriptions alone.

use std::sync::Arc;

use cct_shims::std::sync::{Condvar, Mutex};
use cct_shims::std::thread;

use super::flavour::Flavour::{self, Buggy, Fixed};
use super::threads::{join, start};
use crate::heap::Pointer;
use crate::program::{Program, require};
use crate::racy::RacyCell;

pub(crate) const PROGRAMS: &[Program] = &[
    Program::buggy("RADBench", "bug4", || make_monitor(Buggy)),
    Program::buggy("RADBench", "bug5", || wait_and_notify(Buggy)),
    Program::buggy("RADBench", "bug6", || read_again(Buggy)),
    Program::clean("RADBench", "bug4_ok", || make_monitor(Fixed)),
    Program::clean("RADBench", "bug5_ok", || wait_and_notify(Fixed)),
    Program::clean("RADBench", "bug6_ok", || read_again(Fixed)),
];

/// bug4: a monitor is made by the first who enters it, and is found by others before it is initialised.
///
/// Two threads enter the monitor a few times each. One that finds none makes one, publishes it and then sets
/// its owner and depth; another that entered in between is no longer the owner when it exits, or both
/// make one. Racy: the pointer to the monitor, its owner and depth.
fn make_monitor(flavour: Flavour) {
    const ROUNDS: usize = 3;
    const NOBODY: usize = 0;
    struct Monitor {
        lock: Mutex<bool>,
        unlocked: Condvar,
        owner: RacyCell<usize>,
        depth: RacyCell<usize>,
    }
    struct Cache {
        flavour: Flavour,
        making: Mutex<()>,
        monitor: RacyCell<Pointer<Monitor>>,
    }
    impl Cache {
        fn monitor(&self) -> &'static Monitor {
            let _guard = self.flavour.lock_if_fixed(&self.making);
            if self.monitor.get().is_null() {
                let made = Pointer::allocate(Monitor {
                    lock: Mutex::new(false),
                    unlocked: Condvar::new(),
                    owner: RacyCell::new(usize::MAX),
                    depth: RacyCell::new(usize::MAX),
                });
                self.monitor.set(made);
                made.get().owner.set(NOBODY);
                made.get().depth.set(0);
            }
            self.monitor.get().get()
        }
    }
    impl Monitor {
        fn enter(&self, thread: usize) {
            if self.owner.get() != thread {
                let mut is_locked = self.lock.lock().unwrap();
                while *is_locked {
                    is_locked = self.unlocked.wait(is_locked).unwrap();
                }
                *is_locked = true;
                drop(is_locked);
                self.owner.set(thread);
                self.depth.set(0);
            }
            self.depth.update(|depth| depth + 1);
        }

        fn exit(&self, thread: usize) {
            require(self.owner.get() == thread);
            require(self.depth.get() > 0);
            if self.depth.update(|depth| depth - 1) == 0 {
                self.owner.set(NOBODY);
                *self.lock.lock().unwrap() = false;
                self.unlocked.notify_one();
            }
        }
    }
    let cache = Arc::new(Cache {
        flavour,
        making: Mutex::new(()),
        monitor: RacyCell::new(Pointer::NULL),
    });
    let work = |thread| {
        move |cache: &Cache| {
            for _ in 0..ROUNDS {
                let monitor = cache.monitor();
                monitor.enter(thread);
                monitor.enter(thread);
                monitor.exit(thread);
                monitor.exit(thread);
            }
        }
    };
    join([1, 2].map(|thread| start(&cache, work(thread))));
}

/// bug5: a condition's wait lets go of the lock before it notes what it waits for.
///
/// Three producers and three consumers share a queue of one place. A notification that comes between the
/// two is missed; who waits then waits for the next, which may never come. Racy: nothing.
fn wait_and_notify(flavour: Flavour) {
    const ITEMS: usize = 2;
    /// A condition: it waits until the count of notifications is not what it was.
    struct Condition {
        flavour: Flavour,
        notified: Mutex<u32>,
        changed: Condvar,
    }
    impl Condition {
        /// Waits without the lock of the queue, which `unlock` gives up.
        fn wait(&self, unlock: impl FnOnce()) {
            let seen = if self.flavour.is_fixed() {
                let seen = *self.notified.lock().unwrap();
                unlock();
                seen
            } else {
                unlock();
                *self.notified.lock().unwrap()
            };
            let mut notified = self.notified.lock().unwrap();
            while *notified == seen {
                notified = self.changed.wait(notified).unwrap();
            }
        }

        fn notify_all(&self) {
            *self.notified.lock().unwrap() += 1;
            self.changed.notify_all();
        }
    }
    struct Queue {
        place: Mutex<Option<usize>>,
        changed: Condition,
    }
    impl Queue {
        /// Does this as soon as it can be done.
        fn update<T>(&self, mut change: impl FnMut(&mut Option<usize>) -> Option<T>) -> T {
            loop {
                let mut place = self.place.lock().unwrap();
                if let Some(done) = change(&mut place) {
                    self.changed.notify_all();
                    return done;
                }
                self.changed.wait(|| drop(place));
            }
        }
    }
    fn produce(queue: &Queue) {
        for item in 0..ITEMS {
            queue.update(|place| match place {
                None => {
                    *place = Some(item);
                    Some(())
                }
                Some(_) => None,
            });
        }
    }
    fn consume(queue: &Queue) {
        for _ in 0..ITEMS {
            queue.update(Option::take);
        }
    }
    let queue = Arc::new(Queue {
        place: Mutex::new(None),
        changed: Condition {
            flavour,
            notified: Mutex::new(0),
            changed: Condvar::new(),
        },
    });
    let bodies = [produce, consume, produce, consume, produce, consume];
    join(bodies.map(|body| start(&queue, body)));
}

/// bug6: a read lock that lets writers go first is taken again by a thread that has it.
///
/// A writer that begins to wait between the two waits for the reader, which waits for the writer. The lock
/// is of a mutex and a condition, in which those that wait for each other are not seen as a cycle. Racy:
/// nothing.
fn read_again(flavour: Flavour) {
    #[derive(Default)]
    struct State {
        readers: Vec<thread::ThreadId>,
        is_written: bool,
        waiting_writers: usize,
    }
    struct Lock {
        flavour: Flavour,
        state: Mutex<State>,
        changed: Condvar,
    }
    impl Lock {
        fn read(&self) {
            let me = thread::current().id();
            let mut state = self.state.lock().unwrap();
            let may_pass = |state: &State| {
                let is_again = self.flavour.is_fixed() && state.readers.contains(&me);
                is_again || (!state.is_written && state.waiting_writers == 0)
            };
            while !may_pass(&state) {
                state = self.changed.wait(state).unwrap();
            }
            state.readers.push(me);
        }

        fn unread(&self) {
            let mut state = self.state.lock().unwrap();
            let me = thread::current().id();
            let index = state.readers.iter().position(|reader| *reader == me);
            state.readers.remove(index.expect("a reader"));
            drop(state);
            self.changed.notify_all();
        }

        fn write(&self) {
            let mut state = self.state.lock().unwrap();
            state.waiting_writers += 1;
            while state.is_written || !state.readers.is_empty() {
                state = self.changed.wait(state).unwrap();
            }
            state.waiting_writers -= 1;
            state.is_written = true;
        }

        fn unwrite(&self) {
            self.state.lock().unwrap().is_written = false;
            self.changed.notify_all();
        }
    }
    fn read_twice(lock: &Lock) {
        lock.read();
        lock.read();
        lock.unread();
        lock.unread();
    }
    fn write(lock: &Lock) {
        lock.write();
        lock.unwrite();
    }
    let lock = Arc::new(Lock {
        flavour,
        state: Mutex::new(State::default()),
        changed: Condvar::new(),
    });
    join([read_twice, write].map(|body| start(&lock, body)));
}
