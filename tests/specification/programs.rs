//! Small programs with specifications.

use std::sync::Arc;

use cct::verdict::BugKind;
use cct::{Monitor, Temperature};
use cct_shims::std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use cct_shims::std::sync::{Mutex, mpsc};
use cct_shims::std::thread;

use crate::Program;

pub(crate) const ALL: &[Program] = &[
    Program {
        name: "answers_come_after_questions",
        body: || answers(true),
        bug: None,
    },
    Program {
        name: "an_answer_comes_first",
        body: || answers(false),
        bug: Some((
            BugKind::Safety,
            "monitor `Answers`: an answer without a question",
        )),
    },
    Program {
        name: "hot_at_the_end",
        body: || {
            cct::register(Answers::default());
            cct::notify::<Answers>(Event::Asked);
        },
        bug: Some((
            BugKind::Liveness,
            "monitor `Answers` was in its hot state `asked` when the test was over",
        )),
    },
    Program {
        name: "a_monitor_that_begins_hot",
        body: || cct::register(Eager),
        bug: Some((BugKind::Liveness, "hot state `hungry`")),
    },
    Program {
        name: "hot_for_ever",
        body: || ping_pong(None),
        bug: Some((
            BugKind::Liveness,
            "monitor `Answers` was in its hot state `asked` for",
        )),
    },
    Program {
        name: "hot_for_a_while",
        body: || ping_pong(Some(4)),
        bug: None,
    },
    Program {
        name: "a_starved_worker_is_no_bug",
        body: starved,
        bug: None,
    },
    Program {
        name: "a_global_monitor_comes_with_its_first_event",
        body: || {
            let workers = [1, 2].map(|_| thread::spawn(|| cct::notify::<Twice>(())));
            join_all(workers);
        },
        bug: Some((BugKind::Safety, "monitor `Twice`: told twice")),
    },
    Program {
        name: "an_event_for_nobody",
        body: || cct::notify::<Answers>(Event::Answered),
        bug: None,
    },
    Program {
        name: "a_monitor_that_waits",
        body: || {
            let lock = Arc::new(Mutex::new(()));
            cct::register(Waits(Arc::clone(&lock)));
            let _guard = lock.lock().unwrap();
            cct::notify::<Waits>(());
        },
        bug: Some((BugKind::Safety, "a specification is atomic")),
    },
    Program {
        name: "a_monitor_that_takes_a_free_lock",
        body: || {
            let lock = Arc::new(Mutex::new(()));
            cct::register(Waits(Arc::clone(&lock)));
            let workers = [1, 2].map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || {
                    drop(lock.lock().unwrap());
                    thread::yield_now();
                })
            });
            cct::register(Waits(Arc::default()));
            cct::notify::<Waits>(());
            join_all(workers);
        },
        bug: None,
    },
    Program {
        name: "seats_are_never_negative",
        body: || seats(true),
        bug: None,
    },
    Program {
        name: "seats_are_sold_twice",
        body: || seats(false),
        bug: Some((
            BugKind::Safety,
            "invariant `no seat is sold twice` does not hold after this step",
        )),
    },
    Program {
        name: "a_condition_over_a_lock",
        body: locked_sum,
        bug: None,
    },
    Program {
        name: "it_comes_true",
        body: || comes_true(true),
        bug: None,
    },
    Program {
        name: "it_never_comes_true",
        body: || comes_true(false),
        bug: Some((
            BugKind::Liveness,
            "`the flag is set` had not happened when the test was over",
        )),
    },
    Program {
        name: "a_thread_ends",
        body: || {
            let worker = thread::spawn(|| 7);
            let worker = cct::eventually("the worker ends", worker);
            assert_eq!(worker.join().unwrap(), 7);
        },
        bug: None,
    },
    Program {
        name: "a_thread_waits_for_ever",
        body: || {
            let worker = thread::spawn(thread::park);
            drop(cct::eventually("the worker ends", worker));
        },
        bug: Some((BugKind::Liveness, "`the worker ends` had not happened")),
    },
    Program {
        name: "a_future_completes",
        body: || futures(true),
        bug: None,
    },
    Program {
        name: "a_future_is_dropped",
        body: || futures(false),
        bug: Some((BugKind::Liveness, "`the answer` had not happened")),
    },
];

