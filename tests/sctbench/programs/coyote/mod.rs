//! Coyote's benchmarks: buggy protocols between machines, and smaller samples.
//!
//! A machine is a thread with a channel. Protocols have the misbehaviour that the published program is
//! known for, and the monitor that sees it; they were written anew. A program ends when its machines have
//! nothing more to do; main seldom waits for them.
//!
//! How rare the bugs should be: of 10,000 schedules of Coyote's random walk one had the bug of chain
//! replication, 7 that of the failure detector, 6 that of Paxos and 38 that of Raft (Agarwal et al.:
//! Nekara: Generalized Concurrency Testing, ASE 2021, table VI). Coyote's authors give the failure detector
//! and Paxos 100,000 schedules, the others 10,000 (Deligiannis et al., TACAS 2023, table 2).

mod chain_replication;
mod chord;
mod failure_detector;
mod machine;
mod paxos;
mod raft;
mod replicating_storage;
mod samples;

use super::flavour::Flavour::{Buggy, Fixed};
use crate::program::Program;

const SUITE: &str = "Coyote";

pub(super) const PROGRAMS: &[Program] = &[
    buggy("FailureDetector", || failure_detector::detect(Buggy)).schedules(100_000),
    buggy("Paxos", || paxos::agree(Buggy)).schedules(100_000),
    buggy("Raft", || raft::elect(Buggy)),
    buggy("ChainReplication", || chain_replication::replicate(Buggy)),
    buggy("Chord", || chord::look_up(Buggy)),
    buggy("ReplicatingStorage", || replicating_storage::repair(Buggy)),
    buggy("BoundedBuffer", || samples::bounded_buffer(Buggy)),
    buggy("Account", || samples::create_account(Buggy)),
    buggy("TaskChain", || samples::task_chain(Buggy)),
    clean("FailureDetector_ok", || failure_detector::detect(Fixed)),
    clean("Paxos_ok", || paxos::agree(Fixed)),
    clean("Raft_ok", || raft::elect(Fixed)),
    clean("ChainReplication_ok", || {
        chain_replication::replicate(Fixed);
    }),
    clean("Chord_ok", || chord::look_up(Fixed)),
    clean("ReplicatingStorage_ok", || {
        replicating_storage::repair(Fixed);
    }),
    clean("BoundedBuffer_ok", || samples::bounded_buffer(Fixed)),
    clean("Account_ok", || samples::create_account(Fixed)),
    clean("TaskChain_ok", || samples::task_chain(Fixed)),
];

const fn buggy(name: &'static str, body: fn()) -> Program {
    Program::buggy(SUITE, name, body)
}

const fn clean(name: &'static str, body: fn()) -> Program {
    Program::clean(SUITE, name, body)
}
