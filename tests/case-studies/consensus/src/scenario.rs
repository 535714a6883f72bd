//! The scenario: some numbers, and some faults.

use cct::actor::Runtime;
use cct::actor::faults::{Durable, Faults, Network, Node};

use crate::{
    ALeaderIsElected, Client, Cluster, Disk, LeadersAreComplete, LogsMatch, Plan,
    ProposalsAreApplied, Replica, StatesAgree, TermsHaveOneLeader, Variant, Wire, Write,
};

const REPLICAS: u64 = 3;

/// How many numbers are proposed, and which faults there are.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// So many numbers.
    pub numbers: u8,
    /// So many crashes, among so many writes of disks.
    pub crashes: (u32, usize),
    /// A split, among so many messages.
    pub split: Option<usize>,
    /// Faults of the network.
    pub faults: Faults,
}

/// A client has numbers written by wrappers of this variant.
pub fn run(runtime: &Runtime, scenario: Scenario, variant: Variant) {
    cct::register(TermsHaveOneLeader::default());
    cct::register(LogsMatch::default());
    cct::register(LeadersAreComplete::default());
    cct::register(StatesAgree::default());
    cct::register(ALeaderIsElected::default());
    cct::register(ProposalsAreApplied);
    let network = Network::new(scenario.faults);
    let plan = Plan::choose(scenario.crashes, scenario.split, REPLICAS as u32);
    let cluster = Cluster::new(network, plan);
    let client = runtime.create(Client::new(cluster.clone()));
    let nodes: Vec<Node<Replica>> = (1..=REPLICAS)
        .map(|id| {
            let disk = Durable::new(Disk::new((1..=REPLICAS).collect()));
            let (cluster, client) = (cluster.clone(), client.recipient());
            Node::start(runtime, move || {
                Replica::boot(variant, id, disk.clone(), cluster.clone(), client.clone())
            })
        })
        .collect();
    let wires = nodes
        .iter()
        .cloned()
        .map(|node| runtime.create(Wire::new(node)));
    let wires = wires.collect();
    cluster.connect(nodes, wires);
    client.send(Write(scenario.numbers));
}
