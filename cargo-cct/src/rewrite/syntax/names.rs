//! What the names of functions that are given futures mean in a file.

use super::by_hand::PolledByHand;
use super::declared::Declared;
use super::tree::Tree;

/// Functions and methods that spawn what they get, on executors of all kinds.
pub(in crate::rewrite) const SPAWN: [&str; 9] = [
    "spawn",
    "spawn_local",
    "spawn_local_obj",
    "spawn_local_on",
    "spawn_local_with_handle",
    "spawn_obj",
    "spawn_ok",
    "spawn_on",
    "spawn_with_handle",
];

/// Those that drive what they get until it is ready.
pub(in crate::rewrite) const DRIVE: [&str; 1] = ["block_on"];

/// Methods that may drive their only argument, now or as the future that they return.
pub(in crate::rewrite) const MAY_DRIVE: [&str; 2] = ["run", "run_until"];

/// What such names mean in a file.
#[derive(Debug)]
pub(in crate::rewrite) struct Names {
    /// Those of functions that spawn nothing.
    pub by_hand: PolledByHand,
    /// The functions of the file that have such names.
    pub declared: Declared,
}

impl Names {
    /// Looks through all of it.
    pub(in crate::rewrite) fn find(trees: &[Tree]) -> Names {
        Names {
            by_hand: PolledByHand::find(trees),
            declared: Declared::find(trees, &[&SPAWN, &DRIVE, &MAY_DRIVE]),
        }
    }
}
