//! Crashes at moments that the strategy chooses.

use std::panic::Location;

use crate::actor::Runtime;
use crate::engine;
use crate::nondet::index_at;
use crate::object::ObjectId;
use crate::operation::Operation;

/// A node that may crash.
pub trait Crash: Send + Sync {
    /// It is down from here on. The site is the step's.
    fn crash_at(&self, site: &'static Location<'static>);
    /// It is up again.
    fn restart_at(&self, site: &'static Location<'static>);
}

/// Crashes one of these nodes, up to `times`, each at a moment that the strategy chooses, and has it come
/// back at another. Outside of the engine it does nothing.
#[track_caller]
pub fn crash(runtime: &Runtime, nodes: Vec<Box<dyn Crash>>, times: u32) {
    let site = Location::caller();
    let attack = move || {
        for _ in 0..times {
            // One more than there are nodes: no crash.
            let chosen = index_at(nodes.len() + 1, site);
            let Some(node) = chosen.checked_sub(1).map(|index| &nodes[index]) else {
                continue;
            };
            moment("crashes a node", site);
            node.crash_at(site);
            moment("restarts a node", site);
            node.restart_at(site);
        }
    };
    run_aside(runtime, "crashes", site, attack);
}

/// A step of its own, so that the strategy chooses when it is made.
pub(super) fn moment(name: &str, site: &'static Location<'static>) {
    engine::point_at(Operation::Custom, ObjectId::NONE, site).named(name);
}

/// Runs this on a worker of its own, which counts as work that is left to do.
pub(super) fn run_aside(
    runtime: &Runtime,
    name: &str,
    site: &'static Location<'static>,
    body: impl FnOnce() + 'static,
) {
    if !engine::is_controlled() {
        return;
    }
    runtime.begin_work();
    let runtime = runtime.clone();
    let body = move || {
        body();
        runtime.end_work();
    };
    let worker = engine::spawn_at(Some(name), None, None, site, Box::new(body));
    assert!(
        worker.is_some(),
        "there is no memory for the stack of `{name}`"
    );
}
