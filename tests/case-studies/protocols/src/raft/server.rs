//! A server.

use std::time::Duration;

use cct::actor::{Accepts, ActorRef, Context, Then, Timer};

use super::{AppendEntries, Connect, ServerId, Term, TermsHaveOneLeader, Vote, VoteRequest};

/// How long a server waits for a leader, or for the end of an election.
const ELECTION: Duration = Duration::from_millis(300);
/// How long a candidate waits before it asks again for votes.
const ASK_AGAIN: Duration = Duration::from_millis(200);

/// Whether servers have the bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// A voter counts once.
    Mended,
    /// Each answer of a voter counts.
    CountsVotesTwice,
}

/// The settings of a server.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether it has the bug.
    pub variant: Variant,
    /// How often it stands for election at most.
    pub elections: u32,
}

/// The tick at which no leader was heard of for too long.
#[derive(Debug)]
pub struct ElectionIsDue;

/// The tick at which a candidate asks again.
#[derive(Debug)]
pub struct AskAgainIsDue;

/// The state before the other servers are known.
#[derive(Debug)]
pub struct Joining;

/// The role of a server that waits for a leader, or has one.
#[derive(Debug)]
pub struct Follower;

/// The role of a server that wants to lead.
#[derive(Debug)]
pub struct Candidate {
    /// The servers that have voted for it; with the bug one may be here several times.
    votes: Vec<ServerId>,
}

/// The role of a server that leads.
#[derive(Debug)]
pub struct Leader;

/// A server.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    id: ServerId,
    servers: Vec<ActorRef<Server>>,
    term: Term,
    voted_for: Option<ServerId>,
    stood: u32,
    timer: Option<Timer>,
}

impl Server {
    /// A server that knows no others.
    #[must_use]
    pub fn new(settings: Settings, id: ServerId) -> Server {
        Server {
            settings,
            id,
            servers: Vec::new(),
            term: Term::default(),
            voted_for: None,
            stood: 0,
            timer: None,
        }
    }

    fn is_majority(&self, votes: usize) -> bool {
        votes > self.servers.len() / 2
    }

    fn send_others<E: Copy>(&self, event: E, cx: &Context<Server>)
    where
        Server: Accepts<E>,
    {
        for server in self.servers.iter().filter(|server| *server != cx.me()) {
            cx.send(server, event);
        }
    }

    fn ask_for_votes(&self, cx: &Context<Server>) {
        let request = VoteRequest {
            term: self.term,
            candidate: self.id,
        };
        self.send_others(request, cx);
    }

    /// Waits anew for a leader, or for the end of the election.
    fn restart_timer(&mut self, cx: &mut Context<Server>) {
        self.stop_timer();
        if self.stood < self.settings.elections {
            self.timer = Some(cx.start_timer(ELECTION, ElectionIsDue));
        }
    }

    fn stop_timer(&mut self) {
        if let Some(timer) = self.timer.take() {
            timer.stop();
        }
    }

    /// A later term makes a follower of every server.
    fn note_term(&mut self, term: Term) -> Option<Follower> {
        if term <= self.term {
            return None;
        }
        self.term = term;
        self.voted_for = None;
        Some(Follower)
    }

    fn counts(&self, candidate: &Candidate, voter: ServerId) -> bool {
        match self.settings.variant {
            Variant::Mended => !candidate.votes.contains(&voter),
            Variant::CountsVotesTwice => true,
        }
    }
}

#[cct::machine(start = Joining, groups(Waiting = Follower | Candidate))]
#[defer(Joining: VoteRequest, AppendEntries)]
#[ignore(Follower: AskAgainIsDue)]
#[ignore(Leader: ElectionIsDue, AskAgainIsDue)]
impl Server {
    #[on]
    fn connect(&mut self, _: &mut Joining, Connect(servers): Connect) -> Follower {
        self.servers = servers;
        Follower
    }

    #[entry]
    fn follow(&mut self, _: &mut Follower, cx: &mut Context<Self>) {
        self.restart_timer(cx);
    }

    #[on(Waiting)]
    fn stand(&mut self, _: ElectionIsDue) -> Candidate {
        self.stood += 1;
        self.term.0 += 1;
        self.voted_for = Some(self.id);
        Candidate {
            votes: vec![self.id],
        }
    }

    #[entry]
    fn campaign(&mut self, _: &mut Candidate, cx: &mut Context<Self>) {
        self.restart_timer(cx);
        self.ask_for_votes(cx);
        cx.start_timer(ASK_AGAIN, AskAgainIsDue);
    }

    #[on]
    fn ask_again(&mut self, _: &mut Candidate, _: AskAgainIsDue, cx: &mut Context<Self>) {
        self.ask_for_votes(cx);
    }

    #[on]
    fn count(&mut self, candidate: &mut Candidate, vote: Vote) -> Then<Self> {
        if let Some(follower) = self.note_term(vote.term) {
            return Then::goto(follower);
        }
        if vote.is_granted && vote.term == self.term && self.counts(candidate, vote.voter) {
            candidate.votes.push(vote.voter);
        }
        if self.is_majority(candidate.votes.len()) {
            Then::goto(Leader)
        } else {
            Then::stay()
        }
    }

    #[entry]
    fn lead(&mut self, _: &mut Leader, cx: &mut Context<Self>) {
        cct::notify::<TermsHaveOneLeader>((self.term, self.id));
        self.stop_timer();
        self.send_others(AppendEntries { term: self.term }, cx);
    }

    #[on]
    fn vote(&mut self, request: VoteRequest, cx: &mut Context<Self>) -> Option<Follower> {
        let follower = self.note_term(request.term);
        let is_free = self
            .voted_for
            .is_none_or(|other| other == request.candidate);
        let is_granted = request.term == self.term && is_free;
        if is_granted {
            self.voted_for = Some(request.candidate);
        }
        let vote = Vote {
            term: self.term,
            voter: self.id,
            is_granted,
        };
        cx.send(&self.servers[request.candidate.0], vote);
        follower
    }

    #[on]
    fn note_vote(&mut self, vote: Vote) -> Option<Follower> {
        self.note_term(vote.term)
    }

    #[on]
    fn note_leader(&mut self, entries: AppendEntries) -> Option<Follower> {
        self.note_term(entries.term)
    }

    #[on]
    fn give_up(&mut self, _: &mut Candidate, entries: AppendEntries) -> Option<Follower> {
        let follower = self.note_term(entries.term);
        follower.or((entries.term == self.term).then_some(Follower))
    }
}