/// Programs whose bug is in one order of steps that are independent but for who looks on.
pub(crate) const ORDERED: &[Program] = &[
    // Both ways round: whichever order is made first, one of the two is in the other.
    Program {
        name: "seen_by_an_invariant",
        body: || one_comes_after_the_other([0, 1]),
        bug: Some((
            BugKind::Safety,
            "invariant `one comes after the other` does not hold",
        )),
    },
    Program {
        name: "seen_by_an_invariant_the_other_way_round",
        body: || one_comes_after_the_other([1, 0]),
        bug: Some((
            BugKind::Safety,
            "invariant `one comes after the other` does not hold",
        )),
    },
    Program {
        name: "seen_by_a_monitor",
        body: || ask_and_answer([Event::Asked, Event::Answered]),
        bug: Some((
            BugKind::Safety,
            "monitor `Answers`: an answer without a question",
        )),
    },
    Program {
        name: "seen_by_a_monitor_the_other_way_round",
        body: || ask_and_answer([Event::Answered, Event::Asked]),
        bug: Some((
            BugKind::Safety,
            "monitor `Answers`: an answer without a question",
        )),
    },
];

/// Two workers each set a flag of their own; an invariant wants one set before the other.
fn one_comes_after_the_other([first, second]: [usize; 2]) {
    let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let watched = Arc::clone(&flags);
    cct::invariant("one comes after the other", move || {
        watched[first].load(Ordering::SeqCst) || !watched[second].load(Ordering::SeqCst)
    });
    join_all([0, 1].map(|index| {
        let flags = Arc::clone(&flags);
        thread::spawn(move || flags[index].store(true, Ordering::SeqCst))
    }));
}

/// Each event is told by a worker of its own.
fn ask_and_answer(events: [Event; 2]) {
    cct::register(Answers::default());
    join_all(events.map(|event| thread::spawn(move || cct::notify::<Answers>(event))));
}

#[derive(Default)]
struct Answers {
    open: u32,
    seen: Vec<u32>,
}

enum Event {
    Asked,
    Answered,
}

impl Monitor for Answers {
    type Event = Event;

    fn on_event(&mut self, event: Event) -> Temperature {
        self.seen.push(self.open);
        match event {
            Event::Asked => self.open += 1,
            Event::Answered => {
                assert!(self.open > 0, "an answer without a question");
                self.open -= 1;
            }
        }
        match self.open {
            0 => Temperature::Cold("idle"),
            _ => Temperature::Hot("asked"),
        }
    }
}

/// Hungry from the start.
struct Eager;

impl Monitor for Eager {
    type Event = ();

    fn start(&self) -> Temperature {
        Temperature::Hot("hungry")
    }

    fn on_event(&mut self, (): ()) -> Temperature {
        Temperature::Cold("fed")
    }
}

/// Watches every test.
#[derive(Default)]
struct Twice(u32);

impl Monitor for Twice {
    type Event = ();

    fn on_event(&mut self, (): ()) -> Temperature {
        self.0 += 1;
        assert!(self.0 < 2, "told twice");
        Temperature::Cold("told")
    }

    fn global() -> Option<Self> {
        Some(Twice::default())
    }
}

struct Waits(Arc<Mutex<()>>);

impl Monitor for Waits {
    type Event = ();

    fn on_event(&mut self, (): ()) -> Temperature {
        drop(self.0.lock().unwrap());
        Temperature::Cold("free")
    }
}

/// A server that answers; it may tell of the answer before the client told of the question.
fn answers(ordered: bool) {
    cct::register(Answers::default());
    let (send, receive) = mpsc::channel();
    let server = thread::spawn(move || {
        for () in receive {
            cct::notify::<Answers>(Event::Answered);
        }
    });
    for _ in 0..3 {
        if ordered {
            cct::notify::<Answers>(Event::Asked);
            send.send(()).unwrap();
        } else {
            send.send(()).unwrap();
            // Another point between the message and the word of it.
            thread::yield_now();
            cct::notify::<Answers>(Event::Asked);
        }
    }
    drop(send);
    server.join().unwrap();
}

