//! The scenarios.

use cct::actor::{ActorRef, Runtime};

use super::{
    Client, JoinVia, Key, Leave, LookUp, LookupsAreAnswered, Member, Node, PredecessorsAreInOrder,
    Variant, Welcome,
};

/// The first members of the ring, in ascending order.
const MEMBERS: [Key; 3] = [Key(0), Key(3), Key(6)];
const LEAVING: usize = 1;
const LOOKUPS: u32 = 2;

/// The changes of the ring while a client looks up keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    /// A node joins, and then another one leaves.
    JoinAndLeave,
    /// Two nodes join at a time, at the same place.
    JoinTwice,
}

/// Runs the scenario with nodes of this variant.
pub fn run(runtime: &Runtime, scenario: Scenario, variant: Variant) {
    cct::register(LookupsAreAnswered);
    cct::register(PredecessorsAreInOrder);
    let members = begin_ring(runtime, variant);
    let nodes = members.iter().map(|member| member.node.clone()).collect();
    let client: ActorRef<Client> = runtime.create(Client::new(nodes));
    client.send(LookUp(LOOKUPS));
    let join = |id: usize| {
        let node = runtime.create(Node::new(variant, Key(id)));
        let member = members[0].clone();
        node.ask(|done| JoinVia { member, done })
    };
    match scenario {
        Scenario::JoinAndLeave => {
            join(5).wait();
            members[LEAVING].node.send(Leave);
        }
        Scenario::JoinTwice => {
            let answers = [4, 5].map(join);
            for answer in answers {
                answer.wait();
            }
        }
    }
}

fn begin_ring(runtime: &Runtime, variant: Variant) -> Vec<Member> {
    let members = MEMBERS.map(|id| Member {
        id,
        node: runtime.create(Node::new(variant, id)),
    });
    let count = members.len();
    for (place, member) in members.iter().enumerate() {
        member.node.send(Welcome {
            predecessor: members[(place + count - 1) % count].clone(),
            successor: members[(place + 1) % count].clone(),
        });
    }
    members.into()
}
