//! Chains of continuations, as an asynchronous program has them.
//!
//! In the manner of the program with which Coyote's authors motivate priorities for chains (Deligiannis et
//! al., TACAS 2023, Fig. 1): two requests, each a task that ends by making its continuation runnable, and
//! so on. The bug shows if all of one request comes before any of the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use cct::engine::{self, spawn_in};
use cct::harness::Explorer;
use cct::strategy::ChainId;
use cct_shims::std::sync::Mutex;

use crate::Claim;
use crate::tally::{assert_at_least, assert_probability, tally};

pub(crate) const CLAIMS: &[Claim] = &[
    (
        "task-pct:1 finds a request that comes first in half of the schedules",
        by_chains,
    ),
    (
        "task-pct:3 finds it often, whatever its change points do",
        with_changes,
    ),
    ("pct:3 finds it almost never", by_workers),
];

/// How many continuations a request has.
const LENGTH: u32 = 200;
const SCHEDULES: u64 = 2_000;

/// Runs both requests; 1 if all of the second came before the first had begun.
fn requests() -> u64 {
    let gate = Arc::new(Mutex::new(()));
    let progress = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
    let is_late = Arc::new(AtomicU32::new(0));
    // Both are there before either can begin, so that it does not matter who was created first.
    let closed = gate.lock().expect("nobody panics");
    let roots = [0, 1].map(|request| {
        let (gate, progress) = (Arc::clone(&gate), Arc::clone(&progress));
        let is_late = Arc::clone(&is_late);
        spawn(None, move || {
            drop(gate.lock().expect("nobody panics"));
            go_on(request, &progress, &is_late);
        })
    });
    drop(closed);
    roots.into_iter().for_each(engine::join);
    while progress
        .iter()
        .any(|progress| progress.load(Ordering::SeqCst) < LENGTH)
    {
        engine::give_way(cct::operation::Operation::YieldNow);
    }
    is_late.load(Ordering::SeqCst).into()
}

/// One continuation: it makes a step, and the next one runnable.
fn go_on(request: usize, progress: &Arc<[AtomicU32; 2]>, is_late: &Arc<AtomicU32>) {
    if request == 0 && progress[0].load(Ordering::SeqCst) == 0 {
        let other = progress[1].load(Ordering::SeqCst);
        is_late.store(u32::from(other == LENGTH), Ordering::SeqCst);
    }
    if progress[request].fetch_add(1, Ordering::SeqCst) + 1 < LENGTH {
        let (progress, is_late) = (Arc::clone(progress), Arc::clone(is_late));
        let chain = engine::current().map(engine::chain_of);
        spawn(chain, move || go_on(request, &progress, &is_late));
    }
}

fn spawn(chain: Option<ChainId>, body: impl FnOnce() + 'static) -> cct::strategy::WorkerId {
    spawn_in(None, None, chain, Box::new(body)).expect("there is a stack")
}

/// Without change points the chain with the higher priority is through before the other begins: the second
/// with probability 1/2.
fn by_chains(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "task-pct:1", SCHEDULES, requests);
    assert_probability(tally[&1], SCHEDULES, 0.5);
}

/// A change point anywhere before the first request begins, while the second is under way, spoils it;
/// both come after with probability 1/4 or more, the second request being less than half of what there
/// is to do.
fn with_changes(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "task-pct:3", SCHEDULES, requests);
    assert_at_least(tally[&1], SCHEDULES, 0.5 / 4.0);
}

/// All continuations of the second request must have a higher priority than the first one, which waits:
/// one of 201 priorities is the lowest of all with probability 1/201. Five standard deviations above are
/// allowed.
fn by_workers(explorer: &mut Explorer) {
    let (tally, _) = tally(explorer, "pct:3", SCHEDULES, requests);
    let found = tally.get(&1).copied().unwrap_or(0);
    let expected = SCHEDULES as f64 / f64::from(LENGTH + 1);
    assert!(found as f64 <= expected + 5.0 * expected.sqrt(), "{found}");
}
