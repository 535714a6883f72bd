//! Small runtimes that wait where the engine cannot see it, unless they say so.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use cct::instrument::{
    self, NewWorker, Resource, WorkerId, current_worker, join_worker, pause_until,
    schedule_next_worker,
};
use cct::verdict::BugKind;

use crate::Program;

pub(crate) const ALL: &[Program] = &[
    Program {
        name: "a_permit_is_given_and_taken",
        body: || permits(2, 2),
        bug: None,
    },
    Program {
        name: "a_permit_too_few",
        body: || permits(1, 2),
        bug: Some((BugKind::Deadlock, "every worker waits")),
    },
    Program {
        name: "a_wait_has_an_end",
        body: || {
            let resource = Resource::new();
            assert!(!resource.wait_timeout(Duration::from_hours(1), || false));
            assert!(resource.wait_timeout(Duration::from_hours(1), || true));
        },
        bug: None,
    },
    Program {
        name: "a_pause_ends",
        body: || pause(3),
        bug: None,
    },
    Program {
        name: "a_pause_without_end",
        body: || pause(2),
        bug: Some((BugKind::Deadlock, "every worker waits")),
    },
    Program {
        name: "plain_variables_race",
        body: plain_variables,
        bug: Some((BugKind::Panic, "an update is lost")),
    },
    Program {
        name: "locks_in_a_circle",
        body: circle,
        bug: Some((BugKind::LockCycle, "in a circle")),
    },
    Program {
        name: "a_continuation_stays_in_its_chain",
        body: chains,
        bug: None,
    },
    Program {
        name: "a_predicate_that_waits_is_false",
        body: || {
            let resource = Resource::new();
            let other = Resource::new();
            let waited = resource.wait_timeout(Duration::from_secs(1), || {
                other.wait_until(|| false);
                true
            });
            assert!(!waited);
        },
        bug: None,
    },
];

fn start(body: impl FnOnce() + 'static) -> WorkerId {
    let created = NewWorker::named("own").create(body);
    created.unwrap_or_else(|_| panic!("this is a worker"))
}

/// Some give a permit, some take one.
fn permits(given: u32, taken: u32) {
    let permits = Rc::new((Resource::new(), Cell::new(0)));
    let takers: Vec<_> = (0..taken)
        .map(|_| {
            let permits = Rc::clone(&permits);
            start(move || {
                permits.0.wait_until(|| permits.1.get() > 0);
                permits.1.set(permits.1.get() - 1);
            })
        })
        .collect();
    for _ in 0..given {
        let permits = Rc::clone(&permits);
        start(move || {
            permits
                .0
                .change("give", || permits.1.set(permits.1.get() + 1));
        });
    }
    takers.into_iter().for_each(join_worker);
}

/// Waits for three steps of others, of which some are made.
fn pause(steps: u32) {
    let made = Rc::new(Cell::new(0));
    for _ in 0..steps {
        let made = Rc::clone(&made);
        start(move || {
            schedule_next_worker("step");
            made.set(made.get() + 1);
        });
    }
    pause_until(|| made.get() == 3);
}

/// Two add one to a plain variable.
fn plain_variables() {
    let sum = Rc::new(Cell::new(0));
    let workers = [1, 2].map(|_| {
        let sum = Rc::clone(&sum);
        start(move || {
            instrument::reads(&*sum);
            let seen = sum.get();
            instrument::writes(&*sum);
            sum.set(seen + 1);
        })
    });
    workers.into_iter().for_each(join_worker);
    assert_eq!(sum.get(), 2, "an update is lost");
}

#[derive(Default)]
struct Lock {
    freed: Resource,
    owner: Cell<Option<WorkerId>>,
}

impl Lock {
    fn lock(&self) {
        self.freed.wait_while_held(|| self.owner.get());
        self.owner.set(current_worker());
    }

    fn unlock(&self) {
        self.freed.change("unlock", || self.owner.set(None));
    }
}

/// Two locks in two orders, while another worker goes on.
fn circle() {
    let locks = Rc::new([Lock::default(), Lock::default()]);
    start(|| {
        loop {
            schedule_next_worker("work");
        }
    });
    let workers = [0, 1].map(|first| {
        let locks = Rc::clone(&locks);
        start(move || {
            locks[first].lock();
            locks[1 - first].lock();
            locks[1 - first].unlock();
            locks[first].unlock();
        })
    });
    workers.into_iter().for_each(join_worker);
}

fn chains() {
    let own = instrument::current_chain().expect("this is a worker");
    let expect =
        move |same: bool| move || assert_eq!(instrument::current_chain() == Some(own), same);
    let continuation = NewWorker::default().in_chain(own).create(expect(true));
    join_worker(continuation.unwrap_or_else(|_| panic!("this is a worker")));
    join_worker(start(expect(false)));
}
