//! No strategy lets a worker that spins starve the others, and none hides a bug behind a spin.

use std::sync::Arc;

use cct::config::Settings;
use cct::harness::{Exploration, Explorer};
use cct::strategy::{Kind, Spec};
use cct::verdict::BugKind;
use cct_shims::std::hint;
use cct_shims::std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use cct_shims::std::thread;

use crate::Claim;

pub(crate) const CLAIMS: &[Claim] = &[
    (
        "no strategy cuts off workers that spin for each other",
        spins,
    ),
    (
        "no strategy cuts off a waiter that yields among workers at work",
        yields,
    ),
    (
        "every strategy that draws finds a lost wake-up behind a spin",
        lost_wakeup,
    ),
];

fn explore(explorer: &mut Explorer, kind: Kind, schedules: u64, body: fn()) -> Exploration {
    let settings = Settings {
        iterations: Some(schedules),
        strategy: Some(Spec::parse(kind.name()).expect("a kind's name is a strategy")),
        seed: Some(7),
        watch: Some(0),
        ..Settings::default()
    };
    explorer.explore(&settings, body)
}

/// Runs schedules of each strategy, none of which may fail or be cut off.
fn assert_none_cut_off(explorer: &mut Explorer, body: fn()) {
    for &kind in Kind::ALL {
        let exploration = explore(explorer, kind, 2000, body);
        assert_eq!(exploration.found, None, "{}", kind.name());
        assert_eq!(exploration.counters.cut_offs, 0, "{}", kind.name());
    }
}

/// Three workers wait for their turn, and hand it on.
fn spins(explorer: &mut Explorer) {
    assert_none_cut_off(explorer, || {
        let turn = Arc::new(AtomicU32::new(0));
        let workers = [0, 1, 2].map(|me| {
            let turn = Arc::clone(&turn);
            thread::spawn(move || {
                while turn.load(Ordering::SeqCst) != me {
                    hint::spin_loop();
                }
                turn.store(me + 1, Ordering::SeqCst);
            })
        });
        for worker in workers {
            worker.join().expect("nobody panics");
        }
    });
}

/// Two workers work; one waits for both, and yields.
fn yields(explorer: &mut Explorer) {
    assert_none_cut_off(explorer, || {
        let done = Arc::new(AtomicU32::new(0));
        let workers = [(); 2].map(|()| {
            let done = Arc::clone(&done);
            thread::spawn(move || {
                (0..3).for_each(|_| _ = done.fetch_add(1, Ordering::SeqCst));
            })
        });
        while done.load(Ordering::SeqCst) < 6 {
            thread::yield_now();
        }
        for worker in workers {
            worker.join().expect("nobody panics");
        }
    });
}

/// A waiter spins 32 rounds, then says that it sleeps, and sleeps. The one who wakes it looks whether it
/// does: if that comes between the last round and the word, nobody wakes it any more. It has as much to do
/// before as the waiter has to spin.
///
/// Strategies that enumerate have a yield budget of 1: a waiter gives way in each round, so that schedules
/// in which it does not are out of their reach. That is what they say with `limits.yields`.
fn lost_wakeup(explorer: &mut Explorer) {
    let body = || {
        let (flag, sleeps) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let waiter = {
            let (flag, sleeps) = (Arc::clone(&flag), Arc::clone(&sleeps));
            thread::spawn(move || {
                for _ in 0..32 {
                    if flag.load(Ordering::SeqCst) {
                        return;
                    }
                    thread::yield_now();
                }
                if !flag.load(Ordering::SeqCst) {
                    sleeps.store(true, Ordering::SeqCst);
                    thread::park();
                }
            })
        };
        let work = AtomicU32::new(0);
        (0..64).for_each(|value| work.store(value, Ordering::SeqCst));
        flag.store(true, Ordering::SeqCst);
        if sleeps.load(Ordering::SeqCst) {
            waiter.thread().unpark();
        }
        waiter.join().expect("nobody panics");
    };
    for &kind in Kind::ALL {
        let exploration = explore(explorer, kind, 50_000, body);
        assert_eq!(exploration.counters.cut_offs, 0, "{}", kind.name());
        if let Some(found) = exploration.found {
            assert_eq!(found.bug.kind, BugKind::Deadlock, "{}", kind.name());
        } else {
            assert!(kind.enumerates(), "{} does not find it", kind.name());
            assert!(exploration.counters.limits.yields, "{}", kind.name());
        }
    }
}
