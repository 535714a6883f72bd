//! The specification.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

use super::NodeId;

/// How many pings to a node may be unanswered.
const MOST: u32 = 3;

/// Safety: at most three pings to a node are unanswered.
#[derive(Debug, Default)]
pub struct PingsAreAnswered {
    unanswered: BTreeMap<NodeId, u32>,
}

/// The events of [`PingsAreAnswered`].
#[derive(Clone, Copy, Debug)]
pub enum PingEvent {
    /// The detector pings this node.
    Sent(NodeId),
    /// The node answers.
    Answered(NodeId),
}

impl Monitor for PingsAreAnswered {
    type Event = PingEvent;

    fn on_event(&mut self, event: PingEvent) -> Temperature {
        match event {
            PingEvent::Sent(node) => {
                let count = self.unanswered.entry(node).or_default();
                *count += 1;
                assert!(*count <= MOST, "ping count must be <= {MOST}");
            }
            PingEvent::Answered(node) => {
                let count = self.unanswered.entry(node).or_default();
                assert!(*count > 0, "an answer without a ping");
                *count -= 1;
            }
        }
        Temperature::Cold("counting")
    }
}
