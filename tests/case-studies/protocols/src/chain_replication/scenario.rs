//! The scenario: three servers, two clients, and a suspicious master.

use cct::actor::Runtime;

use super::{
    ChainServer, Client, Connect, HistoriesAreSorted, Master, ServerId, UpdateIsDue, Variant, Watch,
};

const SERVERS: usize = 3;
const CLIENTS: usize = 2;
const UPDATES: u32 = 3;
/// How many servers the master looks at.
const LOOKS: u32 = 6;

/// Clients update a chain of servers of this variant.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(HistoriesAreSorted::default());
    let servers: Vec<_> = (0..SERVERS)
        .map(|id| runtime.create(ChainServer::new(variant, ServerId(id))))
        .collect();
    for server in &servers {
        server.send(Connect(servers.clone()));
    }
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| runtime.create(Client::new(servers[0].clone(), UPDATES)))
        .collect();
    let master = runtime.create(Master::new(servers, clients.clone()));
    for client in clients {
        client.send(UpdateIsDue);
    }
    master.send(Watch(LOOKS));
}
