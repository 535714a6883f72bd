//! The scenario: two nodes that may fail.

use cct::actor::Runtime;

use super::{Detector, Fail, Node, NodeId, PingsAreAnswered, Settings, Variant};

const NODES: usize = 2;
const ROUNDS: u32 = 5;

/// A detector of this variant watches nodes for some rounds.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(PingsAreAnswered::default());
    let nodes = (0..NODES).map(NodeId);
    let nodes: std::collections::BTreeMap<_, _> = nodes
        .map(|id| (id, runtime.create(Node::new(id))))
        .collect();
    let settings = Settings {
        variant,
        rounds: ROUNDS,
    };
    runtime.create(Detector::new(settings, nodes.clone()));
    for node in nodes.values() {
        if cct::nondet_bool() {
            node.send(Fail);
        }
    }
}