/// Two that keep each other busy, while a question is open for so many rounds.
fn ping_pong(rounds: Option<u32>) {
    cct::register(Answers::default());
    cct::notify::<Answers>(Event::Asked);
    let ball = Arc::new(AtomicU32::new(0));
    let player = |parity: u32| {
        let ball = Arc::clone(&ball);
        move || {
            loop {
                let at = ball.load(Ordering::SeqCst);
                if rounds.is_some_and(|rounds| at >= rounds) {
                    break;
                }
                if at % 2 == parity {
                    ball.store(at + 1, Ordering::SeqCst);
                } else {
                    thread::yield_now();
                }
            }
        }
    };
    let other = thread::spawn(player(1));
    player(0)();
    other.join().unwrap();
    cct::notify::<Answers>(Event::Answered);
}

/// One of many workers answers, in one step: how long that takes is the strategy's doing.
fn starved() {
    cct::register(Answers::default());
    cct::notify::<Answers>(Event::Asked);
    let done = Arc::new(AtomicBool::new(false));
    let busy = [1, 2, 3, 4, 5, 6].map(|_| {
        let done = Arc::clone(&done);
        thread::spawn(move || {
            let count = AtomicU32::new(0);
            while !done.load(Ordering::SeqCst) {
                count.fetch_add(1, Ordering::SeqCst);
            }
        })
    });
    let answer = thread::spawn(move || {
        cct::notify::<Answers>(Event::Answered);
        done.store(true, Ordering::SeqCst);
    });
    answer.join().unwrap();
    join_all(busy);
}

/// Two customers and one seat.
fn seats(careful: bool) {
    let left = Arc::new(AtomicU32::new(1));
    let sold = Arc::new(AtomicU32::new(0));
    let watched = Arc::clone(&sold);
    cct::invariant("no seat is sold twice", move || {
        watched.load(Ordering::SeqCst) <= 1
    });
    let customers = [1, 2].map(|_| {
        let (left, sold) = (Arc::clone(&left), Arc::clone(&sold));
        thread::spawn(move || {
            let seen = left.load(Ordering::SeqCst);
            if seen == 0 {
                return;
            }
            let won = if careful {
                let order = Ordering::SeqCst;
                left.compare_exchange(seen, seen - 1, order, order).is_ok()
            } else {
                left.store(seen - 1, Ordering::SeqCst);
                true
            };
            if won {
                sold.fetch_add(1, Ordering::SeqCst);
            }
        })
    });
    join_all(customers);
}

/// The data that a lock protects are in order whenever the lock is free.
fn locked_sum() {
    let accounts = Arc::new(Mutex::new([10, 10]));
    let watched = Arc::clone(&accounts);
    cct::invariant("money is neither made nor lost", move || {
        watched.lock().unwrap().iter().sum::<i32>() == 20
    });
    let movers = [1, 2].map(|_| {
        let accounts = Arc::clone(&accounts);
        thread::spawn(move || {
            let mut accounts = accounts.lock().unwrap();
            accounts[0] -= 1;
            thread::yield_now();
            accounts[1] += 1;
        })
    });
    join_all(movers);
}

fn join_all<T>(workers: impl IntoIterator<Item = thread::JoinHandle<T>>) {
    for worker in workers {
        worker.join().unwrap();
    }
}

fn comes_true(set: bool) {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    let name = format!("the {} is set", "flag");
    cct::eventually(name, move || seen.load(Ordering::SeqCst));
    let setter = thread::spawn(move || {
        flag.store(set, Ordering::SeqCst);
        // Once is enough.
        flag.store(false, Ordering::SeqCst);
    });
    setter.join().unwrap();
}

fn futures(polled: bool) {
    let mut answer = Box::pin(cct::eventually("the answer", std::future::ready(42)));
    let worker = thread::spawn(move || {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        if polled {
            assert!(answer.as_mut().poll(&mut context).is_ready());
        }
    });
    worker.join().unwrap();
}
