//! Crashes at moments that the strategy chooses.

use std::panic::Location;

use super::moments::{Moments, attack_aside};
use crate::actor::Runtime;
use crate::nondet::index_at;

/// A node that may crash.
pub trait Crash: Send + Sync {
    /// It is down from here on. The site is the step's.
    fn crash_at(&self, site: &'static Location<'static>);
    /// It is up again.
    fn restart_at(&self, site: &'static Location<'static>);
}

/// Crashes one of these nodes, up to `times`, each at a moment that the strategy chooses, and has it come
/// back at another. Outside of the engine it does nothing.
///
/// A moment is at one of the next 512 events that the runtime's actors take, early ones more often than
/// late ones, and before anybody has [waited until idle](Runtime::wait_until_idle); a node comes back
/// within 64 events, or once nothing else goes on.
#[track_caller]
pub fn crash(runtime: &Runtime, nodes: Vec<Box<dyn Crash>>, times: u32) {
    let site = Location::caller();
    let attack = move |moments: &mut Moments| {
        for _ in 0..times {
            // One more than there are nodes: no crash.
            let chosen = index_at(nodes.len() + 1, site);
            let Some(node) = chosen.checked_sub(1).map(|index| &nodes[index]) else {
                continue;
            };
            moments.strike("crashes a node");
            node.crash_at(site);
            moments.end("restarts a node");
            node.restart_at(site);
        }
    };
    attack_aside(runtime, "crashes", site, attack);
}
