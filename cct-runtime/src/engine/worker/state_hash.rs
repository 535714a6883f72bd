//! The program's own description of its state, for strategies that learn.

use super::engine;

/// Tells strategies that learn, `q-learning` above all, which state the program is in.
///
/// They tell states apart by the next operations of workers and by the contents of atomics, locks and
/// channels. A program can add other parts of its state that matter for its future, such as a protocol's
/// phase or the terms of all nodes, as a hash; it holds until the next call in the iteration, from whichever
/// worker. States that differ in nothing that matters should have one hash, or there is nothing to learn.
///
/// Is no scheduling point, and does nothing outside a controlled worker.
///
/// ```
/// # struct Node { leader: Option<u64>, term: u64 }
/// # let nodes = [Node { leader: None, term: 3 }];
/// let leaders = nodes.iter().filter(|node| node.leader.is_some()).count() as u64;
/// let last = nodes.iter().map(|node| node.term).max().unwrap_or(0);
/// cct::state_hash(leaders << 32 | last);
/// ```
pub fn state_hash(value: u64) {
    let engine = engine();
    if !engine.is_null() {
        // SAFETY: a set engine is live, and the caller is its current worker.
        unsafe { (*engine).iteration.state_hash = value };
    }
}
