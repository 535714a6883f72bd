//! A failure detector that pings its nodes, in rounds of at most two attempts.
//!
//! A node that has answered in a round is alive, whichever ping it answers. So one that is slow in each
//! round is never taken for dead, and unanswered pings gather: after three rounds there are four. The
//! safety monitor allows three. Mended: an answer counts in its own round alone.
//!
//! Machines: the detector, its timer, two nodes, and main, which makes nodes fail. The timer runs out as soon
//! as it finds that nobody has cancelled it. Which nodes fail, and whether a cancellation comes too late,
//! are choices.

use std::collections::VecDeque;

use cct::{Monitor, Temperature};
use cct_shims::std::sync::mpsc::{Receiver, TryRecvError};

use super::machine::{Address, inbox, inboxes, start};
use crate::programs::flavour::Flavour;
use crate::programs::threads::join;

const NODES: usize = 2;
const ROUNDS: usize = 5;
const ATTEMPTS: usize = 2;

enum ToNode {
    Ping { round: usize },
    Fail,
}

enum ToTimer {
    Start,
    Cancel,
    Stop,
}

enum ToDetector {
    Pong { node: usize, round: usize },
    TimedOut,
    Cancelled,
    TooLate,
}

/// No more than three pings to a node are unanswered.
#[derive(Default)]
struct Pings {
    pending: [usize; NODES],
}

enum Ping {
    Sent(usize),
    Answered(usize),
}

impl Monitor for Pings {
    type Event = Ping;

    fn on_event(&mut self, event: Ping) -> Temperature {
        match event {
            Ping::Sent(node) => {
                self.pending[node] += 1;
                assert!(
                    self.pending[node] <= 3,
                    "more than three pings are unanswered"
                );
            }
            Ping::Answered(node) => {
                assert!(self.pending[node] > 0, "an answer without a ping");
                self.pending[node] -= 1;
            }
        }
        Temperature::Cold("counting")
    }
}

pub(super) fn detect(flavour: Flavour) {
    cct::register(Pings::default());
    let (nodes, node_inboxes) = inboxes(NODES);
    let (timer, timer_inbox) = inbox();
    let (detector, detector_inbox) = inbox();
    let mut threads = Vec::new();
    for (node, inbox) in node_inboxes.into_iter().enumerate() {
        let detector = detector.clone();
        threads.push(start(move || answer(node, &inbox, &detector)));
    }
    threads.push(start(move || keep_time(&timer_inbox, &detector)));
    let mut machine = Detector {
        flavour,
        inbox: detector_inbox,
        deferred: VecDeque::new(),
        nodes: nodes.clone(),
        timer,
        alive: [true; NODES],
        responded: [false; NODES],
        round: 0,
    };
    threads.push(start(move || machine.run()));
    for node in &nodes {
        if cct::nondet_bool() {
            node.send(ToNode::Fail);
        }
    }
    drop(nodes);
    join(threads);
}

/// A node.
fn answer(node: usize, inbox: &Receiver<ToNode>, detector: &Address<ToDetector>) {
    while let Ok(ToNode::Ping { round }) = inbox.recv() {
        cct::notify::<Pings>(Ping::Answered(node));
        detector.send(ToDetector::Pong { node, round });
    }
}

/// The timer.
fn keep_time(inbox: &Receiver<ToTimer>, detector: &Address<ToDetector>) {
    while let Ok(message) = inbox.recv() {
        match message {
            ToTimer::Start => match inbox.try_recv() {
                Err(TryRecvError::Empty) => detector.send(ToDetector::TimedOut),
                Ok(ToTimer::Cancel) if cct::nondet_bool() => detector.send(ToDetector::Cancelled),
                Ok(ToTimer::Cancel) => {
                    detector.send(ToDetector::TooLate);
                    detector.send(ToDetector::TimedOut);
                }
                Ok(ToTimer::Start) => {}
                Ok(ToTimer::Stop) | Err(TryRecvError::Disconnected) => return,
            },
            ToTimer::Cancel => detector.send(ToDetector::TooLate),
            ToTimer::Stop => return,
        }
    }
}

struct Detector {
    flavour: Flavour,
    inbox: Receiver<ToDetector>,
    /// The messages that came while an answer of the timer was waited for.
    deferred: VecDeque<ToDetector>,
    nodes: Vec<Address<ToNode>>,
    timer: Address<ToTimer>,
    alive: [bool; NODES],
    responded: [bool; NODES],
    round: usize,
}

impl Detector {
    fn run(&mut self) {
        loop {
            self.look_around();
            self.round += 1;
            self.responded = [false; NODES];
            if self.round == ROUNDS {
                return self.timer.send(ToTimer::Stop);
            }
            self.timer.send(ToTimer::Start);
            while !matches!(self.next(), ToDetector::TimedOut) {}
        }
    }

    /// One round.
    fn look_around(&mut self) {
        for _ in 0..ATTEMPTS {
            self.ping();
            if self.gather() {
                return;
            }
        }
        for node in 0..NODES {
            self.alive[node] &= self.responded[node];
        }
    }

    /// Pings those that are alive and have not responded.
    fn ping(&self) {
        for (node, address) in self.nodes.iter().enumerate() {
            if self.alive[node] && !self.responded[node] {
                cct::notify::<Pings>(Ping::Sent(node));
                address.send(ToNode::Ping { round: self.round });
            }
        }
        self.timer.send(ToTimer::Start);
    }

    /// Gathers answers until the time is up; true if all are there.
    fn gather(&mut self) -> bool {
        loop {
            match self.next() {
                ToDetector::Pong { node, round } => {
                    let counts = self.flavour.is_buggy() || round == self.round;
                    if self.alive[node] && counts {
                        self.responded[node] = true;
                        if self.have_all_responded() && self.cancel() {
                            return true;
                        }
                    }
                }
                ToDetector::TimedOut => return self.have_all_responded(),
                ToDetector::Cancelled | ToDetector::TooLate => {}
            }
        }
    }

    fn have_all_responded(&self) -> bool {
        self.responded == self.alive
    }

    /// Cancels the timer; true if that was not too late.
    fn cancel(&mut self) -> bool {
        self.timer.send(ToTimer::Cancel);
        loop {
            match self.inbox.recv().expect("the timer") {
                ToDetector::Cancelled => return true,
                ToDetector::TooLate => return false,
                other => self.deferred.push_back(other),
            }
        }
    }

    fn next(&mut self) -> ToDetector {
        let deferred = self.deferred.pop_front();
        deferred.unwrap_or_else(|| self.inbox.recv().expect("the timer"))
    }
}
