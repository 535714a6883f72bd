//! Raft: the election of a leader among five servers.
//!
//! A candidate asks again for votes in the same term when its periodic timer says so, and who has voted for
//! it says so again; the candidate counts both answers, and may lead without a majority. The safety monitor
//! allows one leader in a term. Mended: a voter is counted once.
//!
//! Each server has a timer, a machine that sends a bounded number of ticks; which of the server's timers
//! has run out at a tick is a choice. The logs are left out: the bug is in the election.

use std::collections::BTreeSet;

use cct::{Monitor, Temperature};
use cct_shims::std::sync::mpsc::Receiver;

use super::machine::{Address, inboxes, start};
use crate::programs::flavour::Flavour;

const SERVERS: usize = 5;
const MAJORITY: usize = SERVERS / 2 + 1;
const TICKS: usize = 3;

type Term = u32;

enum Message {
    /// The time is up for a leader to be heard of.
    ElectionTimedOut,
    /// It is time to say again what was said.
    Again,
    VoteRequest {
        term: Term,
        candidate: usize,
    },
    Vote {
        term: Term,
        voter: usize,
        granted: bool,
    },
    /// A leader's heartbeat.
    AppendEntries {
        term: Term,
    },
}

/// There is at most one leader in a term.
#[derive(Default)]
struct Leaders {
    terms: BTreeSet<Term>,
}

impl Monitor for Leaders {
    type Event = Term;

    fn on_event(&mut self, term: Term) -> Temperature {
        assert!(self.terms.insert(term), "more than one leader in a term");
        Temperature::Cold("led")
    }
}

pub(super) fn elect(flavour: Flavour) {
    cct::register(Leaders::default());
    let (servers, inboxes) = inboxes(SERVERS);
    for (me, inbox) in inboxes.into_iter().enumerate() {
        let timed = servers[me].clone();
        let mut server = Server {
            flavour,
            me,
            servers: servers.clone(),
            term: 0,
            voted_for: None,
            votes: Vec::new(),
            role: Role::Follower,
        };
        start(move || server.run(&inbox));
        start(move || tick(&timed));
    }
}

/// A server's timers.
fn tick(server: &Address<Message>) {
    for _ in 0..TICKS {
        server.send(if cct::nondet_bool() {
            Message::ElectionTimedOut
        } else {
            Message::Again
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Follower,
    Candidate,
    Leader,
}

struct Server {
    flavour: Flavour,
    me: usize,
    servers: Vec<Address<Message>>,
    term: Term,
    voted_for: Option<usize>,
    /// The servers that have voted for this one in this term, as the votes came.
    votes: Vec<usize>,
    role: Role,
}

impl Server {
    fn run(&mut self, inbox: &Receiver<Message>) {
        while let Ok(message) = inbox.recv() {
            match message {
                Message::ElectionTimedOut if self.role != Role::Leader => self.stand(),
                Message::Again if self.role == Role::Candidate => self.ask_for_votes(),
                Message::ElectionTimedOut | Message::Again => {}
                Message::VoteRequest { term, candidate } => self.vote(term, candidate),
                Message::Vote {
                    term,
                    voter,
                    granted,
                } => {
                    self.note_term(term);
                    if granted && term == self.term && self.role == Role::Candidate {
                        self.count(voter);
                    }
                }
                Message::AppendEntries { term } => {
                    self.note_term(term);
                    if term == self.term && self.role == Role::Candidate {
                        self.role = Role::Follower;
                    }
                }
            }
        }
    }

    /// Becomes a candidate, in a new term.
    fn stand(&mut self) {
        self.role = Role::Candidate;
        self.term += 1;
        self.voted_for = Some(self.me);
        self.votes = vec![self.me];
        self.ask_for_votes();
    }

    fn ask_for_votes(&self) {
        self.tell_others(|| Message::VoteRequest {
            term: self.term,
            candidate: self.me,
        });
    }

    fn vote(&mut self, term: Term, candidate: usize) {
        self.note_term(term);
        let granted = term == self.term && self.voted_for.is_none_or(|other| other == candidate);
        if granted {
            self.voted_for = Some(candidate);
        }
        self.servers[candidate].send(Message::Vote {
            term: self.term,
            voter: self.me,
            granted,
        });
    }

    fn count(&mut self, voter: usize) {
        if self.flavour.is_fixed() && self.votes.contains(&voter) {
            return;
        }
        self.votes.push(voter);
        if self.votes.len() >= MAJORITY {
            self.role = Role::Leader;
            cct::notify::<Leaders>(self.term);
            self.tell_others(|| Message::AppendEntries { term: self.term });
        }
    }

    /// A later term makes a follower of everybody.
    fn note_term(&mut self, term: Term) {
        if term > self.term {
            self.term = term;
            self.voted_for = None;
            self.role = Role::Follower;
        }
    }

    fn tell_others(&self, message: impl Fn() -> Message) {
        for (other, server) in self.servers.iter().enumerate() {
            if other != self.me {
                server.send(message());
            }
        }
    }
}
