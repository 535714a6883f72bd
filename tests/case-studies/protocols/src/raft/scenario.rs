//! The scenario: five servers elect a leader.

use cct::actor::Runtime;

use super::{Connect, Server, ServerId, Settings, TermsHaveOneLeader, Variant};

const SERVERS: usize = 5;
const ELECTIONS: u32 = 2;

/// Servers of this variant hold elections.
pub fn run(runtime: &Runtime, variant: Variant) {
    cct::register(TermsHaveOneLeader::default());
    let settings = Settings {
        variant,
        elections: ELECTIONS,
    };
    let servers: Vec<_> = (0..SERVERS)
        .map(|id| runtime.create(Server::new(settings, ServerId(id))))
        .collect();
    for server in &servers {
        server.send(Connect(servers.clone()));
    }
}
