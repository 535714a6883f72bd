//! The detector.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use cct::actor::{ActorRef, Context, Then, Timer};

use super::{Node, NodeId, Ping, PingEvent, PingsAreAnswered};

/// How long an attempt waits for answers.
const ATTEMPT: Duration = Duration::from_millis(100);
/// The pause between rounds.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a node is pinged in a round before it is taken for dead.
const ATTEMPTS: u32 = 2;

/// Whether the detector has the bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// An answer counts in the round of its ping alone.
    Mended,
    /// An answer counts whenever it comes.
    CountsLateAnswers,
}

/// The settings of the detector.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether it has the bug.
    pub variant: Variant,
    /// After how many rounds it ends.
    pub rounds: u32,
}

/// A node's answer.
#[derive(Debug)]
pub struct Pong {
    /// The node.
    pub node: NodeId,
    /// The round of the ping.
    pub round: u32,
}

/// The tick at which an attempt has lasted long enough.
#[derive(Debug)]
pub struct AttemptIsOver {
    round: u32,
    attempt: u32,
}

/// The tick at which the next round begins.
#[derive(Debug)]
pub struct RoundIsDue;

/// The state in which answers are waited for.
#[derive(Debug, Default)]
pub struct Probing {
    attempt: u32,
    responded: BTreeSet<NodeId>,
    timer: Option<Timer>,
}

/// The state between rounds.
#[derive(Debug)]
pub struct Resting;

/// A failure detector.
#[derive(Debug)]
pub struct Detector {
    settings: Settings,
    /// The nodes that are believed to live.
    alive: BTreeMap<NodeId, ActorRef<Node>>,
    round: u32,
}

impl Detector {
    /// A detector of these nodes.
    #[must_use]
    pub fn new(settings: Settings, nodes: BTreeMap<NodeId, ActorRef<Node>>) -> Detector {
        Detector {
            settings,
            alive: nodes,
            round: 0,
        }
    }

    /// Pings the nodes that have not responded, and waits for them.
    fn attempt(&self, probing: &mut Probing, cx: &mut Context<Self>) {
        let round = self.round;
        for (id, node) in &self.alive {
            if !probing.responded.contains(id) {
                cct::notify::<PingsAreAnswered>(PingEvent::Sent(*id));
                let from = cx.me().recipient();
                cx.send(node, Ping { round, from });
            }
        }
        probing.attempt += 1;
        let attempt = probing.attempt;
        probing.timer = Some(cx.start_timer(ATTEMPT, AttemptIsOver { round, attempt }));
    }

    fn counts(&self, pong: &Pong) -> bool {
        match self.settings.variant {
            Variant::Mended => pong.round == self.round,
            Variant::CountsLateAnswers => true,
        }
    }
}

#[cct::machine(start = Probing::default())]
#[ignore(Resting: Pong, AttemptIsOver)]
impl Detector {
    #[entry]
    fn begin_round(&mut self, probing: &mut Probing, cx: &mut Context<Self>) {
        self.round += 1;
        self.attempt(probing, cx);
    }

    #[on]
    fn note(&mut self, probing: &mut Probing, pong: Pong) -> Option<Resting> {
        if self.counts(&pong) && self.alive.contains_key(&pong.node) {
            probing.responded.insert(pong.node);
        }
        (probing.responded.len() == self.alive.len()).then_some(Resting)
    }

    #[on]
    fn try_again(
        &mut self,
        probing: &mut Probing,
        over: AttemptIsOver,
        cx: &mut Context<Self>,
    ) -> Option<Resting> {
        if (over.round, over.attempt) != (self.round, probing.attempt) {
            // The timer of an attempt that ended otherwise.
            return None;
        }
        if probing.attempt < ATTEMPTS {
            self.attempt(probing, cx);
            return None;
        }
        self.alive.retain(|id, _| probing.responded.contains(id));
        Some(Resting)
    }

    #[exit]
    fn end_round(&mut self, probing: &mut Probing) {
        if let Some(timer) = &probing.timer {
            timer.stop();
        }
    }

    #[entry]
    fn rest(&mut self, _: &mut Resting, cx: &mut Context<Self>) -> Then<Self> {
        if self.alive.is_empty() || self.round == self.settings.rounds {
            return Then::halt();
        }
        cx.start_timer(PAUSE, RoundIsDue);
        Then::stay()
    }

    #[on]
    fn next_round(&mut self, _: &mut Resting, _: RoundIsDue) -> Probing {
        Probing::default()
    }
}
